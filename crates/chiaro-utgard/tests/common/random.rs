//! Numbers by chance, the same for a seed everywhere: what a test prints as a seed must find it again.

pub(crate) struct Rng(u64);

impl Rng {
    /// Neighbouring seeds begin far from each other, none at 0.
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
}
