//! What is proven of the contracts of functions, and what is not, for readers.

use chiaro_diag::{Diagnostic, Severity};
use chiaro_target::{Code, CompileOptions, Settings};

use super::{CONTRACTS, POINTERS};
use crate::check;
use crate::check::Found;
use crate::check::rules::UNPROVED;
use crate::compile::Compiled;

/// Whether the options ask for proofs, and whether what is proven is told as well: where nothing else is asked.
pub(super) fn wanted(options: &CompileOptions) -> Result<Option<bool>, Vec<Diagnostic>> {
    let asked = options.settings.iter().rfind(|(key, _)| key == CONTRACTS);
    match asked.map(|(_, value)| value.as_str()) {
        None => Ok(options.verify.then_some(false)),
        Some("on") => Ok(Some(true)),
        Some("off") => Ok(None),
        Some(_) => Err(vec![Diagnostic::error(None, format!("`{CONTRACTS}` is on or off"))]),
    }
}

/// What a pointer is taken to be that no words show to be the address of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Pointers {
    /// That of a function that the call is held to: of its type, and its address is taken.
    #[default]
    Known,
    /// Anything: the call is unproved.
    Shown,
}

impl Pointers {
    /// What the settings say.
    pub(super) fn of(settings: &Settings) -> Result<Pointers, Vec<Diagnostic>> {
        let asked = settings.iter().rfind(|(key, _)| key == POINTERS);
        match asked.map(|(_, value)| value.as_str()) {
            None | Some("known") => Ok(Pointers::Known),
            Some("shown") => Ok(Pointers::Shown),
            Some(_) => Err(vec![Diagnostic::error(None, format!("`{POINTERS}` is known or shown"))]),
        }
    }
}

/// What the checker of contracts says of a program with functions: that all of it is proven only if that is to be told.
///
/// # Errors
/// The first instruction of each function that breaks its contract.
pub(super) fn proven(
    compiled: &Compiled,
    code: &Code,
    (tells, pointers): (bool, Pointers),
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    if compiled.functions.is_empty() && compiled.imports.is_empty() {
        return Ok(Vec::new());
    }
    let config = check::Config { wave: compiled.options.wave, group: Some(compiled.interface.threads()) };
    let kernel = if compiled.has_kernel { " and the kernel" } else { "" };
    let praise = tells.then(|| praise(compiled.functions.len(), kernel));
    all(compiled.proof(config), code, (praise, pointers))
}

/// That everything is proven.
pub(super) fn praise(functions: usize, kernel: &str) -> Diagnostic {
    let message = format!("{functions} functions{kernel} are proven to keep contracts");
    Diagnostic::new(Severity::Note, None, message)
}

/// What was found of functions, by their names, for readers; praise where nothing is, and what the proof rests on.
///
/// # Errors
/// The first instruction of each function that breaks its contract.
pub(super) fn all(
    mut found: Vec<(&str, Found)>,
    code: &Code,
    (praise, pointers): (Option<Diagnostic>, Pointers),
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let assumed: Vec<(&str, Found)> = match pointers {
        Pointers::Known => found.extract_if(.., |(_, found)| found.is_assumed()).collect(),
        Pointers::Shown => Vec::new(),
    };
    let mut told = by_functions(&found, code)?;
    told.extend(praise.filter(|_| told.is_empty()));
    told.extend(rests_on(&assumed, code));
    Ok(told)
}

/// Calls of which no words show where they lead.
fn rests_on(assumed: &[(&str, Found)], code: &Code) -> Option<Diagnostic> {
    let mut places: Vec<String> =
        assumed.iter().map(|(name, found)| format!("in `{name}` at {}", place(found, code))).collect();
    places.dedup();
    let what = match places.len() {
        0 => return None,
        1 => "1 call through a pointer is taken to come".to_owned(),
        n => format!("{n} calls through pointers are taken to come"),
    };
    let message = format!("{what} to functions of its type, which no words show: `-m {POINTERS}=known`");
    let note = Diagnostic::new(Severity::Note, None, message);
    let more = places.len().saturating_sub(MOST_PLACES);
    let note = places.iter().take(MOST_PLACES).fold(note, |note, place| note.note(place.clone()));
    let note = if more > 0 { note.note(format!("and {more} more")) } else { note };
    Some(note.help(format!("`-m {POINTERS}=shown` calls them unproved")))
}

/// Places of calls that are told.
const MOST_PLACES: usize = 4;

/// What was found of functions, by their names.
fn by_functions(found: &[(&str, Found)], code: &Code) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let mut told: Vec<Diagnostic> = Vec::new();
    let mut names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    names.dedup();
    for name in names {
        let own: Vec<&Found> = found.iter().filter(|(of, _)| *of == name).map(|(_, found)| found).collect();
        told.extend(of_function(name, &own, code));
    }
    if told.iter().any(|diagnostic| diagnostic.severity == Severity::Error) { Err(told) } else { Ok(told) }
}

/// What is wrong with a function: its first breach, or the first instruction that is not proven.
fn of_function(name: &str, found: &[&Found], code: &Code) -> Option<Diagnostic> {
    let breach = found.iter().find(|f| f.finding.rule.id != UNPROVED.id && !f.is_assumed());
    let first = breach.or(found.first())?;
    let place = place(first, code);
    let why = &first.finding.message;
    Some(match breach {
        Some(_) => Diagnostic::error(None, format!("`{name}` breaks its contract at {place}: {why}")),
        None => {
            let message = format!("`{name}` is not proven to keep its contract: unproved is {place}: {why}");
            let warning = Diagnostic::warning(None, message);
            match found.len() - 1 {
                0 => warning,
                more => warning.note(format!("{more} more of its instructions are unproved")),
            }
        }
    })
}

/// Where something was found.
fn place(found: &Found, code: &Code) -> String {
    let line = code.lines.iter().find(|line| line.offset == found.word * 4);
    line.map_or_else(
        || format!("word {}", found.word),
        |line| format!("word {}, `{}`", found.word, line.text.trim()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::rules::ALL;
    use chiaro_isa::finding::{Finding, Rule};
    use chiaro_target::Line;

    fn found(rule: &'static Rule, word: u32) -> Found {
        let finding = Finding { rule, at: Some(word), place: None, message: format!("wrong at {word}") };
        Found { finding, word, register: None, load: None }
    }

    /// A breach is told before what is unproved, with its instruction; of what is unproved the first, and how many more.
    #[test]
    fn the_first_breach_is_told() {
        let line = |offset: u32, text: &str| Line { offset, length: 4, text: text.to_owned(), span: None };
        let code = Code { lines: vec![line(0, "s_nop 0"), line(4, "s_endpgm")], ..Code::default() };
        let told = |found: &[Found]| {
            let all: Vec<&Found> = found.iter().collect();
            of_function("f", &all, &code).map(|told| (told.severity, told.message, told.notes.len()))
        };
        assert_eq!(told(&[]), None);
        let breach = "`f` breaks its contract at word 1, `s_endpgm`: wrong at 1".to_owned();
        let doubt = "`f` is not proven to keep its contract: unproved is word 2: wrong at 2".to_owned();
        let broken = ALL.iter().find(|rule| rule.id == "contract").expect("a rule");
        let (one, other) = (found(&UNPROVED, 2), found(broken, 1));
        assert_eq!(told(&[one.clone(), other]), Some((Severity::Error, breach, 0)));
        assert_eq!(told(std::slice::from_ref(&one)), Some((Severity::Warning, doubt.clone(), 0)));
        assert_eq!(told(&[one.clone(), one]), Some((Severity::Warning, doubt, 1)));
    }
}
