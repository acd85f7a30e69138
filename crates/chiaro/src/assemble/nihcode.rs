//! nihstro's language for PICA200.

use std::sync::Arc;

use chiaro_diag::{Diagnostic, FileId, SourceMap};
use chiaro_pica200::asm::nihcode::{self, Included, Includes, Mode, Options, Source};

use super::{AssembleOptions, Assembled, Open};

/// Assembles all files of the map into one executable.
pub(super) fn assemble(
    sources: &mut SourceMap,
    options: &AssembleOptions,
    open: &mut Open<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    // The map grows while the texts are read, so they are held here.
    let held = |file: FileId| (file, sources.name(file).to_owned(), sources.shared_text(file));
    let held: Vec<(FileId, String, Arc<str>)> = sources.ids().map(held).collect();
    let files: Vec<_> = held.iter().map(|(file, name, text)| Source { name, text, file: *file }).collect();
    let mode = if options.compat { Mode::Nihstro } else { Mode::Strict };
    let entry = options.entry.as_deref().unwrap_or("main");
    let wanted = Options { mode, entry, geometry: options.geometry };
    let made = nihcode::assemble(&files, &wanted, &mut Files { sources, open })?;
    Ok(Assembled {
        bytes: made.shbin.write(),
        labels: made.labels.into_iter().map(|label| (label.name, label.address)).collect(),
        spans: made.spans,
        warnings: made.warnings,
        ..Assembled::default()
    })
}

/// Included files, which join the map.
struct Files<'a, 'o> {
    sources: &'a mut SourceMap,
    open: &'a mut Open<'o>,
}

impl Includes for Files<'_, '_> {
    fn open(&mut self, path: &str) -> Result<Included, String> {
        let text: Arc<str> = (self.open)(path)?.into();
        Ok(Included { file: self.sources.add(path, Arc::clone(&text)), text })
    }
}
