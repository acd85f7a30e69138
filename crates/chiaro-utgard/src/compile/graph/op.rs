//! Operations of the graph, with the latencies of the rows that they become.

use chiaro_sim::math;

use crate::isa::{Add0, Complex, Mul0, Pass};

/// Where a value that is loaded comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// Attribute and component.
    Attribute(u8, u8),
    /// vec4 of uniform memory and component.
    Uniform(u16, u8),
    /// A constant, by its bits.
    Constant(u32),
    /// Register and component, for values of other blocks.
    Register(u8, u8),
    /// vec4 of uniform memory and component, where the program stores as well.
    Temporary(u16, u8),
    /// The same from a vec4 on, behind address register 1 to 3: vec4, component, register.
    Indexed(u16, u8, u8),
}

impl Source {
    /// Whether it is the same value wherever it is loaded.
    #[must_use]
    pub fn is_lasting(self) -> bool {
        matches!(self, Source::Attribute(..) | Source::Uniform(..) | Source::Constant(_))
    }
}

/// Where a value is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// Output and component.
    Output(u8, u8),
    /// Register and component.
    Register(u8, u8),
    /// Component of the vec4 of uniform memory that a second operand counts.
    Temporary(u8),
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A value that a port loads.
    Load(Source),
    /// Product; the flag turns its sign.
    Mul(bool),
    /// A value with its sign turned, for what takes none; a multiplier's work or an adder's.
    Neg,
    /// Sum.
    Add,
    /// Largest integer not above.
    Floor,
    /// -1, 0 or 1.
    Sign,
    /// 1 where the first is greater or equal.
    Ge,
    /// 1 where the first is less.
    Lt,
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// Condition, value if it is not zero, value if it is.
    Select,
    /// 1 / x.
    Rcp,
    /// 1 / sqrt(x).
    Rsqrt,
    /// 2 to the power of x.
    Exp2,
    /// Logarithm to base 2.
    Log2,
    /// Between two constants, by their bits.
    Clamp(u32, u32),
    /// Stores its operand; a root.
    Store(Place),
    /// Sets an address register, 1 to 3, for all loads of the block through it; a root.
    Address(u8),
    /// Leaves the block if its operand is 1; a root.
    Branch,
}

impl Op {
    /// Whether it is kept without a use.
    #[must_use]
    pub fn is_root(self) -> bool {
        matches!(self, Op::Store(_) | Op::Address(_) | Op::Branch)
    }

    /// Whether its units turn no sign of an operand.
    #[must_use]
    pub fn is_unsigned(self) -> bool {
        matches!(self, Op::Clamp(..) | Op::Store(_) | Op::Address(_))
    }

    /// The adders' operation.
    #[inline]
    #[must_use]
    pub fn adder(self) -> Option<Add0> {
        Some(match self {
            Op::Add => Add0::Add,
            Op::Floor => Add0::Floor,
            Op::Sign => Add0::Sign,
            Op::Ge => Add0::Ge,
            Op::Lt => Add0::Lt,
            Op::Min => Add0::Min,
            Op::Max => Add0::Max,
            _ => return None,
        })
    }

    /// The complex unit's operation that begins the function.
    #[must_use]
    pub fn function(self) -> Option<Complex> {
        Some(match self {
            Op::Exp2 => Complex::Exp2,
            Op::Log2 => Complex::Log2,
            Op::Rsqrt => Complex::Rsqrt,
            Op::Rcp => Complex::Rcp,
            _ => return None,
        })
    }

    /// A function of a number, with the same bits on every machine.
    #[must_use]
    pub fn of_number(self, x: f32) -> Option<f32> {
        let x = f64::from(x);
        Some(match self {
            Op::Rcp => 1.0 / x,
            Op::Rsqrt => 1.0 / x.sqrt(),
            Op::Exp2 => math::exp2(x),
            Op::Log2 => math::log2(x),
            _ => return None,
        } as f32)
    }

    /// Whether one unit, or both multipliers, does it in one instruction with operands of any kind.
    #[inline]
    #[must_use]
    pub fn is_single(self) -> bool {
        matches!(self, Op::Mul(_) | Op::Neg | Op::Select) || self.adder().is_some()
    }

    /// Whether the result comes later than in the next instruction: that of complex1.
    #[inline]
    #[must_use]
    pub fn is_late(self) -> bool {
        self.window().0 > 1
    }

    /// Instructions from the last step to the first and the last that can read the result.
    #[inline]
    #[must_use]
    pub fn window(self) -> (u32, u32) {
        const MULTIPLIER: (u32, u32) = Mul0::Mul.window();
        const ADDER: (u32, u32) = Add0::Add.window();
        const PASS: (u32, u32) = Pass::Mov.window();
        const LAST_STEP: (u32, u32) = Mul0::Complex1.window();
        match self {
            // Multipliers and adders have the same window.
            Op::Mul(_) | Op::Select | Op::Neg => MULTIPLIER,
            Op::Rcp | Op::Rsqrt | Op::Exp2 => LAST_STEP,
            Op::Log2 | Op::Clamp(..) | Op::Branch => PASS,
            Op::Load(_) | Op::Store(_) | Op::Address(_) => (0, 0),
            Op::Add | Op::Floor | Op::Sign | Op::Ge | Op::Lt | Op::Min | Op::Max => ADDER,
        }
    }

    /// Instructions from the first step to the last: what the steps before that wait for each
    /// other. spec section 5.5.
    #[must_use]
    pub fn span(self) -> u32 {
        const FIRST: u32 = Complex::Rcp.window().0;
        match self {
            Op::Rcp | Op::Rsqrt => FIRST,
            Op::Exp2 => Pass::Preexp2.window().0 + FIRST,
            Op::Log2 => FIRST + Mul0::Complex1.window().0,
            _ => 0,
        }
    }

    /// Instructions from the operands to the result.
    #[must_use]
    pub fn latency(self) -> u32 {
        self.span() + self.window().0
    }
}
