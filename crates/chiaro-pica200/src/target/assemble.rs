//! Sources to SHBIN files: picasso's language, nihstro's, and exact listings.

use std::collections::BTreeMap;
use std::sync::Arc;

use chiaro_diag::{Diagnostic, FileId, SourceMap};
use chiaro_target::{AssembleOptions, Assembled, Open, Stage};

use crate::asm::nihcode::{self, Included, Includes};
use crate::asm::picasso::{self, Assembly, Source};
use crate::listing::exact::{self, Exact};

/// The dialect of nihstro.
pub(super) const NIHCODE: &str = "nihcode";

/// Assembles all files of the map.
pub(super) fn assemble(
    sources: &mut SourceMap,
    options: &AssembleOptions,
    open: &mut Open<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    if exact_listing(sources).is_some() {
        return spelled_out(sources);
    }
    let first = sources.ids().next().unwrap_or_default();
    let by_name = super::ABOUT.dialect_of(sources.name(first)).map(|dialect| dialect.name);
    match options.dialect.or(by_name) {
        Some(NIHCODE) => from_nihcode(sources, options, open),
        _ if options.dialect.is_none() && nihcode::is(sources.text(first)) => {
            let mut made = from_nihcode(sources, options, open)?;
            let message = format!("`{}` is read as nihcode, nihstro's language", sources.name(first));
            made.warnings
                .push(Diagnostic::remark(None, message).help("`--syntax` says which language it is"));
            Ok(made)
        }
        _ => from_picasso(sources, options),
    }
}

/// The file of a run that is one exact listing.
fn exact_listing(sources: &SourceMap) -> Option<FileId> {
    sources.ids().find(|&file| exact::is_exact(sources.text(file)))
}

/// An exact listing is a whole container, so it stands alone.
fn spelled_out(sources: &SourceMap) -> Result<Assembled, Vec<Diagnostic>> {
    let file = exact_listing(sources).unwrap_or_default();
    if sources.ids().count() > 1 {
        let message = "an `.exact` listing is a whole container and cannot be linked with other files";
        return Err(vec![Diagnostic::error(file.span(0..".exact".len()), message)]);
    }
    let (bytes, table) = match exact::read(sources.text(file), file)? {
        Exact::Shbin(shbin) => (shbin.write(), None),
        Exact::Raw { code, descriptors } => {
            (to_bytes(&code), Some(to_bytes(&descriptors.iter().map(|entry| entry[0]).collect::<Vec<_>>())))
        }
    };
    Ok(Assembled { bytes, table, ..Assembled::default() })
}

fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn from_picasso(sources: &SourceMap, options: &AssembleOptions) -> Result<Assembled, Vec<Diagnostic>> {
    let source = |file| Source { name: sources.name(file), text: sources.text(file), file };
    let files: Vec<_> = sources.ids().map(source).collect();
    let mode = if options.compat { picasso::Mode::Picasso } else { picasso::Mode::Strict };
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
fn labels(made: &Assembly) -> BTreeMap<String, u32> {
    let labels = made.labels.iter().rev().map(|label| (label.name.clone(), label.address));
    labels.chain(made.procedures.iter().map(|procedure| (procedure.name.clone(), procedure.start))).collect()
}

/// All files become one executable.
fn from_nihcode(
    sources: &mut SourceMap,
    options: &AssembleOptions,
    open: &mut Open<'_>,
) -> Result<Assembled, Vec<Diagnostic>> {
    // The map grows while the texts are read, so they are held here.
    let held = |file: FileId| (file, sources.name(file).to_owned(), sources.shared_text(file));
    let held: Vec<(FileId, String, Arc<String>)> = sources.ids().map(held).collect();
    let files: Vec<_> = held.iter().map(|(file, name, text)| Source { name, text, file: *file }).collect();
    let mode = if options.compat { nihcode::Mode::Nihstro } else { nihcode::Mode::Strict };
    let entry = options.entry.as_deref().unwrap_or("main");
    let by_name = || held.first().is_some_and(|(_, name, _)| name.to_ascii_lowercase().ends_with(".g.nih"));
    let geometry = options.stage.map_or_else(by_name, |stage| stage == Stage::Geometry);
    let mut made =
        nihcode::assemble(&files, &nihcode::Options { mode, entry, geometry }, &mut Files { sources, open })?;
    if options.no_padding {
        let message = "`--no-nop` changes nothing: nihcode gets no padding";
        made.warnings.push(Diagnostic::warning(None, message));
    }
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
        let text = (self.open)(path)?;
        let file = self.sources.add(path, text);
        Ok(Included { file, text: self.sources.shared_text(file) })
    }
}
