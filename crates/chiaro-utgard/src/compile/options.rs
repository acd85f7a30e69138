//! What a user of the compiler chooses.

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// How hard the scheduler tries: 0 to 3.
    pub effort: u32,
    /// 1 / w is kept between minus this and this. \[Mesa]
    pub reciprocal_limit: f32,
    /// Point sizes are kept between these. \[Mesa]
    pub point_size: (f32, f32),
}

impl Default for Options {
    fn default() -> Options {
        Options { effort: 1, reciprocal_limit: 32768.0, point_size: (1.0, 100.0) }
    }
}
