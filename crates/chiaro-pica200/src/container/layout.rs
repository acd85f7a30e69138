//! The order of the parts of a SHBIN, and what stands between them.
//!
//! A layout is a list of slots. Positions follow from the list and from the sizes of the parts,
//! so that a part that grows moves what follows and nothing else changes.

use super::part::{Claim, Part, Part::*};
use super::{Problem, ReadError, Shbin};
use std::collections::BTreeSet;

/// Where a part stands in the file that [`Shbin::write`] makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The part.
    pub part: Part,
    /// Byte offset from the start of the file.
    pub offset: usize,
    /// Size in bytes.
    pub size: usize,
}

/// How a file is laid out: as picasso does, as nihstro does, or as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout(pub(super) Kind);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Picasso,
    Nihstro,
    Read { header: DvlpHeader, slots: Vec<Slot> },
}

/// What the DVLP header holds beside offsets and counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct DvlpHeader {
    /// Whether bytes 0x1C-0x27 exist; nihstro leaves them out.
    pub(super) long: bool,
    /// Word 0x18: `None` is the end of the descriptors, as from picasso.
    pub(super) word18: Option<u32>,
    /// Word 0x1C, 0 from every known tool [unknown].
    pub(super) word1c: u32,
}

/// One step of writing a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Slot {
    /// A part.
    Place(Part),
    /// Zeros up to the next multiple of four.
    Align,
    /// Bytes that no header claims.
    Bytes(Vec<u8>),
    /// An empty part whose offset points nowhere in particular: the field's value.
    Nowhere(Part, u32),
}

pub(super) const DVLP_SHORT: usize = 0x1c;
pub(super) const DVLP_LONG: usize = 0x28;
pub(super) const DVLE_SIZE: usize = 0x40;

impl Default for Layout {
    fn default() -> Layout {
        Layout::picasso()
    }
}

impl Layout {
    /// DVLB, DVLP with code and descriptors, then each DVLE with its tables, padded to words.
    pub const fn picasso() -> Layout {
        Layout(Kind::Picasso)
    }

    /// DVLB, a DVLP header of 28 bytes, the DVLE headers, code, descriptors, then the tables of
    /// each DVLE, without padding.
    pub const fn nihstro() -> Layout {
        Layout(Kind::Nihstro)
    }

    /// The tool that lays files out so, or `None` for another order.
    pub fn tool(&self) -> Option<&'static str> {
        match self.0 {
            Kind::Picasso => Some("picasso"),
            Kind::Nihstro => Some("nihstro"),
            Kind::Read { .. } => None,
        }
    }

    pub(super) fn dvlp_header(&self) -> DvlpHeader {
        match self.0 {
            Kind::Picasso => DvlpHeader { long: true, word18: None, word1c: 0 },
            Kind::Nihstro => DvlpHeader { long: false, word18: Some(0), word1c: 0 },
            Kind::Read { header, .. } => header,
        }
    }

    /// The slots for a file with this content: every part of it occurs once.
    pub(super) fn slots(&self, file: &Shbin) -> Vec<Slot> {
        match &self.0 {
            Kind::Picasso => picasso_slots(file),
            Kind::Nihstro => nihstro_slots(file),
            Kind::Read { slots, .. } => fit(slots, file),
        }
    }
}

fn picasso_slots(file: &Shbin) -> Vec<Slot> {
    let mut slots = place(&[Dvlb, Dvlp, Code, Descriptors]);
    slots.push(file_names_slot(file));
    slots.push(Slot::Align);
    for n in 0..file.executables.len() {
        slots.extend(place(&[Dvle(n), Constants(n), Labels(n), Outputs(n), Uniforms(n), Symbols(n)]));
        slots.push(Slot::Align);
    }
    slots
}

fn nihstro_slots(file: &Shbin) -> Vec<Slot> {
    let executables = 0..file.executables.len();
    let mut slots = place(&[Dvlb, Dvlp]);
    slots.extend(executables.clone().map(|n| Slot::Place(Dvle(n))));
    slots.extend(place(&[Code, Descriptors]));
    slots.push(file_names_slot(file));
    for n in executables {
        slots.extend(place(&[Outputs(n), Constants(n), Uniforms(n), Labels(n), Symbols(n)]));
    }
    slots
}

fn place(parts: &[Part]) -> Vec<Slot> {
    parts.iter().copied().map(Slot::Place).collect()
}

/// Known tools write offset 0 for the file names that they do not have.
fn file_names_slot(file: &Shbin) -> Slot {
    if file.program.file_names.is_empty() { Slot::Nowhere(FileNames, 0) } else { Slot::Place(FileNames) }
}

/// Adapts the slots of a file to content that was edited since: parts of removed executables go,
/// new parts follow the last one of their section.
fn fit(slots: &[Slot], file: &Shbin) -> Vec<Slot> {
    let alive = |part: Part| part.executable().is_none_or(|n| n < file.executables.len());
    let mut fitted: Vec<Slot> = slots
        .iter()
        .filter(|slot| match **slot {
            Slot::Place(part) => alive(part),
            Slot::Nowhere(part, _) => alive(part) && file.part_size(part) == 0,
            Slot::Align | Slot::Bytes(_) => true,
        })
        .cloned()
        .collect();
    let present: BTreeSet<Part> = fitted.iter().filter_map(Slot::part).collect();
    for part in file.all_parts().filter(|part| !present.contains(part)) {
        insert(&mut fitted, part);
    }
    fitted
}

/// Puts a part behind the last placed one of its section, or of the whole file.
fn insert(slots: &mut Vec<Slot>, part: Part) {
    let same_section = |slot: &Slot| match slot {
        Slot::Place(other) => other.executable() == part.executable(),
        _ => false,
    };
    let after = slots.iter().rposition(same_section).map_or(slots.len(), |last| last + 1);
    slots.splice(after..after, [Slot::Align, Slot::Place(part), Slot::Align]);
}

impl Slot {
    fn part(&self) -> Option<Part> {
        match *self {
            Slot::Place(part) | Slot::Nowhere(part, _) => Some(part),
            Slot::Align | Slot::Bytes(_) => None,
        }
    }
}

/// Derives the layout of a file that was read; refuses parts that overlap.
///
/// `claims` are all parts, with ranges that lie within the file unless they are empty.
pub(super) fn of_file(bytes: &[u8], header: DvlpHeader, claims: &[Claim]) -> Result<Layout, ReadError> {
    let full: Vec<&Claim> = claims.iter().filter(|claim| claim.count > 0).collect();
    let mut edges: Vec<u64> = full.iter().flat_map(|claim| [claim.start, claim.end()]).collect();
    edges.sort_unstable();
    let on_edge = |claim: &Claim| claim.start >= claim.body && edges.binary_search(&claim.start).is_ok();

    // Empty parts go before the full part that starts at the same byte.
    let mut placed = full;
    placed.extend(claims.iter().filter(|claim| claim.count == 0 && on_edge(claim)));
    placed.sort_by_key(|claim| (claim.start, claim.count > 0, claim.part));

    let mut slots = slots_between(bytes, &placed)?;
    let nowhere = claims.iter().filter(|claim| claim.count == 0 && !on_edge(claim));
    slots.extend(nowhere.map(|claim| Slot::Nowhere(claim.part, claim.value)));
    Ok(Layout(Kind::Read { header, slots }))
}

/// The placed parts in file order, with the gaps before, between and after them.
fn slots_between(bytes: &[u8], placed: &[&Claim]) -> Result<Vec<Slot>, ReadError> {
    let mut slots = Vec::new();
    let mut last: Option<&Claim> = None;
    for &claim in placed {
        let end = last.map_or(0, Claim::end);
        if let Some(other) = last.filter(|_| claim.start < end) {
            return Err(overlap(claim, other));
        }
        push_gap(&mut slots, bytes, end as usize, claim.start as usize, last);
        slots.push(Slot::Place(claim.part));
        last = Some(claim);
    }
    push_gap(&mut slots, bytes, last.map_or(0, Claim::end) as usize, bytes.len(), last);
    Ok(slots)
}

/// Records the bytes in `from..to`. Zeros that merely align become [`Slot::Align`], which also
/// stands where text happens to end on a word, so that what follows stays aligned after an edit.
fn push_gap(slots: &mut Vec<Slot>, bytes: &[u8], from: usize, to: usize, last: Option<&Claim>) {
    let gap = &bytes[from..to];
    let aligned = to.is_multiple_of(4);
    let padding = aligned && gap.len() < 4 && gap.iter().all(|&byte| byte == 0);
    if !padding && !gap.is_empty() {
        slots.push(Slot::Bytes(gap.to_vec()));
    }
    if aligned && (!gap.is_empty() || last.is_some_and(|claim| claim.part.is_text())) {
        slots.push(Slot::Align);
    }
}

fn overlap(claim: &Claim, other: &Claim) -> ReadError {
    let problem = Problem::Overlap {
        start: claim.start as usize,
        end: claim.end() as usize,
        other: other.part,
        other_start: other.start as usize,
        other_end: other.end() as usize,
    };
    ReadError { offset: claim.field, part: claim.part, problem }
}
