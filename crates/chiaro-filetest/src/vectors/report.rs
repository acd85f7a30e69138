//! What became of the rows.

use std::collections::BTreeMap;
use std::fmt;

use super::Miss;

/// Failures of one file that are shown in full; the others are counted.
const MOST_FAILURES: usize = 10;

/// All files of a run.
#[derive(Default)]
pub struct Report {
    /// Files that were checked.
    pub files: Vec<FileReport>,
    /// Files and folders that were not, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// What became of the rows of a file.
pub struct FileReport {
    /// Target and file name.
    pub name: String,
    /// Rows that were looked at.
    pub rows: usize,
    /// Rows with the expected result.
    pub passed: usize,
    /// Line and reason of each row with another result.
    pub failures: Vec<(usize, String)>,
    /// Reasons for rows that were left out, with their number.
    pub skipped: BTreeMap<String, usize>,
}

impl Report {
    /// Rows of all files.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.files.iter().map(|f| f.rows).sum()
    }

    /// Failed rows of all files.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.files.iter().map(|f| f.failures.len()).sum()
    }

    pub(super) fn skip(&mut self, name: &str, reason: &str) {
        self.skipped.push((name.into(), reason.into()));
    }
}

impl FileReport {
    pub(crate) fn new(name: &str) -> Self {
        let (failures, skipped) = (Vec::new(), BTreeMap::new());
        FileReport { name: name.into(), rows: 0, passed: 0, failures, skipped }
    }

    pub(crate) fn count(&mut self, line: usize, verdict: Result<(), Miss>) {
        self.rows += 1;
        match verdict {
            Ok(()) => self.passed += 1,
            Err(Miss::Failed(reason)) => self.failures.push((line, reason)),
            Err(Miss::Skipped(reason)) => *self.skipped.entry(reason).or_default() += 1,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<32} {:>7} {:>7} {:>7} {:>7}", "file", "rows", "passed", "failed", "skipped")?;
        for file in &self.files {
            write!(f, "{file}")?;
        }
        for (name, reason) in &self.skipped {
            writeln!(f, "{name:<32} skipped: {reason}")?;
        }
        Ok(())
    }
}

impl fmt::Display for FileReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (failed, skipped) = (self.failures.len(), self.skipped.values().sum::<usize>());
        let FileReport { name, rows, passed, .. } = self;
        writeln!(f, "{name:<32} {rows:>7} {passed:>7} {failed:>7} {skipped:>7}")?;
        for (reason, n) in &self.skipped {
            writeln!(f, "  {n} skipped: {reason}")?;
        }
        for (line, reason) in self.failures.iter().take(MOST_FAILURES) {
            writeln!(f, "  line {line}: {}", reason.trim_end().replace('\n', "\n    "))?;
        }
        if failed > MOST_FAILURES {
            writeln!(f, "  and {} more failures", failed - MOST_FAILURES)?;
        }
        Ok(())
    }
}
