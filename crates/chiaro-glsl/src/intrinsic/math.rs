//! Functions of numbers that are one instruction: a row says which, and what it makes of
//! constants.
//!
//! Names, versions and types are rows of `builtin/functions/math.rs`; to add a function takes a row
//! here and one there.

use std::f64::consts::PI;

use spirv::{GlslStd450Op as G, Op};

use crate::ty::Family;

/// The instruction of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    /// One of `GLSL.std.450`, by what it computes with: floats, signed or unsigned integers.
    Std([G; 3]),
    /// One of SPIR-V's own, operands in the same order.
    Core(Op),
}

/// What a function makes of constants.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// A function of each float.
    One(fn(f64) -> f64),
    /// A function of two floats at a time.
    Two(fn(f64, f64) -> f64),
    /// It depends on more than single floats: [`fold`](crate::check) knows.
    Code,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) instruction: Instruction,
    pub(crate) value: Value,
}

macro_rules! functions {
    ($( $(#[$doc:meta])* $name:ident = $instruction:expr, $value:expr; )*) => {
        /// A function that is one instruction.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs, reason = "the names are the language's own")]
        pub enum Math { $( $(#[$doc])* $name ),* }

        /// The rows, in the order of [`Math`].
        static ROWS: &[Row] = &[ $( Row { instruction: $instruction, value: $value } ),* ];
    };
}

use Instruction::Core;
use Value::{Code, One, Two};

functions! {
    // Angles and exponentials.
    Radians = same(G::Radians), One(|x| x * f64::from((PI / 180.0) as f32));
    Degrees = same(G::Degrees), One(|x| x * f64::from((180.0 / PI) as f32));
    Sin = same(G::Sin), One(libm::sin);
    Cos = same(G::Cos), One(libm::cos);
    Tan = same(G::Tan), One(libm::tan);
    Asin = same(G::Asin), One(libm::asin);
    Acos = same(G::Acos), One(libm::acos);
    Atan = same(G::Atan), One(libm::atan);
    Atan2 = same(G::Atan2), Two(libm::atan2);
    Sinh = same(G::Sinh), One(libm::sinh);
    Cosh = same(G::Cosh), One(libm::cosh);
    Tanh = same(G::Tanh), One(libm::tanh);
    Asinh = same(G::Asinh), One(libm::asinh);
    Acosh = same(G::Acosh), One(libm::acosh);
    Atanh = same(G::Atanh), One(libm::atanh);
    Pow = same(G::Pow), Two(libm::pow);
    Exp = same(G::Exp), One(libm::exp);
    Log = same(G::Log), One(libm::log);
    Exp2 = same(G::Exp2), One(libm::exp2);
    Log2 = same(G::Log2), One(libm::log2);
    Sqrt = same(G::Sqrt), One(libm::sqrt);
    InverseSqrt = same(G::InverseSqrt), One(|x| 1.0 / libm::sqrt(x));
    // Common functions.
    Abs = std(G::FAbs, G::SAbs, G::SAbs), One(f64::abs);
    Sign = std(G::FSign, G::SSign, G::SSign), One(sign);
    Floor = same(G::Floor), One(f64::floor);
    Trunc = same(G::Trunc), One(f64::trunc);
    Round = same(G::Round), One(f64::round_ties_even);
    RoundEven = same(G::RoundEven), One(f64::round_ties_even);
    Ceil = same(G::Ceil), One(f64::ceil);
    Fract = same(G::Fract), One(|x| x - x.floor());
    Min = std(G::FMin, G::SMin, G::UMin), Code;
    Max = std(G::FMax, G::SMax, G::UMax), Code;
    Clamp = std(G::FClamp, G::SClamp, G::UClamp), Code;
    Mix = same(G::FMix), Code;
    Step = same(G::Step), Code;
    SmoothStep = same(G::SmoothStep), Code;
    IsNan = Core(Op::IsNan), Code;
    IsInf = Core(Op::IsInf), Code;
    FloatBitsToInt = Core(Op::Bitcast), Code;
    FloatBitsToUint = Core(Op::Bitcast), Code;
    IntBitsToFloat = Core(Op::Bitcast), Code;
    UintBitsToFloat = Core(Op::Bitcast), Code;
    Fma = same(G::Fma), Code;
    Ldexp = same(G::Ldexp), Code;
    // Packing.
    PackUnorm2x16 = same(G::PackUnorm2x16), Code;
    PackSnorm2x16 = same(G::PackSnorm2x16), Code;
    PackUnorm4x8 = same(G::PackUnorm4x8), Code;
    PackSnorm4x8 = same(G::PackSnorm4x8), Code;
    PackHalf2x16 = same(G::PackHalf2x16), Code;
    PackDouble2x32 = same(G::PackDouble2x32), Code;
    UnpackUnorm2x16 = same(G::UnpackUnorm2x16), Code;
    UnpackSnorm2x16 = same(G::UnpackSnorm2x16), Code;
    UnpackUnorm4x8 = same(G::UnpackUnorm4x8), Code;
    UnpackSnorm4x8 = same(G::UnpackSnorm4x8), Code;
    UnpackHalf2x16 = same(G::UnpackHalf2x16), Code;
    UnpackDouble2x32 = same(G::UnpackDouble2x32), Code;
    // Geometry.
    Length = same(G::Length), Code;
    Distance = same(G::Distance), Code;
    Cross = same(G::Cross), Code;
    Normalize = same(G::Normalize), Code;
    FaceForward = same(G::FaceForward), Code;
    Reflect = same(G::Reflect), Code;
    Refract = same(G::Refract), Code;
    // Matrices.
    OuterProduct = Core(Op::OuterProduct), Code;
    Transpose = Core(Op::Transpose), Code;
    Determinant = same(G::Determinant), Code;
    Inverse = same(G::MatrixInverse), Code;
    // Relations.
    Not = Core(Op::LogicalNot), Code;
    // Integers.
    BitfieldInsert = Core(Op::BitFieldInsert), Code;
    BitfieldReverse = Core(Op::BitReverse), Code;
    BitCount = Core(Op::BitCount), Code;
    FindLsb = same(G::FindILsb), Code;
    FindMsb = std(G::FindSMsb, G::FindSMsb, G::FindUMsb), Code;
    // Derivatives.
    Dfdx = Core(Op::DPdx), Code;
    Dfdy = Core(Op::DPdy), Code;
    DfdxFine = Core(Op::DPdxFine), Code;
    DfdyFine = Core(Op::DPdyFine), Code;
    DfdxCoarse = Core(Op::DPdxCoarse), Code;
    DfdyCoarse = Core(Op::DPdyCoarse), Code;
    Fwidth = Core(Op::Fwidth), Code;
    FwidthFine = Core(Op::FwidthFine), Code;
    FwidthCoarse = Core(Op::FwidthCoarse), Code;
}

impl Math {
    /// The row of a function.
    pub(crate) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Whether it compares neighbouring invocations.
    pub(crate) fn is_derivative(self) -> bool {
        use Math::{
            Dfdx, DfdxCoarse, DfdxFine, Dfdy, DfdyCoarse, DfdyFine, Fwidth, FwidthCoarse, FwidthFine,
        };
        matches!(
            self,
            Dfdx | Dfdy | Fwidth | DfdxFine | DfdyFine | FwidthFine | DfdxCoarse | DfdyCoarse | FwidthCoarse
        )
    }
}

impl Row {
    /// The instruction of the set `GLSL.std.450` for operands of a family.
    pub(crate) fn std(&self, family: Family) -> Option<G> {
        let Instruction::Std([float, signed, unsigned]) = self.instruction else { return None };
        Some(match family {
            Family::Float => float,
            Family::Signed => signed,
            Family::Unsigned | Family::Bool => unsigned,
        })
    }
}

/// One instruction for all families.
const fn same(op: G) -> Instruction {
    Instruction::Std([op; 3])
}

const fn std(float: G, signed: G, unsigned: G) -> Instruction {
    Instruction::Std([float, signed, unsigned])
}

pub(crate) fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}
