//! What a source is: stage, version, profile, and the choices of whoever compiles it.

/// Stages that GLSL is written for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Stage {
    Vertex,
    Fragment,
    Compute,
    Geometry,
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
    /// Whether the text is checked only, so that no entry point is asked for.
    pub library: bool,
}
