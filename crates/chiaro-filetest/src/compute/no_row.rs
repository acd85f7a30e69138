//! Modules of the corpus without a row, each with the reason: `no-row.tsv`.

use std::collections::BTreeSet;
use std::path::Path;

use super::Job;

/// The list of this crate.
const LIST: &str = include_str!("no-row.tsv");

/// Module and reason of each.
pub fn without_row() -> impl Iterator<Item = (&'static str, &'static str)> {
    LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// Modules in a folder that have neither a row nor a reason to have none.
///
/// # Errors
/// A folder that cannot be read.
pub fn unaccounted(shaders: &Path, jobs: &[(usize, Job)]) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(shaders).map_err(|e| format!("{}: {e}", shaders.display()))?;
    let paths = entries.filter_map(|e| Some(e.ok()?.path()));
    let modules = paths.filter(|p| p.extension().is_some_and(|e| e == "spv"));
    let names: BTreeSet<String> =
        modules.filter_map(|p| Some(p.file_stem()?.to_string_lossy().into_owned())).collect();
    let has_row = |name: &str| jobs.iter().any(|(_, job)| job.shader == name);
    let has_reason = |name: &str| without_row().any(|(module, _)| module == name);
    Ok(names.into_iter().filter(|name| !has_row(name) && !has_reason(name)).collect())
}
