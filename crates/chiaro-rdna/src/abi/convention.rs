//! The contract between functions as data: who keeps which registers, where parameters stand.
//!
//! Every fact of a call is a field here, so a convention of another compiler is one more value and no
//! other code (spec 18.3, 18.4, 18.7, 19.6).

use super::pools::{Block, Files, Span};

/// What two functions have agreed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Convention {
    /// The name under which functions refer to it.
    pub name: String,
    /// Registers of each file that take part, from register 0. VCC is no part of it and belongs to nobody, as SCC
    /// and M0.
    pub limit: Files<u16>,
    /// Who keeps which of them.
    pub keeping: Keeping,
    /// The most registers of each file that parameters take; what is beyond goes to the stack.
    pub most: Option<Files<u16>>,
    /// Where the system's parameters stand.
    pub system: System,
    /// Where the others stand.
    pub arguments: Arguments,
    /// The stack.
    pub stack: Stack,
    /// Counters that may be above 0 at borders between functions.
    pub in_flight: Borders,
    /// The lowest eight bits of MODE at every border, where they are agreed on: how floats are rounded, and whether
    /// denormals count. MODE is kept in any case.
    pub mode: Option<u8>,
    /// Registers that calls give results in beside parameters that are returned.
    pub results: Files<Vec<Span>>,
    /// Where a function keeps its return address while it calls.
    pub return_addresses: ReturnAddresses,
    /// What happens to the registers that an alignment leaves out.
    pub gaps: Gaps,
}

impl Convention {
    /// The stack of return addresses, if they are kept so.
    #[must_use]
    pub fn return_stack(&self) -> Option<ReturnStack> {
        match self.return_addresses {
            ReturnAddresses::Spilled => None,
            ReturnAddresses::InLanes(stack) => Some(stack),
        }
    }

    /// What functions of one program agree on that nobody else calls: nothing is kept for its own sake. What one of
    /// them does not touch its callers find again.
    #[must_use]
    pub fn closed() -> Convention {
        let (placed, absent) = (Seat::Placed, Seat::Absent);
        let limit = Files { sgpr: crate::regs::SGPRS, vgpr: crate::regs::VGPRS };
        Convention {
            name: "closed".to_owned(),
            // A quarter of the file: what does not fit goes to memory and comes back.
            most: Some(Files { sgpr: 32, vgpr: 64 }),
            system: System([placed, absent, absent, placed]),
            ..Convention::plain(limit, Keeping::Nothing)
        }
    }

    /// A convention by its limits and what it keeps, without a name and without a bound of what parameters take: all
    /// is placed, a stack of lanes, nothing on its way where functions meet.
    #[must_use]
    pub fn plain(limit: Files<u16>, keeping: Keeping) -> Convention {
        Convention {
            name: String::new(),
            limit,
            keeping,
            most: None,
            system: System::default(),
            arguments: Arguments::Placed,
            stack: Stack { unit: Unit::Lane, alignment: 4 },
            in_flight: Borders::default(),
            mode: None,
            results: Files::default(),
            return_addresses: ReturnAddresses::Spilled,
            gaps: Gaps::Aligned,
        }
    }
}

/// Who keeps which registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Keeping {
    /// Runs in turns (spec 18.3).
    Blocks(Block),
    /// Nobody keeps anything, but a parameter that is not discardable is left in its register (spec 18.3).
    Nothing,
    /// The callee keeps these, and nothing else.
    Ranges(Files<Vec<Span>>),
}

/// Parameters that every function has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SystemParameter {
    /// Where to go when the function is done.
    ReturnAddress,
    /// The function that each lane calls.
    DivergentPc,
    /// The function that runs now.
    UniformPc,
    /// Where the caller's part of the stack ends.
    StackPointer,
}

impl SystemParameter {
    /// All of them, in the order in which they are placed.
    pub const ALL: [SystemParameter; 4] = [
        SystemParameter::ReturnAddress,
        SystemParameter::DivergentPc,
        SystemParameter::UniformPc,
        SystemParameter::StackPointer,
    ];

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SystemParameter::ReturnAddress => "return_address",
            SystemParameter::DivergentPc => "divergent_pc",
            SystemParameter::UniformPc => "uniform_pc",
            SystemParameter::StackPointer => "stack_pointer",
        }
    }

    /// Registers that it takes.
    #[must_use]
    pub fn size(self) -> u16 {
        if self == SystemParameter::StackPointer { 1 } else { 2 }
    }

    /// Whether each lane has its own.
    #[must_use]
    pub fn is_divergent(self) -> bool {
        self == SystemParameter::DivergentPc
    }
}

/// Where a parameter of the system stands.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Seat {
    /// By the rules of placement.
    #[default]
    Placed,
    /// In the register of this number and those behind it.
    Fixed(u16),
    /// Functions have no such parameter.
    Absent,
}

/// Where the system's parameters stand, in the order of [`SystemParameter::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct System(pub [Seat; 4]);

impl System {
    /// Where one of them stands.
    #[must_use]
    pub fn seat(self, parameter: SystemParameter) -> Seat {
        self.0[parameter as usize]
    }
}

/// How parameters get registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// The largest alignment first, each in the pool of those who keep it (spec 18.4).
    Placed,
    /// In the order of the signature, in these registers.
    InOrder(Files<Vec<Span>>),
}

/// The stack of scratch memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stack {
    /// What the stack pointer counts.
    pub unit: Unit,
    /// Frames are multiples of so many bytes of a lane.
    pub alignment: u16,
}

/// What a stack pointer counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Bytes of a lane, for `scratch_*` (spec 18.7).
    Lane,
    /// Bytes of a wave, for `buffer_*` through a descriptor that every call has to keep (spec 19.6).
    Wave {
        /// The first of the descriptor's four registers.
        descriptor: u16,
    },
}

/// What may be on its way at borders.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Borders {
    /// Where a callee begins.
    pub call: Vec<Counter>,
    /// Where it comes back.
    pub returns: Vec<Counter>,
}

/// A counter of what is on its way (spec 10.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names are the machine's")]
pub enum Counter {
    Vmcnt,
    Vscnt,
    Lgkmcnt,
    Expcnt,
}

impl Counter {
    /// All of them.
    pub const ALL: [Counter; 4] = [Counter::Vmcnt, Counter::Vscnt, Counter::Lgkmcnt, Counter::Expcnt];

    /// Its name in waits.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Counter::Vmcnt => "vmcnt",
            Counter::Vscnt => "vscnt",
            Counter::Lgkmcnt => "lgkmcnt",
            Counter::Expcnt => "expcnt",
        }
    }
}

/// Where a function keeps its return address while it calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReturnAddresses {
    /// In its frame, as any value.
    Spilled,
    /// On a stack in the lanes of two vector registers that nobody else uses.
    InLanes(ReturnStack),
}

/// A stack of return addresses. Each takes a lane of two registers, so that there are as many as a wave has lanes:
///
/// ```text
/// v_writelane_b32 v30, s0, s33        where a function that calls others begins
/// v_writelane_b32 v31, s1, s33
/// s_add_u32 s33, s33, 1
/// ..
/// s_sub_u32 s33, s33, 1               and where it ends
/// v_readlane_b32 s0, v30, s33
/// v_readlane_b32 s1, v31, s33
/// s_setpc_b64 s[0:1]
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReturnStack {
    /// The register with the lower halves; the one behind it has the upper ones.
    pub register: u16,
    /// The scalar register that counts addresses: the lane of the next.
    pub counter: u16,
}

/// What happens to the registers that an alignment leaves out (spec 18.4, step 7).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Gaps {
    /// A parameter takes the lowest run that is aligned; the registers before it stay free, and later ones that are
    /// small enough find them there. A parameter goes to the stack only if no aligned run is free.
    #[default]
    Aligned,
    /// As drivers do: the lowest run of all is moved up to its alignment, or else the parameter goes to the stack; one
    /// later parameter may fill the gap, by a test whose modulo has its operands reversed.
    Upstream,
}
