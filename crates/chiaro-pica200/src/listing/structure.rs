//! Procedures and blocks, found in the words.

use super::{Unlisted, instruction, label};
use crate::container::Shbin;
use crate::isa::{Op, PICA200};
use chiaro_isa::{Inst, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The shape of a program.
pub(super) struct Program {
    /// Disjoint, by address, together all of the code.
    pub procedures: Vec<Procedure>,
    /// What each executable's source file holds.
    pub sections: Vec<Section>,
    /// Words that a jump names.
    pub labels: BTreeSet<u32>,
    pub label_names: BTreeMap<u32, String>,
}

/// A range of words that ends like a procedure.
pub(super) struct Procedure {
    pub name: String,
    pub start: u32,
    /// One past the last word.
    pub end: u32,
    pub body: Vec<Block>,
}

/// A part of a procedure's body.
pub(super) enum Block {
    /// An instruction.
    Word(u32),
    /// A word that must stay a number.
    Raw(u32),
    /// IFC, IFU or LOOP with what it encloses.
    Scope {
        /// The instruction.
        head: u32,
        /// Then part, or the loop's body.
        body: Vec<Block>,
        /// Else part.
        other: Option<Vec<Block>>,
        /// First word behind it all.
        end: u32,
    },
}

/// The source file of one executable.
pub(super) struct Section {
    /// Index of the entry procedure.
    pub entry: usize,
    pub procedures: Range<usize>,
    /// One past its last word.
    pub end: u32,
}

impl Program {
    pub(super) fn find(file: &Shbin) -> Result<Program, Unlisted> {
        let ranges = procedure_ranges(file)?;
        let mut procedures: Vec<Procedure> = ranges
            .iter()
            .map(|r| Procedure { name: String::new(), start: r.start, end: r.end, body: Vec::new() })
            .collect();
        let sections = sections(file, &procedures)?;
        name(file, &mut procedures, &sections);
        let mut labels = BTreeSet::new();
        for section in &sections {
            let words = section_words(section, &procedures);
            for n in section.procedures.clone() {
                let Range { start, end } = ranges[n].clone();
                let mut finder = Finder { file, ranges: &ranges, words: words.clone(), labels: &mut labels };
                procedures[n].body = finder.blocks(start, end);
            }
        }
        let label_names = labels.iter().map(|&at| (at, label(at))).collect();
        Ok(Program { procedures, sections, labels, label_names })
    }
}

fn int(inst: &Inst, field: &str) -> Option<u32> {
    PICA200.value(inst, field, &PICA200.cx()).and_then(Value::int).map(|n| n as u32)
}

/// The range that a CALL runs.
fn called(inst: &Inst) -> Option<Range<u32>> {
    PICA200.field(inst, "proc")?;
    let (start, count) = (int(inst, "target")?, int(inst, "count")?);
    Some(start..start + count)
}

/// The entries, then the called ranges that overlap none before them, then what is left.
fn procedure_ranges(file: &Shbin) -> Result<Vec<Range<u32>>, Unlisted> {
    let words = file.program.code.len() as u32;
    let mut found: BTreeMap<u32, u32> = BTreeMap::new();
    for (n, e) in file.executables.iter().enumerate() {
        let range = e.entry..e.end;
        if range.is_empty() || range.end > words || !insert(&mut found, &range) {
            return Err(Unlisted(format!(
                "the entry of executable {n} overlaps another one or leaves the code"
            )));
        }
    }
    for at in 0..words {
        if let Some(range) = instruction(file, at).as_ref().and_then(called)
            && !range.is_empty()
            && range.end <= words
        {
            insert(&mut found, &range);
        }
    }
    let mut all = Vec::new();
    let mut at = 0;
    for (start, end) in found {
        all.extend((at < start).then_some(at..start));
        all.push(start..end);
        at = end;
    }
    all.extend((at < words).then_some(at..words));
    Ok(all)
}

/// Whether the range is there now: it was new and overlaps nothing, or was there before.
fn insert(found: &mut BTreeMap<u32, u32>, range: &Range<u32>) -> bool {
    let before = found.range(..range.end).next_back();
    match before {
        Some((&start, &end)) if end > range.start => (start, end) == (range.start, range.end),
        _ => {
            found.insert(range.start, range.end);
            true
        }
    }
}

/// Which procedures stand in the source of which executable: sources follow each other
/// in the order of the executables, so their entries must as well.
fn sections(file: &Shbin, procedures: &[Procedure]) -> Result<Vec<Section>, Unlisted> {
    let entry_of = |entry: u32| procedures.iter().position(|p| p.start == entry).unwrap_or(0);
    let entries: Vec<usize> = file.executables.iter().map(|e| entry_of(e.entry)).collect();
    if entries.is_empty() {
        return Err(Unlisted("the file has no executable".to_owned()));
    }
    if !entries.is_sorted() {
        return Err(Unlisted("the entries of the executables are not in the order of the code".to_owned()));
    }
    let reached: Vec<BTreeSet<usize>> = entries.iter().map(|&e| reach(file, procedures, e)).collect();
    let mut sections = Vec::new();
    let mut first = 0;
    for (n, &entry) in entries.iter().enumerate() {
        let last = match entries.get(n + 1) {
            None => procedures.len(),
            Some(&next) if next == entry => (entry + 1).max(first),
            Some(&next) => {
                let theirs = |i: &usize| reached[n + 1].contains(i) && !reached[n].contains(i);
                (entry + 1..next).rev().take_while(theirs).last().unwrap_or(next)
            }
        };
        let last = last.max(first);
        let end = procedures[..last].last().map_or(0, |p| p.end);
        sections.push(Section { entry, procedures: first..last, end });
        first = last;
    }
    Ok(sections)
}

/// The procedures that one calls, itself included.
fn reach(file: &Shbin, procedures: &[Procedure], from: usize) -> BTreeSet<usize> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(n) = open.pop() {
        if !seen.insert(n) {
            continue;
        }
        for at in procedures[n].start..procedures[n].end {
            let target = instruction(file, at).as_ref().and_then(called);
            open.extend(target.and_then(|t| procedures.binary_search_by_key(&t.start, |p| p.start).ok()));
        }
    }
    seen
}

fn name(file: &Shbin, procedures: &mut [Procedure], sections: &[Section]) {
    for p in procedures.iter_mut() {
        p.name = format!("proc_{:03x}", p.start);
    }
    for (n, section) in sections.iter().enumerate() {
        let name = if n == 0 { "main".to_owned() } else { format!("main_{n}") };
        let p = &mut procedures[section.entry];
        if p.name.starts_with("proc_") {
            p.name = name;
        }
    }
    debug_assert_eq!(sections.len(), file.executables.len());
}

fn section_words(section: &Section, procedures: &[Procedure]) -> Range<u32> {
    let start = procedures.get(section.procedures.start).map_or(section.end, |p| p.start);
    start..section.end
}

/// Rebuilds the blocks of one procedure.
struct Finder<'a> {
    file: &'a Shbin,
    ranges: &'a [Range<u32>],
    /// The words of the source file: labels are visible in it only.
    words: Range<u32>,
    labels: &'a mut BTreeSet<u32>,
}

/// picasso nests at most 32 blocks, the procedure among them.
const DEEPEST: usize = 31;

impl Finder<'_> {
    fn blocks(&mut self, start: u32, end: u32) -> Vec<Block> {
        self.nested(start, end, DEEPEST)
    }

    fn nested(&mut self, start: u32, end: u32, depth: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut at = start;
        while at < end {
            let block = self.block(at, end, depth);
            at = match &block {
                Block::Scope { end, .. } => *end,
                _ => at + 1,
            };
            blocks.push(block);
        }
        blocks
    }

    fn block(&mut self, at: u32, end: u32, depth: usize) -> Block {
        let Some(inst) = instruction(self.file, at) else { return Block::Raw(at) };
        match Op::of(PICA200.form(&inst).op) {
            Op::Loop | Op::Ifc | Op::Ifu => self.scope(at, end, depth, &inst).unwrap_or(Block::Raw(at)),
            Op::Call | Op::Callc | Op::Callu => {
                let known = called(&inst).is_some_and(|range| self.ranges.contains(&range));
                if known { Block::Word(at) } else { Block::Raw(at) }
            }
            Op::Jmpc | Op::Jmpu => match int(&inst, "target") {
                Some(target) if (self.words.start..=self.words.end).contains(&target) => {
                    self.labels.insert(target);
                    Block::Word(at)
                }
                _ => Block::Raw(at),
            },
            _ => Block::Word(at),
        }
    }

    /// `None` if the ranges do not nest.
    fn scope(&mut self, head: u32, end: u32, depth: usize, inst: &Inst) -> Option<Block> {
        let depth = depth.checked_sub(1)?;
        let target = int(inst, "target")?;
        if Op::of(PICA200.form(inst).op) == Op::Loop {
            let after = target + 1;
            (after > head + 1 && after <= end).then_some(())?;
            let body = self.nested(head + 1, after, depth);
            return Some(Block::Scope { head, body, other: None, end: after });
        }
        let after = target + int(inst, "count")?;
        (target > head && after <= end).then_some(())?;
        let body = self.nested(head + 1, target, depth);
        let other = (after > target).then(|| self.nested(target, after, depth));
        Some(Block::Scope { head, body, other, end: after })
    }
}
