//! Products of matrices of 8 by 8, two elements of which a lane has (spec 7.4).
//!
//! Which two, no source of the specification records (spec 21).

use chiaro_isa::Reg;
use chiaro_num::F16;
use chiaro_sim::arith::Any;
use chiaro_sim::{FloatEnv, Lanes, Op as Micro, scalar};

use super::config::Matrix;
use super::fault::FaultKind;
use super::pending::nth;
use super::program::Step;
use super::simdgroup::SimdGroup;
use crate::exec::SINGLE;
use crate::operand::minifloat;
use crate::regs::{file, mods, size};

/// Rows and columns.
const SIDE: usize = 8;

/// Row and column of the first element of a lane; the other one stands beside it.
fn place(lane: usize, matrix: Matrix) -> (usize, usize) {
    match matrix {
        // In blocks of 4 by 4, as the public tile code of MLX numbers what Metal's matrices hold.
        Matrix::Blocks => {
            let quad = lane / 4;
            ((quad & 4) + lane / 2 % 4, 2 * (quad & 2) + lane % 2 * 2)
        }
        _ => (lane / 4, 2 * (lane % 4)),
    }
}

impl SimdGroup {
    /// A B + C, its products added in the order of their columns. All lanes give their elements.
    pub(super) fn multiply(&mut self, step: &Step, half: bool) {
        let matrix = self.config.matrix;
        let (true, Some(d), Some(a), Some(b), Some(c)) =
            (matrix != Matrix::Fault, step.d, step.a, step.b, step.c)
        else {
            let text = self.program.text(step);
            return self.stop(FaultKind::Unknown(text));
        };
        let env = if half { FloatEnv::HALF } else { SINGLE };
        let [a, b, mut sum] = [a, b, c].map(|r| self.matrix_of(r, half, matrix));
        for (row, line) in sum.iter_mut().enumerate() {
            for (column, sum) in line.iter_mut().enumerate() {
                for n in 0..SIDE {
                    let terms = [a[row][n], b[n][column], *sum];
                    *sum = scalar::value::<Any>(Micro::Ffma, &env, terms).unwrap_or(0);
                }
            }
        }
        for beside in 0..2 {
            let element = |lane: usize| {
                let (row, column) = place(lane, matrix);
                let bits = sum[row][column + beside];
                match (half, d.size) {
                    (false, size::HALF) => {
                        scalar::value::<Any>(Micro::Fpack, &FloatEnv::HALF, [bits, 0, 0]).unwrap_or(0)
                    }
                    _ => bits,
                }
            };
            self.merge(nth(d, beside), &Lanes(std::array::from_fn(element)), self.active());
        }
    }

    /// The elements of a pair of registers, by row and column.
    fn matrix_of(&self, r: Reg, half: bool, matrix: Matrix) -> [[u32; SIDE]; SIDE] {
        let mut elements = [[0; SIDE]; SIDE];
        for beside in 0..2 {
            let one = if r.file == file::IMMEDIATE { Reg { more: 0, ..r } } else { nth(r, beside) };
            for (lane, bits) in self.lanes_of(one).0.into_iter().enumerate() {
                let (row, column) = place(lane, matrix);
                elements[row][column + beside] = element(bits, one, half);
            }
        }
        elements
    }
}

/// The bits of a source in the format of the product.
fn element(bits: u32, r: Reg, half: bool) -> u32 {
    let value = || f64::from(minifloat::value(r.index as u8));
    let bits = match (r.file, half, r.size) {
        (file::IMMEDIATE, true, _) => F16.encode(value(), FloatEnv::HALF.encoding),
        (file::IMMEDIATE, false, _) => (value() as f32).to_bits(),
        (_, false, size::HALF) => (F16.decode(bits) as f32).to_bits(),
        _ => bits,
    };
    let sign = if half { 1 << 15 } else { 1 << 31 };
    let bits = if r.mods & mods::ABS != 0 { bits & !sign } else { bits };
    if r.mods & mods::NEG != 0 { bits ^ sign } else { bits }
}
