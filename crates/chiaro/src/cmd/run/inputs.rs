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
//! `"0x3f800000"`.

use chiaro::{Given, Inputs};
use serde_json::{Map, Value};

/// Takes apart the top object.
///
/// # Errors
/// A sentence that names the place in the file.
pub fn from_json(json: &Value) -> Result<Inputs, String> {
    let top = json.as_object().ok_or("the file must be an object")?;
    if let Some(name) = top.keys().find(|k| !matches!(k.as_str(), "uniforms" | "vertices" | "attributes")) {
        return Err(format!("there is `{name}`, but only `uniforms`, `vertices` and `attributes` are known"));
    }
    let mut inputs = Inputs::default();
    if let Some(uniforms) = top.get("uniforms") {
        for (name, value) in object(uniforms, "uniforms")? {
            inputs.uniforms.push((name.clone(), given(value, &format!("uniforms.{name}"))?));
        }
    }
    match (top.get("vertices"), top.get("attributes")) {
        (Some(_), Some(_)) => return Err("there are both `vertices` and `attributes`".into()),
        (Some(rows), None) => take_vertices(rows, &mut inputs)?,
        (None, Some(columns)) => take_attributes(columns, &mut inputs)?,
        // A program without attributes runs once.
        (None, None) => inputs.vertices = 1,
    }
    Ok(inputs)
}

/// One object a vertex. All of them must have the names of the first.
fn take_vertices(rows: &Value, inputs: &mut Inputs) -> Result<(), String> {
    let rows = array(rows, "vertices")?;
    inputs.vertices = rows.len();
    let Some(first) = rows.first() else { return Ok(()) };
    let names: Vec<String> = object(first, "vertices[0]")?.keys().cloned().collect();
    inputs.attributes = names.into_iter().map(|name| (name, Vec::with_capacity(rows.len()))).collect();
    for (i, row) in rows.iter().enumerate() {
        let vertex = object(row, &format!("vertices[{i}]"))?;
        if let Some(name) = vertex.keys().find(|k| inputs.attributes.iter().all(|(name, _)| name != *k)) {
            return Err(format!("`vertices[{i}]` has `{name}`, which `vertices[0]` lacks"));
        }
        for (name, values) in &mut inputs.attributes {
            let value = vertex.get(name).ok_or_else(|| format!("`vertices[{i}]` lacks `{name}`"))?;
            values.push(attribute(value, &format!("vertices[{i}].{name}"))?);
        }
    }
    Ok(())
}

/// One array a name, all of the same length.
fn take_attributes(columns: &Value, inputs: &mut Inputs) -> Result<(), String> {
    for (name, column) in object(columns, "attributes")? {
        let place = format!("attributes.{name}");
        let column = array(column, &place)?.iter().enumerate();
        let values = column.map(|(i, value)| attribute(value, &format!("{place}[{i}]")));
        inputs.attributes.push((name.clone(), values.collect::<Result<_, _>>()?));
    }
    let Some((first, values)) = inputs.attributes.first() else { return Ok(()) };
    inputs.vertices = values.len();
    match inputs.attributes.iter().find(|(_, values)| values.len() != inputs.vertices) {
        Some((name, other)) => {
            Err(format!("`{first}` is for {} vertices, `{name}` for {}", inputs.vertices, other.len()))
        }
        None => Ok(()),
    }
}

/// A vertex loader fills missing components from (0, 0, 0, 1) [azahar].
fn attribute(value: &Value, place: &str) -> Result<[f32; 4], String> {
    let mut full = [0.0, 0.0, 0.0, 1.0];
    for (slot, component) in full.iter_mut().zip(row(value, place)?) {
        *slot = component;
    }
    Ok(full)
}

fn given(value: &Value, place: &str) -> Result<Given, String> {
    match value {
        Value::Bool(b) => Ok(Given::Bool(*b)),
        Value::Array(items) if items.iter().any(Value::is_array) => {
            let rows = items.iter().enumerate().map(|(i, item)| row(item, &format!("{place}[{i}]")));
            Ok(Given::Rows(rows.collect::<Result<_, _>>()?))
        }
        _ => Ok(Given::Rows(vec![row(value, place)?])),
    }
}

/// One to four numbers, or one number without brackets.
fn row(value: &Value, place: &str) -> Result<Vec<f32>, String> {
    let Value::Array(items) = value else { return Ok(vec![number(value, place)?]) };
    if items.is_empty() || items.len() > 4 {
        return Err(format!("`{place}` has {} components; one to four are possible", items.len()));
    }
    items.iter().map(|item| number(item, place)).collect()
}

fn number(value: &Value, place: &str) -> Result<f32, String> {
    let found = match value {
        Value::Bool(flag) => Some(f32::from(*flag)),
        Value::Number(number) => number.as_f64().map(|wide| wide as f32),
        Value::String(text) => special(text),
        _ => None,
    };
    found.ok_or_else(|| format!("`{place}` has `{value}` where a number belongs"))
}

fn special(text: &str) -> Option<f32> {
    match text {
        "inf" | "+inf" => Some(f32::INFINITY),
        "-inf" => Some(f32::NEG_INFINITY),
        "nan" => Some(f32::NAN),
        _ => u32::from_str_radix(text.strip_prefix("0x")?, 16).ok().map(f32::from_bits),
    }
}

fn object<'a>(value: &'a Value, place: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("`{place}` must be an object"))
}

fn array<'a>(value: &'a Value, place: &str) -> Result<&'a Vec<Value>, String> {
    value.as_array().ok_or_else(|| format!("`{place}` must be an array"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Inputs, String> {
        from_json(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn rows_and_columns_say_the_same() {
        let rows = read(r#"{"vertices": [{"p": [1, 2], "q": 3}, {"p": [4], "q": ["nan"]}]}"#).unwrap();
        let columns = read(r#"{"attributes": {"p": [[1, 2], [4]], "q": [3, ["0x7fc00000"]]}}"#).unwrap();
        assert_eq!(format!("{rows:?}"), format!("{columns:?}"));
        assert_eq!(rows.attributes[0].1, [[1.0, 2.0, 0.0, 1.0], [4.0, 0.0, 0.0, 1.0]]);
    }

    #[test]
    fn uniforms_are_flags_vectors_or_arrays_of_vectors() {
        let inputs = read(r#"{"uniforms": {"b": true, "v": [1, 2, 3], "m": [[1], [2]], "s": 0.5}}"#).unwrap();
        let values: Vec<_> = inputs.uniforms.into_iter().map(|(_, value)| value).collect();
        let rows = |rows: &[&[f32]]| Given::Rows(rows.iter().map(|r| r.to_vec()).collect());
        assert_eq!(
            values,
            [Given::Bool(true), rows(&[&[1.0, 2.0, 3.0]]), rows(&[&[1.0], &[2.0]]), rows(&[&[0.5]])]
        );
        assert_eq!(inputs.vertices, 1);
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let error = |text| read(text).unwrap_err();
        assert_eq!(error("[]"), "the file must be an object");
        assert!(error(r#"{"vertice": []}"#).contains("`vertice`"));
        assert!(error(r#"{"vertices": [{"p": [1]}, {}]}"#).contains("`vertices[1]` lacks `p`"));
        assert!(error(r#"{"vertices": [{"p": [1,2,3,4,5]}]}"#).contains("`vertices[0].p` has 5 components"));
        assert!(error(r#"{"attributes": {"p": [[1]], "q": []}}"#).contains("`q` for 0"));
        assert!(error(r#"{"uniforms": {"m": [[1], "x"]}}"#).contains("`uniforms.m[1]`"));
    }
}
