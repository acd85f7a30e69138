//! Listings: code as text with labels, and whole code objects, that assemble to the same bytes.
//!
//! What the text cannot say stays a number: words that are no instruction, and instructions
//! with bits that no field claims, are `.long`, the latter with their reading beside them.

#[cfg(feature = "asm")]
mod object;

#[cfg(feature = "asm")]
pub use object::object;

use crate::isa::isa;
use chiaro_isa::{Cx, Inst, Isa, Out, Role, Symbols, Value, Word};
use std::collections::BTreeMap;

/// A name at a place of the code.
pub type Labels = BTreeMap<u64, String>;

/// Prints code of waves of 32 or 64 lanes, one instruction a line.
pub struct Lister {
    isa: &'static Isa,
    /// By form: bits that fields claim, and whether there is a branch target.
    forms: Vec<(Word, bool)>,
    dialect: u8,
}

impl Lister {
    /// For a size of wave, in a dialect of [`SET`](crate::isa::SET).
    pub fn new(wave: u8, dialect: u8) -> Lister {
        let isa = isa(wave);
        let forms = (0..isa.forms.len()).map(|form| {
            let fields = isa.forms[form].format.fields;
            (isa.claimed(form as u16), fields.iter().any(|field| field.role == Role::Target))
        });
        Lister { isa, forms: forms.collect(), dialect }
    }

    /// The instruction at a place, if its text says all of it.
    fn whole(&self, code: &[u8]) -> Option<Inst> {
        let inst = self.isa.decode(code).ok()?;
        (inst.word & !self.forms[usize::from(inst.form)].0).is_zero().then_some(inst)
    }

    /// Appends the text of all code. Every line begins with a blank, labels do not.
    pub fn print(&self, code: &[u8], labels: &Labels, out: &mut Out) {
        let mut at = 0;
        while at < code.len() {
            if let Some(name) = labels.get(&(at as u64)) {
                out.push_str(name);
                out.push_str(":\n");
            }
            out.push_str("  ");
            at += self.line(&code[at..], at as u64, labels, out);
            out.push('\n');
        }
    }

    /// Each line with its place and length in bytes.
    pub fn lines(&self, code: &[u8], labels: &Labels) -> Vec<(u32, u32, String)> {
        let mut lines = Vec::new();
        let mut at = 0;
        while at < code.len() {
            let mut out = Out::default();
            let length = self.line(&code[at..], at as u64, labels, &mut out);
            lines.push((at as u32, length as u32, out.as_str().to_owned()));
            at += length;
        }
        lines
    }

    /// Appends one line; how many bytes it says.
    fn line(&self, code: &[u8], address: u64, labels: &Labels, out: &mut Out) -> usize {
        let names = Named(labels);
        let cx = Cx { dialect: self.dialect, address, symbols: Some(&names), ..self.isa.cx() };
        if let Some(inst) = self.whole(code)
            && self.isa.print(&inst, &cx, out)
        {
            return inst.length.into();
        }
        match self.isa.decode(code) {
            Ok(inst) => {
                let length = usize::from(inst.length);
                print_dwords(&code[..length], out);
                if let Some(text) = self.isa.text(&inst, &cx) {
                    out.push_str(" // ");
                    out.push_str(&text);
                }
                length
            }
            Err(_) => {
                let length = code.len().min(4);
                print_dwords(&code[..length], out);
                length
            }
        }
    }

    /// Names for every place that a branch goes to, beside those that are there already.
    /// Places between instructions have none; such branches are spelled as distances.
    pub fn labels(&self, code: &[u8], known: Labels) -> Labels {
        let (mut starts, mut targets) = (Vec::new(), Vec::new());
        let mut at = 0;
        while at < code.len() {
            starts.push(at as u64);
            let decoded = self.whole(&code[at..]);
            if let Some(inst) = decoded.filter(|inst| self.forms[usize::from(inst.form)].1) {
                let cx = Cx { address: at as u64, ..self.isa.cx() };
                targets.extend(self.isa.value(&inst, "simm16", &cx).and_then(Value::int));
            }
            let length = self.isa.decode(&code[at..]).map_or(4, |inst| inst.length);
            at += usize::from(length);
        }
        let mut labels = known;
        targets.sort_unstable();
        targets.dedup();
        let inside = targets.into_iter().filter_map(|t| u64::try_from(t).ok());
        for target in inside.filter(|t| starts.binary_search(t).is_ok()) {
            let fresh = format!("L{}", labels.len());
            labels.entry(target).or_insert(fresh);
        }
        labels
    }
}

/// The text of raw code, with labels.
pub fn code(bytes: &[u8], wave: u8, dialect: u8) -> String {
    let lister = Lister::new(wave, dialect);
    let labels = lister.labels(bytes, Labels::new());
    let mut out = Out::default();
    lister.print(bytes, &labels, &mut out);
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

fn print_dwords(bytes: &[u8], out: &mut Out) {
    if !bytes.len().is_multiple_of(4) {
        out.push_str(".byte ");
        for (i, byte) in bytes.iter().enumerate() {
            out.push_str(if i > 0 { ", 0x" } else { "0x" });
            out.push_hex((*byte).into(), 2);
        }
        return;
    }
    out.push_str(".long ");
    for (i, dword) in chiaro_isa::dwords(bytes).enumerate() {
        out.push_str(if i > 0 { ", 0x" } else { "0x" });
        out.push_hex(dword.into(), 8);
    }
}
