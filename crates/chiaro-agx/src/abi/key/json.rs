//! Keys as JSON, with the names that the declarations have.

use serde_json::{Map, Value, json};

use super::{
    Attribute, Blend, FACTORS, FUNCTIONS, FragmentEpilog, FragmentProlog, Key, LOGIC, Link, Target,
    VertexProlog, is_vertex_format,
};
use crate::abi::tilebuffer::{self, MOST_TARGETS};

/// The fields of an object while it is read.
struct Object<'a> {
    fields: &'a Map<String, Value>,
    place: &'a str,
}

impl<'a> Object<'a> {
    /// An object whose fields all have one of some names.
    fn new(
        value: &'a Value,
        place: &'a str,
        numbers: &[(&str, u64)],
        others: &[&str],
    ) -> Result<Object<'a>, String> {
        let fields = value.as_object().ok_or_else(|| format!("{place} is no object"))?;
        let known = || numbers.iter().map(|(name, _)| *name).chain(others.iter().copied());
        if let Some(name) = fields.keys().find(|name| !known().any(|known| known == *name)) {
            let all: Vec<&str> = known().collect();
            return Err(format!("{place} has no field `{name}`; there are {}", all.join(", ")));
        }
        Ok(Object { fields, place })
    }

    fn get(&self, name: &str) -> Result<&'a Value, String> {
        self.fields.get(name).ok_or_else(|| format!("{} lacks `{name}`", self.place))
    }

    fn number(&self, name: &str, most: u64) -> Result<u64, String> {
        let value = self.get(name)?;
        let number = value.as_u64().or(value.as_bool().map(u64::from)).filter(|n| *n <= most);
        number.ok_or_else(|| format!("{}: `{name}` is {value}; it is 0 to {most}", self.place))
    }

    fn text(&self, name: &str) -> Result<&'a str, String> {
        self.get(name)?.as_str().ok_or_else(|| format!("{}: `{name}` is no text", self.place))
    }

    fn list(&self, name: &str, most: usize) -> Result<&'a [Value], String> {
        let list =
            self.get(name)?.as_array().ok_or_else(|| format!("{}: `{name}` is no list", self.place))?;
        match list.len() <= most {
            true => Ok(list),
            false => Err(format!("{}: `{name}` has {} entries, {most} allowed", self.place, list.len())),
        }
    }

    /// One of a list of names.
    fn name(&self, name: &str, all: &[&str]) -> Result<u8, String> {
        index(self.text(name)?, all).map_err(|why| format!("{}: `{name}` {why}", self.place))
    }
}

fn index(text: &str, all: &[&str]) -> Result<u8, String> {
    let found = all.iter().position(|known| *known == text);
    found.map(|n| n as u8).ok_or_else(|| format!("is one of {}, not `{text}`", all.join(", ")))
}

/// Fills the numbers of a group of fields.
macro_rules! numbers {
    ($object:expr, $group:ident) => {{
        let mut made = $group::default();
        for (place, (name, most)) in $group::NUMBERS.iter().enumerate() {
            made.set(place, $object.number(name, *most)?);
        }
        made
    }};
}

/// The numbers of a group as an object.
macro_rules! object {
    ($key:expr, $group:ident) => {{
        let pairs = $group::NUMBERS.iter().zip($key.numbers());
        pairs.map(|((name, _), n)| ((*name).to_owned(), json!(n))).collect::<Map<String, Value>>()
    }};
}

impl Key {
    /// Reads the key of a part; which one, its fields say.
    ///
    /// # Errors
    /// A sentence about the field or value that there cannot be, with what is allowed.
    pub fn of_json(value: &Value) -> Result<Key, String> {
        let has = |names: &[&str]| names.iter().any(|name| value.get(name).is_some());
        let has_number = |all: &[(&str, u64)]| all.iter().any(|(name, _)| value.get(name).is_some());
        match () {
            () if has(&["attribs"]) || has_number(VertexProlog::NUMBERS) => {
                vertex(value).map(Key::VertexProlog)
            }
            () if has(&EPILOG) || has_number(FragmentEpilog::NUMBERS) => {
                epilog(value).map(Key::FragmentEpilog)
            }
            () if has_number(FragmentProlog::NUMBERS) => {
                let object = Object::new(value, "the fragment prolog", FragmentProlog::NUMBERS, &[])?;
                Ok(Key::FragmentProlog(numbers!(object, FragmentProlog)))
            }
            () => Err(no_kind(value)),
        }
    }

    /// The key as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Key::VertexProlog(key) => {
                let mut made = object!(key, VertexProlog);
                let attribute = |attribute: &Attribute| {
                    let mut made = object!(attribute, Attribute);
                    made.insert("format".to_owned(), json!(attribute.format));
                    Value::Object(made)
                };
                made.insert("attribs".to_owned(), key.attribs.iter().map(attribute).collect());
                Value::Object(made)
            }
            Key::FragmentProlog(key) => Value::Object(object!(key, FragmentProlog)),
            Key::FragmentEpilog(key) => {
                let mut made = object!(key, FragmentEpilog);
                made.insert("link".to_owned(), Value::Object(object!(key.link, Link)));
                made.insert("logicop".to_owned(), json!(LOGIC[usize::from(key.logicop)]));
                made.insert("rts".to_owned(), key.rts.iter().map(target_json).collect());
                Value::Object(made)
            }
        }
    }
}

/// What an epilog has beside numbers.
const EPILOG: [&str; 3] = ["link", "logicop", "rts"];

/// Of what has no field of any key.
fn no_kind(value: &Value) -> String {
    let kinds = "`attribs` (vertex prolog), `api_sample_mask` (fragment prolog) or `link` (fragment epilog)";
    match value.as_object().and_then(|fields| fields.keys().next()) {
        Some(name) => format!("`{name}` is no field of a key, which has {kinds}"),
        None => format!("a key has {kinds}"),
    }
}

/// Attributes that fit the registers.
const MOST_ATTRIBUTES: usize = 30;

fn vertex(value: &Value) -> Result<VertexProlog, String> {
    let object = Object::new(value, "the vertex prolog", VertexProlog::NUMBERS, &["attribs"])?;
    let mut made: VertexProlog = numbers!(object, VertexProlog);
    if !matches!(made.index_size, 0 | 1 | 2 | 4) {
        return Err(format!("the vertex prolog: `index_size` is {}; it is 0, 1, 2 or 4", made.index_size));
    }
    for (n, value) in object.list("attribs", MOST_ATTRIBUTES)?.iter().enumerate() {
        let place = format!("attribute {n}");
        let object = Object::new(value, &place, Attribute::NUMBERS, &["format"])?;
        let format = object.text("format")?.to_owned();
        if !is_vertex_format(&format) {
            return Err(format!("{place}: `{format}` is no format of vertices; use one of plain channels"));
        }
        made.attribs.push(Attribute { format, ..numbers!(object, Attribute) });
    }
    Ok(made)
}

fn epilog(value: &Value) -> Result<FragmentEpilog, String> {
    let object = Object::new(value, "the fragment epilog", FragmentEpilog::NUMBERS, &EPILOG)?;
    let made: FragmentEpilog = numbers!(object, FragmentEpilog);
    if !matches!(made.nr_samples, 1 | 2 | 4) {
        return Err(format!("the fragment epilog: `nr_samples` is {}; it is 1, 2 or 4", made.nr_samples));
    }
    let link = Object::new(object.get("link")?, "the link", Link::NUMBERS, &[])?;
    let rts = object.list("rts", MOST_TARGETS)?.iter().enumerate();
    let made = FragmentEpilog {
        link: numbers!(link, Link),
        logicop: object.name("logicop", &LOGIC)?,
        rts: rts.map(|(n, value)| target(n, value)).collect::<Result<_, _>>()?,
        ..made
    };
    match same_target(&made.rts).or_else(|| wrong_second(&made)) {
        Some(wrong) => Err(wrong),
        None => Ok(made),
    }
}

/// Two that are the same render target.
fn same_target(rts: &[Target]) -> Option<String> {
    let before = |n: usize| rts[..n].iter().position(|other| other.i == rts[n].i);
    let (n, other) = (0..rts.len()).find_map(|n| Some((n, before(n)?)))?;
    Some(format!("target {n}: `i` is {}, and target {other} is that one; each may be there once", rts[n].i))
}

/// A second colour that is blended with where there is none, or where several targets are (spec 14.3).
fn wrong_second(key: &FragmentEpilog) -> Option<String> {
    let names_second =
        |blend: &Blend| blend.factors.iter().any(|n| FACTORS[usize::from(*n)].contains("src1"));
    let of = |target: &Target| match (names_second(&target.rgb), names_second(&target.alpha)) {
        (true, _) => Some("rgb"),
        (_, true) => Some("alpha"),
        _ => None,
    };
    let (n, name) = key.rts.iter().enumerate().find_map(|(n, target)| Some((n, of(target)?)))?;
    let (count, written) = (key.rts.len(), key.link.loc_written);
    if count > 1 {
        return Some(format!(
            "target {n}: `{name}` names a second source, and there are {count} targets; 1 is allowed"
        ));
    }
    (written >> 1 & 1 == 0).then(|| {
        format!("target {n}: `{name}` names a second source, and the main part leaves none: bit 1 of `loc_written` is 0")
    })
}

fn target(n: usize, value: &Value) -> Result<Target, String> {
    let place = format!("target {n}");
    let object = Object::new(value, &place, Target::NUMBERS, &["format", "loc", "rgb", "alpha"])?;
    let format = object.text("format")?.to_owned();
    if tilebuffer::physical(format.trim_start_matches("PIPE_FORMAT_")).is_none() {
        return Err(format!("{place}: `{format}` cannot be rendered to"));
    }
    let loc = match object.get("loc")?.as_i64() {
        Some(-1) => None,
        Some(loc @ 0..=7) => Some(loc as u8),
        _ => return Err(format!("{place}: `loc` is -1 for none, or 0 to 7")),
    };
    let blend = |name: &str| blend(object.text(name)?).map_err(|why| format!("{place}: `{name}` {why}"));
    Ok(Target { format, loc, rgb: blend("rgb")?, alpha: blend("alpha")?, ..numbers!(object, Target) })
}

/// A function and two factors.
fn blend(text: &str) -> Result<Blend, String> {
    let words: Vec<&str> = text.split(' ').collect();
    let [function, source, destination] = words[..] else {
        return Err(format!("is a function and two factors, such as `add one zero`, not `{text}`"));
    };
    let factors = [index(source, &FACTORS)?, index(destination, &FACTORS)?];
    Ok(Blend { function: index(function, &FUNCTIONS)?, factors })
}

fn target_json(target: &Target) -> Value {
    let mut made = object!(target, Target);
    let blend = |blend: Blend| {
        let [source, destination] = blend.factors.map(|factor| FACTORS[usize::from(factor)]);
        json!(format!("{} {source} {destination}", FUNCTIONS[usize::from(blend.function)]))
    };
    made.insert("format".to_owned(), json!(target.format));
    made.insert("loc".to_owned(), json!(target.loc.map_or(-1, i64::from)));
    made.insert("rgb".to_owned(), blend(target.rgb));
    made.insert("alpha".to_owned(), blend(target.alpha));
    Value::Object(made)
}
