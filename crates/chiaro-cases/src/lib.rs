//! Tests as data (development only): what is made now against what is written down, with all
//! differences of a run shown as a reader wants them.
//!
//! `CHIARO_BLESS=1` writes what is made now instead. Whoever blesses reads the diff of the repository.

#![forbid(unsafe_code)]

use std::fmt::Write;
use std::fs;
use std::path::Path;

mod damage;
mod diff;
pub mod kernels;

pub use damage::{damaged, edited};
pub use diff::diff;

/// Stands between the two texts of a case.
const EXPECT: &str = "; --- expect\n";

/// The failures of a run.
#[derive(Debug, Default)]
pub struct Cases {
    wrong: Vec<String>,
}

/// Whether expectations are to be rewritten.
#[must_use]
pub fn is_blessing() -> bool {
    std::env::var_os("CHIARO_BLESS").is_some()
}

/// A number for a text that is too long to be written down (FNV-1a, halves joined): it says that something is made
/// in another way, not what. Keep the text itself where a reader can take it in.
#[must_use]
pub fn digest(text: &str) -> String {
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let whole = text.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    format!("{:08x}", (whole >> 32) as u32 ^ whole as u32)
}

/// Runs every case of a file of a package, as [`Cases::of_file`] does; `package` is its `CARGO_MANIFEST_DIR`.
///
/// # Panics
/// If anything differs: with all of it.
#[track_caller]
pub fn of_file(package: &str, file: impl AsRef<Path>, make: impl Fn(&str) -> String) {
    let mut cases = Cases::new();
    cases.of_file(&Path::new(package).join(file), make);
    cases.finish();
}

/// The head of a file of numbers: what its columns are.
#[must_use]
pub fn head(columns: &str) -> String {
    format!("# CHIARO_BLESS=1 writes this again; a line that changes is looked at.\n# {columns}\n")
}

/// Compares a text with a file of a package, or writes it; `package` is its `CARGO_MANIFEST_DIR`.
///
/// # Panics
/// If they differ: with all of it.
#[track_caller]
pub fn written(package: &str, file: impl AsRef<Path>, found: &str) {
    let mut cases = Cases::new();
    cases.file(&Path::new(package).join(file), Some(found));
    cases.finish();
}

/// The texts of a file's cases without what is expected of them, each with its name: inputs for others.
///
/// # Panics
/// If the file cannot be read.
#[must_use]
pub fn inputs(path: &Path) -> Vec<(String, String)> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cases = text.split_once("; test ").map_or("", |(_, cases)| cases);
    let of = |case: &str| {
        let (name, body) = case.split_once('\n').unwrap_or((case, ""));
        (name.to_owned(), body.split(EXPECT).next().unwrap_or_default().to_owned())
    };
    cases.split("\n; test ").filter(|case| !case.is_empty()).map(of).collect()
}

impl Cases {
    /// A run without failures so far.
    #[must_use]
    pub fn new() -> Cases {
        Cases::default()
    }

    /// Compares two texts, but for blanks at their ends.
    pub fn expect(&mut self, name: &str, expected: &str, found: &str) {
        let (expected, found) = (expected.trim_end(), found.trim_end());
        if expected != found && !is_blessing() {
            self.wrong.push(format!("{name}\n{}", diff(expected, found)));
        }
    }

    /// Compares with a whole file, or writes it. `None` is for what cannot be made: then there must
    /// be no file.
    pub fn file(&mut self, path: &Path, found: Option<&str>) {
        let expected = fs::read_to_string(path).ok();
        let result = match (is_blessing(), found) {
            (true, Some(found)) => {
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, found))
            }
            (true, None) => expected.map_or(Ok(()), |_| fs::remove_file(path)),
            (false, _) => {
                let (expected, found) = (expected.unwrap_or_default(), found.unwrap_or_default());
                self.expect(&path.display().to_string(), &expected, found);
                Ok(())
            }
        };
        if let Err(error) = result {
            self.wrong.push(format!("{}: {error}", path.display()));
        }
    }

    /// Runs every case of a file. A case begins with `; test` and a name; `; --- expect` stands
    /// between the text that `make` is given and what it makes.
    pub fn of_file(&mut self, path: &Path, make: impl Fn(&str) -> String) {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return self.wrong.push(format!("{}: {error}", path.display())),
        };
        let (head, cases) = text.split_once("; test ").unwrap_or((&text, ""));
        let mut now = head.to_owned();
        for case in cases.split("\n; test ").filter(|case| !case.is_empty()) {
            let (name, body) = case.split_once('\n').unwrap_or((case, ""));
            let (before, expected) = body.split_once(EXPECT).unwrap_or((body, ""));
            let after = make(before);
            self.expect(&format!("{}: {name}", path.display()), expected, &after);
            let _ = write!(now, "; test {name}\n{}\n{EXPECT}{}\n\n", before.trim_end(), after.trim_end());
        }
        if is_blessing() && fs::write(path, now.trim_end().to_owned() + "\n").is_err() {
            self.wrong.push(format!("{} cannot be written", path.display()));
        }
    }

    /// Ends the run.
    ///
    /// # Panics
    /// If anything differed: with all of it.
    #[track_caller]
    pub fn finish(self) {
        let count = self.wrong.len();
        assert!(
            self.wrong.is_empty(),
            "{count} differ (- is written down, + is made now; CHIARO_BLESS=1 rewrites):\n\n{}",
            self.wrong.join("\n")
        );
    }
}
