//! Descriptor sets and push constants, as a Vulkan driver has them in memory (spec section 17).

use super::kernel::Kernel;
use crate::abi::Dispatch;

/// Upper half of their addresses.
const UPPER: u64 = 0xffff_8000_0000_0000;
/// Lower half of the push constants, and of the first set; sets stand so far apart.
const PUSH: u32 = 0x8000;
const APART: u32 = 0x1_0000;

/// What a kernel finds there.
#[derive(Default)]
pub(super) struct Sets {
    /// Number and bytes of each set.
    tables: Vec<(u32, Vec<u8>)>,
    /// Push constants.
    pub(super) push: Vec<u8>,
}

fn low(set: u32) -> u32 {
    set.saturating_add(1).saturating_mul(APART)
}

impl Sets {
    /// Writes a descriptor at a byte of a set.
    pub(super) fn put(&mut self, set: u32, at: usize, words: &[u32]) {
        let n = self.tables.iter().position(|(number, _)| *number == set).unwrap_or_else(|| {
            self.tables.push((set, Vec::new()));
            self.tables.len() - 1
        });
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let table = &mut self.tables[n].1;
        table.resize(table.len().max(at + bytes.len()).min(APART as usize), 0);
        if let Some(room) = table.get_mut(at..at + bytes.len()) {
            room.copy_from_slice(&bytes);
        }
    }

    /// First register and words of what the driver sets.
    pub(super) fn registers(&self, names: &[(String, u16)], dispatch: &Dispatch) -> Vec<(u16, Vec<u32>)> {
        let word = |n: usize| {
            let bytes = self.push.get(4 * n..4 * n + 4).and_then(|bytes| bytes.first_chunk());
            bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
        };
        let number = |name: &str, prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
        let value = |(name, at): &(String, u16)| {
            let words = match name.as_str() {
                "push_constants" => vec![PUSH],
                "num_work_groups" => dispatch.groups.to_vec(),
                name => match (number(name, "descriptor_set"), number(name, "push_dword")) {
                    (Some(set), _) => vec![low(set)],
                    (_, Some(n)) => vec![word(n as usize)],
                    _ => return None,
                },
            };
            Some((*at, words))
        };
        names.iter().filter_map(value).collect()
    }

    /// Ranges of memory, with room for what nobody gave.
    pub(super) fn memory(&self, kernel: &Kernel) -> Vec<(&'static str, u64, Vec<u8>)> {
        if kernel.registers.is_empty() {
            return Vec::new();
        }
        let ends =
            kernel.arguments.iter().filter_map(|a| Some((a.descriptor.as_ref()?.0, a.offset + a.size)));
        let mut tables = self.tables.clone();
        for (set, end) in ends {
            let known = tables.iter().position(|(number, _)| *number == set);
            let n = known.unwrap_or_else(|| {
                tables.push((set, Vec::new()));
                tables.len() - 1
            });
            let table = &mut tables[n].1;
            table.resize(table.len().max(end).min(APART as usize), 0);
        }
        let sets =
            tables.into_iter().map(|(set, bytes)| ("a descriptor set", UPPER | u64::from(low(set)), bytes));
        let push = ("the push constants", UPPER | u64::from(PUSH), self.push.clone());
        sets.chain([push]).collect()
    }
}
