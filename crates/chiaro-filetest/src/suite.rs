//! A suite of vectors: how the rows of a file are read and checked.

use std::path::Path;

use serde_json::Value;

/// Why a row is not a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Miss {
    /// The result differs from the row's.
    Failed(String),
    /// The row says itself that it is doubtful, or asks for what does not exist.
    Skipped(String),
}

impl From<String> for Miss {
    fn from(reason: String) -> Self {
        Miss::Failed(reason)
    }
}

impl From<&str> for Miss {
    fn from(reason: &str) -> Self {
        Miss::Failed(reason.into())
    }
}

/// A row of a vector file.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    /// The folder of the file, for rows that name other files.
    pub folder: &'a Path,
    /// Line in the file, from 1.
    pub line: usize,
    /// The row as it is written.
    pub text: &'a str,
}

impl<'a> Row<'a> {
    /// The columns of a `.tsv` row, which must be exactly so many.
    pub fn columns<const N: usize>(&self) -> Result<[&'a str; N], Miss> {
        let columns: Vec<&str> = self.text.split('\t').collect();
        let found = columns.len();
        columns.try_into().map_err(|_| Miss::Failed(format!("the row has {found} columns, not {N}")))
    }

    /// The object of a `.jsonl` row.
    pub fn json(&self) -> Result<Value, Miss> {
        serde_json::from_str(self.text).map_err(|e| Miss::Failed(format!("the row is not JSON: {e}")))
    }
}

/// Words of eight hexadecimal digits with blanks between them; `-` is none.
pub fn hex_words(text: &str) -> Result<Vec<u32>, Miss> {
    let words = text.split_whitespace().filter(|w| *w != "-");
    words.map(|w| u32::from_str_radix(w, 16).map_err(|_| format!("`{w}` is not a word").into())).collect()
}

/// How the rows of one file are checked.
pub struct Suite {
    /// File name in the target's folder.
    pub file: &'static str,
    /// Folder with files that the rows name, if any.
    pub companion: Option<&'static str>,
    /// Checks one row.
    pub check: Check,
}

/// Checks a row: `Ok` is a pass.
pub type Check = fn(&Row<'_>) -> Result<(), Miss>;
