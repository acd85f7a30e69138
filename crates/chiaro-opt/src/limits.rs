//! What passes may assume and how far they may go: plain data, decided by the compiler's options.

/// What may be assumed of floats beyond IEEE 754, and of loops. All flags are off by default: then every
/// pass keeps results bit for bit (all NaNs count as equal). None of those of floats holds for an operation
/// that is `exact`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Assumptions {
    /// No operand and no result is NaN.
    pub no_nans: bool,
    /// No operand and no result is infinite.
    pub no_infs: bool,
    /// The sign of a zero does not matter.
    pub no_signed_zeros: bool,
    /// A product and a sum may be rounded once, as one `fma`, or twice.
    pub contract: bool,
    /// Sums and products may be grouped in another way, so that they round elsewhere.
    pub reassociate: bool,
    /// A quotient may be a product with the reciprocal, which rounds twice.
    pub reciprocal: bool,
    /// A function may be computed through another one that is mathematically the same: powers as
    /// products, e^x as a power of two, a root through its reciprocal.
    pub approximate: bool,
    /// A loop that something leaves is left in the end, so that it may go where nothing needs it.
    pub progress: bool,
}

impl Assumptions {
    /// Nothing: the meaning of the IR to the bit.
    pub const STRICT: Assumptions = Assumptions {
        no_nans: false,
        no_infs: false,
        no_signed_zeros: false,
        contract: false,
        reassociate: false,
        reciprocal: false,
        approximate: false,
        progress: false,
    };

    /// Numbers only, but each rounded where the source says.
    pub const FINITE: Assumptions =
        Assumptions { no_nans: true, no_infs: true, no_signed_zeros: true, ..Assumptions::STRICT };

    /// What graphics languages allow of values that are not `precise` (GLSL ES 3.20 section 4.7.1,
    /// WGSL section 15.7): everything.
    pub const GRAPHICS: Assumptions = Assumptions {
        contract: true,
        reassociate: true,
        reciprocal: true,
        approximate: true,
        ..Assumptions::FINITE
    };

    /// Whether NaN and infinity are both excluded.
    pub const fn finite(self) -> bool {
        self.no_nans && self.no_infs
    }
}

/// How far the passes go. Costs count instructions that are neither constructs nor exits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// A loop is unrolled if all its rounds together cost at most this.
    pub unroll_cost: u32,
    /// The same of a loop with several exits, of whose rounds some may never run.
    pub unroll_exits: u32,
    /// ... and if there are at most so many rounds.
    pub unroll_rounds: u32,
    /// An `if` becomes selects if both sides together cost at most this.
    pub select_cost: u32,
    /// Which conditions `if_convert` takes.
    pub select_conditions: Conditions,
    /// Components that one operation of the target computes at once: 4 vectorizes, 1 does not.
    pub lanes: u8,
    /// Whether products and sums are chained for a multiply-add (`a*b + (c*d + e)`) rather than
    /// balanced for parallel units.
    pub chains: bool,
}

impl Default for Limits {
    /// Limits that pay on every target known.
    fn default() -> Limits {
        Limits {
            unroll_cost: 256,
            unroll_exits: 256,
            unroll_rounds: 64,
            select_cost: 8,
            select_conditions: Conditions::All,
            lanes: 4,
            chains: true,
        }
    }
}

/// Conditions of an `if` by how they vary between lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conditions {
    /// None: nothing is converted.
    None,
    /// Those that may differ from lane to lane: a branch on the others is cheap.
    Varying,
    /// Every one.
    All,
}
