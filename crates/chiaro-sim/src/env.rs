//! Float environments: the choices in which machines' arithmetic differs.

use chiaro_num::{Encoding, F16, F24, F32, Format, Overflow, Rounding, Tiny};

/// How values of a format are kept in slots of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// As the binary32 number of the same value; the format must fit into it.
    Binary32,
    /// As the format's own bits, zeros above.
    Raw,
}

/// Subnormal operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Denormals {
    /// They count.
    Keep,
    /// Arithmetic reads them as zero of the same sign.
    Flush,
}

/// Which NaN an operation gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NanRule {
    /// Not stated: engines and machines may differ in sign and payload. The
    /// fast one, for machines whose NaNs nobody has measured.
    Any,
    /// The format's canonical NaN without sign.
    Canonical,
    /// The first operand that is a NaN, made quiet; else canonical.
    Propagate,
    /// The last one, made quiet; else canonical.
    PropagateLast,
}

/// Products of zero and infinity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ZeroTimesInfinity {
    /// NaN, as IEEE 754.
    Nan,
    /// Zero; NaN operands still give NaN (PICA200).
    Zero,
    /// Zero times anything is zero, even NaN (the "legacy" products of other GPUs).
    ZeroWins,
}

/// A float environment. See the constants for common ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatEnv {
    /// Format of operands and results.
    pub format: Format,
    /// Where slots keep it.
    pub storage: Storage,
    /// Rounding and what becomes of tiny and huge results.
    pub encoding: Encoding,
    /// Subnormal operands of arithmetic.
    pub denormals: Denormals,
    /// Which NaN.
    pub nan: NanRule,
    /// Zero times infinity.
    pub zero_times_infinity: ZeroTimesInfinity,
    /// There is a negative zero; else every zero result and operand is +0.
    pub negative_zero: bool,
    /// 1/sqrt rounds the root before the division.
    pub rsq_rounds_twice: bool,
}

impl FloatEnv {
    /// binary32 of IEEE 754, to nearest, NaNs not stated.
    pub const IEEE: Self = Self {
        format: F32,
        storage: Storage::Binary32,
        encoding: Encoding {
            rounding: Rounding::NearestEven,
            tiny: Tiny::Keep,
            overflow: Overflow::Directed,
        },
        denormals: Denormals::Keep,
        nan: NanRule::Any,
        zero_times_infinity: ZeroTimesInfinity::Nan,
        negative_zero: true,
        rsq_rounds_twice: false,
    };

    /// The same with subnormal numbers that count as zero, before and after: how graphics
    /// drivers set up the units of GPUs that can keep them.
    pub const FLUSHING: Self = Self {
        denormals: Denormals::Flush,
        encoding: Encoding { tiny: Tiny::FlushSubnormal, ..Self::IEEE.encoding },
        ..Self::IEEE
    };

    /// The same where results are zero if they are too small before they are rounded, with canonical NaNs.
    pub const FLUSHING_BEFORE: Self = Self {
        denormals: Denormals::Flush,
        encoding: Encoding { tiny: Tiny::FlushBefore, ..Self::IEEE.encoding },
        nan: NanRule::Canonical,
        ..Self::IEEE
    };

    /// binary32 as PICA200 emulators compute: products of zero and infinity are zero.
    pub const PICA_EMU32: Self =
        Self { zero_times_infinity: ZeroTimesInfinity::Zero, rsq_rounds_twice: true, ..Self::IEEE };

    /// binary16 of IEEE 754 in its own bits, to nearest, NaNs not stated.
    pub const HALF: Self = Self { format: F16, storage: Storage::Raw, ..Self::IEEE };

    /// float24 of the PICA200, kept as binary32.
    #[must_use]
    pub const fn pica_hw24(rounding: Rounding) -> Self {
        Self {
            format: F24,
            storage: Storage::Binary32,
            encoding: Encoding { rounding, tiny: Tiny::FlushAfter, overflow: Overflow::Infinity },
            denormals: Denormals::Flush,
            nan: NanRule::Canonical,
            zero_times_infinity: ZeroTimesInfinity::Zero,
            negative_zero: false,
            rsq_rounds_twice: false,
        }
    }
}

impl Default for FloatEnv {
    fn default() -> Self {
        Self::IEEE
    }
}
