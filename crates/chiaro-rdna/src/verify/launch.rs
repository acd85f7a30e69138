//! A kernel on the simulator with buffers of its own, under either ABI.

use std::sync::Arc;

use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::texel::TexelFormat;

use crate::abi::interface::{Abi, Argument, Bound, Resource};
use crate::abi::{Dispatch, group_info, threads};
use crate::compile::Compiled;
use crate::machine::{
    Config, Group, Program, Schedule, Wave, linear_image, raw_buffer, texel_format, typed_buffer,
};

/// Upper half of the addresses of sets and push constants (spec section 17).
const UPPER: u64 = 0xffff_8000_0000_0000;
const SETS: u32 = 0x1_0000;
const PUSH: u32 = 0x8000;
const KERNARG: u64 = 0x20_0000_0000;
const CODE: u64 = 0x10_0000_0000;
/// Descriptors that arguments are addresses of, those of each resource so far apart.
const HANDLES: u64 = 0x40_0000_0000;
const HANDLES_APART: u64 = 0x10_0000;
/// Buffers stand so far apart.
const APART: u64 = 0x1_0000_0000;
/// Instructions of a wave.
const FUEL: u64 = 1 << 22;

/// What a kernel is given.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Workgroups.
    pub groups: [u32; 3],
    /// Bytes of each resource, in the order of the interface; of an array those of all elements.
    pub bytes: Vec<Vec<u8>>,
    /// What those are, in the same order; bytes alone where there is none.
    pub views: Vec<View>,
}

/// What a descriptor says of the bytes behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum View {
    /// Nothing.
    #[default]
    Bytes,
    /// They are texels of a format (spec section 8.3).
    Texels(u32),
    /// They are an image of one level: its format, its size, the number of its shape (9 for a plane). Rows begin at
    /// multiples of [`ROW`] bytes; images with samples have [`IMAGE_SAMPLES`], each in a plane of its own (in what order
    /// they lie is unknown, spec section 8.5: the simulator is told that it is this one).
    Image(u32, [u32; 3], u32),
}

/// Bytes to which rows of images are aligned.
pub const ROW: usize = 256;

/// A sampler that takes the nearest texel, within the image, and compares for less or equal.
const SAMPLER: [u32; 4] = [0b011_000_010_010_010, 0xfff << 12, 0, 0];
/// Samples of images that have several.
pub const IMAGE_SAMPLES: u32 = 4;
/// Elements of an array of which nobody says how many it has.
const OPEN: u32 = 4;
impl Given {
    fn view(&self, n: usize) -> View {
        self.views.get(n).copied().unwrap_or_default()
    }
}

/// How it runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Bits of what nobody has written.
    pub fill: u32,
    /// Which wave runs when.
    pub schedule: Schedule,
}

/// Runs a kernel: the bytes of all resources afterwards.
///
/// # Errors
/// What the simulator stops at.
pub fn run(compiled: &Compiled, given: &Given, how: How) -> Result<Vec<Vec<u8>>, String> {
    let mut memory = memory(compiled, given)?;
    let interface = &compiled.interface;
    let dispatch = Dispatch { groups: given.groups, size: interface.workgroup };
    let wave = compiled.options.wave;
    let program = Arc::new(Program::new(&compiled.code, wave));
    let config =
        Config { fuel: FUEL, poison: how.fill, schedule: how.schedule, linear: true, ..Config::default() };
    let (lds, scratch) = (interface.lds as usize, interface.scratch as usize);
    let mut group = Group::new(&program, &config, dispatch.waves(wave), lds, scratch);
    group.set_code_base(CODE);
    for id in dispatch.each() {
        group.reset();
        group.waves.iter_mut().for_each(|wave| enter(wave, compiled, given, (&dispatch, id)));
        if let Some(fault) = group.run(&mut memory).faults.first() {
            return Err(format!("group {id:?}: {fault}"));
        }
    }
    let after = |n: usize| memory.named(&name(n)).map(|range| range.bytes.clone()).unwrap_or_default();
    Ok((0..interface.resources.len()).map(after).collect())
}

fn name(n: usize) -> String {
    format!("resource {n}")
}

fn is_buffer(bound: &Bound) -> bool {
    bound.resource.is_buffer()
}

/// Whether a resource has texels.
pub(super) fn is_texels(bound: &Bound) -> bool {
    matches!(
        bound.resource,
        Resource::UniformTexels | Resource::StorageTexels | Resource::Image | Resource::Sampled
    )
}

/// The descriptor of a buffer of texels at an address.
fn descriptor(base: u64, format: u32, bytes: usize) -> [u32; 4] {
    let size = texel_format(format).map_or(4, TexelFormat::bytes);
    typed_buffer(base, format, size as u32, (bytes / size) as u32)
}

/// The descriptors of a resource, each of its share of the bytes.
fn descriptors(bound: &Bound, base: u64, bytes: usize, view: View) -> Vec<u8> {
    let count = if bound.count == 0 { OPEN } else { bound.count };
    let size = bytes / count as usize;
    let one = |n: u32| {
        let base = base + u64::from(n) * size as u64;
        let own = match view {
            View::Bytes => raw_buffer(base, size as u32).to_vec(),
            View::Texels(format) => descriptor(base, format, size).to_vec(),
            View::Image(format, size, kind) => {
                let mut words = linear_image(base, format, size, kind);
                words[3] |= if matches!(kind, 14 | 15) { IMAGE_SAMPLES.trailing_zeros() << 16 } else { 0 };
                words.to_vec()
            }
        };
        match bound.resource {
            Resource::Sampler => SAMPLER.to_vec(),
            // The sampler stands at byte 80 (spec section 17).
            Resource::Sampled => [&own[..], &[0; 20][own.len()..], &SAMPLER].concat(),
            _ => own,
        }
    };
    (0..count).flat_map(one).flat_map(u32::to_le_bytes).collect()
}

/// The addresses of the descriptors of a resource, which stand from `base` on.
fn handles(bound: &Bound, base: u64) -> Vec<u8> {
    let size = u64::from(bound.resource.bytes()[0]);
    let each =
        |n: u32| bound.resource.handles().iter().map(move |at| base + u64::from(n) * size + u64::from(*at));
    (0..bound.count).flat_map(each).flat_map(u64::to_le_bytes).collect()
}

/// Code, buffers, sets and arguments.
fn memory(compiled: &Compiled, given: &Given) -> Result<Mapped, String> {
    let interface = &compiled.interface;
    let mut memory = Mapped::default();
    let mut map = |name: String, base: u64, bytes: Vec<u8>| {
        memory.map(Range { name, base, bytes }).map_err(|other| format!("memory lies over {other}"))
    };
    map("the code".to_owned(), CODE, compiled.code.clone())?;
    let sets: Vec<u32> = interface
        .arguments
        .iter()
        .filter_map(|a| if let Argument::Set(n) = a { Some(*n) } else { None })
        .collect();
    let mut tables: Vec<Vec<u8>> =
        sets.iter().map(|&set| vec![0; interface.set_bytes(set) as usize]).collect();
    let mut kernarg = vec![0; interface.kernarg_bytes() as usize];
    for (n, (bound, bytes)) in interface.resources.iter().zip(&given.bytes).enumerate() {
        let base = APART * (n as u64 + 1);
        let words: Vec<u8> = match (interface.abi, bound.resource) {
            (_, Resource::GroupCount(axis)) => given.groups[usize::from(axis)].to_le_bytes().to_vec(),
            (Abi::Hsa, Resource::Push) => bytes.clone(),
            (Abi::Hsa, resource) if !resource.is_buffer() => {
                let base = HANDLES + HANDLES_APART * n as u64;
                let own = descriptors(bound, APART * (n as u64 + 1), bytes.len(), given.view(n));
                map(format!("descriptors {n}"), base, own)?;
                handles(bound, base)
            }
            (Abi::Hsa, _) => {
                let share = bytes.len() as u64 / u64::from(bound.count.max(1));
                (0..u64::from(bound.count)).flat_map(|n| (base + n * share).to_le_bytes()).collect()
            }
            _ => descriptors(bound, base, bytes.len(), given.view(n)),
        };
        let table = match interface.abi {
            Abi::Hsa => Some(&mut kernarg),
            Abi::Vulkan => sets.iter().position(|&set| set == bound.binding.0).map(|at| &mut tables[at]),
        };
        if let Some(table) = table {
            let first = bound.offset as usize;
            table.resize(table.len().max(first + words.len()), 0);
            table[first..].iter_mut().zip(words).for_each(|(to, byte)| *to = byte);
        }
        if is_buffer(bound) || given.view(n) != View::Bytes {
            map(name(n), base, bytes.clone())?;
        } else if bound.resource == Resource::Push && interface.abi == Abi::Vulkan {
            map("the push constants".to_owned(), UPPER | u64::from(PUSH), bytes.clone())?;
        }
    }
    for (set, table) in sets.iter().zip(tables) {
        map(format!("set {set}"), UPPER | u64::from(SETS * (set + 1)), table)?;
    }
    if interface.abi == Abi::Hsa {
        map("the arguments".to_owned(), KERNARG, kernarg)?;
    }
    Ok(memory)
}

/// Registers at the start of a wave.
fn enter(wave: &mut Wave, compiled: &Compiled, given: &Given, (dispatch, group): (&Dispatch, [u32; 3])) {
    let interface = &compiled.interface;
    threads(wave, dispatch, interface.dimensions.into());
    let push = interface.resources.iter().position(|b| b.resource == Resource::Push);
    let push = push.and_then(|n| given.bytes.get(n)).map_or(&[][..], |bytes| bytes);
    let pushed = |n: u32| {
        let word = push.get(4 * n as usize..).and_then(|rest| rest.first_chunk());
        word.map_or(0, |word| u32::from_le_bytes(*word))
    };
    for (argument, first) in interface.registers() {
        let words = match argument {
            Argument::Rings | Argument::Scratch => vec![0; 2],
            Argument::Set(n) => vec![SETS * (n + 1)],
            Argument::PushPointer => vec![PUSH],
            Argument::Push(n) => vec![pushed(n)],
            Argument::Kernarg => vec![KERNARG as u32, (KERNARG >> 32) as u32],
            Argument::GroupCounts => given.groups.to_vec(),
            Argument::GroupId(n) => vec![group[usize::from(n)]],
            Argument::ScratchOffset => vec![0],
            Argument::GroupInfo => vec![group_info(dispatch.waves(compiled.options.wave), wave.index())],
        };
        (first..).zip(words).for_each(|(register, word)| wave.set_scalar(register, word));
    }
}
