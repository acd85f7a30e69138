//! Listings: code as text with labels, and whole code objects, that assemble to the same bytes.
//!
//! What the text cannot say stays a number: words that are no instruction, and instructions
//! with bits that no field claims, are `.long`, the latter with their reading beside them.

#[cfg(feature = "asm")]
mod object;

#[cfg(feature = "asm")]
pub use object::{object, object_in};

use crate::isa::isa;
use chiaro_isa::{Cx, Format, Inst, Isa, Out, Role, Short, Symbols, Value, Word};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

/// A name at a place of the code.
pub type Labels = BTreeMap<u64, String>;

/// What every line but labels begins with.
const INDENT: Short = Short::of("  ");

/// Prints code of waves of 32 or 64 lanes, one instruction a line.
pub struct Lister {
    isa: &'static Isa,
    claims: &'static Claims,
    dialect: u8,
}

/// What layouts claim of words, found out once for each size of wave.
struct Claims {
    /// By form, an index of `all`: forms of one layout share them.
    forms: Vec<u16>,
    /// Bits that fields claim, and whether there is a branch target.
    all: Vec<(Word, bool)>,
}

impl Claims {
    fn of(isa: &Isa) -> Claims {
        let (mut forms, mut all) = (Vec::with_capacity(isa.forms.len()), Vec::new());
        let mut known: HashMap<*const Format, u16> = HashMap::new();
        for (n, form) in isa.forms.iter().enumerate() {
            forms.push(*known.entry(form.format).or_insert_with(|| {
                let branches_off = form.format.fields.iter().any(|field| field.role == Role::Target);
                all.push((isa.claimed(n as u16), branches_off));
                all.len() as u16 - 1
            }));
        }
        Claims { forms, all }
    }

    /// Those of a form.
    fn form(&self, form: u16) -> (Word, bool) {
        self.all[usize::from(self.forms[usize::from(form)])]
    }
}

impl Lister {
    /// For a size of wave, in a dialect of [`SET`](crate::isa::SET).
    pub fn new(wave: u8, dialect: u8) -> Lister {
        static BOTH: [OnceLock<Claims>; 2] = [const { OnceLock::new() }; 2];
        let isa = isa(wave);
        let claims = BOTH[usize::from(wave == 64)].get_or_init(|| Claims::of(isa));
        Lister { isa, claims, dialect }
    }

    /// Takes code apart, once for its labels and its text.
    pub fn read<'a>(&'a self, code: &'a [u8]) -> Read<'a> {
        self.read_named(code, &Labels::new())
    }

    /// The same, where no instruction reaches beyond a name: what has a name inside is words.
    pub fn read_named<'a>(&'a self, code: &'a [u8], names: &Labels) -> Read<'a> {
        let (mut lines, mut branches, mut at) = (Vec::with_capacity(code.len() / 4), Vec::new(), 0);
        let mut places = names.keys().filter_map(|place| usize::try_from(*place).ok()).peekable();
        while at < code.len() {
            while places.next_if(|place| *place <= at).is_some() {}
            let end = places.peek().map_or(code.len(), |place| code.len().min(*place));
            let line = match self.isa.decode(&code[at..end]) {
                Ok(inst) => {
                    let (claimed, branches_off) = self.claims.form(inst.form);
                    let whole = (inst.word & !claimed).is_zero();
                    if branches_off && whole {
                        branches.push((at as u64, inst));
                    }
                    Line { form: inst.form, length: inst.length, whole }
                }
                Err(_) => Line { form: NO_FORM, length: (end - at).min(4) as u8, whole: false },
            };
            lines.push(line);
            at += usize::from(line.length);
        }
        Read { lister: self, code, lines, branches }
    }
}

/// Code taken apart.
pub struct Read<'a> {
    lister: &'a Lister,
    code: &'a [u8],
    lines: Vec<Line>,
    /// Those with a target, by their places.
    branches: Vec<(u64, Inst)>,
}

/// The words of a line are no instruction.
const NO_FORM: u16 = u16::MAX;

#[derive(Clone, Copy)]
struct Line {
    form: u16,
    length: u8,
    /// Fields claim all bits that are set.
    whole: bool,
}

impl Line {
    fn inst(self, code: &[u8]) -> Option<Inst> {
        let word = Word::load(code) & Word::low_bytes(self.length);
        (self.form != NO_FORM).then_some(Inst { word, form: self.form, length: self.length })
    }
}

impl Read<'_> {
    /// Appends the text of all code. Every line begins with a blank, labels do not.
    pub fn print(&self, labels: &Labels, out: &mut Out) {
        let mut names = labels.iter();
        let mut next = names.next();
        self.each_line(labels, |at, line, cx| {
            while let Some((place, name)) = next.filter(|(place, _)| **place <= at) {
                if *place == at {
                    out.push_str(name);
                    out.push_str(":\n");
                }
                next = names.next();
            }
            out.push_short(&INDENT);
            self.line(at, line, cx, out);
            out.push('\n');
        });
    }

    /// Each line with its place and length in bytes.
    pub fn lines(&self, labels: &Labels) -> Vec<(u32, u32, String)> {
        let mut lines = Vec::with_capacity(self.lines.len());
        self.each_line(labels, |at, line, cx| {
            let mut out = Out::default();
            self.line(at, line, cx, &mut out);
            lines.push((at as u32, line.length.into(), out.as_str().to_owned()));
        });
        lines
    }

    /// Where each line begins, in bytes from the start of the code.
    pub fn places(&self) -> impl Iterator<Item = u64> {
        self.lines.iter().scan(0, |next, line| {
            let at = *next;
            *next += u64::from(line.length);
            Some(at)
        })
    }

    fn each_line(&self, labels: &Labels, mut each: impl FnMut(u64, Line, &Cx)) {
        let names = Named(labels);
        let lister = self.lister;
        let mut cx = Cx { dialect: lister.dialect, symbols: Some(&names), ..lister.isa.cx() };
        for line in &self.lines {
            each(cx.address, *line, &cx);
            cx.address += u64::from(line.length);
        }
    }

    /// Appends one line.
    #[inline]
    fn line(&self, at: u64, line: Line, cx: &Cx, out: &mut Out) {
        let code = &self.code[at as usize..];
        let inst = line.inst(code);
        let isa = self.lister.isa;
        if inst.is_some_and(|inst| line.whole && isa.print(&inst, cx, out)) {
            return;
        }
        print_dwords(&code[..usize::from(line.length)], out);
        if let Some(text) = inst.and_then(|inst| isa.text(&inst, cx)) {
            out.push_str(" // ");
            out.push_str(&text);
        }
    }

    /// Names for every place that a branch goes to, beside those that are there already.
    /// Places between instructions have none; such branches are spelled as distances.
    pub fn labels(&self, known: Labels) -> Labels {
        let isa = self.lister.isa;
        let target = |(at, inst): &(u64, Inst)| {
            let cx = Cx { address: *at, ..isa.cx() };
            isa.value(inst, "simm16", &cx).and_then(Value::int).and_then(|n| u64::try_from(n).ok())
        };
        let mut targets: Vec<u64> = self.branches.iter().filter_map(target).collect();
        targets.sort_unstable();
        targets.dedup();
        let taken: HashSet<String> = known.values().cloned().collect();
        let mut fresh = (known.len()..).map(|n| format!("L{n}")).filter(|name| !taken.contains(name));
        let mut labels = known;
        for target in self.that_begin(&targets) {
            labels.entry(target).or_insert_with(|| fresh.next().unwrap_or_default());
        }
        labels
    }

    /// Those of some places, in their order, where an instruction begins.
    fn that_begin(&self, places: &[u64]) -> Vec<u64> {
        let (mut begin, mut at, mut places) = (Vec::new(), 0, places.iter().peekable());
        for line in &self.lines {
            while places.next_if(|place| **place < at).is_some() {}
            begin.extend(places.next_if(|place| **place == at));
            if places.peek().is_none() {
                break;
            }
            at += u64::from(line.length);
        }
        begin
    }
}

/// The text of raw code, with labels.
pub fn code(bytes: &[u8], wave: u8, dialect: u8) -> String {
    let lister = Lister::new(wave, dialect);
    let read = lister.read(bytes);
    let mut out = Out::default();
    read.print(&read.labels(Labels::new()), &mut out);
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
