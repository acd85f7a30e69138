//! The conventions that come with us, as the files that they are.

use chiaro_diag::SourceMap;

use super::convention::Convention;
use super::file;

/// Their names and texts. The first three are those of ray-tracing pipelines (spec 18.3), `compute` and `compute_deep` are
/// ours, and `llvm_c` and `llvm_gfx` are those of LLVM's functions with scratch instructions (spec 19.6).
pub const FILES: [(&str, &str); 7] = [
    ("rt_recursive", include_str!("shipped/rt_recursive.json")),
    ("traversal", include_str!("shipped/traversal.json")),
    ("ahit_isec", include_str!("shipped/ahit_isec.json")),
    ("compute", include_str!("shipped/compute.json")),
    ("compute_deep", include_str!("shipped/compute_deep.json")),
    ("llvm_c", include_str!("shipped/llvm_c.json")),
    ("llvm_gfx", include_str!("shipped/llvm_gfx.json")),
];

/// The text of a shipped file.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// A shipped convention; `None` for a name that is none.
#[must_use]
pub fn convention(name: &str) -> Option<Convention> {
    let mut sources = SourceMap::new();
    let text = text(name)?;
    let id = sources.add(name, text);
    file::read(text, id).ok().map(|read| read.convention)
}
