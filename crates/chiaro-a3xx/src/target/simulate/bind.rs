//! Names to constants, textures, memory, and inputs of invocations.

use std::sync::Arc;

use chiaro_diag::Diagnostic;
use chiaro_target::simulate::unset;
use chiaro_target::{Attributes, Inputs, Kind, Value};

use super::places::{kind, numbered, register};
use super::{misfit, missing, plain_words};
use crate::abi::{Input, Interface, Source, Stage, Uniform};
use crate::machine::{BLOCK_STRIDE, Binding, Machine, World};
use crate::regs::{self, CONSTANTS, TEXTURES, VARYINGS};

/// Local memory that a program without an interface has.
const LOCAL_BYTES: usize = 32 << 10;
/// Private memory of a fiber of such a program.
const PRIVATE_BYTES: u32 = 1 << 10;
/// Buffers by number.
const BUFFERS: usize = 16;

/// A world with what was given to it.
pub(super) struct Bound {
    pub(super) world: World,
    pub(super) remarks: Vec<Diagnostic>,
    /// Buffers by name, to be given back.
    written: Vec<(String, Memory)>,
}

/// Which part of memory a name means.
enum Memory {
    Buffer(usize),
    Global(u32),
}

impl Bound {
    /// Memory that the program may have written.
    pub(super) fn written(&self) -> Vec<(String, Value)> {
        let bytes = |memory: &Memory| match memory {
            Memory::Buffer(n) => self.world.memory.buffers.get(*n).cloned(),
            Memory::Global(base) => {
                self.world.memory.global.iter().find(|(b, _)| b == base).map(|(_, bytes)| bytes.clone())
            }
        };
        let shown = self.written.iter().filter_map(|(name, m)| Some((name.clone(), Value::Bytes(bytes(m)?))));
        shown.collect()
    }
}

/// What belongs to the program of all that is given to a draw.
pub(super) fn own(interface: Option<&Interface>, inputs: &Inputs) -> Inputs {
    let Some(interface) = interface else { return inputs.clone() };
    let stem = |name: &str| name.split(['.', '[']).next().unwrap_or_default().to_owned();
    let resources: Vec<String> = names_of(Some(interface)).iter().map(|name| stem(name)).collect();
    let blocks = interface.uniforms.iter().filter_map(|u| u.block.clone());
    let blocks = blocks.chain(interface.buffers.iter().map(|b| b.name.clone()));
    let blocks = blocks.chain(interface.storage.iter().map(|s| s.name.clone()));
    let resources: Vec<String> = resources.into_iter().chain(blocks).collect();
    let has_input = |name: &str| name == "helper" || interface.inputs.iter().any(|input| input.name == name);
    inputs.own(|name| resources.contains(&stem(name)), has_input)
}

/// Sets up constants, textures and memory.
pub(super) fn world(
    interface: Option<&Interface>,
    given: &[(String, Value)],
) -> Result<Bound, Vec<Diagnostic>> {
    let mut world = World::default();
    world.memory.local =
        vec![0; interface.map_or(LOCAL_BYTES, |i| i.local_bytes.min(regs::LOCAL_BYTES) as usize)];
    for storage in interface.iter().flat_map(|i| &i.storage) {
        let buffers = &mut world.memory.buffers;
        let number = usize::from(storage.number);
        buffers.resize(buffers.len().max(number + 1), Vec::new());
        buffers[number] = vec![0; storage.bytes.min(BLOCK_STRIDE) as usize];
    }
    world.memory.private = interface.map_or(PRIVATE_BYTES, |i| i.private_bytes);
    for (at, bits) in interface.iter().flat_map(|i| &i.immediates) {
        world.set_constants(usize::from(*at), &[*bits]);
    }
    for (n, buffer) in (0..).zip(interface.iter().flat_map(|i| &i.buffers)) {
        let address = world.map_block(n, vec![0; buffer.bytes.min(BLOCK_STRIDE) as usize]);
        world.set_constants(buffer.pointer.into(), &[address]);
    }
    let mut bound = Bound { world, remarks: Vec::new(), written: Vec::new() };
    let mut errors = Vec::new();
    let mut set: Vec<&str> = Vec::new();
    for (name, value) in given {
        set.push(name);
        errors.extend(bound.resource(interface, name, value).err().map(|error| *error));
    }
    let open = |name: &&str| {
        let parts = |s: &&&str| name.starts_with(&format!("{s}.")) || name.starts_with(&format!("{s}["));
        !set.contains(name) && !set.iter().any(|s| parts(&s))
    };
    let names: Vec<&str> = interface.iter().flat_map(|i| &i.uniforms).map(|u| u.name.as_str()).collect();
    let textures: Vec<&str> = interface.iter().flat_map(|i| &i.textures).map(|t| t.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().filter(open).collect();
    let textures: Vec<&str> = textures.into_iter().filter(open).collect();
    bound.remarks.extend(unset("uniform", &names, "0"));
    bound.remarks.extend(unset("texture", &textures, "nothing: a lookup is a fault"));
    if errors.is_empty() { Ok(bound) } else { Err(errors) }
}

impl Bound {
    /// Puts a value where its name says: of a texture, a uniform, a block, a buffer, else a place of the machine.
    fn resource(
        &mut self,
        interface: Option<&Interface>,
        name: &str,
        value: &Value,
    ) -> Result<(), Box<Diagnostic>> {
        if let Value::Image(image) = value {
            let number = texture_number(interface, name)?;
            let binding = Binding { texture: Arc::new(image.texture()), shape: image.shape };
            self.world.bind(number, binding, image.sampler);
            return Ok(());
        }
        let uniforms = interface.map_or(&[][..], |i| &i.uniforms);
        if let Some(found) = self.uniform(uniforms, name, value) {
            return found;
        }
        let blocks = interface.map_or(&[][..], |i| &i.buffers);
        if let Some(n) = blocks.iter().position(|block| block.name == name) {
            return self.block(name, n, value);
        }
        if let Some(found) = interface.and_then(|i| i.storage.iter().find(|storage| storage.name == name)) {
            return self.storage(name, found.number.into(), value);
        }
        match place(name) {
            Some(place) => self.place(name, place, value),
            None => Err(missing(name, &names_of(interface))),
        }
    }

    /// A uniform block in memory, by its number among those.
    fn block(&mut self, name: &str, number: usize, value: &Value) -> Result<(), Box<Diagnostic>> {
        let (room, given) = (&mut self.world.memory.global[number].1, bytes(value, name)?);
        if given.len() > room.len() {
            let message = format!("`{name}` has {} bytes, but {} are given", room.len(), given.len());
            return Err(misfit(message));
        }
        room[..given.len()].copy_from_slice(&given);
        Ok(())
    }

    /// A place of the machine.
    fn place(&mut self, name: &str, place: Named, value: &Value) -> Result<(), Box<Diagnostic>> {
        match place {
            Named::Constant(first) => {
                let words = plain_words(value, name)?;
                let (end, most) = (first + words.len(), usize::from(CONSTANTS) * 4);
                if end > most {
                    return Err(misfit(format!("`{name}` ends at component {end}, the file has {most}")));
                }
                self.world.set_constants(first, &words);
            }
            Named::Buffer(n) => {
                let buffers = &mut self.world.memory.buffers;
                buffers.resize(buffers.len().max(n + 1), Vec::new());
                buffers[n] = bytes(value, name)?;
                self.written.push((name.to_owned(), Memory::Buffer(n)));
            }
            Named::Memory(base) => {
                self.world.memory.global.push((base, bytes(value, name)?));
                self.written.push((name.to_owned(), Memory::Global(base)));
            }
        }
        Ok(())
    }

    /// A buffer that the program may write: as long as what is given, if that is longer than what it has by itself.
    fn storage(&mut self, name: &str, number: usize, value: &Value) -> Result<(), Box<Diagnostic>> {
        let (given, room) = (bytes(value, name)?, &mut self.world.memory.buffers[number]);
        room.resize(room.len().max(given.len()), 0);
        room[..given.len()].copy_from_slice(&given);
        self.written.push((name.to_owned(), Memory::Buffer(number)));
        Ok(())
    }

    /// A uniform, or all below a name: members and elements go by their names.
    fn uniform(
        &mut self,
        uniforms: &[Uniform],
        name: &str,
        value: &Value,
    ) -> Option<Result<(), Box<Diagnostic>>> {
        let called = |u: &&Uniform| {
            u.name == name || u.block.as_ref().is_some_and(|block| format!("{block}.{}", u.name) == name)
        };
        if let Some(uniform) = uniforms.iter().find(called) {
            return Some(self.leaf(uniform, name, value));
        }
        let parts: Vec<(String, &Value)> = match value {
            Value::Fields(fields) => fields.iter().map(|(n, v)| (format!("{name}.{n}"), v)).collect(),
            Value::List(items) => {
                items.iter().enumerate().map(|(i, v)| (format!("{name}[{i}]"), v)).collect()
            }
            _ => return None,
        };
        let is_part = |u: &Uniform| {
            let block = u.block.as_deref().map(|b| format!("{b}.{}", u.name)).unwrap_or_default();
            [u.name.as_str(), &block]
                .iter()
                .any(|n| n.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '['])))
        };
        if !uniforms.iter().any(is_part) {
            return None;
        }
        // Parts that the program does not read are left out of its interface.
        Some(
            parts
                .into_iter()
                .try_for_each(|(name, value)| self.uniform(uniforms, &name, value).unwrap_or(Ok(()))),
        )
    }

    fn leaf(&mut self, uniform: &Uniform, name: &str, value: &Value) -> Result<(), Box<Diagnostic>> {
        let words = value.words(name, kind(uniform.kind, false)).map_err(misfit)?;
        let (width, entries) = (usize::from(uniform.components.max(1)), usize::from(uniform.entries.max(1)));
        if words.len() > width * entries {
            let message = format!("`{name}` has {} numbers, but {} are given", width * entries, words.len());
            return Err(misfit(message));
        }
        for (n, word) in words.iter().enumerate() {
            let at = usize::from(uniform.at) + n / width * usize::from(uniform.stride) + n % width;
            self.world.set_constants(at, &[*word]);
        }
        Ok(())
    }
}

/// What a name means that is no name of the source.
enum Named {
    Constant(usize),
    Buffer(usize),
    Memory(u32),
}

fn place(name: &str) -> Option<Named> {
    if let Some(n) = name.strip_prefix("buffer").and_then(|n| n.parse().ok()).filter(|n| *n < BUFFERS) {
        return Some(Named::Buffer(n));
    }
    if let Some(base) = name.strip_prefix("memory:0x") {
        return u32::from_str_radix(base, 16).ok().map(Named::Memory);
    }
    let number = name.strip_prefix('c').and_then(numbered).filter(|n| *n < CONSTANTS * 4);
    number.map(|n| Named::Constant(n.into()))
}

fn bytes(value: &Value, name: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
    match value {
        Value::Bytes(bytes) => Ok(bytes.clone()),
        other => Ok(plain_words(other, name)?.iter().flat_map(|word| word.to_le_bytes()).collect()),
    }
}

fn texture_number(interface: Option<&Interface>, name: &str) -> Result<usize, Box<Diagnostic>> {
    let (stem, element) = match name.strip_suffix(']').and_then(|n| n.split_once('[')) {
        Some((stem, element)) => (stem, element.parse::<u8>().ok()),
        None => (name, Some(0)),
    };
    let named = interface.iter().flat_map(|i| &i.textures).find(|t| t.name == stem);
    let by_name =
        named.zip(element).filter(|(t, n)| *n < t.count.max(1)).map(|(t, n)| usize::from(t.number + n));
    let by_number = || name.strip_prefix('t')?.parse().ok().filter(|n| *n < TEXTURES as usize);
    by_name.or_else(by_number).ok_or_else(|| missing(name, &names_of(interface)))
}

/// All names that can be given.
fn names_of(interface: Option<&Interface>) -> Vec<String> {
    let Some(interface) = interface else { return Vec::new() };
    let uniforms = interface.uniforms.iter().map(|u| u.name.clone());
    let textures = interface.textures.iter().map(|t| t.name.clone());
    let inputs = interface.inputs.iter().map(|i| i.name.clone());
    let storage = interface.storage.iter().map(|s| s.name.clone());
    uniforms.chain(textures).chain(inputs).chain(storage).collect()
}

/// Inputs of invocations: where each number goes.
pub(super) struct Columns {
    all: Vec<Column>,
    helpers: Vec<bool>,
    missing: Vec<String>,
}

struct Column {
    places: Vec<To>,
    /// The words of each invocation.
    words: Vec<Vec<u32>>,
    /// What is not given.
    fill: [u32; 4],
}

/// Where a number goes.
#[derive(Clone, Copy)]
enum To {
    Full(u16),
    Half(u16),
    Varying(u16),
}

/// What an attribute that gives fewer than four components is filled from.
const FILL: [u32; 4] = [0, 0, 0, 0x3f80_0000];
/// Sixteenths of a pixel.
const FRACTION: f32 = 16.0;

impl Columns {
    pub(super) fn of(
        interface: Option<&Interface>,
        given: &Attributes,
        stage: Stage,
    ) -> Result<Columns, Vec<Diagnostic>> {
        let mut columns = Columns { all: Vec::new(), helpers: Vec::new(), missing: Vec::new() };
        let mut errors = Vec::new();
        for (name, column) in &given.columns {
            let values = &*column.values();
            let added = match interface.filter(|i| i.inputs.iter().any(|input| input.name == *name)) {
                Some(interface) => columns.named(interface, name, values),
                None if name == "helper" && stage == Stage::Fragment => {
                    columns.helpers = values.iter().map(|v| *v == Value::Bool(true)).collect();
                    Ok(())
                }
                None => {
                    columns.by_place(name, values).unwrap_or_else(|| Err(missing(name, &names_of(interface))))
                }
            };
            errors.extend(added.err().map(|error| *error));
        }
        columns.defaults(interface, given);
        if errors.is_empty() { Ok(columns) } else { Err(errors) }
    }

    /// An input of the source, all of its parts one after another.
    fn named(&mut self, interface: &Interface, name: &str, values: &[Value]) -> Result<(), Box<Diagnostic>> {
        let parts: Vec<&Input> = interface.inputs.iter().filter(|i| i.name == name).collect();
        let several = parts.len() > 1;
        for input in parts {
            let places = (0..u16::from(input.components)).filter_map(|n| place_of(input, n)).collect();
            let mut words = Vec::with_capacity(values.len());
            for (i, value) in values.iter().enumerate() {
                let value = match value {
                    Value::List(items) if several => items.get(usize::from(input.part)).unwrap_or(value),
                    other => other,
                };
                words.push(input_words(input, value, &format!("{name}[{i}]"))?);
            }
            self.all.push(Column { places, words, fill: FILL });
        }
        Ok(())
    }

    /// Registers and varyings by number; `None` if the name means neither.
    fn by_place(&mut self, name: &str, values: &[Value]) -> Option<Result<(), Box<Diagnostic>>> {
        let first = match (register(name), name.strip_prefix('v').map(str::parse::<u16>)) {
            (Some((false, n)), _) => To::Full(n),
            (Some((true, n)), _) => To::Half(n),
            (_, Some(Ok(n))) if u32::from(n) < VARYINGS => To::Varying(n),
            _ => return None,
        };
        let words: Result<Vec<Vec<u32>>, Box<Diagnostic>> =
            values.iter().map(|v| plain_words(v, name)).collect();
        Some(words.map(|words| {
            let most = words.iter().map(Vec::len).max().unwrap_or(0) as u16;
            let places = (0..most).map(|n| first.after(n)).collect();
            self.all.push(Column { places, words, fill: [0; 4] });
        }))
    }

    /// What the machine provides where nobody gives it: numbers of vertices, the front.
    fn defaults(&mut self, interface: Option<&Interface>, given: &Attributes) {
        for input in interface.iter().flat_map(|i| &i.inputs) {
            if given.columns.iter().any(|(name, _)| *name == input.name) {
                continue;
            }
            let words: Vec<Vec<u32>> = match input.source {
                Source::Vertex => (0..given.count).map(|n| vec![n as u32]).collect(),
                Source::Instance | Source::Facing | Source::Barycentric => {
                    vec![vec![0; input.components.into()]; given.count]
                }
                Source::FragCoord => vec![frag_coord([0.5, 0.5, 0.5, 1.0]); given.count],
                Source::LocalId | Source::GroupId => vec![vec![0; 3]; given.count],
                Source::Attribute(_) | Source::Varying { .. } | Source::PointCoordinate(_) => {
                    self.missing.push(input.name.clone());
                    vec![Vec::new(); given.count]
                }
            };
            let places = (0..u16::from(input.components)).filter_map(|n| place_of(input, n)).collect();
            self.all.push(Column { places, words, fill: FILL });
        }
    }

    /// A warning about inputs that nobody gives.
    pub(super) fn remark(&self) -> Option<Diagnostic> {
        let mut names: Vec<&str> = self.missing.iter().map(String::as_str).collect();
        names.dedup();
        unset("input", &names, "0, 0, 0, 1")
    }

    /// Fragments that run for their neighbours alone.
    pub(super) fn helpers(&self, first: usize, lanes: usize) -> u32 {
        let bit = |lane: usize| u32::from(self.helpers.get(first + lane) == Some(&true)) << lane;
        (0..lanes).map(bit).sum()
    }

    /// Puts the inputs of an invocation into a lane.
    pub(super) fn load(&self, machine: &mut Machine, lane: usize, invocation: usize) {
        for column in &self.all {
            let words = column.words.get(invocation).map_or(&[][..], Vec::as_slice);
            for (n, place) in column.places.iter().enumerate() {
                let bits = words.get(n).copied().unwrap_or(column.fill[n.min(3)]);
                match *place {
                    To::Full(number) => machine.full_mut(number).0[lane] = bits,
                    To::Half(number) => machine.half_mut(number).0[lane] = bits & 0xffff,
                    To::Varying(location) => {
                        if let Some(planes) = machine.varying_mut(location) {
                            planes
                                .iter_mut()
                                .zip([bits, 0, 0])
                                .for_each(|(plane, bits)| plane.0[lane] = bits);
                        }
                    }
                }
            }
        }
    }
}

impl To {
    fn after(self, n: u16) -> To {
        match self {
            To::Full(first) => To::Full(first + n),
            To::Half(first) => To::Half(first + n),
            To::Varying(first) => To::Varying(first + n),
        }
    }
}

/// Where component `n` of an input goes.
fn place_of(input: &Input, n: u16) -> Option<To> {
    match input.source {
        Source::Varying { slot, .. } | Source::PointCoordinate(slot) => {
            Some(To::Varying(u16::from(slot) + n))
        }
        Source::Facing => input.register.map(|r| To::Half(r + n)),
        _ => input.register.map(|r| To::Full(r + n)),
    }
}

/// The words of an input as the machine gets them.
fn input_words(input: &Input, value: &Value, name: &str) -> Result<Vec<u32>, Box<Diagnostic>> {
    match input.source {
        Source::FragCoord => value.vec4(name, [0.5, 0.5, 0.5, 1.0]).map(frag_coord).map_err(misfit),
        // 0 in front, -1 behind. spec section 20.2
        Source::Facing => Ok(vec![if *value == Value::Bool(false) { 0xffff } else { 0 }]),
        _ => {
            let kind = match kind(input.kind, false) {
                Kind::Bool => Kind::Uint(32),
                other => other,
            };
            value.words(name, kind).map_err(misfit)
        }
    }
}

/// x and y in sixteenths, z and 1 / w as they are. spec section 20.2
fn frag_coord([x, y, z, w]: [f32; 4]) -> Vec<u32> {
    vec![(x * FRACTION) as u32, (y * FRACTION) as u32, z.to_bits(), w.to_bits()]
}
