//! What a run looks at, made of arguments or of a project file.

use std::path::{Path, PathBuf};

use chiaro::CompileOptions;
use chiaro_diag::Diagnostic;

use super::files::{Program, programs};
use super::project::Project;
use super::{Outcome, Row, Survey, name};
use crate::choices::{Choices, Variant};
use crate::cli::TargetName;
use crate::shell::Shell;

/// Everything that a [`Survey`] refers to.
pub struct Plan {
    /// The programs.
    pub programs: Vec<Program>,
    /// At least one.
    pub variants: Vec<Variant>,
    /// At least one.
    pub targets: Vec<TargetName>,
    /// How modules are read.
    pub choices: Choices,
    /// How they are compiled.
    pub options: CompileOptions,
    /// The folder that rows name their sources from.
    pub folder: PathBuf,
}

impl Plan {
    /// What a project names.
    ///
    /// # Errors
    /// Names that nothing stands behind.
    pub fn of(project: Project) -> Result<Plan, Box<Diagnostic>> {
        Ok(Plan {
            programs: programs(&project.shaders).map_err(|error| project.placed(error))?,
            folder: project.folder,
            choices: Choices::default().including(&project.include),
            options: CompileOptions { settings: project.settings, ..CompileOptions::default() },
            variants: project.variants,
            targets: project.targets,
        })
    }

    /// Nothing that is written may take the place of a source.
    pub fn note_inputs(&self, shell: &mut Shell) {
        self.programs.iter().flat_map(|program| &program.files).for_each(|path| shell.inputs.note(path));
    }

    /// The work itself.
    pub fn survey(&self) -> Survey<'_> {
        Survey {
            programs: &self.programs,
            variants: &self.variants,
            targets: &self.targets,
            choices: &self.choices,
            options: &self.options,
        }
    }

    /// All rows.
    pub fn rows(&self, threads: Option<usize>) -> Vec<Row> {
        let mut rows = self.survey().rows(threads);
        rows.iter_mut().for_each(|row| self.see_from_folder(row));
        rows
    }

    /// Names the sources of a row, and of its messages, as the plan's folder sees them.
    pub fn see_from_folder(&self, row: &mut Row) {
        row.shader = self.seen_from_folder(&row.shader);
        row.file = self.seen_from_folder(&row.file);
        let Outcome::Failed(messages) = &mut row.outcome else { return };
        for (file, ..) in messages.iter_mut().filter_map(|message| message.place.as_mut()) {
            *file = self.seen_from_folder(file);
        }
    }

    /// A source as the plan's folder sees it, the same on every machine.
    fn seen_from_folder(&self, shader: &str) -> String {
        match Path::new(shader).strip_prefix(&self.folder) {
            Ok(inside) if !self.folder.as_os_str().is_empty() => name(inside),
            _ => shader.to_owned(),
        }
    }
}
