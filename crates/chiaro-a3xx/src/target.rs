//! What this target offers to the command and the tools.

mod anatomy;
mod compile;
mod simulate;

pub(crate) use simulate::simulate;

use crate::asm::{self, Options};
use crate::check;
use crate::container::{self, Kind, binary};
use crate::isa;
use crate::listing::{self, Style, mesa, pgmdump};
use crate::operand::{MESA, PGMDUMP, PGMDUMP_2013};
use crate::regs::{self, generation};
use crate::report::{Stage as ReportStage, Statistics};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_isa::Out;
use chiaro_opt::Cx;
use chiaro_sim::Assumption;
use chiaro_target::{
    About, Anatomy, AssembleOptions, Assembled, Code, CompileOptions, CompiledShader, Dialect,
    DisassembleOptions, Disassembled, Edit, Finding, Format, Inputs, Instructions, Lexis, Offer, Open, Proof,
    Remedy, Setting, Settings, Shader, SimulateOptions, Simulated, Stage, Target,
};
use serde_json::{Value as Json, json};

/// The target.
pub struct A3xx;

/// All languages have the same lines.
const LEXIS: Lexis = Lexis { comments: &[";"], separator: None, directives: asm::DIRECTIVES };

static ABOUT: About = About {
    name: "a3xx",
    aliases: &["adreno-3xx", "adreno", "ir3", "a304", "a305", "a306", "a307", "a308", "a320", "a330"],
    machine: "Adreno 304 to 330, the shader processor of Snapdragon phones and boards of 2012 to 2016",
    stages: &[Stage::Vertex, Stage::Fragment, Stage::Compute],
    offers: &[
        Offer::Assemble,
        Offer::Disassemble,
        Offer::Check,
        Offer::Info,
        Offer::Compile,
        Offer::Verify,
        Offer::Simulate,
        Offer::Anatomy,
    ],
    formats: &[
        Format::source("A3xx assembly", ".ir3 .a3xx .pgm"),
        Format::container("compiled A3xx shader", ".a3xxc", container::PROGRAM),
        Format::container("raw A3xx program", ".vo3 .fo3 .co3", b""),
        Format::container("capture of command streams", ".rd", b""),
        Format::container("Adreno program binary", "", &binary::SECOND_FORMAT.to_le_bytes()),
    ],
    dialects: &[
        Dialect { name: "mesa", endings: ".ir3 .a3xx", tool: Some("Mesa's ir3 assembler"), lexis: LEXIS },
        Dialect { name: "pgmdump", endings: ".pgm", tool: None, lexis: LEXIS },
        Dialect { name: "pgmdump-2013", endings: "", tool: None, lexis: LEXIS },
    ],
    modes: simulate::MODES,
    limits: &[
        ("registers (vec4, full)", regs::ALLOCATABLE as u32),
        ("registers (vec4, half)", regs::ALLOCATABLE as u32),
        ("constants (vec4)", regs::CONSTANTS as u32),
        ("instruction memory (granules of 4)", regs::INSTRUCTION_MEMORY),
        ("attributes", regs::ATTRIBUTES),
        ("varying scalars", regs::VARYINGS),
        ("colour targets", regs::TARGETS),
        ("samplers", regs::SAMPLERS),
        ("textures", regs::TEXTURES),
    ],
    settings: &[
        Setting {
            name: "gen",
            about: "generation of the instruction set: 3xx (default), 4xx, 5xx, 6xx",
            tried: None,
        },
        Setting {
            name: "syntax",
            about: "of listings: mesa (default), pgmdump, pgmdump-2013; the last two end at the first `end`",
            tried: None,
        },
        Setting {
            name: "expand",
            about: "of listings as pgmdump's: a line for each repetition, yes or no (default)",
            tried: None,
        },
        Setting {
            name: "variant",
            about: "what a vertex shader becomes: whole (default), binning (position and point size only)",
            tried: Some("binning"),
        },
        Setting {
            name: "mediump",
            about: "registers of what needs no more than half precision: full (default), half",
            tried: Some("half"),
        },
    ],
};

/// What mends hazards: slots, waits and marks (`check/rules.rs`).
static REMEDIES: [Remedy; 15] = [
    Remedy::before("delay", "nop"),
    Remedy::before("delay", "(rpt1)nop"),
    Remedy::before("delay", "(rpt2)nop"),
    Remedy::before("delay", "(rpt3)nop"),
    Remedy::before("delay", "(rpt4)nop"),
    Remedy::before("delay", "(rpt5)nop"),
    Remedy::mark("ss", "(ss)"),
    Remedy::before("ss", "(ss)nop"),
    Remedy::mark("sy", "(sy)"),
    Remedy::before("sy", "(sy)nop"),
    Remedy::mark("write-after-read", "(ss)"),
    Remedy::before("write-after-read", "(ss)nop"),
    Remedy { rule: "join", edit: Edit::MarkBehind("(jp)") },
    Remedy { rule: "barrier", edit: Edit::MarkBehind("(ss)(sy)") },
    Remedy::after("end", "end"),
];

impl Target for A3xx {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn remedies(&self) -> &'static [Remedy] {
        &REMEDIES
    }

    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>> {
        generation_of(settings)
            .map(|generation| isa::isa(generation) as &dyn Instructions)
            .map_err(|e| vec![*e])
    }

    fn assumptions(&self) -> &'static [Assumption] {
        simulate::assumptions()
    }

    fn assemble(
        &self,
        sources: &mut SourceMap,
        options: &AssembleOptions,
        _: &mut Open<'_>,
    ) -> Result<Assembled, Vec<Diagnostic>> {
        let generation = generation_of(&options.settings).map_err(|error| vec![*error])?;
        let mut made = Assembled::default();
        let mut errors = Vec::new();
        for file in sources.ids() {
            let name = options.dialect.or(ABOUT.dialect_of(sources.name(file)).map(|d| d.name));
            let dialect = dialect_of(name.unwrap_or("mesa"));
            let options = Options { generation, dialect, compat: options.compat };
            match asm::assemble(file, &sources.shared_text(file), options) {
                Ok((program, warnings)) => add(&mut made, program, warnings),
                Err(found) => errors.extend(found),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        if !options.no_padding {
            let words = container::words(&made.bytes).unwrap_or_default();
            made.bytes = container::raw(&asm::padded(&words));
        }
        Ok(made)
    }

    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        let Chosen { generation, pgmdump } = chosen(&options.settings)?;
        let style = Style { generation, dialect: MESA, compat: false };
        let programs = programs(bytes, options.raw)?;
        let several = programs.len() > 1;
        let one = |(name, words): &(String, Vec<u64>)| {
            let head = if several { format!("; {name}\n") } else { String::new() };
            if let Some(options) = pgmdump {
                return head + &pgmdump::listing(words, options);
            }
            // Empty words are left out where assembling puts the same number there again.
            let code = mesa::without_padding(words);
            let is_padded = !code.is_empty() && asm::padded(code) == *words;
            head + &if is_padded { mesa::listing(words, style) } else { mesa::lines(words, style) }
        };
        Ok(Disassembled { text: programs.iter().map(one).collect(), remarks: Vec::new() })
    }

    fn code(&self, bytes: &[u8], settings: &Settings) -> Result<Code, Box<Diagnostic>> {
        let style = Style { generation: generation_of(settings)?, dialect: MESA, compat: false };
        let words: Vec<u64> = programs(bytes, false)?.into_iter().flat_map(|(_, words)| words).collect();
        let texts = words.iter().map(|word| (text(*word, style), None));
        Ok(Code::of_fixed(container::raw(&words), 8, texts))
    }

    fn check(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        let generation = generation_of(settings)?;
        let all = programs(bytes, false)?;
        let several = all.len() > 1;
        let one = |(name, words): (String, Vec<u64>)| {
            let mut findings = check::check(&words, generation, None);
            if several {
                findings.iter_mut().for_each(|f| f.place = Some(name.clone()));
            }
            findings
        };
        Ok(all.into_iter().flat_map(one).collect())
    }

    fn anatomy(&self, bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
        anatomy::of(bytes, settings)
    }

    fn terms(&self) -> &'static [(&'static str, &'static str)] {
        &[("work registers", "registers (vec4, full)"), ("uniform registers", "constants (vec4)")]
    }

    fn compile(
        &self,
        shaders: &[Shader<'_>],
        options: &CompileOptions,
        sources: &SourceMap,
        cx: &mut Cx<'_>,
    ) -> Result<CompiledShader, Vec<Diagnostic>> {
        compile::compile(shaders, options, sources, cx)
    }

    fn prove<'a>(
        &self,
        shader: Shader<'a>,
        options: &CompileOptions,
        cx: &mut Cx<'_>,
    ) -> Result<Box<dyn Proof + 'a>, Vec<Diagnostic>> {
        compile::prove(shader, options, cx)
    }

    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        let mut text = String::new();
        for (name, words) in programs(bytes, false)? {
            text += &format!("{name}\n");
            let rows = Statistics::of(&words, stage_of(&name)).rows();
            for (what, number) in rows {
                text += &format!("  {what:<12} {number}\n");
            }
        }
        for v in variables(bytes) {
            text += &format!("{} {} at {}\n", v.kind, v.name, v.place);
        }
        Ok(text)
    }

    fn info_json(&self, bytes: &[u8], with_code: bool) -> Result<Json, Box<Diagnostic>> {
        let one = |(name, words): (String, Vec<u64>)| {
            let rows = Statistics::of(&words, stage_of(&name)).rows();
            let statistics: serde_json::Map<String, Json> =
                rows.into_iter().map(|(what, number)| (what.to_owned(), number.into())).collect();
            let mut program = json!({ "name": name, "statistics": statistics });
            if with_code {
                let style = Style::default();
                let line = |w: &u64| json!({ "word": listing::halves(*w), "text": text(*w, style) });
                program["code"] = words.iter().map(line).collect();
            }
            program
        };
        let programs: Vec<Json> = programs(bytes, false)?.into_iter().map(one).collect();
        let variable = |v: binary::Variable| json!({ "kind": v.kind, "name": v.name, "place": v.place, "type": v.gl_type });
        let variables: Vec<Json> = variables(bytes).into_iter().map(variable).collect();
        Ok(json!({ "target": "a3xx", "programs": programs, "variables": variables }))
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
        if container::kind(container) == Kind::Program {
            let read = container::program::Program::read(container);
            let program = read.map_err(|error| vec![Diagnostic::error(None, error.to_string())])?;
            return simulate::simulate(&program.words, Some(&program.interface), inputs, options);
        }
        let programs = programs(container, false).map_err(|error| vec![*error])?;
        let number = options.executable.unwrap_or(0);
        match programs.get(number) {
            Some((_, words)) => simulate::simulate(words, None, inputs, options),
            None => {
                let message = format!("there is no program {number}, the file has {}", programs.len());
                Err(vec![Diagnostic::error(None, message)])
            }
        }
    }
}

/// What settings say of words.
#[derive(Clone, Copy)]
struct Chosen {
    /// The generation; 3xx without a setting.
    generation: u8,
    /// How listings are printed, where not as Mesa's.
    pgmdump: Option<pgmdump::Options>,
}

/// The generation that the settings name; 3xx without one.
fn generation_of(settings: &Settings) -> Result<u8, Box<Diagnostic>> {
    chosen(settings).map(|chosen| chosen.generation)
}

fn chosen(settings: &Settings) -> Result<Chosen, Box<Diagnostic>> {
    let (mut generation, mut syntax, mut expand) = (generation::A3XX, "mesa", false);
    for (key, value) in settings {
        let wrong =
            |allowed: &str| Box::new(Diagnostic::error(None, format!("`{key}` is {allowed}, not `{value}`")));
        match (key.as_str(), value.as_str()) {
            // What is made of a shader says nothing of words.
            ("variant" | "mediump", _) => {}
            ("gen", name) => generation = generation_named(name)?,
            ("syntax", "mesa" | "pgmdump" | "pgmdump-2013") => syntax = value,
            ("syntax", _) => return Err(wrong("mesa, pgmdump or pgmdump-2013")),
            ("expand", "yes" | "no") => expand = value == "yes",
            ("expand", _) => return Err(wrong("yes or no")),
            _ => return Err(Box::new(ABOUT.no_setting(key))),
        }
    }
    if expand && syntax == "mesa" {
        let error = Diagnostic::error(None, "only pgmdump's listings have a line for each repetition");
        return Err(Box::new(error.help("say `-m syntax=pgmdump` as well")));
    }
    let old = syntax == "pgmdump-2013";
    let pgmdump = (syntax != "mesa").then_some(pgmdump::Options { old, expand });
    Ok(Chosen { generation, pgmdump })
}

fn generation_named(value: &str) -> Result<u8, Box<Diagnostic>> {
    let is_it = |name: &&str| **name == *value || name.replace("xx", "00") == value;
    let found = generation::NAMES.iter().position(is_it);
    found.map(|n| n as u8).ok_or_else(|| {
        let names = generation::NAMES.join(", ");
        let message = format!("there is no generation `{value}`");
        Box::new(Diagnostic::error(None, message).help(format!("there are {names}")))
    })
}

fn dialect_of(name: &str) -> u8 {
    match name {
        "pgmdump" => PGMDUMP,
        "pgmdump-2013" => PGMDUMP_2013,
        _ => MESA,
    }
}

/// Adds a program to those before it.
fn add(made: &mut Assembled, program: asm::Program, warnings: Vec<Diagnostic>) {
    let first = (made.bytes.len() / 8) as u32;
    made.bytes.extend(container::raw(&program.words));
    made.labels.extend(program.labels.into_iter().map(|(name, place)| (name, first + place as u32)));
    made.spans.extend(program.spans);
    made.warnings.extend(warnings);
}

/// The programs of a file by name.
fn programs(bytes: &[u8], raw: bool) -> Result<Vec<(String, Vec<u64>)>, Box<Diagnostic>> {
    let error = |e: container::Error| Box::new(Diagnostic::error(None, e.to_string()));
    let kind = if raw { Kind::Raw } else { container::kind(bytes) };
    match kind {
        Kind::Program => {
            let program = container::program::Program::read(bytes).map_err(error)?;
            Ok(vec![(program.interface.stage.name().to_owned(), program.words)])
        }
        Kind::Raw => Ok(vec![("program".to_owned(), container::words(bytes).map_err(error)?)]),
        Kind::Binary | Kind::Binary2 => {
            let stages = binary::read(bytes).map_err(error)?.stages;
            Ok(stages.into_iter().map(|stage| (stage.name.to_owned(), stage.words)).collect())
        }
        Kind::Rd => match captured(bytes).map_err(error)? {
            found if found.is_empty() => {
                Err(Box::new(Diagnostic::error(None, "the capture holds no program")))
            }
            found => Ok(found),
        },
    }
}

/// The programs of a capture: those of its program sections, then those of its packets.
fn captured(bytes: &[u8]) -> Result<Vec<(String, Vec<u64>)>, container::Error> {
    use container::rd::{SectionKind, sections};
    let mut found = Vec::new();
    for section in sections(bytes)?.iter().filter(|s| s.kind == SectionKind::Program) {
        let stages = binary::read(section.data)?.stages;
        found.extend(stages.into_iter().map(|stage| (stage.name.to_owned(), stage.words)));
    }
    Ok(found)
}

fn variables(bytes: &[u8]) -> Vec<binary::Variable> {
    match container::kind(bytes) {
        Kind::Binary | Kind::Binary2 => binary::read(bytes).map(|b| b.variables).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn text(word: u64, style: Style) -> String {
    let mut out = Out::default();
    match listing::line(word, style, &mut out) {
        true => out.as_str().to_owned(),
        false => listing::raw(word),
    }
}

/// The stage by the name of a program; fragments without one.
fn stage_of(name: &str) -> ReportStage {
    match name {
        "vertex" | "binning" => ReportStage::Vertex,
        "compute" => ReportStage::Compute,
        _ => ReportStage::Fragment,
    }
}
