//! What mends a broken rule of the hardware where that is mechanical, as edits of a text of assembly. Whoever offers
//! them tries them first: what is too little leaves the rule broken.

use chiaro_diag::{Diagnostic, Fix, SourceMap, Span};

use crate::Target;

/// Lines behind an instruction that a mark may belong to.
const MOST_BEHIND: usize = 12;

/// Adds the edits that a target knows for the rules that messages are about.
pub fn add_remedies(target: &dyn Target, sources: &SourceMap, found: &mut [Diagnostic]) {
    for message in found {
        let (Some(rule), Some(span)) = (message.rule, message.span) else { continue };
        let of_rule = target.remedies().iter().filter(|remedy| remedy.rule == rule);
        message.fixes.extend(of_rule.flat_map(|remedy| remedy.fixes(sources.text(span.file), span)));
    }
}

/// An edit of assembly at the instruction that a rule is broken at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remedy {
    /// The rule.
    pub rule: &'static str,
    /// What is done.
    pub edit: Edit,
}

/// An edit at an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// An instruction is put in front of it.
    Before(&'static str),
    /// An instruction is put behind it.
    After(&'static str),
    /// A mark is put on it.
    Mark(&'static str),
    /// A mark is put on one that comes behind it.
    MarkBehind(&'static str),
    /// A word of it is left out.
    Less(&'static str),
    /// It is left out.
    Without,
}

impl Remedy {
    /// An instruction in front of the one at fault.
    #[must_use]
    pub const fn before(rule: &'static str, text: &'static str) -> Remedy {
        Remedy { rule, edit: Edit::Before(text) }
    }

    /// An instruction behind the one at fault.
    #[must_use]
    pub const fn after(rule: &'static str, text: &'static str) -> Remedy {
        Remedy { rule, edit: Edit::After(text) }
    }

    /// A mark on the one at fault.
    #[must_use]
    pub const fn mark(rule: &'static str, text: &'static str) -> Remedy {
        Remedy { rule, edit: Edit::Mark(text) }
    }

    /// The edits at the instruction of a span, the least first; what is put before or behind it stands on lines of its
    /// own.
    fn fixes(&self, text: &str, span: Span) -> Vec<Fix> {
        let here = Line::at(text, span);
        let put = |at: usize, with: String| Fix::replace(span.file.span(at..at), with);
        let start = span.start as usize;
        match self.edit {
            Edit::Before(instruction) => vec![put(here.begin, format!("{instruction}\n{}", here.indent))],
            Edit::After(instructions) => {
                vec![put(here.end, format!("\n{instructions}").replace('\n', &format!("\n{}", here.indent)))]
            }
            // The span may begin in front of the instruction: with its label, or with blanks.
            Edit::Mark(mark) => vec![put(start.max(here.begin), mark.to_owned())],
            Edit::MarkBehind(mark) => {
                begins_behind(text, here.end).map(|begin| put(begin, mark.to_owned())).collect()
            }
            Edit::Less(word) => {
                let rest = text.get(start..here.end).unwrap_or_default();
                let words = rest.match_indices(word).map(|(at, _)| start + at);
                let last = words.filter(|at| *at > start).last();
                let less = |at: usize| Fix::replace(span.file.span(at - 1..at + word.len()), "");
                last.map(less).into_iter().collect()
            }
            Edit::Without => vec![Fix::replace(span, "")],
        }
    }
}

/// A line of a text, in bytes.
struct Line<'a> {
    indent: &'a str,
    /// Where it begins behind its blanks.
    begin: usize,
    /// Where it ends, in front of the line end.
    end: usize,
}

impl<'a> Line<'a> {
    /// The line that a span begins in.
    fn at(text: &'a str, span: Span) -> Line<'a> {
        let start = text.floor_char_boundary(span.start as usize);
        let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let whole = text[first..].lines().next().unwrap_or_default();
        let indent = indent(whole);
        Line { indent, begin: first + indent.len(), end: first + whole.len() }
    }
}

/// Where the lines behind one begin, behind their blanks.
fn begins_behind(text: &str, end: usize) -> impl Iterator<Item = usize> {
    let starts = text[end..].match_indices('\n').take(MOST_BEHIND).map(move |(at, _)| end + at + 1);
    starts.map(|start| start + indent(&text[start..]).len())
}

/// The blanks that a text begins with; line ends are none.
fn indent(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches([' ', '\t']).len()]
}
