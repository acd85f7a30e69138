//! What an instruction does, as far as the shared engines need to know.

/// An operation: one of the target's, or one that every target has in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// The target's operation of this number.
    Machine(u32),
    /// First of an entry: defines what the machine preloads, each in a `fixed` register.
    Start,
    /// One value per predecessor, in the order of the predecessors in the graph of the
    /// definition's domain. Stands at the head of its block.
    Phi,
    /// Copies all uses to all definitions at once, the first to the first and so on. Sizes and
    /// files agree pair by pair. Further definitions, here and in the two below, are bare
    /// registers and scratch.
    Pcopy,
    /// Exchanges two registers: definitions are a, b and uses b, a. Made by lowering a pcopy.
    Swap,
    /// The uses, one after another, become one value.
    Collect,
    /// One value is taken apart into the definitions, one after another.
    Split,
    /// Stores the use into the definition, a place of the file's `spill_to`.
    Spill,
    /// Loads the use, a place of a `spill_to`, into the definition.
    Reload,
    /// Calls: a use names the function, further ones are arguments in `fixed` registers;
    /// the definitions are results. What it destroys is in its clobbers.
    Call,
    /// Leaves the function; the uses are results in `fixed` registers.
    Return,
}

impl Op {
    /// The operations that every target has in common.
    pub const COMMON: [Op; 10] = [
        Op::Start,
        Op::Phi,
        Op::Pcopy,
        Op::Swap,
        Op::Collect,
        Op::Split,
        Op::Spill,
        Op::Reload,
        Op::Call,
        Op::Return,
    ];

    /// The word that the text form uses; `None` for a target's own operation.
    pub fn word(self) -> Option<&'static str> {
        Some(match self {
            Op::Machine(_) => return None,
            Op::Start => "start",
            Op::Phi => "phi",
            Op::Pcopy => "pcopy",
            Op::Swap => "swap",
            Op::Collect => "collect",
            Op::Split => "split",
            Op::Spill => "spill",
            Op::Reload => "reload",
            Op::Call => "call",
            Op::Return => "return",
        })
    }

    /// Whether it only moves values, unit by unit, without computing anything.
    pub fn is_copy(self) -> bool {
        matches!(self, Op::Pcopy | Op::Swap | Op::Collect | Op::Split | Op::Spill | Op::Reload)
    }
}

/// What an instruction does to the state beside its operands: a set of spaces that it reads
/// and one that it writes. Two instructions keep their order where one writes what the other
/// reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Effects {
    /// Spaces that it reads.
    pub reads: u16,
    /// Spaces that it writes.
    pub writes: u16,
}

impl Effects {
    /// Buffers and other memory that other invocations see.
    pub const GLOBAL: u16 = 1 << 0;
    /// Memory of the workgroup.
    pub const SHARED: u16 = 1 << 1;
    /// Memory of the invocation; spills into memory go there.
    pub const SCRATCH: u16 = 1 << 2;
    /// Storage images.
    pub const IMAGE: u16 = 1 << 3;
    /// Outputs of the stage and inputs of the next.
    pub const OUTPUT: u16 = 1 << 4;
    /// Tile or colour buffer.
    pub const TILE: u16 = 1 << 5;
    /// Which lanes count: kills and the order of what depends on coverage.
    pub const COVERAGE: u16 = 1 << 6;
    /// Which lanes run.
    pub const EXEC: u16 = 1 << 7;
    /// How floats are computed.
    pub const MODE: u16 = 1 << 8;
    /// Waits for others: barriers.
    pub const BARRIER: u16 = 1 << 9;
    /// Where execution goes on: a branch, a return. Only at the end of a block.
    pub const CONTROL: u16 = 1 << 10;
    /// The first of five spaces that a target names for itself (flags, address registers).
    pub const TARGET: u16 = 1 << 11;

    /// What the text form calls the spaces, the lowest bit first.
    pub const SPACES: [&'static str; 16] = [
        "global", "shared", "scratch", "image", "output", "tile", "coverage", "exec", "mode", "barrier",
        "control", "target0", "target1", "target2", "target3", "target4",
    ];

    /// Only reads these spaces.
    pub const fn reads(spaces: u16) -> Effects {
        Effects { reads: spaces, writes: 0 }
    }

    /// Only writes these spaces.
    pub const fn writes(spaces: u16) -> Effects {
        Effects { reads: 0, writes: spaces }
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Effects) -> Effects {
        Effects { reads: self.reads | other.reads, writes: self.writes | other.writes }
    }

    /// Whether it ends its block.
    pub fn is_control(self) -> bool {
        self.writes & Effects::CONTROL != 0
    }

    /// Whether it belongs to the tail of a block if it stands there: exits, and changes of
    /// which lanes run. What lanes carry over the edge is copied in front of the tail, so
    /// nothing may come between its instructions. A block in whose course lanes join needs
    /// another instruction behind that, or a block of its own for it.
    pub fn is_tail(self) -> bool {
        self.writes & (Effects::CONTROL | Effects::EXEC) != 0
    }

    /// Whether an instruction with `later` has to stay behind one with `self`.
    pub fn order(self, later: Effects) -> bool {
        self.writes & (later.reads | later.writes) != 0 || self.reads & later.writes != 0
    }
}
