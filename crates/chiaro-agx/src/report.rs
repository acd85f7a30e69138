//! Statistics of code under the names of Mesa's reports, computed from the words as its cycle model has
//! them (spec 11.1, 20), and ours beside them.
//!
//! The model leaves out what it has no figures for: those instructions are counted apart here, since they
//! keep units busy as well.

mod cycles;

use crate::check::contract::Contract;
use crate::isa::{Op, isa};
use crate::isa::{control::Control, integer::Integer, memory::Memory};
use crate::operand::touched::touched;
use crate::regs;
use crate::regs::halves::Halves;

pub use cycles::{Costs, Cycles, ERROR, SEQUENCES, UNMEASURED};

/// The numbers; [`Statistics::named`] spells them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Instructions up to the last stop, without the traps behind.
    pub instructions: u32,
    /// Cycles of a SIMD-group: the larger one of the next two.
    pub alu: u32,
    /// Cycles of the float and simple integer pipes.
    pub fscib: u32,
    /// Cycles of the integer and complex pipe.
    pub ic: u32,
    /// Bytes, traps included.
    pub bytes: u32,
    /// The highest half of a general register that is used.
    pub halves: u16,
    /// Halves of uniforms up to the last that is read.
    pub uniforms: u16,
    /// Bytes of stack of a thread.
    pub scratch: u32,
    /// Threads that a threadgroup can have.
    pub threads: u16,
    /// Branches to what stands before.
    pub loops: u32,
    /// Stores to the stack, and loads from it.
    pub spills: u32,
    /// Loads from the stack.
    pub fills: u32,
    /// Instructions that wait for results, and for what they wait most.
    pub waits: u32,
    /// Instructions that the model has no figures for, waits and control left out.
    pub untimed: u32,
    /// Moves of registers.
    pub moves: u32,
    /// Halves that hold something at once, at most.
    pub peak: u16,
    /// SIMD-groups that a core holds at once, as measured.
    pub resident: u16,
    /// Cycles by unit.
    pub cycles: Cycles,
}

impl Statistics {
    /// The statistics of code of a generation. `declared` are the halves that it is launched with, if that
    /// is known; a vertex program has more than it uses.
    #[must_use]
    pub fn of(code: &[u8], generation: u8, declared: Option<u16>) -> Statistics {
        let contract = Contract::of(code, generation);
        let last = contract.uniforms.last().map_or(0, |half| half + 1);
        let halves = declared.unwrap_or(contract.halves).max(1);
        let mut made = Statistics {
            bytes: code.len() as u32,
            halves: contract.halves.saturating_sub(1),
            uniforms: last,
            scratch: contract.stack.max(0) as u32 * regs::STACK_WORD,
            threads: regs::occupancy(halves).map_or(0, |(_, threads)| threads),
            resident: regs::resident(halves),
            ..Statistics::default()
        };
        let mut touched_by = Vec::new();
        each(code, generation, |inst, op, _| {
            made.count(inst, op, generation);
            touched_by.push(touched(isa(generation), inst));
        });
        made.alu = made.fscib.max(made.ic);
        made.peak = peak(&touched_by).0.count();
        made
    }

    fn count(&mut self, inst: &chiaro_isa::Inst, op: Op, generation: u8) {
        self.instructions += 1;
        let class = isa(generation).form(inst).operation.class;
        match (op, class.unit, class.issue) {
            (Op::Control(op), ..) => self.loops += u32::from(op == Control::JmpExecAny && is_back(inst)),
            (_, "IC", Some(cycles)) => {
                self.ic += 2 * u32::from(cycles);
                self.fscib += 1;
            }
            (_, "F32" | "F16" | "SCIB", Some(cycles)) => self.fscib += u32::from(cycles),
            (_, "unknown", _) => self.untimed += 1,
            _ => {}
        }
        let name = isa(generation).form(inst).operation.name;
        self.cycles.count(op, name, class.unit, slot(inst, op, generation));
        self.waits += u32::from(matches!(op, Op::Memory(Memory::Wait)));
        self.spills += u32::from(matches!(op, Op::Memory(Memory::StackStore)));
        self.fills += u32::from(matches!(op, Op::Memory(Memory::StackLoad)));
        self.moves += u32::from(matches!(op, Op::Integer(Integer::Mov)));
    }

    /// Name and number of each: first those of Mesa's reports.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, u32)> {
        vec![
            ("instructions", self.instructions),
            ("alu", self.alu),
            ("fscib", self.fscib),
            ("ic", self.ic),
            ("bytes", self.bytes),
            ("halves", self.halves.into()),
            ("uniforms", self.uniforms.into()),
            ("scratch", self.scratch),
            ("threads", self.threads.into()),
            ("loops", self.loops),
            ("spills", self.spills),
            ("fills", self.fills),
            ("waits", self.waits),
            ("moves", self.moves),
            ("instructions without figures", self.untimed),
            ("halves at the peak", self.peak.into()),
            ("resident SIMD-groups", self.resident.into()),
            ("cycles of simple units", self.cycles.simple()),
            ("cycles of the complex unit", self.cycles.complex()),
            ("memory operations", self.cycles.memory),
            ("texture operations", self.cycles.textures),
            ("pixel operations", self.cycles.pixels),
            ("control operations", self.cycles.control),
            ("waits for loads", self.cycles.waits[0]),
            ("waits for stores", self.cycles.waits[1]),
            ("waits for textures", self.cycles.waits[2]),
        ]
    }
}

/// Every instruction up to the last stop; bytes that are none are passed over.
fn each(code: &[u8], generation: u8, mut visit: impl FnMut(&chiaro_isa::Inst, Op, usize)) {
    let isa = isa(generation);
    let mut at = 0;
    while at < code.len() {
        let Ok(inst) = isa.decode(&code[at..]) else {
            at += 2;
            continue;
        };
        let op = Op::of(isa.form(&inst).op);
        if !matches!(op, Op::Control(Control::Trap)) {
            visit(&inst, op, at);
        }
        at += usize::from(inst.length);
    }
}

/// The slot that an instruction waits for, or that waits for it.
fn slot(inst: &chiaro_isa::Inst, op: Op, generation: u8) -> Option<u8> {
    let isa = isa(generation);
    let number = |name: &str| isa.value(inst, name, &isa.cx()).and_then(chiaro_isa::Value::int);
    let name = match op {
        Op::Memory(Memory::Wait) => "i",
        Op::Memory(Memory::StackLoad | Memory::StackStore) => "i6",
        Op::Memory(_) => "g",
        _ => "slot",
    };
    number(name).map(|n| n as u8)
}

/// Whether a branch goes to what stands before it.
fn is_back(inst: &chiaro_isa::Inst) -> bool {
    ((inst.word.0[0] >> 16) as u32 as i32) < 0
}

/// The halves that hold something where most do, each with the place of the instruction that wrote it; `None` for those
/// that somebody else has left. Places are bytes from the start of the code.
#[must_use]
pub fn at_peak(code: &[u8], generation: u8) -> Vec<(u16, Option<u32>)> {
    let (mut touched_by, mut places) = (Vec::new(), Vec::new());
    each(code, generation, |inst, _, at| {
        touched_by.push(touched(isa(generation), inst));
        places.push(at as u32);
    });
    let (held, behind) = peak(&touched_by);
    let writer = |half: u16| touched_by[..behind].iter().rposition(|(_, writes)| writes.has(half));
    held.iter().map(|half| (half, writer(half).map(|n| places[n]))).collect()
}

/// The halves that hold something that is still read, where they are most, as straight code: what a loop carries is held
/// only until it is read last. With them how many instructions stand before that place.
fn peak(touched_by: &[(Halves, Halves)]) -> (Halves, usize) {
    let (mut live, mut most) = (Halves::default(), (Halves::default(), 0));
    for (n, (reads, writes)) in touched_by.iter().enumerate().rev() {
        let behind = live.with(writes);
        live = live.without(writes).with(reads);
        for (held, place) in [(behind, n + 1), (live, n)] {
            if held.count() > most.0.count() {
                most = (held, place);
            }
        }
    }
    most
}
