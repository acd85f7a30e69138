//! Emission of words: operands and descriptors, addresses, branches, and the NOPs that they ask for.
//!
//! | file | does |
//! |---|---|
//! | [`constants`] | numbers of the program, packed into c registers |
//! | [`operand`] | instructions and the addresses that they need |
//! | [`flow`] | branches and loops |
//! | [`subroutines`] | what stands there several times becomes a subroutine |
//! | [`initial`], [`file`] | the container around the words |

pub(super) mod constants;
pub(super) mod file;
mod flow;
pub(super) mod initial;
mod operand;
mod subroutines;
mod words;

use self::subroutines::subroutines;
use self::words::Finish;
use crate::compile::graph::Setting;
use crate::compile::schedule::Step;
use crate::isa::Op;
use crate::operand::descriptor::Descriptors;
use chiaro_isa::Value;

pub(super) use self::words::{Input, Trouble, Words};

/// Makes the words of a program, END included.
///
/// # Errors
/// What the machine has too little of.
pub(crate) fn finish(input: &Input<'_>) -> Result<Words, Trouble> {
    let mut f = Finish {
        input,
        code: Vec::new(),
        ints: Vec::new(),
        always: None,
        setting: None,
        addresses: [None; 2],
        at: 0,
        open: Vec::new(),
        closed: false,
        span: None,
    };
    for (at, step) in input.steps.iter().enumerate() {
        f.at = at;
        f.step(*step)?;
    }
    f.plain(Op::End, &[])?;
    let main = subroutines(&mut f.code, input.subroutine_saves);
    f.descriptors(main)
}

impl Finish<'_> {
    fn step(&mut self, step: Step) -> Result<(), Trouble> {
        match step {
            Step::Node(id) => return self.node(id),
            Step::Emit(setting) => return self.emit(setting),
            Step::If(cond) => self.open_if(cond)?,
            Step::Else => self.else_part()?,
            Step::EndIf => self.end_if()?,
            Step::Loop(number) => self.open_loop(number)?,
            Step::EndLoop => self.end_loop()?,
            Step::Break(cond) => self.leave(cond)?,
        }
        (self.addresses, self.setting) = ([None; 2], None);
        Ok(())
    }

    /// EMIT, with SETEMIT unless the setting is in force already.
    fn emit(&mut self, setting: Setting) -> Result<(), Trouble> {
        if self.setting.replace(setting) != Some(setting) {
            let flags = i64::from(setting.primitive) << 1 | i64::from(setting.winding);
            let fields = [("vertex", Value::Int(setting.vertex.into())), ("flags", Value::Int(flags))];
            self.plain(Op::Setemit, &fields)?;
        }
        self.plain(Op::Emit, &[])?;
        Ok(())
    }

    /// Shares descriptors among all instructions: those of MAD first, because they reach only the
    /// first ones, then those that care for the most.
    fn descriptors(self, main: usize) -> Result<Words, Trouble> {
        let mut order: Vec<usize> = (0..self.code.len()).filter(|i| self.code[*i].has_descriptor).collect();
        let is_mad = |word: u32| word >> 26 >= 0x30;
        order.sort_by_key(|&i| {
            let p = &self.code[i];
            (!is_mad(p.word), std::cmp::Reverse(p.care.count_ones()))
        });
        let mut table = Descriptors::new();
        let mut code: Vec<u32> = self.code.iter().map(|p| p.word).collect();
        for i in order {
            let p = &self.code[i];
            let slot = table
                .place(p.descriptor, p.care, is_mad(p.word))
                .map_err(|full| Trouble::Descriptors(full, p.span))?;
            code[i] |= u32::from(slot.index);
        }
        let spans = self.code.iter().map(|p| p.span).collect();
        Ok(Words { code, main, spans, descriptors: table.table(), ints: self.ints, always: self.always })
    }
}
