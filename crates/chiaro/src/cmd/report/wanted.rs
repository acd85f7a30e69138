//! Which shaders a command looks at, for which targets, in which variants.

use std::path::PathBuf;

use chiaro::CompileOptions;
use clap::Args;

use crate::choices::{Choices, Variant};
use crate::cli;
use crate::shell::{Failure, Shell};
use crate::survey::files::programs;
use crate::survey::plan::Plan;
use crate::survey::project::{NAME, Project, read};

/// Which shaders, for which targets, in which variants.
#[derive(Args)]
pub struct Wanted {
    /// Sources, or containers where the target reports on them; folders; patterns such as 'shaders/**/*.frag'.
    /// Without any, what the project file names.
    pub files: Vec<PathBuf>,
    /// The target; several with commas between them, or `all` that compile.
    #[arg(long, value_delimiter = ',', value_parser = cli::targets_or_all())]
    target: Vec<cli::Targets>,
    /// A variant of each shader, with macros: `fog:FOG=1,LIGHTS=2`. As often as there are variants.
    #[arg(long, value_name = "NAME:MACROS", value_parser = variant)]
    pub variant: Vec<Variant>,
    /// The project file, for what is not said here.
    #[arg(long, value_name = "FILE", default_value = NAME)]
    project: PathBuf,
    /// How many threads; all cores without it. The answer is the same.
    #[arg(long, value_name = "N", value_parser = cli::threads())]
    pub threads: Option<usize>,
    /// The entry point, where there are several.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    #[command(flatten)]
    pub settings: cli::Settings,
    #[command(flatten)]
    pub module: Choices,
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

/// Reads a project file.
pub fn project(path: &std::path::Path, shell: &mut Shell) -> Result<Project, Failure> {
    if !path.exists() {
        let message = format!("there is no project file `{}`", path.display());
        return Err(shell.misused(message, "name files, or write one with `chiaro init FOLDER`"));
    }
    let file = shell.read_text(path).map_err(|_| Failure::Usage)?;
    read(&shell.sources, file).map_err(|error| {
        let _ = shell.fail(*error);
        Failure::Usage
    })
}

impl Wanted {
    /// The targets that are named, none of them twice.
    pub fn targets(&self) -> Vec<cli::TargetName> {
        let mut all: Vec<cli::TargetName> = Vec::new();
        for target in self.target.iter().flat_map(cli::Targets::list) {
            if all.iter().all(|known| known.about().name != target.about().name) {
                all.push(target);
            }
        }
        all
    }

    /// What a project names, with what is said here besides.
    fn of_project(&self, mut project: Project, shell: &mut Shell) -> Result<Plan, Failure> {
        if !self.variant.is_empty() {
            project.variants.clone_from(&self.variant);
        }
        project.settings.extend_from_slice(&self.settings.settings);
        let include = project.include.clone();
        let mut plan = Plan::of(project).map_err(|error| shell.fail(*error))?;
        plan.choices = self.module.clone().including(&include);
        plan.options.entry.clone_from(&self.entry);
        Ok(plan)
    }

    /// The files, or what the project names.
    pub fn plan(&self, shell: &mut Shell) -> Result<Plan, Failure> {
        if self.files.is_empty() {
            let mut project = project(&self.project, shell)?;
            if !self.target.is_empty() {
                project.targets = self.targets();
            }
            return self.of_project(project, shell);
        }
        if self.target.is_empty() {
            return Err(shell.misused("no target is named", "`--target all` takes all that compile"));
        }
        let variants = if self.variant.is_empty() { vec![Variant::default()] } else { self.variant.clone() };
        Ok(Plan {
            programs: programs(&self.files).map_err(|error| shell.fail(*error))?,
            variants,
            targets: self.targets(),
            choices: self.module.clone(),
            options: CompileOptions {
                entry: self.entry.clone(),
                settings: self.settings.settings.clone(),
                ..CompileOptions::default()
            },
            folder: PathBuf::new(),
        })
    }
}
