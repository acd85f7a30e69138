//! Who has which name, and whether those who call it take it for what it is.

use std::collections::HashMap;

use chiaro_diag::{Diagnostic, did_you_mean};

use super::{Part, Wrong, error};
use crate::abi::signature::{self, Parameter};
use crate::container::part::{Linked, Role};

/// A function of a part: numbers of both.
pub(super) type At = (usize, usize);

/// The functions of all parts.
pub(super) struct Names<'a> {
    parts: &'a [Part<'a>],
    /// Those that other parts may call.
    exports: HashMap<&'a str, At>,
}

impl<'a> Names<'a> {
    /// Collects them.
    ///
    /// # Errors
    /// Names that two parts have; no kernel, or two of a name.
    pub(super) fn of(parts: &'a [Part<'a>]) -> Result<Names<'a>, Wrong> {
        let (mut exports, mut found): (HashMap<&str, At>, _) = (HashMap::new(), Vec::new());
        for (p, part) in parts.iter().enumerate() {
            for (n, f) in part.record.functions.iter().enumerate() {
                if f.role != Role::Export {
                    continue;
                }
                if let Some((other, _)) = exports.insert(&f.name, (p, n)) {
                    let both = (parts[other].name(), part.name());
                    found.push(error(format!("`{}` and `{}` both have `{}`", both.0, both.1, f.name)));
                }
            }
        }
        match parts.iter().filter(|part| part.has_kernel()).count() {
            1 => {}
            0 => found.push(
                error("none of the parts has a kernel").help("link the part that calls the others, too"),
            ),
            n => found.push(error(format!("{n} of the parts have a kernel, and a program begins with one"))),
        }
        if found.is_empty() { Ok(Names { parts, exports }) } else { Err(found) }
    }

    pub(super) fn function(&self, (p, n): At) -> &'a Linked {
        &self.parts[p].record.functions[n]
    }

    /// A function that a part has itself.
    pub(super) fn own(&self, part: usize, name: &str) -> Option<At> {
        let mut own = self.parts[part].record.functions.iter().enumerate();
        own.find(|(_, f)| f.name == name && f.role != Role::Import).map(|(n, _)| (part, n))
    }

    /// The function that a name means in a part: one of its own, or what another part has.
    pub(super) fn meant(&self, part: usize, name: &str) -> Option<At> {
        self.own(part, name).or_else(|| self.exports.get(name).copied())
    }

    /// Whether every function that a part lacks is there and is what it is taken for.
    ///
    /// # Errors
    /// Those that are not.
    pub(super) fn sound(&self) -> Result<(), Wrong> {
        let mut found = Vec::new();
        for part in self.parts {
            for wanted in part.record.functions.iter().filter(|f| f.role == Role::Import) {
                match self.exports.get(wanted.name.as_str()) {
                    None => found.push(self.missing(part, wanted)),
                    Some(&at) => found.extend(self.differs((part, wanted), at)),
                }
            }
        }
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    fn missing(&self, part: &Part<'_>, wanted: &Linked) -> Diagnostic {
        let message = format!("`{}` calls `{}`, and no part has it", part.name(), wanted.name);
        let near = did_you_mean(&wanted.name, self.exports.keys().copied());
        let mut known: Vec<&str> = self.exports.keys().copied().collect();
        known.sort_unstable();
        let others = if known.is_empty() {
            "no part has functions for others".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        let name = wanted.name.as_str();
        let tables = part.record.tables.iter();
        let places = tables.flat_map(|table| table.places(name).map(move |n| (n, &table.name)));
        let error = places.fold(error(message), |error, (n, table)| {
            error.note(format!("entry {n} of the table `{table}` of `{}` is `{name}`", part.name()))
        });
        error.help(near.map_or(others, |near| format!("did you mean `{near}`?")))
    }

    /// Where a caller and its callee take a function for different things: in its types, or in what the machine hands over.
    fn differs(&self, (part, wanted): (&Part<'_>, &Linked), at: At) -> Option<Diagnostic> {
        let there = self.function(at);
        if (&wanted.types, &wanted.signature, wanted.takes) == (&there.types, &there.signature, there.takes) {
            return None;
        }
        let (a, b, name) = (part.name(), self.parts[at.0].name(), &wanted.name);
        let [asked, has] =
            [wanted, there].map(|f| signature::parse(&f.signature).unwrap_or_default().parameters);
        let message = match first_difference(&asked, &has) {
            _ if wanted.types != there.types => {
                format!("`{a}` calls `{name}` as {}, and in `{b}` it is {}", wanted.types, there.types)
            }
            Some((n, asked, has)) => {
                format!("`{name}`: value {n} is {asked} where `{a}` calls it, and {has} in `{b}`")
            }
            None => {
                format!("`{a}` gives `{name}` {} values, and in `{b}` it takes {}", wanted.takes, there.takes)
            }
        };
        let note = format!("`{a}` calls {name}({}), `{b}` has {name}({})", wanted.signature, there.signature);
        Some(error(message).note(note).help("declare it as it is defined, and compile the part again"))
    }
}

/// The first parameter that differs, by its number from 1, on both sides.
fn first_difference(asked: &[Parameter], has: &[Parameter]) -> Option<(usize, String, String)> {
    let said = |parameter: Option<&Parameter>| {
        parameter.map_or("missing".to_owned(), |p| format!("`{}`", p.notation()))
    };
    let all = (0..asked.len().max(has.len())).map(|n| (asked.get(n), has.get(n)));
    let differ = |(a, b): &(Option<&Parameter>, Option<&Parameter>)| {
        a.map(Parameter::notation) != b.map(Parameter::notation)
    };
    let (n, (a, b)) = all.enumerate().find(|(_, pair)| differ(pair))?;
    Some((n + 1, said(a), said(b)))
}
