//! `chiaro.toml`: which shaders, in which variants, for which targets, within which budgets.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use chiaro::TARGETS;
use chiaro_diag::{Diagnostic, FileId, SourceMap, Span, did_you_mean};
use globset::GlobMatcher;
use serde::Deserialize;

use super::files::matcher;
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
    shaders: Vec<PathBuf>,
    #[serde(default)]
    targets: Vec<toml::Spanned<String>>,
    #[serde(default)]
    include: Vec<PathBuf>,
    baseline: Option<PathBuf>,
    #[serde(default)]
    variant: Vec<WrittenVariant>,
    #[serde(default)]
    matrix: BTreeMap<String, Vec<Scalar>>,
    #[serde(default)]
    settings: BTreeMap<String, toml::Spanned<Scalar>>,
    #[serde(default)]
    budget: Vec<WrittenBudget>,
}

#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct WrittenVariant {
    name: String,
    #[serde(default)]
    define: BTreeMap<String, Scalar>,
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
    let within = |paths: Vec<PathBuf>| paths.into_iter().map(|path| folder.join(path)).collect();
    if written.shaders.is_empty() {
        return Err(Diagnostic::error(None, format!("`{}` names no shaders", sources.name(file)))
            .help("shaders = [\"shaders\"] takes all of a folder")
            .into());
    }
    Ok(Project {
        shaders: within(written.shaders),
        targets: if targets.is_empty() { compilers() } else { targets },
        include: within(written.include),
        folder: folder.to_owned(),
        baseline: folder.join(written.baseline.unwrap_or_else(|| PathBuf::from("chiaro.baseline"))),
        variants: variants(&written.variant, &written.matrix)
            .map_err(|what| Diagnostic::error(None, what))?,
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
    matrix: &BTreeMap<String, Vec<Scalar>>,
) -> Result<Vec<Variant>, String> {
    let of = |written: &WrittenVariant| Variant {
        name: written.name.clone(),
        define: written.define.iter().map(|(name, value)| (name.clone(), value.text())).collect(),
        spec: written.spec.iter().map(|(name, value)| (name.clone(), *value)).collect(),
    };
    let mut all: Vec<Variant> = named.iter().map(of).collect();
    if all.is_empty() {
        all.push(Variant::default());
    }
    for (name, values) in matrix {
        if values.is_empty() {
            return Err(format!("the matrix has no value for `{name}`: nothing would be compiled"));
        }
        if all.len().saturating_mul(values.len()) > MOST_VARIANTS {
            return Err(format!("the matrix makes more than {MOST_VARIANTS} variants of each shader"));
        }
        all = all
            .iter()
            .flat_map(|variant| values.iter().map(move |value| with(variant, name, value)))
            .collect();
    }
    let mut names: Vec<&str> = all.iter().map(|variant| variant.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two variants are called `{}`", pair[0])),
        None => Ok(all),
    }
}

fn with(variant: &Variant, name: &str, value: &Scalar) -> Variant {
    let mut variant = variant.clone();
    let gap = if variant.name.is_empty() { "" } else { "," };
    variant.name = format!("{}{gap}{name}={}", variant.name, value.text());
    variant.define.push((name.to_owned(), value.text()));
    variant
}

/// An error of the reader; an unknown key comes with the nearest one.
fn refused(error: &toml::de::Error, text: &str, file: FileId) -> Diagnostic {
    let message = error.message();
    let span = error.span().map(|range| file.span(range));
    let known =
        message.split_once("expected one of ").or(message.split_once("expected ")).map(|(_, list)| list);
    let (Some(unknown), Some(known)) = (message.strip_prefix("unknown field `"), known) else {
        return Diagnostic::error(span, message.trim());
    };
    let unknown = unknown.split('`').next().unwrap_or_default();
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    // The reader points at the table; the key itself says more.
    let key = text.match_indices(unknown).map(|(at, _)| at).find(|&at| {
        let before = text[..at].rsplit('\n').next().unwrap_or_default();
        before.chars().all(|c| c.is_whitespace() || c == '[')
    });
    let span = key.map(|at| file.span(at..at + unknown.len())).or(span);
    let error = Diagnostic::error(span, format!("there is no key `{unknown}` here"));
    match did_you_mean(unknown, known.iter().copied()) {
        Some(near) => error.help(format!("is `{near}` meant?")),
        None => error.help(format!("there are {}", known.join(", "))),
    }
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
        ] {
            let (error, at) = project(text).err().unwrap_or_else(|| panic!("{text}"));
            assert!(error.contains(words) && at.is_some_and(|at| at.abs_diff(line) <= 1), "{error} {at:?}");
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
        let all = all.replace("\n# include", "\ninclude");
        assert!(project(&all).is_ok(), "{all}");
    }
}
