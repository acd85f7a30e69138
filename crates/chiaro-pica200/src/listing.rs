//! A SHBIN file as source text in picasso's language (spec section 22).
//!
//! Procedures are the called ranges and the entries, blocks are rebuilt from DST and
//! NUM, declarations from the container's tables. What the language cannot say stays
//! a `.word`. A listing does not promise to assemble to the same file by itself: the
//! caller assembles it, and turns on the [`Options`] that the difference asks for
//! ([`dis`](crate::listing::dis) does that); what no option mends is spelled out by
//! [`exact`](crate::listing::exact).

mod declare;
#[cfg(feature = "asm")]
pub mod dis;
pub mod exact;
mod structure;
mod symbols;

use crate::container::Shbin;
use crate::isa::{PICA200, descriptor_index, fetch};
use crate::operand::{PICASSO, PLAIN};
use chiaro_isa::{Cx, Inst, Out, Symbols, Value};
use std::collections::BTreeSet;
use std::fmt;
use structure::{Block, Procedure, Program};

/// How much to spell out.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Say that blocks end without padding NOPs.
    pub no_nop: bool,
    /// Give the descriptor table as it is.
    pub table: bool,
    /// Words whose descriptor index must be named.
    pub chosen: BTreeSet<u32>,
    /// Words that must be given as numbers.
    pub raw: BTreeSet<u32>,
}

/// What a listing in picasso's language cannot say about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unlisted(pub String);

impl fmt::Display for Unlisted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The column at which the comment with word and offset begins.
const COMMENT: usize = 44;

/// Lists a file.
///
/// # Errors
/// The first thing in the container that the language cannot say.
pub fn listing(file: &Shbin, options: &Options) -> Result<String, Unlisted> {
    let program = Program::find(file)?;
    let mut declared = declare::Spaces::default();
    let mut out = Out::default();
    for (n, section) in program.sections.iter().enumerate() {
        if n > 0 {
            out.push_str("\n.dvle\n");
        }
        if options.no_nop {
            out.push_str(".nonop\n");
        }
        if n == 0 && options.table {
            descriptor_table(file, &mut out);
        }
        let named = declared.executable(&file.executables[n], &mut out)?;
        let entry = &program.procedures[section.entry];
        if entry.name != "main" {
            out.push_str(&format!(".entry {}\n", entry.name));
        }
        let lister = Lister { file, program: &program, named: &named, options };
        for procedure in &program.procedures[section.procedures.clone()] {
            lister.procedure(procedure, &mut out);
        }
        // Labels stand in front of their word, but a jump may go behind the last one.
        if program.labels.contains(&section.end) {
            out.push_str(&format!("{}:\n", label(section.end)));
        }
    }
    Ok(out.as_str().to_owned())
}

fn descriptor_table(file: &Shbin, out: &mut Out) {
    for (i, [word, second]) in file.program.descriptors.iter().enumerate() {
        out.push_str(&format!(".opdesc {i} 0x{word:08x}"));
        out.push_str(&if *second == 0 { "\n".to_owned() } else { format!(" 0x{second:08x}\n") });
    }
}

struct Lister<'a> {
    file: &'a Shbin,
    program: &'a Program,
    named: &'a [symbols::Named],
    options: &'a Options,
}

impl Lister<'_> {
    fn procedure(&self, procedure: &Procedure, out: &mut Out) {
        out.push_str(&format!("\n.proc {}\n", procedure.name));
        self.blocks(&procedure.body, 1, out);
        out.push_str(".end\n");
    }

    fn blocks(&self, blocks: &[Block], depth: usize, out: &mut Out) {
        for block in blocks {
            match block {
                Block::Word(at) => self.line(*at, depth, false, out),
                Block::Raw(at) => self.line(*at, depth, true, out),
                Block::Scope { head, body, other, .. } => {
                    self.line(*head, depth, false, out);
                    self.blocks(body, depth + 1, out);
                    if let Some(other) = other {
                        indent(depth, out);
                        out.push_str(".else\n");
                        self.blocks(other, depth + 1, out);
                    }
                    indent(depth, out);
                    out.push_str(".end\n");
                }
            }
        }
    }

    /// One instruction with its offset and bits as a comment.
    fn line(&self, at: u32, depth: usize, raw: bool, out: &mut Out) {
        let word = self.file.program.code[at as usize];
        let inst = instruction(self.file, at);
        if let Some(name) = self.program.label_names.get(&at) {
            out.push_str(name);
            out.push_str(":\n");
        }
        let index = descriptor_index(word).filter(|_| inst.is_some());
        if let Some(index) = index.filter(|_| self.options.chosen.contains(&at) && !raw) {
            indent(depth, out);
            out.push_str(&format!(".opdesc {index}\n"));
        }
        let start = out.len();
        indent(depth, out);
        let raw = raw || self.options.raw.contains(&at);
        let printed = !raw && inst.as_ref().is_some_and(|inst| self.print(inst, out));
        if !printed {
            out.push_str(&format!(".word 0x{word:08x}"));
        }
        out.pad_to(start, COMMENT);
        out.push_str(&format!("; {at:03x} {word:08x}"));
        if let Some(index) = index {
            out.push_str(&format!(" @{index}"));
        }
        if let Some(plain) = inst.filter(|_| !printed).and_then(|i| PICA200.text(&i, &PICA200.cx())) {
            out.push_str(&format!("  {plain}"));
        }
        out.push('\n');
    }

    fn print(&self, inst: &Inst, out: &mut Out) -> bool {
        let names =
            Names { program: self.program, named: self.named, calls: PICA200.field(inst, "proc").is_some() };
        let cx = Cx { dialect: PICASSO, symbols: Some(&names), ..PICA200.cx() };
        PICA200.print(inst, &cx, out)
    }
}

fn indent(depth: usize, out: &mut Out) {
    for _ in 0..depth {
        out.push_str("    ");
    }
}

/// The instruction at a word, if the declaration explains all its bits.
fn instruction(file: &Shbin, at: u32) -> Option<Inst> {
    let word = *file.program.code.get(at as usize)?;
    let inst = PICA200.decode_word(&fetch(word, &file.program.descriptors), 8).ok()?;
    let whole = PICA200.unclaimed(&inst).0[0] as u32 == 0;
    let printable = PICA200.values(&inst, &Cx { dialect: PLAIN, ..PICA200.cx() }).all().is_some();
    (whole && printable).then_some(inst)
}

fn label(at: u32) -> String {
    format!("l{at:03x}")
}

/// The names that a listing gives: the declared ones to registers, procedures to
/// places of calls, labels to places of jumps.
struct Names<'a> {
    program: &'a Program,
    named: &'a [symbols::Named],
    calls: bool,
}

impl Symbols for Names<'_> {
    fn lookup(&self, _name: &str) -> Option<Value> {
        None
    }
    fn register(&self, file: u8, index: u16) -> Option<(&str, Option<u16>)> {
        let named =
            self.named.iter().find(|n| n.file == file && (n.first..n.first + n.count).contains(&index))?;
        Some((&named.name, (named.count > 1).then(|| index - named.first)))
    }
    fn name_at(&self, word: u64) -> Option<&str> {
        let word = word as u32;
        if self.calls {
            let found = self.program.procedures.binary_search_by_key(&word, |p| p.start).ok()?;
            return Some(&self.program.procedures[found].name);
        }
        self.program.label_names.get(&word).map(String::as_str)
    }
}
