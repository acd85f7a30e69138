//! What all parts of a program have to have in common.

use chiaro_diag::{Diagnostic, SourceMap};

use super::{Part, Wrong, error};
use crate::abi::convention::Convention;
use crate::abi::file::{self, shown};
use crate::abi::partition::{File, Pool, partition, runs};

/// Holds all parts against the first.
///
/// # Errors
/// What differs, with both sides.
pub(super) fn agree(parts: &[Part<'_>]) -> Result<(), Wrong> {
    let Some((first, others)) = parts.split_first() else { return Err(vec![error("there are no parts")]) };
    let found: Vec<Diagnostic> = others.iter().flat_map(|other| differences(first, other)).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

fn differences(a: &Part<'_>, b: &Part<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let names = (a.name(), b.name());
    let differ = |what: &str, one: String, other: String| {
        error(format!("`{}` is made for {what} {one}, `{}` for {other}", names.0, names.1))
    };
    if a.record.wave != b.record.wave {
        let told = differ("waves of", a.record.wave.to_string(), b.record.wave.to_string());
        found.push(told.help("compile both with the same `-m wave=`"));
    }
    if a.record.mode != b.record.mode {
        found.push(differ("MODE", format!("{:#x}", a.record.mode), format!("{:#x}", b.record.mode)));
    }
    for (id, value) in &a.record.constants {
        let other = b.record.constants.iter().find(|(other, there)| other == id && there != value);
        found.extend(other.map(|(_, there)| {
            let what = format!("the specialisation constant {id} as");
            differ(&what, value.clone(), there.clone()).help("give it one value in all parts: `--spec`")
        }));
    }
    if a.record.convention != b.record.convention {
        found.extend(conventions(a, b));
    }
    found
}

/// Texts of conventions that differ may say the same.
fn conventions(a: &Part<'_>, b: &Part<'_>) -> Option<Diagnostic> {
    let [one, other] = match [a, b].map(convention) {
        [Ok(one), Ok(other)] => [one, other],
        [Err(why), _] | [_, Err(why)] => return Some(*why),
    };
    if one == other {
        return None;
    }
    let message =
        format!("`{}` keeps the convention `{}`, `{}` keeps `{}`", a.name(), one.name, b.name(), other.name);
    let message = match difference(&one, &other) {
        Some(what) => format!("{message}, and they differ: {what}"),
        None => message,
    };
    Some(
        error(message)
            .help("compile both parts again with one: `-m abi-file=FILE`, or `-m callable=NAME,CONVENTION`"),
    )
}

/// The convention that a part's functions keep.
///
/// # Errors
/// Its text is none.
pub(super) fn convention(part: &Part<'_>) -> Result<Convention, Box<Diagnostic>> {
    let mut sources = SourceMap::new();
    let id = sources.add("the convention", part.record.convention.as_str());
    let read = file::read(&part.record.convention, id);
    read.map(|read| read.convention).map_err(|found| {
        let why = found.first().map_or_else(String::new, |first| first.message.clone());
        Box::new(error(format!("`{}`: the convention in its note is none: {why}", part.name())))
    })
}

/// The first thing in which two conventions differ: who keeps a range of registers, or a field.
fn difference(one: &Convention, other: &Convention) -> Option<String> {
    let pools = [partition(one), partition(other)];
    for file in File::BOTH {
        let [a, b] = [pools[0].of(file), pools[1].of(file)];
        let pairs: Vec<(Option<Pool>, Option<Pool>)> =
            (0..a.len().max(b.len())).map(|n| (a.get(n).copied(), b.get(n).copied())).collect();
        let run = runs(&pairs).into_iter().find(|((a, b), _)| a != b);
        if let Some(((a, b), span)) = run {
            let said = |pool: Option<Pool>| pool.map_or("not there", Pool::name);
            return Some(format!("{} is {} here and {} there", shown(file, span), said(a), said(b)));
        }
    }
    let fields = [
        ("`max_param_demand`", one.most != other.most),
        ("`system`", one.system != other.system),
        ("`arguments`", one.arguments != other.arguments),
        ("`stack`", one.stack != other.stack),
        ("`in_flight`", one.in_flight != other.in_flight),
        ("`mode`", one.mode != other.mode),
        ("`results`", one.results != other.results),
        ("`return_addresses`", one.return_addresses != other.return_addresses),
        ("`gaps`", one.gaps != other.gaps),
    ];
    fields.into_iter().find(|(_, differs)| *differs).map(|(name, _)| name.to_owned())
}
