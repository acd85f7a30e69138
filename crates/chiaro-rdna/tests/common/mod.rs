//! Golden data: the sample in this repository, or the whole where `CHIARO_VECTORS` names it.

pub(crate) mod conventions;
pub(crate) mod kernel;
pub(crate) mod pointers;
pub(crate) mod random;
pub(crate) mod resources;

use std::path::PathBuf;

/// Where a file of vectors is.
pub(crate) fn path(file: &str) -> PathBuf {
    let whole =
        std::env::var_os("CHIARO_VECTORS").map(|folder| PathBuf::from(folder).join("rdna").join(file));
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(file);
    whole.filter(|path| path.is_file()).unwrap_or(own)
}

/// Whether only the sample is there.
pub(crate) fn sampled() -> bool {
    std::env::var_os("CHIARO_VECTORS").is_none()
}

/// The text of a file of vectors.
pub(crate) fn read(file: &str) -> String {
    let path = path(file);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The rows of a table, without its head.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let text = read(file);
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Bytes of hexadecimal digits.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal");
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// Hexadecimal digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The rows of a file of a JSON value per line, without its head.
pub(crate) fn json_rows(file: &str) -> Vec<serde_json::Value> {
    let text = read(file);
    let lines = text.lines().filter(|line| line.starts_with('{') && !line.starts_with("{\"_comment\""));
    lines.map(|line| serde_json::from_str(line).expect("JSON")).collect()
}
