//! Parts from the text of their keys.

use chiaro_diag::{Diagnostic, SourceMap, Span};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, CompiledShader, KeyText, Piece as Given, json};
use serde_json::{Map, Value};

use super::compile::finished;
use super::style_of;
use crate::abi::key::Key;
use crate::check::{self, Piece};
use crate::compile::{Compiled, Options, compile_part};
use crate::container::file::{File, Role, Stage};
use crate::container::{self, Contents};

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Kinds of parts that are made from keys, as the command names them.
pub(super) const KINDS: &[&str] = &["vs-prolog", "fs-prolog", "fs-epilog"];

/// Makes the part of a key.
pub(super) fn part(
    kind: &str,
    text: KeyText<'_>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Answer<CompiledShader> {
    if !KINDS.contains(&kind) {
        let error = Diagnostic::error(None, format!("there is no part `{kind}` that a key makes"));
        return Err(vec![error.help(format!("there are {}", KINDS.join(", ")))]);
    }
    let generation = style_of(&options.settings).map_err(|e| vec![*e])?.generation;
    let key = key(text, &parsed(text)?)?;
    if kind_of(&key) != kind {
        let error = Diagnostic::error(None, format!("this is the key of a part `{}`", kind_of(&key)));
        return Err(vec![error.help(format!("ask for it with `--part {}`", kind_of(&key)))]);
    }
    let compiled = compiled(&key, generation, cx)?;
    let standing = standing(&key, &compiled);
    finished(&compiled, standing, kind, &SourceMap::default())
}

/// The parts of a text with a key for each: `{"prolog": {...}, "epilog": {...}}`. What the main part says of itself
/// need not be repeated.
pub(super) fn parts(given: &[Given], text: KeyText<'_>, generation: u8) -> Answer<Vec<Given>> {
    let main = given.iter().find_map(main_part);
    let mut made = Vec::new();
    for (name, key) in keys(text, &parsed(text)?, main.as_ref())? {
        let compiled = compiled(&key, generation, &mut Cx::default())?;
        made.push(Given { role: None, name: format!("{name} of its key"), bytes: compiled.file.write() });
    }
    Ok(made)
}

/// The keys of a text by the names of their parts, with what the main part says.
pub(super) fn keys(text: KeyText<'_>, whole: &Value, main: Option<&File>) -> Answer<Vec<(String, Key)>> {
    let names = [Role::Prolog, Role::Epilog].map(Role::name);
    let fields = whole
        .as_object()
        .filter(|fields| !fields.is_empty() && fields.keys().all(|name| names.contains(&name.as_str())));
    let Some(fields) = fields else {
        let odd =
            whole.as_object().and_then(|fields| fields.keys().find(|name| !names.contains(&name.as_str())));
        let message = match odd {
            Some(name) => format!("the keys have no field `{name}`; there are {}", names.join(", ")),
            None => format!("keys are an object with {}, or one of them", names.join(" and ")),
        };
        return Err(vec![located(text, message)]);
    };
    let mut made = Vec::new();
    for (name, value) in fields {
        let mut value = value.clone();
        if let (Some(main), Some(fields)) = (main, value.as_object_mut()) {
            complete(fields, main);
        }
        let key = key(text, &value)?;
        let role = if matches!(key, Key::FragmentEpilog(_)) { Role::Epilog } else { Role::Prolog };
        if role.name() != name {
            let message = format!("`{name}` is the key of a part `{}`", kind_of(&key));
            return Err(vec![located(text, message)]);
        }
        made.push((name.clone(), key));
    }
    Ok(made)
}

/// The main part among files.
fn main_part(given: &Given) -> Option<File> {
    match container::open(&given.bytes) {
        Ok(Contents::File(file)) if file.parts.first().is_some_and(|part| part.role == Role::Main) => {
            Some(*file)
        }
        _ => None,
    }
}

/// Adds to a key what the main part says: its description for the epilog, the coefficient registers that are free.
fn complete(key: &mut Map<String, Value>, main: &File) {
    let Some(part) = main.parts.first() else { return };
    if key.contains_key("nr_samples") && !key.contains_key("link") {
        let link = serde_json::from_str(&part.key).ok();
        key.extend(link.map(|link| ("link".to_owned(), link)));
    }
    if key.contains_key("api_sample_mask") && !key.contains_key("cf_base") {
        let free = part.bindings.iter().map(|binding| binding.base + u16::from(binding.count)).max();
        key.insert("cf_base".to_owned(), free.unwrap_or(0).into());
    }
}

/// JSON, or where it is none.
fn parsed(text: KeyText<'_>) -> Answer<Value> {
    json::read(text.file, text.text).map_err(|error| vec![error.help("a key is a JSON object")])
}

fn key(text: KeyText<'_>, value: &Value) -> Answer<Key> {
    Key::of_json(value).map(|key| key.normalised()).map_err(|why| vec![located(text, why)])
}

/// A message about a field or value that it names: where the text has it first.
fn located(text: KeyText<'_>, message: String) -> Diagnostic {
    let quoted = message.split('`').nth(1).map(|name| format!("\"{name}\""));
    let found = quoted.and_then(|quoted| Some((text.text.find(&quoted)?, quoted.len())));
    let span = found.map(|(start, length)| Span {
        file: text.file,
        start: start as u32,
        end: (start + length) as u32,
    });
    let whole = Span { file: text.file, start: 0, end: 0 };
    Diagnostic::error(Some(span.unwrap_or(whole)), message)
}

fn kind_of(key: &Key) -> &'static str {
    match key {
        Key::VertexProlog(_) => KINDS[0],
        Key::FragmentProlog(_) => KINDS[1],
        Key::FragmentEpilog(_) => KINDS[2],
    }
}

/// A part with its key beside it.
pub(super) fn compiled(key: &Key, generation: u8, cx: &mut Cx<'_>) -> Answer<Compiled> {
    let mut made = compile_part(key, Options { generation, ..Options::default() }, cx)?;
    made.file.parts.iter_mut().for_each(|part| part.key = key.to_json().to_string());
    Ok(made)
}

/// What the checker is to know of a part.
fn standing(key: &Key, compiled: &Compiled) -> check::Config {
    let stage = match compiled.file.stage {
        Stage::Vertex => check::Stage::Vertex,
        Stage::Fragment => check::Stage::Fragment,
        _ => check::Stage::Compute,
    };
    let (piece, sample_shading) = match key {
        Key::FragmentEpilog(key) => (Piece::Last, key.link.sample_shading == 1),
        _ => (Piece::Open, false),
    };
    let part = compiled.file.parts.first();
    check::Config {
        generation: compiled.file.generation,
        stage,
        piece,
        halves: part.map(|part| part.halves),
        sample_shading,
        holds_sources: false,
    }
}
