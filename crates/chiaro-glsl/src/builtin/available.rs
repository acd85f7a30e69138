//! In which versions, stages and extensions a name of the language is there.

use chiaro_diag::Advice;

use crate::head::Head;
use crate::source::{Stage, Version};

/// Some stages, a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stages(u16);

impl Stages {
    /// Every stage.
    pub const ALL: Stages = Stages((1 << Stage::ENDINGS.len()) - 1);
    /// Vertex shaders.
    pub const VERTEX: Stages = Stages::one(Stage::Vertex);
    /// Tessellation control shaders.
    pub const TESS_CONTROL: Stages = Stages::one(Stage::TessControl);
    /// Tessellation evaluation shaders.
    pub const TESS_EVALUATION: Stages = Stages::one(Stage::TessEvaluation);
    /// Geometry shaders.
    pub const GEOMETRY: Stages = Stages::one(Stage::Geometry);
    /// Task shaders.
    pub const TASK: Stages = Stages::one(Stage::Task);
    /// Mesh shaders.
    pub const MESH: Stages = Stages::one(Stage::Mesh);
    /// Fragment shaders.
    pub const FRAGMENT: Stages = Stages::one(Stage::Fragment);
    /// Compute shaders.
    pub const COMPUTE: Stages = Stages::one(Stage::Compute);
    /// Stages whose invocations form workgroups.
    pub const GROUPS: Stages = Stages::COMPUTE.and(Stages::TASK).and(Stages::MESH);
    /// Ray generation shaders.
    pub const RAY_GENERATION: Stages = Stages::one(Stage::RayGeneration);
    /// Intersection shaders.
    pub const INTERSECTION: Stages = Stages::one(Stage::Intersection);
    /// Any-hit shaders.
    pub const ANY_HIT: Stages = Stages::one(Stage::AnyHit);
    /// Closest-hit shaders.
    pub const CLOSEST_HIT: Stages = Stages::one(Stage::ClosestHit);
    /// Miss shaders.
    pub const MISS: Stages = Stages::one(Stage::Miss);
    /// Callable shaders.
    pub const CALLABLE: Stages = Stages::one(Stage::Callable);

    const fn one(stage: Stage) -> Stages {
        Stages(1 << stage as u16)
    }

    /// Those of either.
    #[must_use]
    pub const fn and(self, other: Stages) -> Stages {
        Stages(self.0 | other.0)
    }

    /// Whether a stage is among them.
    #[must_use]
    pub fn has(self, stage: Stage) -> bool {
        self.0 & 1 << (stage as u16) != 0
    }

    /// Their names, for messages.
    #[must_use]
    pub fn names(self) -> String {
        let stages = Stage::ENDINGS.iter().map(|&(_, stage)| stage).filter(|&stage| self.has(stage));
        let names: Vec<&str> = stages.map(Stage::name).collect();
        names.join(" and ")
    }
}

/// When a name is there: from a version of each language on, until another, or with one of
/// some extensions whatever the version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    /// First version of OpenGL ES; 0 is none.
    es: u16,
    /// First version of OpenGL ES that has it no longer; 0 is none.
    es_end: u16,
    /// First desktop version; 0 is none.
    desktop: u16,
    /// First desktop version whose core profile has it no longer; 0 is none.
    core_end: u16,
    /// Any of these brings it.
    extensions: &'static [&'static str],
    /// The stages that have it.
    stages: Stages,
}

impl When {
    /// In every version.
    pub const ALWAYS: When = When::since(100, 110);
    /// In no version.
    pub const NEVER: When = When::since(0, 0);

    /// From these versions on; 0 for a language that never has it.
    #[must_use]
    pub const fn since(es: u16, desktop: u16) -> When {
        When { es, es_end: 0, desktop, core_end: 0, extensions: &[], stages: Stages::ALL }
    }

    /// With any of these extensions, and in no version without.
    #[must_use]
    pub const fn with(extensions: &'static [&'static str]) -> When {
        When { extensions, ..When::NEVER }
    }

    /// Also with any of these extensions.
    #[must_use]
    pub const fn or(self, extensions: &'static [&'static str]) -> When {
        When { extensions, ..self }
    }

    /// No longer in this version of OpenGL ES, nor in the core profile of that one.
    #[must_use]
    pub const fn until(self, es_end: u16, core_end: u16) -> When {
        When { es_end, core_end, ..self }
    }

    /// Whether this extension is all that brings it.
    #[must_use]
    pub fn only_with(&self, extension: &str) -> bool {
        self.extensions == [extension]
    }

    /// In these stages only.
    #[must_use]
    pub const fn only(self, stages: Stages) -> When {
        When { stages, ..self }
    }

    /// Whether it is there; if not, why.
    pub fn check(&self, version: Version, stage: Stage, enabled: &Enabled) -> Result<(), Absence> {
        if !self.stages.has(stage) {
            return Err(Absence::Stage(self.stages));
        }
        let end = match version.profile {
            crate::source::Profile::Es => self.es_end,
            crate::source::Profile::Core => self.core_end,
            crate::source::Profile::Compatibility => 0,
        };
        let removed = end != 0 && version.number >= end;
        if version.at_least(self.es, self.desktop) && !removed {
            return Ok(());
        }
        if self.extensions.iter().any(|name| enabled.has(name)) {
            return Ok(());
        }
        let needed = if version.is_es() { self.es } else { self.desktop };
        Err(match removed {
            true => Absence::Removed(end),
            false if needed != 0 => Absence::Version(needed, self.extensions),
            false if self.extensions.is_empty() => Absence::Language,
            false => Absence::Extension(self.extensions),
        })
    }

    /// Whether it is there.
    #[must_use]
    pub fn is(&self, version: Version, stage: Stage, enabled: &Enabled) -> bool {
        self.check(version, stage, enabled).is_ok()
    }
}

/// Why a name is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absence {
    /// Another stage has it.
    Stage(Stages),
    /// A later version has it, or an extension that is not enabled.
    Version(u16, &'static [&'static str]),
    /// An extension has it that is not enabled.
    Extension(&'static [&'static str]),
    /// It is gone since this version.
    Removed(u16),
    /// The other language has it.
    Language,
}

impl Absence {
    /// What to do about it.
    #[must_use]
    pub fn advice(self, version: Version, head: Head) -> Advice {
        let suffix = if version.is_es() { " es" } else { "" };
        let least = match self {
            Absence::Version(number, _) => Some(head.with_version(&format!("{number}{suffix}"))),
            _ => None,
        };
        let extension = match self {
            Absence::Version(_, names) | Absence::Extension(names) => extension_for(names, version),
            _ => None,
        };
        let extension = extension.map(|name| head.with_extension(name));
        Advice::words(self.in_words(version, suffix)).fix(least).fix(extension)
    }

    fn in_words(self, version: Version, suffix: &str) -> String {
        match self {
            Absence::Stage(stages) => format!("only {} shaders have it", stages.names()),
            Absence::Version(number, names) => match extension_for(names, version) {
                None => format!("needs `#version {number}{suffix}` or later"),
                Some(name) => {
                    format!("needs `#version {number}{suffix}` or later, or `#extension {name} : enable`")
                }
            },
            Absence::Extension(names) => match (extension_for(names, version), names.first()) {
                (Some(name), _) => format!("enable it with `#extension {name} : enable`"),
                (None, Some(name)) => {
                    format!("it comes with the extension `{name}`, which this version has not")
                }
                (None, None) => "no version has it".into(),
            },
            Absence::Removed(number) => format!("it was removed in `#version {number}{suffix}`"),
            Absence::Language if version.is_es() => "only desktop GLSL has it".into(),
            Absence::Language => "only GLSL ES has it".into(),
        }
    }
}

/// The first of some extensions that a version may ask for.
fn extension_for(names: &[&'static str], version: Version) -> Option<&'static str> {
    names
        .iter()
        .copied()
        .find(|name| crate::extension::find(name).is_some_and(|row| version.at_least(row.es, row.desktop)))
}

/// The extensions that a source has enabled.
#[derive(Clone, Debug, Default)]
pub struct Enabled(Vec<String>);

/// Extensions that enable others.
const IMPLIED: &[(&str, &[&str])] = &[
    (
        "GL_ANDROID_extension_pack_es31a",
        &[
            "GL_KHR_blend_equation_advanced",
            "GL_OES_sample_variables",
            "GL_OES_shader_image_atomic",
            "GL_OES_shader_multisample_interpolation",
            "GL_OES_texture_storage_multisample_2d_array",
            "GL_EXT_geometry_shader",
            "GL_EXT_gpu_shader5",
            "GL_EXT_primitive_bounding_box",
            "GL_EXT_shader_io_blocks",
            "GL_EXT_tessellation_shader",
            "GL_EXT_texture_buffer",
            "GL_EXT_texture_cube_map_array",
        ],
    ),
    ("GL_EXT_geometry_shader", &["GL_EXT_shader_io_blocks"]),
    ("GL_OES_geometry_shader", &["GL_OES_shader_io_blocks"]),
    ("GL_EXT_tessellation_shader", &["GL_EXT_shader_io_blocks"]),
    ("GL_OES_tessellation_shader", &["GL_OES_shader_io_blocks"]),
];

impl Enabled {
    /// A set of names, and those they bring with them.
    pub fn new(names: impl IntoIterator<Item = String>) -> Enabled {
        let mut list: Vec<String> = names.into_iter().collect();
        let mut next = 0;
        while let Some(name) = list.get(next) {
            let brought = IMPLIED.iter().find(|(bringer, _)| bringer == name).map_or(&[][..], |row| row.1);
            let new: Vec<String> =
                brought.iter().filter(|b| !list.iter().any(|n| n == *b)).map(ToString::to_string).collect();
            list.extend(new);
            next += 1;
        }
        Enabled(list)
    }

    /// Whether an extension is enabled.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|known| known == name)
    }

    /// Whether one of some is.
    #[must_use]
    pub fn any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// All of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}
