//! What results depend on, as a rule that make and ninja read.

use std::fmt::Write;
use std::path::Path;

use crate::input::{Inputs, is_stdin};

/// `RESULTS: FILES`, one file a line. What was looked for and not found is no file to depend on.
pub fn rule(results: &[&Path], inputs: &Inputs) -> String {
    let mut out = results.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(" ");
    out.push(':');
    let read = inputs.iter().filter(|(path, stamp)| stamp.is_some() && !is_stdin(path));
    for (path, _) in read {
        let _ = write!(out, " \\\n  {}", quoted(path));
    }
    out.push('\n');
    out
}

/// A path as make reads it: blanks and `#` behind a backslash, `$` twice.
fn quoted(path: &Path) -> String {
    let mut out = String::new();
    for letter in path.to_string_lossy().chars() {
        match letter {
            ' ' | '#' | '\t' => out.extend(['\\', letter]),
            '$' => out.push_str("$$"),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_make_would_misread_is_quoted() {
        assert_eq!(quoted(Path::new("a b/c#1$(X).vert")), "a\\ b/c\\#1$$(X).vert");
    }

    #[test]
    fn files_that_are_not_there_are_left_out() {
        let mut inputs = Inputs::default();
        assert!(inputs.read(Path::new("no such file")).is_err());
        assert_eq!(rule(&[Path::new("x"), Path::new("y")], &inputs), "x y:\n");
    }
}
