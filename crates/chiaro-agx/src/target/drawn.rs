//! Fragment programs that draw: main parts behind which a driver's epilog stands, and what the keys of a linked
//! program make of colours.

use chiaro_diag::Diagnostic;
use chiaro_opt::Cx;
use chiaro_target::{Kind, Merge, Piece, Value};
use serde_json::{Value as Json, json};

use super::link::link;
use super::parts::compiled;
use crate::abi::key::Key;
use crate::container::file::{File, Role, Stage};
use crate::container::{self, Contents};
use crate::verify::merge::State;

/// The target of a picture: every number is kept as it is.
const FORMAT: &str = "PIPE_FORMAT_R32G32B32A32_FLOAT";
/// The uniform where the blend constant begins (spec 14.4).
const CONSTANT: &str = "u2";

/// A fragment program with its epilog: of a main part one that stores its first colour as it is.
pub(super) fn drawn(bytes: &[u8], samples: u32) -> Result<Option<Vec<u8>>, Vec<Diagnostic>> {
    let Some(file) = fragment(bytes) else { return Ok(None) };
    let has_epilog = file.keys().iter().any(|key| matches!(key, Key::FragmentEpilog(_)));
    if has_epilog || file.parts.iter().any(|part| part.role == Role::Epilog) {
        return Ok(Some(bytes.to_vec()));
    }
    let Some(said) = file.parts.first().and_then(|part| serde_json::from_str::<Json>(&part.key).ok()) else {
        return Ok(None);
    };
    let key = Key::of_json(&plain(&said, samples)).map_err(|why| vec![Diagnostic::error(None, why)])?;
    let epilog = compiled(&key.normalised(), file.generation, &mut Cx::default())?;
    let piece = |name: &str, bytes| Piece { role: None, name: name.to_owned(), bytes };
    let pieces = [piece("main", bytes.to_vec()), piece("epilog", epilog.file.write())];
    let by_sample = said["sample_shading"] == 1;
    let settings = by_sample.then(|| ("samples".to_owned(), samples.to_string()));
    let linked = link(&pieces, settings.as_slice(), file.generation)?;
    Ok(Some(linked.bytes))
}

/// The key of an epilog that stores a colour as it is.
fn plain(said: &Json, samples: u32) -> Json {
    let written = said["loc_written"].as_u64().unwrap_or(0);
    let target = json!({
        "i": 0, "format": FORMAT, "loc": written.trailing_zeros(), "colormask": 15,
        "rgb": "add one zero", "alpha": "add one zero",
    });
    let targets = if written == 0 { Vec::new() } else { vec![target] };
    json!({
        "nr_samples": samples, "force_small_tile": 0, "logicop": "copy", "alpha_to_coverage": 0,
        "alpha_to_one": 0, "rts": targets, "link": said,
    })
}

/// What the keys of a linked program make of its colours.
pub(super) fn merge(bytes: &[u8], resources: &[(String, Value)]) -> Option<Box<dyn Merge>> {
    let file = fragment(bytes)?;
    let keys = file.keys();
    let epilog = keys.iter().find_map(|key| match key {
        Key::FragmentEpilog(key) => Some(key.clone()),
        _ => None,
    })?;
    let prolog = keys.iter().find_map(|key| match key {
        Key::FragmentProlog(key) => Some(key.clone()),
        _ => None,
    });
    let given = resources.iter().rfind(|(name, _)| name == CONSTANT);
    let words = given.and_then(|(name, value)| value.words(name, Kind::Float(32)).ok()).unwrap_or_default();
    let constant = std::array::from_fn(|n| f32::from_bits(words.get(n).copied().unwrap_or(0)).into());
    State::new(epilog, prolog.as_ref(), constant).map(|state| Box::new(state) as Box<dyn Merge>)
}

fn fragment(bytes: &[u8]) -> Option<File> {
    match container::open(bytes) {
        Ok(Contents::File(file)) if file.stage == Stage::Fragment => Some(*file),
        _ => None,
    }
}
