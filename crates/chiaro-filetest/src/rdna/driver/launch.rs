//! What a dispatch of the driver's finds in registers and memory: the head of `aco_words.jsonl`.

use chiaro_rdna::abi::{Dispatch, group_info, threads};
use chiaro_rdna::machine::{Wave, raw_buffer};
use chiaro_sim::mapped::{Mapped, Range};

use super::Driven;
use super::outputs::Case;
use crate::suite::Miss;

/// Where code lies.
pub(super) const CODE: u64 = 0x10_0000_0000;
/// Low halves of addresses whose upper half is in the code.
const SET: u32 = 0x0001_0000;
const PUSH: u32 = 0x0002_0000;
const UPPER: u64 = 0xffff_8000_0000_0000;
/// Where descriptor set 0 lies.
pub(super) const SET_ADDRESS: u64 = UPPER | SET as u64;
/// Buffers stand so far apart.
const APART: u64 = 0x1_0000_0000;

/// Registers by what they hold.
pub(super) struct Launch {
    dispatch: Dispatch,
    waves: u32,
    /// First register of each, and its name.
    scalars: Vec<(u16, String)>,
    dimensions: u16,
    push: Vec<u32>,
}

/// The name of a binding's memory.
pub(super) fn name(binding: u32) -> String {
    format!("binding {binding}")
}

/// The words of all buffers of a case.
pub(super) fn buffers(memory: &Mapped, case: &Case) -> Vec<Vec<u32>> {
    let words = |binding: u32| {
        let bytes = memory.named(&name(binding)).map_or(&[][..], |range| &range.bytes);
        chiaro_isa::dwords(bytes).collect()
    };
    case.bindings().map(words).collect()
}

impl Launch {
    pub(super) fn new(driven: &Driven, case: &Case) -> Result<Launch, Miss> {
        let dispatch = Dispatch { groups: case.groups, size: driven.workgroup };
        let regs = driven.row["regs"].as_object().ok_or("the row has no `regs`")?;
        let register = |(what, place): (&String, &serde_json::Value)| {
            let digits = place.as_str()?.strip_prefix('s')?.trim_start_matches('[');
            let first = digits.split([':', ']']).next()?.parse().ok()?;
            Some((first, what.clone()))
        };
        let of_threads = ["local_invocation_id_x", "local_invocation_id_y", "local_invocation_id_z"];
        Ok(Launch {
            dispatch,
            waves: dispatch.waves(driven.wave),
            scalars: regs.iter().filter_map(register).collect(),
            dimensions: of_threads.iter().filter(|name| regs.contains_key(**name)).count() as u16,
            push: chiaro_isa::dwords(&case.push).collect(),
        })
    }

    pub(super) fn waves(&self) -> u32 {
        self.waves
    }

    pub(super) fn groups(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        self.dispatch.each()
    }

    /// Sets a wave's registers.
    pub(super) fn enter(&self, wave: &mut Wave, group: [u32; 3]) {
        threads(wave, &self.dispatch, self.dimensions);
        for (register, what) in &self.scalars {
            let values = match what.as_str() {
                "ring_offsets" => vec![0; 2],
                "descriptor_set0" => vec![SET],
                "push_constants" => vec![PUSH],
                "num_work_groups" => self.dispatch.groups.to_vec(),
                "workgroup_id_x" => vec![group[0]],
                "workgroup_id_y" => vec![group[1]],
                "workgroup_id_z" => vec![group[2]],
                "tg_size" => vec![group_info(self.waves, wave.index())],
                other => {
                    let dword = other.strip_prefix("push_dword").and_then(|n| n.parse::<usize>().ok());
                    vec![dword.and_then(|n| self.push.get(n).copied()).unwrap_or(0)]
                }
            };
            (*register..).zip(values).for_each(|(register, value)| wave.set_scalar(register, value));
        }
    }

    /// Code with its constants, push constants, buffers, and the set that names them.
    pub(super) fn memory(&self, driven: &Driven, case: &Case) -> Result<Mapped, Miss> {
        let mut memory = Mapped::default();
        let mut map = |name: String, base: u64, bytes: Vec<u8>| {
            memory.map(Range { name, base, bytes }).map_err(|other| format!("memory lies over {other}"))
        };
        let set = &driven.row["set"];
        let mut table = vec![0; set["bytes"].as_u64().unwrap_or(0) as usize];
        for (n, buffer) in (1_u64..).zip(&case.buffers) {
            let bytes: Vec<u8> = buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let descriptor = raw_buffer(n * APART, bytes.len() as u32);
            map(name(buffer.binding), n * APART, bytes)?;
            let bindings = set["bindings"].as_array().into_iter().flatten();
            let mut own = bindings.filter(|b| b["binding"].as_u64() == Some(buffer.binding.into()));
            let Some(at) = own.next().and_then(|b| b["offset"].as_u64()) else { continue };
            let room =
                table.get_mut(at as usize..at as usize + 16).ok_or("a descriptor is outside of its set")?;
            room.iter_mut()
                .zip(descriptor.iter().flat_map(|word| word.to_le_bytes()))
                .for_each(|(a, b)| *a = b);
        }
        map("the set".to_owned(), UPPER | u64::from(SET), table)?;
        map("the code".to_owned(), CODE, driven.bytes.clone())?;
        if !case.push.is_empty() {
            map("push constants".to_owned(), UPPER | u64::from(PUSH), case.push.clone())?;
        }
        Ok(memory)
    }
}
