//! Vertex shaders: their words of vertices, or as kernels the slots of their buffer (spec 26.1, 27).

use chiaro_agx::machine::{Group, Launch, SimdGroup};
use chiaro_ir::{Module, Space};
use chiaro_isa::Rng;
use chiaro_sim::Lanes;
use chiaro_sim::mapped::{Mapped, Range};

use super::given::{Given, buffers, input};
use super::ready::Ready;
use super::source::{Comparison, Output, bits, runs, variables};
use super::tables::{ROOT, Tables, root, stage};
use super::textures::All;
use crate::agx::linked::Unit;
use crate::suite::Miss;

/// Vertices of a run.
const VERTICES: usize = 32;
/// Where the block of uniforms lies, the buffer of outputs, the address of that, and the state of input assembly.
const UNIFORM: u64 = 0x11_0000_0000;
const OUTPUTS: u64 = 0x12_0000_0000;
const POINTER: u64 = 0x13_0000_0000;
const ASSEMBLY: u64 = 0x14_0000_0000;

/// SPIR-V's numbers of built-ins.
mod builtin {
    pub(super) const POSITION: u32 = 0;
    pub(super) const POINT_SIZE: u32 = 1;
    pub(super) const CLIP_DISTANCE: u32 = 3;
    pub(super) const LAYER: u32 = 9;
    pub(super) const VIEWPORT: u32 = 10;
    pub(super) const VERTEX: [u32; 2] = [5, 42];
    pub(super) const INSTANCE: [u32; 2] = [6, 43];
}

/// A driver's slots of outputs.
mod slot {
    pub(super) const POINT_SIZE: usize = 12;
    pub(super) const CLIP_DISTANCE: usize = 17;
    pub(super) const LAYER: usize = 22;
    pub(super) const VIEWPORT: usize = 23;
    pub(super) const GENERIC: usize = 32;
}

pub(super) fn compare(unit: &Unit, module: &Module) -> Result<(), Miss> {
    let mut memory = Mapped::default();
    let images = All::new(module, &mut memory)?;
    let given = given(module, &images);
    let left = runs(module, &given)?;
    let outputs = written(module);
    let is_software = unit.object["stage"] == "vert_sw";
    let mut ready = words(unit, module, (&given, &images), memory, &outputs)?;
    ready.run([0; 3])?;
    let group = &ready.group.simdgroups[0];
    let places = Places { unit, outputs: &outputs };
    let mut comparison = Comparison::new("vertices");
    for output in &outputs {
        let rows: Vec<_> = left.iter().filter_map(|left| left.outputs.get(&output.global)).collect();
        for (n, scalar) in output.scalars.iter().enumerate() {
            for vertex in 0..VERTICES {
                let source = rows.iter().map(|rows| bits(&rows[vertex], *scalar));
                let source: Vec<u64> = source.map(|bits| limited(output, is_software, bits)).collect();
                let found = match is_software {
                    true => places.stored(&ready.memory, output, n, vertex),
                    false => places.word(group, output, n, vertex),
                };
                let place = || format!("component {n} of `{}` of vertex {vertex}", output.name);
                let found = found.ok_or_else(|| format!("{} is not written", place()))?;
                comparison.scalar(&place, *scalar, &source, found.into());
            }
        }
    }
    comparison.finish()
}

/// What the driver makes of a number: sizes of points are not below 1 (spec 27.1).
fn limited(output: &Output, is_software: bool, bits: u64) -> u64 {
    match output.builtin {
        Some(builtin::POINT_SIZE) if !is_software => f32::from_bits(bits as u32).max(1.0).to_bits().into(),
        _ => bits,
    }
}

/// Outputs of the source that a vertex shader of the units writes; the block of built-ins has more.
fn written(module: &Module) -> Vec<Output> {
    let stores = chiaro_target::proof::Program { module, entry: &module.entries[0] }.written();
    let mut all = variables(module, Space::Output);
    all.retain(|output| stores.contains(&output.global));
    all
}

fn given(module: &Module, images: &All) -> Given {
    let mut rng = Rng(3);
    let mut inputs = chiaro_ir::interp::Attributes::new();
    for variable in variables(module, Space::Input) {
        let size = variable.scalars.iter().map(|s| s.at + usize::from(s.width) / 8).max().unwrap_or(4);
        let row = |vertex: usize| {
            let mut bytes = vec![0; size];
            for scalar in &variable.scalars {
                let bits = match variable.builtin {
                    Some(n) if builtin::VERTEX.contains(&n) => vertex as u64,
                    Some(n) if builtin::INSTANCE.contains(&n) => instance(vertex).into(),
                    _ => input(*scalar, &mut rng),
                };
                let width = usize::from(scalar.width) / 8;
                bytes[scalar.at..scalar.at + width].copy_from_slice(&bits.to_le_bytes()[..width]);
            }
            bytes
        };
        let rows = (0..VERTICES).map(row).collect();
        inputs.insert(variable.global, rows);
    }
    Given {
        buffers: buffers(module, "", 5),
        inputs,
        count: VERTICES,
        groups: None,
        images: images.store.clone(),
        in_halves: false,
        undefined: 0,
    }
}

/// The instance of a vertex: they need not be of one.
fn instance(vertex: usize) -> u32 {
    vertex as u32 / 8
}

/// A batch of vertices that is ready to run.
pub(super) fn ready(unit: &Unit, module: &Module) -> Result<Ready, Miss> {
    let mut memory = Mapped::default();
    let images = All::new(module, &mut memory)?;
    words(unit, module, (&given(module, &images), &images), memory, &written(module))
}

/// The words with what the driver binds.
fn words(
    unit: &Unit,
    module: &Module,
    (given, images): (&Given, &All),
    mut memory: Mapped,
    outputs: &[Output],
) -> Result<Ready, Miss> {
    let places = Places { unit, outputs };
    let mut tables = Tables::new(unit, images.bound.clone());
    for (slot, word) in places.varyings() {
        tables.put(ROOT, root::OUTPUT_WORDS + 2 * slot, &(word as u16).to_le_bytes());
    }
    tables.put(ROOT, root::OUTPUT_BUFFER, &POINTER.to_le_bytes());
    tables.put(ROOT, root::INPUT_ASSEMBLY, &ASSEMBLY.to_le_bytes());
    tables.put(ROOT, root::OUTPUTS, &places.mask().to_le_bytes());
    let mut map =
        |name: &str, base: u64, bytes: Vec<u8>| memory.map(Range { name: name.to_owned(), base, bytes });
    map("outputs", OUTPUTS, vec![0; 16 * VERTICES * places.mask().count_ones() as usize])?;
    map("pointer", POINTER, OUTPUTS.to_le_bytes().to_vec())?;
    let mut assembly = vec![0; 16];
    assembly[12..].copy_from_slice(&(VERTICES as u32).to_le_bytes());
    map("input assembly", ASSEMBLY, assembly)?;
    if let Some((_, bytes)) = given.buffers.iter().find(|(g, _)| module.global(*g).space == Space::Uniform) {
        tables.put_stage(stage::UNIFORM, &UNIFORM.to_le_bytes());
        tables.put_stage(stage::UNIFORM_SIZE, &(bytes.len() as u32).to_le_bytes());
        map("uniforms", UNIFORM, bytes.clone())?;
    }
    let registers = registers(module, given);
    let enter = move |group: &mut Group| {
        registers.iter().for_each(|(register, lanes)| group.simdgroups[0].set_word(*register, *lanes));
    };
    Ready::new(unit, Launch::default(), &tables, memory, Box::new(enter))
}

/// The IDs, and attributes where the ABI has them.
fn registers(module: &Module, given: &Given) -> Vec<(u16, Lanes)> {
    let mut all =
        vec![(5, Lanes(std::array::from_fn(|lane| lane as u32))), (6, Lanes(std::array::from_fn(instance)))];
    for variable in variables(module, Space::Input).iter().filter(|variable| variable.builtin.is_none()) {
        let rows = &given.inputs[&variable.global];
        for (n, scalar) in (0..).zip(&variable.scalars) {
            let lanes = Lanes(std::array::from_fn(|lane| bits(&rows[lane], *scalar) as u32));
            all.push((8 + 4 * variable.location as u16 + n, lanes));
        }
    }
    all
}

/// Where outputs are.
struct Places<'a> {
    unit: &'a Unit,
    outputs: &'a [Output],
}

impl Places<'_> {
    /// The word at which a group of outputs begins.
    fn group(&self, n: usize) -> usize {
        super::tables::listed(&self.unit.object["uvs_groups"], n)
    }

    /// Slots of varyings with their first words, as linking places smooth ones.
    fn varyings(&self) -> Vec<(usize, usize)> {
        let mut slots: Vec<(usize, usize)> = self
            .outputs
            .iter()
            .filter_map(|output| {
                let slot = slot_of(output)?;
                (!matches!(slot, 0 | slot::POINT_SIZE | slot::LAYER)).then_some((slot, output.scalars.len()))
            })
            .collect();
        slots.sort_unstable();
        let mut next = self.group(1);
        let mut place = |(slot, words): (usize, usize)| {
            next += words;
            (slot, next - words)
        };
        slots.into_iter().map(&mut place).collect()
    }

    /// The slots of the buffer of a kernel.
    fn mask(&self) -> u64 {
        self.outputs.iter().filter_map(slot_of).fold(0, |mask, slot| mask | 1 << slot)
    }

    /// A component in the words of a vertex.
    fn word(&self, group: &SimdGroup, output: &Output, n: usize, vertex: usize) -> Option<u32> {
        let (word, shift, mask) = match output.builtin {
            Some(builtin::POSITION) => (n, 0, u32::MAX),
            Some(builtin::POINT_SIZE) => (self.group(2), 0, u32::MAX),
            Some(builtin::CLIP_DISTANCE) => (self.group(4) + n, 0, u32::MAX),
            Some(builtin::LAYER) => (self.group(3), 0, 0xffff),
            Some(builtin::VIEWPORT) => (self.group(3), 16, 0xffff),
            _ => {
                let slot = slot_of(output)?;
                (self.varyings().iter().find(|(known, _)| *known == slot)?.1 + n, 0, u32::MAX)
            }
        };
        let (written, lanes) = group.outputs().get(word)?;
        (written >> vertex & 1 == 1).then(|| lanes.0[vertex] >> shift & mask)
    }

    /// A component in the buffer of a kernel.
    fn stored(&self, memory: &Mapped, output: &Output, n: usize, vertex: usize) -> Option<u32> {
        let (mask, slot) = (self.mask(), slot_of(output)? + n / 4);
        let at =
            16 * (vertex * mask.count_ones() as usize + (mask & ((1 << slot) - 1)).count_ones() as usize);
        Some(memory.load(OUTPUTS + (at + 4 * (n % 4)) as u64, 4)? as u32)
    }
}

fn slot_of(output: &Output) -> Option<usize> {
    Some(match output.builtin {
        None => slot::GENERIC + output.location as usize,
        Some(builtin::POSITION) => 0,
        Some(builtin::POINT_SIZE) => slot::POINT_SIZE,
        Some(builtin::CLIP_DISTANCE) => slot::CLIP_DISTANCE,
        Some(builtin::LAYER) => slot::LAYER,
        Some(builtin::VIEWPORT) => slot::VIEWPORT,
        _ => return None,
    })
}
