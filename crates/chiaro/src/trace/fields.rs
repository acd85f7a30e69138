//! Objects of JSON with keys that are known.

use serde_json::{Map, Value as Json};

/// An object, with the place that messages name.
#[derive(Clone, Copy)]
pub struct Fields<'j> {
    /// The object itself.
    pub all: &'j Map<String, Json>,
    place: &'j str,
}

impl<'j> Fields<'j> {
    /// Takes an object that has no other keys.
    ///
    /// # Errors
    /// What is no object, or has a key that nobody knows.
    pub fn of(json: &'j Json, place: &'j str, known: &[&str]) -> Result<Fields<'j>, String> {
        let all = json.as_object().ok_or_else(|| format!("`{place}` must be an object"))?;
        match all.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(format!("`{place}` has `{key}`, but only {} are known", known.join(", "))),
            None => Ok(Fields { all, place }),
        }
    }

    /// A value, if there is one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'j Json> {
        self.all.get(key).filter(|value| !value.is_null())
    }

    /// A text, if there is one.
    ///
    /// # Errors
    /// What is of another kind.
    pub fn text(&self, key: &str) -> Result<Option<&'j str>, String> {
        self.get(key)
            .map(|v| v.as_str().ok_or_else(|| format!("`{}.{key}` must be a text", self.place)))
            .transpose()
    }

    /// A number from 0 to a greatest one, or what stands for it.
    ///
    /// # Errors
    /// What is of another kind.
    pub fn count(&self, key: &str, most: u32, otherwise: u32) -> Result<u32, String> {
        let Some(value) = self.get(key) else { return Ok(otherwise) };
        let number = value.as_u64().filter(|n| *n <= most.into());
        number
            .map(|n| n as u32)
            .ok_or_else(|| format!("`{}.{key}` must be a number from 0 to {most}", self.place))
    }

    /// Whether something holds.
    ///
    /// # Errors
    /// What is of another kind.
    pub fn flag(&self, key: &str, otherwise: bool) -> Result<bool, String> {
        let Some(value) = self.get(key) else { return Ok(otherwise) };
        value.as_bool().ok_or_else(|| format!("`{}.{key}` must be true or false", self.place))
    }

    /// The pairs of an object; none without it.
    ///
    /// # Errors
    /// What is of another kind.
    pub fn pairs(&self, key: &str) -> Result<Vec<(&'j String, &'j Json)>, String> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let all = value.as_object().ok_or_else(|| format!("`{}.{key}` must be an object", self.place))?;
        Ok(all.iter().collect())
    }

    /// The items of a list; none without it.
    ///
    /// # Errors
    /// What is of another kind.
    pub fn items(&self, key: &str) -> Result<&'j [Json], String> {
        let Some(value) = self.get(key) else { return Ok(&[]) };
        value.as_array().map(Vec::as_slice).ok_or_else(|| format!("`{}.{key}` must be a list", self.place))
    }
}

/// Numbers one behind the other, however they are nested.
///
/// # Errors
/// What is no number, `"inf"`, `"-inf"` or `"nan"`.
pub fn numbers(json: &Json, place: &str) -> Result<Vec<f32>, String> {
    let mut all = Vec::new();
    add_numbers(json, place, &mut all)?;
    Ok(all)
}

fn add_numbers(json: &Json, place: &str, all: &mut Vec<f32>) -> Result<(), String> {
    match json {
        Json::Array(items) => items.iter().try_for_each(|item| add_numbers(item, place, all)),
        Json::Number(n) => {
            all.push(n.as_f64().unwrap_or(f64::NAN) as f32);
            Ok(())
        }
        Json::String(text) if ["inf", "-inf", "nan"].contains(&text.as_str()) => {
            all.push(text.parse().unwrap_or(f32::NAN));
            Ok(())
        }
        other => Err(format!("`{place}` has {other} where a number belongs")),
    }
}

/// So many numbers.
///
/// # Errors
/// Others, or another count.
pub fn exactly<const N: usize>(json: &Json, place: &str) -> Result<[f32; N], String> {
    let all = numbers(json, place)?;
    all.try_into().map_err(|all: Vec<f32>| format!("`{place}` must have {N} numbers, not {}", all.len()))
}
