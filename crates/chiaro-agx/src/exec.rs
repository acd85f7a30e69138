//! What each operation computes, as micro-ops.
//!
//! A family is a file: one match that writes the micro-ops of its operations. What needs memory, the
//! program counter, or other lanes in ways that no micro-op has, is done by the machine; the match says
//! so ([`Doer`]). spec sections 4 to 7.

mod choices;
mod control;
mod convert;
mod float;
mod integer;
mod operands;
mod uops;

use crate::isa::Op;
use crate::isa::graphics::Graphics;
use crate::isa::memory::Memory;
use crate::isa::texture::Texture;

pub use choices::Choices;
pub(crate) use operands::Operands;
pub(crate) use uops::{SINGLE, Uops};

/// Which part of the machine does an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Doer {
    /// The lanes: micro-ops have been written.
    Lanes,
    /// The mask stack: micro-ops have been written that make r0l, and the mask follows it.
    Mask,
    /// The sequencer: branches, calls, ends, barriers, waits.
    Flow,
    /// Special registers.
    Special,
    /// Shuffles, reductions, scans.
    Cross,
    /// Loads, stores, atomics, the stack, uniforms.
    Memory,
    /// Varyings, coverage, the tilebuffer.
    Graphic,
    /// Textures and images, and their states.
    Texture,
    /// Nothing to do in a machine whose memory is in order.
    Nothing,
    /// What this simulator does not have.
    Missing,
    /// What no public source says.
    Unknown,
}

/// Writes the micro-ops of an instruction; says who does it otherwise.
pub(crate) fn exec(op: Op, i: &Operands<'_>, u: &mut Uops) -> Doer {
    match op {
        Op::Integer(op) => integer::integer(op, i, u),
        Op::Float(op) => float::float(op, i, u),
        Op::Control(op) => control::control(op, i, u),
        Op::Simd(op) => control::simd(op, i, u),
        Op::Memory(op) => memory(op),
        Op::Texture(Texture::ImageWriteBlock) => Doer::Missing,
        Op::Texture(_) => Doer::Texture,
        Op::Graphics(op) => graphics(op, u.choices),
    }
}

/// Pixels are shaded one after another: there is nothing to wait for.
fn graphics(op: Graphics, choices: Choices) -> Doer {
    use Graphics as G;
    match op {
        G::WaitPix | G::SignalPix | G::NoVar => Doer::Nothing,
        G::AfterSampling1 | G::AfterSampling2 if choices.idle_markers => Doer::Nothing,
        G::AfterSampling1 | G::AfterSampling2 => Doer::Unknown,
        _ => Doer::Graphic,
    }
}

fn memory(op: Memory) -> Doer {
    use Memory as M;
    match op {
        M::Wait | M::ThreadgroupBarrier => Doer::Flow,
        M::MemoryBarrier => Doer::Nothing,
        M::DeviceLoad
        | M::DeviceStore
        | M::DeviceLoadTodo
        | M::DeviceStoreTodo
        | M::Atomic
        | M::UniformStore
        | M::StackLoad
        | M::StackStore
        | M::StackAdjust
        | M::StackAdjust2
        | M::ThreadgroupLoad
        | M::ThreadgroupStore
        | M::ThreadgroupAtomic => Doer::Memory,
        M::TexStateStore | M::SamplerStateStore => Doer::Texture,
        M::StackGetPtr | M::Map | M::Unmap => Doer::Missing,
        M::MapOther | M::Unk75Alt | M::AsyncLoad | M::AsyncStore => Doer::Unknown,
    }
}
