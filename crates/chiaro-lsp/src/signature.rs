//! What a call or an instruction takes, while it is written.

use lsp_types::{Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation};

use crate::lex::word_at;
use crate::outline::{Kind, mnemonic};
use crate::statement::{What, statements};
use crate::vocabulary::{rows, vocabulary};
use crate::{Document, Language, Outline};

/// Bytes before the place in which the open bracket of a call is looked for.
const FARTHEST: usize = 4096;

/// The forms of what is being written at a byte, and which part of it is.
#[must_use]
pub fn signature(document: &Document, outline: &Outline, byte: usize) -> Option<SignatureHelp> {
    match document.readable()? {
        Language::Assembly(target, dialect) => {
            let line = document.line_of(byte);
            let start = document.line_start(line);
            let before = &document.text()[start..byte.max(start)];
            let last = statements(&dialect.lexis, before, start).pop()?;
            let text = document.text().get(last.at.clone())?;
            match last.what {
                What::Label => None,
                What::Directive => of_directive(dialect, text),
                What::Instruction => of_instruction(*target, dialect, text),
            }
        }
        Language::Glsl(_) | Language::Wgsl => of_call(document, outline, byte),
    }
}

fn of_directive(dialect: &chiaro_target::Dialect, text: &str) -> Option<SignatureHelp> {
    let usages = dialect.lexis.directive(chiaro_target::lexis::first_word(text));
    help(usages.map(|usage| information(usage.to_owned(), Vec::new(), String::new())).collect(), 0, 0)
}

fn of_instruction(
    target: &dyn chiaro_target::Target,
    dialect: &chiaro_target::Dialect,
    text: &str,
) -> Option<SignatureHelp> {
    let at = mnemonic(text);
    let (name, behind) = (&text[at.clone()], &text[at.end..]);
    let row = rows(target, dialect).into_iter().find(|row| row.name.eq_ignore_ascii_case(name))?;
    let active = commas(behind);
    let given = active as usize + 1;
    let forms: Vec<SignatureInformation> = row
        .forms
        .iter()
        .map(|form| {
            let operands = form.operands.iter();
            let params =
                operands.map(|operand| (operand.at.start as u32, operand.at.end as u32, operand.doc));
            information(form.text.clone(), params.collect(), format!("{} [{}]", row.doc, row.source))
        })
        .collect();
    let fits = row.forms.iter().position(|form| form.operands.len() >= given).unwrap_or(0);
    help(forms, fits as u32, active)
}

fn of_call(document: &Document, outline: &Outline, byte: usize) -> Option<SignatureHelp> {
    let text = document.text();
    let from = text.floor_char_boundary(byte.saturating_sub(FARTHEST));
    let (open, active) = open_bracket(&text.as_bytes()[from..byte.min(text.len())])?;
    let end = from + text[from..from + open].trim_end().len();
    let name = text.get(word_at(text, end))?;
    let own = outline.names.iter().find(|known| known.kind == Kind::Function && known.text == name);
    let (written, doc) = match own {
        Some(known) => (known.written.clone(), String::new()),
        None => {
            let entry = vocabulary(document, outline).into_iter().find(|entry| entry.name == name)?;
            (entry.written, entry.doc)
        }
    };
    let forms: Vec<SignatureInformation> = written
        .into_iter()
        .map(|form| {
            let params = parameters(&form);
            information(form, params, doc.clone())
        })
        .collect();
    let fits = forms
        .iter()
        .position(|form| form.parameters.as_ref().is_some_and(|params| params.len() > active as usize));
    help(forms, fits.unwrap_or(0) as u32, active)
}

/// The innermost bracket that is open at the end of a text, and the commas behind it.
fn open_bracket(bytes: &[u8]) -> Option<(usize, u32)> {
    let (mut depth, mut commas) = (0, 0);
    for (at, byte) in bytes.iter().enumerate().rev() {
        match byte {
            b')' | b']' => depth += 1,
            b'(' | b'[' if depth > 0 => depth -= 1,
            b'(' => return Some((at, commas)),
            b',' if depth == 0 => commas += 1,
            b';' | b'{' | b'}' => return None,
            _ => {}
        }
    }
    None
}

fn commas(text: &str) -> u32 {
    let mut depth = 0i32;
    let mut count = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b',' if depth == 0 => count += 1,
            _ => {}
        }
    }
    count
}

/// Where the parameters of `float f(int a, int b)` stand in it.
fn parameters(form: &str) -> Vec<(u32, u32, &'static str)> {
    // Of a form with a result that is what is in front of its arrow.
    let call = form.split(" -> ").next().unwrap_or(form);
    let Some((open, close)) = call.find('(').zip(call.rfind(')')).filter(|(open, close)| open < close) else {
        return Vec::new();
    };
    let (mut at, mut depth) = (open + 1, 0);
    // Types have commas of their own: `ptr<A, atomic<E>>`.
    let is_between = |c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        c == ',' && depth == 0
    };
    let parts = form[at..close].split(is_between).map(|part| {
        let start = at + (part.len() - part.trim_start().len());
        at += part.len() + 1;
        (start as u32, (start + part.trim().len()) as u32, "")
    });
    parts.filter(|(start, end, _)| end > start).collect()
}

fn information(label: String, params: Vec<(u32, u32, &str)>, doc: String) -> SignatureInformation {
    let parameter = |(start, end, doc): (u32, u32, &str)| ParameterInformation {
        label: ParameterLabel::LabelOffsets([start, end]),
        documentation: (!doc.is_empty()).then(|| Documentation::String(doc.to_owned())),
    };
    SignatureInformation {
        label,
        documentation: (!doc.is_empty()).then_some(Documentation::String(doc)),
        parameters: Some(params.into_iter().map(parameter).collect()),
        active_parameter: None,
    }
}

fn help(forms: Vec<SignatureInformation>, signature: u32, parameter: u32) -> Option<SignatureHelp> {
    let wanted = SignatureHelp {
        signatures: forms,
        active_signature: Some(signature),
        active_parameter: Some(parameter),
    };
    (!wanted.signatures.is_empty()).then_some(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_open_call_counts() {
        assert_eq!(open_bracket(b"a(b, c(d), e"), Some((1, 2)));
        assert_eq!(open_bracket(b"a(b, c(d, "), Some((6, 1)));
        assert_eq!(open_bracket(b"a(b); "), None);
        assert_eq!(commas(" r0, c4[a0.x, 1], r1"), 2);
        assert_eq!(parameters("float f(int a, out vec2 b)"), [(8, 13, ""), (15, 25, "")]);
        assert_eq!(parameters("f()"), []);
        assert_eq!(parameters("f(p: ptr<A, B>, v: E) -> vec3<f>"), [(2, 14, ""), (16, 20, "")]);
    }
}
