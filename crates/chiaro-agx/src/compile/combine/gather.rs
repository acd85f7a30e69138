//! Loads and textures that do not depend on one another are asked for one behind the other: one wait does for all, and
//! they are under way together (spec 10.1).
//!
//! ```text
//! v1 = texture_sample ..., v0          v1 = texture_sample ..., v0
//! v3 = fadd32 v1, v2                   v4 = fmul32 v0, 2.0
//! v4 = fmul32 v0, 2.0            ->    v5 = texture_sample ..., v4
//! v5 = texture_sample ..., v4          v3 = fadd32 v1, v2
//! v6 = fadd32 v3, v5                   v6 = fadd32 v3, v5
//! ```
//!
//! What a load needs goes up with it, as long as that only computes; results on their way hold few registers.

use chiaro_mach::{Block, Code, Effects, Inst, Op as Mach, Operand, Value};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::compile::code::operation;
use crate::isa::Op;
use crate::isa::memory::Memory;
use crate::isa::texture::Texture;

/// Halves of results that are under way together.
const MOST: u16 = 40;
/// Instructions that go up with a load.
const SLICE: usize = 12;

/// Brings loads together.
pub fn gather(code: &mut Code) -> bool {
    for block in code.blocks() {
        let gathered = Gather::of(code, block).run();
        code.block_mut(block).insts = gathered;
    }
    // The order alone is another one.
    false
}

/// A block while its loads are brought together.
struct Gather<'a> {
    code: &'a Code,
    insts: Vec<Inst>,
    /// Where what a value needs is made: the instruction of this block.
    makers: HashMap<Value, Inst>,
}

/// The loads that stand together.
#[derive(Default)]
struct Group {
    /// The place behind the last of them.
    end: usize,
    halves: u16,
}

impl<'a> Gather<'a> {
    fn of(code: &'a Code, block: Block) -> Gather<'a> {
        let insts = code.insts(block).to_vec();
        let defs = |&inst: &Inst| code.defs(inst).iter().filter_map(move |def| Some((def.value()?, inst)));
        let makers = insts.iter().flat_map(defs).collect();
        Gather { code, insts, makers }
    }

    fn run(mut self) -> Vec<Inst> {
        let mut group: Option<Group> = None;
        let mut place = 0;
        while place < self.insts.len() {
            let inst = self.insts[place];
            if let Some(size) = loads(self.code, inst) {
                let joined = group.as_mut().filter(|group| group.halves + size <= MOST);
                match joined.and_then(|group| self.raise(group, place, size)) {
                    Some(()) => {}
                    None => group = Some(Group { end: place + 1, halves: size }),
                }
            }
            place += 1;
        }
        self.insts
    }

    /// Moves a load and what it needs to the end of a group.
    fn raise(&mut self, group: &mut Group, place: usize, size: u16) -> Option<()> {
        let between = &self.insts[group.end..place];
        if between.iter().any(|&other| stops(self.code, other, self.insts[place])) {
            return None;
        }
        let slice = self.slice(self.insts[place], between)?;
        let (up, down): (Vec<Inst>, Vec<Inst>) = between.iter().partition(|inst| slice.contains(inst));
        let start = group.end;
        group.end = start + up.len() + 1;
        group.halves += size;
        let load = self.insts[place];
        let order = up.into_iter().chain([load]).chain(down);
        let order: Vec<Inst> = order.collect();
        self.insts.splice(start..=place, order);
        Some(())
    }

    /// Whether an instruction gives what a load gave, or a part of it.
    fn is_late(&self, inst: Inst) -> bool {
        let whole = self.code.uses(inst).first().and_then(Operand::value);
        let maker =
            whole.filter(|_| self.code.op(inst) == Mach::Split).and_then(|value| self.makers.get(&value));
        loads(self.code, *maker.unwrap_or(&inst)).is_some()
    }

    /// What a load needs of the instructions between it and the group, if all of that computes only, and on nothing that
    /// is under way.
    fn slice(&self, load: Inst, between: &[Inst]) -> Option<HashSet<Inst>> {
        let here: HashSet<Inst> = between.iter().copied().collect();
        let (mut found, mut open) = (HashSet::default(), vec![load]);
        while let Some(inst) = open.pop() {
            for value in self.code.uses(inst).iter().filter_map(Operand::value) {
                let Some(&maker) = self.makers.get(&value) else { continue };
                if self.is_late(maker) {
                    return None;
                }
                if here.contains(&maker) && found.insert(maker) {
                    open.push(maker);
                }
            }
        }
        let computes = |&inst: &Inst| {
            let effects = self.code.inst(inst).effects;
            effects.reads | effects.writes == 0 && self.code.defs(inst).iter().all(|def| def.fixed.is_none())
        };
        (found.len() <= SLICE && found.iter().all(computes)).then_some(found)
    }
}

/// The halves that a load gives, if it is one that goes on behind its issue.
fn loads(code: &Code, inst: Inst) -> Option<u16> {
    let is_late = matches!(
        operation(code, inst)?,
        Op::Memory(Memory::DeviceLoad) | Op::Texture(Texture::TextureSample | Texture::TextureLoad)
    );
    is_late.then(|| code.defs(inst).iter().map(|def| def.size).sum())
}

/// Whether a load may not go over an instruction: it writes what the load reads, orders it, or changes which lanes run.
fn stops(code: &Code, other: Inst, load: Inst) -> bool {
    let (own, effects) = (code.inst(load).effects, code.inst(other).effects);
    let ordered = Effects::BARRIER | Effects::EXEC | Effects::CONTROL;
    effects.writes & (own.reads | ordered) != 0 || code.defs(load).iter().any(|def| def.fixed.is_some())
}
