//! GLSL inputs of SPIRV-Cross' tests, which its authors compile for Vulkan.

use std::io;
use std::path::Path;

use super::{Case, files, read};
use crate::glsl::source::{Source, stage_of};

pub(super) fn cases(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy().into_owned();
        let Some(stage) = stage_of(&name).filter(|_| !name.contains(".asm.")) else { continue };
        let source = Source::new(name, stage, read(&path)?);
        let defines = vec![("VULKAN".to_owned(), "100".to_owned())];
        let folder = path.parent().map(Path::to_owned);
        cases.push(Case::good(Source { defines, folder, ..source }));
    }
    Ok(cases)
}
