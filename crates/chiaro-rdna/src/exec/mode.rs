//! The mode register: how floats round, what becomes of subnormal numbers, what clamping
//! does with NaN (spec sections 2 and 6.1). Doubles round to nearest and keep subnormal
//! numbers whatever MODE says: no program of the corpora asks for anything else.

use chiaro_num::{F16, Rounding, Tiny};
use chiaro_sim::{Denormals, FloatEnv, Storage};

/// The bits of MODE.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Mode(pub(crate) u32);

impl Mode {
    /// Arithmetic on words.
    pub(crate) fn f32(self) -> FloatEnv {
        environment(self.0, self.0 >> 4)
    }

    /// Arithmetic on half floats, in their own bits.
    pub(crate) fn f16(self) -> FloatEnv {
        let env = environment(self.0 >> 2, self.0 >> 6);
        FloatEnv { format: F16, storage: Storage::Raw, ..env }
    }

    /// Whether subnormal words count as zero where they are read.
    pub(crate) fn flushes_f32(self) -> bool {
        self.0 >> 4 & 1 == 0
    }

    /// The same of half floats.
    pub(crate) fn flushes_f16(self) -> bool {
        self.0 >> 6 & 1 == 0
    }

    /// Whether results of words can be scaled: only where subnormal ones are not kept.
    pub(crate) fn scales_f32(self) -> bool {
        self.0 >> 5 & 1 == 0
    }

    /// The same of half floats and doubles.
    pub(crate) fn scales_f16(self) -> bool {
        self.0 >> 7 & 1 == 0
    }

    /// Whether clamping turns NaN into zero.
    pub(crate) fn clamps_nan(self) -> bool {
        self.0 >> 8 & 1 == 1
    }
}

fn environment(round: u32, denormals: u32) -> FloatEnv {
    let mut env = FloatEnv::IEEE;
    env.encoding.rounding = match round & 3 {
        0 => Rounding::NearestEven,
        1 => Rounding::Up,
        2 => Rounding::Down,
        _ => Rounding::TowardZero,
    };
    if denormals & 1 == 0 {
        env.denormals = Denormals::Flush;
    }
    if denormals & 2 == 0 {
        env.encoding.tiny = Tiny::FlushSubnormal;
    }
    env
}
