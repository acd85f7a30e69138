//! A module on the interpreter, with inputs and outputs as the door has them.

use chiaro_diag::Diagnostic;
use chiaro_draw::MOST_SAMPLES;
use chiaro_ir::interface::Interface;
use chiaro_ir::interp::{Attributes as Bytes, Handle, Interpreter, TextureStore, Watched};
use chiaro_ir::{EntryPoint, Global, GlobalRef, Module, Space, Ty, Type};
use chiaro_target::{Attributes, Fault, Kind, Output, Simulated, Value, Work};

use super::elsewhere::{Place, elsewhere, is_asked};
use super::{OUTPUTS, Stage};

/// A module's entry point on the interpreter.
pub struct Interpreted<'m> {
    module: &'m Module,
    interpreter: Interpreter<'m>,
    textures: TextureStore,
    looks_elsewhere: bool,
}

impl<'m> Interpreted<'m> {
    /// Sets up uniforms and images; what the module does not have belongs to another stage.
    ///
    /// # Errors
    /// A module without an entry point, values that do not fit.
    pub fn new(
        module: &'m Module,
        resources: &[(String, Value)],
    ) -> Result<Interpreted<'m>, Vec<Diagnostic>> {
        let entry: &EntryPoint = module
            .entries
            .first()
            .ok_or_else(|| vec![Diagnostic::error(None, "the module has no entry point")])?;
        let interpreter = Interpreter::new(module, entry);
        let looks_elsewhere = is_asked(module);
        let mut made =
            Interpreted { module, interpreter, textures: TextureStore::default(), looks_elsewhere };
        made.zero();
        let errors: Vec<Diagnostic> = resources
            .iter()
            .filter_map(|(name, value)| made.resource(name, value).err())
            .map(|why| Diagnostic::error(None, why))
            .collect();
        if errors.is_empty() { Ok(made) } else { Err(errors) }
    }

    /// With fine derivatives everywhere, or coarse ones where the source allows them.
    #[must_use]
    pub fn with_derivatives(mut self, fine: bool) -> Interpreted<'m> {
        self.interpreter.options.fine_derivatives = fine;
        self
    }

    fn globals(&self) -> impl Iterator<Item = (GlobalRef, &'m Global)> + use<'m> {
        self.module.globals.iter().enumerate().map(|(i, g)| (GlobalRef(i as u32), g))
    }

    /// Buffers and uniforms without a value are zero.
    fn zero(&mut self) {
        for (g, global) in self.globals() {
            let opaque = is_opaque(self.module, global.ty);
            let buffer = matches!(global.space, Space::Uniform | Space::PushConstant | Space::Storage);
            if buffer || global.space == Space::UniformConstant && !opaque && global.init.is_none() {
                let size = self.interpreter.size_of(global.ty) as usize;
                self.interpreter.set(g, vec![0; size]);
            }
        }
    }

    fn resource(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let (stem, element) = match name.strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
            Some((stem, n)) => (stem, n.parse().unwrap_or(0)),
            None => (name, 0),
        };
        for (g, global) in self.globals().filter(|(_, g)| is_resource(g.space)) {
            if let Value::Image(image) = value {
                if global.name == stem && is_opaque(self.module, global.ty) {
                    let handle = Handle { global: g, element };
                    self.textures.textures.insert(handle, image.texture());
                    self.textures.samplers.insert(handle, image.sampler);
                }
            } else if global.name == name || block_name(self.module, global.ty) == Some(name) {
                let mut bytes = self.interpreter.bytes(g).unwrap_or_default().to_vec();
                self.fill(value, global.ty, &mut bytes, name)?;
                self.interpreter.set(g, bytes);
            }
        }
        Ok(())
    }

    /// Writes a value of a type into its memory; members go by name, all else in order.
    fn fill(&self, value: &Value, ty: Ty, bytes: &mut [u8], name: &str) -> Result<(), String> {
        let types = &self.module.types;
        if let (Value::Fields(fields), Type::Struct(_, members)) = (value, types.get(ty)) {
            for (field, value) in fields {
                let at = members.iter().position(|m| m.name == *field);
                let at = at.ok_or_else(|| format!("`{name}` has no member `{field}`"))? as u32;
                self.part(value, ty, at, bytes, &format!("{name}.{field}"))?;
            }
            return Ok(());
        }
        match (value, types.part_count(ty)) {
            (Value::List(items), Some(_)) => items
                .iter()
                .enumerate()
                .try_for_each(|(i, item)| self.part(item, ty, i as u32, bytes, &format!("{name}[{i}]"))),
            (Value::List(items), None) if items.len() == 1 => self.fill(&items[0], ty, bytes, name),
            (_, Some(1..)) => self.part(value, ty, 0, bytes, name),
            _ => self.scalar(value, ty, bytes, name),
        }
    }

    fn part(&self, value: &Value, ty: Ty, i: u32, bytes: &mut [u8], name: &str) -> Result<(), String> {
        let at = self.interpreter.offset_of(ty, i) as usize;
        let part = self.module.types.part(ty, i).ok_or_else(|| format!("`{name}` does not exist"))?;
        let room = bytes.get_mut(at..).ok_or_else(|| format!("`{name}` does not exist"))?;
        self.fill(value, part, room, name)
    }

    fn scalar(&self, value: &Value, ty: Ty, bytes: &mut [u8], name: &str) -> Result<(), String> {
        let kind = kind_of(self.module.types.get(ty));
        let word = match (value.words(name, kind)?.first().copied(), kind) {
            (Some(word), Kind::Bool) => u32::from(word != 0),
            (word, _) => word.unwrap_or(0),
        };
        let room = bytes.get_mut(..4).ok_or_else(|| format!("`{name}` is not 32 bits wide"))?;
        room.copy_from_slice(&word.to_le_bytes());
        Ok(())
    }

    /// Bytes of all inputs that the module has; those of other names belong to nobody here.
    fn inputs(&self, given: &Attributes) -> Result<Bytes, Vec<Diagnostic>> {
        self.columns(given, str::to_owned)
    }

    /// The same at another place of their pixels.
    fn inputs_at(&self, given: &Attributes, place: Place) -> Result<Bytes, Vec<Diagnostic>> {
        let mut all = self.columns(given, |name| place.column(name))?;
        let is_given = |g: &GlobalRef| {
            let name = place.column(&self.module.global(*g).name);
            given.columns.iter().any(|(known, _)| *known == name)
        };
        all.retain(|g, _| is_given(g));
        Ok(all)
    }

    /// Bytes of all inputs from columns that are named after them.
    fn columns(&self, given: &Attributes, named: impl Fn(&str) -> String) -> Result<Bytes, Vec<Diagnostic>> {
        let mut all = Bytes::new();
        for (g, global) in self.globals().filter(|(_, g)| g.space == Space::Input) {
            let size = self.interpreter.size_of(global.ty) as usize;
            let name = named(&global.name);
            let column = given.columns.iter().find(|(known, _)| *known == name);
            let values = column.map(|(_, column)| column.values()).unwrap_or_default();
            let mut rows = Vec::with_capacity(given.count);
            for n in 0..given.count {
                let mut bytes = self.blank(global, n, size);
                if let Some(value) = values.get(n) {
                    let filled = self.fill(value, global.ty, &mut bytes, &format!("{}[{n}]", global.name));
                    filled.map_err(|why| vec![Diagnostic::error(None, why)])?;
                }
                rows.push(bytes);
            }
            all.insert(g, rows);
        }
        Ok(all)
    }

    /// An input that nobody gives: 0, 0, 0, 1, or the number of the vertex.
    fn blank(&self, global: &Global, n: usize, size: usize) -> Vec<u8> {
        const VERTEX: [u32; 2] = [5, 42];
        let mut bytes = vec![0; size];
        match global.binding.builtin {
            Some(number) if VERTEX.contains(&number) && size >= 4 => {
                bytes[..4].copy_from_slice(&(n as u32).to_le_bytes());
            }
            None if size == 16 && self.module.types.part_count(global.ty) == Some(4) => {
                bytes[12..].copy_from_slice(&1.0f32.to_le_bytes());
            }
            _ => {}
        }
        bytes
    }

    /// All outputs, arrays and matrices part by part.
    fn outputs(&self, outputs: &Bytes, count: usize) -> Vec<Output> {
        let mut all = Vec::new();
        for (g, global) in self.globals().filter(|(_, g)| g.space == Space::Output) {
            let Some(rows) = outputs.get(&g) else { continue };
            let builtin = OUTPUTS.iter().find(|(number, _)| global.binding.builtin == Some(*number));
            let name = builtin.map_or(global.name.as_str(), |(_, name)| name);
            let location = global.binding.location;
            self.output(name, global.ty, location, (rows, 0, count), &mut all);
            if let Type::Struct(_, members) = self.module.types.get(global.ty) {
                for (i, member) in global.members.iter().enumerate().take(members.len()) {
                    let known = OUTPUTS.iter().find(|(number, _)| member.builtin == Some(*number));
                    let Some((_, name)) = known else { continue };
                    let at = self.interpreter.offset_of(global.ty, i as u32) as usize;
                    self.output(name, members[i].ty, None, (rows, at, count), &mut all);
                }
            }
        }
        all
    }

    fn output(
        &self,
        name: &str,
        ty: Ty,
        location: Option<u32>,
        (rows, at, count): (&[Vec<u8>], usize, usize),
        all: &mut Vec<Output>,
    ) {
        let types = &self.module.types;
        let parts = types.part_count(ty);
        let first = types.part(ty, 0).filter(|_| parts.is_some());
        if let Some(inner) = first.filter(|inner| types.part_count(*inner).is_some()) {
            for i in 0..parts.unwrap_or(0) {
                let next = at + self.interpreter.offset_of(ty, i) as usize;
                self.output(
                    &format!("{name}[{i}]"),
                    types.part(ty, i).unwrap_or(inner),
                    location.map(|l| l + i),
                    (rows, next, count),
                    all,
                );
            }
            return;
        }
        let width = parts.map_or(1, |n| n as usize);
        let kind = kind_of(types.get(first.unwrap_or(ty)));
        let word = |row: &Vec<u8>, k: usize| {
            let at = at + first.map_or(0, |_| self.interpreter.offset_of(ty, k as u32) as usize);
            row.get(at..at + 4).map_or(0, |b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])))
        };
        let bits = rows
            .iter()
            .take(count)
            .flat_map(|row| (0..width).map(move |k| (row, k)))
            .map(|(row, k)| word(row, k));
        let place = location.map_or_else(String::new, |l| format!("location {l}"));
        all.push(Output { name: name.to_owned(), place, kind, width, bits: bits.collect() });
    }
}

impl Interpreted<'_> {
    /// What the variables of functions are given while the work is done, so many scalars at most; of a dispatch
    /// in its first group. `None` if the work cannot be done by these steps.
    pub fn watch(&mut self, work: &Work, scalars: usize, steps: u64) -> Option<Watched> {
        (self.interpreter.options.watched, self.interpreter.options.fuel) = (scalars, steps);
        let report = match work {
            Work::Vertices(given) | Work::Fragments(given) => {
                let inputs = self.inputs(given).ok()?;
                self.interpreter.run(given.count, &inputs, &mut self.textures).ok()?.0
            }
            Work::Dispatch(groups) => self.interpreter.dispatch(*groups, &mut self.textures).ok()?,
            Work::Draw(_) => return None,
        };
        Some(report.watched)
    }

    /// Gives a resource its value by the name that the host program has for it. A buffer whose size is open
    /// becomes as long as its value.
    ///
    /// # Errors
    /// A name that the module does not have, a value that does not fit.
    pub fn give(&mut self, interface: &Interface, name: &str, value: &Value) -> Result<(), String> {
        let is_resource = |g: GlobalRef| is_resource(self.module.global(g).space);
        let by_block = || {
            let mut all = self.globals().filter(|(g, _)| is_resource(*g));
            let (g, _) = all.find(|(_, global)| block_name(self.module, global.ty) == Some(name))?;
            Some((g, Vec::new()))
        };
        let found = interface.find(name, is_resource).or_else(by_block);
        let Some((g, path)) = found.filter(|_| !matches!(value, Value::Image(_))) else {
            return self.resource(name, value);
        };
        let (mut ty, mut at) = (self.module.global(g).ty, 0);
        for part in path {
            at += self.interpreter.offset_of(ty, part) as usize;
            ty = self.module.types.part(ty, part).ok_or_else(|| format!("`{name}` does not exist"))?;
        }
        let mut bytes = self.interpreter.bytes(g).unwrap_or_default().to_vec();
        // A block of nothing but a list is given as the list.
        if let (Type::Struct(_, members), Value::List(_)) = (self.module.types.get(ty), value)
            && let [only] = &members[..]
        {
            (at, ty) = (at + self.interpreter.offset_of(ty, 0) as usize, only.ty);
        }
        if let (Type::RuntimeArray(..), Value::List(items)) = (self.module.types.get(ty), value) {
            let length = items.len().min(MOST_ITEMS) * self.interpreter.stride_of(ty) as usize;
            bytes.resize(bytes.len().max(at + length), 0);
        }
        let room = bytes.get_mut(at..).ok_or_else(|| format!("`{name}` does not exist"))?;
        match (self.module.types.get(ty), value) {
            (Type::RuntimeArray(element, _), Value::List(items)) => {
                let stride = self.interpreter.stride_of(ty) as usize;
                for (item, room) in items.iter().zip(room.chunks_mut(stride.max(1))) {
                    self.fill(item, *element, room, name)?;
                }
            }
            _ => self.fill(value, ty, room, name)?,
        }
        self.interpreter.set(g, bytes);
        Ok(())
    }

    /// The scalars of a type: how each is reached, where it begins in bytes, what it is.
    #[must_use]
    pub fn scalars(&self, ty: Ty) -> Vec<(String, u32, Kind)> {
        let mut all = Vec::new();
        self.add_scalars(ty, (String::new(), 0), &mut all);
        all
    }

    fn add_scalars(&self, ty: Ty, (path, offset): (String, u32), all: &mut Vec<(String, u32, Kind)>) {
        let types = &self.module.types;
        let parts = types.part_count(ty).unwrap_or(0);
        if all.len() >= MOST_SCALARS || matches!(types.get(ty), Type::Pointer(..)) {
            return;
        }
        if parts == 0 {
            return all.push((path, offset, kind_of(types.get(ty))));
        }
        for i in 0..parts {
            let Some(part) = types.part(ty, i) else { continue };
            let name = match types.get(ty) {
                Type::Struct(_, members) => format!(".{}", members[i as usize].name),
                Type::Vector(..) => format!(".{}", ["x", "y", "z", "w"].get(i as usize).unwrap_or(&"?")),
                _ => format!("[{i}]"),
            };
            let at = offset + self.interpreter.offset_of(ty, i);
            self.add_scalars(part, (format!("{path}{name}"), at), all);
        }
    }
}

/// Elements of a list of open length that are taken.
const MOST_ITEMS: usize = 1 << 20;
/// Scalars of a variable that are told apart.
const MOST_SCALARS: usize = 256;

impl Stage for Interpreted<'_> {
    fn looks_elsewhere(&self) -> bool {
        self.looks_elsewhere
    }

    fn run(&mut self, work: Work) -> Result<Simulated, Vec<Diagnostic>> {
        let (Work::Vertices(given) | Work::Fragments(given)) = &work else {
            return Err(vec![Diagnostic::error(None, "only vertices and fragments are drawn")]);
        };
        let inputs = self.inputs(given)?;
        if self.looks_elsewhere {
            let found = elsewhere(given, MOST_SAMPLES, |place| self.inputs_at(given, place))?;
            self.interpreter.elsewhere = found;
        }
        let ran = self.interpreter.run(given.count, &inputs, &mut self.textures);
        let (report, outputs) =
            ran.map_err(|fault| vec![Diagnostic::error(fault.span, fault.to_string())])?;
        let fault = |fault: &chiaro_ir::interp::Fault| Fault {
            invocation: 0,
            at: 0,
            cause: fault.to_string(),
            trap: None,
        };
        Ok(Simulated {
            mode: "interpreter",
            invocations: given.count,
            outputs: self.outputs(&outputs, given.count),
            discarded: report.ended,
            faults: report.faults.iter().map(fault).collect(),
            ..Simulated::default()
        })
    }
}

fn is_resource(space: Space) -> bool {
    matches!(space, Space::Uniform | Space::PushConstant | Space::Storage | Space::UniformConstant)
}

fn block_name(module: &Module, ty: Ty) -> Option<&str> {
    match module.types.get(ty) {
        Type::Struct(name, _) => Some(name),
        _ => None,
    }
}

fn is_opaque(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage(_) | Type::AccelerationStructure => true,
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => is_opaque(module, *elem),
        _ => false,
    }
}

fn kind_of(ty: &Type) -> Kind {
    match ty {
        Type::Bool => Kind::Bool,
        Type::Int(width) => Kind::Int(*width),
        Type::Float(width) => Kind::Float(*width),
        _ => Kind::Float(32),
    }
}
