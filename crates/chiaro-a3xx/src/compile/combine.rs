//! After selection: what nobody reads goes, inputs get their places, and instructions go to where their slots cost
//! least.
//!
//! | file | does |
//! |---|---|
//! | [`sink_conditions`] | comparisons down to the selections that read them |
//! | [`hoist_tests`] | predicates up, ahead of their branches |
//! | [`hoist`] | what stands behind a branch into the slots before it |

mod hoist;
mod hoist_tests;
mod sink_conditions;

use chiaro_mach::{Code, Inst, Op as Mach, Operand, Value, What, dead_code};

use super::code::{ADDRESS, Modifiers, TextureModifiers, operation, uses};
use super::select::{Read, Selected};
use crate::abi::{Input, Source};
use crate::isa::{Op, category};

/// Removes what is dead, narrows texture results to what is read, places inputs.
pub fn combine(selected: &mut Selected) -> Vec<Input> {
    dead_code(&mut selected.code);
    if drop_unread_addresses(&mut selected.code) {
        dead_code(&mut selected.code);
    }
    narrow_textures(&mut selected.code);
    let inputs = place_inputs(selected);
    sink_conditions::sink_conditions(&mut selected.code);
    hoist_tests::hoist_tests(&mut selected.code);
    hoist::hoist(&mut selected.code);
    inputs
}

/// Addresses whose readers are all gone are not loaded: nobody would release them. Selection reads an
/// address in the block that loads it. Whether there were any.
fn drop_unread_addresses(code: &mut Code) -> bool {
    let mut dropped = false;
    for block in code.blocks() {
        let mut insts = std::mem::take(&mut code.block_mut(block).insts);
        let (before, mut is_read) = (insts.len(), false);
        let mut keep: Vec<bool> = insts
            .iter()
            .rev()
            .map(|&inst| {
                let loads = operation(code, inst) == Some(Op::Mova);
                let keeps = !loads || is_read;
                is_read = !loads
                    && (is_read || code.uses(inst).iter().any(|used| used.file == ADDRESS && used.in_file()));
                keeps
            })
            .collect();
        insts.retain(|_| keep.pop().unwrap_or(true));
        dropped |= insts.len() < before;
        code.block_mut(block).insts = insts;
    }
    dropped
}

/// Components of texture results that nobody reads are not written; those behind the last that
/// is read have no register.
fn narrow_textures(code: &mut Code) {
    let uses = uses(code);
    let mut splits: Vec<Option<Inst>> = vec![None; code.value_count()];
    let all: Vec<Inst> = code.blocks().flat_map(|block| code.insts(block).to_vec()).collect();
    for &inst in all.iter().filter(|&&inst| code.op(inst) == Mach::Split) {
        if let Some(value) = code.uses(inst)[0].value() {
            splits[value.0 as usize] = Some(inst);
        }
    }
    for &inst in &all {
        let is_texture = operation(code, inst).is_some_and(|op| category(op) == 5);
        let Some(value) = code.defs(inst).first().and_then(Operand::value).filter(|_| is_texture) else {
            continue;
        };
        let Some(split) = splits[value.0 as usize] else { continue };
        let is_read = |def: &Operand| def.value().is_some_and(|value| uses[value.0 as usize] > 0);
        let parts = code.defs(split).to_vec();
        let mask = parts.iter().enumerate().fold(0, |mask, (i, def)| mask | u8::from(is_read(def)) << i);
        let count = parts.iter().rposition(is_read).map_or(0, |last| last + 1);
        let data = code.inst_mut(inst);
        let modifiers = Modifiers::unpack(data.modifiers);
        let texture = TextureModifiers { mask, ..modifiers.texture };
        data.modifiers = Modifiers { texture, ..modifiers }.pack();
        if count < parts.len() && count > 0 {
            let file = code.defs(inst)[0].file;
            let narrow = code.value(file, count as u16, 1);
            let operand = code.operand(narrow);
            let sources = code.uses(inst).to_vec();
            code.set_operands(inst, &[operand], &sources);
            code.set_operands(split, &parts[..count], &[operand]);
        }
    }
}

/// An input with the scalars that are read of it.
struct Group {
    reads: Vec<Read>,
}

/// Inputs in the order of selection: attributes from r0.x on, the pair of coordinates in r0.x,
/// half registers from hr0.x on; varyings scalar by scalar.
fn place_inputs(selected: &mut Selected) -> Vec<Input> {
    let uses = uses(&selected.code);
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
    let is_read = |read: &Read| uses[read.value.0 as usize] > 0;
    groups.retain(|group| group.reads.iter().any(is_read));
    // The pair stands first: customary now, mandatory once.
    groups.sort_by_key(|group| group.reads[0].source != Source::Barycentric);
    let (mut full, mut half, mut slot) = (0, 0, 0);
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
                register = Some(full);
                placed.extend(group.reads.iter().map(|r| (r.value, full + u16::from(r.component))));
                full += u16::from(components);
            }
        }
        let (name, part, kind) = (first.name.clone(), first.part, first.kind);
        inputs.push(Input { name, part, source, register, components, kind });
    }
    fix_start(&mut selected.code, &uses, &placed);
    inputs
}

fn set_slot(code: &mut Code, read: &Read, slot: u16) {
    if let Some(used) = read.fetch.and_then(|fetch| code.uses_mut(fetch).first_mut()) {
        used.what = What::Imm(u64::from(slot + u16::from(read.component)));
    }
}

/// What the machine preloads stands in fixed registers; what nobody reads is not preloaded.
fn fix_start(code: &mut Code, uses: &[u32], placed: &[(Value, u16)]) {
    let Some(entry) = code.blocks().next() else { return };
    let Some(&start) = code.insts(entry).iter().find(|&&inst| code.op(inst) == Mach::Start) else { return };
    let fixed = |def: &Operand| {
        let value = def.value().filter(|value| uses[value.0 as usize] > 0)?;
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
