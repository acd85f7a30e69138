//! What a user of the compiler chooses.

use crate::regs;

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// How hard the scheduler tries: 0 to 3.
    pub effort: u32,
    /// 1 / w is kept between minus this and this.
    pub reciprocal_limit: f32,
    /// Point sizes are kept between these.
    pub point_size: (f32, f32),
}

impl Default for Options {
    fn default() -> Options {
        Options { effort: 1, reciprocal_limit: regs::RECIPROCAL_LIMIT, point_size: regs::POINT_SIZE }
    }
}
