//! Every GLSL source of a folder: accepted, and valid when turned into Vulkan's flavour.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use chiaro::{GlslStage, stage_of};
use chiaro_spirv::module::Module as Hub;

use super::Shader;
use crate::glsl::source::Source;
use crate::glsl::validate::validate;

/// What became of the sources.
#[derive(Default)]
pub struct CorpusReport {
    /// Sources by folder: all, accepted, valid.
    folders: BTreeMap<String, [usize; 3]>,
    /// Source and reason.
    failures: Vec<(String, String)>,
    /// Whether there is a validator on this machine.
    validated: bool,
}

impl CorpusReport {
    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

impl fmt::Display for CorpusReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<48} {:>8} {:>8} {:>8}", "folder", "sources", "accepted", "valid")?;
        for (folder, [all, accepted, valid]) in &self.folders {
            writeln!(f, "{folder:<48} {all:>8} {accepted:>8} {valid:>8}")?;
        }
        if !self.validated {
            writeln!(f, "there is no spirv-val: validity was not looked at")?;
        }
        for (source, reason) in &self.failures {
            writeln!(f, "{source}: {}", reason.trim_end().replace('\n', "\n    "))?;
        }
        Ok(())
    }
}

/// Compiles all files below a folder whose endings are those of stages, and validates the words with
/// `spirv-val` where that tool is installed.
///
/// # Errors
/// A folder that cannot be read.
pub fn check_corpus(folder: &Path) -> std::io::Result<CorpusReport> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let mut report = CorpusReport { validated: validate(&[]).is_some(), ..CorpusReport::default() };
    for path in files {
        let parent = path.parent().unwrap_or(folder).strip_prefix(folder).unwrap_or(folder);
        let counts = report.folders.entry(parent.display().to_string()).or_default();
        counts[0] += 1;
        match one(&path) {
            Ok(()) => {
                counts[1] += 1;
                counts[2] += 1;
            }
            Err((accepted, reason)) => {
                counts[1] += usize::from(accepted);
                report.failures.push((path.display().to_string(), reason));
            }
        }
    }
    Ok(report)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.file_name().is_some_and(|name| stage_of(&name.to_string_lossy()).is_some()) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether it was accepted, and why it is not valid.
fn one(path: &Path) -> Result<(), (bool, String)> {
    let hub = std::panic::catch_unwind(|| compile(path))
        .unwrap_or_else(|_| Err("panicked".to_owned()))
        .map_err(|reason| (false, reason))?;
    let vulkan = chiaro_spirv::vulkanize(&hub).map_err(|e| (true, e.message))?;
    match validate(&vulkan.words) {
        Some(Err(reason)) => Err((true, reason)),
        Some(Ok(())) | None => Ok(()),
    }
}

/// Words in the flavour of OpenGL, which the IR can say where it has the stage.
fn compile(path: &Path) -> Result<Hub, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match stage_of(&name) {
        Some(stage @ (GlslStage::Task | GlslStage::Mesh)) => {
            let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
            let (hub, found) = Source::new(name, stage, text).compile();
            hub.ok_or_else(|| found.iter().map(|found| found.message.clone() + "\n").collect())
        }
        _ => Ok(Shader::compile(path)?.hub),
    }
}
