//! What the command and the tools can ask of AGX.

mod check;
mod simulate;

use crate::asm::{self, Options};
use crate::explain;
use crate::isa::{GENERATIONS, isa};
use crate::listing::{self, Labels, Lister, Style};
use crate::operand::{APPLEGPU, OURS};
use crate::regs::{GPR_HALVES, LANES, UNIFORM_HALVES};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_isa::finding::Finding;
use chiaro_isa::{Isa, ParseError, Rng, Word};
use chiaro_sim::Assumption;
use chiaro_target::{
    About, AssembleOptions, Assembled, Code, Dialect, DisassembleOptions, Disassembled, Explained, Format,
    Inputs, Instructions, Line, Offer, Open, Report, Setting, Settings, SimulateOptions, Simulated, Stage,
    Target, Unread,
};

/// Apple AGX, G13 and G14.
#[derive(Debug)]
pub struct Agx;

/// The target in a few lines. Limits: spec section 2.
static ABOUT: About = About {
    name: "agx",
    aliases: &["g13", "g14", "applegpu"],
    machine: "Apple AGX (G13: A14 and M1, G14: M2)",
    stages: &[Stage::Vertex, Stage::Fragment, Stage::Compute],
    offers: &[Offer::Assemble, Offer::Disassemble, Offer::Check, Offer::Info, Offer::Simulate, Offer::Report],
    formats: &[Format::source("AGX assembly", ".agx")],
    dialects: &[
        Dialect { name: "agx", endings: ".agx", tool: None },
        Dialect { name: "applegpu", endings: ".applegpu", tool: Some("applegpu's assemble.py") },
    ],
    modes: &[],
    limits: &[
        ("general registers, in halves", GPR_HALVES as u32),
        ("uniform registers, in halves", UNIFORM_HALVES as u32),
        ("lanes of a SIMD-group", LANES),
    ],
    settings: &[
        Setting { name: "generation", about: "g13 or g14; g13 by default", tried: None },
        Setting { name: "stage", about: "of `check`: vertex, fragment, compute or preamble", tried: None },
        Setting {
            name: "part",
            about: "of `check`: program, open (others follow), last (others come before), middle",
            tried: None,
        },
        Setting {
            name: "halves",
            about: "of `check` and `report`: registers that are declared",
            tried: None,
        },
        Setting {
            name: "samples",
            about: "of `check`: yes for a part that runs for each sample",
            tried: None,
        },
        Setting { name: "syntax", about: "of listings: agx or applegpu; agx by default", tried: None },
        Setting {
            name: "columns",
            about: "of listings: place and bytes before the text, yes or no",
            tried: None,
        },
    ],
};

/// The set of a generation.
struct Generation(u8);

static SETS: [Generation; 2] = [Generation(0), Generation(1)];

impl Generation {
    fn isa(&self) -> &'static Isa {
        isa(self.0)
    }
}

impl Instructions for Generation {
    fn comment(&self) -> &'static str {
        "//"
    }
    fn parse(&self, line: &str) -> Result<(Word, usize), ParseError> {
        Instructions::parse(self.isa(), line)
    }
    fn text(&self, word: &Word) -> Option<String> {
        Instructions::text(self.isa(), word)
    }
    fn explain(&self, words: &[Word], bytes: usize) -> Result<Explained, Unread> {
        let explained = Instructions::explain(self.isa(), words, bytes)?;
        let word = words.first().copied().unwrap_or_default();
        let text = explain::explain(&word.to_bytes(), self.0);
        Ok(Explained { text: text.unwrap_or(explained.text), ..explained })
    }
    fn html(&self) -> String {
        self.isa().html()
    }
    fn operations(&self) -> Vec<&'static str> {
        Instructions::operations(self.isa())
    }
    fn sample(&self, op: Option<&str>, rng: &mut Rng) -> Option<(Word, usize)> {
        Instructions::sample(self.isa(), op, rng)
    }
}

/// How the settings want listings.
fn style_of(settings: &Settings) -> Result<Style, Box<Diagnostic>> {
    let mut style = Style::default();
    for (key, value) in settings {
        let wrong = |allowed: &str| {
            let message = format!("`{key}` is {allowed}, not `{value}`");
            Box::new(Diagnostic::error(None, message))
        };
        match (key.as_str(), value.as_str()) {
            ("generation", name) => {
                let place = GENERATIONS.iter().position(|known| *known == name);
                style.generation = place.ok_or_else(|| wrong("g13 or g14"))? as u8;
            }
            ("syntax", "agx") => style.dialect = OURS,
            ("syntax", "applegpu") => style.dialect = APPLEGPU,
            ("syntax", _) => return Err(wrong("agx or applegpu")),
            ("columns", "yes" | "no") => style.columns = value == "yes",
            ("columns", _) => return Err(wrong("yes or no")),
            ("stage" | "part" | "halves" | "samples", _) => {}
            _ => return Err(Box::new(ABOUT.no_setting(key))),
        }
    }
    Ok(style)
}

impl Target for Agx {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>> {
        let style = style_of(settings).map_err(|e| vec![*e])?;
        Ok(&SETS[usize::from(style.generation)])
    }

    fn assemble(
        &self,
        sources: &mut SourceMap,
        options: &AssembleOptions,
        _: &mut Open<'_>,
    ) -> Result<Assembled, Vec<Diagnostic>> {
        let mut files = sources.ids();
        let file = files.next().unwrap_or_default();
        if let Some(other) = files.next() {
            return Err(vec![Diagnostic::error(other.span(0..0), "a program of this target is one file")]);
        }
        let style = style_of(&options.settings).map_err(|e| vec![*e])?;
        let named = options.dialect.or_else(|| ABOUT.dialect_of(sources.name(file)).map(|d| d.name));
        let dialect = if named == Some("applegpu") { APPLEGPU } else { OURS };
        let wanted = Options { generation: style.generation, dialect, compat: options.compat };
        let (program, warnings) = asm::assemble(file, sources.text(file), wanted)?;
        let index = |place: u64| program.lines.partition_point(|(_, at)| *at < place) as u32;
        let labels = program.labels.iter().map(|(name, place)| (name.clone(), index(*place))).collect();
        let spans = program.lines.iter().map(|(at, _)| file.span(at.clone())).collect();
        Ok(Assembled { bytes: program.bytes, labels, spans, warnings, ..Assembled::default() })
    }

    /// Code stands alone: there is no container yet.
    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        if !options.table.is_empty() {
            return Err(Box::new(Diagnostic::error(None, "this target has no descriptor table")));
        }
        let text = listing::code(bytes, style_of(&options.settings)?);
        Ok(Disassembled { text, remarks: Vec::new() })
    }

    fn check(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        let generation = style_of(settings)?.generation;
        Ok(check::check(bytes, settings, check::config(settings, generation)?))
    }

    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        Ok(check::info(bytes))
    }

    fn report(&self, bytes: &[u8], settings: &Settings) -> Result<Report, Box<Diagnostic>> {
        let generation = style_of(settings)?.generation;
        let config = check::config(settings, generation)?;
        Ok(check::report(bytes, &config))
    }

    fn assumptions(&self) -> &'static [Assumption] {
        simulate::assumptions()
    }

    fn check_simulation(&self, options: &SimulateOptions) -> Result<(), Vec<Diagnostic>> {
        simulate::choices(options).map(|_| ())
    }

    fn simulate(
        &self,
        container: &[u8],
        inputs: &Inputs,
        options: &SimulateOptions,
    ) -> Result<Simulated, Vec<Diagnostic>> {
        simulate::simulate(container, inputs, options)
    }

    fn code(&self, bytes: &[u8], settings: &Settings) -> Result<Code, Box<Diagnostic>> {
        let lister = Lister::new(Style { columns: false, ..style_of(settings)? });
        let labels = if settings.is_empty() { lister.labels(bytes) } else { Labels::new() };
        let lines = lister.lines(bytes, &labels).into_iter();
        let lines = lines.map(|(offset, length, text)| Line { offset, length, text, span: None }).collect();
        Ok(Code { bytes: bytes.to_vec(), lines })
    }
}
