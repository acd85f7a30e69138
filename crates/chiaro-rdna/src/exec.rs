//! What each operation computes, as micro-ops.
//!
//! A family is a file: one match that writes the micro-ops of its operations, scalars on wave
//! slots, vectors on lanes. What needs other lanes by number, memory or the program counter is
//! done by the machine; the match says so ([`Doer`]). spec sections 5 to 7.

mod choices;
mod compare;
mod division;
mod mode;
mod operands;
mod packed;
mod pieces;
mod result;
mod scalar;
mod uops;
mod vector;
mod vector3;

use crate::isa::Op;

pub(crate) use choices::WHOLE;
pub use choices::{Choices, Dots, Nans};
pub(crate) use mode::Mode;
pub(crate) use operands::{At, Operands, Src};
pub(crate) use uops::{PRIVATE_BASE, SCC, SHARED_BASE, Uops, constant_bits};

/// Which part of the machine does an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doer {
    /// The scalar ALU: micro-ops have been written.
    Scalar,
    /// The vector ALU: micro-ops have been written.
    Vector,
    /// The sequencer: branches, waits, barriers, hardware registers.
    Flow,
    /// Reads or writes a lane by its number, or registers by m0.
    Cross,
    /// Loads, stores, atomics, images.
    Memory,
    /// Nothing to do in a machine without that part: hints, caches, counters of performance.
    Nothing,
    /// Graphics, or what no public source says.
    Unknown,
}

/// Writes the micro-ops of an instruction whose operands `u` has; says who does it otherwise.
pub(crate) fn exec(op: Op, name: &str, u: &mut Uops) -> Doer {
    match op {
        Op::Sop2(op) => scalar::sop2(op, u),
        Op::Sopk(op) => scalar::sopk(op, u),
        Op::Sop1(op) => scalar::sop1(op, u),
        Op::Sopc(op) => scalar::sopc(op, u),
        Op::Sopp(op) => scalar::sopp(op),
        Op::Vop1(op) => vector::vop1(op, u),
        Op::Vop2(op) => vector::vop2(op, u),
        Op::Vop3(op) => vector3::vop3(op, u),
        Op::Vop3p(op) => packed::vop3p(op, u),
        Op::Vopc(_) => compare::vopc(name, u),
        Op::Smem(_)
        | Op::Ds(_)
        | Op::Mubuf(_)
        | Op::Mtbuf(_)
        | Op::Mimg(_)
        | Op::Flat(_)
        | Op::Global(_)
        | Op::Scratch(_) => Doer::Memory,
        Op::Vintrp(_) | Op::Exp(_) => Doer::Unknown,
    }
}
