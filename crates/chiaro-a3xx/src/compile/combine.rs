//! After selection: what nobody reads goes, inputs get their places, and instructions go to where their slots cost
//! least.
//!
//! | file | does |
//! |---|---|
//! | [`drop_unread_addresses`] | loads of a0.x that nobody reads |
//! | [`narrow_textures`] | components of texels that nobody reads |
//! | [`halve`] | what may be of low precision to half registers |
//! | [`sink_conditions`] | comparisons down to the selections that read them |
//! | [`hoist_tests`] | predicates up, ahead of their branches |
//! | [`hoist`] | what stands behind a branch into the slots before it |

mod drop_unread_addresses;
mod halve;
mod hoist;
mod hoist_tests;
mod narrow_textures;
mod sink_conditions;

use chiaro_mach::{Code, Inst, Made, Op as Mach, Operand, Value, What, dead_code};

use super::code::operation;
use super::select::{Read, Selected};
use crate::abi::{Input, Source};
use crate::isa::Op;

/// A step from code to code.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The name of its file.
    pub name: &'static str,
    /// Does it.
    pub run: fn(&mut Code),
}

/// What makes code smaller, before inputs are placed.
pub static NARROW: &[Step] = &[
    Step { name: "dead_code", run: dead_code },
    Step { name: "drop_unread_addresses", run: drop_unread_addresses::drop_unread_addresses },
    Step { name: "narrow_textures", run: narrow_textures::narrow_textures },
];

/// What half registers are given by, where the user wants it.
pub static HALVE: &[Step] = &[Step { name: "halve", run: halve::halve }];

/// What moves instructions.
pub static MOVE: &[Step] = &[
    Step { name: "sink_conditions", run: sink_conditions::sink_conditions },
    Step { name: "hoist_tests", run: hoist_tests::hoist_tests },
    Step { name: "hoist", run: hoist::hoist },
];

/// Removes what is dead, narrows texture results to what is read, places inputs, uses half
/// registers if asked to, moves instructions.
pub fn combine(selected: &mut Selected, half: bool) -> Vec<Input> {
    NARROW.iter().for_each(|step| (step.run)(&mut selected.code));
    let inputs = place_inputs(selected);
    HALVE.iter().filter(|_| half).for_each(|step| (step.run)(&mut selected.code));
    MOVE.iter().for_each(|step| (step.run)(&mut selected.code));
    inputs
}

/// An input with the scalars that are read of it.
struct Group {
    reads: Vec<Read>,
}

/// Inputs in the order of selection: attributes from r0.x on, the pair of coordinates in r0.x,
/// half registers from hr0.x on; varyings scalar by scalar.
fn place_inputs(selected: &mut Selected) -> Vec<Input> {
    let made = Made::of(&selected.code);
    let mut groups: Vec<Group> = Vec::new();
    for read in &selected.reads {
        let same = |group: &&mut Group| {
            let first = &group.reads[0];
            first.name == read.name && first.part == read.part && first.source == read.source
        };
        match groups.last_mut().filter(|group| same(group)) {
            Some(group) => group.reads.push(read.clone()),
            None => groups.push(Group { reads: vec![read.clone()] }),
        }
    }
    let is_read = |read: &Read| made.reads(read.value) > 0;
    groups.retain(|group| group.reads.iter().any(is_read));
    // The pair stands first: customary now, mandatory once.
    groups.sort_by_key(|group| group.reads[0].source != Source::Barycentric);
    let (mut full, mut half, mut slot) = (0u16, 0, 0);
    let mut placed: Vec<(Value, u16)> = Vec::new();
    let mut inputs = Vec::new();
    for group in groups {
        let first = &group.reads[0];
        let components =
            group.reads.iter().filter(|r| is_read(r)).map(|r| r.component + 1).max().unwrap_or(1);
        // The hardware writes all four of a fragment's place.
        let components = match first.source {
            Source::FragCoord => 4,
            Source::Barycentric => 2,
            _ => components,
        };
        let (mut source, mut register) = (first.source, None);
        match &mut source {
            Source::Varying { slot: at, .. } | Source::PointCoordinate(at) => {
                *at = slot as u8;
                for read in &group.reads {
                    set_slot(&mut selected.code, read, slot);
                }
                slot += u16::from(components);
            }
            Source::Facing => {
                register = Some(half);
                placed.push((first.value, half));
                half += 1;
            }
            _ => {
                // Where an invocation's number and its group's stand is assumed: a vec4 each.
                let is_number = matches!(first.source, Source::LocalId | Source::GroupId);
                full = if is_number { full.next_multiple_of(4) } else { full };
                register = Some(full);
                placed.extend(group.reads.iter().map(|r| (r.value, full + u16::from(r.component))));
                full += u16::from(components);
            }
        }
        let (name, part, kind) = (first.name.clone(), first.part, first.kind);
        inputs.push(Input { name, part, source, register, components, kind });
    }
    fix_start(&mut selected.code, &made, &placed);
    inputs
}

fn set_slot(code: &mut Code, read: &Read, slot: u16) {
    if let Some(used) = read.fetch.and_then(|fetch| code.uses_mut(fetch).first_mut()) {
        used.what = What::Imm(u64::from(slot + u16::from(read.component)));
    }
}

/// What the machine preloads stands in fixed registers; what nobody reads is not preloaded.
fn fix_start(code: &mut Code, made: &Made, placed: &[(Value, u16)]) {
    let Some(entry) = code.blocks().next() else { return };
    let Some(&start) = code.insts(entry).iter().find(|&&inst| code.op(inst) == Mach::Start) else { return };
    let fixed = |def: &Operand| {
        let value = def.value().filter(|&value| made.reads(value) > 0)?;
        let &(_, unit) = placed.iter().find(|(placed, _)| *placed == value)?;
        Some(def.fixed(unit))
    };
    let defs: Vec<Operand> = code.defs(start).iter().filter_map(fixed).collect();
    code.set_operands(start, &defs, &[]);
}

/// Whether an instruction fetches a varying.
#[must_use]
pub fn is_fetch(code: &Code, inst: Inst) -> bool {
    operation(code, inst) == Some(Op::BaryF)
}
