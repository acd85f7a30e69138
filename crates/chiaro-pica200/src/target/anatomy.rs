//! What words do and take. No public source gives latencies (spec sections 13 and 14): a word takes the
//! cycles that the report assumes.

use chiaro_diag::Diagnostic;
use chiaro_isa::Value;
use chiaro_target::anatomy::{Anatomy, Figure, Grade, Instruction, Steer, connect, instruction};
use chiaro_target::{CompileOptions, Interface, Settings};

use super::compile::Choices;
use crate::container::Shbin;
use crate::isa::{Op, PICA200, fetch};
use crate::regs::bank;

/// Bytes of a word.
const WORD: i64 = 4;

/// The words of a file's code.
pub(super) fn of(file: &Shbin, settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
    let options = CompileOptions { settings: settings.to_vec(), ..CompileOptions::default() };
    let choices = Choices::of(&options, &Interface::default()).map_err(first)?;
    let cycles = choices.assumptions.cycles_per_word;
    let code = &file.program.code;
    let words: Vec<Word> =
        code.iter().map(|&word| Word::of(fetch(word, &file.program.descriptors))).collect();
    let all = words.iter().enumerate().map(|(at, word)| {
        let mut one = word.instruction(at as u32 * WORD as u32);
        (one.slots, one.units) = (cycles, one.units.iter().map(|(unit, _)| (*unit, cycles)).collect());
        (one, word.steer())
    });
    let mut instructions = connect(all.collect());
    nest(&words, &mut instructions);
    Ok(Anatomy {
        instructions,
        files: vec![(bank::TEMP, "temporary registers")],
        figures: vec![Figure {
            name: "cycles of a word",
            cycles,
            source: "nobody measured it (spec 13, 14)",
            grade: Grade::Assumed,
        }],
        omits: &["latencies of results", "what vertices wait for at the rasteriser"],
        ..Anatomy::default()
    })
}

fn first(mut errors: Vec<Diagnostic>) -> Box<Diagnostic> {
    Box::new(errors.swap_remove(0))
}

/// A word with what it says of the way.
struct Word {
    inst: Option<chiaro_isa::Inst>,
    op: Option<Op>,
    target: u32,
    count: u32,
}

impl Word {
    fn of(word: chiaro_isa::Word) -> Word {
        let Ok(inst) = PICA200.decode_word(&word, 8) else {
            return Word { inst: None, op: None, target: 0, count: 0 };
        };
        let number = |name: &str| match PICA200.value(&inst, name, &PICA200.cx()) {
            Some(Value::Int(n)) => n as u32,
            _ => 0,
        };
        let op = Some(Op::of(PICA200.form(&inst).op));
        Word { inst: Some(inst), op, target: number("target"), count: number("count") }
    }

    fn instruction(&self, offset: u32) -> Instruction {
        let counts = |file: u8| file == bank::TEMP || file == bank::ADDRESS || file == bank::FLAG;
        match &self.inst {
            Some(inst) => instruction(&PICA200, inst, offset, counts),
            None => Instruction { offset, slots: 1, passes: 1, ..Instruction::default() },
        }
    }

    /// Blocks go on behind their first word or at the second part; ends of blocks follow in [`nest`].
    fn steer(&self) -> Steer {
        let to = |word: u32| i64::from(word) * WORD;
        match self.op {
            Some(Op::End) => Steer::End,
            Some(Op::Ifc | Op::Ifu | Op::Jmpc | Op::Jmpu) => Steer::Branch(to(self.target)),
            _ => Steer::Next,
        }
    }
}

/// The ends of blocks, which no word stands for: behind the first part of an IF the second is passed over,
/// behind the last word of a LOOP it begins again; calls are entered.
fn nest(words: &[Word], all: &mut [Instruction]) {
    let count = all.len() as u32;
    for (at, word) in (0..).zip(words) {
        let (target, behind) = (word.target, word.target.saturating_add(word.count));
        match word.op {
            Some(Op::Ifc | Op::Ifu) if word.count > 0 && target > at + 1 && behind < count => {
                let last = &mut all[target as usize - 1].next;
                last.iter_mut().filter(|to| **to == target).for_each(|to| *to = behind);
            }
            Some(Op::Loop) if target > at && target < count => all[target as usize].next.push(at + 1),
            Some(Op::Breakc | Op::Break) => {
                let around = |(from, word): &(u32, &Word)| {
                    word.op == Some(Op::Loop) && *from < at && at <= word.target && word.target + 1 < count
                };
                let inner = (0..).zip(words).filter(around).last();
                all[at as usize].next.extend(inner.map(|(_, inner)| inner.target + 1));
            }
            Some(Op::Call | Op::Callc | Op::Callu) if target < behind && behind <= count => {
                all[at as usize].calls = Some((target, behind));
            }
            _ => {}
        }
    }
}
