//! Assemblies: labels, what directives name, and registers, which are declared where they are written.

use std::collections::HashMap;
use std::ops::Range;

use chiaro_isa::{Operand, Role};
use chiaro_target::lexis::first_word;
use chiaro_target::{Dialect, Instructions, Lexis, Target};

use super::marks::fold;
use super::{Kind, Name, Outline, Token};
use crate::Document;
use crate::statement::{Statement, What, statements, words};

pub(super) fn outline(document: &Document, target: &dyn Target, dialect: &'static Dialect) -> Outline {
    let rows = target.instructions(&[]).ok();
    let mut all = Vec::new();
    let mut builder = Builder {
        text: document.text(),
        dialect,
        rows,
        outline: Outline::default(),
        known: HashMap::new(),
        registers: HashMap::new(),
        roles: HashMap::new(),
    };
    for (start, line) in document.lines() {
        let from = all.len();
        all.extend(statements(&dialect.lexis, line, start));
        all[from..].iter().for_each(|statement| builder.names(statement));
        builder.comment(&dialect.lexis, line, start);
    }
    all.iter().for_each(|statement| builder.uses(statement));
    regions(document, &all, &mut builder.outline);
    builder.outline
}

struct Builder<'a> {
    text: &'a str,
    dialect: &'static Dialect,
    rows: Option<&'static dyn Instructions>,
    outline: Outline,
    /// Labels and what directives name.
    known: HashMap<&'a str, usize>,
    registers: HashMap<&'a str, usize>,
    /// What the operands of each mnemonic are in its first form, made when it is needed.
    roles: HashMap<String, Vec<Role>>,
}

impl<'a> Builder<'a> {
    fn comment(&mut self, lexis: &Lexis, line: &str, start: usize) {
        let length = lexis.code(line).len();
        if length < line.len() {
            self.outline.tokens.push((start + length..start + line.len(), Token::Comment));
        }
    }

    /// Declares what a statement names.
    fn names(&mut self, statement: &Statement) {
        let text = &self.text[statement.at.clone()];
        match statement.what {
            What::Label => self.declare(Kind::Label, statement.at.clone(), statement),
            What::Directive => {
                let word = first_word(text);
                self.outline
                    .tokens
                    .push((statement.at.start..statement.at.start + word.len(), Token::Directive));
                for usage in self.dialect.lexis.directive(word) {
                    let kind = if usage.ends_with(" name") && !usage.contains('(') {
                        Kind::Function
                    } else {
                        Kind::Interface
                    };
                    for place in named(usage, text) {
                        let at = statement.at.start + place.start..statement.at.start + place.end;
                        self.declare(kind, at, statement);
                    }
                }
            }
            What::Instruction => {}
        }
    }

    fn declare(&mut self, kind: Kind, at: Range<usize>, statement: &Statement) {
        let text = &self.text[at.clone()];
        let number = *self.known.entry(text).or_insert(self.outline.names.len());
        self.outline.uses.push((at.clone(), number));
        match self.outline.names.get_mut(number) {
            Some(name) => name.declared.push(at),
            None => self.outline.names.push(Name {
                text: text.to_owned(),
                kind,
                declared: vec![at],
                whole: statement.at.clone(),
                scope: 0..self.text.len(),
                written: vec![self.text[statement.at.clone()].to_owned()],
                within: None,
            }),
        }
    }

    /// Finds names and registers in the operands of a statement.
    fn uses(&mut self, statement: &Statement) {
        let text = &self.text[statement.at.clone()];
        let mut all = words(text);
        let operands = match statement.what {
            What::Label => return,
            What::Directive => {
                all.next();
                Vec::new()
            }
            What::Instruction => {
                let mnemonic = mnemonic(text);
                let at = statement.at.start + mnemonic.start..statement.at.start + mnemonic.end;
                self.outline.tokens.push((at, Token::Instruction));
                all.by_ref().take_while(|word| word.end < mnemonic.end).for_each(drop);
                self.operands(text)
            }
        };
        for word in all {
            let place = statement.at.start + word.start..statement.at.start + word.end;
            self.word(&text[word.clone()], place, &operands, &word);
        }
    }

    /// The operands of an instruction; of one with names in it, which the rows cannot read, by their order.
    fn operands(&mut self, text: &str) -> Vec<Operand> {
        let Some(rows) = self.rows else { return Vec::new() };
        let read = rows.operands(text, self.dialect.name);
        if !read.is_empty() {
            return read;
        }
        if self.roles.is_empty() {
            let first = |row: chiaro_isa::Row| {
                let operands = row.forms.into_iter().next()?.operands;
                Some((row.name, operands.into_iter().map(|operand| operand.role).collect()))
            };
            self.roles = rows.rows(self.dialect.name).into_iter().filter_map(first).collect();
        }
        let start = mnemonic(text);
        let Some(roles) = self.roles.get(&text[start.clone()]) else { return Vec::new() };
        let parts = items(&text[start.end..]).into_iter();
        let operand = |(part, role): (Range<usize>, &Role)| Operand {
            name: "",
            doc: "",
            role: *role,
            at: start.end + part.start..start.end + part.end,
        };
        parts.zip(roles).map(operand).collect()
    }

    fn word(&mut self, text: &str, place: Range<usize>, operands: &[Operand], word: &Range<usize>) {
        if let Some(&number) = self.known.get(text) {
            self.outline.uses.push((place, number));
        } else if text.starts_with(|c: char| c.is_ascii_digit()) {
            self.outline.tokens.push((place, Token::Number));
        } else if is_register(text) && is_free(self.text, &place) {
            let operand = operands.iter().find(|operand| operand.at.contains(&word.start));
            let is_written = operand.is_some_and(|o| matches!(o.role, Role::Def | Role::DefUse));
            self.register(place, is_written);
        }
    }

    fn register(&mut self, place: Range<usize>, is_written: bool) {
        let text = &self.text[place.clone()];
        let number = *self.registers.entry(text).or_insert(self.outline.names.len());
        if number == self.outline.names.len() {
            self.outline.names.push(Name {
                text: text.to_owned(),
                kind: Kind::Register,
                declared: Vec::new(),
                whole: place.clone(),
                scope: 0..self.text.len(),
                written: Vec::new(),
                within: None,
            });
        }
        if is_written {
            self.outline.names[number].declared.push(place.clone());
        }
        self.outline.uses.push((place, number));
    }
}

/// The mnemonic of an instruction: the first word that is not a `(prefix)`, with its points.
pub(crate) fn mnemonic(text: &str) -> Range<usize> {
    let mut at = 0;
    while text[at..].starts_with('(') {
        let Some(end) = text[at..].find(')') else { break };
        at += end + 1;
        at += text[at..].len() - text[at..].trim_start().len();
    }
    let length = text[at..].find(|c: char| c.is_whitespace() || c == '(').unwrap_or(text.len() - at);
    at..at + length
}

/// Registers have a letter in front and a number: `r0`, `v12`, `cf3`, `u14l`.
fn is_register(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_lowercase).count();
    let digits = text[letters..].bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[letters + digits..];
    (1..=3).contains(&letters) && digits > 0 && matches!(rest, "" | "l" | "h")
}

/// What stands behind a point is a component, not a register.
fn is_free(text: &str, place: &Range<usize>) -> bool {
    !text[..place.start].ends_with('.')
}

/// Where a directive names something: as its usage has `name`.
fn named(usage: &str, text: &str) -> Vec<Range<usize>> {
    let begin = first_word(text).len();
    let of_usage = &usage[first_word(usage).len()..];
    let parts = |text: &str| -> Vec<Range<usize>> {
        let mut at = 0;
        let split = text.split([' ', '\t', '(', ')']).map(|part| {
            let range = at..at + part.len();
            at = range.end + 1;
            range
        });
        split.filter(|range| !range.is_empty()).collect()
    };
    let wanted = parts(of_usage).iter().position(|part| of_usage[part.clone()].starts_with("name"));
    let Some(wanted) = wanted else { return Vec::new() };
    let several = of_usage.contains(", name");
    let given = &text[begin..];
    let all = parts(given);
    let chosen: Vec<Range<usize>> = match several {
        true => items(given),
        false => all.get(wanted).cloned().into_iter().collect(),
    };
    let name_in = |part: Range<usize>| {
        words(&given[part.clone()]).next().map(|w| part.start + w.start..part.start + w.end)
    };
    let found = chosen.into_iter().filter_map(name_in);
    found.map(|place| begin + place.start..begin + place.end).collect()
}

/// What commas separate.
fn items(text: &str) -> Vec<Range<usize>> {
    let mut at = 0;
    let split = text.split(',').map(|part| {
        let range = at..at + part.len();
        at = range.end + 1;
        range
    });
    split.collect()
}

/// From a label or a procedure to before the next.
fn regions(document: &Document, all: &[Statement], outline: &mut Outline) {
    let mut starts: Vec<usize> = outline
        .names
        .iter()
        .filter(|name| matches!(name.kind, Kind::Label | Kind::Function))
        .flat_map(|name| name.declared.iter().map(|at| at.start))
        .collect();
    starts.sort_unstable();
    let mut open: Option<usize> = None;
    let mut last = 0;
    for statement in all {
        let next = starts.partition_point(|start| *start < statement.at.start);
        let begins = starts.get(next).is_some_and(|start| statement.at.contains(start));
        if begins && let Some(start) = open.replace(statement.at.start) {
            fold(document, &(start..last), outline);
        }
        last = statement.at.end;
    }
    if let Some(start) = open {
        fold(document, &(start..last), outline);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_name_what_their_usage_says() {
        let shown = |usage: &str, text: &'static str| {
            named(usage, text).into_iter().map(|at| &text[at]).collect::<Vec<_>>()
        };
        assert_eq!(shown(".proc name", ".proc main"), ["main"]);
        assert_eq!(shown(".fvec name, name[size], ...", ".fvec a[3], b ,c[2]"), ["a", "b", "c"]);
        assert_eq!(shown(".fvec name, name[size], ...", ".fvec a, b, c, d"), ["a", "b", "c", "d"]);
        assert_eq!(shown(".constf name(x, y, z, w)", ".constf one(0.0, 1.0, 0.5, 0.0)"), ["one"]);
        assert_eq!(shown("@attribute(rN.x-rN.w) name", "@attribute(r0.x-r0.w) position"), ["position"]);
        assert_eq!(shown(".entry procedure", ".entry main"), Vec::<&str>::new());
        assert_eq!(shown(".out name property[.mask]", ".out clip position"), ["clip"]);
    }

    #[test]
    fn registers_are_told_from_names() {
        assert!(is_register("r0") && is_register("u14l") && is_register("cf3"));
        assert!(!is_register("xyz") && !is_register("main2x") && !is_register("texcoord0"));
        assert_eq!(mnemonic("(sy)(ss) mad.f32 r0.x"), 9..16);
    }
}
