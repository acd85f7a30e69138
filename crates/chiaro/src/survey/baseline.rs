//! The baseline: what shaders took when somebody last agreed, one line each, so that it merges line by line and
//! reviews read well.
//!
//! ```text
//! shaders/water.frag [FOG=1] a3xx: instructions 45, registers (vec4, full) 3, longest path cycles 67
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use chiaro_diag::{Diagnostic, FileId, SourceMap};

use super::{Outcome, Row};

/// The first line.
pub const HEAD: &str = "# chiaro baseline 1: written by `chiaro gate --update`";

/// What a row is called: shader, variant, target.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key {
    /// The source.
    pub shader: String,
    /// The variant; empty of the only one.
    pub variant: String,
    /// The target.
    pub target: String,
}

/// By row: what is counted, in the order of the report. Nothing of a shader that did not compile.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Baseline {
    /// The rows.
    pub rows: BTreeMap<Key, Vec<(String, u64)>>,
}

impl Key {
    /// Whether this is an entry point of a module that another row stands for as a whole.
    pub fn is_entry_of(&self, module: &Key) -> bool {
        let entry = self.shader.strip_prefix(module.shader.as_str());
        entry.is_some_and(|entry| entry.starts_with(':'))
            && (&self.variant, &self.target) == (&module.variant, &module.target)
    }

    /// Of a row.
    pub fn of(row: &Row) -> Key {
        Key { shader: row.shader.clone(), variant: row.variant.clone(), target: row.target.to_owned() }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.shader)?;
        if !self.variant.is_empty() {
            write!(f, " [{}]", self.variant)?;
        }
        write!(f, " {}", self.target)
    }
}

impl Baseline {
    /// What rows are now; what is not for a target is left out.
    ///
    /// # Errors
    /// Rows that are called the same, and names that cannot stand in a line.
    pub fn of(rows: &[Row]) -> Result<Baseline, Box<Diagnostic>> {
        let mut baseline = Baseline::default();
        for row in rows.iter().filter(|row| !matches!(row.outcome, Outcome::NotHere(_))) {
            let key = Key::of(row);
            let line = format!("{key}: does not compile");
            let is_fit = !line.contains(char::is_control) && !line.starts_with(['#', '<', '=', '>', '|']);
            if !is_fit || self::row(&line).as_ref().map(|(read, _)| read) != Some(&key) {
                return Err(Diagnostic::error(None, format!("`{key}` cannot stand in a baseline"))
                    .help("give the file or the variant a plainer name")
                    .into());
            }
            if baseline.rows.insert(key.clone(), row.metrics()).is_some() {
                return Err(Diagnostic::error(None, format!("two rows are called `{key}`"))
                    .help("give variants and entry points different names")
                    .into());
            }
        }
        Ok(baseline)
    }

    /// Reads a file of the map.
    ///
    /// # Errors
    /// Lines that are none, and marks of a merge that is not done.
    pub fn read(sources: &SourceMap, file: FileId) -> Result<Baseline, Box<Diagnostic>> {
        let mut baseline = Baseline::default();
        let mut at = 0;
        for line in sources.text(file).split('\n') {
            let span = file.span(at..at + line.len());
            at += line.len() + 1;
            let text = line.trim_end_matches('\r');
            if is_merge_mark(text) {
                return Err(Diagnostic::error(span, "here is a merge that is not done")
                    .help("keep either side, or run `chiaro gate --update`, which writes what is true now")
                    .into());
            }
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (key, metrics) = row(text).ok_or_else(|| {
                Box::new(
                    Diagnostic::error(span, "this is no line of a baseline")
                        .help("`chiaro gate --update` writes it anew"),
                )
            })?;
            if baseline.rows.insert(key, metrics).is_some() {
                return Err(Diagnostic::error(span, "this row stands here twice")
                    .help("take one of them away")
                    .into());
            }
        }
        Ok(baseline)
    }

    /// As text, sorted: the same rows are the same bytes.
    pub fn text(&self) -> String {
        let mut out = format!("{HEAD}\n");
        for (key, metrics) in &self.rows {
            let metrics: Vec<String> =
                metrics.iter().map(|(name, value)| format!("{name} {value}")).collect();
            let what = if metrics.is_empty() { "does not compile".to_owned() } else { metrics.join("; ") };
            let _ = writeln!(out, "{key}: {what}");
        }
        out
    }
}

/// Whether a line is one of those that git leaves where two sides differ.
fn is_merge_mark(line: &str) -> bool {
    let rest = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].iter().find_map(|mark| line.strip_prefix(mark));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// A line, taken apart.
fn row(line: &str) -> Option<(Key, Vec<(String, u64)>)> {
    let (key, metrics) = line.rsplit_once(": ")?;
    let (shader, target) = key.rsplit_once(' ')?;
    let (shader, variant) = match shader.strip_suffix(']').and_then(|text| text.rsplit_once(" [")) {
        Some((shader, variant)) => (shader, variant),
        None => (shader, ""),
    };
    let key = Key { shader: shader.to_owned(), variant: variant.to_owned(), target: target.to_owned() };
    if metrics == "does not compile" {
        return Some((key, Vec::new()));
    }
    let metric = |text: &str| {
        let (name, value) = text.rsplit_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    Some((key, metrics.split("; ").map(metric).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Baseline, String> {
        let mut sources = SourceMap::new();
        let file = sources.add("chiaro.baseline", text);
        Baseline::read(&sources, file).map_err(|error| error.message)
    }

    #[test]
    fn what_is_written_is_read() {
        let key = |shader: &str, variant: &str| Key {
            shader: shader.to_owned(),
            variant: variant.to_owned(),
            target: "a3xx".to_owned(),
        };
        let metrics = vec![("registers (vec4, full)".to_owned(), 3), ("longest path cycles".to_owned(), 67)];
        let rows = [
            (key("b.vert", ""), metrics.clone()),
            (key("a b.frag", "FOG=1,N=2"), metrics),
            (key("c.vert", ""), Vec::new()),
        ];
        let baseline = Baseline { rows: rows.into_iter().collect() };
        assert_eq!(read(&baseline.text()), Ok(baseline));
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        for (text, words) in [
            ("a.vert a3xx: instructions 4\n<<<<<<< HEAD\n", "merge"),
            ("a.vert a3xx: instructions many\n", "no line"),
            ("words\n", "no line"),
            ("a.vert a3xx: instructions 4\na.vert a3xx: instructions 5\n", "twice"),
        ] {
            assert!(read(text).is_err_and(|error| error.contains(words)), "{text}");
        }
    }
}
