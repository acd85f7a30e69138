//! What words do and take: one a cycle, all units side by side. The order in which results can be read is
//! the compiler's business, nothing waits (spec section 4).

use chiaro_diag::Diagnostic;
use chiaro_isa::Purpose;
use chiaro_target::anatomy::{Anatomy, Cause, Figure, Grade, Instruction, Steer, connect, instruction};
use chiaro_target::{CompileOptions, Settings};

use super::compile::choices;
use crate::isa::UTGARD_GP;
use crate::isa::word::{BYTES, Word};

/// The words of a program.
pub(super) fn of(program: &[Word], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
    let options = CompileOptions { settings: settings.to_vec(), ..CompileOptions::default() };
    let taken = choices(&options).map_err(|mut errors| Box::new(errors.swap_remove(0)))?.1.taken_branch;
    let all = program.iter().enumerate().map(|(at, &word)| {
        let offset = (at * BYTES) as u32;
        let target = word.target().map(|to| i64::from(to) * BYTES as i64);
        let mut one = words(word, offset);
        one.taken = target.map_or(0, |_| taken);
        (one, target.map_or(Steer::Next, Steer::Branch))
    });
    let figure = |name, cycles, source, grade| Figure { name, cycles, source, grade };
    Ok(Anatomy {
        instructions: connect(all.collect()),
        figures: vec![
            figure("cycles of a word", 1, "ISA notes, Mesa: one word a cycle", Grade::Documented),
            figure("a taken branch, beside its own", taken, "ARM's code keeps 2", Grade::Assumed),
        ],
        omits: &["what attributes and uniforms wait for in memory"],
        ..Anatomy::default()
    })
}

/// A word: what most of its units are there for, arithmetic before all else.
fn words(word: Word, offset: u32) -> Instruction {
    const NONE: u8 = u8::MAX;
    let mut one = Instruction { offset, cause: Cause::Wait, slots: 1, passes: 1, ..Instruction::default() };
    let Ok(insts) = UTGARD_GP.decode(&word.to_bytes()) else { return one };
    let mut purpose = Purpose::Wait;
    for (unit, inst) in UTGARD_GP.units.iter().zip(&insts) {
        let operation = unit.form(inst).operation;
        if operation.name.is_empty() {
            continue;
        }
        let made = instruction(unit, inst, offset, |file| file != NONE);
        // Loads and stores of ports belong to what the word computes.
        let is_more = operation.class.purpose > purpose;
        if is_more {
            (purpose, one.cause) = (operation.class.purpose, made.cause);
        }
        if !one.units.contains(&(operation.class.unit, 1)) {
            one.units.push((operation.class.unit, 1));
        }
    }
    if one.cause == Cause::Constant {
        one.cause = Cause::Move;
    }
    one
}
