//! What a lane does, instruction by instruction, for who looks at it.

use chiaro_sim::{Changes, Slot};

use super::executed::Executed;
use super::program::{Layout, Program, Source, Step};
use super::run::Machine;
use crate::regs::letter;

impl Machine {
    /// Runs the program on lane 0 and reports the instructions, the first `most` of them. What is to be set on
    /// the way counts those.
    pub fn trace(&mut self, most: usize, changes: Changes) -> Vec<Executed> {
        self.record = Some((Vec::new(), most));
        self.changes = changes;
        self.run(1);
        self.changes = Changes::default();
        self.record.take().map(|(record, _)| record).unwrap_or_default()
    }

    /// Keeps an instruction that was done at a place and time.
    pub(super) fn keep_step(
        &mut self,
        program: &Program,
        step: &Step,
        (at, cycle): (u32, u64),
        branched: bool,
    ) {
        if self.record.as_ref().is_none_or(|(record, most)| record.len() >= *most) {
            return;
        }
        let set = std::mem::take(&mut self.set);
        let bits = |slot: Slot| self.state.lanes(slot).0[0];
        let made = Executed {
            at,
            cycle,
            set,
            results: step.busy.iter().map(|&(unit, slot)| (unit, bits(slot))).collect(),
            branched,
            reads: step
                .sources
                .iter()
                .map(|&(source, slot)| (self.name(program, step, source), bits(slot)))
                .collect(),
            writes: self.stored(program, step),
        };
        if let Some((record, _)) = &mut self.record {
            record.push(made);
        }
    }

    /// What a source is called; of one with a computed address the vec4 that it came from.
    fn name(&self, program: &Program, step: &Step, source: Source) -> String {
        let address = |register: u8| match register {
            0 => 0,
            n => self.state.lanes(program.layout.addresses.at(n.into())).0[0] as i32,
        };
        match source {
            Source::Attribute(n, part) => format!("a{n}.{}", letter(part)),
            Source::Register(n, part) => format!("${n}.{}", letter(part)),
            Source::Uniform(at, part) => {
                let moved = step.gather.map_or(0, |gather| address(gather.offset));
                format!("t[{}].{}", i32::from(at).saturating_add(moved), letter(part))
            }
        }
    }

    fn stored(&self, program: &Program, step: &Step) -> Vec<(String, u32)> {
        let bits = |slot: Slot| self.state.lanes(slot).0[0];
        let part = |prefix: &str, first: Slot, slot: Slot| {
            let number = slot.0 - first.0;
            format!("{prefix}{}.{}", number / 4, letter((number % 4) as u8))
        };
        let Layout { outputs, registers, addresses, .. } = program.layout;
        let mut all: Vec<(String, u32)> =
            step.outputs.iter().map(|&(from, to)| (part("v", outputs, to), bits(from))).collect();
        all.extend(step.registers.iter().map(|&(from, to)| (part("$", registers, to), bits(from))));
        all.extend(step.address.map(|(number, from)| (format!("addr{number}"), bits(from))));
        let row = bits(addresses) as i32;
        all.extend(
            step.temporaries.iter().map(|&(part, from)| (format!("t[{row}].{}", letter(part)), bits(from))),
        );
        all
    }
}
