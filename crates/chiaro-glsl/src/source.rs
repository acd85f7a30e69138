//! What a source is: stage, version, profile, and the choices of whoever compiles it.

use chiaro_diag::Budget;

/// Stages that GLSL is written for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Stage {
    Vertex,
    TessControl,
    TessEvaluation,
    Geometry,
    Task,
    Mesh,
    Fragment,
    Compute,
    RayGeneration,
    Intersection,
    AnyHit,
    ClosestHit,
    Miss,
    Callable,
}

impl Stage {
    /// All stages by the endings of their files' names, without the dot.
    pub const ENDINGS: [(&'static str, Stage); 14] = [
        ("vert", Stage::Vertex),
        ("tesc", Stage::TessControl),
        ("tese", Stage::TessEvaluation),
        ("geom", Stage::Geometry),
        ("task", Stage::Task),
        ("mesh", Stage::Mesh),
        ("frag", Stage::Fragment),
        ("comp", Stage::Compute),
        ("rgen", Stage::RayGeneration),
        ("rint", Stage::Intersection),
        ("rahit", Stage::AnyHit),
        ("rchit", Stage::ClosestHit),
        ("rmiss", Stage::Miss),
        ("rcall", Stage::Callable),
    ];

    /// Whether it is one of ray tracing.
    #[must_use]
    pub fn is_of_rays(self) -> bool {
        use Stage::{AnyHit, Callable, ClosestHit, Intersection, Miss, RayGeneration};
        matches!(self, RayGeneration | Intersection | AnyHit | ClosestHit | Miss | Callable)
    }

    /// Whether its invocations form workgroups, which share memory.
    #[must_use]
    pub fn has_workgroups(self) -> bool {
        matches!(self, Stage::Compute | Stage::Task | Stage::Mesh)
    }

    /// Whether its inputs come by vertex of a primitive or patch, in arrays.
    #[must_use]
    pub fn takes_primitives(self) -> bool {
        matches!(self, Stage::Geometry | Stage::TessControl | Stage::TessEvaluation)
    }

    /// Whether it makes several vertices, whose outputs stand in arrays.
    #[must_use]
    pub fn makes_arrays(self) -> bool {
        matches!(self, Stage::TessControl | Stage::Mesh)
    }

    /// The language's word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::TessControl => "tessellation control",
            Stage::TessEvaluation => "tessellation evaluation",
            Stage::Geometry => "geometry",
            Stage::Task => "task",
            Stage::Mesh => "mesh",
            Stage::Fragment => "fragment",
            Stage::Compute => "compute",
            Stage::RayGeneration => "ray generation",
            Stage::Intersection => "intersection",
            Stage::AnyHit => "any-hit",
            Stage::ClosestHit => "closest-hit",
            Stage::Miss => "miss",
            Stage::Callable => "callable",
        }
    }

    /// The stage of a source by the ending of its file's name, without the dot.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Stage> {
        Stage::ENDINGS.iter().find(|(known, _)| *known == ending).map(|&(_, stage)| stage)
    }
}

/// Which language a version number counts in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Profile {
    /// OpenGL ES: 100, 300, 310, 320.
    Es,
    /// Desktop without what was removed; also desktop before 1.40, which had no profiles but
    /// whose removed things are there (`Compatibility` in all but name).
    Core,
    /// Desktop with everything old.
    Compatibility,
}

/// A version: `#version 300 es` is number 300 of profile `Es`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Version {
    /// 100, 110, 120, 130, 140, 150, 300, 310, 320, 330, 400 ... 460.
    pub number: u16,
    /// Which language it is of.
    pub profile: Profile,
}

impl Version {
    /// Whether the language is that of OpenGL ES.
    #[must_use]
    pub fn is_es(self) -> bool {
        self.profile == Profile::Es
    }

    /// Whether it is at least `es` in OpenGL ES or at least `desktop` elsewhere; 0 stands for
    /// "never".
    #[must_use]
    pub fn at_least(self, es: u16, desktop: u16) -> bool {
        let least = if self.is_es() { es } else { desktop };
        least != 0 && self.number >= least
    }
}

/// An include: the name as written, and whether it stood in quotes (relative to the file that
/// includes it, named third) or in angle brackets. Gives a full name and the text.
pub type Include<'a> = dyn FnMut(&str, bool, &str) -> Option<(String, String)> + 'a;

/// Whose rules a source has to keep beside those of the language.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Client {
    /// Nobody's: the words fit for OpenGL as they are, for Vulkan after numbering.
    #[default]
    Any,
    /// OpenGL's, which takes SPIR-V: places are reported, and what is Vulkan's is not there.
    /// [GL_ARB_gl_spirv]
    OpenGl,
    /// Vulkan's, with SPIR-V 1.`minor` at most.
    Vulkan {
        /// The version's second number.
        minor: u8,
    },
}

/// Choices for one compilation unit.
#[derive(Clone, Debug)]
pub struct Options {
    /// The stage.
    pub stage: Stage,
    /// Taken where the source has no `#version`; the language says 110 for desktop and 100 for
    /// ES; 100 if the source looks like ES.
    pub version: Option<Version>,
    /// `-D NAME=VALUE`, as `#define` lines before the source.
    pub defines: Vec<(String, String)>,
    /// Whether the text is checked only, or a part that others call, so that no entry point is asked for.
    pub library: bool,
    /// Whether functions may be called whose bodies other parts have.
    pub imports: bool,
    /// Whose rules are to be kept.
    pub client: Client,
    /// What is left of the work of this compilation.
    pub budget: Budget,
}

impl Options {
    /// Nothing but the stage.
    #[must_use]
    pub fn new(stage: Stage) -> Options {
        let (defines, client, budget) = (Vec::new(), Client::Any, Budget::default());
        Options { stage, version: None, defines, library: false, imports: false, client, budget }
    }
}
