//! `compile.jsonl`: every shader compiles, and both compilers' words keep the rules.

use super::program::ours;
use super::{decode, failed};
use crate::suite::{Miss, Row};

/// The effort of a user who asks for nothing.
const EFFORT: u32 = 1;

pub(super) fn compile(row: &Row<'_>) -> Result<(), Miss> {
    let value = row.json()?;
    let name = value["name"].as_str().ok_or("the row has no `name`")?;
    let words = decode::words(&value)?;
    if !words.is_empty() {
        decode::listings(&words, &value)?;
        decode::rules(&words).map_err(|why| failed(name)(format!("Mesa's words: {why}")))?;
    }
    let made =
        ours(&row.folder.join("shaders").join(format!("{name}.vert")), EFFORT).map_err(failed(name))?;
    decode::rules(&made.words).map_err(failed(name))?;
    decode::assembles_back(&made.words).map_err(failed(name))
}
