//! Kernels: their buffers in memory, their threadgroups on the simulator.

use std::sync::Arc;

use chiaro_ir::GlobalRef;
use chiaro_ir::interp::Interval;
use chiaro_isa::Rng;
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_target::proof::kernel::{Given, How, Kernel};
use chiaro_target::proof::texels::{self, Texels};
use chiaro_target::proof::{Compared, Failure, Program as Source, Subject};

use super::Words;
use super::places::{Places, set};
use super::storage::Storage;
use crate::container::file::{GROUPS, What};
use crate::machine::{Config, Group, Launch, Program};
use crate::regs::LANES;

/// Where buffers lie.
const BUFFERS: u64 = 0x1_0000_0000;
const APART: u64 = 0x1000_0000;
/// Instructions of a SIMD-group.
const FUEL: u64 = 1 << 18;

impl<'a> Kernel for Words<'a> {
    type Texels = Texels<'a>;

    fn source(&self) -> Source<'_> {
        Subject::source(self)
    }

    fn bounds(&self) -> Interval {
        Subject::bounds(self)
    }

    fn subgroup(&self) -> u32 {
        LANES
    }

    /// The simulator's assumption, of which this is the default.
    fn has_fine_derivatives(&self) -> bool {
        true
    }

    fn buffers(&self) -> Vec<GlobalRef> {
        self.compiled.interface.buffers.iter().map(|&(g, _)| g).collect()
    }

    fn texels(&self, _: &mut Rng) -> Texels<'a> {
        Texels::new(self.source, <Words<'_> as Subject>::kept)
    }

    fn doubted(&self, left: &Texels<'a>) -> Option<&'static str> {
        left.doubt
    }

    fn compare_texels(&self, left: &Texels<'a>, found: &[Vec<u8>]) -> Compared {
        let conclusive = left.left.len();
        let images = self.images();
        let texels: Vec<_> =
            images.iter().zip(found).flat_map(|(image, bytes)| image.left_in(bytes)).collect();
        let kept = <Words<'_> as Subject>::kept;
        let wrong = texels::wrong(self.source, kept, (0, &left.left), &texels);
        Compared { conclusive, wrong, ..Compared::default() }
    }

    fn unknown(&self) -> Option<&'static str> {
        self.has_odd_images().then_some("images with several samples are not compared")
    }

    fn rules(&self) -> Result<(), Failure> {
        Subject::rules(self)
    }

    fn run(&self, given: &Given, _: &Texels<'a>, how: How) -> Result<Vec<Vec<u8>>, String> {
        let file = &self.compiled.file;
        let launch = Launch { size: file.size, groups: given.groups };
        let config = Config { poison: how.fill, fuel: FUEL, stack: file.stack_bytes(), ..Config::default() };
        let program = Arc::new(Program::new(&file.code, file.generation, &config));
        let mut group = Group::new(&program, &config, &launch, file.local as usize);
        let mut memory = self.memory(given)?;
        let places = Places::new(self);
        self.set_uniforms(&places, &mut group, given);
        let images = places.place_textures(&mut group, &mut memory, base(given.bytes.len()))?;
        group.prepare_with(&file.preamble, file.generation, &config, &mut memory)?;
        let mut ids: Vec<[u32; 3]> = launch.each().collect();
        if how.backwards {
            ids.reverse();
            group.simdgroups.reverse();
        }
        for id in ids {
            group.enter(&launch, id);
            if let Some(fault) = group.run(&mut memory).faults.first() {
                return Err(format!("group {id:?}, byte {:#x}: {}", fault.offset, fault.kind));
            }
        }
        let names = (0..given.bytes.len()).map(name).chain(images.iter().map(Storage::name));
        let after = |name: String| memory.named(&name).map_or_else(Vec::new, |range| range.bytes.clone());
        Ok(names.map(after).collect())
    }

    fn listing(&self) -> String {
        let words = Subject::listing(self);
        format!("; legal IR\n{}; words\n{words}", chiaro_ir::print(&self.compiled.module))
    }
}

fn name(n: usize) -> String {
    format!("buffer {n}")
}

fn base(n: usize) -> u64 {
    BUFFERS + n as u64 * APART
}

impl Words<'_> {
    /// Storage images, in the order of [`Kernel::run`].
    fn images(&self) -> Vec<Storage> {
        let places = Places::new(self);
        places.bound(base(self.compiled.interface.buffers.len())).filter_map(|bound| bound.storage).collect()
    }

    /// Whether there is a storage image without texels here.
    fn has_odd_images(&self) -> bool {
        Places::new(self).bound(BUFFERS).any(|bound| bound.ty.storage && bound.storage.is_none())
    }

    fn memory(&self, given: &Given) -> Result<Mapped, String> {
        let mut memory = Mapped::default();
        for (n, bytes) in given.bytes.iter().enumerate() {
            let range = Range { name: name(n), base: base(n), bytes: bytes.clone() };
            memory.map(range).map_err(|other| format!("a buffer lies over {other}"))?;
        }
        Ok(memory)
    }

    /// Addresses and sizes of buffers, numbers of the dispatch, constants.
    fn set_uniforms(&self, places: &Places<'_>, group: &mut Group, given: &Given) {
        let (file, interface) = (&self.compiled.file, &self.compiled.interface);
        for (n, &(g, first)) in interface.buffers.iter().enumerate() {
            places.set_addresses(group, (g, first), base(n), true);
            for &(_, half) in interface.sizes.iter().filter(|(other, _)| *other == g) {
                set(group, half, 2, given.bytes.get(n).map_or(0, |bytes| bytes.len() as u64));
            }
        }
        for held in file.uniforms.iter().filter(|held| held.what == What::Draw && held.name == GROUPS) {
            set(group, held.first, held.halves, given.groups[held.member as usize / 4 % 3].into());
        }
        for (first, bytes) in &file.constants {
            for (half, two) in (*first..).zip(bytes.chunks(2)) {
                group.set_uniform(half, two.iter().rev().fold(0, |all, &byte| all << 8 | u16::from(byte)));
            }
        }
    }
}
