//! A compiled shader for drivers: JSON with the interface, the registers of state that describe
//! the program, and its words with their padding. spec sections 19 to 21.
//!
//! ```json
//! {
//!   "a3xx": 1,
//!   "stage": "vertex",
//!   "constants": [{"at": 128, "bits": "3f800000"}],
//!   "inputs": [{"name": "a_pos", "from": "attribute", "number": 0, "register": 0, "components": 3}],
//!   "outputs": [{"name": "gl_Position", "to": "position", "register": 8, "components": 4}],
//!   "uniforms": [{"name": "u_mvp", "at": 0, "components": 4, "entries": 4, "stride": 4}],
//!   "textures": [{"name": "t", "number": 0, "count": 1}],
//!   "state": {"SP_VS_CTRL_REG0": "0x00100c05"},
//!   "words": ["40100005_28030004"]
//! }
//! ```
//!
//! `at` counts components of the constant file, `register` components from r0.x or hr0.x. What is
//! left out is 0, `float` or false.

use serde_json::{Map, Value as Json, json};

use super::Error;
use super::state::state;
use crate::abi::{
    Buffer, Input, Interface, Interpolation, Kind, Output, Sink, Source, Stage, Storage, Texture, Uniform,
};
use crate::asm;
use crate::listing;

/// A compiled shader.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Where it meets the driver.
    pub interface: Interface,
    /// Its words, with padding.
    pub words: Vec<u64>,
}

impl Program {
    /// As a file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let i = &self.interface;
        let constant = |&(at, bits): &(u16, u32)| json!({ "at": at, "bits": format!("{bits:08x}") });
        let texture = |t: &Texture| json!({ "name": t.name, "number": t.number, "count": t.count });
        let buffer = |b: &Buffer| json!({ "name": b.name, "pointer": b.pointer, "bytes": b.bytes });
        let word = |w: &u64| json!(listing::halves(*w));
        let registers: Map<String, Json> = state(i, &self.words)
            .into_iter()
            .map(|(name, bits)| (name, json!(format!("0x{bits:08x}"))))
            .collect();
        let mut all = json!({
            "a3xx": 1,
            "stage": i.stage.name(),
            "constants": i.immediates.iter().map(constant).collect::<Vec<_>>(),
            "inputs": i.inputs.iter().map(input).collect::<Vec<_>>(),
            "outputs": i.outputs.iter().map(output).collect::<Vec<_>>(),
            "uniforms": i.uniforms.iter().map(uniform).collect::<Vec<_>>(),
            "buffers": i.buffers.iter().map(buffer).collect::<Vec<_>>(),
            "textures": i.textures.iter().map(texture).collect::<Vec<_>>(),
            "private": i.private_bytes,
            "state": registers,
            "words": self.words.iter().map(word).collect::<Vec<_>>(),
        });
        if i.stage == Stage::Compute {
            all["storage"] = i.storage.iter().map(storage).collect();
            (all["local"], all["workgroup"]) = (json!(i.local_bytes), json!(i.workgroup));
            all["group_counts"] = json!(i.has_group_counts);
        }
        let mut text = serde_json::to_string_pretty(&all).unwrap_or_default();
        text.push('\n');
        text.into_bytes()
    }

    /// Out of a file.
    ///
    /// # Errors
    /// No JSON, or fields that are missing or wrong.
    pub fn read(bytes: &[u8]) -> Result<Program, Error> {
        let all: Json = serde_json::from_slice(bytes).map_err(|why| no_json(bytes, &why))?;
        read(&all).map_err(|wrong| wrong.within(bytes))
    }
}

/// A file that is no JSON, at the byte where that shows.
fn no_json(bytes: &[u8], why: &serde_json::Error) -> Error {
    let before = bytes.split_inclusive(|byte| *byte == b'\n').take(why.line().saturating_sub(1));
    let offset = before.map(<[u8]>::len).sum::<usize>() + why.column().saturating_sub(1);
    Error::new(offset, format!("the compiled shader is damaged: {why}"))
}

fn read(all: &Json) -> Result<Program, Wrong> {
    if all["a3xx"] != 1 {
        return Err(Wrong::new("a3xx", "version 1"));
    }
    let named = |(_, name): &&(Stage, &str)| all["stage"] == *name;
    let stage = Stage::NAMES.iter().find(named).map(|(stage, _)| *stage);
    let stage = stage.ok_or_else(|| Wrong::new("stage", "vertex, fragment or compute"))?;
    let word = |word: &Json| asm::word(word.as_str()?);
    Ok(Program { interface: read_interface(all, stage)?, words: list(all, "words", word)? })
}

fn read_interface(all: &Json, stage: Stage) -> Result<Interface, Wrong> {
    let side = |n: usize| u32::try_from(all["workgroup"][n].as_u64().unwrap_or(0)).ok();
    let side = |n: usize| {
        side(n).filter(|n| *n <= 1024).ok_or_else(|| Wrong::new("workgroup", "three numbers up to 1024"))
    };
    Ok(Interface {
        stage,
        inputs: list(all, "inputs", read_input)?,
        outputs: list(all, "outputs", read_output)?,
        uniforms: list(all, "uniforms", read_uniform)?,
        buffers: list(all, "buffers", read_buffer)?,
        textures: list(all, "textures", read_texture)?,
        immediates: list(all, "constants", read_immediate)?,
        private_bytes: number(all, "private").ok_or_else(|| Wrong::new("private", "a number"))?,
        storage: match &all["storage"] {
            Json::Null => Vec::new(),
            _ => list(all, "storage", read_storage)?,
        },
        local_bytes: number(all, "local").ok_or_else(|| Wrong::new("local", "a number"))?,
        workgroup: [side(0)?, side(1)?, side(2)?],
        has_group_counts: all["group_counts"].as_bool().unwrap_or(false),
    })
}

fn read_buffer(b: &Json) -> Option<Buffer> {
    Some(Buffer { name: text(b, "name")?, pointer: number(b, "pointer")?, bytes: number(b, "bytes")? })
}

fn read_texture(t: &Json) -> Option<Texture> {
    Some(Texture { name: text(t, "name")?, number: number(t, "number")?, count: number(t, "count")? })
}

/// A constant beside the code, its bits in hexadecimal digits.
fn read_immediate(c: &Json) -> Option<(u16, u32)> {
    Some((number(c, "at")?, u32::from_str_radix(c["bits"].as_str()?, 16).ok()?))
}

/// A field that is missing or not what it should be.
struct Wrong {
    /// Its name, in lists with a number: `inputs[2]`.
    field: String,
    /// What should be there.
    expected: &'static str,
}

impl Wrong {
    fn new(field: impl Into<String>, expected: &'static str) -> Wrong {
        Wrong { field: field.into(), expected }
    }

    /// With its place in the file: where its name, or that of its list, stands first; at the start if it is missing.
    fn within(self, bytes: &[u8]) -> Error {
        let Wrong { field, expected } = self;
        let name = format!("\"{}\"", field.split('[').next().unwrap_or_default());
        let offset = bytes.windows(name.len()).position(|at| at == name.as_bytes()).unwrap_or(0);
        Error::new(offset, format!("`{field}` of the compiled shader is wrong: {expected} is expected"))
    }
}

fn list<T>(all: &Json, field: &str, one: impl Fn(&Json) -> Option<T>) -> Result<Vec<T>, Wrong> {
    let entries = all[field].as_array().ok_or_else(|| Wrong::new(field, "a list"))?;
    let read = |(n, entry): (usize, &Json)| {
        one(entry).ok_or_else(|| Wrong::new(format!("{field}[{n}]"), "what chiaro writes there"))
    };
    entries.iter().enumerate().map(read).collect()
}

/// A number; 0 where the field is left out.
fn number<T: TryFrom<u64>>(entry: &Json, field: &str) -> Option<T> {
    let value = match &entry[field] {
        Json::Null => 0,
        other => other.as_u64()?,
    };
    T::try_from(value).ok()
}

fn text(entry: &Json, field: &str) -> Option<String> {
    Some(entry[field].as_str()?.to_owned())
}

fn kind_name(kind: Kind) -> &'static str {
    Kind::NAMES.iter().find(|(k, _)| *k == kind).map_or("float", |(_, name)| name)
}

fn read_kind(entry: &Json) -> Option<Kind> {
    let name = entry["kind"].as_str().unwrap_or("float");
    Kind::NAMES.iter().find(|(_, n)| *n == name).map(|(kind, _)| *kind)
}

fn storage(s: &Storage) -> Json {
    json!({ "name": s.name, "number": s.number, "bytes": s.bytes })
}

fn read_storage(entry: &Json) -> Option<Storage> {
    let small = number(entry, "number").filter(|n: &u8| *n < 128)?;
    Some(Storage { name: text(entry, "name")?, number: small, bytes: number(entry, "bytes")? })
}

/// Interpolations with their names.
const INTERPOLATIONS: [(Interpolation, &str); 3] =
    [(Interpolation::Smooth, "smooth"), (Interpolation::Linear, "linear"), (Interpolation::Flat, "flat")];

fn input(i: &Input) -> Json {
    let mut entry =
        json!({ "name": i.name, "part": i.part, "components": i.components, "kind": kind_name(i.kind) });
    if let Some(register) = i.register {
        entry["register"] = json!(register);
    }
    let (from, number) = match i.source {
        Source::Attribute(location) => ("attribute", location),
        Source::Vertex => ("vertex", 0),
        Source::Instance => ("instance", 0),
        Source::Varying { slot, location, interpolation } => {
            entry["location"] = json!(location);
            let name = INTERPOLATIONS.iter().find(|(i, _)| *i == interpolation).map(|(_, name)| name);
            entry["interpolation"] = json!(name);
            ("varying", slot)
        }
        Source::PointCoordinate(slot) => ("point", slot),
        Source::Barycentric => ("barycentric", 0),
        Source::FragCoord => ("fragcoord", 0),
        Source::Facing => ("facing", 0),
        Source::LocalId => ("local-id", 0),
        Source::GroupId => ("group-id", 0),
    };
    (entry["from"], entry["number"]) = (json!(from), json!(number));
    entry
}

fn read_input(entry: &Json) -> Option<Input> {
    let slot = number(entry, "number")?;
    let source = match entry["from"].as_str()? {
        "attribute" => Source::Attribute(slot),
        "vertex" => Source::Vertex,
        "instance" => Source::Instance,
        "varying" => {
            let name = entry["interpolation"].as_str()?;
            let interpolation = INTERPOLATIONS.iter().find(|(_, n)| *n == name)?.0;
            Source::Varying { slot, location: number(entry, "location")?, interpolation }
        }
        "point" => Source::PointCoordinate(slot),
        "barycentric" => Source::Barycentric,
        "fragcoord" => Source::FragCoord,
        "facing" => Source::Facing,
        "local-id" => Source::LocalId,
        "group-id" => Source::GroupId,
        _ => return None,
    };
    let register = match &entry["register"] {
        Json::Null => None,
        _ => Some(number(entry, "register")?),
    };
    Some(Input {
        name: text(entry, "name")?,
        part: number(entry, "part")?,
        source,
        register,
        components: number(entry, "components")?,
        kind: read_kind(entry)?,
    })
}

fn output(o: &Output) -> Json {
    let (to, number) = match o.sink {
        Sink::Position => ("position", 0),
        Sink::PointSize => ("point-size", 0),
        Sink::Varying(location) => ("varying", location),
        Sink::Colour(target) => ("colour", target),
        Sink::Depth => ("depth", 0),
    };
    json!({
        "name": o.name, "part": o.part, "to": to, "number": number, "register": o.register,
        "components": o.components, "half": o.half, "kind": kind_name(o.kind),
    })
}

fn read_output(entry: &Json) -> Option<Output> {
    let place = number(entry, "number")?;
    let sink = match entry["to"].as_str()? {
        "position" => Sink::Position,
        "point-size" => Sink::PointSize,
        "varying" => Sink::Varying(place),
        "colour" => Sink::Colour(place),
        "depth" => Sink::Depth,
        _ => return None,
    };
    Some(Output {
        name: text(entry, "name")?,
        part: number(entry, "part")?,
        sink,
        register: number(entry, "register")?,
        components: number(entry, "components")?,
        half: entry["half"].as_bool().unwrap_or(false),
        kind: read_kind(entry)?,
    })
}

fn uniform(u: &Uniform) -> Json {
    json!({
        "name": u.name, "block": u.block, "at": u.at, "components": u.components,
        "entries": u.entries, "stride": u.stride, "kind": kind_name(u.kind),
    })
}

fn read_uniform(entry: &Json) -> Option<Uniform> {
    Some(Uniform {
        name: text(entry, "name")?,
        block: entry["block"].as_str().map(str::to_owned),
        at: number(entry, "at")?,
        components: number(entry, "components")?,
        entries: number(entry, "entries")?,
        stride: number(entry, "stride")?,
        kind: read_kind(entry)?,
    })
}
