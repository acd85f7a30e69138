//! Our own format: a part, or parts linked to a program, with everything that a driver or a tool has to
//! know of them.
//!
//! The file is [`MAGIC`], [`VERSION`] as 32 bits, then [`File`] with its fields in the order of their
//! declaration (`stored`): numbers little-endian, a byte for a name or a truth, lists and texts behind
//! their length in 32 bits. There is no padding, and nothing may follow.

pub use super::member::{Member, Scalar};
use super::stored::{Bytes, Stored, names, stored};
use super::{Error, Program};
use crate::abi::counts::MOST_COEFFICIENTS;
#[cfg(feature = "json")]
use crate::abi::key::Key;
use crate::abi::link::{self, Binding, Flags};
use crate::check::contract::Contract;
use crate::check::flags;
use crate::check::step::steps;
use crate::isa::{GENERATIONS, isa};
use crate::regs::halves::Halves;
use crate::regs::{GPR_HALVES, MOST_LOCAL, MOST_THREADS, STACK_WORD, UNIFORM_HALVES};

/// What stands for the descriptor set of push constants.
pub const PUSH: u32 = u32::MAX;
/// What stands for the descriptor set of the descriptors themselves.
pub const HEAP: u32 = u32::MAX - 1;
/// What stands for the descriptor set of the records of vertices that are computed in software.
pub const OUTPUTS: u32 = u32::MAX - 2;
/// What stands for the descriptor set of variables outside of blocks, whose binding is their number in the source.
pub const LOOSE: u32 = u32::MAX - 3;
/// The name of the address of the input assembly's state.
pub const INPUT_ASSEMBLY: &str = "input assembly";
/// The name of the uniform that is all ones where no epilog decides which samples are gone.
pub const ALONE: &str = "no epilog discard";
/// The name of the places of samples: a byte each, in sixteenths of a pixel.
pub const SAMPLE_POSITIONS: &str = "sample positions";
/// The name of the threadgroups of a dispatch.
pub const GROUPS: &str = "gl_NumWorkGroups";
/// How a file begins.
pub const MAGIC: &[u8; 8] = b"\x7fchiaroA";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 3;

/// A file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct File {
    /// An index of [`GENERATIONS`].
    pub generation: u8,
    /// What the program is for.
    pub stage: Stage,
    /// Samples that a fragment program is run for one by one; 0 without sample shading.
    pub samples: u8,
    /// The code: of one part, or linked.
    pub code: Vec<u8>,
    /// Its parts in order; between them stands what the linker put there.
    pub parts: Vec<Part>,
    /// What runs once before, with the halves that it uses; no bytes if there is nothing.
    pub preamble: Vec<u8>,
    /// Halves of registers of the preamble.
    pub preamble_halves: u16,
    /// Constants that stand in uniforms: the first half, and the bytes.
    pub constants: Vec<(u16, Vec<u8>)>,
    /// Bytes of threadgroup memory.
    pub local: u32,
    /// Threads of a threadgroup.
    pub size: [u32; 3],
    /// What uniforms hold.
    pub uniforms: Vec<Held>,
    /// What texture and sampler states hold.
    pub states: Vec<State>,
    /// What buffers hold, member by member.
    pub members: Vec<Member>,
    /// What the words of a vertex hold.
    pub words: Vec<Words>,
    /// Source files by name.
    pub sources: Vec<String>,
    /// Where instructions come from.
    pub spans: Vec<Span>,
}

/// What a program is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// Workgroups.
    #[default]
    Compute,
    /// Vertices, with varyings.
    Vertex,
    /// Vertices that are computed.
    SoftwareVertex,
    /// Fragments.
    Fragment,
}

/// Which part of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// All of it, or what the shader itself became.
    #[default]
    Main,
    /// What comes before.
    Prolog,
    /// What comes behind.
    Epilog,
}

/// A part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Which.
    pub role: Role,
    /// Bytes from the start of the code, and bytes of it.
    pub offset: u32,
    /// How many bytes it has.
    pub size: u32,
    /// Halves of general registers.
    pub halves: u16,
    /// Words of the stack.
    pub scratch: u32,
    /// What it does.
    pub flags: Flags,
    /// What its coefficient registers hold.
    pub bindings: Vec<Binding>,
    /// What it needs and leaves.
    pub contract: Contract,
    /// The key that it was made from as JSON; of a main part, what it says to the epilog. Empty if nobody
    /// said it.
    pub key: String,
}

/// What uniform halves hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// The first half.
    pub first: u16,
    /// How many.
    pub halves: u16,
    /// What.
    pub what: What,
    /// Its name.
    pub name: String,
    /// Descriptor set, or the number of a driver's table.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Bytes from the start of the binding or table.
    pub member: u32,
}

/// Kinds of what uniforms hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum What {
    /// Bytes of a binding, or of a driver's table.
    #[default]
    Member,
    /// The address of a buffer.
    Address,
    /// Bytes of a buffer, as a number.
    Size,
    /// A parameter of the draw.
    Draw,
    /// A constant of the program.
    Constant,
    /// A result of the preamble.
    Preamble,
}

/// What a texture or sampler state register holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    /// Whether it is a sampler.
    pub is_sampler: bool,
    /// The register. Sampler 0 is the drivers' own.
    pub register: u8,
    /// Its name.
    pub name: String,
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
}

/// Words of a vertex that hold one thing (spec 27.1).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// What: [`POSITION`], [`POINT_SIZE`], or the name of the uniform that says where a varying begins once the
    /// program meets a fragment program.
    pub name: String,
    /// The location of a varying, or its number among those of its name.
    pub member: u32,
    /// The first word; of varyings where they follow one another as they are.
    pub first: u16,
    /// How many.
    pub count: u16,
}

/// The words of the position.
pub const POSITION: &str = "position";
/// The word of a point's size.
pub const POINT_SIZE: &str = "point size";
/// How the names of words begin that a location of the source has.
pub const VARYING: &str = "varying ";

impl Words {
    /// The location that they are the varying of.
    #[must_use]
    pub fn location(&self) -> Option<u32> {
        self.name.starts_with(VARYING).then_some(self.member)
    }
}

/// Where an instruction comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// Bytes from the start of the code; it holds up to the next.
    pub offset: u32,
    /// Number of the source file.
    pub source: u32,
    /// Line, from 1.
    pub line: u32,
}

names! {
    Stage { Compute, Vertex, SoftwareVertex, Fragment }
    Role { Main, Prolog, Epilog }
    What { Member, Address, Size, Draw, Constant, Preamble }
}

stored! {
    File {
        generation, stage, samples, code, parts, preamble, preamble_halves, constants, local, size,
        uniforms, states, members, words, sources, spans,
    }
    Words { name, member, first, count }
    Part { role, offset, size, halves, scratch, flags, bindings, contract, key }
    Flags {
        reads_tib, writes_sample_mask, disable_tri_merging, tag_write_disable, uses_base_param, uses_txf,
    }
    Binding { slot, offset, count, base, smooth, perspective }
    Contract {
        needs, leaves, changes, uniforms, coefficients, stops, kills, tests, writes_depth, halves, stack,
    }
    Held { first, halves, what, name, set, binding, member }
    State { is_sampler, register, name, set, binding }
    Span { offset, source, line }
}

impl Stored for Halves {
    fn write(&self, to: &mut Vec<u8>) {
        self.words().write(to);
    }
    fn read(from: &mut Bytes<'_>) -> Result<Halves, Error> {
        <[u64; 4]>::read(from).map(Halves::of_words)
    }
}

/// The most stack that a thread is given: the compiler asks for no more.
const LARGEST_STACK: u32 = 1 << 20;

impl File {
    /// A file of one part with its contract.
    #[must_use]
    pub fn of_part(stage: Stage, role: Role, code: &[u8], generation: u8) -> File {
        let part = Part::of(stage, role, code, generation);
        File { generation, stage, code: code.to_vec(), parts: vec![part], ..File::default() }
    }

    /// Bytes of the stack that a thread is given where the file is run: as many as its parts ask for, within reason.
    #[must_use]
    pub fn stack_bytes(&self) -> usize {
        let words = self.parts.iter().map(|part| part.scratch).max().unwrap_or(0);
        words.saturating_mul(STACK_WORD).min(LARGEST_STACK) as usize
    }

    /// Reads a file; what it says agrees with itself.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn read(bytes: &[u8]) -> Result<File, Error> {
        let mut from = Bytes::new(bytes, 0);
        if from.take(MAGIC.len())? != MAGIC {
            return Err(Error::new(0, "this is no file of ours"));
        }
        let version = u32::read(&mut from)?;
        if version != VERSION {
            return Err(Error::new(8, format!("version {version}; version {VERSION} is read")));
        }
        let start = from.place();
        let file = <File as Stored>::read(&mut from)?;
        if from.place() < bytes.len() {
            let left = bytes.len() - from.place();
            return Err(Error::new(from.place(), format!("{left} bytes are left behind the end")));
        }
        file.verify().map_err(|message| Error::new(start, message))?;
        Ok(file)
    }

    /// The bytes of the file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        VERSION.write(&mut bytes);
        Stored::write(self, &mut bytes);
        bytes
    }

    /// Whether places and numbers are within what there is.
    fn verify(&self) -> Result<(), String> {
        let within = |what: &str, used: usize, allowed: usize| match used <= allowed {
            true => Ok(()),
            false => Err(format!("{what}: {used}, {allowed} allowed")),
        };
        within("the number of the generation", self.generation.into(), GENERATIONS.len() - 1)?;
        within("samples that are shaded", self.samples.into(), 4)?;
        let threads = self.size.iter().fold(1u32, |all, n| all.saturating_mul(*n));
        within("threads of a threadgroup", threads as usize, MOST_THREADS as usize)?;
        within("bytes of threadgroup memory", self.local as usize, MOST_LOCAL as usize)?;
        let mut end = 0;
        for part in &self.parts {
            let (first, size) = (part.offset as usize, part.size as usize);
            if first < end {
                return Err(format!(
                    "the part at {first:#x} lies over the one before, which ends at {end:#x}"
                ));
            }
            end = first + size;
            within("the end of a part in the code", end, self.code.len())?;
            within("halves of registers", part.halves.into(), GPR_HALVES.into())?;
            let read = part.contract.uniforms.iter().max().map_or(0, |&half| usize::from(half) + 1);
            within("halves of uniforms that a part reads", read, UNIFORM_HALVES.into())?;
            for binding in &part.bindings {
                let end = usize::from(binding.base) + usize::from(binding.count);
                within("the last coefficient register of a binding", end, MOST_COEFFICIENTS.into())?;
            }
        }
        for held in &self.uniforms {
            let end = usize::from(held.first) + usize::from(held.halves);
            within("the last half of a uniform", end, UNIFORM_HALVES.into())?;
        }
        for (first, bytes) in &self.constants {
            within(
                "the last half of constants",
                usize::from(*first) + bytes.len().div_ceil(2),
                UNIFORM_HALVES.into(),
            )?;
        }
        let sources = self.sources.len();
        match self.spans.iter().find(|span| span.source as usize >= sources) {
            Some(span) => Err(format!("source file {} of {sources}", span.source)),
            None => Ok(()),
        }
    }

    /// The code of a part.
    #[must_use]
    pub fn code_of(&self, part: &Part) -> &[u8] {
        self.code.get(part.offset as usize..(part.offset + part.size) as usize).unwrap_or_default()
    }

    /// The keys that its prolog and epilog were made from, where the file says them.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn keys(&self) -> Vec<Key> {
        let read = self.parts.iter().filter_map(|part| serde_json::from_str(&part.key).ok());
        read.filter_map(|value: serde_json::Value| Key::of_json(&value).ok()).collect()
    }

    /// What the linker takes of a part.
    #[must_use]
    pub fn linkable<'a>(&'a self, part: &'a Part) -> link::Part<'a> {
        let Part { halves, scratch, flags, bindings, .. } = part;
        link::Part { code: self.code_of(part), halves: *halves, scratch: *scratch, flags: *flags, bindings }
    }

    /// Words of the record of a vertex that is computed in software.
    #[must_use]
    pub fn record(&self) -> usize {
        const SLOT: usize = 4;
        SLOT * self.words.len()
    }

    /// The code and the preamble, where they stand in the bytes of the file.
    #[must_use]
    pub fn programs(&self) -> Vec<Program> {
        // Magic, version, three bytes, and the length of the code.
        let start = MAGIC.len() + 4 + 3 + 4;
        let (stage, halves) = (Some(self.stage), Some(self.linked().halves));
        let code = Program::new("code", start..start + self.code.len());
        let mut all = vec![Program { stage, halves, ..code }];
        if !self.preamble.is_empty() {
            let mut before = Vec::new();
            self.parts.write(&mut before);
            let start = start + self.code.len() + before.len() + 4;
            let halves = Some(self.preamble_halves).filter(|halves| *halves > 0);
            all.push(Program { halves, ..Program::new("preamble", start..start + self.preamble.len()) });
        }
        all
    }

    /// The source line of a place in the code.
    #[must_use]
    pub fn line(&self, offset: u32) -> Option<(&str, u32)> {
        let at = self.spans.partition_point(|span| span.offset <= offset).checked_sub(1)?;
        let span = self.spans[at];
        // Parts of keys have no lines: they do not stand in those of the part before.
        let part = self.parts.iter().map(|part| part.offset).filter(|start| *start <= offset).max();
        if part.is_some_and(|start| span.offset < start) {
            return None;
        }
        Some((self.sources.get(span.source as usize)?, span.line))
    }
}

impl Part {
    /// What words alone say of a part that is all of some code.
    #[must_use]
    pub fn of(stage: Stage, role: Role, code: &[u8], generation: u8) -> Part {
        let standing = flags::Standing { is_fragment: stage == Stage::Fragment, is_main: role == Role::Main };
        let isa = isa(generation);
        let steps = steps(code, isa);
        let contract = Contract::of_steps(&steps, isa);
        Part {
            role,
            offset: 0,
            size: code.len() as u32,
            halves: contract.halves.max(1),
            scratch: contract.stack.max(0) as u32,
            flags: flags::flags_of(&steps, standing),
            bindings: Vec::new(),
            contract,
            key: String::new(),
        }
    }
}

impl Role {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Role); 3] =
        [("prolog", Role::Prolog), ("main", Role::Main), ("epilog", Role::Epilog)];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Role::NAMES.iter().find(|(_, role)| *role == self).map_or("main", |(name, _)| name)
    }
}

impl Stage {
    /// All of them, by name.
    pub const NAMES: [(&'static str, Stage); 4] = [
        ("compute", Stage::Compute),
        ("vertex", Stage::Vertex),
        ("software-vertex", Stage::SoftwareVertex),
        ("fragment", Stage::Fragment),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Stage::NAMES.iter().find(|(_, stage)| *stage == self).map_or("compute", |(name, _)| name)
    }
}
