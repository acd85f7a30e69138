//! Values for the variables of a module, by name.

use chiaro_ir::interp::{Attributes, Domain, Emitted, Exact, Interpreter, Report, TextureStore};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space, Ty, Type};

/// Instructions that all invocations of a row may take.
const FUEL: u64 = 1 << 28;

/// A module that is being set up to run.
pub struct Scene<'m, D: Domain = Exact> {
    module: &'m Module,
    interpreter: Interpreter<'m, D>,
    inputs: Attributes,
    /// Its textures.
    pub textures: TextureStore,
    uniforms: Vec<(GlobalRef, Vec<u8>)>,
    invocations: usize,
}

impl<'m, D: Domain> Scene<'m, D> {
    /// For so many invocations of a module's first entry point, with floats of some kind;
    /// everything is zero.
    ///
    /// # Errors
    /// A module without an entry point.
    pub fn new(module: &'m Module, domain: D, invocations: usize) -> Result<Scene<'m, D>, String> {
        let entry: &EntryPoint = module.entries.first().ok_or("the module has no entry point")?;
        let mut interpreter = Interpreter::with(module, entry, domain);
        interpreter.options.fuel = FUEL;
        // Those with an initialiser have their value already.
        let loose = module.globals.iter().enumerate().filter(|(_, g)| {
            matches!(g.space, Space::Uniform | Space::PushConstant | Space::Storage)
                || g.space == Space::UniformConstant && !is_opaque(module, g.ty) && g.init.is_none()
        });
        let uniforms =
            loose.map(|(i, g)| (GlobalRef(i as u32), vec![0; interpreter.size_of(g.ty) as usize])).collect();
        let (inputs, textures) = (Attributes::new(), TextureStore::default());
        Ok(Scene { module, interpreter, inputs, textures, uniforms, invocations })
    }

    /// The variable of a name in some spaces; blocks go by their own name too.
    pub fn find(&self, name: &str, spaces: &[Space]) -> Option<GlobalRef> {
        let named = |g: &chiaro_ir::Global| {
            spaces.contains(&g.space) && (g.name == name || block_name(self.module, g.ty) == name)
        };
        Some(GlobalRef(self.module.globals.iter().position(named)? as u32))
    }

    /// The type of a variable.
    pub fn ty(&self, global: GlobalRef) -> Ty {
        self.module.global(global).ty
    }

    /// Gives a loose uniform its scalars, arrays and matrices in the order of memory. `[0]`
    /// behind the name means nothing. A uniform that the source does not use is no fault.
    pub fn uniform(&mut self, name: &str, values: &[f64]) {
        let name = name.strip_suffix("[0]").unwrap_or(name);
        let Some(global) = self.find(name, &[Space::UniformConstant]) else { return };
        let ty = self.ty(global);
        let slot = self.slot(global);
        let mut bytes = std::mem::take(&mut self.uniforms[slot].1);
        self.fill(ty, &mut values.iter().copied(), &mut bytes);
        self.uniforms[slot].1 = bytes;
    }

    /// Where the bytes of a uniform are; zeros until they are set.
    fn slot(&mut self, global: GlobalRef) -> usize {
        self.uniforms.iter().position(|(g, _)| *g == global).unwrap_or_else(|| {
            let size = self.interpreter.size_of(self.ty(global)) as usize;
            self.uniforms.push((global, vec![0; size]));
            self.uniforms.len() - 1
        })
    }

    /// Gives a block its bytes.
    pub fn block(&mut self, name: &str, bytes: &[u8]) {
        let Some(global) = self.find(name, &[Space::Uniform, Space::Storage]) else { return };
        if let Some((_, room)) = self.uniforms.iter_mut().find(|(g, _)| *g == global) {
            let count = room.len().min(bytes.len());
            room[..count].copy_from_slice(&bytes[..count]);
        }
    }

    /// Gives an input its scalars for one invocation.
    pub fn input(&mut self, name: &str, invocation: usize, values: &[f64]) {
        if let Some(global) = self.find(name, &[Space::Input]) {
            self.input_of(global, invocation, values);
        }
    }

    /// Gives a part of a uniform its scalars: `path` leads to it through members and elements.
    pub fn leaf(&mut self, global: GlobalRef, path: &[u32], values: &[f64]) {
        let slot = self.slot(global);
        let (mut ty, mut at) = (self.ty(global), 0);
        for &part in path {
            at += self.interpreter.offset_of(ty, part) as usize;
            let Some(inner) = self.module.types.part(ty, part) else { return };
            ty = inner;
        }
        let mut bytes = std::mem::take(&mut self.uniforms[slot].1);
        if let Some(room) = bytes.get_mut(at..) {
            self.fill(ty, &mut values.iter().copied(), room);
        }
        self.uniforms[slot].1 = bytes;
    }

    /// Gives an input its words for one invocation, in the order of memory.
    pub fn input_words(&mut self, name: &str, invocation: usize, words: &[u32]) {
        let Some(global) = self.find(name, &[Space::Input]) else { return };
        let ty = self.ty(global);
        let mut bytes = vec![0; self.interpreter.size_of(ty) as usize];
        self.fill_words(ty, &mut words.iter().copied(), &mut bytes);
        let count = self.invocations;
        let rows = self.inputs.entry(global).or_insert_with(|| vec![Vec::new(); count]);
        if let Some(row) = rows.get_mut(invocation) {
            *row = bytes;
        }
    }

    fn fill_words(&self, ty: Ty, words: &mut dyn Iterator<Item = u32>, bytes: &mut [u8]) {
        let Some(count) = self.module.types.part_count(ty) else {
            if let (Some(word), Some(room)) = (words.next(), bytes.get_mut(..4)) {
                room.copy_from_slice(&word.to_le_bytes());
            }
            return;
        };
        for i in 0..count {
            let at = self.interpreter.offset_of(ty, i) as usize;
            let (Some(part), Some(room)) = (self.module.types.part(ty, i), bytes.get_mut(at..)) else {
                return;
            };
            self.fill_words(part, words, room);
        }
    }

    /// Gives the input of a built-in number its scalars for one invocation.
    pub fn builtin(&mut self, number: u32, invocation: usize, values: &[f64]) {
        let is = |g: &chiaro_ir::Global| g.space == Space::Input && g.binding.builtin == Some(number);
        if let Some(i) = self.module.globals.iter().position(is) {
            self.input_of(GlobalRef(i as u32), invocation, values);
        }
    }

    fn input_of(&mut self, global: GlobalRef, invocation: usize, values: &[f64]) {
        let ty = self.ty(global);
        let mut bytes = vec![0; self.interpreter.size_of(ty) as usize];
        // What an attribute lacks is 0, 0, 0, 1.
        let missing = [0.0, 0.0, 0.0, 1.0].into_iter().skip(values.len());
        self.fill(ty, &mut values.iter().copied().chain(missing), &mut bytes);
        let count = self.invocations;
        let rows = self.inputs.entry(global).or_insert_with(|| vec![Vec::new(); count]);
        if let Some(row) = rows.get_mut(invocation) {
            *row = bytes;
        }
    }

    /// Writes scalars of a type into its memory.
    fn fill(&self, ty: Ty, values: &mut dyn Iterator<Item = f64>, bytes: &mut [u8]) {
        let types = &self.module.types;
        let word = match types.get(ty) {
            Type::Float(32) => values.next().map(|v| (v as f32).to_bits()),
            // Numbers above the largest `int` are those of `uint`.
            Type::Int(_) => values.next().map(|v| v as i64 as u32),
            Type::Bool => values.next().map(|v| u32::from(v != 0.0)),
            _ => {
                for i in 0..types.part_count(ty).unwrap_or(0) {
                    let at = self.interpreter.offset_of(ty, i) as usize;
                    let (Some(part), Some(room)) = (types.part(ty, i), bytes.get_mut(at..)) else { return };
                    self.fill(part, values, room);
                }
                return;
            }
        };
        if let (Some(word), Some(room)) = (word, bytes.get_mut(..4)) {
            room.copy_from_slice(&word.to_le_bytes());
        }
    }

    /// What it gives to its inputs and its uniforms.
    pub fn given(&self) -> (&Attributes, &[(GlobalRef, Vec<u8>)]) {
        (&self.inputs, &self.uniforms)
    }

    /// Runs all invocations; answers what the run reported, and a reader of outputs.
    ///
    /// # Errors
    /// The fault that stopped the run.
    pub fn run(mut self) -> Result<Outcome<'m, D>, String> {
        for (global, bytes) in std::mem::take(&mut self.uniforms) {
            self.interpreter.set(global, bytes);
        }
        let ran = self.interpreter.run(self.invocations, &self.inputs, &mut self.textures);
        let (report, outputs) = ran.map_err(|fault| fault.to_string())?;
        Ok(Outcome { module: self.module, interpreter: self.interpreter, report, outputs })
    }
}

/// What came out of a run.
pub struct Outcome<'m, D: Domain = Exact> {
    module: &'m Module,
    interpreter: Interpreter<'m, D>,
    /// What the run reported.
    pub report: Report,
    outputs: Attributes,
}

impl<D: Domain> Outcome<'_, D> {
    /// The outputs of the module by name, with the location or built-in of each.
    pub fn names(&self) -> Vec<(String, Option<u32>, Option<u32>)> {
        let outputs = self.module.globals.iter().filter(|g| g.space == Space::Output);
        outputs.map(|g| (g.name.clone(), g.binding.location, g.binding.builtin)).collect()
    }

    /// The scalars of an output; integers as the floats of their bits.
    pub fn output(&self, name: &str, invocation: usize) -> Option<Vec<f64>> {
        let words = self.words(name, invocation);
        (!words.is_empty()).then(|| words.iter().map(|&word| f32::from_bits(word).into()).collect())
    }

    /// The words of an output, in the order of memory; none if there is no such output.
    pub fn words(&self, name: &str, invocation: usize) -> Vec<u32> {
        let is = |g: &chiaro_ir::Global| g.space == Space::Output && g.name == name;
        let Some(i) = self.module.globals.iter().position(is) else { return Vec::new() };
        let row = self.outputs.get(&GlobalRef(i as u32)).and_then(|rows| rows.get(invocation));
        let mut words = Vec::new();
        self.collect(self.module.globals[i].ty, row.map_or(&[], Vec::as_slice), &mut words);
        words
    }

    /// The words of all outputs of an invocation by name: structures by that of their type, too;
    /// members that are built-ins by their own.
    pub fn all(&self, invocation: usize) -> Vec<(String, Vec<u32>)> {
        self.named(|g| self.outputs.get(&g).and_then(|rows| rows.get(invocation)).map_or(&[], Vec::as_slice))
    }

    /// The same of a vertex that a geometry shader emitted.
    pub fn emitted(&self, vertex: &Emitted) -> Vec<(String, Vec<u32>)> {
        self.named(|g| vertex.outputs.get(g.0 as usize).map_or(&[], Vec::as_slice))
    }

    fn named<'a>(&self, bytes: impl Fn(GlobalRef) -> &'a [u8]) -> Vec<(String, Vec<u32>)> {
        let mut found = Vec::new();
        let outputs = self.module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Output);
        for (i, global) in outputs {
            let bytes = bytes(GlobalRef(i as u32));
            let words = |ty: Ty, at: usize| {
                let mut words = Vec::new();
                self.collect(ty, bytes.get(at..).unwrap_or_default(), &mut words);
                words
            };
            match self.module.types.get(global.ty) {
                Type::Struct(..) if global.members.iter().all(|m| m.builtin.is_none()) => {
                    // Blocks meet by the first, other structures by the second.
                    let names = [block_name(self.module, global.ty), &global.name];
                    found.extend(names.map(|name| (name.to_owned(), words(global.ty, 0))));
                }
                Type::Struct(_, members) => {
                    let places = members.iter().enumerate().map(|(m, member)| {
                        let at = self.interpreter.offset_of(global.ty, m as u32) as usize;
                        (member.name.clone(), words(member.ty, at))
                    });
                    found.extend(places);
                }
                _ => found.push((global.name.clone(), words(global.ty, 0))),
            }
        }
        found
    }

    fn collect(&self, ty: Ty, bytes: &[u8], words: &mut Vec<u32>) {
        let types = &self.module.types;
        let Some(count) = types.part_count(ty) else {
            words.push(bytes.first_chunk::<4>().map_or(0, |w| u32::from_le_bytes(*w)));
            return;
        };
        for i in 0..count {
            let at = self.interpreter.offset_of(ty, i) as usize;
            if let (Some(part), Some(rest)) = (types.part(ty, i), bytes.get(at..)) {
                self.collect(part, rest, words);
            }
        }
    }
}

/// The name of a block, or of an array of them; empty for what is none.
pub(crate) fn block_name(module: &Module, mut ty: Ty) -> &str {
    loop {
        match module.types.get(ty) {
            Type::Struct(name, _) => return name,
            Type::Array(elem, ..) => ty = *elem,
            _ => return "",
        }
    }
}

fn is_opaque(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage(_) | Type::AccelerationStructure => true,
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => is_opaque(module, *elem),
        _ => false,
    }
}
