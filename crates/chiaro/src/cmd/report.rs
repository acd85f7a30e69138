//! `chiaro report`: what compiled shaders take of the machine, and how two of them differ.

pub mod csv;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod sarif;
pub mod table;
pub mod text;

use std::path::{Path, PathBuf};

use chiaro::{CompileOptions, Report, compile};
use chiaro_opt::Cx;
use clap::{Args, ValueEnum};

use crate::choices::{Choices, Variant};
use crate::cli;
use crate::shell::{Failure, Shell};
use crate::survey::files::programs;
use crate::survey::project::{NAME, Project, read};
use crate::survey::{Message, Outcome, Row, Survey};

/// Report what compiled shaders, or containers, take of the machine: words, registers, cycles by
/// path, words by source line.
#[derive(Args)]
pub struct Options {
    /// Sources, or containers where the target reports on them; folders; patterns such as 'shaders/**/*.frag'.
    /// Without any, what the project file names.
    files: Vec<PathBuf>,
    /// The target; several with commas between them, or `all` that compile.
    #[arg(long, value_delimiter = ',', value_parser = cli::targets_or_all())]
    target: Vec<cli::Targets>,
    /// The form; docs/report.schema.json describes JSON.
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    format: Form,
    /// As JSON: `--format json`.
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// A variant of each shader, with macros: `fog:FOG=1,LIGHTS=2`. As often as there are variants.
    #[arg(long, value_name = "NAME:MACROS", value_parser = variant)]
    variant: Vec<Variant>,
    /// A source to compare with; what `--after` names is reported as its difference from this.
    #[arg(long, value_name = "FILE", requires = "after", conflicts_with = "files")]
    before: Option<PathBuf>,
    /// The other source of a comparison.
    #[arg(long, value_name = "FILE", requires = "before")]
    after: Option<PathBuf>,
    /// The project file, for what is not said here.
    #[arg(long, value_name = "FILE", default_value = NAME)]
    project: PathBuf,
    /// How many threads; all cores without it. The answer is the same.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The entry point, where there are several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The files are code alone, without a container.
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    settings: cli::Settings,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    module: Choices,
    #[command(flatten)]
    pub watch: cli::Watch,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people: one shader in full, several as tables.
    Text,
    /// A versioned schema.
    Json,
    /// Tables for a merge request.
    Markdown,
    /// A line for each metric.
    Csv,
    /// SARIF 2.1.0: what does not compile, for code review.
    Sarif,
    /// Test cases, one a row.
    Junit,
}

/// Reads `NAME:MACRO=VALUE,MACRO`, for clap.
fn variant(text: &str) -> Result<Variant, String> {
    let (name, macros) = text.split_once(':').unwrap_or((text, ""));
    let define = macros.split(',').filter(|part| !part.is_empty());
    let define = define.map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, "1"));
        (name.to_owned(), value.to_owned())
    });
    if name.is_empty() {
        return Err("write it as NAME:MACRO=VALUE,MACRO".to_owned());
    }
    Ok(Variant { name: name.to_owned(), define: define.collect(), spec: Vec::new() })
}

/// Compiles the sources and prints their reports.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut has_failed = false;
    let text = match (&options.before, &options.after) {
        (Some(before), Some(after)) => {
            let target = options.only_target(shell)?;
            let (before, after) =
                (options.report(before, target, shell)?, options.report(after, target, shell)?);
            match options.form() {
                Form::Json => json::difference(&before, &after),
                _ => text::difference(&before, &after),
            }
        }
        _ => options.several(shell, &mut has_failed)?,
    };
    shell.check()?;
    shell.write(options.output.as_deref(), text.as_bytes())?;
    // It stands among the rows.
    if has_failed { Err(Failure::Input) } else { Ok(()) }
}

/// Reads a project file.
pub fn project(path: &Path, shell: &mut Shell) -> Result<Project, Failure> {
    if !path.exists() {
        let message = format!("there is no project file `{}`", path.display());
        return Err(shell.misused(message, "name files, or write one with `chiaro init FOLDER`"));
    }
    let file = shell.read_text(path)?;
    read(&shell.sources, file).map_err(|error| shell.fail(*error))
}

/// All rows of a project; sources are named as its folder sees them.
pub fn survey_of(project: &Project, threads: Option<usize>, shell: &mut Shell) -> Result<Vec<Row>, Failure> {
    let programs = programs(&project.shaders).map_err(|error| shell.fail(*error))?;
    let options = CompileOptions { settings: project.settings.clone(), ..CompileOptions::default() };
    let survey = Survey {
        programs: &programs,
        variants: &project.variants,
        targets: &project.targets,
        choices: &Choices::default().including(&project.include),
        options: &options,
    };
    let mut rows = survey.rows(threads);
    let folder = project.baseline.parent().unwrap_or(Path::new(""));
    for row in &mut rows {
        if let Ok(inside) = Path::new(&row.shader).strip_prefix(folder) {
            row.shader = inside.display().to_string().replace('\\', "/");
        }
    }
    Ok(rows)
}

/// A message with its place.
pub fn place(message: &Message) -> String {
    match &message.place {
        Some((file, line, column)) => format!("{file}:{line}:{column}: {}", message.text),
        None => message.text.clone(),
    }
}

impl Options {
    fn form(&self) -> Form {
        if self.json { Form::Json } else { self.format }
    }

    fn targets(&self) -> Vec<cli::TargetName> {
        self.target.iter().flat_map(cli::Targets::list).collect()
    }

    fn only_target(&self, shell: &mut Shell) -> Result<cli::TargetName, Failure> {
        match self.targets()[..] {
            [one] => Ok(one),
            _ => Err(shell.misused("two shaders are compared for one target", "name it with `--target`")),
        }
    }

    /// Rows of files, or of the project. What does not compile is among them, and fails the run.
    fn several(&self, shell: &mut Shell, has_failed: &mut bool) -> Result<String, Failure> {
        if let (true, [target], Form::Text | Form::Json) = (self.is_plain(), &self.targets()[..], self.form())
        {
            return self.in_full(*target, shell);
        }
        let rows = if self.files.is_empty() {
            let mut project = project(&self.project, shell)?;
            if !self.target.is_empty() {
                project.targets = self.targets();
            }
            survey_of(&project, self.threads, shell)?
        } else {
            self.rows(shell)?
        };
        *has_failed = counts(&rows).1 > 0;
        Ok(match self.form() {
            Form::Text => table::rows(&rows),
            Form::Json => json::rows(&rows),
            Form::Markdown => markdown::rows(&rows),
            Form::Csv => csv::rows(&rows),
            Form::Sarif => sarif::rows(&rows),
            Form::Junit => junit::rows(&rows),
        })
    }

    /// Whether all that is named are files, for one target, as they are.
    fn is_plain(&self) -> bool {
        let is_file = |path: &PathBuf| crate::input::is_stdin(path) || path.is_file();
        !self.files.is_empty() && self.variant.is_empty() && (self.raw || self.files.iter().all(is_file))
    }

    /// Each file by itself, with everything that is known of it; the first that fails ends the run.
    fn in_full(&self, target: cli::TargetName, shell: &mut Shell) -> Result<String, Failure> {
        let mut reports = Vec::with_capacity(self.files.len());
        for path in &self.files {
            reports.push((path.display().to_string(), self.report(path, target, shell)?));
        }
        Ok(if self.form() == Form::Json { json::reports(&reports) } else { text::reports(&reports) })
    }

    fn rows(&self, shell: &mut Shell) -> Result<Vec<Row>, Failure> {
        if self.target.is_empty() {
            return Err(shell.misused("no target is named", "`--target all` takes all that compile"));
        }
        let programs = programs(&self.files).map_err(|error| shell.fail(*error))?;
        let only = [Variant::default()];
        let options = CompileOptions {
            entry: self.entry.clone(),
            settings: self.settings.settings.clone(),
            ..CompileOptions::default()
        };
        let survey = Survey {
            programs: &programs,
            variants: if self.variant.is_empty() { &only } else { &self.variant },
            targets: &self.targets(),
            choices: &self.module,
            options: &options,
        };
        Ok(survey.rows(self.threads))
    }

    fn report(&self, path: &Path, target: cli::TargetName, shell: &mut Shell) -> Result<Report, Failure> {
        let settings = self.settings.settings.clone();
        let bytes = shell.read(path)?;
        if self.raw || target.has_container(&bytes) {
            return target.report(&bytes, &settings).map_err(|error| shell.fail(*error));
        }
        let all = self.module.load_all(&[path.to_owned()], None, shell)?;
        let wanted = CompileOptions { entry: self.entry.clone(), settings, ..CompileOptions::default() };
        let compiled = compile(target, &all, &wanted, &shell.sources, &mut Cx::default());
        let compiled = shell.taken(compiled)?;
        shell.report_all(compiled.remarks);
        Ok(compiled.report)
    }
}

/// Rows that compile, and those that do not.
fn counts(rows: &[Row]) -> (usize, usize, usize) {
    rows.iter().fold((0, 0, 0), |(made, failed, absent), row| match row.outcome {
        Outcome::Made(_) => (made + 1, failed, absent),
        Outcome::Failed(_) => (made, failed + 1, absent),
        Outcome::NotHere(_) => (made, failed, absent + 1),
    })
}
