//! What a document costs on a target, instruction by instruction and line by line.

use std::collections::BTreeMap;
use std::ops::Range;

use chiaro_target::Target;

use crate::{Document, Tools};

/// An instruction that comes from a place in the document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The place.
    pub at: Range<usize>,
    /// The instruction, by its number in the code.
    pub number: usize,
    /// Cycles until the one behind it may issue.
    pub slots: u32,
}

/// What a document becomes on a target.
#[derive(Clone, PartialEq, Debug)]
pub struct Cost {
    /// The target.
    pub target: &'static str,
    /// What there is to say in a line.
    pub headline: String,
    /// Instructions whose place is known.
    pub placed: Vec<Placed>,
    /// The file that the target's loader reads.
    pub container: Vec<u8>,
}

/// Instructions of a line, and the cycles that they issue in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OfLine {
    /// Instructions.
    pub instructions: u32,
    /// Cycles.
    pub cycles: u32,
}

/// What a document costs on a target; `None` if it cannot be made for that.
#[must_use]
pub fn cost(document: &Document, target: &'static dyn Target, tools: &dyn Tools) -> Option<Cost> {
    document.readable()?;
    let made = tools.make(document, target)?;
    let anatomy = target.anatomy(&made.container, &[]).unwrap_or_default();
    let slots: BTreeMap<u32, u32> = anatomy.instructions.iter().map(|one| (one.offset, one.slots)).collect();
    let placed = made.code.lines.iter().enumerate().filter_map(|(number, line)| {
        let span = line.span.filter(|span| span.file == made.file)?;
        Some(Placed {
            at: span.start as usize..span.end as usize,
            number,
            slots: slots.get(&line.offset).copied().unwrap_or(1),
        })
    });
    let placed = placed.collect();
    Some(Cost {
        target: target.about().name,
        headline: headline(&made, target),
        placed,
        container: made.container,
    })
}

fn headline(made: &crate::tools::Made, target: &dyn Target) -> String {
    let report = &made.report;
    let mut parts = vec![format!("{} instructions", made.code.lines.len())];
    let resources = report.resources.iter().take(2);
    parts.extend(resources.map(|of| format!("{} {} of {}", of.name, of.used, of.allowed)));
    parts.extend(report.cycles.map(|(least, most)| match least == most {
        true => format!("{least} cycles"),
        false => format!("{least} to {most} cycles"),
    }));
    format!("{}: {}", target.about().name, parts.join("; "))
}

impl Cost {
    /// Instructions and cycles by line, from 0.
    #[must_use]
    pub fn by_line(&self, document: &Document) -> BTreeMap<usize, OfLine> {
        let mut lines: BTreeMap<usize, OfLine> = BTreeMap::new();
        for one in &self.placed {
            let line = lines.entry(document.line_of(one.at.start)).or_default();
            line.instructions += 1;
            line.cycles += one.slots;
        }
        lines
    }

    /// The instruction that a byte of the document belongs to, the one with the closest place.
    #[must_use]
    pub fn at(&self, byte: usize) -> Option<&Placed> {
        let here = self.placed.iter().filter(|one| one.at.start <= byte && byte <= one.at.end);
        here.min_by_key(|one| one.at.len())
    }
}

impl OfLine {
    /// `3 instructions, 5 cycles`.
    #[must_use]
    pub fn in_words(self) -> String {
        let plural = |count: u32| if count == 1 { "" } else { "s" };
        let OfLine { instructions, cycles } = self;
        format!("{instructions} instruction{}, {cycles} cycle{}", plural(instructions), plural(cycles))
    }
}
