//! Which values are the same for all threads and worth computing once, before the program (spec 19.3).
//!
//! What is made of constants, uniform buffers and numbers of the dispatch alone may move. Loads come first: each
//! costs what ten sums do. What costs nothing where it is read (signs, parts of vectors) stays, and so does a single
//! cheap operation whose result has to be in a register anyway: a move would take its place.
//!
//! ```text
//! %1: f32 = load @u.scale          moves
//! %2: f32 = fmul %1, 2.0           moves: what is read of %1 and %2 is a uniform in its place
//! %3: f32 = fmul %input, %2        stays
//! ```

use chiaro_ir as ir;
use chiaro_ir::{Def, Effect, Function, Module, Op as Ir, Path, Query, Root, Space, Step, Walk};

use super::builtin;

/// Cost of an operation that the machine does in a cycle.
const CHEAP: u32 = 1;
/// Of a load, as Mesa has it.
const LOAD: u32 = 10;

/// What is done with an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// It differs between threads, or has an effect.
    Stays,
    /// It costs nothing: it is done where it is read, and for what moves, too.
    Free,
    /// It is done here, and again for what moves.
    Both,
    /// It moves.
    Moves,
}

/// Who reads a value of those that stay.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Readers {
    any: bool,
    /// One that takes uniforms.
    direct: bool,
}

/// What moves to the preamble.
#[derive(Clone, Debug, Default)]
pub(super) struct Hoist {
    fates: Vec<Fate>,
}

impl Hoist {
    /// What of a function moves; its results take at most so many halves.
    pub(super) fn of(module: &Module, f: &Function, sizes: impl Fn(ir::Ty) -> Vec<u16>, room: u16) -> Hoist {
        let mut order = Vec::new();
        let mut hoist = Hoist { fates: vec![Fate::Stays; f.inst_count()] };
        let mut walk = Walk::new(f);
        while let Some(step) = walk.next() {
            if let Step::Inst(inst) = step {
                let is_certain = walk.depth() == 1;
                hoist.fates[inst.0 as usize] = hoist.fate(module, f, inst, is_certain);
                order.push(inst);
            }
        }
        let size = |value: ir::Value| sizes(f.ty(value)).iter().sum::<u16>();
        let roots = hoist.settle(f, &order);
        let mut left = room;
        let mut dropped = false;
        for &root in &roots {
            let Some(result) = f.result_of(root) else { continue };
            match left.checked_sub(size(result)) {
                Some(rest) => left = rest,
                None => {
                    hoist.fates[root.0 as usize] = Fate::Both;
                    dropped = true;
                }
            }
        }
        // What is left out has operands of its own that would have to be handed over.
        if dropped
            && hoist.settle(f, &order).iter().filter_map(|&root| f.result_of(root)).map(size).sum::<u16>()
                > room
        {
            hoist.fates.fill(Fate::Stays);
        }
        hoist
    }

    /// Whether an instruction runs in the preamble alone.
    pub(super) fn moves(&self, inst: ir::Inst) -> bool {
        self.fates.get(inst.0 as usize) == Some(&Fate::Moves)
    }

    /// Whether it runs in the preamble.
    pub(super) fn is_uniform(&self, inst: ir::Inst) -> bool {
        self.fates.get(inst.0 as usize).is_some_and(|fate| *fate != Fate::Stays)
    }

    fn known(&self, f: &Function, value: ir::Value) -> bool {
        match f.def(value) {
            Def::Constant(_) => true,
            Def::Result(inst, _) => self.is_uniform(inst),
            _ => false,
        }
    }

    /// What an instruction may do whose operands have been looked at.
    fn fate(&self, module: &Module, f: &Function, inst: ir::Inst, is_certain: bool) -> Fate {
        let (op, args) = (f.op(inst), f.args(inst));
        let is_known = !args.is_empty() && args.iter().all(|&arg| self.known(f, arg));
        let Some(result) = f.result_of(inst).filter(|_| is_known) else { return Fate::Stays };
        match op {
            Ir::Load => load(module, f, inst, is_certain),
            Ir::SampledImage | Ir::ImageOf => Fate::Free,
            Ir::ImageQuery(query) if query != Query::Lod => Fate::Moves,
            Ir::Access if is_in_memory(module, f, result) => Fate::Free,
            Ir::Construct | Ir::Extract(_) | Ir::Insert(_) | Ir::Shuffle(_) | Ir::FNeg | Ir::FAbs => {
                Fate::Free
            }
            _ if op.effect() == Effect::Pure && is_data(module, f.ty(result)) => Fate::Moves,
            _ => Fate::Stays,
        }
    }

    /// Keeps what does not pay where it is; what moves and is read by others, in the order of the text.
    fn settle(&mut self, f: &Function, order: &[ir::Inst]) -> Vec<ir::Inst> {
        let mut readers = vec![Readers::default(); f.value_count()];
        let mut roots = Vec::new();
        for &inst in order.iter().rev() {
            let read = f.result_of(inst).map_or(Readers::default(), |result| readers[result.0 as usize]);
            let at = inst.0 as usize;
            if self.fates[at] == Fate::Moves && read.any {
                if !read.direct && cost(f.op(inst)) <= CHEAP {
                    self.fates[at] = Fate::Both;
                } else {
                    roots.push(inst);
                }
            }
            let reads = match self.fates[at] {
                Fate::Moves => continue,
                Fate::Free => read,
                Fate::Both => Readers { any: read.any, direct: read.any },
                Fate::Stays => Readers { any: true, direct: !wants_registers(f.op(inst)) },
            };
            for &arg in f.args(inst) {
                let known = &mut readers[arg.0 as usize];
                known.any |= reads.any;
                known.direct |= reads.direct;
            }
        }
        roots.reverse();
        roots
    }
}

/// Uniform buffers hold the same for all; at a computed place they are only read where the source does.
fn load(module: &Module, f: &Function, inst: ir::Inst, is_certain: bool) -> Fate {
    let (Some(result), &[pointer]) = (f.result_of(inst), f.args(inst)) else { return Fate::Stays };
    let Some(path) = Path::of(module, f, pointer) else { return Fate::Stays };
    let Root::Global(g) = path.root else { return Fate::Stays };
    let is_fixed = path.steps.iter().all(|&(_, index)| module.value_bits(f, index).is_some());
    let is_plain = is_data(module, f.ty(result)) && !f.inst(inst).flags.volatile;
    match module.global(g).space {
        Space::Uniform | Space::UniformConstant | Space::PushConstant
            if is_plain && (is_fixed || is_certain) =>
        {
            Fate::Moves
        }
        Space::UniformConstant if is_fixed && !is_data(module, f.ty(result)) => Fate::Free,
        Space::Input if is_fixed => match module.global(g).binding.builtin {
            Some(builtin::GROUP_COUNTS | builtin::BASE_VERTEX | builtin::BASE_INSTANCE | builtin::DRAW) => {
                Fate::Free
            }
            _ => Fate::Stays,
        },
        _ => Fate::Stays,
    }
}

fn is_in_memory(module: &Module, f: &Function, pointer: ir::Value) -> bool {
    let space = module.types.pointee(f.ty(pointer)).map(|(space, _)| space);
    matches!(space, Some(Space::Uniform | Space::UniformConstant | Space::PushConstant | Space::Input))
}

/// Numbers of at most 32 bits, one or several.
fn is_data(module: &Module, ty: ir::Ty) -> bool {
    let types = &module.types;
    match types.part_count(ty) {
        Some(0) => false,
        Some(n) => (0..n).all(|n| types.part(ty, n).is_some_and(|part| is_data(module, part))),
        None => types.is_bool(ty) || types.bits(ty).is_some_and(|bits| bits <= 32),
    }
}

/// Whether an instruction takes no uniforms for what it reads.
fn wants_registers(op: Ir) -> bool {
    op.is_exit()
        || !matches!(op.effect(), Effect::Pure | Effect::Read)
        || matches!(op, Ir::Sample(_) | Ir::Fetch | Ir::ImageRead | Ir::Access)
        || op.is_construct() && !matches!(op, Ir::If | Ir::Switch)
}

fn cost(op: Ir) -> u32 {
    match op {
        Ir::Load => LOAD,
        Ir::FAdd
        | Ir::FSub
        | Ir::FMul
        | Ir::Fma
        | Ir::IAdd
        | Ir::ISub
        | Ir::And
        | Ir::Or
        | Ir::Xor
        | Ir::Not => CHEAP,
        Ir::Select | Ir::FToF | Ir::ZExt | Ir::SExt | Ir::Bitcast | Ir::INeg => CHEAP,
        _ => 2 * CHEAP,
    }
}
