//! Command lists: what a driver writes to the GPU's registers to load a program, in both directions.
//!
//! A command is a parameter, a header and further parameters, padded to 8 bytes. The header has the
//! register in bits 0-15, which bytes of it are written in 16-19, the number of further parameters in
//! 20-27, and in bit 31 whether they go to the registers that follow or all to the same one, as the
//! transfer registers want it. \[3dbrew: GPU/Commands] Registers: spec section 17.

use super::outmap::{OutputMap, SLOTS, UNUSED, enabled};
use super::{ConstantValue, Dvle, Shbin, Stage, UniformRegister, pack_float24};
use crate::regs::{VERTEX_WORDS, gpu};

/// The command with which every list of ours begins: the vertex unit's code goes to word 0.
pub const MAGIC: [u8; 8] = [0, 0, 0, 0, 0xcb, 0x02, 0x0f, 0];

/// Parameters in a command: one, and up to 255 further ones.
const MOST_VALUES: usize = 256;

/// A command: values for a register, or for registers in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The first register, or the only one.
    pub register: u16,
    /// Which bytes are written; bit 0 is the lowest.
    pub bytes: u8,
    /// Whether each further value goes to the next register.
    pub consecutive: bool,
    /// The values, 1 to 256.
    pub values: Vec<u32>,
}

impl Command {
    /// One value for one register, or for some of its bytes.
    fn of(register: u16, bytes: u8, value: u32) -> Command {
        Command { register, bytes, consecutive: false, values: vec![value] }
    }

    /// The registers with their values, in the order of writing.
    pub fn writes(&self) -> impl Iterator<Item = (u16, u32)> {
        let register = |i| self.register.wrapping_add(if self.consecutive { i as u16 } else { 0 });
        self.values.iter().enumerate().map(move |(i, &value)| (register(i), value))
    }
}

/// The bytes of a command list.
pub fn to_bytes(commands: &[Command]) -> Vec<u8> {
    let mut words = Vec::new();
    for command in commands {
        let (first, more) = command.values.split_first().unwrap_or((&0, &[]));
        let more = &more[..more.len().min(MOST_VALUES - 1)];
        let header = u32::from(command.register) | u32::from(command.bytes & 15) << 16;
        words.push(*first);
        words.push(header | (more.len() as u32) << 20 | u32::from(command.consecutive) << 31);
        words.extend(more);
        words.resize(words.len().next_multiple_of(2), 0);
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Reads a command list. Any input is safe.
///
/// # Errors
/// A sentence that says where the list breaks off.
pub fn read(bytes: &[u8]) -> Result<Vec<Command>, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!("{} bytes are no whole number of words", bytes.len()));
    }
    let words: Vec<u32> = words.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let (mut at, mut commands) = (0, Vec::new());
    while at < words.len() {
        let broken = || format!("the command at byte {:#x} is cut off", at * 4);
        let header = *words.get(at + 1).ok_or_else(broken)?;
        let more = (header >> 20 & 0xff) as usize;
        let further = words.get(at + 2..at + 2 + more).ok_or_else(broken)?;
        commands.push(Command {
            register: header as u16,
            bytes: (header >> 16 & 15) as u8,
            consecutive: header >> 31 != 0,
            values: [&words[at..=at], further].concat(),
        });
        at += (2 + more).next_multiple_of(2);
    }
    Ok(commands)
}

/// What loads the first vertex program of a file and the first geometry program, if there is one.
///
/// Attribute k of the host goes to vk, and uniforms hold the constants of the file: what the host
/// sets itself comes after this.
///
/// # Errors
/// A sentence that says what the registers cannot hold.
pub fn upload(shbin: &Shbin) -> Result<Vec<Command>, String> {
    let first = |stage| shbin.executables.iter().find(|dvle| dvle.stage == stage);
    let vertex = first(Stage::Vertex).ok_or("the file has no vertex program")?;
    let geometry = first(Stage::Geometry);
    let mut list = List::default();
    list.unit(&VERTEX, shbin, vertex, inputs(vertex));
    list.one(gpu::VSH_NUM_ATTR, inputs(vertex) - 1);
    list.byte(gpu::VSH_COM_MODE, u32::from(geometry.is_some()));
    list.byte(gpu::GEOSTAGE_CONFIG, if geometry.is_some() { 2 } else { 0 });
    if let Some(geometry) = geometry {
        list.unit(&GEOMETRY, shbin, geometry, stride(vertex, geometry));
        list.geometry(vertex, geometry);
    }
    list.outputs(vertex, geometry)?;
    Ok(list.0)
}

/// A shader unit: its registers, and how much of the code it gets.
struct Unit {
    base: u16,
    /// Bits of INPUTBUFFER_CONFIG that are always set.
    config: u32,
    words: usize,
}

const VERTEX: Unit = Unit { base: gpu::VERTEX, config: 0xa000_0000, words: VERTEX_WORDS };
const GEOMETRY: Unit = Unit { base: gpu::GEOMETRY, config: 0x0800_0000, words: usize::MAX };

/// The upper half of registers whose lower half alone is used.
const UPPER: u32 = 0x7fff_0000;

/// Input register k for attribute k.
const IDENTITY: [u32; 2] = [0x7654_3210, 0xfedc_ba98];

/// Attributes that a program takes: up to the last that it reads, at least one.
fn inputs(dvle: &Dvle) -> u32 {
    (u16::BITS - dvle.inputs.leading_zeros()).max(1)
}

/// Outputs that a program has, at least one.
fn outputs(dvle: &Dvle) -> u32 {
    enabled(&dvle.outputs).count_ones().max(1)
}

/// Registers that arrive for each invocation of a geometry program: a vertex, or in point mode all
/// vertices of a primitive.
fn stride(vertex: &Dvle, geometry: &Dvle) -> u32 {
    match geometry.geometry[0] {
        0 => inputs(geometry).next_multiple_of(outputs(vertex)),
        _ => outputs(vertex),
    }
}

/// Commands in the making.
#[derive(Default)]
struct List(Vec<Command>);

impl List {
    fn one(&mut self, register: u16, value: u32) {
        self.0.push(Command::of(register, 15, value));
    }

    /// The lowest byte of a register whose other bytes belong to the host.
    fn byte(&mut self, register: u16, value: u32) {
        self.0.push(Command::of(register, 1, value));
    }

    /// All values to one register, in as many commands as they take.
    fn fifo(&mut self, register: u16, values: &[u32]) {
        let command = |values: &[u32]| Command { values: values.to_vec(), ..Command::of(register, 15, 0) };
        self.0.extend(values.chunks(MOST_VALUES / 2).map(command));
    }

    /// Values to registers in a row.
    fn row(&mut self, register: u16, values: &[u32]) {
        self.0.push(Command { consecutive: true, values: values.to_vec(), ..Command::of(register, 15, 0) });
    }

    /// Code, descriptors, constants, entry and inputs of a unit.
    fn unit(&mut self, unit: &Unit, shbin: &Shbin, dvle: &Dvle, attributes: u32) {
        let at = |offset: u16| unit.base + offset;
        let code = &shbin.program.code;
        self.one(at(gpu::CODETRANSFER_INDEX), 0);
        self.fifo(at(gpu::CODETRANSFER_DATA), &code[..code.len().min(unit.words)]);
        self.one(at(gpu::CODETRANSFER_END), 1);
        let descriptors: Vec<u32> = shbin.program.descriptors.iter().map(|pair| pair[0]).collect();
        self.one(at(gpu::OPDESCS_INDEX), 0);
        self.fifo(at(gpu::OPDESCS_DATA), &descriptors);
        self.constants(unit, dvle);
        self.one(at(gpu::ENTRYPOINT), UPPER | dvle.entry & 0xffff);
        let to_uniforms = u32::from(dvle.stage == Stage::Geometry && dvle.geometry[0] != 0) << 8;
        self.one(at(gpu::INPUTBUFFER_CONFIG), unit.config | to_uniforms | (attributes - 1) & 15);
        self.row(at(gpu::ATTRIBUTES_PERMUTATION), &IDENTITY);
        self.one(at(gpu::OUTMAP_MASK), enabled(&dvle.outputs).into());
    }

    fn constants(&mut self, unit: &Unit, dvle: &Dvle) {
        let mut bools = 0;
        for constant in &dvle.constants {
            match (constant.target().map(UniformRegister::index), constant.value()) {
                (Some(n), Some(ConstantValue::Bool(on))) => bools |= u32::from(on) << n,
                (Some(n), Some(ConstantValue::Int(bytes))) => {
                    let register = unit.base + gpu::INTUNIFORM + u16::from(n);
                    self.one(register, u32::from_le_bytes(bytes));
                }
                (Some(n), Some(ConstantValue::Float(raw))) => {
                    // Bit 31 is clear: three words of float24.
                    self.one(unit.base + gpu::FLOATUNIFORM_INDEX, n.into());
                    self.fifo(unit.base + gpu::FLOATUNIFORM_DATA, &pack_float24(raw));
                }
                _ => {}
            }
        }
        self.one(unit.base + gpu::BOOLUNIFORM, UPPER | bools);
    }

    /// How vertices arrive at the geometry unit (spec sections 16 and 17).
    fn geometry(&mut self, vertex: &Dvle, geometry: &Dvle) {
        let [mode, first, full, count] = geometry.geometry.map(u32::from);
        let fixed = (count.max(1) - 1 & 15) << 8 | (outputs(vertex) - 1 & 15) << 12 | first << 16 | 1 << 24;
        self.one(gpu::GSH_MISC0, mode | if mode == 2 { fixed } else { 0 });
        self.one(gpu::GSH_MISC1, if mode == 1 { full.max(1) - 1 } else { 0 });
        if mode == 1 {
            self.0.push(Command::of(gpu::GEOSTAGE_CONFIG, 8, 1 << 31));
        }
    }

    /// The output maps: which outputs the rasteriser gets, and what they are for.
    fn outputs(&mut self, vertex: &Dvle, geometry: Option<&Dvle>) -> Result<(), String> {
        let last = geometry.unwrap_or(vertex);
        let mut map = OutputMap::packed(&last.outputs);
        if last.merge == 1 {
            map = merged(&OutputMap::packed(&vertex.outputs), &map);
        }
        if map.total as usize > SLOTS {
            return Err(format!("the output map has {SLOTS} places, and there are {} outputs", map.total));
        }
        self.one(gpu::SH_OUTMAP_TOTAL, map.total);
        self.row(gpu::SH_OUTMAP_O, &map.words);
        self.one(gpu::SH_OUTATTR_MODE, map.mode);
        self.one(gpu::SH_OUTATTR_CLOCK, map.clock);
        let of_vertices = outputs(vertex) - 1;
        self.one(gpu::VSH_OUTMAP_TOTAL1, of_vertices);
        self.one(gpu::VSH_OUTMAP_TOTAL2, of_vertices);
        self.byte(gpu::PRIMITIVE_CONFIG, outputs(last) - 1);
        Ok(())
    }
}

/// Both maps in one: words of both, then those of the geometry program alone, then those of the vertex
/// program alone. \[libctru]
fn merged(vertex: &OutputMap, geometry: &OutputMap) -> OutputMap {
    let used =
        |map: &OutputMap| -> Vec<u32> { map.words.iter().copied().filter(|&word| word != UNUSED).collect() };
    let (of_vertex, of_geometry) = (used(vertex), used(geometry));
    let mut words: Vec<u32> = of_geometry.iter().copied().filter(|word| of_vertex.contains(word)).collect();
    words.extend(of_geometry.iter().filter(|word| !of_vertex.contains(word)));
    words.extend(of_vertex.iter().filter(|word| !of_geometry.contains(word)));
    let mut map = OutputMap { total: words.len() as u32, words: [UNUSED; SLOTS], ..*geometry };
    map.words.iter_mut().zip(words).for_each(|(slot, word)| *slot = word);
    map.mode |= vertex.mode;
    map.clock |= vertex.clock;
    map
}
