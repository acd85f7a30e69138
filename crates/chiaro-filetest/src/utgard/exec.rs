//! `exec.jsonl`: the shader's meaning, Mesa's words and our words against a CPU renderer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::failed;
use super::program::{Placement, ours};
use crate::stages;
use crate::suite::{Miss, Row};

pub(super) fn exec(row: &Row<'_>) -> Result<(), Miss> {
    stages::utgard_on_interpreter(row)?;
    let value = row.json()?;
    let name = value["name"].as_str().ok_or("the row has no `name`")?;
    let shader = shader(row.folder, name);
    if let Some(mesa) = shader.mesa.as_ref().filter(|_| value["trig"] != true) {
        mesa.run(&value).map_err(|why| failed(name)(format!("Mesa's words: {why}")))?;
    }
    match &shader.ours {
        Ok(ours) => ours.run(&value).map_err(failed(name)),
        Err(why) => Err(failed(name)(why.clone())),
    }
}

/// Both compilers' programs of a shader, made once for all its rows.
struct Both {
    /// None where Mesa failed, and where its words are known to be wrong.
    mesa: Option<Placement>,
    ours: Result<Placement, String>,
}

type Shaders = HashMap<(PathBuf, String), Arc<Both>>;

fn shader(folder: &Path, name: &str) -> Arc<Both> {
    static MADE: Mutex<Option<Shaders>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (folder.to_owned(), name.to_owned());
    let known = made.get_or_insert_default();
    if let Some(both) = known.get(&key) {
        return Arc::clone(both);
    }
    let row = mesa_row(folder, name).filter(|row| row["known_miscompile"] != true);
    let ours = ours(&folder.join("shaders").join(format!("{name}.vert")), 1);
    let both = Both {
        mesa: row.as_ref().and_then(Placement::of_row),
        ours: ours.map(|made| Placement::from(&made)),
    };
    let both = Arc::new(both);
    known.insert(key, Arc::clone(&both));
    both
}

/// The shader's row of `compile.jsonl`.
fn mesa_row(folder: &Path, name: &str) -> Option<Value> {
    let text = std::fs::read_to_string(folder.join("compile.jsonl")).ok()?;
    let marked = format!("\"name\":\"{name}\"");
    let line = text.lines().find(|line| line.starts_with('{') && line.contains(&marked))?;
    serde_json::from_str(line).ok()
}
