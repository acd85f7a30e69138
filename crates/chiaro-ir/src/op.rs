//! The operations of the IR, one row each.
//!
//! Text form, verifier, interpreter and passes read [`Info`]; adding a row without its
//! meaning does not compile, because the interpreter matches exhaustively.

use crate::id::{FunctionRef, Inst};
use crate::ty::Space;

/// What the operands and the result of an operation must be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// So many operands, all of the result's type.
    Same(u8),
    /// Two operands of one type; bools of as many components.
    Compare,
    /// One operand; bools of as many components.
    Test,
    /// A value and an amount with as many components; the value's type.
    Shift,
    /// One operand with as many components, of another scalar type.
    Convert,
    /// A bool vector; one bool.
    Fold,
    /// Two vectors of one type; their scalar.
    Dot,
    /// Condition (one bool, or one per component), then two values of the result's type.
    Select,
    /// Described in the documentation of the operation and checked by the verifier.
    Special,
}

/// What an operation touches beside its operands and results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Nothing: it may be moved, duplicated, merged and dropped.
    Pure,
    /// Reads memory.
    Read,
    /// Writes memory, or both.
    Write,
    /// Depends on which lanes run it with others (subgroup, barrier, implicit derivative): never
    /// moved across, duplicated into or merged over a condition that may diverge.
    Convergent,
    /// As `Convergent`, and writes memory or orders accesses.
    Barrier,
    /// Owns blocks.
    Construct,
    /// Ends a block.
    Exit,
}

/// The facts of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Info {
    /// Name in the text form.
    pub name: &'static str,
    /// Types of operands and result.
    pub shape: Shape,
    /// What it touches.
    pub effect: Effect,
}

/// Reductions, scans and atomic updates name one of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Combine {
    IAdd,
    FAdd,
    IMul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
    /// Atomics only: the new value replaces the old one.
    Exchange,
}

impl Combine {
    /// Every one with its name.
    pub const NAMES: [(Combine, &'static str); 14] = [
        (Combine::IAdd, "iadd"),
        (Combine::FAdd, "fadd"),
        (Combine::IMul, "imul"),
        (Combine::FMul, "fmul"),
        (Combine::SMin, "smin"),
        (Combine::UMin, "umin"),
        (Combine::FMin, "fmin"),
        (Combine::SMax, "smax"),
        (Combine::UMax, "umax"),
        (Combine::FMax, "fmax"),
        (Combine::And, "and"),
        (Combine::Or, "or"),
        (Combine::Xor, "xor"),
        (Combine::Exchange, "exchange"),
    ];

    /// The operation on two numbers; nothing for an exchange.
    #[must_use]
    pub const fn op(self) -> Option<Op> {
        Some(match self {
            Combine::IAdd => Op::IAdd,
            Combine::FAdd => Op::FAdd,
            Combine::IMul => Op::IMul,
            Combine::FMul => Op::FMul,
            Combine::SMin => Op::SMin,
            Combine::UMin => Op::UMin,
            Combine::FMin => Op::FMin,
            Combine::SMax => Op::SMax,
            Combine::UMax => Op::UMax,
            Combine::FMax => Op::FMax,
            Combine::And => Op::And,
            Combine::Or => Op::Or,
            Combine::Xor => Op::Xor,
            Combine::Exchange => return None,
        })
    }

    /// What changes nothing when a number of so many bits (1, 8, 16, 32 or 64) is combined with it, as bits.
    #[must_use]
    pub const fn identity(self, bits: u8) -> u64 {
        let all = u64::MAX >> (64 - bits);
        let [one, infinity] = match bits {
            16 => [0x3c00, 0x7c00],
            32 => [0x3f80_0000, 0x7f80_0000],
            _ => [0x3ff0_0000_0000_0000, 0x7ff0_0000_0000_0000],
        };
        match self {
            Combine::IMul => 1,
            Combine::FMul => one,
            Combine::And | Combine::UMin => all,
            Combine::SMin => all >> 1,
            Combine::SMax => (all >> 1) + 1,
            Combine::FMin => infinity,
            Combine::FMax => infinity | ((all >> 1) + 1),
            _ => 0,
        }
    }
}

/// Which lanes a subgroup operation over lanes takes together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Group {
    /// All active lanes.
    Reduce,
    /// The active lanes up to and including this one.
    Inclusive,
    /// The active lanes below this one.
    Exclusive,
    /// The active lanes of each run of so many lanes.
    Clustered(u8),
}

/// Who must be reached by a barrier or an atomic: SPIR-V's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// Every device.
    CrossDevice,
    /// The whole device.
    Device,
    /// The workgroup.
    Workgroup,
    /// The subgroup.
    Subgroup,
    /// The invocation alone.
    Invocation,
    /// The queue family.
    QueueFamily,
    /// What a ray-tracing shader call hands on.
    ShaderCall,
}

impl Scope {
    /// Every scope with its name, by SPIR-V's number.
    pub const NAMES: [(Scope, &'static str); 7] = [
        (Scope::CrossDevice, "cross_device"),
        (Scope::Device, "device"),
        (Scope::Workgroup, "workgroup"),
        (Scope::Subgroup, "subgroup"),
        (Scope::Invocation, "invocation"),
        (Scope::QueueFamily, "queue_family"),
        (Scope::ShaderCall, "shader_call"),
    ];
}

/// SPIR-V's memory semantics, as its bit mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Semantics(pub u32);

/// How an image is sampled: which operands follow image (and sampler) and coordinate,
/// in this order: reference, bias, level, gradients (x, then y), offset, gather component,
/// minimum level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Sampling {
    /// Compared with a reference: the result is one float (four for a gather).
    pub reference: bool,
    /// The last coordinate divides the others.
    pub projected: bool,
    /// A bias is added to the implicit level.
    pub bias: bool,
    /// The level is given.
    pub level: bool,
    /// The gradients are given.
    pub gradients: bool,
    /// An offset in texels is added; for a gather it may be an array of four.
    pub offset: bool,
    /// One component of four texels: the component follows, unless there is a reference.
    pub gather: bool,
    /// The lowest level to use is given.
    pub minimum: bool,
}

impl Sampling {
    /// Whether the level comes from derivatives across the quad.
    pub const fn implicit(self) -> bool {
        !self.level && !self.gradients && !self.gather
    }

    /// The names of the flags that are set, in the order of the operands.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.projected, "proj"),
            (self.reference, "ref"),
            (self.bias, "bias"),
            (self.level, "level"),
            (self.gradients, "grad"),
            (self.offset, "offset"),
            (self.gather, "gather"),
            (self.minimum, "minlod"),
        ];
        all.into_iter().filter(|(set, _)| *set).map(|(_, name)| name)
    }
}

/// What is asked of an image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Query {
    /// Its size at the level that follows (multisampled, rectangle, buffer and storage images
    /// have none).
    Size,
    /// How many levels.
    Levels,
    /// How many samples.
    Samples,
    /// The level that implicit sampling would use at the coordinate that follows.
    Lod,
}

/// Where in its pixel an input is taken once more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Taken {
    /// At a place that the primitive covers.
    Centroid,
    /// At the sample whose number follows.
    Sample,
    /// As far from the pixel's middle as the two floats that follow, in pixels.
    Offset,
}

/// The operation, if it has no payload.
macro_rules! plain {
    ($variant:ident) => {
        Some(Op::$variant)
    };
    ($variant:ident ($($payload:ty),+)) => {
        None
    };
}

macro_rules! ops {
    ($( $(#[doc = $doc:literal])* $variant:ident $(($($payload:ty),+))? $name:literal $shape:ident $(($n:literal))? $effect:ident; )*) => {
        /// What an instruction does.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Op { $( $(#[doc = $doc])* $variant $(($($payload),+))?, )* }

        impl Op {
            /// The facts of the operation.
            pub const fn info(self) -> Info {
                match self { $(
                    Op::$variant { .. } =>
                        Info { name: $name, shape: Shape::$shape $(($n))?, effect: self.effect() },
                )* }
            }

            /// The effect alone, which passes ask of every instruction: a look into a table.
            #[inline]
            pub const fn effect(self) -> Effect {
                match self { $( Op::$variant { .. } => Effect::$effect, )* }
            }
        }

        /// Every name; with the operation, where the name says all of it.
        pub(crate) static NAMES: &[(&str, Option<Op>)] =
            &[$( ($name, plain!($variant $(($($payload),+))?)), )*];

        /// Every row: name, shape, effect and documentation, for documents and tests.
        pub static ROWS: &[(Info, &str)] = &[$( (
            Info { name: $name, shape: Shape::$shape $(($n))?, effect: Effect::$effect },
            concat!($($doc),*),
        ), )*];
    };
}

ops! {
    /// Float sum.
    FAdd "fadd" Same(2) Pure;
    /// Float difference.
    FSub "fsub" Same(2) Pure;
    /// Float product.
    FMul "fmul" Same(2) Pure;
    /// Float quotient.
    FDiv "fdiv" Same(2) Pure;
    /// Remainder with the sign of the dividend.
    FRem "frem" Same(2) Pure;
    /// Remainder with the sign of the divisor: x - y * floor(x / y).
    FMod "fmod" Same(2) Pure;
    /// a * b + c, rounded once where exact, else as the target likes.
    Fma "fma" Same(3) Pure;
    /// The other sign.
    FNeg "fneg" Same(1) Pure;
    /// Without sign.
    FAbs "fabs" Same(1) Pure;
    /// -1, 0 or 1.
    FSign "fsign" Same(1) Pure;
    /// Rounded down.
    FFloor "ffloor" Same(1) Pure;
    /// Rounded up.
    FCeil "fceil" Same(1) Pure;
    /// Rounded towards zero.
    FTrunc "ftrunc" Same(1) Pure;
    /// Rounded to nearest, ties to even.
    FRoundEven "fround" Same(1) Pure;
    /// x - floor(x).
    FFract "ffract" Same(1) Pure;
    /// The smaller; the other one if exactly one is NaN.
    FMin "fmin" Same(2) Pure;
    /// The larger; the other one if exactly one is NaN.
    FMax "fmax" Same(2) Pure;
    /// fmin(fmax(x, low), high).
    FClamp "fclamp" Same(3) Pure;
    /// Square root.
    FSqrt "fsqrt" Same(1) Pure;
    /// 1 / sqrt(x).
    FRsqrt "frsqrt" Same(1) Pure;
    /// e to the power of x.
    FExp "fexp" Same(1) Pure;
    /// 2 to the power of x.
    FExp2 "fexp2" Same(1) Pure;
    /// Natural logarithm.
    FLog "flog" Same(1) Pure;
    /// Logarithm to base 2.
    FLog2 "flog2" Same(1) Pure;
    /// x to the power of y.
    FPow "fpow" Same(2) Pure;
    /// Sine of radians.
    FSin "fsin" Same(1) Pure;
    /// Cosine of radians.
    FCos "fcos" Same(1) Pure;
    /// Tangent of radians.
    FTan "ftan" Same(1) Pure;
    /// Arc sine.
    FAsin "fasin" Same(1) Pure;
    /// Arc cosine.
    FAcos "facos" Same(1) Pure;
    /// Arc tangent.
    FAtan "fatan" Same(1) Pure;
    /// Arc tangent of y / x in the right quadrant: y, x.
    FAtan2 "fatan2" Same(2) Pure;
    /// Hyperbolic sine.
    FSinh "fsinh" Same(1) Pure;
    /// Hyperbolic cosine.
    FCosh "fcosh" Same(1) Pure;
    /// Hyperbolic tangent.
    FTanh "ftanh" Same(1) Pure;
    /// Inverse hyperbolic sine.
    FAsinh "fasinh" Same(1) Pure;
    /// Inverse hyperbolic cosine.
    FAcosh "facosh" Same(1) Pure;
    /// Inverse hyperbolic tangent.
    FAtanh "fatanh" Same(1) Pure;
    /// x * 2 to the power of an integer with as many components.
    FLdexp "fldexp" Shift Pure;
    /// The significand in [0.5, 1) of each component; 0 for 0.
    FFrexpFraction "ffraction" Same(1) Pure;
    /// The exponent that goes with `ffraction`, as 32-bit integers.
    FFrexpExponent "fexponent" Convert Pure;
    /// Sum of products.
    FDot "fdot" Dot Pure;
    /// Rounded to half precision and back.
    FQuantize16 "fquantize16" Same(1) Pure;

    /// Sum, modulo the width.
    IAdd "iadd" Same(2) Pure;
    /// Difference, modulo the width.
    ISub "isub" Same(2) Pure;
    /// Low half of the product.
    IMul "imul" Same(2) Pure;
    /// High half of the unsigned product.
    UMulHigh "umulh" Same(2) Pure;
    /// High half of the signed product.
    SMulHigh "smulh" Same(2) Pure;
    /// Unsigned quotient; all ones for a divisor of 0.
    UDiv "udiv" Same(2) Pure;
    /// Signed quotient towards zero; all ones for a divisor of 0, the dividend for an overflow.
    SDiv "sdiv" Same(2) Pure;
    /// Unsigned remainder; the dividend for a divisor of 0.
    URem "urem" Same(2) Pure;
    /// Remainder with the sign of the dividend; the dividend for a divisor of 0, 0 for an overflow.
    SRem "srem" Same(2) Pure;
    /// Remainder with the sign of the divisor; the dividend for a divisor of 0, 0 for an overflow.
    SMod "smod" Same(2) Pure;
    /// Negation.
    INeg "ineg" Same(1) Pure;
    /// Without sign, the lowest number stays.
    IAbs "iabs" Same(1) Pure;
    /// -1, 0 or 1.
    ISign "isign" Same(1) Pure;
    /// Unsigned smaller.
    UMin "umin" Same(2) Pure;
    /// Unsigned larger.
    UMax "umax" Same(2) Pure;
    /// Signed smaller.
    SMin "smin" Same(2) Pure;
    /// Signed larger.
    SMax "smax" Same(2) Pure;
    /// 1 where the unsigned sum overflows, else 0.
    UAddCarry "ucarry" Same(2) Pure;
    /// 1 where the unsigned difference underflows, else 0.
    USubBorrow "uborrow" Same(2) Pure;
    /// Shifted left; the amount counts modulo the width.
    Shl "shl" Shift Pure;
    /// Shifted right with zeros; the amount counts modulo the width.
    LShr "lshr" Shift Pure;
    /// Shifted right with the sign; the amount counts modulo the width.
    AShr "ashr" Shift Pure;
    /// Bits of both. Of bools: both.
    And "and" Same(2) Pure;
    /// Bits of either. Of bools: one of them.
    Or "or" Same(2) Pure;
    /// Bits that differ. Of bools: exactly one.
    Xor "xor" Same(2) Pure;
    /// Every bit turned. Of bools: the other one.
    Not "not" Same(1) Pure;
    /// How many bits are set.
    BitCount "bitcount" Same(1) Pure;
    /// Bits in reverse order.
    BitReverse "bitreverse" Same(1) Pure;
    /// Number of the lowest set bit; -1 for 0.
    FindLsb "lsb" Same(1) Pure;
    /// Number of the highest set bit; -1 for 0.
    FindUMsb "umsb" Same(1) Pure;
    /// Number of the highest bit that differs from the sign; -1 for 0 and -1.
    FindSMsb "smsb" Same(1) Pure;
    /// Base, insert, then offset and count (32-bit scalars): bits of the second in the first.
    BitInsert "bitinsert" Special Pure;
    /// Base, then offset and count (32-bit scalars): bits, zeros above.
    BitExtractU "bitextractu" Special Pure;
    /// The same with the sign above.
    BitExtractS "bitextracts" Special Pure;

    /// Equal; false if one is NaN.
    FEq "feq" Compare Pure;
    /// Not equal; true if one is NaN.
    FNe "fne" Compare Pure;
    /// Less; false if one is NaN.
    FLt "flt" Compare Pure;
    /// Less or equal; false if one is NaN.
    FLe "fle" Compare Pure;
    /// Equal bits; of bools: the same.
    IEq "ieq" Compare Pure;
    /// Different bits; of bools: not the same.
    INe "ine" Compare Pure;
    /// Unsigned less.
    ULt "ult" Compare Pure;
    /// Unsigned less or equal.
    ULe "ule" Compare Pure;
    /// Signed less.
    SLt "slt" Compare Pure;
    /// Signed less or equal.
    SLe "sle" Compare Pure;
    /// Whether it is NaN.
    IsNan "isnan" Test Pure;
    /// Whether it is infinite.
    IsInf "isinf" Test Pure;
    /// All components true.
    All "all" Fold Pure;
    /// Some component true.
    Any "any" Fold Pure;
    /// One of two by a condition: condition, value if true, value if false.
    Select "select" Select Pure;

    /// Float to float of another width, rounded to nearest even.
    FToF "ftof" Convert Pure;
    /// Float to signed integer, towards zero; saturates, NaN gives 0.
    FToS "ftos" Convert Pure;
    /// Float to unsigned integer, towards zero; saturates, NaN gives 0.
    FToU "ftou" Convert Pure;
    /// Signed integer to float, rounded to nearest even.
    SToF "stof" Convert Pure;
    /// Unsigned integer to float, rounded to nearest even.
    UToF "utof" Convert Pure;
    /// To a wider integer with the sign, or to the low bits.
    SExt "sext" Convert Pure;
    /// To a wider integer with zeros, or to the low bits.
    ZExt "zext" Convert Pure;
    /// The same bits as another type of the same size in total.
    Bitcast "bitcast" Special Pure;

    /// A composite of its parts; for a vector also of shorter vectors. One operand for all
    /// components of a vector is a splat.
    Construct "construct" Special Pure;
    /// Part number n.
    Extract(u32) "extract" Special Pure;
    /// The composite with part number n replaced: composite, part.
    Insert(u32) "insert" Special Pure;
    /// The component of a vector at an index; 0 if it is out of bounds.
    ExtractDyn "extractd" Special Pure;
    /// The vector with a component at an index replaced; unchanged if it is out of bounds:
    /// vector, component, index.
    InsertDyn "insertd" Special Pure;
    /// Components of two vectors taken as one; 255 is any value.
    Shuffle([u8; 4]) "shuffle" Special Pure;

    /// A variable of the function: a pointer; one operand is its value at the start.
    Var(Space) "var" Special Write;
    /// The value at a pointer; it may be of another layout than the place.
    Load "load" Special Read;
    /// Stores the second operand at the first; it may be of another layout than the place.
    Store "store" Special Write;
    /// Copies all of the second place to the first.
    Copy "copy" Special Write;
    /// A pointer to a part: pointer, then one index a level (constants into structures).
    Access "access" Special Pure;
    /// How many elements the runtime array holds that is member n of the structure.
    ArrayLength(u32) "length" Special Read;
    /// The value before, and the place updated in one step: pointer, operand.
    Atomic(Combine, Scope, Semantics) "atomic" Special Write;
    /// Exchanged if the bits are equal: pointer, new value, value to compare with; the value before.
    AtomicCompare(Scope, Semantics) "atomic_cas" Special Write;
    /// Loaded in one step.
    AtomicLoad(Scope, Semantics) "atomic_load" Special Write;
    /// Stored in one step: pointer, value.
    AtomicStore(Scope, Semantics) "atomic_store" Special Write;
    /// Waits for the lanes of the first scope, and orders memory in the second.
    ControlBarrier(Scope, Scope, Semantics) "barrier" Special Barrier;
    /// From here on fragments of one pixel follow one another, in the order of their primitives.
    BeginOrdered "begin_ordered" Special Barrier;
    /// Up to here.
    EndOrdered "end_ordered" Special Barrier;
    /// Orders memory.
    MemoryBarrier(Scope, Semantics) "fence" Special Barrier;

    /// An image with a sampler.
    SampledImage "sampled" Special Pure;
    /// The image of a sampled image.
    ImageOf "image" Special Pure;
    /// Samples: sampled image, coordinate, then as the flags say.
    Sample(Sampling) "sample" Special Convergent;
    /// Reads a texel: image, integer coordinate, then level or sample if the image has them.
    Fetch "fetch" Special Read;
    /// Reads a texel of a storage image: image, coordinate, then the sample if it has them.
    ImageRead "imread" Special Read;
    /// Writes a texel: image, coordinate, value, then the sample if it has them.
    ImageWrite "imwrite" Special Write;
    /// A pointer to a texel: pointer to the image, coordinate, sample.
    TexelPointer "texel" Special Pure;
    /// Size, levels, samples or level of an image.
    ImageQuery(Query) "imquery" Special Read;

    /// An input of a fragment at another place of its pixel: pointer to floats of it, then as the place wants.
    Interpolate(Taken) "interpolate" Special Read;

    /// Change per pixel to the right, from any pair of the quad.
    Ddx "ddx" Same(1) Convergent;
    /// Change per pixel downwards, from any pair of the quad.
    Ddy "ddy" Same(1) Convergent;
    /// The same from this pixel's own row.
    DdxFine "ddx_fine" Same(1) Convergent;
    /// The same from this pixel's own column.
    DdyFine "ddy_fine" Same(1) Convergent;
    /// The same from one row for the whole quad.
    DdxCoarse "ddx_coarse" Same(1) Convergent;
    /// The same from one column for the whole quad.
    DdyCoarse "ddy_coarse" Same(1) Convergent;

    /// Whether this is the lowest active lane.
    Elect "elect" Special Convergent;
    /// Whether the bool is true in all active lanes.
    VoteAll "vote_all" Special Convergent;
    /// Whether the bool is true in some active lane.
    VoteAny "vote_any" Special Convergent;
    /// Whether the value is the same in all active lanes.
    VoteEqual "vote_eq" Special Convergent;
    /// The lanes in which a bool is true, as four 32-bit integers.
    Ballot "ballot" Special Convergent;
    /// This lane's bit of such a mask.
    InverseBallot "ballot_lane" Special Convergent;
    /// A lane's bit of such a mask: mask, lane.
    BallotBit "ballot_bit" Special Convergent;
    /// How many bits of such a mask: all, those up to or those below this lane.
    BallotCount(Group) "ballot_count" Special Convergent;
    /// The lowest lane of such a mask.
    BallotLsb "ballot_lsb" Special Convergent;
    /// The highest lane of such a mask.
    BallotMsb "ballot_msb" Special Convergent;
    /// The value of a lane: value, lane, which is the same in all lanes.
    Broadcast "broadcast" Special Convergent;
    /// The value of the lowest active lane.
    BroadcastFirst "broadcast_first" Special Convergent;
    /// The value of a lane: value, lane.
    LaneShuffle "lane_shuffle" Special Convergent;
    /// The value of the lane whose number differs by a mask: value, mask.
    LaneXor "lane_xor" Special Convergent;
    /// The value of the lane so many below: value, distance.
    LaneUp "lane_up" Special Convergent;
    /// The value of the lane so many above: value, distance.
    LaneDown "lane_down" Special Convergent;
    /// The value of the lane so many above, around the end of a cluster of so many (0: all).
    LaneRotate(u8) "lane_rotate" Special Convergent;
    /// Values of several lanes combined.
    LaneCombine(Combine, Group) "lane" Special Convergent;
    /// The value of a lane of the quad: value, number 0 to 3.
    QuadBroadcast "quad_broadcast" Special Convergent;
    /// The value across the quad: 0 horizontally, 1 vertically, 2 diagonally.
    QuadSwap(u8) "quad_swap" Special Convergent;

    /// Turns into a helper lane: runs on for others, but writes nothing.
    Demote "demote" Special Write;
    /// Whether this lane is a helper.
    IsHelper "is_helper" Special Read;
    /// A clock: two 32-bit integers.
    Clock(Scope) "clock" Special Read;
    /// The outputs as they are now become a vertex of a stream.
    EmitVertex(u8) "emit" Special Write;
    /// The primitive of a stream is complete.
    EndPrimitive(u8) "end_primitive" Special Write;

    /// Calls a function of the module.
    Call(FunctionRef) "call" Special Barrier;
    /// Calls the function that the first operand is.
    CallIndirect "call_indirect" Special Barrier;
    /// Traces a ray: structure, flags, mask, offset, stride, miss index, origin, minimum, direction,
    /// maximum, payload.
    TraceRay "trace_ray" Special Barrier;
    /// Reports an intersection: distance, kind; whether it was taken.
    ReportHit "report_hit" Special Barrier;
    /// Calls a callable shader: index, data.
    ExecuteCallable "execute_callable" Special Barrier;
    /// An operation on a ray query or hit object, by SPIR-V's opcode: query, then its operands.
    RayQuery(u16) "ray_query" Special Write;
    /// A pure operation of a target, by the target's number; its meaning is [`Domain::native`](crate::interp::Domain::native).
    Native(u16) "native" Special Pure;

    /// Tells the host a text of the module, by its number, with the operands: scalars and vectors.
    Print(u32) "print" Special Write;
    /// Tells whoever watches that something is wrong, by a number that says what, and goes on.
    Trap(u8) "trap" Special Write;

    /// A construct of one block, for exits from the middle.
    Block "block" Special Construct;
    /// Two blocks by a bool.
    If "if" Special Construct;
    /// Blocks by an integer: the last block is for everything else; the cases are the function's.
    Switch "switch" Special Construct;
    /// Body, then continuing block; the operands are the body's parameters at the start.
    Loop "loop" Special Construct;
    /// Leaves a construct, whatever lies between, with values for its results.
    Exit(Inst) "exit" Special Exit;
    /// Goes to the continuing block of a loop, with values for its parameters.
    Continue(Inst) "continue" Special Exit;
    /// From the continuing block to the body again, with values for its parameters.
    Repeat(Inst) "repeat" Special Exit;
    /// Leaves the function, with its result.
    Return "return" Special Exit;
    /// Ends the invocation; in a fragment shader without outputs.
    Terminate "terminate" Special Exit;
    /// Accepts this hit and ends the search (`true`), or goes on as if it were not there.
    EndHit(bool) "end_hit" Special Exit;
    /// Is never reached.
    Unreachable "unreachable" Special Exit;
}

impl Op {
    /// Whether it ends a block.
    #[inline]
    pub const fn is_exit(self) -> bool {
        matches!(self.effect(), Effect::Exit)
    }

    /// Whether it owns blocks.
    #[inline]
    pub const fn is_construct(self) -> bool {
        matches!(self.effect(), Effect::Construct)
    }

    /// Whether it may be dropped when nothing uses its results.
    #[inline]
    pub const fn is_removable(self) -> bool {
        matches!(self.effect(), Effect::Pure | Effect::Read)
    }

    /// The construct that an exit names.
    #[inline]
    pub const fn target(self) -> Option<Inst> {
        match self {
            Op::Exit(at) | Op::Continue(at) | Op::Repeat(at) => Some(at),
            _ => None,
        }
    }
}
