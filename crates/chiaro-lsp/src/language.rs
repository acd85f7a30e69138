//! What language a document is in: by the editor's name for it, or by the name of the file.

use chiaro_glsl::source::Stage;
use chiaro_target::{Dialect, Target, Targets};

/// A language that is known here.
#[derive(Clone, Copy)]
pub enum Language {
    /// GLSL of a stage.
    Glsl(Stage),
    /// WGSL.
    Wgsl,
    /// A language of a target's assembler.
    Assembly(&'static dyn Target, &'static Dialect),
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl Language {
    /// The language of a file, by the editor's name for the language and the file's name. Names of
    /// assemblies are `pica200`, `pica200-nihcode`: the target, and the dialect if it is not the usual one.
    #[must_use]
    pub fn of(targets: Targets, id: &str, path: &str, text: &str) -> Option<Language> {
        let by_id = |target: &'static dyn Target| {
            let about = target.about();
            let named = |dialect: &&Dialect| id_of(target, dialect) == id;
            let dialect = about.dialects.iter().find(named);
            dialect.or_else(|| about.is_named(id).then_some(about.dialects.first()).flatten())
        };
        if let Some((target, dialect)) = targets.iter().find_map(|target| Some((target, by_id(target)?))) {
            return Some(Language::Assembly(target, dialect));
        }
        match id {
            "glsl" => Some(Language::Glsl(stage_of(path, text))),
            "wgsl" => Some(Language::Wgsl),
            _ if path.ends_with(".wgsl") => Some(Language::Wgsl),
            _ if is_glsl(path) => Some(Language::Glsl(stage_of(path, text))),
            _ => {
                let target = targets.iter().find(|target| target.about().has_ending(path))?;
                Some(Language::Assembly(target, target.about().dialect_of(path)?))
            }
        }
    }

    /// The editor's name for it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Language::Glsl(_) => "glsl".to_owned(),
            Language::Wgsl => "wgsl".to_owned(),
            Language::Assembly(target, dialect) => id_of(*target, dialect),
        }
    }
}

/// The editor's name for a language of an assembler.
#[must_use]
pub fn id_of(target: &dyn Target, dialect: &Dialect) -> String {
    let about = target.about();
    match about.dialects.first().is_some_and(|first| first.name == dialect.name) {
        true => about.name.to_owned(),
        false => format!("{}-{}", about.name, dialect.name),
    }
}

fn ending(path: &str) -> Option<Stage> {
    Stage::of_ending(path.strip_suffix(".glsl").unwrap_or(path).rsplit_once('.')?.1)
}

fn is_glsl(path: &str) -> bool {
    path.ends_with(".glsl") || ending(path).is_some()
}

/// The stage by the file's name; where that says nothing, by what only one stage has.
fn stage_of(path: &str, text: &str) -> Stage {
    let by_text = || match text {
        text if text.contains("local_size_x") => Stage::Compute,
        text if text.contains("EmitVertex") => Stage::Geometry,
        text if text.contains("gl_Position") => Stage::Vertex,
        _ => Stage::Fragment,
    };
    ending(path).unwrap_or_else(by_text)
}
