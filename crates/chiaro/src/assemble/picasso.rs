//! picasso's language for PICA200.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_pica200::asm::picasso::{self, Assembly, Mode, Source};

use super::{AssembleOptions, Assembled};

/// Assembles all files of the map.
pub(super) fn assemble(sources: &SourceMap, options: &AssembleOptions) -> Result<Assembled, Vec<Diagnostic>> {
    let source = |file| Source { name: sources.name(file), text: sources.text(file), file };
    let files: Vec<_> = sources.ids().map(source).collect();
    let mode = if options.compat { Mode::Picasso } else { Mode::Strict };
    let made = picasso::assemble(&files, &picasso::Options { mode, no_nop: options.no_padding })?;
    Ok(Assembled {
        bytes: made.shbin.write(),
        labels: labels(&made),
        header: Some(made.header),
        table: None,
        spans: made.spans,
        warnings: made.warnings,
    })
}

/// Procedures win over labels of the same name, the first file over the others.
fn labels(made: &Assembly) -> std::collections::BTreeMap<String, u32> {
    let labels = made.labels.iter().rev().map(|label| (label.name.clone(), label.address));
    labels.chain(made.procedures.iter().map(|procedure| (procedure.name.clone(), procedure.start))).collect()
}
