//! The inputs of a run, read from JSON.
//!
//! ```json
//! {
//!   "uniforms": { "mvp": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "count": [3, 0, 1, 0], "lit": true },
//!   "vertices": [ { "position": [0, 0, 0, 1] }, { "position": [1, 0, 0, 1] } ]
//! }
//! ```
//!
//! Instead of `vertices` there may be `attributes`, with an array of all vertices for
//! each name. Names are those of the program or registers (`c0`, `i0`, `b0`, `v0`). A number
//! may be written as a text: `"inf"`, `"-inf"`, `"nan"`, or the bits of a binary32 value as
//! `"0x3f800000"`. Buffers and images of other machines stand beside uniforms, under `buffers` and
//! `push`; `fragments`, `groups` and `draw` are work of other kinds.

use crate::images::{self, OpenImage};
use chiaro::{Attributes, Column, Draw, Inputs, Topology, Value, Work};
use serde_json::{Map, Value as Json};

/// What the caller may give at the top: resources, then work.
pub const RESOURCES: [&str; 4] = ["uniforms", "buffers", "push", "images"];
const WORK: [&str; 5] = ["vertices", "attributes", "fragments", "groups", "draw"];

/// Takes apart the top object.
///
/// # Errors
/// A sentence that names the place in the file.
pub fn from_json(json: &Json, open: &mut OpenImage<'_>) -> Result<Inputs, String> {
    let top = json.as_object().ok_or("the file must be an object")?;
    if let Some(name) = top.keys().find(|k| !RESOURCES.contains(&k.as_str()) && !WORK.contains(&k.as_str())) {
        let known: Vec<String> = RESOURCES.iter().chain(&WORK).map(|k| format!("`{k}`")).collect();
        return Err(format!("there is `{name}`, but only {} are known", known.join(", ")));
    }
    let mut inputs = Inputs { resources: resources(top, open)?, ..Inputs::default() };
    let work: Vec<&str> = WORK.into_iter().filter(|k| top.contains_key(*k)).collect();
    match work[..] {
        // A program without attributes runs once.
        [] => {}
        [kind] => inputs.work = work_of(kind, &top[kind])?,
        [first, second, ..] => return Err(format!("there are both `{first}` and `{second}`")),
    }
    Ok(inputs)
}

/// Uniforms, buffers and images by name.
///
/// # Errors
/// A sentence that names the place in the file.
pub fn resources(top: &Map<String, Json>, open: &mut OpenImage<'_>) -> Result<Vec<(String, Value)>, String> {
    let mut all = Vec::new();
    for kind in RESOURCES {
        let Some(given) = top.get(kind) else { continue };
        for (name, value) in object(given, kind)? {
            let place = format!("{kind}.{name}");
            let value = match kind {
                "images" => Value::Image(images::from_json(value, &place, open)?),
                _ => value_of(value, &place)?,
            };
            all.push((name.clone(), value));
        }
    }
    Ok(all)
}

fn work_of(kind: &str, value: &Json) -> Result<Work, String> {
    Ok(match kind {
        "vertices" => Work::Vertices(rows(value, kind)?),
        "attributes" => Work::Vertices(columns(value)?),
        "fragments" => Work::Fragments(rows(value, kind)?),
        "groups" => Work::Dispatch(counts(value, kind, 1)?),
        _ => Work::Draw(draw(object(value, kind)?)?),
    })
}

/// The mesh of a draw.
///
/// # Errors
/// A sentence that names the place in the file.
pub fn draw(given: &Map<String, Json>) -> Result<Draw, String> {
    let vertices = match given.get("attributes") {
        Some(all) => columns(all)?,
        None => rows(given.get("vertices").unwrap_or(&Json::Null), "draw.vertices")?,
    };
    let indices = match given.get("indices") {
        Some(list) => {
            array(list, "draw.indices")?.iter().map(|n| count(n, "draw.indices")).collect::<Result<_, _>>()?
        }
        None => (0..vertices.count as u32).collect(),
    };
    let topology = match given.get("topology").and_then(Json::as_str).unwrap_or("triangles") {
        "points" => Topology::Points,
        "lines" => Topology::Lines,
        "line-strip" => Topology::LineStrip,
        "triangles" => Topology::Triangles,
        "triangle-strip" => Topology::TriangleStrip,
        "triangle-fan" => Topology::TriangleFan,
        other => return Err(format!("`draw.topology` cannot be `{other}`")),
    };
    let size = counts(given.get("size").unwrap_or(&Json::Null), "draw.size", 64)?;
    Ok(Draw { vertices, indices, topology, size })
}

/// One object for each invocation. All of them must have the names of the first.
fn rows(given: &Json, kind: &str) -> Result<Attributes, String> {
    let rows = array(given, kind)?;
    let Some(first) = rows.first() else { return Ok(Attributes::default()) };
    let names = object(first, &format!("{kind}[0]"))?.keys();
    let mut columns: Vec<(String, Vec<Value>)> = names.map(|name| (name.clone(), Vec::new())).collect();
    for (i, row) in rows.iter().enumerate() {
        let place = format!("{kind}[{i}]");
        let row = object(row, &place)?;
        if let Some(name) = row.keys().find(|k| columns.iter().all(|(name, _)| name != *k)) {
            return Err(format!("`{place}` has `{name}`, which `{kind}[0]` lacks"));
        }
        for (name, values) in &mut columns {
            let value = row.get(name).ok_or_else(|| format!("`{place}` lacks `{name}`"))?;
            values.push(attribute(value, &format!("{place}.{name}"))?);
        }
    }
    let columns = columns.into_iter().map(|(name, values)| (name, values.into())).collect();
    Ok(Attributes { count: rows.len(), columns })
}

/// One array a name, all of the same length.
fn columns(given: &Json) -> Result<Attributes, String> {
    let mut all = Attributes { count: 1, columns: Vec::new() };
    for (name, column) in object(given, "attributes")? {
        let place = format!("attributes.{name}");
        let column = array(column, &place)?.iter().enumerate();
        let values = column.map(|(i, value)| attribute(value, &format!("{place}[{i}]")));
        all.columns.push((name.clone(), values.collect::<Result<Column, _>>()?));
    }
    let Some((first, values)) = all.columns.first() else { return Ok(all) };
    all.count = values.len();
    match all.columns.iter().find(|(_, values)| values.len() != all.count) {
        Some((name, other)) => {
            Err(format!("`{first}` is for {} vertices, `{name}` for {}", all.count, other.len()))
        }
        None => Ok(all),
    }
}

/// A scalar, or a vector of one to four components.
fn attribute(value: &Json, place: &str) -> Result<Value, String> {
    let value = value_of(value, place)?;
    value.row(place).map(|_| value)
}

/// A value of any shape.
fn value_of(json: &Json, place: &str) -> Result<Value, String> {
    let wrong = || format!("`{place}` has `{json}` where a number belongs");
    Ok(match json {
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => Value::Number(number.as_f64().ok_or_else(wrong)?),
        Json::String(text) => special(text).ok_or_else(wrong)?,
        Json::Array(items) => {
            let items = items.iter().enumerate().map(|(i, item)| value_of(item, &format!("{place}[{i}]")));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        Json::Object(fields) => {
            let field = |(name, value): (&String, _)| {
                value_of(value, &format!("{place}.{name}")).map(|value| (name.clone(), value))
            };
            Value::Fields(fields.iter().map(field).collect::<Result<_, _>>()?)
        }
        Json::Null => return Err(wrong()),
    })
}

fn special(text: &str) -> Option<Value> {
    match text {
        "inf" | "+inf" => Some(Value::Number(f64::INFINITY)),
        "-inf" => Some(Value::Number(f64::NEG_INFINITY)),
        // By its bits: the sign of a NaN must not depend on a conversion.
        "nan" => Some(f32::NAN.into()),
        _ => u64::from_str_radix(text.strip_prefix("0x")?, 16).ok().map(Value::Bits),
    }
}

/// Numbers of things, as many as are wanted at most; `fill` for the others.
fn counts<const N: usize>(value: &Json, place: &str, fill: u32) -> Result<[u32; N], String> {
    let mut all = [fill; N];
    if value.is_null() {
        return Ok(all);
    }
    let items = array(value, place)?;
    if items.len() > N {
        return Err(format!("`{place}` has {} numbers; {N} are possible", items.len()));
    }
    for (slot, item) in all.iter_mut().zip(items) {
        *slot = count(item, place)?;
    }
    Ok(all)
}

fn count(value: &Json, place: &str) -> Result<u32, String> {
    let number = value.as_u64().and_then(|n| u32::try_from(n).ok());
    number.ok_or_else(|| format!("`{place}` has `{value}` where a count belongs"))
}

pub fn object<'a>(value: &'a Json, place: &str) -> Result<&'a Map<String, Json>, String> {
    value.as_object().ok_or_else(|| format!("`{place}` must be an object"))
}

fn array<'a>(value: &'a Json, place: &str) -> Result<&'a Vec<Json>, String> {
    value.as_array().ok_or_else(|| format!("`{place}` must be an array"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Inputs, String> {
        from_json(&serde_json::from_str(text).unwrap(), &mut |path| Err(format!("no `{path}`")))
    }

    #[test]
    fn rows_and_columns_say_the_same() {
        let rows = read(r#"{"vertices": [{"p": [1, 2], "q": 3}, {"p": [4], "q": ["nan"]}]}"#).unwrap();
        let columns = read(r#"{"attributes": {"p": [[1, 2], [4]], "q": [3, ["0x7fc00000"]]}}"#).unwrap();
        assert_eq!(format!("{rows:?}"), format!("{columns:?}"));
        let full = rows.work.vertices().unwrap().vec4([0.0, 0.0, 0.0, 1.0]).unwrap();
        assert_eq!(full[0], [[1.0, 2.0, 0.0, 1.0], [4.0, 0.0, 0.0, 1.0]]);
    }

    #[test]
    fn uniforms_are_flags_vectors_or_arrays_of_vectors() {
        let inputs = read(r#"{"uniforms": {"b": true, "v": [1, 2, 3], "m": [[1], [2]], "s": 0.5}}"#).unwrap();
        let rows: Vec<_> = inputs.resources.iter().map(|(name, value)| value.rows(name).unwrap()).collect();
        let wanted: [&[&[f32]]; 4] = [&[&[1.0]], &[&[1.0, 2.0, 3.0]], &[&[1.0], &[2.0]], &[&[0.5]]];
        assert_eq!(rows, wanted);
        assert_eq!(inputs.resources[0].1, Value::Bool(true));
        assert_eq!(inputs.work.vertices().unwrap().count, 1);
    }

    #[test]
    fn work_is_of_many_kinds() {
        let work = |text| read(text).unwrap().work;
        assert_eq!(work(r#"{"groups": [4]}"#), Work::Dispatch([4, 1, 1]));
        assert!(matches!(work(r#"{"fragments": [{"v": 1}]}"#), Work::Fragments(all) if all.count == 1));
        let draw = work(r#"{"draw": {"vertices": [{"p": [1]}, {"p": [2]}], "topology": "points"}}"#);
        assert!(matches!(draw, Work::Draw(draw) if draw.indices == [0, 1] && draw.size == [64, 64]));
    }

    #[test]
    fn mistakes_are_reported_with_their_place() {
        let error = |text| read(text).unwrap_err();
        assert_eq!(error("[]"), "the file must be an object");
        assert!(error(r#"{"vertice": []}"#).contains("`vertice`"));
        assert!(error(r#"{"vertices": [{"p": [1]}, {}]}"#).contains("`vertices[1]` lacks `p`"));
        assert!(error(r#"{"vertices": [{"p": [1,2,3,4,5]}]}"#).contains("`vertices[0].p` has 5 components"));
        assert!(error(r#"{"attributes": {"p": [[1]], "q": []}}"#).contains("`q` for 0"));
        assert!(error(r#"{"uniforms": {"m": [[1], "x"]}}"#).contains("`uniforms.m[1]`"));
    }
}
