//! Functions of the language that compute with numbers.
//!
//! Most are one instruction of SPIR-V or of its set `GLSL.std.450`, which the row of the function
//! names.

use chiaro_words::write::Id;
use spirv::{Capability, GlslStd450Op as G, Op};

use super::arith::{Marks, Typed, equality_op, instruction};
use super::emitter::Emitter;
use super::sized::needs_detour;
use crate::hir::{Binary, ExprId};
use crate::intrinsic::{Instruction, Intrinsic};
use crate::numeric::Num;
use crate::ty::{Family, Scalar, Type};

impl Emitter<'_> {
    /// A function of values alone.
    pub(super) fn pure(&mut self, which: Intrinsic, args: &[Typed], ty: &Type, marks: Marks) -> Id {
        if matches!(which, Intrinsic::Instruction(_) | Intrinsic::Extended(..)) {
            return self.other(which, args, ty);
        }
        let [first, ..] = *args else { return self.other(which, args, ty) };
        let (Some(from), Some(to)) = (Num::of(&first.ty), Num::of(ty)) else {
            return self.other(which, args, ty);
        };
        if needs_detour(which, from.scalar) {
            return self.detour(which, args, from, to, marks);
        }
        let Intrinsic::Math(function) = which else { return self.composed(which, args, from, to, marks) };
        let row = function.row();
        match (row.std(from.scalar.family()), row.instruction) {
            (Some(op), _) => self.extended(op, args, to, marks),
            (None, Instruction::Core(op)) => self.core(op, args, to, marks),
            (None, Instruction::Std(_)) => self.other(which, args, ty),
        }
    }

    /// An instruction of SPIR-V's own.
    fn core(&mut self, op: Op, args: &[Typed], to: Num, marks: Marks) -> Id {
        if let Some(capability) = capability(op) {
            self.out.capability(capability);
        }
        let ids: Vec<Id> = args.iter().map(|a| a.id).collect();
        let ty = self.num_ty(to);
        let marks = if to.scalar == Scalar::Bool { Marks::default() } else { marks };
        self.marked(op, ty, &ids, marks)
    }

    fn extended(&mut self, op: G, operands: &[Typed], to: Num, marks: Marks) -> Id {
        let set = self.out.import("GLSL.std.450");
        // Scalars stand for vectors where a function takes `genType, float`.
        let mut ids = vec![set, op as u32];
        for operand in operands {
            let narrow = Num::of(&operand.ty).is_some_and(Num::is_scalar) && widens(op);
            ids.push(if narrow { self.splat_as(operand.id, operand.ty, to) } else { operand.id });
        }
        let ty = self.num_ty(to);
        self.marked(Op::ExtInst, ty, &ids, marks)
    }

    /// Functions that are a few instructions, or whose instruction depends on the shape.
    fn composed(&mut self, which: Intrinsic, args: &[Typed], from: Num, to: Num, marks: Marks) -> Id {
        use Intrinsic as I;
        let ty = self.num_ty(to);
        match (which, args) {
            (I::Dot, [a, b]) => {
                let op = if from.is_scalar() { Op::FMul } else { Op::Dot };
                self.small_dot(from.scalar);
                self.marked(op, ty, &[a.id, b.id], marks)
            }
            (I::Mod, [a, b]) => {
                let by = if to.is_scalar() || Num::of(&b.ty) == Some(to) {
                    b.id
                } else {
                    self.splat_as(b.id, b.ty, to)
                };
                self.marked(Op::FMod, ty, &[a.id, by], marks)
            }
            (I::MixBool, [a, b, choice]) => self.marked(Op::Select, ty, &[choice.id, b.id, a.id], marks),
            (I::MatrixCompMult, [a, b]) => self.by_column(to, &[a.id, b.id], |this, _, parts| {
                let ty = this.num_ty(to.column());
                this.marked(Op::FMul, ty, parts, marks)
            }),
            (I::Equal | I::NotEqual, [a, b]) => {
                self.op(equality_op(which == I::Equal, from.scalar), ty, &[a.id, b.id])
            }
            (I::LessThan | I::LessThanEqual | I::GreaterThan | I::GreaterThanEqual, [a, b]) => {
                let op = match which {
                    I::LessThan => Binary::Less,
                    I::LessThanEqual => Binary::LessEqual,
                    I::GreaterThan => Binary::Greater,
                    _ => Binary::GreaterEqual,
                };
                self.op(instruction(op, from.scalar), ty, &[a.id, b.id])
            }
            (I::Any | I::All, [a]) if from.is_scalar() => a.id,
            (I::BitfieldExtract, [value, offset, bits]) => {
                let signed = from.scalar.family() == Family::Signed;
                let op = if signed { Op::BitFieldSExtract } else { Op::BitFieldUExtract };
                self.marked(op, ty, &[value.id, offset.id, bits.id], marks)
            }
            (I::Any, [a]) => self.op(Op::Any, ty, &[a.id]),
            (I::All, [a]) => self.op(Op::All, ty, &[a.id]),
            _ => self.other(which, args, &to.ty()),
        }
    }

    /// What comes with extensions: instructions by number.
    fn other(&mut self, which: Intrinsic, args: &[Typed], ty: &Type) -> Id {
        if let Intrinsic::Extended(set, number) = which {
            return self.vendor_function(set, number, args, ty);
        }
        let Intrinsic::Instruction(op) = which else {
            return self.fail(format!("`{which:?}` cannot be written as SPIR-V with these arguments"));
        };
        self.need(super::needs::of_instruction(op));
        let ids = self.instruction_operands(op, args);
        if *ty == Type::Void {
            self.effect(op, &ids);
            return 0;
        }
        let ty = self.plain_ty(ty);
        self.op(op, ty, &ids)
    }

    /// Operands in SPIR-V's order.
    fn instruction_operands(&mut self, op: Op, args: &[Typed]) -> Vec<Id> {
        let mut ids: Vec<Id> = args.iter().map(|a| a.id).collect();
        match (op, args) {
            (
                Op::SDot | Op::UDot | Op::SUDot | Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat,
                [a, b, ..],
            ) => {
                self.dot_inputs(a, b, &mut ids);
                if matches!(op, Op::SUDot | Op::SUDotAccSat) && is_unsigned(a) {
                    ids.swap(0, 1);
                }
            }
            // Attachments have no coordinate, which SPIR-V wants all the same.
            (Op::FragmentMaskFetchAMD | Op::FragmentFetchAMD, [texture, ..]) if is_subpass(texture) => {
                let zero = self.number(Num { rows: 2, ..Num::INT }, 0);
                ids.insert(1, zero);
            }
            (Op::FragmentMaskFetchAMD | Op::FragmentFetchAMD, [texture, ..]) => {
                if let Some(shape) = super::sample::Texture::of(&texture.ty) {
                    ids[0] = self.without_sampler(shape, texture.id);
                }
            }
            _ => {}
        }
        ids
    }

    /// What a dot product of these inputs asks for; packed ones say so with a literal behind.
    fn dot_inputs(&mut self, a: &Typed, b: &Typed, ids: &mut Vec<Id>) {
        let bits = |x: &Typed| Num::of(&x.ty).map_or((0, 0), |n| (n.rows, n.scalar.bits()));
        let capability = match (bits(a), bits(b)) {
            ((1, _), _) => {
                ids.push(0);
                Capability::DotProductInput4x8BitPacked
            }
            ((4, 8), (4, 8)) => Capability::DotProductInput4x8Bit,
            _ => Capability::DotProductInputAll,
        };
        self.out.capability(capability);
    }

    /// A function of a vendor's instruction set, which is an extension of the same name.
    fn vendor_function(&mut self, name: &str, number: u32, args: &[Typed], ty: &Type) -> Id {
        self.out.extension(name);
        let set = self.out.import(name);
        let mut operands = vec![set, number];
        operands.extend(args.iter().map(|a| a.id));
        let ty = self.plain_ty(ty);
        self.op(Op::ExtInst, ty, &operands)
    }

    /// `modf` and `frexp`: the second argument gets the other half of the result.
    pub(super) fn split_number(&mut self, which: Intrinsic, args: &[ExprId], ty: &Type) -> Id {
        let [value, place] = *args else { return self.fail("two arguments are expected") };
        let value = self.value(value);
        let other = self.what(self.program.exprs[place.0 as usize].ty);
        let place = self.place(place);
        let op = if which == Intrinsic::Modf { G::ModfStruct } else { G::FrexpStruct };
        // The exponent has to be of 32 bits; that of the whole part is the result's own type.
        let exponent = match Num::of(&other) {
            Some(num) if which == Intrinsic::Frexp => num.with(Scalar::Int).ty(),
            _ => other,
        };
        let (first, second) = (self.plain_ty(ty), self.plain_ty(&exponent));
        let pair = self.out.ty(Op::TypeStruct, &[first, second]);
        let set = self.out.import("GLSL.std.450");
        let both = self.op(Op::ExtInst, pair, &[set, op as u32, value]);
        let half = self.op(Op::CompositeExtract, second, &[both, 1]);
        let half = self.convert(Typed { id: half, ty: exponent }, &other);
        self.store(&place, half);
        self.op(Op::CompositeExtract, first, &[both, 0])
    }

    /// Sums with carry and products of double width.
    pub(super) fn wide_integer(&mut self, which: Intrinsic, args: &[ExprId]) -> Id {
        let (Some(&x), Some(&y)) = (args.first(), args.get(1)) else {
            return self.fail("two arguments are expected");
        };
        let ty = self.what(self.program.exprs[x.0 as usize].ty);
        let operands = [self.value(x), self.value(y)];
        let places: Vec<_> = args[2..].iter().map(|&a| self.place(a)).collect();
        let op = match which {
            Intrinsic::UaddCarry => Op::IAddCarry,
            Intrinsic::UsubBorrow => Op::ISubBorrow,
            Intrinsic::UmulExtended => Op::UMulExtended,
            _ => Op::SMulExtended,
        };
        let one = self.plain_ty(&ty);
        let pair = self.out.ty(Op::TypeStruct, &[one, one]);
        let both = self.op(op, pair, &operands);
        let [low, high] = [0, 1].map(|i| self.op(Op::CompositeExtract, one, &[both, i]));
        match places.as_slice() {
            [carry] => {
                self.store(carry, high);
                low
            }
            [upper, lower] => {
                self.store(upper, high);
                self.store(lower, low);
                0
            }
            _ => self.fail("the results have no place"),
        }
    }
}

fn is_unsigned(value: &Typed) -> bool {
    Num::of(&value.ty).is_some_and(|num| num.scalar.family() == Family::Unsigned)
}

fn is_subpass(value: &Typed) -> bool {
    super::sample::Texture::of(&value.ty).is_some_and(|t| t.dim == crate::ty::Dim::Subpass)
}

/// Whether a scalar may stand for a vector in an operand of the function.
fn widens(op: G) -> bool {
    use G::{FClamp, FMax, FMin, FMix, SClamp, SMax, SMin, SmoothStep, Step, UClamp, UMax, UMin};
    matches!(
        op,
        FMin | FMax | FClamp | SMin | SMax | SClamp | UMin | UMax | UClamp | FMix | Step | SmoothStep
    )
}

fn capability(op: Op) -> Option<Capability> {
    let fine = [Op::DPdxFine, Op::DPdyFine, Op::FwidthFine];
    let coarse = [Op::DPdxCoarse, Op::DPdyCoarse, Op::FwidthCoarse];
    (fine.contains(&op) || coarse.contains(&op)).then_some(Capability::DerivativeControl)
}
