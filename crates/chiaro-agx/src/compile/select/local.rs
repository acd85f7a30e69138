//! Memory of the threadgroup and of the thread (spec 8.3, 8.6).
//!
//! Places in the threadgroup are byte offsets of 16 bits: whether an index counts elements or bytes is not known, so
//! it stays 0.

use chiaro_diag::Tally;
use chiaro_ir as ir;
use chiaro_ir::{ConstantKind, Def, GlobalRef, Op as Ir, Path, Root, Space, Ty, Walk};
use chiaro_mach::{Block, Operand, Outcome};

use super::Select;
use super::memory::{MOST, Run, runs};
use super::part::alignment;
use super::part::{From, Part};
use super::place::{Place, aligned, cells, size};
use crate::compile::code::{GPR, Modifiers};
use crate::isa::Op;
use crate::isa::memory::Memory;

/// Bytes of memory that a threadgroup can have (spec 2.2).
const MOST_SHARED: u32 = 32 << 10;
/// Bytes of memory that a thread can have: the largest size that its register of the launch words can say.
const MOST_PRIVATE: u32 = 1 << 20;

impl Select<'_> {
    /// Gives variables of the threadgroup and of the thread their places.
    pub(super) fn place_local(&mut self) -> Outcome {
        let mut used: Vec<GlobalRef> =
            chiaro_opt::named(self.module, self.f).into_iter().map(|(g, _)| g).collect();
        used.sort_by_key(|g| g.0);
        let mut tally = Tally::new("shared variables", "bytes of threadgroup memory", MOST_SHARED);
        let mut private = Tally::new("variables of a thread", "bytes of its memory", MOST_PRIVATE);
        for g in used {
            let global = self.module.global(g);
            let bytes = aligned(size(self.module, global.ty), 16);
            match global.space {
                Space::Workgroup => {
                    tally.add(&global.name, global.span, bytes);
                    self.locals.insert(Root::Global(g), self.shared_bytes);
                    self.shared_bytes = self.shared_bytes.saturating_add(bytes);
                }
                Space::Private => {
                    private.add(&global.name, global.span, bytes);
                    self.place_private(Root::Global(g), bytes);
                }
                _ => {}
            }
        }
        for inst in Walk::insts(self.f) {
            let (Ir::Var(_), Some(pointer)) = (self.f.op(inst), self.f.result_of(inst)) else { continue };
            let ty = self.module.types.pointee(self.f.ty(pointer)).map(|(_, ty)| ty);
            if let Some(ty) = ty {
                let bytes = aligned(size(self.module, ty), 16);
                private.add("a local variable", self.f.inst(inst).span, bytes);
                self.place_private(Root::Var(inst), bytes);
            }
        }
        match (tally.overflow(), private.overflow()) {
            (Some(error), _) => Err(vec![error.help("share less, or go through a storage buffer")]),
            (_, Some(error)) => Err(vec![error.help("make arrays smaller, or go through a storage buffer")]),
            (None, None) => Ok(()),
        }
    }

    fn place_private(&mut self, root: Root, bytes: u32) {
        self.locals.insert(root, self.stack_bytes);
        self.stack_bytes = self.stack_bytes.saturating_add(bytes);
    }

    /// Stores what variables hold at the start.
    pub(super) fn start_privates(&mut self, at: Block) {
        let mut roots: Vec<Root> = self.locals.keys().copied().collect();
        roots.sort_unstable();
        for root in roots {
            let Root::Global(g) = root else { continue };
            let global = self.module.global(g);
            if let (Space::Private, Some(init)) = (global.space, global.init) {
                let parts = self.constant(init);
                let path = Path::whole(root, Space::Private);
                self.store_private(at, &path, global.ty, &parts);
            }
        }
    }

    /// Stores what a variable of the function holds at the start.
    pub(super) fn start_variable(&mut self, at: Block, inst: ir::Inst) -> Option<()> {
        let Some(&initial) = self.f.args(inst).first() else { return Some(()) };
        if let Def::Constant(c) = self.f.def(initial)
            && matches!(self.module.constants.get(c), ConstantKind::Undef)
        {
            return Some(());
        }
        let parts = self.value(initial);
        let path = Path::whole(Root::Var(inst), Space::Function);
        self.store_private(at, &path, self.f.ty(initial), &parts)
    }

    /// The byte in the threadgroup's memory that a path leads to, in a register.
    pub(super) fn shared_base(&mut self, at: Block, path: &Path, more: u32) -> Operand {
        let first = self.locals.get(&path.root).copied().unwrap_or(0) + more;
        let Place { offset, terms } = self.locate(path, 0);
        let index = self.index(at, 1, &terms, i64::from(first) + offset);
        self.register(at, index)
    }

    pub(super) fn load_shared(&mut self, at: Block, path: &Path, ty: Ty) -> Option<Vec<Part>> {
        let cells = cells(self.module, ty);
        let mut parts = Vec::with_capacity(cells.len());
        for run in runs(&cells) {
            let base = self.shared_base(at, path, run.first);
            let value = self.code.value(GPR, run.size() * run.count as u16, alignment(run.size()));
            let def = self.code.operand(value);
            let uses = [base, Operand::imm(0)];
            self.push(at, Op::Memory(Memory::ThreadgroupLoad), &[def], &uses, whole(&run));
            parts.extend(self.split(at, def, run.size()));
        }
        Some(self.loaded(at, ty, &cells, parts))
    }

    pub(super) fn store_shared(&mut self, at: Block, path: &Path, ty: Ty, parts: &[Part]) -> Option<()> {
        let elements = self.elements(at, parts);
        for (run, data) in self.data(at, ty, &elements) {
            let base = self.shared_base(at, path, run.first);
            let uses = [data, base, Operand::imm(0)];
            self.push(at, Op::Memory(Memory::ThreadgroupStore), &[], &uses, whole(&run));
        }
        Some(())
    }

    /// Runs of what is stored, with their registers; what nobody cares for is left out.
    fn data(&mut self, at: Block, ty: Ty, elements: &[Part]) -> Vec<(Run, Operand)> {
        let (mut rest, mut found) = (elements, Vec::new());
        for run in runs(&cells(self.module, ty)) {
            let (here, others) = rest.split_at(run.count.min(rest.len()));
            rest = others;
            if !here.is_empty() && here.iter().any(|part| part.from != From::Undef) {
                found.push((run, self.collect(at, here)));
            }
        }
        found
    }

    /// The byte offset on the stack of a run: a number or a register.
    fn stack_index(&mut self, at: Block, path: &Path, more: u32) -> Operand {
        let first = self.locals.get(&path.root).copied().unwrap_or(0) + more;
        let Place { offset, terms } = self.locate(path, 0);
        let all = i64::from(first) + offset;
        if let (true, Ok(_)) = (terms.is_empty(), i16::try_from(all)) {
            return Operand::imm(all as u64);
        }
        let index = self.index(at, 2, &terms, all);
        self.register(at, index)
    }

    pub(super) fn load_private(&mut self, at: Block, path: &Path, ty: Ty) -> Option<Vec<Part>> {
        self.locals.get(&path.root)?;
        let cells = cells(self.module, ty);
        let mut parts = Vec::with_capacity(cells.len());
        for run in runs(&cells) {
            let index = self.stack_index(at, path, run.first);
            let value = self.code.value(GPR, run.size() * run.count as u16, alignment(run.size()));
            let def = self.code.operand(value);
            self.push(at, Op::Memory(Memory::StackLoad), &[def], &[index], whole(&run));
            parts.extend(self.split(at, def, run.size()));
        }
        Some(self.loaded(at, ty, &cells, parts))
    }

    pub(super) fn store_private(&mut self, at: Block, path: &Path, ty: Ty, parts: &[Part]) -> Option<()> {
        self.locals.get(&path.root)?;
        let elements = self.elements(at, parts);
        for (run, data) in self.data(at, ty, &elements) {
            let index = self.stack_index(at, path, run.first);
            self.push(at, Op::Memory(Memory::StackStore), &[], &[data, index], whole(&run));
        }
        Some(())
    }
}

/// All elements of a run.
fn whole(run: &Run) -> Modifiers {
    debug_assert!(run.count <= MOST);
    Modifiers { format: run.format(), mask: ((1 << run.count) - 1) as u8, ..Modifiers::default() }
}
