//! A shader module on the interpreter: JSON to typed bytes, and back.

pub mod names;
pub mod pictures;
pub mod typed;

use std::collections::BTreeMap;
use std::path::Path;

use chiaro::simulate::{endless, unprinted};
use chiaro::{LoadedModule, Work};
use chiaro_diag::Diagnostic;
use chiaro_ir::interp::{Attributes, FaultKind, Interpreter, Report};
use chiaro_ir::{EntryPoint, Global, GlobalRef, Module, Space, Stage, Ty, Type};
use serde_json::{Map, Value, json};

use crate::images::{OpenImage, opener};
use crate::shell::{Failure, Shell};
use names::Names;
use pictures::Pictures;
use typed::{Given, Typed, wraps};

/// The shape of the inputs, for the help text.
pub const INPUTS: &str = r#"
Inputs of a shader module (GLSL, WGSL, SPIR-V) on the interpreter:
  {
    "uniforms": { "tint": [1, 0, 0, 1] },
    "buffers": { "values": [1, 2, 3], "1": { "scale": 2, "items": { "length": 64 } } },
    "push": { "offset": [0, 0] },
    "images": { "picture": { "file": "picture.png" } },
    "groups": [4, 1, 1],
    "vertices": [ { "position": [0, 0, 0, 1] }, { "0": [1, 0, 0, 1] } ]
  }
  Names are the interface's: variables, and parts of them ("light.color", "bones[3]"). Buffers also go by
  binding, or set.binding; inputs by location or built-in number ("builtin42").
  What is not given is zero."#;

/// Instructions that a run may take unless the user says, where at most [`SIDE_BY_SIDE`] invocations take them
/// together. A loop without an end that counts in a buffer takes 24 million a second, of 64 invocations a
/// million, of 1,024 eighty thousand [measured], and is to be told within two.
const STEPS: u64 = 1 << 25;

/// Invocations that take hardly longer than one.
const SIDE_BY_SIDE: u64 = 2;

/// Runs an entry point for `max_steps` instructions at most and gives the outputs as JSON.
pub fn run(
    shader: &LoadedModule,
    entry: &EntryPoint,
    (inputs, beside): (&Value, &Path),
    max_steps: Option<u64>,
    shell: &mut Shell,
) -> Result<String, Failure> {
    let LoadedModule { module, interface, .. } = shader;
    let mut interpreter = Interpreter::new(module, entry);
    let size: u64 = entry.workgroup.iter().map(|&n| u64::from(n.max(1))).product();
    let fuel = max_steps.unwrap_or(STEPS / size.div_ceil(SIDE_BY_SIDE));
    interpreter.options.fuel = fuel;
    let names = Names { module, interface };
    let mut run = Run { module, names, entry, interpreter: &mut interpreter };
    let made = run.all(inputs, &mut opener(beside, &mut shell.inputs));
    let out = made.map_err(|wrong| match wrong {
        Wrong::Input(message) => shell.fail(Diagnostic::error(None, message)),
        Wrong::Fault(fault) if fault.kind == FaultKind::Fuel => {
            let message = format!("the run is stopped: {}", endless(fuel));
            shell.fail(Diagnostic::error(fault.span, message))
        }
        Wrong::Fault(fault) => shell.fail(Diagnostic::error(fault.span, fault.to_string())),
    });
    let (json, report) = out?;
    for fault in report.faults.iter().take(10) {
        shell.report(Diagnostic::warning(fault.span, fault.to_string()));
    }
    shell.report_all(unprinted(report.unprinted));
    Ok(in_lines(&json))
}

/// The top object with one output, buffer or vertex a line.
fn in_lines(json: &Value) -> String {
    let inner = |value: &Value| match value {
        Value::Array(items) => {
            format!("[\n{}\n]", items.iter().map(Value::to_string).collect::<Vec<_>>().join(",\n"))
        }
        Value::Object(fields) => {
            let lines = fields.iter().map(|(name, value)| format!("{}: {value}", json!(name)));
            format!("{{\n{}\n}}", lines.collect::<Vec<_>>().join(",\n"))
        }
        other => other.to_string(),
    };
    let top = json.as_object().into_iter().flatten();
    let parts: Vec<String> = top.map(|(name, value)| format!("{}: {}", json!(name), inner(value))).collect();
    format!("{{\n{}\n}}\n", parts.join(",\n"))
}

enum Wrong {
    Input(String),
    Fault(Box<chiaro_ir::interp::Fault>),
}

impl From<String> for Wrong {
    fn from(message: String) -> Wrong {
        Wrong::Input(message)
    }
}

impl From<Box<chiaro_ir::interp::Fault>> for Wrong {
    fn from(fault: Box<chiaro_ir::interp::Fault>) -> Wrong {
        Wrong::Fault(fault)
    }
}

struct Run<'a, 'm> {
    module: &'m Module,
    names: Names<'m>,
    entry: &'m EntryPoint,
    interpreter: &'a mut Interpreter<'m>,
}

/// What invocations printed, if they did: invocation by invocation.
fn add_prints(all: &mut Value, report: &Report) {
    let mut printed: Vec<_> = report.printed.iter().collect();
    printed.sort_by_key(|p| p.lane);
    if !printed.is_empty() {
        all["printed"] = printed.iter().map(|p| super::outputs::printed(p.lane.into(), &p.text)).collect();
    }
}

/// Images that the module may have written.
fn add_pictures(all: &mut Value, module: &Module, pictures: &Pictures) {
    if let Some(shown) = pictures.shown(module) {
        all["images"] = shown;
    }
}

/// What the caller may give at the top.
const KNOWN: [&str; 6] = ["uniforms", "buffers", "push", "images", "groups", "vertices"];

impl Run<'_, '_> {
    fn all(&mut self, inputs: &Value, open: &mut OpenImage<'_>) -> Result<(Value, Report), Wrong> {
        let empty = Map::new();
        let top = match inputs {
            Value::Null => &empty,
            _ => inputs.as_object().ok_or_else(|| "the inputs must be an object".to_owned())?,
        };
        if let Some(name) = top.keys().find(|k| !KNOWN.contains(&k.as_str())) {
            return Err(format!("there is `{name}`, but only {} are known", KNOWN.join(", ")).into());
        }
        let resources = self.resources(top)?;
        let mut pictures = Pictures::read(self.names, top.get("images"), open)?;
        if self.entry.stage == Stage::Compute {
            let groups = groups(top.get("groups"))?;
            let report = self.interpreter.dispatch(groups, &mut pictures.store)?;
            let mut all = json!({ "buffers": self.buffers(&resources) });
            add_pictures(&mut all, self.module, &pictures);
            add_prints(&mut all, &report);
            return Ok((all, report));
        }
        let (count, attributes) = self.attributes(top.get("vertices"))?;
        let (report, outputs) = self.interpreter.run(count, &attributes, &mut pictures.store)?;
        let rows: Vec<Value> = (0..count).map(|n| self.outputs(&outputs, n)).collect();
        let mut all = json!({ "outputs": rows, "buffers": self.buffers(&resources) });
        add_pictures(&mut all, self.module, &pictures);
        add_prints(&mut all, &report);
        Ok((all, report))
    }

    fn globals(&self) -> impl Iterator<Item = (GlobalRef, &Global)> {
        self.module.globals.iter().enumerate().map(|(i, g)| (GlobalRef(i as u32), g))
    }

    fn typed(&self) -> Typed<'_, '_> {
        Typed { module: self.module, interpreter: self.interpreter }
    }

    /// Gives every buffer its bytes; answers the buffers.
    fn resources(&mut self, top: &Map<String, Value>) -> Result<Vec<GlobalRef>, Wrong> {
        let all = given_resources(top)?;
        let mut given: BTreeMap<GlobalRef, Vec<Given<'_>>> = BTreeMap::new();
        for (name, value) in &all {
            let found = self.names.find(name, |g| is_resource(self.module, self.module.global(g)));
            let missing = || format!("the module has no buffer or uniform `{name}`");
            let (g, path) = found.ok_or_else(missing)?;
            given.entry(g).or_default().push(Given { name, path, value });
        }
        let push = top.get("push").map(|value| Given { name: "push", path: Vec::new(), value });
        let push: Vec<_> = push.into_iter().collect();
        let mut filled = Vec::new();
        for (g, global) in self.globals() {
            let parts = match global.space {
                Space::PushConstant => &push[..],
                _ if is_resource(self.module, global) => given.get(&g).map_or(&[][..], |parts| parts),
                _ => continue,
            };
            filled.push((g, self.typed().bytes(global.ty, parts, "")?));
        }
        let resources = filled.iter().map(|(g, _)| *g).collect();
        filled.into_iter().for_each(|(g, bytes)| self.interpreter.set(g, bytes));
        Ok(resources)
    }

    /// A value of a type as JSON.
    fn value(&self, ty: Ty, bytes: &[u8]) -> Value {
        match self.module.types.get(ty) {
            kind @ (Type::Bool | Type::Int(_) | Type::Float(_)) => number_of(kind, bytes),
            Type::Struct(_, members) if wraps(members) => self.value(members[0].ty, bytes),
            Type::Struct(_, members) => {
                let members = members.iter().enumerate().map(|(i, m)| {
                    let at = self.interpreter.offset_of(ty, i as u32) as usize;
                    let name = if m.name.is_empty() { i.to_string() } else { m.name.clone() };
                    (name, self.value(m.ty, bytes.get(at..).unwrap_or_default()))
                });
                Value::Object(members.collect())
            }
            Type::RuntimeArray(elem, _) => {
                let stride = (self.interpreter.stride_of(ty) as usize).max(1);
                bytes.chunks_exact(stride).map(|chunk| self.value(*elem, chunk)).collect()
            }
            _ => {
                let count = self.module.types.part_count(ty).unwrap_or(0);
                let part = |i| {
                    let at = self.interpreter.offset_of(ty, i) as usize;
                    let part = self.module.types.part(ty, i).unwrap_or(ty);
                    self.value(part, bytes.get(at..).unwrap_or_default())
                };
                (0..count).map(part).collect()
            }
        }
    }

    fn shown(&self, ty: Ty, bytes: &[u8]) -> Value {
        let words =
            bytes.chunks_exact(4).map(|c| format!("{:08x}", u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
        json!({ "value": self.value(ty, bytes), "bits": words.collect::<Vec<_>>() })
    }

    /// A variable, or the parts of one that has no name, under what they are called.
    fn named(&self, g: GlobalRef, bytes: &[u8]) -> Vec<(String, Value)> {
        let part = |(name, path): (String, Vec<u32>)| {
            let (mut at, mut ty) = (0, self.module.global(g).ty);
            for i in path {
                at += self.interpreter.offset_of(ty, i) as usize;
                ty = self.module.types.part(ty, i)?;
            }
            let end = match self.module.types.part_count(ty) {
                None => bytes.len(),
                Some(_) if ends_open(self.module, ty) => bytes.len(),
                Some(_) => (at + self.interpreter.size_of(ty) as usize).max(at).min(bytes.len()),
            };
            Some((name, self.shown(ty, bytes.get(at..end)?)))
        };
        self.names.titles(g).into_iter().filter_map(part).collect()
    }

    fn buffers(&self, resources: &[GlobalRef]) -> Value {
        let shown = resources.iter().filter(|g| self.module.global(**g).space == Space::Storage);
        let shown = shown.flat_map(|&g| self.named(g, self.interpreter.bytes(g).unwrap_or_default()));
        Value::Object(shown.collect())
    }

    fn outputs(&self, outputs: &Attributes, n: usize) -> Value {
        let mut all: Vec<_> = outputs.iter().collect();
        all.sort_by_key(|(g, _)| **g);
        Value::Object(all.into_iter().flat_map(|(&g, rows)| self.named(g, &rows[n])).collect())
    }

    fn attributes(&self, vertices: Option<&Value>) -> Result<(usize, Attributes), Wrong> {
        let one = vec![Value::Object(Map::new())];
        let rows = match vertices {
            Some(rows) => rows.as_array().ok_or_else(|| "`vertices` must be an array".to_owned())?,
            None => &one,
        };
        let inputs = |g: GlobalRef| self.module.global(g).space == Space::Input;
        let mut out = Attributes::new();
        for (n, row) in rows.iter().enumerate() {
            let row_of = row.as_object().ok_or_else(|| format!("`vertices[{n}]` must be an object"))?;
            let mut given: BTreeMap<GlobalRef, Vec<Given<'_>>> = BTreeMap::new();
            for (name, value) in row_of {
                let found = self.names.find(name, |g| inputs(g) && self.entry.interface.contains(&g));
                let (g, path) = found.ok_or_else(|| {
                    format!("`vertices[{n}]` has `{name}`, which is no input of the entry point")
                })?;
                given.entry(g).or_default().push(Given { name, path, value });
            }
            for (g, global) in self.globals().filter(|(g, _)| inputs(*g)) {
                let parts = given.get(&g).map_or(&[][..], |parts| parts);
                out.entry(g).or_default().push(self.typed().bytes(
                    global.ty,
                    parts,
                    &format!("vertices[{n}]."),
                )?);
            }
        }
        Ok((rows.len(), out))
    }
}

/// Buffers and uniforms that the caller gives: it is all one to the run.
fn given_resources(top: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut all = Map::new();
    for kind in ["uniforms", "buffers"] {
        let Some(given) = top.get(kind) else { continue };
        let given = given.as_object().ok_or_else(|| format!("`{kind}` must be an object"))?;
        all.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    Ok(all)
}

/// Whether a structure has as many elements at its end as there is room for.
fn ends_open(module: &Module, ty: Ty) -> bool {
    let Type::Struct(_, members) = module.types.get(ty) else { return false };
    members.last().is_some_and(|last| matches!(module.types.get(last.ty), Type::RuntimeArray(..)))
}

/// Whether a variable is a buffer or a loose uniform.
pub fn is_resource(module: &Module, global: &Global) -> bool {
    match global.space {
        Space::Uniform | Space::Storage => true,
        Space::UniformConstant => !is_opaque(module, global.ty),
        _ => false,
    }
}

fn groups(value: Option<&Value>) -> Result<[u32; 3], String> {
    let Some(value) = value else { return Ok([1; 3]) };
    let wrong = || "`groups` must be one to three numbers".to_owned();
    let mut groups = [1; 3];
    let items = value.as_array().filter(|items| items.len() <= 3).ok_or_else(wrong)?;
    for (slot, item) in groups.iter_mut().zip(items) {
        *slot = item.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong)?;
    }
    Work::Dispatch(groups).groups("groups are wanted here").map_err(|mut all| all.swap_remove(0).message)
}

fn is_opaque(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage(_) | Type::AccelerationStructure => true,
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => is_opaque(module, *elem),
        _ => false,
    }
}

fn number_of(ty: &Type, bytes: &[u8]) -> Value {
    let width = match ty {
        Type::Int(n) | Type::Float(n) => *n,
        _ => 32,
    };
    let mut raw = [0; 8];
    let Some(given) = bytes.get(..usize::from(width) / 8) else { return Value::Null };
    raw[..given.len()].copy_from_slice(given);
    let bits = u64::from_le_bytes(raw);
    match ty {
        Type::Bool => Value::Bool(bits != 0),
        Type::Float(_) => {
            let x = chiaro_ir::interp::float_value(bits, width);
            // What binary32 holds is shown as short as it reads back.
            let short = if width == 32 { (x as f32).to_string().parse().unwrap_or(x) } else { x };
            serde_json::Number::from_f64(short).map_or_else(|| Value::String(x.to_string()), Value::Number)
        }
        _ => Value::from(bits),
    }
}
