//! Where a program meets the driver: registers of inputs and outputs, places in the constant file,
//! numbers of textures. spec sections 19 and 20.
//!
//! | what | place |
//! |---|---|
//! | attributes | registers from r0.x on, each vector or column its own, in the order of locations |
//! | vertex and instance number | a register each behind the attributes |
//! | barycentric coordinates | r0.x and r0.y, if a varying is read |
//! | gl_FragCoord, gl_FrontFacing | four full registers behind them; a half register |
//! | varyings | scalars in the order of locations, each input up to its last component that is read |
//! | outputs | any run of registers; the position and each colour four of them |
//! | driver parameters | c0 to c7, if one of them is read |
//! | numbers of an invocation and of its group | x to z of a vec4 each, from r0 on: where A3xx has them is [unknown] |
//! | storage buffers | numbers in the order of declaration |
//! | uniforms | behind them, one vec4 for each scalar, vector, column and element |
//! | uniform blocks | behind those, as their bytes lie in memory; of a block without room its address |
//! | immediates | behind those, each bit pattern once |
//! | textures | numbers in the order of declaration; the sampler has the number of its texture |

#[cfg(feature = "compile")]
pub mod constants;

/// Words of a stage's constant file, in components, that driver parameters take [ir3_const.h].
pub const DRIVER_PARAMETERS: u16 = 8 * 4;

/// What a component is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// binary32.
    #[default]
    Float,
    /// 32 bits with a sign.
    Int,
    /// 32 bits without.
    Uint,
    /// 0 and 1 in registers; 0 and any other number in uniforms [spec section 19].
    Bool,
}

impl Kind {
    /// Every kind with its name in containers.
    pub const NAMES: [(Kind, &'static str); 4] =
        [(Kind::Float, "float"), (Kind::Int, "int"), (Kind::Uint, "uint"), (Kind::Bool, "bool")];
}

/// The stage of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stage {
    /// Vertices.
    #[default]
    Vertex,
    /// Fragments.
    Fragment,
    /// Groups of invocations.
    Compute,
}

impl Stage {
    /// Every stage with its name in containers.
    pub const NAMES: [(Stage, &'static str); 3] =
        [(Stage::Vertex, "vertex"), (Stage::Fragment, "fragment"), (Stage::Compute, "compute")];

    /// Its name in containers.
    #[must_use]
    pub fn name(self) -> &'static str {
        Stage::NAMES[self as usize].1
    }
}

/// How a varying is interpolated. The word is the same for all; state registers tell them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Interpolation {
    /// Corrected for perspective.
    #[default]
    Smooth,
    /// Linear on the screen: the coordinates are other registers' than those of smooth ones.
    Linear,
    /// The value of one vertex.
    Flat,
}

/// Where an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// An attribute; its location.
    Attribute(u8),
    /// gl_VertexID less the driver's base, which is a driver parameter.
    Vertex,
    /// gl_InstanceID.
    Instance,
    /// A varying: its first scalar, which is what `bary.f` names, and its location.
    Varying {
        /// First scalar.
        slot: u8,
        /// Location that the source or the linker gave.
        location: u8,
        /// How it is interpolated.
        interpolation: Interpolation,
    },
    /// A varying that the hardware replaces by the place within the point: its first scalar.
    PointCoordinate(u8),
    /// The barycentric pair of smooth varyings.
    Barycentric,
    /// x and y of the fragment in sixteenths, as integers, then z and 1 / w.
    FragCoord,
    /// 0 in front, -1 behind, in a half register.
    Facing,
    /// The number of an invocation within its group, in three registers [assumed].
    LocalId,
    /// The number of the group, in three registers [assumed].
    GroupId,
}

/// An input, as far as a program reads it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its name in the source; of built-ins that of the language.
    pub name: String,
    /// Which column or element of the variable; 0 for the first or only one.
    pub part: u16,
    /// Where it comes from.
    pub source: Source,
    /// Its first register, four to a vec4; `None` for varyings, which instructions fetch.
    pub register: Option<u16>,
    /// How many components the registers or scalars hold.
    pub components: u8,
    /// What they are.
    pub kind: Kind,
}

/// What an output is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sink {
    /// The position of a vertex.
    Position,
    /// The size of a point.
    PointSize,
    /// A varying at a location.
    Varying(u8),
    /// The colour of a target.
    Colour(u8),
    /// The depth of the fragment.
    Depth,
}

/// An output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// Its name in the source.
    pub name: String,
    /// Which column or element of the variable.
    pub part: u16,
    /// What it is for.
    pub sink: Sink,
    /// Its first register: components follow one another.
    pub register: u16,
    /// How many components it has.
    pub components: u8,
    /// Whether they are half registers.
    pub half: bool,
    /// What they are.
    pub kind: Kind,
}

/// A uniform, or a leaf of one: scalars, vectors, matrices and arrays of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Its name, `lights[2].colour`.
    pub name: String,
    /// The block that it is in.
    pub block: Option<String>,
    /// Its first component in the constant file.
    pub at: u16,
    /// Components of a vector or column.
    pub components: u8,
    /// Elements of an array times columns; 0 for a scalar or vector.
    pub entries: u16,
    /// Components from one of those to the next.
    pub stride: u16,
    /// What a component is.
    pub kind: Kind,
}

/// A texture with its sampler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Texture {
    /// Its name.
    pub name: String,
    /// Its number, which is that of its sampler.
    pub number: u8,
    /// How many: more than one for an array.
    pub count: u8,
}

/// A uniform block that does not fit the constant file: it stays in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// The component of the constant file that holds its address, 32 bits.
    pub pointer: u16,
    /// How many bytes of it the program may read.
    pub bytes: u32,
}

/// A buffer that the program writes or reads by its number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Storage {
    /// Its name.
    pub name: String,
    /// Its number.
    pub number: u8,
    /// Bytes before its runtime array, or all of them.
    pub bytes: u32,
}

/// All that a driver, or a simulator in its place, has to set up and may read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// The stage.
    pub stage: Stage,
    /// Inputs that the program reads.
    pub inputs: Vec<Input>,
    /// Outputs.
    pub outputs: Vec<Output>,
    /// Uniforms that the program reads.
    pub uniforms: Vec<Uniform>,
    /// Uniform blocks in memory.
    pub buffers: Vec<Buffer>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Constants beside the code: component of the constant file and bits.
    pub immediates: Vec<(u16, u32)>,
    /// Bytes of private memory that a fiber needs.
    pub private_bytes: u32,
    /// Storage buffers.
    pub storage: Vec<Storage>,
    /// Bytes of local memory that a group needs.
    pub local_bytes: u32,
    /// Invocations of a group in each direction; zeros outside of compute.
    pub workgroup: [u32; 3],
    /// Whether the first three driver parameters are the numbers of groups.
    pub has_group_counts: bool,
}

impl Interface {
    /// vec4 of the constant file up to the highest that is set.
    #[must_use]
    pub fn constant_length(&self) -> u16 {
        let uniform =
            |u: &Uniform| u.at + u.stride * u.entries.max(1).saturating_sub(1) + u16::from(u.components);
        let pointers = self.buffers.iter().map(|buffer| buffer.pointer + 1);
        let immediates = self.immediates.iter().map(|(at, _)| at + 1);
        let ends = self.uniforms.iter().map(uniform).chain(pointers).chain(immediates);
        ends.max().unwrap_or(0).div_ceil(4)
    }

    /// Full registers that hold outputs at the end.
    #[must_use]
    pub fn full_outputs(&self) -> Vec<u16> {
        let registers = |o: &Output| o.register..o.register + u16::from(o.components);
        self.outputs.iter().filter(|o| !o.half).flat_map(registers).collect()
    }

    /// Scalars of varyings that the program fetches.
    #[must_use]
    pub fn varying_scalars(&self) -> u32 {
        let scalars = |i: &Input| match i.source {
            Source::Varying { slot, .. } | Source::PointCoordinate(slot) => {
                u32::from(slot) + u32::from(i.components)
            }
            _ => 0,
        };
        self.inputs.iter().map(scalars).max().unwrap_or(0)
    }
}
