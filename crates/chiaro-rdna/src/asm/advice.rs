//! What is wrong with an instruction in the words of its rule, and what would fit in its place.

use super::Assembler;
use crate::isa::isa;
use crate::isa::mimg::DIMS;
use crate::operand::attribute::format_names;
use crate::operand::immediate::{hardware_registers, messages};
use crate::regs::UNALIGNED;
use chiaro_diag::did_you_mean;
use chiaro_isa::{EncodeError, Isa, Out, ParseCause, ParseError, Role};

/// Operands of which an instruction has room for one, by a part of their names: the rule that two of them break, and what
/// would do.
const ONE_OF: [(&str, &str, &str); 2] = [
    (
        "src",
        "an instruction has one literal, and this would be a second",
        "move one of the numbers into a register before",
    ),
    (
        "addr",
        "scratch is addressed by a vector register or by a scalar one, not by both",
        "write `off` for one of them",
    ),
];

/// What is wrong. Two operands that want one place are named by the rule that they break.
pub(super) fn message(code: &str, e: &ParseError) -> String {
    let rule = || one_of(&e.cause).map(|(rule, _)| rule.to_owned());
    data_of_image(code).or_else(rule).unwrap_or_else(|| e.to_string())
}

/// An image's data that has another size than its mask says: no form takes it, and each says something else of it.
fn data_of_image(code: &str) -> Option<String> {
    let (name, operands) = code.split_once(char::is_whitespace)?;
    let has = |modifier: &str| operands.split_whitespace().any(|word| word == modifier);
    if !name.starts_with("image_") || ["atomic", "bvh", "msaa"].iter().any(|kind| name.contains(kind)) {
        return None;
    }
    let data = operands.trim_start().strip_prefix('v')?;
    let count = match data.strip_prefix('[') {
        Some(run) => {
            let (first, rest) = run.split_once(':')?;
            let last: u32 = rest.split_once(']')?.0.trim().parse().ok()?;
            last.checked_sub(first.trim().parse().ok()?)? + 1
        }
        None => 1,
    };
    let mask = operands.split("dmask:0x").nth(1)?.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    let mask = u32::from_str_radix(mask, 16).ok().filter(|mask| *mask < 16)?;
    let texel = if name.contains("gather4") { 4 } else { mask.count_ones().max(1) };
    let texel = if has("d16") { texel.div_ceil(2) } else { texel };
    let wanted = texel + u32::from(has("tfe") || has("lwe"));
    (count != wanted)
        .then(|| format!("the data has {count} registers, and dmask:{mask:#x} asks for {wanted}"))
}

/// The rule that two operands break, and what would do.
fn one_of(cause: &ParseCause) -> Option<(&'static str, &'static str)> {
    let ParseCause::Encode(EncodeError::Conflict { field, other, .. }) = cause else { return None };
    let broken = ONE_OF.iter().find(|(part, ..)| field.contains(part) && other.contains(part));
    broken.map(|&(_, rule, remedy)| (rule, remedy))
}

impl Assembler {
    /// The instruction that was meant by a name that none has. A text of another language has few names in many lines.
    pub(super) fn meant(&mut self, name: &str) -> Option<&'static str> {
        if let Some(known) = self.meant.get(name) {
            return *known;
        }
        let meant = did_you_mean(name, self.isa.mnemonics(self.dialect));
        self.meant.insert(name.to_owned(), meant);
        meant
    }

    /// What would do in place of a line that is wrong.
    pub(super) fn advice(&self, code: &str, e: &ParseError) -> Option<String> {
        let of_rule = || self.other_form(code, &e.cause);
        self.other_wave(code).or_else(of_rule).or_else(|| match e.cause {
            ParseCause::Text(UNALIGNED) => aligned(code.get(e.start as usize..e.end as usize)?),
            ParseCause::Text(_) => names(code, e.start as usize),
            _ => None,
        })
    }

    /// Whether the line is right in waves of the other size.
    fn other_wave(&self, code: &str) -> Option<String> {
        let other = if self.wave == 64 { 32 } else { 64 };
        let isa = isa(other);
        let right = isa.parse(code, &self.cx(isa)).is_ok();
        right.then(|| {
            format!("the line is right in waves of {other}, but this code is for waves of {}", self.wave)
        })
    }

    fn other_form(&self, code: &str, cause: &ParseCause) -> Option<String> {
        let (name, operands) = code.split_once(char::is_whitespace)?;
        let stem = name.strip_suffix("_e32").unwrap_or(name);
        let cx = self.cx(self.isa);
        if !name.ends_with("_e64") && self.isa.parse(&format!("{stem}_e64 {operands}"), &cx).is_ok() {
            return Some(format!("use the e64 form: `{stem}_e64`"));
        }
        if let Some((_, remedy)) = one_of(cause) {
            return Some(remedy.to_owned());
        }
        match cause {
            ParseCause::Encode(EncodeError::Operand("simm16")) => {
                Some("a branch reaches -32768 to 32767 dwords; a label that is farther away is reached all the same".to_owned())
            }
            ParseCause::Encode(EncodeError::Operand(field)) => self.takes(stem, field),
            ParseCause::Excess => self.modifiers(name),
            _ => None,
        }
    }

    /// The modifiers of an instruction.
    fn modifiers(&self, name: &str) -> Option<String> {
        let cx = self.cx(self.isa);
        let mut all: Vec<&str> = Vec::new();
        for form in self.isa.forms_named(name, &cx) {
            let fields = self.isa.forms[usize::from(*form)].format.fields.iter();
            let names =
                fields.filter(|field| field.role == Role::Modifier && !field.view).map(|field| field.name);
            all.extend(names);
        }
        all.sort_unstable();
        all.dedup();
        match all.as_slice() {
            [] => Some(format!("`{name}` has no modifiers")),
            all => Some(format!("modifiers of `{name}` are {}", all.join(", "))),
        }
    }

    /// What an operand of an instruction may be; of one that is registers and nothing else, the first of them.
    fn takes(&self, name: &str, field: &str) -> Option<String> {
        let mut forms = self.isa.forms.iter().filter(|form| form.operation.name_in(self.dialect) == name);
        let field = forms.find_map(|form| form.format.fields.iter().find(|f| f.name == field))?;
        let first = || example(field, self.isa).map(|text| format!("registers, such as `{text}`"));
        let takes = field.kind.about().or_else(first)?;
        Some(format!("{} takes {takes}", field.name))
    }
}

/// The registers that a field of zeros names.
fn example(field: &chiaro_isa::Field, isa: &Isa) -> Option<String> {
    let cx = isa.cx();
    let value = field.kind.decode(0, &cx).filter(|value| value.reg().is_some())?;
    let mut out = Out::default();
    field.kind.print(value, &mut out, &cx);
    Some(out.as_str().to_owned())
}

/// The runs of as many registers that begin before and behind one that begins where none may.
fn aligned(text: &str) -> Option<String> {
    let (first, last) = text.strip_prefix("s[")?.strip_suffix(']')?.split_once(':')?;
    let (first, last) = (first.trim().parse::<u32>().ok()?, last.trim().parse::<u32>().ok()?);
    let more = last.checked_sub(first)?;
    let step = if more == 1 { 2 } else { 4 };
    let below = first / step * step;
    let above = below + step;
    Some(format!("s[{below}:{}] and s[{above}:{}] would do", below + more, above + more))
}

/// Names that are too many to be listed.
const MANY: usize = 20;

/// What can stand where one of a list of names is expected: all of them, or the one that was meant.
fn names(code: &str, at: usize) -> Option<String> {
    let before = code.get(..at)?;
    let dims = || DIMS.iter().map(|name| (*name).to_owned()).collect();
    let lists: [(&str, &dyn Fn() -> Vec<String>); 4] = [
        ("dim:", &dims),
        ("hwreg(", &hardware_registers),
        ("sendmsg(", &messages),
        ("format:[", &format_names),
    ];
    let (start, all) =
        lists.iter().find_map(|(what, all)| Some((before.rfind(what)? + what.len(), all())))?;
    if all.len() <= MANY {
        return Some(format!("names are {}", all.join(", ")));
    }
    let word = code[start..].split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    did_you_mean(word, all.iter().map(String::as_str)).map(|meant| format!("did you mean `{meant}`?"))
}
