//! Kernels: one thread after another, where every byte of the buffers is compared, and all threads of a threadgroup
//! together, where what depends on their order is left out.

use chiaro_agx::machine::Launch;
use chiaro_ir::interp::Exact;
use chiaro_ir::{Effect, Global, GlobalRef, Module, Op, Space, Walk};
use chiaro_sim::mapped::{Mapped, Range};

use super::given;
use super::given::{Given, buffers};
use super::ready::Ready;
use super::scalars::{Scalar, scalars};
use super::source::{Comparison, Left, bits, run, runs};
use super::tables::{GRID, Tables, stage};
use super::textures::All;
use crate::agx::linked::Unit;
use crate::suite::Miss;

/// Where the buffers lie, all of them, and the uniform block.
const STORAGE: u64 = 0x10_0000_0000;
const UNIFORM: u64 = 0x11_0000_0000;
/// Threads that run one after another: few, since what one leaves is what the next reads. Runs of them.
const ALONE: u32 = 2;
const SEEDS: u64 = 8;
/// Seeds of other numbers, that show what a thread writes.
const FILLS: [u64; 2] = [101, 102];
/// A unit whose shuffles reach beyond the subgroup in these lanes, where languages leave the result open.
const LEFT_OPEN: (&str, [usize; 3]) = ("sg_cluster", [0, 30, 31]);
/// Bits of what nobody defines, in a run of their own.
const UNDEFINED: u64 = 0x4049_0fdb;
/// SPIR-V's numbers of what a thread is in its workgroup, and of that in its dispatch.
const PLACES: [u32; 4] = [24, 26, 27, 29];

pub(super) fn compare(unit: &Unit, module: &Module) -> Result<(), Miss> {
    let size = module.entries.first().ok_or("the source has no entry point")?.workgroup;
    let together = Kernel { unit, module: module.clone(), size, groups: [1; 3], seed: 0 };
    if meets(module) {
        let mut comparison = Comparison::new("together");
        together.compare(false, &mut comparison)?;
        return comparison.finish();
    }
    let mut apart = module.clone();
    apart.entries[0].workgroup = [1; 3];
    let mut comparison = Comparison::new("one by one");
    for seed in 1..=SEEDS {
        let groups = [ALONE, 1, 1];
        let alone = Kernel { unit, module: apart.clone(), size: [1; 3], groups, seed };
        alone.compare(false, &mut comparison)?;
    }
    comparison.finish()?;
    let mut comparison = Comparison::new("together");
    together.compare(true, &mut comparison)?;
    comparison.nothing_wrong()
}

/// A threadgroup of a kernel that is ready to run.
pub(super) fn ready(unit: &Unit, module: &Module) -> Result<Ready, Miss> {
    let size = module.entries.first().ok_or("the source has no entry point")?.workgroup;
    let kernel = Kernel { unit, module: module.clone(), size, groups: [1; 3], seed: 0 };
    let (given, images, memory) = kernel.given()?;
    kernel.ready((&given, &images, memory), kernel.launch())
}

/// Whether threads of a kernel meet, at barriers, in subgroups, in memory that they share, or know their places.
fn meets(module: &Module) -> bool {
    let told = |g: &Global| {
        g.space == Space::Workgroup || g.binding.builtin.is_some_and(|number| PLACES.contains(&number))
    };
    let mut ops = module.functions.iter().flat_map(|f| Walk::insts(f).map(|inst| f.op(inst)));
    let is_shared = |op: Op| matches!(op, Op::ControlBarrier(..)) || op.effect() == Effect::Convergent;
    module.globals.iter().any(told) || ops.any(is_shared)
}

/// A kernel with how it is launched.
struct Kernel<'a> {
    unit: &'a Unit,
    module: Module,
    size: [u32; 3],
    groups: [u32; 3],
    seed: u64,
}

impl Kernel<'_> {
    fn given(&self) -> Result<(Given, All, Mapped), Miss> {
        let name = self.unit.object["name"].as_str().unwrap_or_default();
        let mut memory = Mapped::default();
        let images = All::new(&self.module, &mut memory)?;
        let buffers = buffers(&self.module, name, self.seed);
        let given = Given {
            buffers,
            inputs: Default::default(),
            count: 0,
            groups: Some(self.groups),
            images: images.store.clone(),
            in_halves: false,
            undefined: 0,
        };
        Ok((given, images, memory))
    }

    /// Both sides. What nobody defines is left out, and where threads run `apart`, what depends on their order.
    fn compare(&self, apart: bool, comparison: &mut Comparison) -> Result<(), Miss> {
        let (given, images, memory) = self.given()?;
        let left = runs(&self.module, &given)?;
        let mut raced = self.undefined(&given, &left[0])?;
        if apart {
            self.race(&left[0], &mut raced)?;
        }
        let launch = self.launch();
        let memory = self.words((&given, &images, memory), launch, launch.each())?;
        for (g, scalars) in self.storage() {
            self.buffer((g, &scalars), (&given, &left, &memory), &raced, comparison);
        }
        let in_turn = if images.stored.is_empty() { None } else { self.one_by_one()? };
        for stored in &images.stored {
            let all: Vec<Vec<_>> =
                left.iter().map(|left| stored.texels(&left.images, &memory).collect()).collect();
            let in_order: Option<Vec<_>> =
                in_turn.as_ref().map(|memory| stored.texels(&left[0].images, memory).collect());
            for (n, (place, _, found)) in all[0].iter().enumerate() {
                // What several threads do to a texel without waiting for one another has no one meaning.
                if in_order.as_ref().is_some_and(|texels| texels[n].2 != *found) {
                    continue;
                }
                for (at, found) in found.iter().enumerate() {
                    let scalar = Scalar { at, is_float: false, width: 8 };
                    let source: Vec<u64> = all.iter().map(|texels| texels[n].1[at].into()).collect();
                    comparison.scalar(
                        &|| format!("byte {at} of texel {place:?}"),
                        scalar,
                        &source,
                        (*found).into(),
                    );
                }
            }
        }
        Ok(())
    }

    /// Memory behind threads that run one behind the other; nothing where they meet.
    fn one_by_one(&self) -> Result<Option<Mapped>, Miss> {
        if meets(&self.module) {
            return Ok(None);
        }
        let (given, images, memory) = self.given()?;
        let threads = [0, 1, 2].map(|n| self.size[n] * self.groups[n]);
        let launch = Launch { size: [1; 3], groups: threads };
        self.words((&given, &images, memory), launch, launch.each()).map(Some)
    }

    fn storage(&self) -> Vec<(GlobalRef, Vec<Scalar>)> {
        let globals = self.module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Storage);
        let elements = given::ELEMENTS;
        globals.map(|(n, g)| (GlobalRef(n as u32), scalars(&self.module, g.ty, elements))).collect()
    }

    fn launch(&self) -> Launch {
        Launch { size: self.size, groups: self.groups }
    }

    /// Bytes that are others where other bits stand for what nobody defines.
    fn undefined(&self, given: &Given, left: &Left) -> Result<Vec<bool>, Miss> {
        let buffers = given.buffers.clone();
        let other = run(&self.module, &Given { undefined: UNDEFINED, buffers, ..given.shallow() }, Exact)?;
        let mut all = Vec::new();
        let is_open =
            |at: usize| self.unit.object["name"] == LEFT_OPEN.0 && LEFT_OPEN.1.contains(&(at / 4 % 32));
        for ((_, one), (_, other)) in left.buffers.iter().zip(&other.buffers) {
            all.resize(all.len().max(one.len()), false);
            one.iter().zip(other).enumerate().for_each(|(at, (a, b))| all[at] |= a != b || is_open(at));
        }
        Ok(all)
    }

    /// Bytes that depend on the order of threads: several write them, or the one that does leaves something else where
    /// it is alone.
    fn race(&self, left: &Left, raced: &mut [bool]) -> Result<(), Miss> {
        let alone = Launch { size: [1; 3], groups: self.size };
        let mut written = vec![false; raced.len()];
        for id in alone.each() {
            let own = self.after(self.seed, id)?;
            for (at, found) in own.iter().enumerate().filter_map(|(at, found)| Some((at, (*found)?))) {
                let is_left = |(_, bytes): (_, &Vec<u8>)| bytes.get(at) == Some(&found);
                raced[at] |= !self.storage_of(&left.buffers).any(is_left);
            }
            // What is written may be what was there: then other numbers show it.
            let others = FILLS.iter().map(|seed| self.after(*seed, id)).collect::<Result<Vec<_>, _>>()?;
            for (at, written) in written.iter_mut().enumerate() {
                let changes = |all: &Vec<Option<u8>>| all.get(at).is_some_and(Option::is_some);
                let is_written = changes(&own) || others.iter().any(changes);
                raced[at] |= *written && is_written;
                *written |= is_written;
            }
        }
        Ok(())
    }

    /// The bytes of the buffers that one thread changes.
    fn after(&self, seed: u64, id: [u32; 3]) -> Result<Vec<Option<u8>>, Miss> {
        let kernel = Kernel { unit: self.unit, module: self.module.clone(), seed, ..*self };
        let (given, images, memory) = kernel.given()?;
        let alone = Launch { size: [1; 3], groups: self.size };
        let memory = kernel.words((&given, &images, memory), alone, [id].into_iter())?;
        let Some((_, before)) = kernel.storage_of(&given.buffers).next() else { return Ok(Vec::new()) };
        let found = memory.get(STORAGE, before.len()).unwrap_or_default();
        Ok(before.iter().zip(found).map(|(before, found)| (before != found).then_some(*found)).collect())
    }

    fn storage_of<'a>(
        &'a self,
        all: &'a [(GlobalRef, Vec<u8>)],
    ) -> impl Iterator<Item = (GlobalRef, &'a Vec<u8>)> {
        let own = all.iter().filter(|(g, _)| self.module.global(*g).space == Space::Storage);
        own.map(|(g, bytes)| (*g, bytes))
    }

    /// What is written through a variable.
    fn buffer(
        &self,
        (g, scalars): (GlobalRef, &[Scalar]),
        (given, left, memory): (&Given, &[Left], &Mapped),
        raced: &[bool],
        comparison: &mut Comparison,
    ) {
        let of = |all: &[(GlobalRef, Vec<u8>)]| {
            all.iter().find(|(other, _)| *other == g).map(|(_, bytes)| bytes.clone())
        };
        let before = of(&given.buffers).unwrap_or_default();
        let after: Vec<Vec<u8>> = left.iter().filter_map(|left| of(&left.buffers)).collect();
        let name = &self.module.global(g).name;
        let others: Vec<&Vec<u8>> =
            left[0].buffers.iter().filter(|(other, _)| *other != g).map(|(_, bytes)| bytes).collect();
        for scalar in scalars {
            let source: Vec<u64> = after.iter().map(|bytes| bits(bytes, *scalar)).collect();
            let (width, was) = (usize::from(scalar.width) / 8, bits(&before, *scalar));
            let found = memory.get(STORAGE + scalar.at as u64, width);
            let found = found.map_or(0, chiaro_sim::mapped::number);
            let is_kept = source.iter().all(|bits| *bits == was);
            // What neither side touches says nothing, what another variable changed is compared there.
            let is_others = others.iter().any(|bytes| bits(bytes, *scalar) != was);
            if is_kept && (found == was || is_others) {
                continue;
            }
            if raced.get(scalar.at..scalar.at + width).is_some_and(|all| all.contains(&true)) {
                continue;
            }
            comparison.scalar(&|| format!("`{name}` at byte {}", scalar.at), *scalar, &source, found);
        }
    }

    /// Memory behind a run of threadgroups of the words.
    fn words(
        &self,
        all: (&Given, &All, Mapped),
        launch: Launch,
        mut ids: impl Iterator<Item = [u32; 3]>,
    ) -> Result<Mapped, Miss> {
        let mut ready = self.ready(all, launch)?;
        ids.try_for_each(|id| ready.run(id))?;
        Ok(ready.memory)
    }

    /// The words with what the driver binds.
    fn ready(
        &self,
        (given, images, mut memory): (&Given, &All, Mapped),
        launch: Launch,
    ) -> Result<Ready, Miss> {
        let mut tables = Tables::new(self.unit, images.bound.clone());
        for (n, count) in launch.groups.iter().enumerate() {
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
        Ready::new(self.unit, launch, &tables, memory, Box::new(|_| {}))
    }
}
