//! From a [`Shbin`] to bytes: place the parts in the order of the layout, then write them.

use super::layout::{DVLE_SIZE, DVLP_LONG, DVLP_SHORT, Placed, Slot};
use super::part::Part;
use super::{Dvle, Shbin};
use std::collections::BTreeMap;

impl Shbin {
    /// The bytes of the file. What was read and not edited comes out identical.
    pub fn write(&self) -> Vec<u8> {
        let plan = Plan::of(self);
        let mut out = Vec::with_capacity(plan.size);
        for slot in &plan.slots {
            match slot {
                Slot::Place(part) => self.write_part(*part, &plan, &mut out),
                Slot::Align => out.resize(out.len().next_multiple_of(4), 0),
                Slot::Bytes(bytes) => out.extend(bytes),
                Slot::Nowhere(..) => {}
            }
        }
        out
    }

    /// Where each part stands in the written file, in file order. Bytes between them belong to no
    /// part; empty parts are left out.
    pub fn parts(&self) -> Vec<Placed> {
        let plan = Plan::of(self);
        let mut parts: Vec<Placed> = plan
            .offsets
            .iter()
            .map(|(&part, &offset)| Placed { part, offset, size: self.part_size(part) })
            .filter(|placed| placed.size > 0)
            .collect();
        parts.sort_by_key(|placed| placed.offset);
        parts
    }

    /// Every part that this content has, empty ones too.
    pub(super) fn all_parts(&self) -> impl Iterator<Item = Part> + use<> {
        use Part::*;
        let long = self.layout.dvlp_header().long || !self.program.file_names.is_empty();
        let of_executable = |n| [Dvle(n), Constants(n), Labels(n), Outputs(n), Uniforms(n), Symbols(n)];
        let program = [Dvlb, Dvlp, Code, Descriptors].into_iter().chain(long.then_some(FileNames));
        program.chain((0..self.executables.len()).flat_map(of_executable))
    }

    /// Size of a part in bytes.
    pub(super) fn part_size(&self, part: Part) -> usize {
        let items = match part {
            Part::Dvlb => 8 + 4 * self.executables.len(),
            Part::Dvlp if self.has_long_header() => DVLP_LONG,
            Part::Dvlp => DVLP_SHORT,
            Part::Code => self.program.code.len(),
            Part::Descriptors => self.program.descriptors.len(),
            Part::FileNames => self.program.file_names.len(),
            Part::Dvle(_) => DVLE_SIZE,
            Part::Constants(n) => self.executables[n].constants.len(),
            Part::Labels(n) => self.executables[n].labels.len(),
            Part::Outputs(n) => self.executables[n].outputs.len(),
            Part::Uniforms(n) => self.executables[n].uniforms.len(),
            Part::Symbols(n) => self.executables[n].symbols.len(),
        };
        items * part.unit()
    }

    /// The short header has no room for file names: adding some makes it long.
    fn has_long_header(&self) -> bool {
        self.layout.dvlp_header().long || !self.program.file_names.is_empty()
    }

    fn write_part(&self, part: Part, plan: &Plan, out: &mut Vec<u8>) {
        match part {
            Part::Dvlb => self.write_dvlb(plan, out),
            Part::Dvlp => self.write_dvlp(plan, out),
            Part::Code => words(out, &self.program.code),
            Part::Descriptors => words(out, self.program.descriptors.as_flattened()),
            Part::FileNames => out.extend(&self.program.file_names),
            Part::Dvle(n) => write_dvle(&self.executables[n], n, plan, out),
            Part::Constants(n) => {
                for constant in &self.executables[n].constants {
                    halves(out, &[constant.kind, constant.register]);
                    words(out, &constant.words);
                }
            }
            Part::Labels(n) => {
                for label in &self.executables[n].labels {
                    halves(out, &[label.id, label.unknown]);
                    words(out, &[label.offset, label.size, label.name]);
                }
            }
            Part::Outputs(n) => {
                for output in &self.executables[n].outputs {
                    halves(out, &[output.kind, output.register, output.mask, output.unknown]);
                }
            }
            Part::Uniforms(n) => {
                for uniform in &self.executables[n].uniforms {
                    words(out, &[uniform.name]);
                    halves(out, &[uniform.first, uniform.last]);
                }
            }
            Part::Symbols(n) => out.extend(&self.executables[n].symbols),
        }
    }

    fn write_dvlb(&self, plan: &Plan, out: &mut Vec<u8>) {
        out.extend(b"DVLB");
        words(out, &[self.executables.len() as u32]);
        for n in 0..self.executables.len() {
            words(out, &[plan.offset(Part::Dvle(n), 0)]);
        }
    }

    fn write_dvlp(&self, plan: &Plan, out: &mut Vec<u8>) {
        let base = out.len();
        let header = self.layout.dvlp_header();
        let descriptors = plan.offset(Part::Descriptors, base);
        let end = descriptors.saturating_add(self.part_size(Part::Descriptors) as u32);
        out.extend(b"DVLP");
        words(out, &[self.program.version]);
        words(out, &[plan.offset(Part::Code, base), self.program.code.len() as u32]);
        words(out, &[descriptors, self.program.descriptors.len() as u32]);
        words(out, &[header.word18.unwrap_or(end)]);
        if self.has_long_header() {
            words(out, &[header.word1c]);
            words(out, &[plan.offset(Part::FileNames, base), self.program.file_names.len() as u32]);
        }
    }
}

/// The header of spec section 18.3.
fn write_dvle(dvle: &Dvle, n: usize, plan: &Plan, out: &mut Vec<u8>) {
    let base = out.len();
    out.extend(b"DVLE");
    halves(out, &[dvle.version]);
    out.extend([dvle.stage.byte(), dvle.merge]);
    words(out, &[dvle.entry, dvle.end]);
    halves(out, &[dvle.inputs, dvle.outputs_used]);
    out.extend(dvle.geometry);
    for (part, count) in [
        (Part::Constants(n), dvle.constants.len()),
        (Part::Labels(n), dvle.labels.len()),
        (Part::Outputs(n), dvle.outputs.len()),
        (Part::Uniforms(n), dvle.uniforms.len()),
        (Part::Symbols(n), dvle.symbols.len()),
    ] {
        words(out, &[plan.offset(part, base), count as u32]);
    }
}

/// The slots of a file, and the position of each part in it.
struct Plan {
    slots: Vec<Slot>,
    offsets: BTreeMap<Part, usize>,
    nowhere: BTreeMap<Part, u32>,
    size: usize,
}

impl Plan {
    fn of(file: &Shbin) -> Plan {
        let slots = file.layout.slots(file);
        let mut plan =
            Plan { slots: Vec::new(), offsets: BTreeMap::new(), nowhere: BTreeMap::new(), size: 0 };
        for slot in &slots {
            match *slot {
                Slot::Place(part) => {
                    plan.offsets.insert(part, plan.size);
                    plan.size += file.part_size(part);
                }
                Slot::Align => plan.size = plan.size.next_multiple_of(4),
                Slot::Bytes(ref bytes) => plan.size += bytes.len(),
                Slot::Nowhere(part, value) => {
                    plan.nowhere.insert(part, value);
                }
            }
        }
        Plan { slots, ..plan }
    }

    /// The offset field for a part, relative to the section at `base`.
    fn offset(&self, part: Part, base: usize) -> u32 {
        match self.offsets.get(&part) {
            Some(&offset) => (offset.saturating_sub(base)) as u32,
            None => self.nowhere.get(&part).copied().unwrap_or(0),
        }
    }
}

fn words(out: &mut Vec<u8>, words: &[u32]) {
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}

fn halves(out: &mut Vec<u8>, halves: &[u16]) {
    halves.iter().for_each(|half| out.extend_from_slice(&half.to_le_bytes()));
}
