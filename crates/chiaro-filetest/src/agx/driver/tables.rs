//! The driver's tables behind pushed uniforms, by the offsets of the specification's section 25.

use chiaro_agx::machine::Group;
use chiaro_sim::mapped::{Mapped, Range};
use serde_json::Value;

use super::textures::Bound;
use crate::agx::linked::Unit;

/// Numbers of tables.
pub(super) const ROOT: usize = 0;
pub(super) const GRID: usize = 2;
const COUNT: usize = 9;
/// Where each lies.
const BASE: u64 = 0x20_0000_0000;
const APART: u64 = 0x1_0000;
/// Bytes of each.
const SIZES: [usize; COUNT] = [768, 8, 12, 904, 904, 904, 904, 904, 904];

/// Members of the root table.
pub(super) mod root {
    pub(in super::super) const OUTPUT_BUFFER: usize = 552;
    pub(in super::super) const OUTPUTS: usize = 560;
    pub(in super::super) const INPUT_ASSEMBLY: usize = 568;
    pub(super) const BLEND: usize = 600;
    pub(in super::super) const SAMPLE_POSITIONS: usize = 620;
    pub(super) const SAMPLE_MASK: usize = 630;
    pub(super) const NO_DISCARD: usize = 636;
    pub(in super::super) const OUTPUT_WORDS: usize = 640;
}

/// Members of the table of a stage.
pub(super) mod stage {
    pub(super) const TEXTURES: usize = 0;
    pub(in super::super) const UNIFORM: usize = 8;
    pub(in super::super) const UNIFORM_SIZE: usize = 264;
    pub(in super::super) const STORAGE: usize = 392;
    pub(in super::super) const STORAGE_SIZE: usize = 648;
}

/// All tables, and the descriptors that they lead to.
pub(super) struct Tables {
    bytes: Vec<Vec<u8>>,
    /// The table of the stage that runs.
    stage: usize,
    bound: Bound,
}

impl Tables {
    /// With what hangs on nothing: their own addresses, masks that keep all samples.
    pub(super) fn new(unit: &Unit, bound: Bound) -> Tables {
        let stage = match unit.object["stage"].as_str() {
            Some("frag") => 7,
            Some("comp") => 8,
            _ => 3,
        };
        let mut tables = Tables { bytes: SIZES.map(|size| vec![0; size]).to_vec(), stage, bound };
        for n in 0..COUNT {
            tables.put(ROOT, 8 * n, &address(n).to_le_bytes());
        }
        for (n, x) in [0.125f32, 0.25, 0.5, 1.0].into_iter().enumerate() {
            tables.put(ROOT, root::BLEND + 4 * n, &x.to_le_bytes());
        }
        tables.put(ROOT, root::SAMPLE_MASK, &[0xff; 2]);
        // The epilog that does not follow would test what is left.
        tables.put(ROOT, root::NO_DISCARD, &[0xff; 2]);
        tables.put_stage(stage::TEXTURES, &(BASE + COUNT as u64 * APART).to_le_bytes());
        tables
    }

    pub(super) fn put(&mut self, table: usize, at: usize, bytes: &[u8]) {
        self.bytes[table][at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// The same in the table of the stage that runs.
    pub(super) fn put_stage(&mut self, at: usize, bytes: &[u8]) {
        self.put(self.stage, at, bytes);
    }

    pub(super) fn map(&self, memory: &mut Mapped) -> Result<(), String> {
        for (n, bytes) in self.bytes.iter().enumerate() {
            memory.map(Range { name: format!("table {n}"), base: address(n), bytes: bytes.clone() })?;
        }
        let bytes = self.bound.descriptors.concat();
        memory.map(Range { name: "descriptors".to_owned(), base: address(COUNT), bytes })
    }

    /// Copies the ranges of a unit into uniforms, and its constants.
    pub(super) fn push(&self, unit: &Unit, group: &mut Group) {
        for range in unit.object["push"].as_array().into_iter().flatten() {
            let number = |n: usize| range[n].as_u64().unwrap_or(0) as usize;
            let (first, halves, table, at) = (number(0), number(1), number(2), number(3));
            let bytes = self.bytes.get(table).and_then(|table| table.get(at..at + 2 * halves));
            set(group, first, bytes.unwrap_or_default());
        }
        let (at, halves) = (unit.number("rodata_offset"), unit.number("rodata_halves"));
        set(group, unit.number("rodata_base"), unit.binary.get(at..at + 2 * halves).unwrap_or_default());
    }

    /// Descriptors in state registers.
    pub(super) fn bind(&self, group: &mut Group) {
        let states = &mut group.states;
        states.textures.iter_mut().zip(&self.bound.descriptors).for_each(|(to, from)| *to = Some(*from));
        states.samplers.iter_mut().zip(&self.bound.samplers).for_each(|(to, from)| *to = Some(*from));
    }
}

fn address(table: usize) -> u64 {
    BASE + table as u64 * APART
}

fn set(group: &mut Group, first: usize, bytes: &[u8]) {
    for (half, two) in (first..).zip(bytes.as_chunks::<2>().0) {
        group.set_uniform(half as u16, u16::from_le_bytes(*two));
    }
}

/// A number of a row's list.
pub(super) fn listed(list: &Value, n: usize) -> usize {
    list[n].as_u64().unwrap_or(0) as usize
}
