//! What Mesa's driver does with a binary: where constants, inputs and outputs are.
//!
//! The places stand in the head and tail of the listing. Uniforms of the default block are packed
//! without gaps. What the listing does not say is the order in which the linker took varyings,
//! textures and blocks, and which components it found unused: an [`Order`] is a guess of that.

use std::sync::Arc;

use chiaro_a3xx::machine::{Binding, Machine, World};
use chiaro_ir::{Constant, ConstantKind, Global, ImageType, Module, Space, Type};
use serde_json::Value;

use super::strings;
use crate::stages::a3xx::numbers;
use crate::stages::texture::{image_of, make};

/// Where the pointers of blocks lead to.
pub(super) const BLOCK_ADDRESS: u32 = 0x1000_0000;
/// SPIR-V's number of the fragment's place.
const FRAG_COORD: u32 = 15;
/// Bytes between blocks.
pub(super) const BLOCK_STRIDE: u32 = 0x10_0000;

/// A guess of what the listing does not say. Numbers count variables in the order of the source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Order {
    varyings: Vec<usize>,
    textures: Vec<usize>,
    blocks: Vec<usize>,
    /// Components of varyings that take no place.
    unused: Vec<(String, u16)>,
    /// Components of outputs that are always the first one's number stand at its place.
    merged: bool,
}

impl Order {
    /// All guesses, the order of the source first.
    pub(super) fn all(row: &Value, module: &Module, unused: &[(String, u16)]) -> Vec<Order> {
        let varyings = match row["stage"] == "frag" {
            true => names(row, module, Space::Input).len(),
            false => outputs_of(module).len(),
        };
        let samplers = textures_of(row, module).len();
        let blocks = module.globals.iter().filter(|g| g.space == Space::Uniform).count();
        let mut all = Vec::new();
        for blocks in permutations(blocks) {
            for textures in permutations(samplers) {
                for varyings in permutations(varyings) {
                    let order = Order {
                        varyings,
                        textures: textures.clone(),
                        blocks: blocks.clone(),
                        ..Order::default()
                    };
                    all.push(order.clone());
                    if row["stage"] == "vert" {
                        all.push(Order { merged: true, ..order.clone() });
                    }
                    if !unused.is_empty() {
                        all.push(Order { unused: unused.to_vec(), ..order });
                    }
                }
            }
        }
        all
    }
}

/// All orders of a few things; that of many as it is.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..n {
        let insert = |order: &Vec<usize>, at: usize| {
            let mut order = order.clone();
            order.insert(at, next);
            order
        };
        let most = if n > 5 { next..=next } else { 0..=next };
        all = all.iter().flat_map(|order| most.clone().rev().map(move |at| insert(order, at))).collect();
    }
    all
}

/// A scalar after the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) register: u16,
    pub(super) half: bool,
}

/// An input of one invocation: where it goes.
pub(super) enum Input {
    /// Registers from a number on, with as many components of the attribute.
    Registers {
        name: String,
        first: u16,
        width: u16,
        /// Values of the variable that belong to other columns.
        skip: usize,
    },
    /// Varying scalars, by their locations.
    Varying {
        name: String,
        locations: Vec<u16>,
    },
    FragCoord(u16),
    Barycentric(u16),
    VertexId(u16),
    PointCoord(u16),
}

/// Everything that the driver knows of a binary.
#[derive(Default)]
pub(super) struct Driver {
    pub(super) constants: Vec<(usize, Vec<u32>)>,
    pub(super) blocks: Vec<(u32, Vec<u8>)>,
    pub(super) textures: Vec<Binding>,
    pub(super) samplers: Vec<chiaro_sim::texture::Sampler>,
    pub(super) inputs: Vec<Input>,
    pub(super) outputs: Vec<Place>,
}

impl Place {
    pub(super) fn read(&self, machine: &Machine, lane: usize) -> u32 {
        if self.half { machine.half(self.register).0[lane] } else { machine.full(self.register).0[lane] }
    }
}

impl Driver {
    pub(super) fn new(binary: &Value, row: &Value, module: &Module, order: &Order) -> Result<Driver, String> {
        let mut driver = Driver {
            constants: Vec::new(),
            blocks: Vec::new(),
            textures: Vec::new(),
            samplers: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        driver.constants(&strings(&binary["head"]), &blocks(row, module, order))?;
        driver.textures(row, module, order);
        let tail = strings(&binary["tail"]);
        let of = |what: &str| -> Vec<Slot> {
            let line = tail.iter().find_map(|line| line.split_once(what)).map_or("", |(_, rest)| rest);
            slots(line)
        };
        driver.inputs(&of(" inputs: "), row, module, order);
        driver.outputs(&of(" outputs: "), row, module, order);
        Ok(driver)
    }

    pub(super) fn world(&self) -> World {
        let mut world = World::default();
        for (first, words) in &self.constants {
            world.set_constants(*first, words);
        }
        for (number, (binding, sampler)) in self.textures.iter().zip(&self.samplers).enumerate() {
            world.bind(number, binding.clone(), *sampler);
        }
        world.memory.global.clone_from(&self.blocks);
        world
    }

    /// Immediates, pushed ranges of blocks, pointers to blocks.
    fn constants(&mut self, head: &[&str], blocks: &[Vec<u32>]) -> Result<(), String> {
        for line in head.iter().filter_map(|line| line.strip_prefix("@const(")) {
            let (place, words) = line.split_once(')').ok_or("a constant without a place")?;
            let words = words.trim().split(", ").map(|w| u32::from_str_radix(w.trim_start_matches("0x"), 16));
            let words: Result<Vec<u32>, _> = words.collect();
            self.constants.push((register(place)?.into(), words.map_err(|e| e.to_string())?));
        }
        for at in (0..head.len()).filter(|at| head[*at].contains("range[")) {
            let field =
                |n: usize| head.get(at + n).and_then(|l| l.split_once(':')).map_or("", |(_, v)| v.trim());
            let block = field(1).parse::<usize>().map_err(|e| e.to_string())?;
            let (_, bounds) = field(3).split_once('(').ok_or("a range without bounds")?;
            let bound = |text: &str| text.trim_matches([' ', 'b', ')']).parse::<usize>().unwrap_or(0) / 4;
            let (from, to) = bounds.split_once("->").ok_or("a range without bounds")?;
            let words = blocks.get(block).ok_or("a range of a block that is not there")?;
            let to = bound(to).min(words.len());
            let words = words.get(bound(from).min(to)..to).unwrap_or_default().to_vec();
            self.constants.push((register(field(2))?.into(), words));
        }
        if let Some(line) = head.iter().find(|line| line.contains("ubo_ptrs")) {
            let place = line.split_whitespace().nth(2).unwrap_or_default();
            let address = |n: usize| BLOCK_ADDRESS + n as u32 * BLOCK_STRIDE;
            self.constants.push((register(place)?.into(), (0..blocks.len()).map(address).collect()));
            let bytes = |words: &Vec<u32>| words.iter().flat_map(|w| w.to_le_bytes()).collect();
            self.blocks = blocks.iter().enumerate().map(|(n, words)| (address(n), bytes(words))).collect();
        }
        Ok(())
    }

    fn textures(&mut self, row: &Value, module: &Module, order: &Order) {
        let all = textures_of(row, module);
        for (image, units) in order.textures.iter().map(|n| &all[*n]) {
            for unit in units {
                let (texture, sampler) = make(*unit as u32, image);
                self.textures.push(Binding { texture: Arc::new(texture), shape: image.into() });
                self.samplers.push(sampler);
            }
        }
    }

    fn inputs(&mut self, slots: &[Slot], row: &Value, module: &Module, order: &Order) {
        let varyings = if row["stage"] == "frag" { names(row, module, Space::Input) } else { Vec::new() };
        let varyings = packed(&varyings, order, slots);
        for (name, locations) in varyings {
            self.inputs.push(Input::Varying { name, locations });
        }
        let attributes = names(row, module, Space::Input);
        for slot in slots {
            let first = slot.register;
            let generic = slot.what.strip_prefix("VERT_ATTRIB_GENERIC").and_then(|n| n.parse::<usize>().ok());
            self.inputs.push(match (slot.what.as_str(), generic) {
                (_, Some(n)) => {
                    let name = attributes.get(n).map_or("", |(name, _)| name.as_str()).to_owned();
                    Input::Registers { name, first, width: 4, skip: 0 }
                }
                ("SYSTEM_VALUE_FRAG_COORD", _) => Input::FragCoord(first),
                ("SYSTEM_VALUE_VERTEX_ID_ZERO_BASE", _) => Input::VertexId(first),
                ("VARYING_SLOT_PNTC", _) => Input::PointCoord(slot.location),
                (what, _) if what.starts_with("SYSTEM_VALUE_BARYCENTRIC") => Input::Barycentric(first),
                _ => continue,
            });
        }
    }

    fn outputs(&mut self, slots: &[Slot], row: &Value, module: &Module, order: &Order) {
        let four =
            |slot: &Slot| (0..4).map(|n| Place { register: slot.register + n, half: slot.half }).collect();
        let mut colours: Vec<(u16, Vec<Place>)> = Vec::new();
        for slot in slots {
            match slot.what.strip_prefix("FRAG_RESULT_DATA").map(str::parse) {
                Some(Ok(n)) => colours.push((n, four(slot))),
                _ if slot.what == "FRAG_RESULT_COLOR" => colours.push((0, four(slot))),
                _ => {}
            }
        }
        colours.sort_by_key(|(n, _)| *n);
        self.outputs.extend(colours.into_iter().flat_map(|(_, places)| places));
        if row["stage"] == "vert" {
            self.vertex_outputs(slots, row, order, &places_of(&outputs_of(module), order));
        }
    }

    fn vertex_outputs(
        &mut self,
        slots: &[Slot],
        row: &Value,
        order: &Order,
        scalars: &[(String, Vec<Option<u16>>)],
    ) {
        let at = |what: &str| slots.iter().find(|slot| slot.what == what);
        for name in row["outputs"].as_str().unwrap_or_default().split(',') {
            let found: Vec<Option<u16>> = match name {
                "gl_Position" => (0..4).map(|n| Some(at("VARYING_SLOT_POS")?.register + n)).collect(),
                "gl_PointSize" => vec![at("VARYING_SLOT_PSIZ").map(|slot| slot.register)],
                _ => {
                    let scalars = scalars.iter().find(|(n, _)| n == name).map_or(&[][..], |(_, s)| s);
                    let one = |s: &Option<u16>| {
                        let s = (*s)?;
                        Some(at(&format!("VARYING_SLOT_VAR{}", s / 4))?.register + s % 4)
                    };
                    let mut found: Vec<Option<u16>> = scalars.iter().map(one).collect();
                    if order.merged && is_one_number(row, self.outputs.len(), found.len()) {
                        let first = found[0];
                        found.fill(first);
                    }
                    found
                }
            };
            let place = |register: Option<u16>| Place { register: register.unwrap_or(u16::MAX), half: false };
            self.outputs.extend(found.into_iter().map(place));
        }
    }

    /// Puts the inputs of a sample into a lane, which is one of its quad.
    pub(super) fn load(&self, machine: &mut Machine, row: &Value, k: usize, lane: usize, of_quad: usize) {
        let (x, y) = ((of_quad % 2) as f32, (of_quad / 2) as f32);
        let mut set = |n: u16, bits: u32| machine.full_mut(n).0[lane] = bits;
        for given in &self.inputs {
            match given {
                Input::Registers { name, first, width, skip } => {
                    let values = input(row, name, k);
                    for n in 0..*width {
                        let fill = if n == 3 { 1.0f32.to_bits() } else { 0 };
                        set(first + n, values.get(skip + usize::from(n)).copied().unwrap_or(fill));
                    }
                }
                // x and y come with four bits behind the point, w as its inverse.
                Input::FragCoord(first) => {
                    let fixed = |v: f32| ((v + 0.5) * 16.0) as u32;
                    set(*first, fixed(k as f32 + x));
                    set(first + 1, fixed(y));
                    set(first + 2, 0.5f32.to_bits());
                    set(first + 3, 1.0f32.to_bits());
                }
                Input::Barycentric(first) => {
                    set(*first, 0);
                    set(first + 1, 0);
                }
                Input::VertexId(first) => set(*first, k as u32),
                Input::Varying { .. } | Input::PointCoord(_) => {}
            }
        }
        self.load_varyings(machine, row, k, lane, [x, y]);
    }

    fn load_varyings(&self, machine: &mut Machine, row: &Value, k: usize, lane: usize, [x, y]: [f32; 2]) {
        let mut set = |location: u16, bits: u32| {
            if let Some([first, ..]) = machine.varying_mut(location) {
                first.0[lane] = bits;
            }
        };
        for given in &self.inputs {
            match given {
                Input::Varying { name, locations } => {
                    let values = input(row, name, k);
                    locations.iter().zip(values).for_each(|(location, value)| set(*location, value));
                }
                Input::PointCoord(location) => {
                    set(*location, (0.5 + x).to_bits());
                    set(location + 1, (0.5 + y).to_bits());
                }
                _ => {}
            }
        }
    }
}

/// A part of a listing's inputs or outputs: `r0.z (VARYING_SLOT_VAR0 slot=32 cm=3,il=0,b=1)`.
struct Slot {
    register: u16,
    half: bool,
    what: String,
    location: u16,
}

fn slots(line: &str) -> Vec<Slot> {
    let mut found = Vec::new();
    for part in line.split(')') {
        let Some((place, what)) = part.split_once('(') else { continue };
        let mut words = what.split([' ', ',']);
        let name = words.next().unwrap_or_default().to_owned();
        let location = words.find_map(|w| w.strip_prefix("il=")).and_then(|n| n.parse().ok()).unwrap_or(0);
        let place = place.trim();
        let register = register(place.trim_start_matches('h')).unwrap_or(u16::MAX);
        found.push(Slot { register, half: place.starts_with('h'), what: name, location });
    }
    found
}

/// The number of `r1.y` or `c1.y`.
fn register(text: &str) -> Result<u16, String> {
    let wrong = || format!("`{text}` is no register");
    let (number, component) = text.trim().get(1..).and_then(|t| t.split_once('.')).ok_or_else(wrong)?;
    let component = "xyzw".find(component).ok_or_else(wrong)?;
    Ok(number.parse::<u16>().map_err(|_| wrong())? * 4 + component as u16)
}

/// The uniform of a name, however its array is written.
pub(super) fn uniform<'r>(row: &'r Value, name: &str) -> Option<&'r Value> {
    let uniforms = row["uniforms"].as_object()?;
    uniforms.get(name).or_else(|| uniforms.get(&format!("{name}[0]")))
}

/// Textures that the row has, in the order of the source, with their units.
fn textures_of(row: &Value, module: &Module) -> Vec<(ImageType, Vec<f64>)> {
    let globals = module.globals.iter().filter(|g| g.space == Space::UniformConstant);
    let texture = |g: &Global| Some((image_of(module, g.ty)?.0, numbers(&uniform(row, &g.name)?["unit"])));
    globals.filter_map(texture).collect()
}

/// The words of each block: loose uniforms first, then named blocks in their order, then constant
/// arrays of the source.
fn blocks(row: &Value, module: &Module, order: &Order) -> Vec<Vec<u32>> {
    let words = |global: &Global| {
        let name = if global.name.is_empty() { block_name(module, global.ty) } else { &global.name };
        let found = uniform(row, name).or_else(|| uniform(row, block_name(module, global.ty)))?;
        let integer = found["type"].as_str().is_some_and(|t| t.starts_with(['i', 'u']));
        let word = |v: f64| if integer { v as i64 as u32 } else { (v as f32).to_bits() };
        let sampler = found["type"] == "sampler";
        (!sampler).then(|| numbers(&found["v"]).into_iter().map(word).collect::<Vec<u32>>())
    };
    let of = |space: Space| {
        module.globals.iter().filter(|g| g.space == space).map(|g| words(g).unwrap_or_default()).collect()
    };
    let (loose, named): (Vec<Vec<u32>>, Vec<Vec<u32>>) = (of(Space::UniformConstant), of(Space::Uniform));
    let mut all = vec![loose.concat()];
    // Behind the uniforms stands how y of a fragment's place is turned round: not at all.
    let place = |g: &Global| g.space == Space::Input && g.binding.builtin == Some(FRAG_COORD);
    if module.globals.iter().any(place) {
        let end = all[0].len().next_multiple_of(4);
        all[0].resize(end, 0);
        all[0].extend([1.0f32.to_bits(), 0]);
    }
    all.extend(order.blocks.iter().map(|n| named[*n].clone()));
    let constants = (0..module.constants.len() as u32).map(Constant);
    let arrays = constants.filter(|c| matches!(module.types.get(module.constants.ty(*c)), Type::Array(..)));
    all.extend(arrays.map(|c| scalars_of(module, c)));
    all
}

/// The words of a constant, one for each scalar; elements of arrays begin at a vec4 each.
fn scalars_of(module: &Module, c: Constant) -> Vec<u32> {
    match module.constants.get(c) {
        ConstantKind::Composite(parts) => {
            let in_array = matches!(module.types.get(module.constants.ty(c)), Type::Array(..));
            let part = |part: &Constant| {
                let mut words = scalars_of(module, *part);
                let room = if in_array { words.len().next_multiple_of(4) } else { words.len() };
                words.resize(room, 0);
                words
            };
            parts.iter().flat_map(part).collect()
        }
        _ => vec![module.constants.bits(c).unwrap_or(0) as u32],
    }
}

/// Whether some values of a row, from one on, are the same number in all samples.
fn is_one_number(row: &Value, first: usize, count: usize) -> bool {
    let same = |sample: &Value| (1..count).all(|n| sample[first + n] == sample[first]);
    row["result"].as_array().is_some_and(|samples| samples.iter().all(same))
}

fn block_name(module: &Module, ty: chiaro_ir::Ty) -> &str {
    match module.types.get(ty) {
        Type::Struct(name, _) => name,
        _ => "",
    }
}

/// Inputs that the row has, with their sizes, in the order of the source.
fn names(row: &Value, module: &Module, space: Space) -> Vec<(String, u16)> {
    let globals = module.globals.iter().filter(|g| g.space == space && g.binding.builtin.is_none());
    let given = globals.filter_map(|g| {
        let values = numbers(&row["inputs"][&g.name]["v"][0]);
        (!values.is_empty()).then(|| (g.name.clone(), values.len() as u16))
    });
    given.collect()
}

fn outputs_of(module: &Module) -> Vec<(String, u16)> {
    let globals = module.globals.iter().filter(|g| g.space == Space::Output && g.binding.builtin.is_none());
    let size = |ty| module.types.part_count(ty).map_or(1, |n| n as u16);
    globals.map(|g| (g.name.clone(), size(g.ty))).collect()
}

/// Varyings in a guessed order with their scalars; those that are unused have none.
fn places_of(varyings: &[(String, u16)], order: &Order) -> Vec<(String, Vec<Option<u16>>)> {
    let mut next = 0;
    let mut place = |(name, width): &(String, u16)| {
        let scalars = (0..*width).map(|n| {
            let used = !order.unused.contains(&(name.clone(), n));
            used.then(|| {
                next += 1;
                next - 1
            })
        });
        (name.clone(), scalars.collect())
    };
    order.varyings.iter().filter_map(|n| varyings.get(*n)).map(&mut place).collect()
}

/// Varyings with the locations of their scalars.
fn packed(varyings: &[(String, u16)], order: &Order, slots: &[Slot]) -> Vec<(String, Vec<u16>)> {
    let location = |scalar: &Option<u16>| {
        let Some(scalar) = scalar else { return u16::MAX };
        let what = format!("VARYING_SLOT_VAR{}", scalar / 4);
        slots.iter().find(|slot| slot.what == what).map_or(u16::MAX, |slot| slot.location + scalar % 4)
    };
    let places = places_of(varyings, order).into_iter();
    places.map(|(name, scalars)| (name, scalars.iter().map(location).collect())).collect()
}

/// The bits of a sample of an input.
fn input(row: &Value, name: &str, k: usize) -> Vec<u32> {
    let input = &row["inputs"][name];
    let integer = input["type"].as_str().is_some_and(|ty| ty.starts_with(['i', 'u']));
    let bits = |v: f64| if integer { v as i64 as u32 } else { (v as f32).to_bits() };
    numbers(&input["v"][k]).into_iter().map(bits).collect()
}
