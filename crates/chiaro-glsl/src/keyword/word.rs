//! A word of the language: what it means, and since when.

use crate::extension::Extensions;
use crate::qualifier::{HeapKind, RayStorage};
use crate::source::{Profile, Version};
use crate::ty::{Opaque, Scalar};

/// A word of the language.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    /// As it is spelled.
    pub(crate) text: &'static str,
    /// What it means where it is a keyword.
    pub(crate) meaning: Meaning,
    /// First versions of ES and desktop in which it is a keyword; 0 is never.
    pub(crate) from: (u16, u16),
    /// First versions of ES and of desktop's core profile in which it no longer is; 0 is never.
    pub(crate) until: (u16, u16),
    /// First versions in which nobody may use it as a name; 0 is never.
    pub(crate) reserved: (u16, u16),
    /// Any of these makes it a keyword.
    pub(crate) extensions: &'static [&'static str],
    /// A keyword only where another word follows; elsewhere a name (`sampler`, `texture2D`).
    pub(crate) soft: bool,
}

/// What a word means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are the language's own words")]
pub(crate) enum Meaning {
    Void,
    /// A scalar, vector or matrix: scalar, columns, rows.
    Number(Scalar, u8, u8),
    Opaque(Opaque),
    /// A word of GL_EXT_spirv_intrinsics.
    Spirv(crate::ast::SpirvWord),
    /// `spirv_type`, a type that the source brings itself.
    SpirvType,
    /// A type with others in angle brackets.
    Template(crate::ast::Template),
    Qualifier(Simple),
    Subroutine,
    Layout,
    Precision,
    Struct,
    If,
    Else,
    For,
    While,
    Do,
    Switch,
    Case,
    Default,
    Break,
    Continue,
    Return,
    Discard,
    Demote,
    /// `ignoreIntersectionEXT`, `terminateRayEXT`: a call without brackets.
    EndOfRay,
    Bool(bool),
    /// `unsigned int` of GL_EXT_gpu_shader4.
    Unsigned,
    /// Kept for the future.
    Reserved,
}

/// Qualifiers that are one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are the language's own words")]
pub(crate) enum Simple {
    Const,
    In,
    Out,
    Inout,
    Attribute,
    Varying,
    Uniform,
    Buffer,
    Shared,
    Centroid,
    Sample,
    Patch,
    Smooth,
    Flat,
    NoPerspective,
    Invariant,
    Precise,
    Coherent,
    Volatile,
    Restrict,
    ReadOnly,
    WriteOnly,
    NonUniform,
    /// `pervertexEXT`.
    PerVertex,
    /// `rayPayloadEXT` and so on.
    Ray(RayStorage),
    /// `__explicitInterpAMD`.
    Explicit,
    /// `perprimitiveEXT`.
    PerPrimitive,
    /// `taskNV`.
    PerTask,
    /// `taskPayloadSharedEXT`.
    TaskPayload,
    /// `resourceheap`, `samplerheap`.
    Heap(HeapKind),
    /// `tileImageEXT`.
    TileImage,
    /// `nontemporal`, `nonprivate`: hints that change nothing here.
    NonTemporal,
    Low,
    Medium,
    High,
}

/// What a word is in a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// A word of the language.
    Keyword,
    /// Nobody may use it.
    Reserved,
    /// A name.
    Name,
}

impl Word {
    /// What the word is in a version, for the token with a number.
    pub(crate) fn status(&self, version: Version, extensions: &Extensions, token: u32) -> Status {
        let gone = match version.is_es() {
            true => self.until.0 != 0 && version.number >= self.until.0,
            false => self.until.1 != 0 && version.number >= self.until.1 && version.profile == Profile::Core,
        };
        let from = version.at_least(self.from.0, self.from.1) && !gone;
        if from || self.extensions.iter().any(|name| extensions.enabled(name, token)) {
            return Status::Keyword;
        }
        // What was removed stays reserved; what was kept for the future may be given up.
        let kept = version.at_least(self.reserved.0, self.reserved.1);
        let reserved = if self.meaning == Meaning::Reserved { kept && !gone } else { kept || gone };
        if reserved { Status::Reserved } else { Status::Name }
    }

    pub(crate) const fn since(mut self, es: u16, desktop: u16) -> Word {
        self.from = (es, desktop);
        self
    }

    pub(crate) const fn until(mut self, es: u16, core: u16) -> Word {
        self.until = (es, core);
        self
    }

    pub(crate) const fn reserved(mut self, es: u16, desktop: u16) -> Word {
        self.reserved = (es, desktop);
        self
    }

    pub(crate) const fn with(mut self, extensions: &'static [&'static str]) -> Word {
        self.extensions = extensions;
        self
    }

    pub(crate) const fn soft(mut self) -> Word {
        self.soft = true;
        self
    }
}

pub(crate) const fn word(text: &'static str, meaning: Meaning) -> Word {
    Word { text, meaning, from: (0, 0), until: (0, 0), reserved: (0, 0), extensions: &[], soft: false }
}

/// An extension whose words are in two lists.
pub(crate) const GPU_SHADER4: &[&str] = &["GL_EXT_gpu_shader4"];
