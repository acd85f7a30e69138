//! What becomes of one shader on one target, with everything that is to be told of it: its code by source line,
//! what its instructions take, its report, and what each pass left.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use chiaro::anatomy::Anatomy;
use chiaro::{CompileOptions, LoadedModule, Offer, Report, Settings, compile};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::{Changed, Cx, Event};

use crate::choices::Choices;
use crate::cli::TargetName;
use crate::shell::{Failure, Shell};
use crate::survey::known_settings;
use crate::terms::{Term, terms, varyings};

/// What is made of what.
pub struct Wanted<'a> {
    /// The sources of one program, or a container.
    pub files: &'a [PathBuf],
    /// For whom.
    pub target: TargetName,
    /// How modules are read.
    pub choices: &'a Choices,
    /// How they are compiled.
    pub options: &'a CompileOptions,
    /// The files are code alone.
    pub raw: bool,
    /// What passes leave is kept.
    pub passes: bool,
    /// Nothing is told of a target that does not say what its instructions take.
    pub accounts: bool,
}

/// A program for a target.
pub struct Made {
    /// The first file, as it was named.
    pub file: String,
    /// For whom.
    pub target: TargetName,
    /// Its instructions in their order.
    pub lines: Vec<Line>,
    /// What they take.
    pub anatomy: Anatomy,
    /// The report, where there is one.
    pub report: Option<Report>,
    /// What vendors' tools count.
    pub terms: Vec<Term>,
    /// Sources that instructions come from: names and lines.
    pub sources: Vec<Source>,
    /// What passes left that changed something.
    pub passes: Vec<Passed>,
}

/// An instruction of a program. The anatomy has it under the same number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Line {
    /// As the assembler spells it.
    pub text: String,
    /// Its bytes in hexadecimal.
    pub bytes: String,
    /// Where it comes from: the number of a source, and a line of it from 1.
    pub place: Option<(usize, u32)>,
    /// The expression that it is of, as the source has it; as far as its first line ends.
    pub expression: String,
}

/// A source line as [`Line::place`] has it, and by file of registers how many hold something there.
pub type Live = ((usize, u32), Vec<(&'static str, u32)>);

/// A source text.
pub struct Source {
    /// Its name.
    pub name: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// The program behind a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passed {
    /// Its number in the run, as `compile --stop-after` counts.
    pub number: u32,
    /// Its name; empty for what the reader of sources gave.
    pub pass: &'static str,
    /// Instructions of the IR.
    pub size: usize,
    /// A number of the IR's text, to tell it from another: the texts of all passes are too much to keep.
    pub ir: u64,
}

impl Made {
    /// Compiles sources, or takes a container apart.
    pub fn of(wanted: &Wanted<'_>, shell: &mut Shell) -> Result<Made, Failure> {
        if let [file] = wanted.files {
            let bytes = shell.read(file)?;
            if wanted.raw || crate::input::is_container(wanted.target, file, &bytes) {
                return of_container(wanted, file, &bytes, shell);
            }
        }
        let modules = wanted.choices.load_all(wanted.files, None, shell)?;
        Made::of_modules(wanted, &modules, shell)
    }

    /// Compiles modules that were read already.
    pub fn of_modules(
        wanted: &Wanted<'_>,
        modules: &[LoadedModule],
        shell: &mut Shell,
    ) -> Result<Made, Failure> {
        let mut passes: Vec<Passed> = modules
            .iter()
            .take(usize::from(wanted.passes))
            .map(|first| passed(0, "", &first.module))
            .collect();
        let mut watch = |event: &Event<'_>| {
            if wanted.passes && event.changed == Changed::Yes {
                passes.push(passed(event.number, event.pass, event.module));
            }
        };
        let mut cx = Cx { watch: Some(&mut watch), ..Cx::default() };
        let made = compile(wanted.target, modules, wanted.options, &shell.sources, &mut cx);
        let made = shell.taken(made)?;
        shell.report_all(made.remarks);
        let known = known_settings(wanted.target, &wanted.options.settings);
        let anatomy = wanted.anatomy(&made.container, &known).map_err(|error| shell.fail(*error))?;
        let report = Some(made.report);
        let terms = terms(wanted.target, &anatomy, report.as_ref(), varyings(modules));
        let listed = listed(&made.code, &anatomy, &shell.sources);
        Ok(Made { report, terms, passes, ..Made::new(wanted, listed, anatomy) })
    }

    fn new(wanted: &Wanted<'_>, (lines, sources): (Vec<Line>, Vec<Source>), anatomy: Anatomy) -> Made {
        let file = wanted.files.first().map(|path| crate::input::name(path)).unwrap_or_default();
        let target = wanted.target;
        Made { file, target, lines, anatomy, report: None, terms: Vec::new(), sources, passes: Vec::new() }
    }
}

impl Wanted<'_> {
    /// What instructions take; nothing of a target that does not say it, where that is enough.
    fn anatomy(&self, bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
        if !self.accounts && !self.target.about().offers.contains(&Offer::Anatomy) {
            return Ok(Anatomy::default());
        }
        self.target.anatomy(bytes, settings)
    }
}

fn of_container(wanted: &Wanted<'_>, file: &Path, bytes: &[u8], shell: &mut Shell) -> Result<Made, Failure> {
    let settings = &wanted.options.settings;
    let mut told = |error: Box<Diagnostic>| shell.fail(error.note(format!("in `{}`", file.display())));
    let code = wanted.target.code(bytes, settings).map_err(&mut told)?;
    let anatomy = wanted.anatomy(bytes, settings).map_err(&mut told)?;
    let report = wanted.target.report(bytes, settings).ok();
    let terms = terms(wanted.target, &anatomy, report.as_ref(), None);
    let listed = listed(&code, &anatomy, &shell.sources);
    Ok(Made { report, terms, ..Made::new(wanted, listed, anatomy) })
}

/// Instructions of the anatomy with their texts, and the sources that they are of; what it leaves out, as padding, is
/// left out.
fn listed(code: &chiaro::Code, anatomy: &Anatomy, map: &SourceMap) -> (Vec<Line>, Vec<Source>) {
    let mut sources: Vec<Source> = Vec::new();
    let mut line = |offset: u32| {
        let found = code.lines.binary_search_by_key(&offset, |line| line.offset).ok();
        let Some(line) = found.map(|n| &code.lines[n]) else {
            return Line::default();
        };
        let place = line.span.map(|span| {
            let at = map.locate(span);
            (source(at.file, span, map, &mut sources), at.start.line)
        });
        let bytes = code.bytes_of(line).iter().map(|byte| format!("{byte:02x}")).collect();
        let expression = line.span.map(|span| map.slice(span).lines().next().unwrap_or_default().to_owned());
        Line { text: line.text.clone(), bytes, place, expression: expression.unwrap_or_default() }
    };
    let lines = anatomy.instructions.iter().map(|one| line(one.offset)).collect();
    (lines, sources)
}

/// The number of a source, with its lines if it is new.
fn source(name: &str, span: chiaro_diag::Span, map: &SourceMap, all: &mut Vec<Source>) -> usize {
    if let Some(known) = all.iter().position(|source| source.name == name) {
        return known;
    }
    let lines = map.text(span.file).lines().map(str::to_owned).collect();
    all.push(Source { name: name.to_owned(), lines });
    all.len() - 1
}

fn passed(number: u32, pass: &'static str, module: &chiaro_ir::Module) -> Passed {
    let size = module.entries.iter().map(|entry| module.function(entry.function).inst_count()).sum();
    let mut hasher = DefaultHasher::new();
    chiaro_ir::print(module).hash(&mut hasher);
    Passed { number, pass, size, ir: hasher.finish() }
}

impl Made {
    /// How far cycles are from the machine's.
    pub fn error(&self) -> &'static str {
        self.target.measured_error().unwrap_or("unmeasured")
    }

    /// Registers that hold something behind the instructions of each source line, at most: place, and by file.
    pub fn live_by_line(&self) -> Vec<Live> {
        let mut found: BTreeMap<(usize, u32), BTreeMap<u8, u32>> = BTreeMap::new();
        for (line, live) in self.lines.iter().zip(self.anatomy.pressure()) {
            let Some(place) = line.place else { continue };
            let most = found.entry(place).or_default();
            for (file, count) in live {
                let known = most.entry(file).or_default();
                *known = count.max(*known);
            }
        }
        let files = &self.anatomy.files;
        let named = |most: &BTreeMap<u8, u32>| {
            files.iter().map(|(file, name)| (*name, most.get(file).copied().unwrap_or(0))).collect()
        };
        found.iter().map(|(place, most)| (*place, named(most))).collect()
    }

    /// The text of a source line.
    pub fn text_of(&self, place: (usize, u32)) -> &str {
        let lines = self.sources.get(place.0).map(|source| source.lines.as_slice()).unwrap_or_default();
        lines.get(place.1.saturating_sub(1) as usize).map_or("", String::as_str)
    }

    /// A source line, as messages name it.
    pub fn name_of(&self, place: (usize, u32)) -> String {
        let name = self.sources.get(place.0).map_or("", |source| source.name.as_str());
        format!("{name}:{}", place.1)
    }
}
