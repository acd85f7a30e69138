//! Components of buffers and texels in registers: one in each, or two of 16 bits (spec section 8.3).

use chiaro_num::{Encoding, F16};
use chiaro_sim::Lanes;

use super::wave::Wave;

/// How the components of an access stand in its registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Components {
    /// Two in a register, of 16 bits: half floats and the lower halves of integers.
    pub(super) short: bool,
    /// Integers, of which nothing is converted.
    pub(super) integer: bool,
}

impl Components {
    /// Registers that so many components take.
    pub(super) fn registers(self, count: usize) -> usize {
        if self.short { count.div_ceil(2) } else { count }
    }

    /// A lane's component `n` of those in the registers from `first` on: binary32, or an integer.
    pub(super) fn read(self, wave: &Wave, first: u16, n: u16, lane: usize) -> u32 {
        if !self.short {
            return wave.vector(first + n, lane);
        }
        let half = wave.vector(first + n / 2, lane) >> (16 * (n % 2)) & 0xffff;
        if self.integer { half } else { F16.decode_f32(half).to_bits() }
    }

    /// Puts a lane's component `n` into results that are zero.
    pub(super) fn write(self, results: &mut [[Lanes; 2]], lane: usize, n: usize, component: u32) {
        let (register, bits) = match (self.short, self.integer) {
            (false, _) => (n, component),
            (true, true) => (n / 2, (component & 0xffff) << (16 * (n % 2))),
            (true, false) => {
                let half = F16.encode(f32::from_bits(component).into(), Encoding::default());
                (n / 2, half << (16 * (n % 2)))
            }
        };
        results[register][lane / 32].0[lane % 32] |= bits;
    }
}
