//! `decode_*.tsv`: a word, applegpu's text for it and back, and its raw fields; `minifloat.tsv`.

use super::{bytes, hex};
use crate::suite::{Miss, Row};
use chiaro_agx::isa::isa;
use chiaro_agx::operand::{APPLEGPU, COMPAT, OURS, minifloat as float};
use chiaro_isa::{Cx, Inst};
use serde_json::Value;

/// The text of an instruction.
pub(super) fn text(inst: &Inst, dialect: u8) -> String {
    isa(0).text(inst, &Cx { dialect, ..Cx::default() }).unwrap_or_default()
}

/// The bytes of a text.
pub(super) fn assembled(text: &str, dialect: u8) -> Result<String, String> {
    // The rows say what applegpu's assembler makes of a text, losses included.
    let options = if dialect == APPLEGPU { COMPAT } else { 0 };
    let parsed = isa(0).parse(text, &Cx { dialect, options, ..Cx::default() });
    let inst = parsed.map_err(|e| format!("`{text}` is not read: {e}"))?.inst;
    Ok(hex(&inst.to_bytes()[..inst.length.into()]))
}

/// Our listing says everything.
pub(super) fn comes_back(inst: &Inst) -> Result<(), String> {
    let (text, word) = (text(inst, OURS), hex(&inst.to_bytes()[..inst.length.into()]));
    match assembled(&text, OURS)? {
        same if same == word => Ok(()),
        other => Err(format!("`{text}` is read as {other}, not {word}")),
    }
}

/// A row: length, text, raw fields, and both texts back to words.
pub(super) fn row(row: &Row<'_>) -> Result<(), Miss> {
    let [_, word, length, want, back, fields] = row.columns()?;
    let code = bytes(word)?;
    let inst = isa(0).decode(&code).map_err(|e| e.to_string())?;
    if inst.length.to_string() != length || code.len() != usize::from(inst.length) {
        return Err(format!("takes {} bytes, not {length}", inst.length).into());
    }
    let printed = text(&inst, APPLEGPU);
    if printed != want {
        return Err(format!("`{printed}` instead of applegpu's `{want}`").into());
    }
    raw_fields(&inst, fields)?;
    comes_back(&inst)?;
    reassembled(want, back, word)
}

/// What applegpu's assembler makes of the text; what it cannot, ours can.
fn reassembled(text: &str, back: &str, word: &str) -> Result<(), Miss> {
    let want = match back.split_once(':') {
        Some((_, other)) => other,
        None if back == "same" => word,
        None => return Ok(()),
    };
    match assembled(text, APPLEGPU)? {
        same if same == want => Ok(()),
        other => Err(format!("`{text}` is read as {other}, not {want}").into()),
    }
}

/// The fields under the names of the specification; `op` is the operation for us, not a field.
fn raw_fields(inst: &Inst, fields: &str) -> Result<(), Miss> {
    let fields: Value = serde_json::from_str(fields).map_err(|e| format!("the fields are not JSON: {e}"))?;
    let ours = isa(0).parts(inst);
    for (name, want) in fields.as_object().into_iter().flatten() {
        let name = if name == "op" { "code" } else { name };
        let found = ours.iter().find(|part| part.name == name);
        let Some(found) = found else { return Err(format!("there is no field `{name}`").into()) };
        if want.as_u64() != Some(found.raw) {
            return Err(format!("field `{name}` is {}, not {want}", found.raw).into());
        }
    }
    Ok(())
}

/// A code and its value, as text and in both formats.
pub(super) fn minifloat(row: &Row<'_>) -> Result<(), Miss> {
    let [_, code, text, single, half] = row.columns()?;
    let code = u8::from_str_radix(code, 16).map_err(|e| e.to_string())?;
    let value = float::value(code);
    let bits = chiaro_num::F16.encode(value.into(), chiaro_num::Encoding::default());
    let found = format!("{value:?} {:08x} {bits:04x}", value.to_bits());
    if found != format!("{text} {single} {half}") {
        return Err(format!("{found}, not {text} {single} {half}").into());
    }
    let read: f64 = text.parse().map_err(|_| "the value is no number")?;
    if float::code(read) != Some(code) {
        return Err(format!("{text} gives {:?}", float::code(read)).into());
    }
    Ok(())
}
