//! The instruction set, a row an operation, by category. spec sections 3 to 12.

mod cat0;
mod cat1;
mod cat2;
mod cat3;
mod cat4;
mod cat5;
mod cat6;
mod cat7;
mod fields;
mod rules;
mod sources;

use crate::regs::generation;
use chiaro_isa::{Bits, Implicit, Isa, Role, Set, at, operations};
use rules::NO_SATURATION;

/// Every rule by its name: what a context waives that asks for a tool's exact behaviour.
pub const RULES: &[&str] = rules::ALL;

use sources::{
    ADDRESS_LOAD, ALU, BARRIER, CONVERSION, COPY, EMPTY_SLOT, FLOW, HEADER, IR3, ISASPEC, LOCAL, MAD, MEMORY,
    PRIVATE, SEL, SPECIAL, TEXTURE,
};
use std::sync::LazyLock;

/// The sets, prepared, by generation.
static ISAS: [LazyLock<Isa>; 4] = [
    LazyLock::new(|| Isa::new(&SET, 0)),
    LazyLock::new(|| Isa::new(&SET, 1)),
    LazyLock::new(|| Isa::new(&SET, 2)),
    LazyLock::new(|| Isa::new(&SET, 3)),
];

/// The set of a generation, by its index in [`generation`]; A3xx for an unknown one.
pub fn isa(generation: u8) -> &'static Isa {
    ISAS.get(usize::from(generation)).unwrap_or(&ISAS[0])
}

/// The set of A3xx.
pub fn a3xx() -> &'static Isa {
    isa(generation::A3XX)
}

/// The declaration.
pub static SET: Set = Set {
    name: "a3xx",
    title: "Adreno A3xx shader processor",
    about: "Words of 64 bits, bit 63 the highest of the second dword. Later generations are listed where their encodings are known, so that their listings can be read.",
    operations: &[OPS],
    generations: &generation::NAMES,
    dialects: &["mesa", "pgmdump", "pgmdump-2013"],
    rules: &[],
    fold_case: false,
};

/// Where words say their category.
const CATEGORY: Bits = at(61..=63);

/// The category of an operation, which all its forms have.
#[must_use]
#[inline]
pub fn category(op: Op) -> u8 {
    static ALL: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let category = |fixed: &[(Bits, u64)]| {
            fixed.iter().find(|(bits, _)| *bits == CATEGORY).map(|found| found.1 as u8)
        };
        OPS.iter().map(|row| category(row.encodings[0].0.fixed).unwrap_or(0)).collect()
    });
    ALL[usize::from(op.row())]
}

/// Whether an operation reads its third source two slots later than the others: products do, selections do not
/// [ir3_delay].
#[must_use]
#[inline]
pub fn reads_third_late(op: Op) -> bool {
    static ALL: LazyLock<Vec<bool>> =
        LazyLock::new(|| OPS.iter().map(|row| row.class.name == MAD.name).collect());
    ALL[usize::from(op.row())]
}

/// Whether an operation compares.
#[must_use]
pub fn is_comparison(op: Op) -> bool {
    matches!(op, Op::CmpsF | Op::CmpsS | Op::CmpsU)
}

const WRITES_ADDRESS: &[Implicit] = &[Implicit { name: "a0.x", role: Role::Def }];

operations! {
    /// What an instruction does, whatever its encoding.
    pub enum Op => OPS {
        /// Nothing, for one issue slot and as many more as the repeat count.
        Nop "nop" [cat0::PLAIN 0] EMPTY_SLOT ISASPEC;
        /// Jumps where the predicate is true; the others go on.
        Br "br" [cat0::BRANCH 0o010] FLOW ISASPEC;
        /// Jumps where one of two predicates is true.
        Brao "brao" [cat0::BRANCH2 0o011] FLOW ISASPEC;
        /// Jumps where both predicates are true.
        Braa "braa" [cat0::BRANCH2 0o012] FLOW ISASPEC;
        /// Jumps on a condition of the hardware.
        Brac "brac" [cat0::BRANCH_INDEX 0o013] FLOW ISASPEC;
        /// Jumps if the predicate is true in any lane.
        Bany "bany" [cat0::BRANCH_A5XX 0o014] FLOW ISASPEC;
        /// Jumps if the predicate is true in all lanes.
        Ball "ball" [cat0::BRANCH_A5XX 0o015] FLOW ISASPEC;
        /// A branch that is known by its encoding alone.
        Brax "brax" [cat0::BRANCH 0o016] FLOW ISASPEC;
        /// Jumps.
        Jump "jump" [cat0::JUMP 2] FLOW ISASPEC;
        /// Jumps and remembers where it came from.
        Call "call" [cat0::JUMP 3] FLOW ISASPEC;
        /// Returns from a call.
        Ret "ret" [cat0::PLAIN 4] FLOW ISASPEC;
        /// Turns the fragments whose predicate is true into helpers.
        Kill "kill" [cat0::KILL 5] FLOW ISASPEC;
        /// Ends the program.
        End "end" [cat0::PLAIN 6] FLOW ISASPEC;
        /// Emits a vertex of a geometry program.
        Emit "emit" [cat0::PLAIN 7] FLOW ISASPEC;
        /// Ends a primitive of a geometry program.
        Cut "cut" [cat0::PLAIN 8] FLOW ISASPEC;
        /// Sets the mask of chained stages.
        Chmask "chmask" [cat0::PLAIN 9] FLOW ISASPEC;
        /// Starts the chained stage.
        Chsh "chsh" [cat0::PLAIN 10] FLOW ISASPEC;
        /// Unknown.
        FlowRev "flow_rev" [cat0::PLAIN 11] FLOW ISASPEC;
        /// Unknown; with a place.
        Bkt "bkt" [cat0::JUMP_A6XX 16] FLOW ISASPEC;
        /// Elects one lane, the others jump.
        Getone "getone" [cat0::JUMP_A5XX 21] FLOW ISASPEC;
        /// Begins the preamble.
        Shps "shps" [cat0::JUMP_A6XX 23] FLOW ISASPEC;
        /// Ends the preamble.
        Shpe "shpe" [cat0::PLAIN_A6XX 24] FLOW ISASPEC;
        /// Begins a region for lanes whose predicate is true.
        Predt "predt" [cat0::PLAIN_A6XX 29] FLOW ISASPEC;
        /// Begins a region for lanes whose predicate is false.
        Predf "predf" [cat0::PLAIN_A6XX 30] FLOW ISASPEC;
        /// Ends a predicated region.
        Prede "prede" [cat0::PLAIN_A6XX 31] FLOW ISASPEC;

        /// Loads a0.x, the offset of relative operands, from 16 bits.
        Mova "mova" [cat1::MOVA 0, cat1::MOVA_CONST 0, cat1::MOVA_IMMEDIATE 0] ADDRESS_LOAD ISASPEC { implicit: WRITES_ADDRESS };
        /// Copies bits.
        Mov "mov" [
            cat1::MOV 0o00, cat1::MOV 0o11, cat1::MOV 0o22, cat1::MOV 0o33,
            cat1::MOV 0o44, cat1::MOV 0o55, cat1::MOV 0o66, cat1::MOV 0o77,
            cat1::MOV_CONST 0o00, cat1::MOV_CONST 0o11, cat1::MOV_CONST 0o22, cat1::MOV_CONST 0o33,
            cat1::MOV_CONST 0o44, cat1::MOV_CONST 0o55, cat1::MOV_CONST 0o66, cat1::MOV_CONST 0o77,
            cat1::MOV_IMMEDIATE 0o00, cat1::MOV_IMMEDIATE 0o11, cat1::MOV_IMMEDIATE 0o22,
            cat1::MOV_IMMEDIATE 0o33, cat1::MOV_IMMEDIATE 0o44, cat1::MOV_IMMEDIATE 0o55,
            cat1::MOV_IMMEDIATE 0o66, cat1::MOV_IMMEDIATE 0o77,
        ] COPY ISASPEC;
        /// Converts; without a rounding modifier toward zero.
        Cov "cov" [cat1::COV 0, cat1::COV_CONST 0, cat1::COV_IMMEDIATE 0] CONVERSION ISASPEC;
        /// Exchanges two registers.
        Swz "swz" [cat1::SWZ 0] COPY ISASPEC;
        /// Collects four registers into consecutive ones.
        Gat "gat" [cat1::GAT 1] COPY ISASPEC;
        /// Spreads consecutive registers over four.
        Sct "sct" [cat1::SCT 2] COPY ISASPEC;
        /// The mask of active lanes.
        Movmsk "movmsk" [cat1::MOVMSK 0] COPY ISASPEC;

        /// Sum.
        AddF "add.f" [cat2::FLOAT 0] ALU ISASPEC;
        /// The smaller; the other if one is not a number.
        MinF "min.f" [cat2::FLOAT 1] ALU ISASPEC;
        /// The larger; the other if one is not a number.
        MaxF "max.f" [cat2::FLOAT 2] ALU ISASPEC;
        /// Product.
        MulF "mul.f" [cat2::FLOAT 3] ALU ISASPEC;
        /// -1, 0 or 1.
        SignF "sign.f" [cat2::FLOAT1 4] ALU ISASPEC;
        /// 1 where the relation holds, else 0; or a predicate.
        CmpsF "cmps.f" [cat2::COMPARE 5] ALU ISASPEC;
        /// Copies with sign and magnitude.
        AbsnegF "absneg.f" [cat2::FLOAT1 6] ALU ISASPEC;
        /// All bits set where the relation holds, else 0; no compiler uses it.
        CmpvF "cmpv.f" [cat2::COMPARE 7] ALU ISASPEC;
        /// Rounds down.
        FloorF "floor.f" [cat2::FLOAT1 9] ALU ISASPEC;
        /// Rounds up.
        CeilF "ceil.f" [cat2::FLOAT1 10] ALU ISASPEC;
        /// Rounds to the nearest, ties to even.
        RndneF "rndne.f" [cat2::FLOAT1 11] ALU ISASPEC;
        /// Rounds to the nearest, ties away from zero.
        RndazF "rndaz.f" [cat2::FLOAT1 12] ALU ISASPEC;
        /// Rounds toward zero.
        TruncF "trunc.f" [cat2::FLOAT1 13] ALU ISASPEC;
        /// Sum, wrapping.
        AddU "add.u" [cat2::INTEGER 16] ALU ISASPEC;
        /// Sum, wrapping; saturates as a signed number.
        AddS "add.s" [cat2::INTEGER 17] ALU ISASPEC;
        /// Difference, wrapping.
        SubU "sub.u" [cat2::INTEGER 18] ALU ISASPEC;
        /// Difference, wrapping; saturates as a signed number.
        SubS "sub.s" [cat2::INTEGER 19] ALU ISASPEC;
        /// 1 where the relation of unsigned numbers holds, else 0; or a predicate.
        CmpsU "cmps.u" [cat2::COMPARE_INTEGER 20] ALU ISASPEC;
        /// 1 where the relation of signed numbers holds, else 0; or a predicate.
        CmpsS "cmps.s" [cat2::COMPARE_INTEGER 21] ALU ISASPEC;
        /// The smaller of unsigned numbers.
        MinU "min.u" [cat2::INTEGER 22] ALU ISASPEC;
        /// The smaller of signed numbers.
        MinS "min.s" [cat2::INTEGER 23] ALU ISASPEC;
        /// The larger of unsigned numbers.
        MaxU "max.u" [cat2::INTEGER 24] ALU ISASPEC;
        /// The larger of signed numbers.
        MaxS "max.s" [cat2::INTEGER 25] ALU ISASPEC;
        /// Copies with sign and magnitude of an integer.
        AbsnegS "absneg.s" [cat2::SIGNED1 26] ALU ISASPEC;
        /// Bits set in both; (neg) is the complement.
        AndB "and.b" [cat2::BITS 28] ALU ISASPEC;
        /// Bits set in one or both.
        OrB "or.b" [cat2::BITS 29] ALU ISASPEC;
        /// Complement.
        NotB "not.b" [cat2::BITS1 30] ALU ISASPEC;
        /// Bits that differ.
        XorB "xor.b" [cat2::BITS 31] ALU ISASPEC;
        /// All bits set where the relation of unsigned numbers holds; no compiler uses it.
        CmpvU "cmpv.u" [cat2::COMPARE_INTEGER 33] ALU ISASPEC;
        /// All bits set where the relation of signed numbers holds; no compiler uses it.
        CmpvS "cmpv.s" [cat2::COMPARE_INTEGER 34] ALU ISASPEC;
        /// Low 32 bits of the product of unsigned numbers of 24 bits.
        MulU24 "mul.u24" [cat2::INTEGER 48] ALU ISASPEC { aliases: &[(1, "mul.u"), (2, "mul.u")] };
        /// Low 32 bits of the product of signed numbers of 24 bits.
        MulS24 "mul.s24" [cat2::INTEGER 49] ALU ISASPEC { aliases: &[(1, "mul.s"), (2, "mul.s")] };
        /// Product of the low halves, 32 bits.
        MullU "mull.u" [cat2::INTEGER 50] ALU ISASPEC;
        /// Reverses 32 bits.
        BfrevB "bfrev.b" [cat2::BITS1 51] ALU ISASPEC;
        /// Counts leading bits equal to the sign, as far as is known.
        ClzS "clz.s" [cat2::INTEGER1 52] ALU ISASPEC;
        /// Counts leading zeros; 32 for 0.
        ClzB "clz.b" [cat2::BITS1 53] ALU ISASPEC;
        /// Shifts left by the low five bits.
        ShlB "shl.b" [cat2::BITS 54] ALU ISASPEC;
        /// Shifts right, zeros in.
        ShrB "shr.b" [cat2::BITS 55] ALU ISASPEC;
        /// Shifts right, sign in.
        AshrB "ashr.b" [cat2::BITS 56] ALU ISASPEC;
        /// Interpolates a varying scalar with the barycentric pair in the second source.
        BaryF "bary.f" [cat2::VARYING 57] ALU ISASPEC { rules: &[NO_SATURATION] };
        /// The value of a flat varying.
        FlatB "flat.b" [cat2::FLAT 57] ALU ISASPEC;
        /// Generates a mask; unused.
        MgenB "mgen.b" [cat2::BITS 58] ALU ISASPEC;
        /// Extracts bits; unused, said to be of A4xx.
        GetbitB "getbit.b" [cat2::BITS 59] ALU ISASPEC;
        /// Sets the rounding mode; unused.
        Setrm "setrm" [cat2::INTEGER1 60] ALU ISASPEC;
        /// Counts set bits.
        CbitsB "cbits.b" [cat2::BITS1 61] ALU ISASPEC;
        /// Unknown, perhaps a shift by bytes; unused.
        Shb "shb" [cat2::INTEGER 62] ALU ISASPEC;
        /// Sum of absolute differences under a mask; unused.
        Msad "msad" [cat2::INTEGER 63] ALU ISASPEC;

        /// Product plus sum of unsigned halves.
        MadU16 "mad.u16" [cat3::INTEGER_HALF 0] MAD ISASPEC;
        /// Unknown; unused.
        MadshU16 "madsh.u16" [cat3::INTEGER 1] MAD ISASPEC;
        /// Product plus sum of signed halves.
        MadS16 "mad.s16" [cat3::INTEGER_HALF 2] MAD ISASPEC;
        /// Adds the low half of the first times the high half of the second, shifted by 16.
        MadshM16 "madsh.m16" [cat3::INTEGER 3] MAD ISASPEC;
        /// Product of unsigned numbers of 24 bits, plus 32 bits.
        MadU24 "mad.u24" [cat3::INTEGER 4] MAD ISASPEC;
        /// Product of signed numbers of 24 bits, plus 32 bits.
        MadS24 "mad.s24" [cat3::INTEGER 5] MAD ISASPEC;
        /// Product plus sum of half floats.
        MadF16 "mad.f16" [cat3::FLOAT_HALF 6] MAD ISASPEC;
        /// Product plus sum of floats; whether the product is rounded is unknown.
        MadF32 "mad.f32" [cat3::FLOAT 7] MAD ISASPEC;
        /// The first where the second is not zero, else the third.
        SelB16 "sel.b16" [cat3::INTEGER_HALF 8] SEL IR3 { rules: &[NO_SATURATION] };
        /// The first where the second is not zero, else the third.
        SelB32 "sel.b32" [cat3::INTEGER 9] SEL IR3 { rules: &[NO_SATURATION] };
        /// The first where the second is not negative, else the third.
        SelS16 "sel.s16" [cat3::INTEGER_HALF 10] SEL IR3 { rules: &[NO_SATURATION] };
        /// The first where the second is not negative, else the third.
        SelS32 "sel.s32" [cat3::INTEGER 11] SEL IR3 { rules: &[NO_SATURATION] };
        /// The first where the second is at least zero, else the third.
        SelF16 "sel.f16" [cat3::FLOAT_HALF 12] SEL IR3 { rules: &[NO_SATURATION] };
        /// The first where the second is at least zero, else the third.
        SelF32 "sel.f32" [cat3::FLOAT 13] SEL IR3 { rules: &[NO_SATURATION] };
        /// Sum of three halves on later machines; unknown on A3xx.
        SadS16 "sad.s16" [cat3::SUM_HALF 14] SEL ISASPEC;
        /// Sum of three on later machines; unknown on A3xx.
        SadS32 "sad.s32" [cat3::SUM 15] SEL ISASPEC;

        /// 1 divided by the source.
        Rcp "rcp" [cat4::SPECIAL 0] SPECIAL ISASPEC;
        /// 1 divided by the square root.
        Rsq "rsq" [cat4::SPECIAL 1] SPECIAL ISASPEC;
        /// Logarithm to base two.
        Log2 "log2" [cat4::SPECIAL 2] SPECIAL ISASPEC;
        /// Two to the power of the source.
        Exp2 "exp2" [cat4::SPECIAL 3] SPECIAL ISASPEC;
        /// Sine of an angle in radians between -pi and pi.
        Sin "sin" [cat4::SPECIAL 4] SPECIAL ISASPEC;
        /// Cosine of an angle in radians between -pi and pi.
        Cos "cos" [cat4::SPECIAL 5] SPECIAL ISASPEC;
        /// Square root.
        Sqrt "sqrt" [cat4::SPECIAL 6] SPECIAL ISASPEC;
        /// 1 divided by the square root, half precision.
        Hrsq "hrsq" [cat4::SPECIAL_A5XX 9] SPECIAL ISASPEC;
        /// Logarithm to base two, half precision.
        Hlog2 "hlog2" [cat4::SPECIAL_A6XX 10] SPECIAL ISASPEC;
        /// Two to the power of the source, half precision.
        Hexp2 "hexp2" [cat4::SPECIAL_A6XX 11] SPECIAL ISASPEC;

        /// Fetches a texel by integer coordinates, level 0.
        Isam "isam" [cat5::FETCH 0, cat5::FETCH_O 0, cat5::FETCH_S 0, cat5::FETCH_OS 0] TEXTURE ISASPEC;
        /// Fetches a texel of a level.
        Isaml "isaml" [cat5::LEVEL 1, cat5::LEVEL_S 1] TEXTURE ISASPEC;
        /// Fetches a sample of a texel; A4xx and later use it.
        Isamm "isamm" [cat5::SAMPLE 2, cat5::SAMPLE_O 2, cat5::SAMPLE_S 2, cat5::SAMPLE_OS 2] TEXTURE ISASPEC;
        /// Samples at the level that the derivatives ask for.
        Sam "sam" [cat5::SAMPLE 3, cat5::SAMPLE_O 3, cat5::SAMPLE_S 3, cat5::SAMPLE_OS 3] TEXTURE ISASPEC;
        /// Samples with a bias of the level.
        Samb "samb" [cat5::LEVEL 4, cat5::LEVEL_S 4] TEXTURE ISASPEC;
        /// Samples at a level.
        Saml "saml" [cat5::LEVEL 5, cat5::LEVEL_S 5] TEXTURE ISASPEC;
        /// Samples with gradients behind the coordinates.
        Samgq "samgq" [cat5::SAMPLE 6, cat5::SAMPLE_O 6, cat5::SAMPLE_S 6, cat5::SAMPLE_OS 6] TEXTURE ISASPEC;
        /// The level that would be sampled, 8 bits of fraction.
        Getlod "getlod" [cat5::SAMPLE 7, cat5::SAMPLE_O 7, cat5::SAMPLE_S 7, cat5::SAMPLE_OS 7] TEXTURE ISASPEC;
        /// Convolution; unused.
        Conv "conv" [cat5::LEVEL 8, cat5::LEVEL_S 8] TEXTURE ISASPEC;
        /// Convolution; unused.
        Convm "convm" [cat5::LEVEL 9, cat5::LEVEL_S 9] TEXTURE ISASPEC;
        /// Size of a level; layers less one in w on A3xx.
        Getsize "getsize" [cat5::QUERY 10, cat5::QUERY_O 10, cat5::ALONE_S 10, cat5::ALONE_OS 10] TEXTURE ISASPEC;
        /// Size of a buffer.
        Getbuf "getbuf" [cat5::INFO 11, cat5::INFO_O 11, cat5::INFO_S 11] TEXTURE ISASPEC;
        /// Position of a sample.
        Getpos "getpos" [cat5::QUERY 12, cat5::QUERY_O 12, cat5::ALONE_S 12, cat5::ALONE_OS 12] TEXTURE ISASPEC;
        /// Channel type and order, levels less one, samples.
        Getinfo "getinfo" [cat5::INFO 13, cat5::INFO_O 13, cat5::INFO_S 13] TEXTURE ISASPEC;
        /// Difference to the neighbour in x, once per quad.
        Dsx "dsx" [cat5::ALONE 14, cat5::ALONE_O 14, cat5::ALONE_S 14, cat5::ALONE_OS 14] TEXTURE ISASPEC;
        /// Difference to the neighbour in y, once per quad.
        Dsy "dsy" [cat5::ALONE 15, cat5::ALONE_O 15, cat5::ALONE_S 15, cat5::ALONE_OS 15] TEXTURE ISASPEC;
        /// Gathers the first channel of four texels; A4xx and later use it.
        Gather4r "gather4r" [cat5::SAMPLE 16, cat5::SAMPLE_O 16, cat5::SAMPLE_S 16, cat5::SAMPLE_OS 16] TEXTURE ISASPEC;
        /// Gathers the second channel.
        Gather4g "gather4g" [cat5::SAMPLE 17, cat5::SAMPLE_O 17, cat5::SAMPLE_S 17, cat5::SAMPLE_OS 17] TEXTURE ISASPEC;
        /// Gathers the third channel.
        Gather4b "gather4b" [cat5::SAMPLE 18, cat5::SAMPLE_O 18, cat5::SAMPLE_S 18, cat5::SAMPLE_OS 18] TEXTURE ISASPEC;
        /// Gathers the fourth channel.
        Gather4a "gather4a" [cat5::SAMPLE 19, cat5::SAMPLE_O 19, cat5::SAMPLE_S 19, cat5::SAMPLE_OS 19] TEXTURE ISASPEC;
        /// Samples with the gradients of the first pixel of the quad.
        Samgp0 "samgp0" [cat5::SAMPLE 20, cat5::SAMPLE_O 20, cat5::SAMPLE_S 20, cat5::SAMPLE_OS 20] TEXTURE ISASPEC;
        /// Samples with the gradients of the second pixel.
        Samgp1 "samgp1" [cat5::SAMPLE 21, cat5::SAMPLE_O 21, cat5::SAMPLE_S 21, cat5::SAMPLE_OS 21] TEXTURE ISASPEC;
        /// Samples with the gradients of the third pixel.
        Samgp2 "samgp2" [cat5::SAMPLE 22, cat5::SAMPLE_O 22, cat5::SAMPLE_S 22, cat5::SAMPLE_OS 22] TEXTURE ISASPEC;
        /// Samples with the gradients of the fourth pixel.
        Samgp3 "samgp3" [cat5::SAMPLE 23, cat5::SAMPLE_O 23, cat5::SAMPLE_S 23, cat5::SAMPLE_OS 23] TEXTURE ISASPEC;
        /// First pass of a fine difference in x; A5xx and later use it.
        Dsxpp1 "dsxpp.1" [cat5::FINE 24] TEXTURE ISASPEC;
        /// First pass of a fine difference in y.
        Dsypp1 "dsypp.1" [cat5::FINE 25] TEXTURE ISASPEC;
        /// Position of a sample of the target.
        Rgetpos "rgetpos" [cat5::ALONE 26, cat5::ALONE_O 26, cat5::ALONE_S 26, cat5::ALONE_OS 26] TEXTURE ISASPEC;
        /// Information about the target.
        Rgetinfo "rgetinfo" [cat5::BARE 27] TEXTURE ISASPEC;
        /// Invalidates the texture cache.
        Tcinv "tcinv" [cat5::CACHE 28] TEXTURE ISASPEC;

        /// Loads from global memory.
        Ldg "ldg" [cat6::LOAD_GLOBAL 0] MEMORY ISASPEC;
        /// Loads from local memory.
        Ldl "ldl" [cat6::LOAD_LOCAL 1] LOCAL ISASPEC;
        /// Loads from private memory.
        Ldp "ldp" [cat6::LOAD_PRIVATE 2] PRIVATE ISASPEC;
        /// Stores to global memory.
        Stg "stg" [cat6::STORE_GLOBAL 3] MEMORY ISASPEC;
        /// Stores to local memory.
        Stl "stl" [cat6::STORE_LOCAL 4] LOCAL ISASPEC;
        /// Stores to private memory.
        Stp "stp" [cat6::STORE_PRIVATE 5] PRIVATE ISASPEC;
        /// Loads from an image.
        Ldib "ldib" [cat6::LOAD_IMAGE 6] MEMORY ISASPEC;
        /// Loads from local memory between geometry stages.
        Ldlw "ldlw" [cat6::LOAD_LOCAL 10] LOCAL ISASPEC;
        /// Stores to local memory between geometry stages.
        Stlw "stlw" [cat6::STORE_LOCAL 11] LOCAL ISASPEC;
        /// Size of a buffer or image.
        Resinfo "resinfo" [cat6::SIZE 15] MEMORY ISASPEC;
        /// Adds to local memory.
        AtomicAdd "atomic.add" [cat6::ATOMIC_LOCAL 16] LOCAL ISASPEC;
        /// Subtracts from local memory.
        AtomicSub "atomic.sub" [cat6::ATOMIC_LOCAL 17] LOCAL ISASPEC;
        /// Exchanges with local memory.
        AtomicXchg "atomic.xchg" [cat6::ATOMIC_LOCAL 18] LOCAL ISASPEC;
        /// Adds one in local memory.
        AtomicInc "atomic.inc" [cat6::ATOMIC_LOCAL 19] LOCAL ISASPEC;
        /// Subtracts one in local memory.
        AtomicDec "atomic.dec" [cat6::ATOMIC_LOCAL 20] LOCAL ISASPEC;
        /// Exchanges with local memory where it is as expected.
        AtomicCmpxchg "atomic.cmpxchg" [cat6::ATOMIC_LOCAL 21] LOCAL ISASPEC;
        /// Keeps the smaller in local memory.
        AtomicMin "atomic.min" [cat6::ATOMIC_LOCAL 22] LOCAL ISASPEC;
        /// Keeps the larger in local memory.
        AtomicMax "atomic.max" [cat6::ATOMIC_LOCAL 23] LOCAL ISASPEC;
        /// Clears bits in local memory.
        AtomicAnd "atomic.and" [cat6::ATOMIC_LOCAL 24] LOCAL ISASPEC;
        /// Sets bits in local memory.
        AtomicOr "atomic.or" [cat6::ATOMIC_LOCAL 25] LOCAL ISASPEC;
        /// Flips bits in local memory.
        AtomicXor "atomic.xor" [cat6::ATOMIC_LOCAL 26] LOCAL ISASPEC;
        /// Adds to a buffer.
        AtomicSAdd "atomic.s.add" [cat6::ATOMIC_GLOBAL 16, cat6::ATOMIC_GLOBAL_A5XX 16] MEMORY ISASPEC { aliases: &[(1, "atomic.add"), (2, "atomic.add")] };
        /// Subtracts from a buffer.
        AtomicSSub "atomic.s.sub" [cat6::ATOMIC_GLOBAL 17, cat6::ATOMIC_GLOBAL_A5XX 17] MEMORY ISASPEC { aliases: &[(1, "atomic.sub"), (2, "atomic.sub")] };
        /// Exchanges with a buffer.
        AtomicSXchg "atomic.s.xchg" [cat6::ATOMIC_GLOBAL 18, cat6::ATOMIC_GLOBAL_A5XX 18] MEMORY ISASPEC { aliases: &[(1, "atomic.xchg"), (2, "atomic.xchg")] };
        /// Adds one in a buffer.
        AtomicSInc "atomic.s.inc" [cat6::ATOMIC_GLOBAL 19, cat6::ATOMIC_GLOBAL_A5XX 19] MEMORY ISASPEC { aliases: &[(1, "atomic.inc"), (2, "atomic.inc")] };
        /// Subtracts one in a buffer.
        AtomicSDec "atomic.s.dec" [cat6::ATOMIC_GLOBAL 20, cat6::ATOMIC_GLOBAL_A5XX 20] MEMORY ISASPEC { aliases: &[(1, "atomic.dec"), (2, "atomic.dec")] };
        /// Exchanges with a buffer where it is as expected.
        AtomicSCmpxchg "atomic.s.cmpxchg" [cat6::ATOMIC_GLOBAL 21, cat6::ATOMIC_GLOBAL_A5XX 21] MEMORY ISASPEC { aliases: &[(1, "atomic.cmpxchg"), (2, "atomic.cmpxchg")] };
        /// Keeps the smaller in a buffer.
        AtomicSMin "atomic.s.min" [cat6::ATOMIC_GLOBAL 22, cat6::ATOMIC_GLOBAL_A5XX 22] MEMORY ISASPEC { aliases: &[(1, "atomic.min"), (2, "atomic.min")] };
        /// Keeps the larger in a buffer.
        AtomicSMax "atomic.s.max" [cat6::ATOMIC_GLOBAL 23, cat6::ATOMIC_GLOBAL_A5XX 23] MEMORY ISASPEC { aliases: &[(1, "atomic.max"), (2, "atomic.max")] };
        /// Clears bits in a buffer.
        AtomicSAnd "atomic.s.and" [cat6::ATOMIC_GLOBAL 24, cat6::ATOMIC_GLOBAL_A5XX 24] MEMORY ISASPEC { aliases: &[(1, "atomic.and"), (2, "atomic.and")] };
        /// Sets bits in a buffer.
        AtomicSOr "atomic.s.or" [cat6::ATOMIC_GLOBAL 25, cat6::ATOMIC_GLOBAL_A5XX 25] MEMORY ISASPEC { aliases: &[(1, "atomic.or"), (2, "atomic.or")] };
        /// Flips bits in a buffer.
        AtomicSXor "atomic.s.xor" [cat6::ATOMIC_GLOBAL 26, cat6::ATOMIC_GLOBAL_A5XX 26] MEMORY ISASPEC { aliases: &[(1, "atomic.xor"), (2, "atomic.xor")] };
        /// Loads from a buffer.
        Ldgb "ldgb" [cat6::LOAD_BUFFER 27, cat6::LOAD_BUFFER_A5XX 27] MEMORY ISASPEC;
        /// Stores to a buffer.
        Stgb "stgb" [cat6::STORE_BUFFER 28, cat6::STORE_BUFFER_A5XX 28] MEMORY ISASPEC;
        /// Stores to an image.
        Stib "stib" [cat6::STORE_BUFFER 29, cat6::STORE_BUFFER_A5XX 29] MEMORY ISASPEC;
        /// Loads from varying storage.
        Ldlv "ldlv" [cat6::LOAD_VARYING 31] LOCAL ISASPEC;

        /// Waits for the lanes of a group.
        Bar "bar" [cat7::BARRIER 0] BARRIER HEADER;
        /// Orders memory operations.
        Fence "fence" [cat7::BARRIER 1] BARRIER HEADER;
        /// Pauses.
        Sleep "sleep" [cat7::SLEEP 2] BARRIER ISASPEC;
        /// Invalidates the instruction cache.
        Icinv "icinv" [cat7::PLAIN 3] BARRIER ISASPEC;
        /// Writes a data cache back.
        Dccln "dccln" [cat7::CACHE 4] BARRIER ISASPEC;
        /// Invalidates a data cache.
        Dcinv "dcinv" [cat7::CACHE 5] BARRIER ISASPEC;
        /// Writes a data cache back and invalidates it.
        Dcflu "dcflu" [cat7::CACHE 6] BARRIER ISASPEC;
    }
}
