//! What follows from a whole program: its padding, and the facts that a driver asks for.

use super::header::Header;
use crate::isa;
use crate::listing::{decode, pgmdump::repeats};

use crate::regs::{A0, GRANULE, PADDING, file, mods, size};
use chiaro_diag::Span;
use chiaro_isa::{Inst, Reg, Role, Value};
use std::collections::BTreeMap;

/// What a text says.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// The instructions, without padding.
    pub words: Vec<u64>,
    /// Where each stands in the text.
    pub spans: Vec<Span>,
    /// The headers.
    pub headers: Vec<Header>,
    /// Places by name, in instructions.
    pub labels: BTreeMap<String, usize>,
}

impl Program {
    /// The words as a driver loads them: padded to the granule and past the end.
    pub fn image(&self) -> Vec<u64> {
        padded(&self.words)
    }
}

/// The words with empty ones behind them: up to the granule, and at least four past the
/// last instruction because the fetch unit reads ahead [fd3, spec section 18].
pub fn padded(words: &[u64]) -> Vec<u64> {
    let mut image = words.to_vec();
    let length = words.len().div_ceil(GRANULE) * GRANULE;
    image.resize(length.max(words.len() + PADDING), 0);
    image
}

/// What Mesa's assembler derives from a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Length in granules.
    pub granules: usize,
    /// Constants up to the highest one that is read, as vec4.
    pub constants: i32,
    /// Highest full register as vec4; -1 if none.
    pub full: i32,
    /// Highest half register as vec4; -1 if none.
    pub half: i32,
    /// Highest constant that an instruction reads, as vec4; -1 if none.
    pub read: i32,
    /// Instructions with repetitions counted.
    pub instructions: u32,
    /// Empty slots among them.
    pub nops: u32,
}

impl Program {
    /// The facts of the program for a generation.
    pub fn facts(&self, generation: u8) -> Facts {
        let mut facts = Facts {
            granules: self.words.len().div_ceil(GRANULE),
            constants: 0,
            full: -1,
            half: -1,
            read: -1,
            instructions: 0,
            nops: 0,
        };
        for inst in self.words.iter().filter_map(|word| decode(*word, generation)) {
            facts.count(&inst, generation);
        }
        facts.constants = facts.read + 1;
        facts
    }
}

impl Facts {
    fn count(&mut self, inst: &Inst, generation: u8) {
        let isa = isa::isa(generation);
        let repeat = repeats(inst);
        self.instructions += 1 + u32::from(repeat);
        if isa.form(inst).operation.name == "nop" {
            self.nops += 1 + u32::from(repeat);
        }
        let values = isa.values(inst, &isa.cx());
        // The last component that a texture operation writes counts.
        let mask = isa.value(inst, "mask", &isa.cx()).and_then(Value::int).unwrap_or(1);
        let written = repeat.max((63 - (mask.max(1) as u64).leading_zeros()) as u16);
        let fields = isa.form(inst).format.fields.iter().zip(values.as_slice());
        for (field, value) in fields.filter(|(field, _)| !field.view) {
            let Some(Value::Reg(r)) = *value else { continue };
            let steps = r.mods & mods::STEP != 0;
            self.register(
                r,
                if field.role == Role::Def {
                    written
                } else if steps {
                    repeat
                } else {
                    0
                },
            );
        }
    }

    /// Counts a run of `more` registers behind the first.
    fn register(&mut self, r: Reg, more: u16) {
        let last = i32::from((r.index.wrapping_add(more)) / 4);
        match r.file {
            file::GPR if r.index < A0 && r.size == size::HALF => self.half = self.half.max(last),
            file::GPR if r.index < A0 => self.full = self.full.max(last),
            file::CONST => self.read = self.read.max(last),
            _ => {}
        }
    }
}
