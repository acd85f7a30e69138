//! Shaders with the parts of keys in one piece: what linked programs are compared with.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, CompiledShader, KeyText, Piece as Given, Shader, Stage as Of};

use super::compile::{config, finished, located};
use super::link::link;
use super::parts::keys;
use super::style_of;
use crate::abi::key::Key;
use crate::check::{self, Piece};
use crate::compile::{ABOUT, Compiled, Options, STAGES, compile as to_code, compile_whole};
use crate::container::file::{File, Stage};

type Answer<T> = Result<T, Vec<Diagnostic>>;

/// Compiles the first shader of a stage that there is.
pub(super) fn compile(
    shaders: &[Shader<'_>],
    keys: &str,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Answer<CompiledShader> {
    let shader = Shader::with_any(shaders, STAGES)?;
    let mut made = piece(shader, keys, options, cx)?;
    located(&mut made, sources);
    let entry = shader.chosen(STAGES, options, ABOUT)?;
    finished(&made, standing(&made.file), &entry.name, sources)
}

/// What the checker is to know of it.
fn standing(file: &File) -> check::Config {
    let piece = if file.stage == Stage::Vertex { Piece::Last } else { Piece::Program };
    check::Config { piece, sample_shading: false, ..config(file) }
}

/// The keys that a shader is to be compiled with in one piece, where the settings say so.
pub(super) fn wanted(options: &CompileOptions) -> Answer<Option<&str>> {
    let said =
        |name: &str| options.settings.iter().rfind(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let (is_off, keys) = (said("parts") == Some("off"), said("keys"));
    let error = |message: &str, help: &str| Err(vec![Diagnostic::error(None, message).help(help)]);
    match (is_off, keys) {
        (true, None) => error("one piece needs the keys of its parts", "give them with `-m keys=JSON`"),
        (false, Some(_)) => error(
            "keys are for programs in one piece",
            "say `-m parts=off`, or link with `chiaro link --keys`",
        ),
        (_, keys) => Ok(keys),
    }
}

/// A shader with the parts of keys in one piece. It is compiled alone before: what it says, keys need not repeat.
fn piece(shader: Shader<'_>, text: &str, options: &CompileOptions, cx: &mut Cx<'_>) -> Answer<Compiled> {
    let generation = style_of(&options.settings).map_err(|e| vec![*e])?.generation;
    let entry = shader.chosen(STAGES, options, ABOUT)?;
    if entry.stage == Of::Compute {
        return Err(vec![Diagnostic::error(None, "compute shaders have no parts: they are one piece")]);
    }
    let wanted = Options { generation, ..Options::default() };
    let alone = to_code(&mut shader.module.clone(), &entry.name, wanted, cx)?;
    let text = KeyText { file: Default::default(), text };
    let value = serde_json::from_str(text.text)
        .map_err(|why| vec![Diagnostic::error(None, format!("the keys are no JSON: {why}"))])?;
    let keys = keys(text, &value, Some(&alone.file))
        .map_err(|errors| errors.into_iter().map(unplaced).collect::<Vec<_>>())?;
    let keys: Vec<Key> = keys.into_iter().map(|(_, key)| key).collect();
    let mut made = compile_whole(&mut shader.module.clone(), &entry.name, &keys, wanted, cx)?;
    let said = keys.iter().max_by_key(|key| matches!(key, Key::FragmentEpilog(_)));
    for part in &mut made.file.parts {
        part.key = said.map(|key| key.to_json().to_string()).unwrap_or_default();
    }
    match said {
        Some(Key::FragmentEpilog(key)) if key.link.sample_shading == 1 => looped(made, key.nr_samples),
        _ => Ok(made),
    }
}

/// The loop over samples around a program in one piece.
fn looped(mut made: Compiled, samples: u64) -> Answer<Compiled> {
    let piece = Given { role: None, name: "the program".to_owned(), bytes: made.file.write() };
    let settings = [("samples".to_owned(), samples.max(1).to_string())];
    let linked = link(&[piece], &settings, made.file.generation)?;
    let file = File::read(&linked.bytes);
    made.file = file.map_err(|why| vec![Diagnostic::error(None, why.to_string())])?;
    let first = made.file.parts.first().map_or(0, |part| part.offset);
    made.spans.iter_mut().for_each(|(offset, _)| *offset += first);
    Ok(made)
}

/// A message about keys that stand in no file.
fn unplaced(found: Diagnostic) -> Diagnostic {
    Diagnostic { span: None, ..found }
}
