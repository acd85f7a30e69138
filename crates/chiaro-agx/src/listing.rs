//! Code as text that assembles to the same bytes.
//!
//! What is no instruction, or has an operand without a meaning, stays `.half` with its bytes in the order
//! of memory, and the next two bytes are tried (spec 3.1). In applegpu's language a listing is what that
//! tool prints: it may lose what [`OURS`](crate::operand::OURS) says.

use crate::isa::isa;
use crate::operand::{ABSOLUTE, OURS};
use chiaro_isa::{Cx, Inst, Isa, Out, Role, Short, Symbols, Value, Word};
use std::collections::BTreeMap;

/// A name at a place of the code.
pub type Labels = BTreeMap<u64, String>;

/// How to print.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// An index of [`GENERATIONS`](crate::isa::GENERATIONS).
    pub generation: u8,
    /// An index of the dialects, as [`OURS`](crate::operand::OURS).
    pub dialect: u8,
    /// Whether place and bytes stand before each instruction.
    pub columns: bool,
}

/// Where the mnemonic begins behind place and bytes, as applegpu has it.
const BYTES_COLUMN: usize = 20;
/// Where operands begin behind the mnemonic, as applegpu has it.
const OPERANDS_COLUMN: usize = 16;
/// What every line but labels begins with.
const INDENT: Short = Short::of("  ");

/// Prints code, one instruction a line.
pub struct Lister {
    isa: &'static Isa,
    style: Style,
    /// By form: whether there is a branch target.
    jumps: Vec<bool>,
}

impl Lister {
    /// In a style.
    pub fn new(style: Style) -> Lister {
        let isa = isa(style.generation);
        let jumps = isa.forms.iter().map(|f| f.format.fields.iter().any(|x| x.role == Role::Target));
        Lister { isa, style, jumps: jumps.collect() }
    }

    /// Appends the text of all code, in our language with labels: [`print`](Self::print) and
    /// [`labels`](Self::labels) at once.
    pub fn listing(&self, code: &[u8], out: &mut Out) {
        let start = out.len();
        let ours = self.style.dialect == OURS;
        if ours && !self.style.columns && self.meaningful(code, out).is_some() {
            return;
        }
        out.truncate(start);
        let labels = if ours { self.labels(code) } else { Labels::new() };
        self.print(code, &labels, out);
    }

    /// The same of code in which everything has a meaning, as it mostly has: nothing is printed to
    /// find out. `None`, with anything appended, of other code.
    fn meaningful(&self, code: &[u8], out: &mut Out) -> Option<()> {
        let (mut lines, mut starts, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        lines.reserve(code.len() / 4);
        starts.reserve(code.len() / 4);
        let mut at = 0;
        while at < code.len() {
            let inst = self.isa.decode(&code[at..]).ok()?;
            if self.jumps[usize::from(inst.form)] {
                targets.extend(self.target(&inst, at as u64));
            }
            lines.push((inst.form, inst.length));
            starts.push(at as u64);
            at += usize::from(inst.length);
        }
        let labels = named(targets, &starts);
        let names = Named(&labels);
        let mut cx = Cx { dialect: OURS, symbols: Some(&names), ..self.isa.cx() };
        let mut next = labels.iter().peekable();
        for ((form, length), start) in lines.into_iter().zip(starts) {
            if let Some((_, name)) = next.next_if(|(place, _)| **place == start) {
                print_label(name, out);
            }
            out.push_short(&INDENT);
            cx.address = start;
            let word = Word::load(&code[start as usize..]) & Word::low_bytes(length);
            self.isa.print(&Inst { word, form, length }, &cx, out).then_some(())?;
            out.push('\n');
        }
        Some(())
    }

    /// Appends the text of all code. Every line begins with a blank, labels do not.
    pub fn print(&self, code: &[u8], labels: &Labels, out: &mut Out) {
        let names = Named(labels);
        let mut at = 0;
        while at < code.len() {
            if let Some(name) = labels.get(&(at as u64)).filter(|_| !labels.is_empty()) {
                print_label(name, out);
            }
            out.push_short(&INDENT);
            at += self.line(&code[at..], at as u64, &names, out);
            out.push('\n');
        }
    }

    /// Each line with its place and length in bytes.
    pub fn lines(&self, code: &[u8], labels: &Labels) -> Vec<(u32, u32, String)> {
        let names = Named(labels);
        let (mut lines, mut at) = (Vec::new(), 0);
        while at < code.len() {
            let mut out = Out::default();
            let length = self.line(&code[at..], at as u64, &names, &mut out);
            lines.push((at as u32, length as u32, out.as_str().to_owned()));
            at += length;
        }
        lines
    }

    /// Appends one line; how many bytes it says.
    fn line(&self, code: &[u8], address: u64, names: &Named<'_>, out: &mut Out) -> usize {
        let options = if self.style.dialect == OURS { 0 } else { ABSOLUTE };
        let dialect = self.style.dialect;
        let cx = Cx { dialect, options, address, symbols: Some(names), ..self.isa.cx() };
        let start = out.len();
        if let Ok(inst) = self.isa.decode(code) {
            let length = usize::from(inst.length);
            if self.style.columns {
                self.columns(&code[..length], address, out);
            }
            let text = out.len();
            if self.isa.print(&inst, &cx, out) {
                if self.style.columns {
                    align_operands(text, out);
                }
                return length;
            }
        }
        out.truncate(start);
        let length = code.len().min(2);
        if self.style.columns {
            self.columns(&code[..length], address, out);
        }
        self.unknown(&code[..length], out);
        length
    }

    /// Bytes that are no instruction.
    fn unknown(&self, bytes: &[u8], out: &mut Out) {
        if self.style.dialect != OURS {
            return out.push_str("<disassembly failed>");
        }
        out.push_str(if bytes.len() == 2 { ".half " } else { ".byte " });
        bytes.iter().for_each(|byte| out.push_hex((*byte).into(), 2));
    }

    /// `  1c: 3800                 `.
    fn columns(&self, bytes: &[u8], address: u64, out: &mut Out) {
        let mut place = Out::default();
        place.push_hex(address, 1);
        (place.len()..4).for_each(|_| out.push(' '));
        out.push_str(place.as_str());
        out.push_str(": ");
        let start = out.len();
        bytes.iter().for_each(|byte| out.push_hex((*byte).into(), 2));
        out.pad_to(start, BYTES_COLUMN);
        out.push(' ');
    }

    /// The place that an instruction goes to.
    fn target(&self, inst: &Inst, at: u64) -> Option<u64> {
        if !self.jumps[usize::from(inst.form)] {
            return None;
        }
        let cx = Cx { address: at, ..self.isa.cx() };
        self.isa.value(inst, "off", &cx).and_then(Value::int).and_then(|place| u64::try_from(place).ok())
    }

    /// Names for every place that a branch goes to. Places between instructions have none; such
    /// branches are spelled as distances.
    pub fn labels(&self, code: &[u8]) -> Labels {
        let (mut starts, mut targets, mut at) = (Vec::new(), Vec::new(), 0);
        let mut out = Out::default();
        while at < code.len() {
            starts.push(at as u64);
            let inst = self.isa.decode(&code[at..]).ok();
            targets.extend(inst.and_then(|inst| self.target(&inst, at as u64)));
            out.clear();
            // Where an operand means nothing, two bytes are a line.
            let whole = inst.filter(|inst| self.isa.print(inst, &self.isa.cx(), &mut out));
            at += whole.map_or(2, |inst| usize::from(inst.length));
        }
        named(targets, &starts)
    }
}

/// Names for those of some places where an instruction starts.
fn named(mut targets: Vec<u64>, starts: &[u64]) -> Labels {
    targets.sort_unstable();
    targets.dedup();
    let known = targets.into_iter().filter(|place| starts.binary_search(place).is_ok());
    known.enumerate().map(|(n, place)| (place, format!("L{n}"))).collect()
}

fn print_label(name: &str, out: &mut Out) {
    out.push_str(name);
    out.push_str(":\n");
}

/// Moves the operands behind a mnemonic that was just printed to their column.
fn align_operands(start: usize, out: &mut Out) {
    let text = out.as_str()[start..].to_owned();
    let Some((name, operands)) = text.split_once(' ') else { return };
    out.truncate(start);
    out.push_str(name);
    out.pad_to(start, OPERANDS_COLUMN.max(name.len() + 1));
    out.push_str(operands);
}

/// The text of code, with labels in our language.
pub fn code(bytes: &[u8], style: Style) -> String {
    let mut out = Out::default();
    Lister::new(style).listing(bytes, &mut out);
    out.as_str().to_owned()
}

struct Named<'a>(&'a Labels);

impl Symbols for Named<'_> {
    fn lookup(&self, _: &str) -> Option<Value> {
        None
    }
    fn name_at(&self, address: u64) -> Option<&str> {
        self.0.get(&address).map(String::as_str)
    }
}
