//! An instruction taken apart, field by field, with the source of each fact.

use crate::cx::Cx;
use crate::decl::{Field, Wait};
use crate::form::{Form, Inst};
use crate::isa::Isa;
use crate::out::Out;
use crate::word::{Bits, Word};
use std::fmt;

/// One field of an explained instruction.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Where it is, as manuals write it.
    pub bits: String,
    /// What stands there.
    pub raw: u64,
    /// Width in bits.
    pub width: u8,
    /// The field's name.
    pub name: &'static str,
    /// The operand as text; `None` if the bits are invalid.
    pub text: Option<String>,
    /// The fields of the manual that it joins, if it joins several.
    pub parts: Vec<Part>,
    /// What the field is for.
    pub doc: &'static str,
    /// Where the layout is known from.
    pub source: &'static str,
}

/// A field as the manual has it, and what stands there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The manual's name.
    pub name: String,
    /// Where it is.
    pub bits: Bits,
    /// What stands there.
    pub raw: u64,
}

/// A whole instruction, explained.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The instruction as text; `None` if an operand is invalid.
    pub text: Option<String>,
    /// Name of the format.
    pub format: &'static str,
    /// Bytes.
    pub length: u8,
    /// What the operation does.
    pub doc: &'static str,
    /// The opcode, then every field in the order of the format.
    pub fields: Vec<Explained>,
    /// Set bits of unknown meaning.
    pub unclaimed: Word,
    /// Rules that it breaks.
    pub breaches: Vec<String>,
    /// Unit, issue and latency.
    pub timing: String,
    /// Operands that no bits name.
    pub implicit: Vec<&'static str>,
    /// Where the operation is known from.
    pub source: &'static str,
}

impl Isa {
    /// Every field of an instruction as the manual names them: those that join several
    /// ([`Kind::parts`](crate::Kind::parts)) taken apart, the others as they are.
    pub fn parts(&self, inst: &Inst) -> Vec<Part> {
        let here = self.form(inst).format.fields.iter().filter(|f| f.when.has(self.generation));
        here.flat_map(|field| match parts_of(field, inst) {
            parts if parts.is_empty() => {
                let (name, bits) = (field.name.to_owned(), field.bits);
                vec![Part { name, bits, raw: bits.gather(&inst.word) }]
            }
            parts => parts,
        })
        .collect()
    }

    /// Takes an instruction apart.
    pub fn explain(&self, inst: &Inst, cx: &Cx) -> Explanation {
        let form = self.form(inst);
        let operation = form.operation;
        let here = form.format.fields.iter().filter(|f| f.when.has(self.generation));
        let fields = here.map(|f| explain_field(f, form, inst, cx));
        Explanation {
            text: self.text(inst, cx),
            format: form.format.name,
            length: inst.length,
            doc: operation.doc.trim(),
            fields: std::iter::once(explain_opcode(form, cx)).chain(fields).collect(),
            unclaimed: self.unclaimed(inst),
            breaches: self
                .breaches(inst, cx)
                .into_iter()
                .map(|b| format!("{} ({})", b.message, b.rule))
                .collect(),
            timing: timing(form),
            implicit: operation.implicit.iter().map(|i| i.name).collect(),
            source: operation.source.name,
        }
    }
}

/// What a field joins, in the order of the manual's names.
fn parts_of(field: &Field, inst: &Inst) -> Vec<Part> {
    let widths = field.kind.parts();
    let mut above = widths.iter().map(|(_, width)| width).sum::<u8>();
    let part = |&(suffix, width): &(&str, u8)| {
        above -= width;
        let bits = field.bits.part(above, width);
        Part { name: format!("{}{suffix}", field.name), bits, raw: bits.gather(&inst.word) }
    };
    widths.iter().map(part).collect()
}

fn explain_opcode(form: &Form, cx: &Cx) -> Explained {
    let bits = form.format.opcode;
    Explained {
        bits: bits.to_string(),
        raw: form.opcode,
        width: bits.width(),
        name: "opcode",
        text: Some(form.operation.name_in(cx.dialect).to_owned()),
        parts: Vec::new(),
        doc: "which operation",
        source: form.operation.source.name,
    }
}

fn explain_field(field: &'static Field, form: &Form, inst: &Inst, cx: &Cx) -> Explained {
    let raw = field.bits.gather(&inst.word);
    let text = field.kind.decode(raw, cx).map(|value| {
        let mut out = Out::default();
        field.kind.print(value, &mut out, cx);
        out.as_str().to_owned()
    });
    Explained {
        bits: field.bits.to_string(),
        raw,
        width: field.bits.width(),
        name: field.name,
        text,
        parts: parts_of(field, inst),
        doc: field.doc,
        source: field.source.unwrap_or(form.operation.source).name,
    }
}

pub(crate) fn timing(form: &Form) -> String {
    let class = form.operation.class;
    let issue = class.issue.map_or("issue rate unknown".to_owned(), |n| format!("issues every {n} cycles"));
    let source = class.source.map_or(String::new(), |s| format!(" [{}]", s.name));
    format!("{}: unit {}, {issue}, {}{source}", class.name, class.unit, wait(class.result))
}

/// A waiting time in words.
pub(crate) fn wait(wait: Wait) -> String {
    match wait {
        Wait::Slots(0) => "result readable by the next instruction".to_owned(),
        Wait::Slots(n) => format!("result readable after {n} slots"),
        Wait::Window(from, to) => format!("result readable {from} to {to} instructions later"),
        Wait::Flag { name, .. } => format!("result readable once the reader sets {name}"),
        Wait::Counter { name, .. } => format!("result readable once {name} has come down"),
        Wait::Unknown => "latency unknown".to_owned(),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text.as_deref().unwrap_or("(an operand is invalid)"))?;
        writeln!(f, "  {} [{}]", self.doc, self.source)?;
        writeln!(f, "  {}, {} bytes; {}", self.format, self.length, self.timing)?;
        if !self.implicit.is_empty() {
            writeln!(f, "  also touches {}", self.implicit.join(", "))?;
        }
        let wide = self.fields.iter().map(|x| x.bits.len()).max().unwrap_or(0);
        let name = self.fields.iter().map(|x| x.name.len()).max().unwrap_or(0);
        for x in &self.fields {
            let text = x.text.as_deref().map_or("invalid".to_owned(), |t| format!("{t:?}"));
            let digits = x.width as usize;
            let Explained { bits, raw, doc, source, .. } = x;
            let label = x.name;
            writeln!(f, "  {bits:>wide$}  {label:<name$}  {raw:0digits$b} = {text}: {doc} [{source}]")?;
            for Part { name: part, bits, raw } in &x.parts {
                writeln!(f, "  {:>wide$}  {:<name$}    {part} = {raw} at {bits}", "", "")?;
            }
        }
        if !self.unclaimed.is_zero() {
            writeln!(f, "  set, but of unknown meaning: {:#x}", self.unclaimed)?;
        }
        for breach in &self.breaches {
            writeln!(f, "  not legal: {breach}")?;
        }
        Ok(())
    }
}
