//! Inputs of fragments: varyings by coefficients, place, coverage (spec 9.5, 9.6, 14.3, 16.3).

use chiaro_diag::Tally;
use chiaro_ir::Interpolation;
use chiaro_mach::{Block, Operand, Outcome, What};

use super::Select;
use super::builtin;
use super::interface::special;
use super::part::alignment;
use super::part::{From, Part};
use super::row::Row;
use crate::abi::counts::MOST_COEFFICIENTS;
pub(crate) use crate::abi::link::POINT;
use crate::abi::link::{Binding, GENERIC};
use crate::compile::code::{COEFFICIENT, GPR, Modifiers, table};
use crate::compile::compiled::Place;
use crate::container::file::SAMPLE_POSITIONS;
use crate::isa::Op;
use crate::isa::graphics::Graphics;
use crate::isa::integer::Integer;

/// The slot of the place on the screen.
pub(crate) const POSITION: u8 = 0;
/// Where varyings are taken (spec 9.5).
pub(super) const CENTER: u8 = 0;
pub(super) const SAMPLE: u8 = 1;
pub(super) const CENTROID: u8 = 2;
/// Components of the position: depth and 1/W.
const DEPTH: u8 = 2;
pub(super) const INVERSE_W: u8 = 3;
/// The half that holds the mask of samples that are shaded (spec 14.3).
const SAMPLES: u16 = 2;
/// All samples.
pub(super) const ALL: u64 = 0xff;
/// Sample positions are in sixteenths.
const SIXTEENTH: f32 = 1.0 / 16.0;

impl Select<'_> {
    /// Whether the program runs once for each sample: an input is one of a sample (spec 14.3).
    pub(super) fn note_samples(&mut self, rows: &[Row]) {
        let of_samples = [Some(builtin::SAMPLE_ID), Some(builtin::SAMPLE_POSITION)];
        self.shades_samples |=
            rows.iter().any(|row| row.binding.sample || of_samples.contains(&row.binding.builtin));
    }

    /// Of a mask of samples those that are shaded: the one of the round, where each is by itself.
    pub(super) fn of_shaded(&mut self, at: Block, mask: Part) -> Part {
        if !self.shades_samples {
            return mask;
        }
        let uses = [Operand::reg(GPR, SAMPLES, 1), self.integer(at, mask, false)];
        let modifiers = Modifiers { table: table::AND, ..Modifiers::default() };
        self.make(at, Op::Integer(Integer::Bitop), 1, &uses, modifiers)
    }

    /// The mask of all samples that are shaded.
    pub(super) fn shaded(&self) -> Operand {
        match self.shades_samples {
            true => Operand::reg(GPR, SAMPLES, 1),
            false => Operand { size: 1, ..Operand::imm(ALL) },
        }
    }

    /// 1/W comes first where something is interpolated with perspective.
    ///
    /// # Errors
    /// More varyings than there are coefficient registers.
    pub(super) fn place_coefficients(&mut self, rows: &[Row]) -> Outcome {
        let is_perspective = |row: &Row| {
            let user = row.binding.builtin.is_none();
            user && row.is_float && row.binding.interpolation == Interpolation::Perspective
        };
        if rows.iter().any(is_perspective) {
            self.position(INVERSE_W);
        }
        // Depth, 1/W and the place in a point are two at most.
        let of_positions = rows.iter().filter(|row| row.binding.builtin.is_some()).count() as u32 + 1;
        let room = u32::from(MOST_COEFFICIENTS) - 2 * of_positions;
        let mut tally = Tally::new("varyings", "coefficient registers", room);
        for row in rows.iter().filter(|row| row.binding.builtin.is_none()) {
            tally.add(&row.name, self.module.global(row.global).span, row.components.into());
        }
        match tally.overflow() {
            Some(error) => Err(vec![error.help("pack varyings together, or compute some again")]),
            None => Ok(()),
        }
    }

    pub(super) fn position(&mut self, offset: u8) -> u16 {
        let binding = Binding { slot: POSITION, offset, count: 1, base: 0, smooth: true, perspective: false };
        self.coefficients.hold(binding)
    }

    /// A varying, interpolated at the start of the program.
    pub(super) fn varying(&mut self, entry: Block, row: &Row) {
        let is_flat = row.binding.interpolation == Interpolation::Flat || !row.is_float;
        let perspective = !is_flat && row.binding.interpolation == Interpolation::Perspective;
        let base = self.coefficients.hold(Binding {
            slot: GENERIC + row.location() as u8,
            offset: row.binding.component as u8,
            count: row.components as u8,
            base: 0,
            smooth: !is_flat,
            perspective,
        });
        let parts = match is_flat {
            true => (0..row.components).map(|n| self.flat(entry, base + n)).collect(),
            false => {
                let place = match (row.binding.sample, row.binding.centroid) {
                    (true, _) => SAMPLE,
                    (_, true) => CENTROID,
                    _ => CENTER,
                };
                let sample = (place == SAMPLE).then(|| {
                    let number = self.sample_number(entry);
                    self.register(entry, number)
                });
                self.iterate(entry, (base, row.components), perspective, (place, sample))
            }
        };
        for (n, part) in (0..).zip(parts) {
            self.enter(row, n, Place::Coefficient(base + n, perspective));
            let part = if row.bytes < 4 && row.is_float {
                self.float_copy(entry, part, 1)
            } else if row.bytes < 4 {
                part.halves(0, 1).unwrap_or(part)
            } else {
                part
            };
            self.inputs.insert(row.place(n), part);
        }
    }

    /// The constant of the plane: what one vertex gives (spec 9.5).
    fn flat(&mut self, at: Block, coefficient: u16) -> Part {
        let value = self.code.value(GPR, 6, 2);
        let def = self.code.operand(value);
        let used = [coefficients(coefficient)];
        self.push(
            at,
            Op::Graphics(Graphics::Ldcf),
            &[def],
            &used,
            Modifiers { mask: 1, ..Modifiers::default() },
        );
        Part::new(From::Value(value, 4), 2)
    }

    /// Interpolated components.
    pub(super) fn iterate(
        &mut self,
        at: Block,
        (base, count): (u16, u16),
        perspective: bool,
        (place, sample): (u8, Option<Operand>),
    ) -> Vec<Part> {
        let value = self.code.value(GPR, 2 * count, alignment(2));
        let def = self.code.operand(value);
        let mut uses = vec![coefficients(base)];
        if perspective {
            let inverse = self.position(INVERSE_W);
            uses.push(coefficients(inverse));
        }
        uses.extend(sample);
        let op = if perspective { Graphics::Iterproj } else { Graphics::Iter };
        let modifiers = Modifiers { mask: (count & 3) as u8, mode: place, ..Modifiers::default() };
        self.push(at, Op::Graphics(op), &[def], &uses, modifiers);
        self.split(at, def, 2)
    }

    /// The number of the sample that is shaded, in 16 bits: of the only bit of its mask.
    fn sample_number(&mut self, at: Block) -> Part {
        let used = Operand::reg(GPR, SAMPLES, 1);
        self.make(at, Op::Integer(Integer::Ffs), 1, &[used], Modifiers::default())
    }

    pub(super) fn of_fragment(&mut self, entry: Block, number: u32) -> Option<Vec<Part>> {
        use builtin as b;
        Some(match number {
            b::FRAG_COORD => {
                let mut parts: Vec<Part> = (0..2).map(|axis| self.pixel(entry, axis)).collect();
                for offset in [DEPTH, INVERSE_W] {
                    let base = self.position(offset);
                    parts.extend(self.iterate(entry, (base, 1), false, (CENTER, None)));
                }
                parts
            }
            b::POINT_COORD => {
                let slot =
                    Binding { slot: POINT, offset: 0, count: 2, base: 0, smooth: true, perspective: false };
                let base = self.coefficients.hold(slot);
                self.iterate(entry, (base, 2), false, (CENTER, None))
            }
            b::FRONT_FACING => {
                let back = self.special_register(entry, special::BACK, 1);
                let front = self.is_number(entry, back, 0);
                vec![self.truth(entry, &front)]
            }
            b::HELPER => vec![self.is_helper(entry)],
            b::SAMPLE_ID => {
                let number = self.sample_number(entry);
                vec![number.wider(super::part::Widened::Zero)?]
            }
            b::SAMPLE_POSITION => self.sample_position(entry),
            b::SAMPLE_MASK if self.shades_samples => {
                let covered = self.special_register(entry, special::SAMPLES, 1);
                vec![self.of_shaded(entry, covered).wider(super::part::Widened::Zero)?]
            }
            b::SAMPLE_MASK => vec![self.special_register(entry, special::SAMPLES, 2)],
            b::LAYER => vec![self.special_register(entry, 2, 2)],
            _ => return None,
        })
    }

    /// Whether this lane is a helper.
    pub(super) fn is_helper(&mut self, at: Block) -> Part {
        let active = self.special_register(at, special::ACTIVE, 1);
        let helper = self.is_number(at, active, 0);
        self.truth(at, &helper)
    }

    /// The middle of the pixel along an axis.
    fn pixel(&mut self, at: Block, axis: u8) -> Part {
        let number = self.special_register(at, special::GLOBAL_ID + axis, 1);
        let float = self.float_of_half(at, number);
        self.sum(at, 2, float, Part::float(0.5))
    }

    /// The place of the sample in its pixel: nibbles of a byte each, in sixteenths.
    fn sample_position(&mut self, at: Block) -> Vec<Part> {
        let number = self.sample_number(at);
        let all = self.parameter(SAMPLE_POSITIONS, 0, 2);
        let first = self.integer_two(at, Integer::Iadd, 2, Part::number(0), number, 3);
        let byte = self.shift_right(at, 2, all, first, false);
        let nibble = |s: &mut Self, from: u32| {
            let moved = s.shift_right(at, 2, byte, Part::number(from), false);
            let bits = s.bits(at, 1, table::AND, moved, Part::number(15));
            let float = s.float_of_half(at, bits);
            s.product(at, 2, float, Part::float(SIXTEENTH))
        };
        vec![nibble(self, 0), nibble(self, 4)]
    }
}

/// A coefficient register as an operand.
pub(super) fn coefficients(number: u16) -> Operand {
    Operand { what: What::Slot(number.into()), file: COEFFICIENT, ..Operand::default() }
}
