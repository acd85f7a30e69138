//! What the language itself offers a source: functions, variables, constants and words, as text.

use crate::builtin::functions::{self, Row};
use crate::builtin::pattern::Pattern;
use crate::builtin::variable::{Count, Kind, Variable};
use crate::builtin::{Enabled, constants, variables};
use crate::extension::EXTENSIONS;
use crate::keyword::{Meaning, WORDS};
use crate::source::{Stage, Version};
use crate::ty::Scalar;

/// What an [`Entry`] is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EntryKind {
    Function,
    Variable,
    Constant,
    Type,
    Keyword,
}

/// Something that the language brings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: EntryKind,
    /// How it would be declared; functions have several.
    pub written: Vec<String>,
}

/// All that a version has for a stage with some extensions, by name.
#[must_use]
pub fn vocabulary(version: Version, stage: Stage, extensions: &[String]) -> Vec<Entry> {
    let enabled = Enabled::new(extensions.iter().cloned());
    let mut all: Vec<Entry> = Vec::new();
    for row in functions::names().filter(|row| row.when.is(version, stage, &enabled)) {
        match all.last_mut().filter(|entry| entry.name == row.name) {
            Some(entry) => entry.written.extend(prototypes(row)),
            None => all.push(Entry {
                name: row.name,
                kind: EntryKind::Function,
                written: prototypes(row).collect(),
            }),
        }
    }
    let here = variables::all().filter(|variable| variable.when.is(version, stage, &enabled));
    all.extend(here.map(of_variable));
    let here = constants::CONSTANTS.iter().filter(|constant| constant.when.is(version, stage, &enabled));
    all.extend(here.map(of_constant));
    all.extend(words(version));
    all.sort_by_key(|entry| entry.name);
    all.dedup_by_key(|entry| entry.name);
    all
}

/// The names of all extensions.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    EXTENSIONS.iter().map(|row| row.name)
}

/// Every word that is a keyword in any version, and whether it names a type.
pub fn all_words() -> impl Iterator<Item = (&'static str, bool)> {
    WORDS.iter().filter(|word| word.from != (0, 0)).map(|word| (word.text, is_type(word.meaning)))
}

fn words(version: Version) -> impl Iterator<Item = Entry> {
    let here = move |word: &&crate::keyword::Word| {
        let ended = version.at_least(word.until.0, word.until.1);
        version.at_least(word.from.0, word.from.1) && !ended
    };
    WORDS.iter().filter(here).map(|word| {
        let kind = if is_type(word.meaning) { EntryKind::Type } else { EntryKind::Keyword };
        Entry { name: word.text, kind, written: Vec::new() }
    })
}

fn is_type(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Void | Meaning::Number(..) | Meaning::Opaque(_) | Meaning::Template(_) | Meaning::SpirvType
    )
}

fn of_variable(variable: &'static Variable) -> Entry {
    let ty = match variable.kind {
        Kind::Known(scalar, columns, rows) => known(scalar, columns, rows).to_owned(),
        Kind::Array(scalar, columns, rows, count) => {
            format!("{}[{}]", known(scalar, columns, rows), counted(count))
        }
        Kind::Structure(name) => name.to_owned(),
        Kind::Structures(name, count) => format!("{name}[{}]", counted(count)),
    };
    let written = vec![format!("{ty} {}", variable.name)];
    Entry { name: variable.name, kind: EntryKind::Variable, written }
}

fn counted(count: Count) -> String {
    match count {
        Count::Number(n) => n.to_string(),
        Count::Constant(name) => name.to_owned(),
        _ => String::new(),
    }
}

fn of_constant(constant: &'static constants::Constant) -> Entry {
    let values: Vec<String> = constant.value.iter().map(ToString::to_string).collect();
    let written = match values.as_slice() {
        [one] => format!("const int {} = {one}", constant.name),
        all => format!("const ivec3 {} = ivec3({})", constant.name, all.join(", ")),
    };
    Entry { name: constant.name, kind: EntryKind::Constant, written: vec![written] }
}

/// The forms of a function as prototypes: `genType mix(genType, genType, float)`.
fn prototypes(row: &'static Row) -> impl Iterator<Item = String> {
    row.forms.iter().filter_map(|form| {
        let (result, params) = form.split_first()?;
        let params: Vec<String> = params.iter().map(spelled).collect();
        Some(format!("{} {}({})", spelled(result), row.name, params.join(", ")))
    })
}

fn spelled(pattern: &Pattern) -> String {
    let out = if pattern.written { "out " } else { "" };
    format!("{out}{}", pattern.shape.spelled(&|columns, rows| known(pattern.scalar, columns, rows)))
}

/// The language's word for a scalar, vector or matrix.
fn known(scalar: Scalar, columns: u8, rows: u8) -> &'static str {
    let wanted = Meaning::Number(scalar, columns, rows);
    WORDS.iter().find(|word| word.meaning == wanted).map_or("?", |word| word.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Profile;

    #[test]
    fn versions_and_stages_have_words_of_their_own() {
        let of = |number, profile, stage| vocabulary(Version { number, profile }, stage, &[]);
        let es = of(100, Profile::Es, Stage::Fragment);
        let find = |all: &[Entry], name: &str| all.iter().find(|entry| entry.name == name).cloned();
        assert!(find(&es, "texture2D").is_some() && find(&es, "texture").is_none());
        assert_eq!(find(&es, "gl_FragColor").expect("there").written, ["vec4 gl_FragColor"]);
        assert!(find(&es, "uvec3").is_none());
        let desktop = of(450, Profile::Core, Stage::Vertex);
        let mix = find(&desktop, "mix").expect("there");
        assert!(mix.written.contains(&"genType mix(genType, genType, float)".to_owned()), "{mix:?}");
        let modf = find(&desktop, "modf").expect("there");
        assert!(modf.written.contains(&"genType modf(genType, out genType)".to_owned()), "{modf:?}");
        assert_eq!(find(&desktop, "uvec3").expect("there").kind, EntryKind::Type);
        assert_eq!(find(&desktop, "if").expect("there").kind, EntryKind::Keyword);
        assert!(desktop.iter().all(|entry| entry.written.iter().all(|text| !text.contains('?'))));
        assert_eq!(find(&desktop, "gl_MaxDrawBuffers").expect("there").kind, EntryKind::Constant);
    }

    #[test]
    fn words_of_any_version_are_those_with_a_meaning_of_their_own() {
        let all: Vec<(&str, bool)> = all_words().collect();
        for (word, is_type) in
            [("void", true), ("vec3", true), ("uvec3", true), ("if", false), ("discard", false)]
        {
            assert!(all.contains(&(word, is_type)), "{word}");
        }
        // Reserved everywhere, a keyword nowhere.
        assert!(!all.iter().any(|(word, _)| ["goto", "hvec2"].contains(word)));
    }
}
