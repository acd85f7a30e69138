//! Inputs of fragments once more, at other places of their pixels (spec 9.5).
//!
//! At a sample or the centroid the machine looks itself. At an offset it is the value in the middle and a step along
//! each axis, and with perspective the quotient of two such sums.
//!
//! ```text
//! iter r4_r5, cf1, center                   v, divided by W, in the middle
//! ldcf r6_r7_r8_r9_r10_r11, cf1             how each component changes along x and y, and its constant
//! fmadd32 r4, r6, 0.25, r4
//! fmadd32 r4, r7, 0.25.neg, r4
//! ...                                       the same of 1 / W, cf0
//! rcp r2, r2
//! fmul32 r4, r4, r2
//! ```

use chiaro_ir as ir;
use chiaro_ir::{GlobalRef, Root, Taken, Ty};
use chiaro_mach::{Block, Operand};

use super::Select;
use super::fragment::{CENTER, CENTROID, INVERSE_W, SAMPLE, coefficients};
use super::part::{Part, alignment};
use super::place::cells;
use crate::compile::code::{GPR, Modifiers};
use crate::compile::compiled::Place;
use crate::isa::Op;
use crate::isa::float::Float;
use crate::isa::graphics::Graphics;

/// The largest number of a sample that an instruction holds.
const MOST_IMMEDIATE: u64 = 0xff;
/// Coefficients of a plane.
const PLANE: u16 = 3;

/// Components that are taken: the first coefficient register and how many, and whether with perspective.
type Varying = ((u16, u16), bool);

impl Select<'_> {
    /// The scalars of an input, or of a part of it, at another place.
    pub(super) fn interpolate(&mut self, at: Block, inst: ir::Inst, taken: Taken) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let path = self.path(args[0])?;
        let Root::Global(g) = path.root else { return None };
        let ty = self.module.types.pointee(self.f.ty(args[0]))?.1;
        let by: Vec<Part> = args.get(1).map(|&value| self.value(value)).unwrap_or_default();
        let of_part = |s: &mut Self, offset: u32| match s.coefficients_of(g, ty, offset) {
            Some(varying) => {
                let parts = s.taken_at(at, taken, varying, &by)?;
                let sizes = s.sizes(ty);
                Some(parts.into_iter().zip(sizes).map(|(part, size)| s.sized(at, part, size)).collect())
            }
            // What is flat is so everywhere.
            None => s.load_input(at, g, &[], (ty, offset)),
        };
        self.indexed_input(at, &path.steps, 0, &of_part)
    }

    /// The coefficients of a part of an input; nothing if it is flat.
    fn coefficients_of(&self, g: GlobalRef, ty: Ty, offset: u32) -> Option<Varying> {
        let cells = cells(self.module, ty);
        let (first, _) = *cells.first()?;
        let is_it =
            |byte: u32| move |placed: &&crate::compile::Placed| (placed.variable, placed.byte) == (g, byte);
        let placed = self.interface.inputs.iter().find(is_it(offset + first))?;
        let Place::Coefficient(base, perspective) = placed.place else { return None };
        let holds = |b: &&crate::abi::link::Binding| (b.base..b.base + u16::from(b.count)).contains(&base);
        let binding = self.coefficients.bindings.iter().find(holds)?;
        binding.smooth.then_some(((base, cells.len() as u16), perspective))
    }

    fn taken_at(&mut self, at: Block, taken: Taken, varying: Varying, by: &[Part]) -> Option<Vec<Part>> {
        let (run, perspective) = varying;
        Some(match taken {
            Taken::Centroid => self.iterate(at, run, perspective, (CENTROID, None)),
            Taken::Sample => {
                let number = *by.first()?;
                let sample = match number.bits().filter(|n| *n <= MOST_IMMEDIATE) {
                    Some(n) => Operand { size: 1, ..Operand::imm(n) },
                    None => {
                        let low = number.halves(0, 1).unwrap_or(number);
                        self.register(at, low)
                    }
                };
                self.iterate(at, run, perspective, (SAMPLE, Some(sample)))
            }
            Taken::Offset => self.at_offset(at, varying, [*by.first()?, *by.get(1)?]),
        })
    }

    fn at_offset(&mut self, at: Block, (run, perspective): Varying, by: [Part; 2]) -> Vec<Part> {
        let mut values = self.moved(at, run, by);
        if perspective {
            let inverse_w = self.position(INVERSE_W);
            let inverse = self.moved(at, (inverse_w, 1), by)[0];
            let w = self.special(at, Float::Rcp, 2, inverse);
            values = values.into_iter().map(|value| self.product(at, 2, value, w)).collect();
        }
        values
    }

    /// Planes that far from the middle of the pixel.
    fn moved(&mut self, at: Block, run: (u16, u16), [x, y]: [Part; 2]) -> Vec<Part> {
        let middle = self.iterate(at, run, false, (CENTER, None));
        let slopes = self.slopes(at, run);
        let each = middle.into_iter().zip(slopes);
        each.map(|(value, [along_x, along_y])| {
            let value = self.multiply_add(at, 2, [along_x, x, value]);
            self.multiply_add(at, 2, [along_y, y, value])
        })
        .collect()
    }

    /// How varyings change along x and y.
    fn slopes(&mut self, at: Block, (base, count): (u16, u16)) -> Vec<[Part; 2]> {
        let value = self.code.value(GPR, 2 * PLANE * count, alignment(2));
        let def = self.code.operand(value);
        let modifiers = Modifiers { mask: (count & 3) as u8, ..Modifiers::default() };
        self.push(at, Op::Graphics(Graphics::Ldcf), &[def], &[coefficients(base)], modifiers);
        let all = self.split(at, def, 2);
        all.chunks(usize::from(PLANE)).map(|plane| [plane[0], plane[1]]).collect()
    }

    /// What is taken has 32 bits.
    fn sized(&mut self, at: Block, part: Part, size: u16) -> Part {
        if size == 1 { self.float_copy(at, part, 1) } else { part }
    }
}
