//! What stands at a place: how a name is declared, an instruction taken apart field by field, what a line
//! costs.

use std::ops::Range;

use chiaro_isa::Word;
use chiaro_target::Target;
use chiaro_target::lexis::first_word;

use crate::costs::Cost;
use crate::lex::word_at;
use crate::outline::{Kind, mnemonic};
use crate::statement::{Statement, What, statements};
use crate::vocabulary::{rows, vocabulary};
use crate::{Document, Language, Outline};

/// What is told, as Markdown, and about what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The text.
    pub text: String,
    /// What it is about.
    pub at: Range<usize>,
}

/// What there is to say about a byte of a document; `costs` are those that are known of this text.
#[must_use]
pub fn hover(document: &Document, outline: &Outline, costs: &[Cost], byte: usize) -> Option<Hover> {
    let language = document.readable()?;
    let named = name(document, outline, byte);
    match language {
        Language::Assembly(target, dialect) => {
            let start = document.line_start(document.line_of(byte));
            let all = statements(&dialect.lexis, document.line_text(document.line_of(byte)), start);
            let statement = all.iter().find(|one| one.at.start <= byte && byte <= one.at.end)?;
            match statement.what {
                What::Label => named,
                What::Directive => named.or_else(|| directive(document, dialect, statement)),
                What::Instruction => instruction(document, *target, costs, statement, named),
            }
        }
        Language::Glsl(_) | Language::Wgsl => {
            let found = named.or_else(|| builtin(document, outline, byte))?;
            Some(with_cost(document, costs, byte, found))
        }
    }
}

fn name(document: &Document, outline: &Outline, byte: usize) -> Option<Hover> {
    let (place, name) = outline.at(byte).filter(|(_, name)| name.kind != Kind::Register)?;
    let code = format!("```{}\n{}\n```", language_of(document), name.written.join("\n"));
    let within = name.within.and_then(|owner| outline.names.get(owner));
    let text = match within {
        Some(owner) => format!("{code}\nin `{}`", owner.text),
        None => code,
    };
    Some(Hover { text, at: place.clone() })
}

fn language_of(document: &Document) -> String {
    document.language.as_ref().map(Language::name).unwrap_or_default()
}

/// A word of the language itself.
fn builtin(document: &Document, outline: &Outline, byte: usize) -> Option<Hover> {
    let at = word_at(document.text(), byte);
    let word = document.text().get(at.clone()).filter(|word| !word.is_empty())?;
    let entry = vocabulary(document, outline).into_iter().find(|entry| entry.name == word)?;
    let written = if entry.written.is_empty() { vec![entry.name] } else { entry.written };
    let code = format!("```{}\n{}\n```", language_of(document), written.join("\n"));
    let text = if entry.doc.is_empty() { code } else { format!("{code}\n{}", entry.doc) };
    Some(Hover { text, at })
}

fn directive(document: &Document, dialect: &chiaro_target::Dialect, statement: &Statement) -> Option<Hover> {
    let word = first_word(document.text().get(statement.at.clone())?);
    let usages: Vec<&str> = dialect.lexis.directive(word).collect();
    let at = statement.at.start..statement.at.start + word.len();
    (!usages.is_empty()).then(|| Hover { text: format!("```\n{}\n```", usages.join("\n")), at })
}

/// An instruction, field by field, below the name that the pointer is on.
fn instruction(
    document: &Document,
    target: &dyn Target,
    costs: &[Cost],
    statement: &Statement,
    named: Option<Hover>,
) -> Option<Hover> {
    let set = target.instructions(&[]).ok()?;
    let cost = costs.iter().find(|cost| cost.target == target.about().name);
    let placed = cost.and_then(|cost| cost.at(statement.at.start));
    let of_code = || target.explain(&cost?.container, &[], placed?.number).ok().flatten();
    let alone = || {
        let (word, length): (Word, usize) = set.parse(document.text().get(statement.at.clone())?).ok()?;
        Some(set.explain(&[word], length).ok()?.text)
    };
    let explained = of_code().or_else(alone).or_else(|| row(document, target, statement))?;
    let mut text = named.map_or(String::new(), |named| format!("{}\n\n", named.text));
    text.push_str(&format!("```\n{}\n```", explained.trim_end()));
    if let Some(one) = placed {
        text.push_str(&format!("\nissues in {} cycle{}", one.slots, if one.slots == 1 { "" } else { "s" }));
    }
    Some(Hover { text, at: statement.at.clone() })
}

/// What the rows say of a mnemonic, where the instruction cannot be read.
fn row(document: &Document, target: &dyn Target, statement: &Statement) -> Option<String> {
    let Some(Language::Assembly(_, dialect)) = &document.language else { return None };
    let text = document.text().get(statement.at.clone())?;
    let rows = rows(target, dialect);
    let row = rows.iter().find(|row| row.name.eq_ignore_ascii_case(&text[mnemonic(text)]))?;
    let forms: Vec<&str> = row.forms.iter().map(|form| form.text.as_str()).collect();
    Some(format!("{}\n  {} [{}]\n  {}", forms.join("\n"), row.doc, row.source, row.timing))
}

/// What the line costs, below what the name is.
fn with_cost(document: &Document, costs: &[Cost], byte: usize, mut found: Hover) -> Hover {
    let line = document.line_of(byte);
    for cost in costs {
        if let Some(of_line) = cost.by_line(document).get(&line) {
            found.text.push_str(&format!("\n\nThis line on {}: {}", cost.target, of_line.in_words()));
        }
    }
    found
}
