//! Inputs get the registers and scalars in which the machine has them: in the order of selection attributes from r0.x on,
//! the pair of coordinates in r0.x, half registers from hr0.x on; varyings scalar by scalar.
//!
//! Needed before: what nobody reads is gone, for it would take places.
//! True after: the definitions of the start are fixed, and every fetch of a varying names its scalar.

use chiaro_mach::{Code, Made, Op as Mach, Operand, Value, What};

use crate::abi::{Input, Source};
use crate::compile::select::{Read, Selected};

/// Places the inputs that are read, and tells where they are.
pub(super) fn place_inputs(selected: &mut Selected) -> Vec<Input> {
    let made = Made::of(&selected.code);
    let mut groups = groups(&selected.reads);
    groups.retain(|group| group.iter().any(|read| made.reads(read.value) > 0));
    // The pair stands first: customary now, mandatory once.
    groups.sort_by_key(|group| group[0].source != Source::Barycentric);
    let mut next = Next::default();
    let inputs = groups.iter().map(|group| next.place(&mut selected.code, &made, group)).collect();
    fix_start(&mut selected.code, &made, &next.placed);
    inputs
}

/// The scalars of each input, one behind the other.
fn groups(reads: &[Read]) -> Vec<&[Read]> {
    reads.chunk_by(|a, b| (&a.name, a.part, a.source) == (&b.name, b.part, b.source)).collect()
}

/// What is free next, and what has a place.
#[derive(Default)]
struct Next {
    full: u16,
    half: u16,
    /// Scalars of varyings.
    slot: u16,
    /// Values with their registers.
    placed: Vec<(Value, u16)>,
}

impl Next {
    /// Places the scalars of an input.
    fn place(&mut self, code: &mut Code, made: &Made, reads: &[Read]) -> Input {
        let first = &reads[0];
        let components = components(made, reads);
        let (mut source, mut register) = (first.source, None);
        match &mut source {
            Source::Varying { slot, .. } | Source::PointCoordinate(slot) => {
                *slot = self.slot as u8;
                reads.iter().for_each(|read| set_slot(code, read, self.slot));
                self.slot += u16::from(components);
            }
            Source::Facing => {
                register = Some(self.half);
                self.placed.push((first.value, self.half));
                self.half += 1;
            }
            _ => register = Some(self.registers(reads, components)),
        }
        let (name, part, kind) = (first.name.clone(), first.part, first.kind);
        Input { name, part, source, register, components, kind }
    }

    /// Full registers; the first of them.
    fn registers(&mut self, reads: &[Read], components: u8) -> u16 {
        // Where an invocation's number and its group's stand is assumed: a vec4 each.
        if matches!(reads[0].source, Source::LocalId | Source::GroupId) {
            self.full = self.full.next_multiple_of(4);
        }
        let first = self.full;
        self.placed.extend(reads.iter().map(|read| (read.value, first + u16::from(read.component))));
        self.full += u16::from(components);
        first
    }
}

/// How many scalars an input takes: up to the last that is read, or as many as the machine writes whoever reads them.
fn components(made: &Made, reads: &[Read]) -> u8 {
    let is_read = |read: &&Read| made.reads(read.value) > 0;
    match reads[0].source {
        Source::FragCoord => 4,
        Source::Barycentric => 2,
        _ => reads.iter().filter(is_read).map(|read| read.component + 1).max().unwrap_or(1),
    }
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
