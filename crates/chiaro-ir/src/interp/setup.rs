//! Setting up a run: the memory of variables, and the built-in inputs.

use super::Attributes;
use super::domain::Domain;
use super::exec::{Outcome, Walk};
use super::frame::constant_bits;
use super::images::Handle;
use super::memory::{Place, Region};
use crate::{Global, GlobalRef, Module, Space, Ty, Type};
use std::collections::HashMap;

/// Gives blocks of memory the first regions, behind one that nobody has: an address of 0 leads nowhere.
pub(super) fn place_blocks<D: Domain>(walk: &mut Walk<'_, D>, blocks: &mut [Region<D>]) {
    if !blocks.is_empty() {
        walk.memory.put(Region::default());
    }
    for block in blocks {
        walk.memory.put(std::mem::take(block));
    }
}

/// Gives every variable its region.
///
/// # Errors
/// The first one that there is no memory for; it has none, and the others have theirs.
pub(super) fn place_globals<D: Domain>(
    walk: &mut Walk<'_, D>,
    inputs: &Attributes,
    shared: &mut HashMap<GlobalRef, Region<D>>,
    aliases: &HashMap<GlobalRef, GlobalRef>,
) -> Outcome {
    let (module, mut outcome) = (walk.module, Ok(()));
    for (g, global) in (0..).map(GlobalRef).zip(&module.globals) {
        let first = aliases.get(&g).copied().unwrap_or(g);
        if first != g && !is_handle(module, global.ty) {
            walk.globals.push(walk.globals[first.0 as usize]);
            continue;
        }
        // What was given is shared, whatever the space.
        let region = match shared.get_mut(&g) {
            Some(given) => walk.memory.put(std::mem::take(given)),
            None => fresh(walk, first, global, inputs.get(&g)).unwrap_or_else(|fault| {
                outcome = std::mem::replace(&mut outcome, Ok(())).and(Err(fault));
                walk.memory.put(Region::default())
            }),
        };
        walk.globals.push(Place { region, offset: 0 }.bits());
    }
    outcome
}

/// The region of a variable that nobody gave, with what it holds at first: in each lane what `inputs` have for it.
fn fresh<D: Domain>(
    walk: &mut Walk<'_, D>,
    first: GlobalRef,
    global: &Global,
    inputs: Option<&Vec<Vec<u8>>>,
) -> Outcome<u32> {
    let layout = walk.layouts.get(global.ty);
    walk.memory.claim(layout.size, copies(global, walk.lanes), global.span)?;
    let size = layout.size as usize;
    let mut bytes = match () {
        () if is_handle(walk.module, global.ty) => handles(first, size),
        () if matches!(global.space, Space::Workgroup | Space::Private | Space::Output) => {
            walk.options.undefined(size)
        }
        () => vec![0; size],
    };
    if let Some(init) = global.init {
        initial(walk, global.ty, init, &mut bytes);
    }
    let region = walk.memory.add(&bytes, is_own(global).then_some(walk.lanes));
    for (lane, given) in inputs.into_iter().flatten().enumerate().take(walk.lanes) {
        let room = walk.memory.bytes_of(region, lane);
        let count = room.len().min(given.len());
        room[..count].copy_from_slice(&given[..count]);
    }
    Ok(region)
}

/// Whether each lane has a variable of its own.
fn is_own(global: &Global) -> bool {
    matches!(
        global.space,
        Space::Private
            | Space::Input
            | Space::Output
            | Space::Payload
            | Space::CallableData
            | Space::HitAttribute
    )
}

/// How often a variable is in memory.
pub(super) fn copies(global: &Global, lanes: usize) -> usize {
    if is_own(global) { lanes } else { 1 }
}

fn is_handle(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage(_) | Type::AccelerationStructure => true,
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => is_handle(module, *elem),
        _ => false,
    }
}

/// The handles of a variable's elements; arrays without a size have as many as fit 16 bits of
/// address.
fn handles(global: GlobalRef, size: usize) -> Vec<u8> {
    let count = if size == 0 { 1024 } else { size / 8 };
    (0..count as u32).flat_map(|element| Handle { global, element }.bits().to_le_bytes()).collect()
}

pub(super) fn initial<D: Domain>(walk: &Walk<'_, D>, ty: Ty, init: crate::Constant, bytes: &mut [u8]) {
    let mut words = Vec::new();
    constant_bits(walk.module, walk.layouts, &walk.globals, init, walk.options.undef, &mut words);
    for (&(leaf, offset), (bits, _)) in walk.layouts.get(ty).leaves.iter().zip(words) {
        let at = offset as usize;
        if let Some(room) = bytes.get_mut(at..at + leaf.bytes()) {
            room.copy_from_slice(&bits.to_le_bytes()[..leaf.bytes()]);
        }
    }
}

pub(super) fn outputs_of<D: Domain>(walk: &Walk<'_, D>, lanes: usize) -> Attributes {
    let outputs = walk.module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Output);
    let bytes = |i: usize| {
        let region = Place::of(walk.globals[i]).region;
        (0..lanes).map(|lane| walk.memory.peek(region, lane).to_vec()).collect()
    };
    outputs.map(|(i, _)| (GlobalRef(i as u32), bytes(i))).collect()
}

/// SPIR-V's built-ins of the compute stage, of a lane and the thread that it is.
pub(super) fn compute_builtin(
    number: u32,
    (lane, thread): (u32, u32),
    group: [u32; 3],
    groups: [u32; 3],
    size: [u32; 3],
    subgroup: u32,
) -> [u32; 4] {
    let local = [thread % size[0], thread / size[0] % size[1], thread / (size[0] * size[1])];
    let three = |v: [u32; 3]| [v[0], v[1], v[2], 0];
    let in_subgroup = lane % subgroup.max(1);
    let mask = |keep: &dyn Fn(u32) -> bool| {
        let set = (0..128).filter(|&n| n < subgroup && keep(n)).fold(0u128, |m, n| m | 1 << n);
        std::array::from_fn(|i| (set >> (32 * i)) as u32)
    };
    match number {
        24 => three(groups),
        25 => three(size),
        26 => three(group),
        27 => three(local),
        28 => three(std::array::from_fn(|i| group[i].wrapping_mul(size[i]).wrapping_add(local[i]))),
        29 => [thread, 0, 0, 0],
        36 => [subgroup, 0, 0, 0],
        38 => [size.iter().product::<u32>().div_ceil(subgroup.max(1)), 0, 0, 0],
        40 => [lane / subgroup.max(1), 0, 0, 0],
        41 => [in_subgroup, 0, 0, 0],
        4416 => mask(&|n| n == in_subgroup),
        4417 => mask(&|n| n >= in_subgroup),
        4418 => mask(&|n| n > in_subgroup),
        4419 => mask(&|n| n <= in_subgroup),
        4420 => mask(&|n| n < in_subgroup),
        _ => [0; 4],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_a_wide_subgroup_go_on_in_further_words() {
        let mask = |number| compute_builtin(number, (70, 70), [0; 3], [1; 3], [128, 1, 1], 128);
        assert_eq!(mask(4416), [0, 0, 1 << 6, 0]);
        assert_eq!(mask(4417), [0, 0, !0 << 6, !0]);
        assert_eq!(mask(4418), [0, 0, !0 << 7, !0]);
        assert_eq!(mask(4419), [!0, !0, (1 << 7) - 1, 0]);
        assert_eq!(mask(4420), [!0, !0, (1 << 6) - 1, 0]);
    }
}
