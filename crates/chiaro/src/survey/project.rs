//! `chiaro.toml`: which shaders, in which variants, for which targets, within which budgets.

mod refused;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chiaro::TARGETS;
use chiaro_diag::{Diagnostic, FileId, SourceMap, Span, did_you_mean};
use globset::GlobMatcher;
use serde::Deserialize;

use self::refused::refused;
use super::files::{matcher, programs};
use crate::choices::Variant;
use crate::cli::{TargetName, compilers};

/// The name that is looked for.
pub const NAME: &str = "chiaro.toml";

/// The most variants that a matrix may make of each shader.
const MOST_VARIANTS: usize = 4096;

/// What the file says, as it is written.
#[derive(Deserialize, Default, Debug)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    shaders: Vec<toml::Spanned<PathBuf>>,
    #[serde(default)]
    targets: Vec<toml::Spanned<String>>,
    #[serde(default)]
    include: Vec<toml::Spanned<PathBuf>>,
    baseline: Option<PathBuf>,
    #[serde(default)]
    variant: Vec<WrittenVariant>,
    #[serde(default)]
    matrix: Matrix,
    #[serde(default)]
    settings: BTreeMap<String, toml::Spanned<Scalar>>,
    #[serde(default)]
    budget: Vec<WrittenBudget>,
}

/// The values of each macro.
type Matrix = BTreeMap<toml::Spanned<String>, Vec<Scalar>>;

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct WrittenVariant {
    name: toml::Spanned<String>,
    #[serde(default)]
    define: BTreeMap<toml::Spanned<String>, Scalar>,
    #[serde(default)]
    spec: BTreeMap<String, f64>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct WrittenBudget {
    shaders: Option<toml::Spanned<String>>,
    #[serde(default)]
    targets: Vec<toml::Spanned<String>>,
    #[serde(default)]
    most: BTreeMap<String, u64>,
    growth: Option<toml::Spanned<Scalar>>,
}

/// A value of a macro or a setting, whatever it is written as.
#[derive(Deserialize, Clone, Debug)]
#[serde(untagged)]
enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl Scalar {
    fn text(&self) -> String {
        match self {
            // As GLSL's macros say it.
            Scalar::Bool(is) => u8::from(*is).to_string(),
            Scalar::Int(n) => n.to_string(),
            Scalar::Float(x) => format!("{x:?}"),
            Scalar::Text(text) => text.clone(),
        }
    }
}

/// What is to be looked at, and what is allowed.
#[derive(Clone)]
pub struct Project {
    /// Files, folders and patterns, seen from the project's folder.
    pub shaders: Vec<PathBuf>,
    /// Where the file says each of them.
    places: Vec<Span>,
    /// The targets; those that compile if none is named.
    pub targets: Vec<TargetName>,
    /// Folders of includes.
    pub include: Vec<PathBuf>,
    /// The folder of the file: rows name their sources from there.
    pub folder: PathBuf,
    /// Where the baseline is.
    pub baseline: PathBuf,
    /// At least one.
    pub variants: Vec<Variant>,
    /// Choices of targets.
    pub settings: Vec<(String, String)>,
    /// What is allowed; the last that fits a row counts.
    pub budgets: Vec<Budget>,
}

/// What some shaders are allowed.
#[derive(Clone)]
pub struct Budget {
    /// Which; all without it.
    shaders: Option<GlobMatcher>,
    /// Where the file says so.
    pub span: Option<Span>,
    /// For which targets; for all if there is none.
    targets: Vec<TargetName>,
    /// By metric: the most.
    pub most: BTreeMap<String, u64>,
    /// By how much a metric may be above the baseline, in hundredths of it.
    pub growth: Option<f64>,
}

impl Project {
    /// An error about one of the shaders, at its place in the file.
    pub fn placed(&self, error: Box<Diagnostic>) -> Box<Diagnostic> {
        let is_wrong = |path: &PathBuf| programs(std::slice::from_ref(path)).is_err();
        let place = self.shaders.iter().position(is_wrong).and_then(|n| self.places.get(n));
        match place {
            Some(place) => at(error, *place),
            None => error,
        }
    }
}

impl Budget {
    /// Whether it is about a shader and a target.
    pub fn fits(&self, shader: &str, target: &str) -> bool {
        self.shaders.as_ref().is_none_or(|fits| fits.is_match(shader))
            && (self.targets.is_empty() || self.targets.iter().any(|known| known.about().name == target))
    }
}

/// Reads a project file of the map.
///
/// # Errors
/// What is wrong with it, with its line: unknown keys and targets with the nearest that are known.
pub fn read(sources: &SourceMap, file: FileId) -> Result<Project, Box<Diagnostic>> {
    let place = |range: Range<usize>| file.span(range);
    let written: Written =
        toml::from_str(sources.text(file)).map_err(|error| refused(&error, sources.text(file), file))?;
    let targets = written.targets.iter().map(|name| target(name, place(name.span())));
    let mut targets = targets.collect::<Result<Vec<_>, _>>()?;
    let mut known = std::collections::BTreeSet::new();
    targets.retain(|target| known.insert(target.about().name));
    for (key, value) in &written.settings {
        known_setting(key, file.span(value.span()), &targets)?;
    }
    let folder = Path::new(sources.name(file)).parent().unwrap_or(Path::new(""));
    let within = |path: &toml::Spanned<PathBuf>| folder.join(path.get_ref());
    if written.shaders.is_empty() {
        return Err(Diagnostic::error(None, format!("`{}` names no shaders", sources.name(file)))
            .help("shaders = [\"shaders\"] takes all of a folder")
            .into());
    }
    let include: Vec<PathBuf> = written.include.iter().map(within).collect();
    if let Some(n) = include.iter().position(|path| !path.is_dir()) {
        let message = format!("there is no folder `{}`", include[n].display());
        return Err(Diagnostic::error(place(written.include[n].span()), message)
            .help("includes are looked for in these folders, seen from that of the project file")
            .into());
    }
    Ok(Project {
        shaders: written.shaders.iter().map(within).collect(),
        places: written.shaders.iter().map(|path| place(path.span())).collect(),
        targets: if targets.is_empty() { compilers() } else { targets },
        include,
        folder: folder.to_owned(),
        baseline: folder.join(written.baseline.unwrap_or_else(|| PathBuf::from("chiaro.baseline"))),
        variants: variants(&written.variant, &written.matrix, file)?,
        settings: written.settings.iter().map(|(key, value)| (key.clone(), value.get_ref().text())).collect(),
        budgets: written.budget.into_iter().map(|written| budget(written, file)).collect::<Result<_, _>>()?,
    })
}

/// A choice that no target of the project has would never be looked at.
fn known_setting(key: &str, span: Span, targets: &[TargetName]) -> Result<(), Box<Diagnostic>> {
    let all: Vec<TargetName> = if targets.is_empty() { compilers() } else { targets.to_vec() };
    let names = || {
        let settings = all.iter().flat_map(|target| target.about().settings).map(|setting| setting.name);
        settings.chain(all.iter().flat_map(|target| target.assumptions()).map(|open| open.name))
    };
    // Names of outputs and the like stand behind a dot.
    let family = |name: &str| name.split_once('.').map(|(family, _)| family.to_owned());
    if names().any(|name| name == key || family(name).is_some() && family(name) == family(key)) {
        return Ok(());
    }
    let error = Diagnostic::error(span, format!("no target of the project has a choice `{key}`"));
    Err(match did_you_mean(key, names()) {
        Some(near) => error.help(format!("is `{near}` meant?")).into(),
        None => error.help("`chiaro report --help` lists the choices of each target under `-m`").into(),
    })
}

fn target(name: &toml::Spanned<String>, span: Span) -> Result<TargetName, Box<Diagnostic>> {
    TARGETS.named(name.get_ref()).ok_or_else(|| {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.about().name).collect();
        let error = Diagnostic::error(span, format!("there is no target `{}`", name.get_ref()));
        match did_you_mean(name.get_ref(), known.iter().copied()) {
            Some(near) => error.help(format!("is `{near}` meant?")).into(),
            None => error.help(format!("there are {}", known.join(", "))).into(),
        }
    })
}

fn budget(written: WrittenBudget, file: FileId) -> Result<Budget, Box<Diagnostic>> {
    let span = written.shaders.as_ref().map(|pattern| file.span(pattern.span()));
    let shaders = written
        .shaders
        .map(|pattern| matcher(pattern.get_ref()).map_err(|error| at(error, file.span(pattern.span()))));
    let targets = written.targets.iter().map(|name| target(name, file.span(name.span())));
    let growth = written.growth.map(|growth| percent(&growth, file));
    Ok(Budget {
        shaders: shaders.transpose()?,
        span,
        targets: targets.collect::<Result<_, _>>()?,
        most: written.most,
        growth: growth.transpose()?,
    })
}

fn percent(growth: &toml::Spanned<Scalar>, file: FileId) -> Result<f64, Box<Diagnostic>> {
    let text = growth.get_ref().text();
    let is_number = !matches!(growth.get_ref(), Scalar::Bool(_));
    let number = text.strip_suffix('%').unwrap_or(&text).trim().parse::<f64>().ok().filter(|_| is_number);
    number.filter(|n| n.is_finite() && *n >= 0.0).ok_or_else(|| {
        let error = Diagnostic::error(file.span(growth.span()), format!("`{text}` is no growth"));
        error.help("write it in hundredths of the baseline: growth = \"5%\"").into()
    })
}

fn at(mut error: Box<Diagnostic>, span: Span) -> Box<Diagnostic> {
    error.span = Some(span);
    error
}

/// The variants that are named, each with everything that the matrix makes.
fn variants(
    named: &[WrittenVariant],
    matrix: &Matrix,
    file: FileId,
) -> Result<Vec<Variant>, Box<Diagnostic>> {
    let defined = named.iter().flat_map(|written| written.define.keys());
    defined.chain(matrix.keys()).try_for_each(|name| macro_name(name, file))?;
    let of = |written: &WrittenVariant| Variant {
        name: written.name.get_ref().clone(),
        define: written.define.iter().map(|(name, value)| (name.get_ref().clone(), value.text())).collect(),
        spec: written.spec.iter().map(|(name, value)| (name.clone(), *value)).collect(),
    };
    let mut all: Vec<Variant> = named.iter().map(of).collect();
    if all.is_empty() {
        all.push(Variant::default());
    }
    for (key, values) in matrix {
        let (name, wrong) = (key.get_ref(), |what: String| Diagnostic::error(file.span(key.span()), what));
        if values.is_empty() {
            let error = wrong(format!("the matrix has no value for `{name}`: nothing would be compiled"));
            return Err(error.help(format!("give it values, or take `{name}` away")).into());
        }
        if all.len().saturating_mul(values.len()) > MOST_VARIANTS {
            let error = wrong(format!("the matrix makes more than {MOST_VARIANTS} variants of each shader"));
            return Err(error.help("name those that are built as `[[variant]]`").into());
        }
        all = all
            .iter()
            .flat_map(|variant| values.iter().map(move |value| with(variant, name, value)))
            .collect();
    }
    match repeated(&all) {
        Some(name) => {
            let first = named.iter().rev().find(|written| name.starts_with(written.name.get_ref()));
            let place =
                first.map(|written| written.name.span()).or_else(|| Some(matrix.keys().next()?.span()));
            let error = Diagnostic::error(
                place.map(|range| file.span(range)),
                format!("two variants are called `{name}`"),
            );
            Err(error.help("give them different names and values").into())
        }
        None => Ok(all),
    }
}

/// The name of two variants.
fn repeated(all: &[Variant]) -> Option<&str> {
    let mut known = std::collections::BTreeSet::new();
    all.iter().map(|variant| variant.name.as_str()).find(|name| !known.insert(*name))
}

/// Nothing else can stand behind `#define`.
fn macro_name(name: &toml::Spanned<String>, file: FileId) -> Result<(), Box<Diagnostic>> {
    let text = name.get_ref();
    let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.starts_with(|c: char| !c.is_ascii_digit());
    if is_name {
        return Ok(());
    }
    let error = Diagnostic::error(file.span(name.span()), format!("`{text}` is no name of a macro"));
    Err(error.help("names have letters, digits and `_`, and begin with no digit").into())
}

fn with(variant: &Variant, name: &str, value: &Scalar) -> Variant {
    let mut variant = variant.clone();
    let gap = if variant.name.is_empty() { "" } else { "," };
    variant.name = format!("{}{gap}{name}={}", variant.name, value.text());
    variant.define.push((name.to_owned(), value.text()));
    variant
}

/// A project file for a folder.
pub fn starter(folder: &str) -> String {
    let folder = toml::Value::String(folder.to_owned());
    format!(
        "# What `chiaro gate` compares with its baseline, and `chiaro report` without files reports.\n\
        # docs/gate.md says what can stand here.\n\
        shaders = [{folder}]\n\
        # Without targets: all that compile.\n\
        # targets = [\"pica200\", \"a3xx\"]\n\
        # include = [\"include\"]\n\
        \n\
        # Each variant is compiled; so is everything that a matrix makes of it.\n\
        # [[variant]]\n\
        # name = \"fog\"\n\
        # define = {{ FOG = 1 }}\n\
        # [matrix]\n\
        # LIGHTS = [1, 2, 4]\n\
        \n\
        # Nothing may grow, unless a budget says otherwise; of several that fit, the last counts.\n\
        # [[budget]]\n\
        # shaders = \"ui/**\"\n\
        # growth = \"5%\"\n\
        # most = {{ \"longest path cycles\" = 300 }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(text: &str) -> Result<Project, (String, Option<u32>)> {
        let mut sources = SourceMap::new();
        let file = sources.add("game/chiaro.toml", text);
        read(&sources, file).map_err(|error| {
            let line = error.span.map(|span| sources.locate(span).start.line);
            (format!("{} {}", error.message, error.help.join(" ")), line)
        })
    }

    #[test]
    fn a_matrix_multiplies_variants() {
        let project = project(
            "shaders = [\"s\"]\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\ndefine = { X = true }\n[matrix]\nN = [1, 2.5]\n",
        );
        let project = project.unwrap_or_else(|(error, _)| panic!("{error}"));
        let names: Vec<&str> = project.variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["a,N=1", "a,N=2.5", "b,N=1", "b,N=2.5"]);
        assert_eq!(
            project.variants[3].define,
            [("X".to_owned(), "1".to_owned()), ("N".to_owned(), "2.5".to_owned())]
        );
        assert_eq!(project.baseline, Path::new("game/chiaro.baseline"));
    }

    #[test]
    fn mistakes_are_told_with_their_line_and_what_was_meant() {
        for (text, line, words) in [
            ("shaders = [\"s\"]\n\ntarget = [\"a3xx\"]\n", 3, "`targets` meant"),
            ("shaders = [\"s\"]\ntargets = [\"a3x\"]\n", 2, "`a3xx` meant"),
            ("shaders = [\"s\"]\n[[budget]]\ngrow = 3\n", 3, "`growth` meant"),
            ("shaders = [\"s\"]\n[[budget]]\ngrowth = \"much\"\n", 3, "is no growth"),
            ("shaders = [\n\"s\"\n", 2, ""),
            (
                "shaders = \"s\"\n",
                1,
                "here has to stand a list, not the text \"s\" it is written so: shaders = [",
            ),
            ("shaders = [\"s\"]\n[budget]\n", 2, "a list, not a table it is written so: [[budget]]"),
            (
                "shaders = [\"s\"]\n[[budget]]\nmost = { words = -1 }\n",
                3,
                "a whole number from 0 on, not integer `-1`",
            ),
            ("shaders = [\"s\"]\n[matrix]\nA = 3\n", 3, "below it LIGHTS = [1, 2, 4]"),
            ("shaders = [\"s\"]\n[matrix]\nA = [[3]]\n", 3, "a number, a text in quotes, `true` or `false`"),
            ("shaders = [\"s\"]\n[matrix]\nA = []\n", 3, "no value for `A`"),
            ("shaders = [\"s\"]\n[matrix]\n\"A B\" = [1]\n", 3, "`A B` is no name of a macro"),
            (
                "shaders = [\"s\"]\n[[variant]]\nname = \"x\"\ndefine = { 1A = 1 }\n",
                4,
                "`1A` is no name of a macro",
            ),
            ("shaders = [\"s\"]\n[[variant]]\ndefine = { A = 1 }\n", 2, "`name` has to stand here"),
            (
                "shaders = [\"s\"]\n[[variant]]\nname = \"x\"\n[[variant]]\nname = \"x\"\n",
                5,
                "two variants are called `x`",
            ),
            ("shaders = [\"s\"]\n[matrix]\nA = [1, 1]\n", 3, "two variants are called `A=1`"),
            ("shaders = [\"s\"]\ninclude = [\"nowhere\"]\n", 2, "there is no folder `game/nowhere`"),
            ("shaders = [\"s\"]\nshaders = [\"s\"]\n", 2, "duplicate key"),
        ] {
            let (error, at) = project(text).err().unwrap_or_else(|| panic!("{text}"));
            assert!(error.contains(words) && at == Some(line), "{text}: {error} {at:?}");
        }
        assert!(project("").is_err_and(|(error, _)| error.contains("names no shaders")));
    }

    #[test]
    fn the_starter_can_be_read() {
        assert!(project(&starter("shaders")).is_ok());
        let all = starter("shaders").replace("\n# [", "\n[").replace("\n# name", "\nname");
        let all = all
            .replace("\n# define", "\ndefine")
            .replace("\n# LIGHTS", "\nLIGHTS")
            .replace("\n# growth", "\ngrowth");
        let all = all
            .replace("\n# most", "\nmost")
            .replace("\n# shaders", "\nshaders")
            .replace("\n# targets", "\ntargets");
        assert!(project(&all).is_ok(), "{all}");
    }
}
