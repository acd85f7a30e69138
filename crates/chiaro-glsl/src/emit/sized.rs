//! Functions whose instructions take 32 bits only, for numbers of other sizes: small ones are
//! widened and narrowed again, large ones taken apart.

use chiaro_words::write::Id;
use spirv::{GlslStd450Op as G, Op};

use crate::intrinsic::Intrinsic;
use crate::intrinsic::Math;
use crate::ty::{Family, Scalar};

use super::arith::{Marks, Typed};
use super::emitter::Emitter;
use crate::numeric::Num;

/// Whether a function of such a number needs another way than its instruction.
pub(super) fn needs_detour(which: Intrinsic, scalar: Scalar) -> bool {
    use Intrinsic as I;
    match which {
        I::BitfieldExtract
        | I::Math(
            Math::BitCount | Math::FindLsb | Math::FindMsb | Math::BitfieldReverse | Math::BitfieldInsert,
        ) => scalar.bits() != 32,
        I::Math(function) if function.is_derivative() => scalar != Scalar::Float,
        _ => false,
    }
}

impl Emitter<'_> {
    /// The function by way of 32 bits.
    pub(super) fn detour(
        &mut self,
        which: Intrinsic,
        args: &[Typed],
        from: Num,
        to: Num,
        marks: Marks,
    ) -> Id {
        match (from.scalar.family(), from.scalar.bits()) {
            (Family::Float, _) => self.through(which, args, Scalar::Float, to, marks),
            (_, 64) => self.by_halves(which, args, from, to),
            (Family::Signed, _)
                if !matches!(which, Intrinsic::Math(Math::BitCount | Math::BitfieldReverse)) =>
            {
                self.through(which, args, Scalar::Int, to, marks)
            }
            (Family::Signed, bits) => {
                // The sign is not to be counted.
                let plain = if bits == 8 { Scalar::Uint8 } else { Scalar::Uint16 };
                let ty = from.with(plain).ty();
                let args: Vec<Typed> = args.iter().map(|&a| Typed { id: self.convert(a, &ty), ty }).collect();
                self.through(which, &args, Scalar::Uint, to, marks)
            }
            _ => self.through(which, args, Scalar::Uint, to, marks),
        }
    }

    fn through(&mut self, which: Intrinsic, args: &[Typed], wide: Scalar, to: Num, marks: Marks) -> Id {
        let small = args.first().and_then(|a| Num::of(&a.ty)).map(|num| num.scalar);
        let wider: Vec<Typed> = args
            .iter()
            .map(|&a| match Num::of(&a.ty) {
                Some(num) if Some(num.scalar) == small => {
                    let ty = num.with(wide).ty();
                    Typed { id: self.convert(a, &ty), ty }
                }
                _ => a,
            })
            .collect();
        // Positions and counts are signed, whatever is looked at.
        let counts = matches!(which, Intrinsic::Math(Math::BitCount | Math::FindLsb | Math::FindMsb));
        let ty = to.with(if counts { Scalar::Int } else { wide }).ty();
        let mut id = self.pure(which, &wider, &ty, marks);
        if which == Intrinsic::Math(Math::BitfieldReverse) {
            let unused = 32 - small.map_or(32, Scalar::bits);
            let by = self.number(to.with(Scalar::Uint), unused as i32);
            let ty = self.num_ty(to.with(wide));
            id = self.op(Op::ShiftRightLogical, ty, &[id, by]);
        }
        self.convert(Typed { id, ty }, &to.ty())
    }

    /// Bits of 64: of the lower and the upper half.
    fn by_halves(&mut self, which: Intrinsic, args: &[Typed], from: Num, to: Num) -> Id {
        let &[value] = args else {
            return self.fail("bit fields of 64 bits cannot be written as SPIR-V");
        };
        let value = match (which, from.scalar) {
            (Intrinsic::Math(Math::FindMsb), Scalar::Int64) => self.without_sign(value.id, from),
            _ => value.id,
        };
        let (uint, int) = (from.with(Scalar::Uint), self.num_ty(from.with(Scalar::Int)));
        let wide = self.num_ty(from.with(Scalar::Uint64));
        let value = match from.scalar {
            Scalar::Uint64 => value,
            _ => self.op(Op::Bitcast, wide, &[value]),
        };
        let by = self.number(uint, 32);
        let upper = self.op(Op::ShiftRightLogical, wide, &[value, by]);
        let ty = self.num_ty(uint);
        let [low, high] = [value, upper].map(|half| self.op(Op::UConvert, ty, &[half]));
        let found = match which {
            Intrinsic::Math(Math::BitCount) => {
                let [low, high] = [low, high].map(|half| self.op(Op::BitCount, int, &[half]));
                self.op(Op::IAdd, int, &[low, high])
            }
            Intrinsic::Math(Math::FindLsb) => self.first_found(G::FindILsb, [(low, 0), (high, 32)], uint),
            Intrinsic::Math(Math::FindMsb) => self.first_found(G::FindUMsb, [(high, 32), (low, 0)], uint),
            _ => return self.fail("bit fields of 64 bits cannot be written as SPIR-V"),
        };
        self.convert(Typed { id: found, ty: from.with(Scalar::Int).ty() }, &to.ty())
    }

    /// A number whose leading bits are zeros where they were like the sign.
    fn without_sign(&mut self, value: Id, num: Num) -> Id {
        let ty = self.num_ty(num);
        let by = self.number(num.with(Scalar::Uint), 63);
        let sign = self.op(Op::ShiftRightArithmetic, ty, &[value, by]);
        self.op(Op::BitwiseXor, ty, &[value, sign])
    }

    /// The position in the first half that has any bit; -1 if none has.
    fn first_found(&mut self, op: G, [first, second]: [(Id, i32); 2], uint: Num) -> Id {
        let (int, bool) = (uint.with(Scalar::Int), self.num_ty(uint.with(Scalar::Bool)));
        let ty = self.num_ty(int);
        let set = self.out.import("GLSL.std.450");
        let zero = self.number(uint, 0);
        let [first, second] = [first, second].map(|(half, start)| {
            let any = self.op(Op::INotEqual, bool, &[half, zero]);
            let found = self.op(Op::ExtInst, ty, &[set, op as u32, half]);
            let start = self.number(int, start);
            (any, self.op(Op::IAdd, ty, &[found, start]))
        });
        let none = self.number(int, -1);
        let rest = self.op(Op::Select, ty, &[second.0, second.1, none]);
        self.op(Op::Select, ty, &[first.0, first.1, rest])
    }
}
