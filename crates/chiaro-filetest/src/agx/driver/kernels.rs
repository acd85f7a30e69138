//! Kernels: one thread after another, where every byte of the buffers is compared, and all threads of a threadgroup
//! together, where what depends on their order is left out.

use chiaro_agx::machine::Launch;
use chiaro_ir::{GlobalRef, Module, Op, Space, Step, Walk};
use chiaro_sim::mapped::{Mapped, Range};

use super::given::{Given, buffers};
use super::source::{Comparison, Left, Scalar, bits, runs, scalars};
use super::tables::{GRID, Tables, stage};
use super::textures::All;
use super::{Ready, given};
use crate::agx::linked::Unit;
use crate::suite::Miss;

/// Where the buffers lie, all of them, and the uniform block.
const STORAGE: u64 = 0x10_0000_0000;
const UNIFORM: u64 = 0x11_0000_0000;
/// Threads that run one after another.
const ALONE: u32 = 24;

pub(super) fn compare(unit: &Unit, module: &Module) -> Result<(), Miss> {
    let workgroup = module.entries.first().ok_or("the source has no entry point")?.workgroup;
    if meets(module) {
        return Kernel { unit, module: module.clone(), size: workgroup, groups: [1; 3] }.compare(&[], "together");
    }
    let mut apart = module.clone();
    apart.entries[0].workgroup = [1; 3];
    let alone = Kernel { unit, module: apart, size: [1; 3], groups: [ALONE, 1, 1] };
    alone.compare(&[], "one by one")?;
    // The order of threads shows where they all run in turn, on the interpreter.
    let mut turns = module.clone();
    turns.entries[0].workgroup = [1; 3];
    let turns = Kernel { unit, module: turns, size: [1; 3], groups: workgroup };
    let in_turn = turns.source()?.swap_remove(0);
    Kernel { unit, module: module.clone(), size: workgroup, groups: [1; 3] }.compare(&in_turn.buffers, "together")
}

/// Whether threads of a kernel meet: at barriers, in subgroups, in memory that they share.
fn meets(module: &Module) -> bool {
    let shares = module.globals.iter().any(|g| g.space == Space::Workgroup);
    let steps = module.functions.iter().flat_map(|f| Walk::new(f).map(move |step| (f, step)));
    let mut ops = steps.filter_map(|(f, step)| match step {
        Step::Inst(inst) => Some(f.op(inst)),
        _ => None,
    });
    shares || ops.any(|op| matches!(op, Op::ControlBarrier(..)) || format!("{op:?}").starts_with("Group"))
}

/// A kernel with how it is launched.
struct Kernel<'a> {
    unit: &'a Unit,
    module: Module,
    size: [u32; 3],
    groups: [u32; 3],
}

impl Kernel<'_> {
    fn given(&self) -> Result<(Given, All, Mapped), Miss> {
        let name = self.unit.object["name"].as_str().unwrap_or_default();
        let mut memory = Mapped::default();
        let images = All::new(&self.module, &mut memory)?;
        let buffers = buffers(&self.module, name, 5);
        let given = Given {
            buffers,
            inputs: Default::default(),
            count: 0,
            groups: Some(self.groups),
            images: images.store.clone(),
        };
        Ok((given, images, memory))
    }

    fn source(&self) -> Result<Vec<Left>, Miss> {
        runs(&self.module, &self.given()?.0)
    }

    /// Both sides; bytes that are other than in `in_turn` depend on the order of threads.
    fn compare(&self, in_turn: &[(GlobalRef, Vec<u8>)], what: &str) -> Result<(), Miss> {
        let (given, images, memory) = self.given()?;
        let left = runs(&self.module, &given)?;
        let memory = self.words(&given, &images, memory)?;
        let mut comparison = Comparison::new(what);
        for (g, scalars) in self.storage() {
            self.buffer((g, &scalars), (&given, &left, &memory), in_turn, &mut comparison);
        }
        for stored in &images.stored {
            let all: Vec<Vec<_>> = left.iter().map(|left| stored.texels(&left.images, &memory).collect()).collect();
            for (n, (place, _, found)) in all[0].iter().enumerate() {
                for (at, found) in found.iter().enumerate() {
                    let scalar = Scalar { at, is_float: false, width: 8 };
                    let source: Vec<u64> = all.iter().map(|texels| texels[n].1[at].into()).collect();
                    comparison.scalar(&|| format!("byte {at} of texel {place:?}"), scalar, &source, (*found).into());
                }
            }
        }
        comparison.finish()
    }

    fn storage(&self) -> Vec<(GlobalRef, Vec<Scalar>)> {
        let globals = self.module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Storage);
        let elements = given::ELEMENTS;
        globals.map(|(n, g)| (GlobalRef(n as u32), scalars(&self.module, g.ty, elements))).collect()
    }

    /// What is written through a variable.
    fn buffer(
        &self,
        (g, scalars): (GlobalRef, &[Scalar]),
        (given, left, memory): (&Given, &[Left], &Mapped),
        in_turn: &[(GlobalRef, Vec<u8>)],
        comparison: &mut Comparison,
    ) {
        let of = |all: &[(GlobalRef, Vec<u8>)]| all.iter().find(|(other, _)| *other == g).map(|(_, bytes)| bytes.clone());
        let before = of(&given.buffers).unwrap_or_default();
        let after: Vec<Vec<u8>> = left.iter().filter_map(|left| of(&left.buffers)).collect();
        let turn = of(in_turn);
        let name = &self.module.global(g).name;
        for scalar in scalars {
            let source: Vec<u64> = after.iter().map(|bytes| bits(bytes, *scalar)).collect();
            let found = memory.get(STORAGE + scalar.at as u64, usize::from(scalar.width) / 8);
            let found = found.map_or(0, chiaro_sim::mapped::number);
            // What neither side touches says nothing, what another variable changed is compared there.
            if source.iter().all(|bits_of| *bits_of == bits(&before, *scalar)) {
                let others = left[0].buffers.iter().filter(|(other, _)| *other != g);
                if found == source[0] || others.clone().any(|(_, bytes)| bits(bytes, *scalar) == found) {
                    continue;
                }
            }
            if turn.as_ref().is_some_and(|bytes| bits(bytes, *scalar) != source[0]) {
                comparison.left_out += 1;
                continue;
            }
            comparison.scalar(&|| format!("`{name}` at byte {}", scalar.at), *scalar, &source, found);
        }
    }

    /// Memory behind a run of the words.
    fn words(&self, given: &Given, images: &All, mut memory: Mapped) -> Result<Mapped, Miss> {
        let mut tables = Tables::new(self.unit, images.bound.clone());
        for (n, count) in self.groups.iter().enumerate() {
            tables.put(GRID, 4 * n, &count.to_le_bytes());
        }
        let of = |space: Space| given.buffers.iter().find(|(g, _)| self.module.global(*g).space == space);
        for (space, base, [address, size]) in [
            (Space::Storage, STORAGE, [stage::STORAGE, stage::STORAGE_SIZE]),
            (Space::Uniform, UNIFORM, [stage::UNIFORM, stage::UNIFORM_SIZE]),
        ] {
            let Some((_, bytes)) = of(space) else { continue };
            tables.put_stage(address, &base.to_le_bytes());
            tables.put_stage(size, &(bytes.len() as u32).to_le_bytes());
            memory.map(Range { name: format!("{space:?}"), base, bytes: bytes.clone() })?;
        }
        let launch = Launch { size: self.size, groups: self.groups };
        let mut ready = Ready::new(self.unit, &launch, &tables, memory)?;
        for id in launch.each() {
            ready.run(&launch, id, |_| {})?;
        }
        Ok(ready.memory)
    }
}
