//! Images of random modules: one that is read, two in which an invocation leaves colours and numbers, one that counts in
//! ways that no order of invocations changes.

use super::add_global;
use crate::build::Builder;
use crate::id::{GlobalRef, Value};
use crate::module::Module;
use crate::op::{Combine, Op, Scope, Semantics};
use crate::ty::{Dim, ImageType, Space, Ty, Type};

/// SPIR-V's numbers of formats: four halves, four words, one word.
const RGBA16F: u8 = 2;
const RGBA32I: u8 = 21;
const R32I: u8 = 24;
/// Columns and rows of texels that are used, powers of two: every image has them.
const COLUMNS: i32 = 8;
const ROWS: i32 = 4;
/// How numbers come together in the rows of the image that counts.
const BY_ROW: [Combine; ROWS as usize] = [Combine::IAdd, Combine::SMax, Combine::UMin, Combine::Xor];

/// Variables, from a binding on.
pub(super) struct Images {
    given: GlobalRef,
    numbers: GlobalRef,
    colours: GlobalRef,
    counts: GlobalRef,
}

impl Images {
    pub(super) fn add(module: &mut Module, first: u32) -> Images {
        let [f32, i32] = [Type::Float(32), Type::Int(32)].map(|ty| module.types.intern(ty));
        let mut next = first..;
        let mut image = |name: &str, component: Ty, format: u8| {
            let plain = ImageType::sampled(component, Dim::D2);
            let image = ImageType { storage: true, signed: component == i32, format, ..plain };
            let ty = module.types.intern(Type::Image(image));
            add_global(module, name, Space::UniformConstant, ty, next.next())
        };
        Images {
            given: image("given", i32, RGBA32I),
            numbers: image("numbers", i32, RGBA32I),
            colours: image("colours", f32, RGBA16F),
            counts: image("tallies", i32, R32I),
        }
    }

    /// A texel of an image, by two numbers of which the low bits count.
    fn place(b: &mut Builder<'_>, at: [Value; 2]) -> Value {
        let [x, y] = [(at[0], COLUMNS), (at[1], ROWS)].map(|(n, count)| {
            let last = b.i32(count - 1);
            b.and(n, last)
        });
        b.vector(&[x, y])
    }

    /// The four numbers that an image holds from the start.
    pub(super) fn read(&self, b: &mut Builder<'_>, at: [Value; 2]) -> Value {
        let (at, image) = (Self::place(b, at), b.global(self.given));
        let image = b.load(image);
        b.op(Op::ImageRead, &[image, at])
    }

    /// Leaves four numbers, or a colour.
    pub(super) fn write(&self, b: &mut Builder<'_>, at: [Value; 2], texel: Value) {
        let (at, ty) = (Self::place(b, at), b.ty(texel));
        let g = if b.types().is_float(ty) { self.colours } else { self.numbers };
        let image = b.global(g);
        let image = b.load(image);
        b.op_void(Op::ImageWrite, &[image, at, texel]);
    }

    /// Counts in a row, as that row counts.
    pub(super) fn count(&self, b: &mut Builder<'_>, column: Value, row: usize, number: Value) {
        let (combine, row) = (BY_ROW[row % BY_ROW.len()], b.i32(row as i32));
        let (at, image, zero) = (Self::place(b, [column, row]), b.global(self.counts), b.i32(0));
        let texel = b.op(Op::TexelPointer, &[image, at, zero]);
        b.atomic(combine, Scope::Device, Semantics(0), texel, number);
    }
}
