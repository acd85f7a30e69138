//! After selection: what nobody reads goes, inputs get their places, and instructions go to where their slots cost
//! least.
//!
//! | file | does |
//! |---|---|
//! | [`drop_unread_addresses`] | loads of a0.x that nobody reads |
//! | [`narrow_textures`] | components of texels that nobody reads |
//! | [`place_inputs`] | inputs to the registers and scalars where the machine has them |
//! | [`halve`] | what may be of low precision to half registers |
//! | [`sink_conditions`] | comparisons down to the selections that read them |
//! | [`hoist_tests`] | predicates up, ahead of their branches |
//! | [`hoist`] | what stands behind a branch into the slots before it |

mod drop_unread_addresses;
mod halve;
mod hoist;
mod hoist_tests;
mod narrow_textures;
mod place_inputs;
mod sink_conditions;

use chiaro_mach::{Code, Inst, dead_code};

use super::code::operation;
use super::select::Selected;
use crate::abi::Input;
use crate::isa::Op;

/// A step from code to code.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The name of its file.
    pub name: &'static str,
    /// Does it.
    pub run: fn(&mut Code),
}

/// What makes code smaller, before inputs are placed.
pub static NARROW: &[Step] = &[
    Step { name: "dead_code", run: dead_code },
    Step { name: "drop_unread_addresses", run: drop_unread_addresses::drop_unread_addresses },
    Step { name: "narrow_textures", run: narrow_textures::narrow_textures },
];

/// What half registers are given by, where the user wants it.
pub static HALVE: &[Step] = &[Step { name: "halve", run: halve::halve }];

/// What moves instructions.
pub static MOVE: &[Step] = &[
    Step { name: "sink_conditions", run: sink_conditions::sink_conditions },
    Step { name: "hoist_tests", run: hoist_tests::hoist_tests },
    Step { name: "hoist", run: hoist::hoist },
];

/// Removes what is dead, narrows texture results to what is read, places inputs, uses half
/// registers if asked to, moves instructions.
pub fn combine(selected: &mut Selected, half: bool) -> Vec<Input> {
    NARROW.iter().for_each(|step| (step.run)(&mut selected.code));
    let inputs = place_inputs::place_inputs(selected);
    HALVE.iter().filter(|_| half).for_each(|step| (step.run)(&mut selected.code));
    MOVE.iter().for_each(|step| (step.run)(&mut selected.code));
    inputs
}

/// Whether an instruction fetches a varying.
#[must_use]
pub fn is_fetch(code: &Code, inst: Inst) -> bool {
    operation(code, inst) == Some(Op::BaryF)
}
