//! The hub: words, the source text of each instruction, and what SPIR-V cannot say.

use chiaro_diag::Span;

use crate::instruction::instructions;

/// The number of a result.
pub type Id = u32;

/// A shader module in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// SPIR-V in this machine's byte order, the header included.
    pub words: Vec<u32>,
    /// The source text of each instruction, in their order; instructions past the end of the
    /// list have none. Our own modules hold no `OpLine`: it is written on export.
    pub spans: Vec<Option<Span>>,
    /// Names and properties of everything that the host program sees.
    pub interface: Interface,
}

impl Module {
    /// The ending that GLSL's files have for the stage of the first entry point.
    #[must_use]
    pub fn stage_ending(&self) -> Option<&'static str> {
        use spirv::ExecutionModel as M;
        let mut all = instructions(&self.words).map_while(Result::ok);
        let entry = all.find(|inst| inst.op == spirv::Op::EntryPoint)?;
        Some(match M::from_u32(entry.word(0))? {
            M::Vertex => "vert",
            M::TessellationControl => "tesc",
            M::TessellationEvaluation => "tese",
            M::Geometry => "geom",
            M::TaskEXT | M::TaskNV => "task",
            M::MeshEXT | M::MeshNV => "mesh",
            M::Fragment => "frag",
            M::GLCompute => "comp",
            M::RayGenerationKHR => "rgen",
            M::IntersectionKHR => "rint",
            M::AnyHitKHR => "rahit",
            M::ClosestHitKHR => "rchit",
            M::MissKHR => "rmiss",
            M::CallableKHR => "rcall",
            _ => return None,
        })
    }
}

/// What the host program has to know about a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// The language that the module was written in.
    pub source: Source,
    /// What its clip coordinates mean.
    pub clip: Clip,
    /// Every variable that the host program or another stage sees, in the order of the words.
    pub variables: Vec<Variable>,
    /// What the source asks of a target (`#pragma chiaro ...`): key and value.
    pub settings: Vec<(String, String)>,
}

/// A source language and its version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// The language.
    pub language: Language,
    /// Its version as the language counts (`300` of `#version 300 es`); 0 where it has none.
    pub version: u32,
}

/// Source languages with a convention of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Language {
    /// Not known, or one of no interest.
    #[default]
    Unknown,
    /// GLSL of OpenGL ES.
    Essl,
    /// GLSL of desktop OpenGL or Vulkan.
    Glsl,
    /// HLSL.
    Hlsl,
    /// WGSL.
    Wgsl,
}

/// What clip coordinates mean. They are never remapped silently.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Clip {
    /// +y is up, z from -w to w.
    Gl,
    /// +y is down, z from 0 to w.
    #[default]
    Vulkan,
    /// +y is up, z from 0 to w.
    WebGpu,
}

/// A variable of the interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its id in the words.
    pub id: Id,
    /// Its own name; empty for a block without an instance name.
    pub name: String,
    /// Where it lives.
    pub class: spirv::StorageClass,
    /// Descriptor set.
    pub set: Option<u32>,
    /// Binding in the set.
    pub binding: Option<u32>,
    /// The built-in of an old language that it stands for.
    pub legacy: Option<Legacy>,
    /// Whether the output goes to every render target (`gl_FragColor`).
    pub broadcast: bool,
    /// Whether the output's old value is read (`inout` of framebuffer fetch).
    pub framebuffer_fetch: bool,
    /// Its parts without structure: scalars, vectors, matrices, opaque objects, and arrays of
    /// these, each with the name by which the host asks for it. At most
    /// [`Variable::MOST_LEAVES`] are listed.
    pub leaves: Vec<Leaf>,
}

impl Variable {
    /// Leaves of a variable that are listed at most: a few words can declare billions.
    pub const MOST_LEAVES: usize = 4096;
}

/// A part of a variable that has no members of its own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Leaf {
    /// The name in the manner of OpenGL's queries: `lights[2].tex`.
    pub name: String,
    /// Elements if the leaf is an array (0: as many as the buffer holds), `None` if it is none.
    pub count: Option<u32>,
    /// Location: of attributes, varyings and targets, and of OpenGL's uniforms.
    pub location: Option<u32>,
    /// Bytes from the start of its block.
    pub offset: Option<u32>,
    /// Precision qualifier.
    pub precision: Precision,
    /// Whether it is an external image (`samplerExternalOES`).
    pub external: bool,
}

/// Precision qualifiers of OpenGL ES.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Precision {
    /// At least 8 bits behind the point.
    Low,
    /// At least 10 significant bits; `RelaxedPrecision` of foreign modules is this.
    Medium,
    /// 32 bits.
    #[default]
    High,
}

/// Built-ins that SPIR-V has no number for, or numbers that only OpenGL's flavour has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Legacy {
    /// `gl_VertexID`.
    VertexId,
    /// `gl_InstanceID`: without the base instance.
    InstanceId,
    /// `gl_FragColor`.
    FragColor,
    /// `gl_FragData`.
    FragData,
    /// Attributes, varyings and state of fixed functions (`gl_Vertex`, `gl_TexCoord`).
    FixedFunction,
}
