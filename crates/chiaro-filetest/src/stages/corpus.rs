//! Every GLSL source of a folder: accepted, and valid when turned into Vulkan's flavour.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chiaro::stage_of;

use super::Shader;

/// The version word of SPIR-V 1.4.
const VERSION_1_4: u32 = 0x0001_0400;

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
    let shader = std::panic::catch_unwind(|| Shader::compile(path))
        .unwrap_or_else(|_| Err("panicked".to_owned()))
        .map_err(|reason| (false, reason))?;
    let vulkan = chiaro_spirv::vulkanize(&shader.hub).map_err(|e| (true, e.message))?;
    match validate(&vulkan.words) {
        Some(Err(reason)) => Err((true, reason)),
        Some(Ok(())) | None => Ok(()),
    }
}

/// What the validator says; `None` where there is none.
fn validate(words: &[u32]) -> Option<Result<(), String>> {
    // Rays, and whatever else asks for 1.4, are of the environment that has it.
    let newer = words.get(1).is_some_and(|&version| version >= VERSION_1_4);
    let environment = if newer { "vulkan1.1spv1.4" } else { "vulkan1.1" };
    let mut command = Command::new("spirv-val");
    command.args(["--target-env", environment, "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    // A validator that stops reading says why.
    let _ = child.stdin.take()?.write_all(&bytes);
    let output = child.wait_with_output().ok()?;
    Some(if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    })
}
