//! What a node of a block is.

use chiaro_sim::math;

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

    /// The adders' opcode.
    #[inline]
    #[must_use]
    pub fn adder(self) -> Option<u32> {
        Some(match self {
            Op::Add => 0,
            Op::Floor => 1,
            Op::Sign => 2,
            Op::Ge => 4,
            Op::Lt => 5,
            Op::Min => 6,
            Op::Max => 7,
            _ => return None,
        })
    }

    /// The complex unit's opcode that begins the function.
    #[must_use]
    pub fn function(self) -> Option<u32> {
        Some(match self {
            Op::Exp2 => 2,
            Op::Log2 => 3,
            Op::Rsqrt => 4,
            Op::Rcp => 5,
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

    /// Whether the result comes two instructions after the last step, not one: that of complex1.
    #[inline]
    #[must_use]
    pub fn is_late(self) -> bool {
        matches!(self, Op::Rcp | Op::Rsqrt | Op::Exp2)
    }

    /// Instructions from the first step to the last. spec section 5.5.
    #[must_use]
    pub fn span(self) -> u32 {
        match self {
            Op::Rcp | Op::Rsqrt => 1,
            Op::Exp2 => 2,
            Op::Log2 => 3,
            _ => 0,
        }
    }

    /// Instructions from the operands to the result. spec section 5.5.
    #[must_use]
    pub fn latency(self) -> u32 {
        match self {
            Op::Load(_) | Op::Store(_) | Op::Address(_) => 0,
            Op::Rcp | Op::Rsqrt => 3,
            Op::Exp2 | Op::Log2 => 4,
            _ => 1,
        }
    }
}
