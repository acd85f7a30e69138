//! What the command and the tools can ask of AGX.

mod anatomy;
mod bindings;
mod check;
mod compile;
mod drawn;
mod info;
mod link;
mod parts;
mod simulate;
mod whole;

use crate::asm::{self, Options};
use crate::container::kernel::Kernel;
use crate::container::{self, Contents, Program, file};
use crate::explain;
use crate::isa::{GENERATIONS, isa};
use crate::listing::{self, Labels, Lister, Style};
use crate::operand::{APPLEGPU, OURS};
use crate::regs::{GPR_HALVES, LANES, UNIFORM_HALVES, halves};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_isa::finding::Finding;
use chiaro_isa::{Isa, Operand, ParseError, Rng, Row, Word};
use chiaro_opt::Cx;
use chiaro_sim::Assumption;
use chiaro_target::{
    About, Anatomy, AssembleOptions, Assembled, Code, CompileOptions, CompiledShader, Dialect,
    DisassembleOptions, Disassembled, Explained, Format, Inputs, Instructions, KeyText, Lexis, Line,
    LinkedParts, Merge, Offer, Open, Piece, Proof, Remedy, Report, Setting, Settings, Shader,
    SimulateOptions, Simulated, Stage, Target, Unread, Value, Varying,
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
    offers: &[
        Offer::Assemble,
        Offer::Disassemble,
        Offer::Check,
        Offer::Info,
        Offer::Compile,
        Offer::Verify,
        Offer::Simulate,
        Offer::Report,
        Offer::Link,
        Offer::Anatomy,
    ],
    formats: &[
        Format::source("AGX assembly", ".agx"),
        Format::container("AGX program", ".agxb", file::MAGIC),
        Format::container("Metal archive", ".metallib .gpubin", &container::UNIVERSAL[0]),
        Format::container("Metal archive", "", &container::UNIVERSAL[1]),
        Format::container("GPU Mach-O", ".gpudylib", &container::MACH_O),
    ],
    dialects: &[
        Dialect { name: "agx", endings: ".agx", tool: None, lexis: LEXIS },
        Dialect {
            name: "applegpu",
            endings: ".applegpu",
            tool: Some("applegpu's assemble.py"),
            lexis: LEXIS,
        },
    ],
    modes: &[],
    limits: &[
        ("general registers, in halves", GPR_HALVES as u32),
        ("uniform registers, in halves", UNIFORM_HALVES as u32),
        ("lanes of a SIMD-group", LANES),
    ],
    settings: &[
        Setting { name: "generation", about: "g13 or g14; g13 by default", tried: None },
        Setting {
            name: "stage",
            about: "of `check`, `asm` and `link`: vertex, software-vertex, fragment, compute; of `check` preamble too",
            tried: None,
        },
        Setting {
            name: "role",
            about: "of `asm`: prolog, main or epilog, to write a container of that part; code alone without it",
            tried: None,
        },
        Setting {
            name: "bindings",
            about: "of `asm`: what coefficient registers hold, as REGISTER=SLOT.COMPONENT*COUNT:flat|linear|perspective",
            tried: None,
        },
        Setting {
            name: "offset",
            about: "of `dis`, `check`, `info` and `report`: bytes before the code, in a file of code alone",
            tried: None,
        },
        Setting {
            name: PROGRAM,
            about: "of `dis`, `check`, `report` and `timeline`: the program of a file with several, by its name",
            tried: None,
        },
        Setting {
            name: "container",
            about: "of `compile` and `asm`: kernel for a file of Mesa's device library, chiaro (the default) for ours",
            tried: None,
        },
        Setting {
            name: "part",
            about: "of `check`: program, open (others follow), last (others come before), middle",
            tried: None,
        },
        Setting {
            name: "halves",
            about: "of `check`, `report` and `asm`: registers that are declared",
            tried: None,
        },
        Setting {
            name: "samples",
            about: "of `check`: yes for a part that runs for each sample; of `link`: how many are shaded one by one, 0 for none; without it as the epilog's key says",
            tried: None,
        },
        Setting {
            name: "parts",
            about: "of `compile`: off for a main part with those of `keys` in one piece, on (the default) for it alone",
            tried: None,
        },
        Setting {
            name: "keys",
            about: "of `compile -m parts=off`: the keys as JSON, as `link --keys` has them in a file",
            tried: None,
        },
        Setting {
            name: "vertex",
            about: "of `compile`: hardware (the default) or software, for vertices that threads of a grid compute and store in memory",
            tried: None,
        },
        Setting {
            name: "preamble",
            about: "of `compile`: on (the default) to compute once, before the program, what is the same for all threads, or off",
            tried: None,
        },
        Setting {
            name: "store-sources",
            about: "of `check`: issue (the default) where stores have read their registers when they are issued, done for the rule that nothing writes those before the wait",
            tried: None,
        },
        Setting {
            name: "register-file",
            about: "of `report`: measured (the default, 384 KiB of a core) or mesa (208 KiB), for the SIMD-groups that are resident",
            tried: None,
        },
        Setting {
            name: "memory-cycles",
            about: "of `report`: cycles of a load, store or atomic, 1 by default; Mesa's heuristic for preambles has 10",
            tried: None,
        },
        Setting {
            name: "texture-cycles",
            about: "of `report`: cycles of a texture or image operation, 1 by default; the same heuristic has 20",
            tried: None,
        },
        Setting {
            name: "pixel-cycles",
            about: "of `report`: cycles of an operation on varyings, coverage or the tilebuffer, 1 by default",
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

/// Both languages have the same lines.
const LEXIS: Lexis = Lexis { comments: &["//", "#"], separator: Some(';'), directives: asm::DIRECTIVES };

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
    fn in_bytes(&self) -> bool {
        true
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
    fn rows(&self, dialect: &str) -> Vec<Row> {
        Instructions::rows(self.isa(), dialect)
    }
    fn operands(&self, line: &str, dialect: &str) -> Vec<Operand> {
        Instructions::operands(self.isa(), line, dialect)
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
            ("parts", "on" | "off") | ("keys", _) => {}
            ("preamble", "on" | "off") | ("vertex", "hardware" | "software") => {}
            ("vertex", _) => return Err(wrong("hardware or software")),
            ("parts" | "preamble", _) => return Err(wrong("on or off")),
            ("container", "chiaro" | "kernel") => {}
            ("container", _) => return Err(wrong("chiaro or kernel")),
            ("store-sources" | "register-file" | "memory-cycles" | "texture-cycles" | "pixel-cycles", _) => {}
            ("stage" | "part" | "halves" | "samples" | "role" | "bindings" | "offset" | PROGRAM, _) => {}
            _ => return Err(Box::new(ABOUT.no_setting(key))),
        }
    }
    Ok(style)
}

/// What mends hazards: waits for slots, and a counter that the mask can follow (`check/rules.rs`).
static REMEDIES: [Remedy; 13] = [
    Remedy::before("wait", "wait 0"),
    Remedy::before("wait", "wait 1"),
    Remedy::before("outstanding", "wait 0"),
    Remedy::before("outstanding", "wait 1"),
    Remedy::before("barrier-wait", "wait 0"),
    Remedy::before("barrier-wait", "wait 1"),
    Remedy::before("counter", "mov_imm r0l, 0"),
    Remedy::after("part-wait", "wait 0"),
    Remedy::after("part-wait", "wait 1"),
    Remedy::after("traps", "trap\ntrap\ntrap\ntrap\ntrap\ntrap\ntrap\ntrap"),
    Remedy::before("fence", "wait_pix 1, 0"),
    Remedy::before("fence", "wait_pix 8, 0"),
    Remedy::before("fence", "wait_pix 12, 0"),
];

impl Target for Agx {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn remedies(&self) -> &'static [Remedy] {
        &REMEDIES
    }

    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>> {
        let style = style_of(settings).map_err(|e| vec![*e])?;
        Ok(&SETS[usize::from(style.generation)])
    }

    /// `r3` is `r3l` and `r3h`.
    fn parts_of(&self, register: &str) -> Vec<(String, u32)> {
        let of = |file: char, halves: u16| {
            register.strip_prefix(file)?.parse::<u16>().ok().filter(|number| *number < halves / 2)
        };
        match (of('r', GPR_HALVES), of('u', UNIFORM_HALVES)) {
            (Some(n), _) => [2 * n, 2 * n + 1].map(|half| (halves::name(half), 16)).to_vec(),
            (None, Some(n)) => ['l', 'h'].map(|half| (format!("u{n}{half}"), 16)).to_vec(),
            (None, None) => Vec::new(),
        }
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
        let bytes =
            match check::part(&program.bytes, &options.settings, style.generation).map_err(|e| vec![*e])? {
                None => program.bytes,
                Some(mut made) => {
                    made.sources = vec![sources.name(file).to_owned()];
                    let line = |(text, at): &(std::ops::Range<usize>, u64)| file::Span {
                        offset: *at as u32,
                        source: 0,
                        line: sources.locate(file.span(text.clone())).start.line,
                    };
                    made.spans = program.lines.iter().map(line).collect();
                    written(&made, &options.settings).map_err(|e| vec![*e])?
                }
            };
        Ok(Assembled { bytes, labels, spans, warnings, ..Assembled::default() })
    }

    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        if !options.table.is_empty() {
            return Err(Box::new(Diagnostic::error(None, "this target has no descriptor table")));
        }
        let style = style_of(&options.settings)?;
        let programs = if options.raw { vec![whole(bytes)] } else { programs(bytes, &options.settings)? };
        let mut text = String::new();
        for (n, program) in programs.iter().enumerate() {
            if programs.len() > 1 || container::is_known(bytes) && !options.raw {
                text += &format!(
                    "// {}, {} bytes at {:#x}\n",
                    program.name,
                    program.bytes.len(),
                    program.bytes.start
                );
            }
            let code = &bytes[program.bytes.clone()];
            // Labels are names of one program: in those behind it branches say how far they go.
            text += &if n == 0 { listing::code(code, style) } else { unlabelled(code, style) };
        }
        Ok(Disassembled { text, remarks: Vec::new() })
    }

    fn check(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        let generation = style_of(settings)?.generation;
        let config = check::config(settings, generation)?;
        check::check(bytes, settings, config, &programs(bytes, settings)?)
    }

    fn anatomy(&self, bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
        anatomy::of(bytes, settings)
    }

    fn terms(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("work registers", "halves of general registers"),
            ("uniform registers", "halves of uniform registers"),
        ]
    }

    fn measured_error(&self) -> Option<&'static str> {
        Some(crate::report::ERROR)
    }

    fn compile(
        &self,
        shaders: &[Shader<'_>],
        options: &CompileOptions,
        sources: &SourceMap,
        cx: &mut Cx<'_>,
    ) -> Result<CompiledShader, Vec<Diagnostic>> {
        match whole::wanted(options)? {
            Some(keys) => whole::compile(shaders, keys, options, sources, cx),
            None => compile::compile(shaders, options, sources, cx),
        }
    }

    fn prove<'a>(
        &self,
        shader: Shader<'a>,
        options: &CompileOptions,
        cx: &mut Cx<'_>,
    ) -> Result<Box<dyn Proof + 'a>, Vec<Diagnostic>> {
        compile::prove(shader, options, cx)
    }

    /// Kernels of Mesa's device library have no magic number.
    fn has_container(&self, bytes: &[u8]) -> bool {
        container::is_known(bytes)
    }

    /// Those that no other one runs first.
    fn programs(&self, bytes: &[u8]) -> Vec<(String, String)> {
        let all = container::programs(bytes).unwrap_or_default();
        let names = all.into_iter().filter(|program| !program.is_preamble()).map(|program| program.name);
        let all: Vec<_> = names.map(|name| (PROGRAM.to_owned(), name)).collect();
        if all.len() > 1 { all } else { Vec::new() }
    }

    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        Ok(info::describe(bytes, &container::open(bytes).map_err(unread)?))
    }

    fn info_json(&self, bytes: &[u8], _: bool) -> Result<serde_json::Value, Box<Diagnostic>> {
        Ok(info::to_json(bytes, &container::open(bytes).map_err(unread)?))
    }

    fn link(&self, parts: &[Piece], settings: &Settings) -> Result<LinkedParts, Vec<Diagnostic>> {
        let generation = link::generation(parts, settings).map_err(|e| vec![*e])?;
        link::link(parts, settings, generation)
    }

    fn part_kinds(&self) -> &'static [&'static str] {
        parts::KINDS
    }

    fn part(
        &self,
        kind: &str,
        key: KeyText<'_>,
        options: &CompileOptions,
        cx: &mut Cx<'_>,
    ) -> Result<CompiledShader, Vec<Diagnostic>> {
        parts::part(kind, key, options, cx)
    }

    fn parts(
        &self,
        given: &[Piece],
        keys: KeyText<'_>,
        settings: &Settings,
    ) -> Result<Vec<Piece>, Vec<Diagnostic>> {
        let generation = link::generation(given, settings).map_err(|e| vec![*e])?;
        parts::parts(given, keys, generation)
    }

    fn varyings(&self, container: &[u8]) -> Vec<Varying> {
        simulate::varyings(container)
    }

    fn drawn(&self, container: &[u8], samples: u32) -> Result<Option<Vec<u8>>, Vec<Diagnostic>> {
        drawn::drawn(container, samples)
    }

    fn merge(&self, container: &[u8], resources: &[(String, Value)]) -> Option<Box<dyn Merge>> {
        drawn::merge(container, resources)
    }

    fn report(&self, bytes: &[u8], settings: &Settings) -> Result<Report, Box<Diagnostic>> {
        let generation = style_of(settings)?.generation;
        let config = check::config(settings, generation)?;
        Ok(check::report(bytes, &config, check::clock(settings)?, &programs(bytes, settings)?))
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
        let mut all = Code::default();
        for program in programs(bytes, settings)? {
            let code = &bytes[program.bytes];
            let start = all.bytes.len() as u32;
            let labels = if settings.is_empty() && start == 0 { lister.labels(code) } else { Labels::new() };
            let line = |(offset, length, text)| Line { offset: start + offset, length, text, span: None };
            all.lines.extend(lister.lines(code, &labels).into_iter().map(line));
            all.bytes.extend_from_slice(code);
        }
        Ok(all)
    }
}

/// The bytes of a file: ours, or of a kernel if the settings ask for it.
fn written(file: &file::File, settings: &Settings) -> Result<Vec<u8>, Box<Diagnostic>> {
    if !settings.iter().any(|(key, value)| key == "container" && value == "kernel") {
        return Ok(file.write());
    }
    Kernel::of(file).map(|kernel| kernel.write()).map_err(|why| Box::new(Diagnostic::error(None, why)))
}

/// A listing without labels.
fn unlabelled(code: &[u8], style: Style) -> String {
    let mut out = chiaro_isa::Out::default();
    Lister::new(style).print(code, &Labels::new(), &mut out);
    out.as_str().to_owned()
}

/// A container that cannot be read.
fn unread(error: container::Error) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(None, format!("the container cannot be read: {error}")))
}

/// All bytes as one program.
fn whole(bytes: &[u8]) -> Program {
    Program::new("code", 0..bytes.len())
}

/// The programs of a file of which the settings name one.
const PROGRAM: &str = "program";

/// The programs of a file, or the one of `-m program=NAME` with its preamble; of code alone what begins at
/// `-m offset=N`.
fn programs(bytes: &[u8], settings: &Settings) -> Result<Vec<Program>, Box<Diagnostic>> {
    let find = |name: &str| settings.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value);
    let Some(value) = find("offset") else {
        let all = container::programs(bytes).map_err(unread)?;
        return match find(PROGRAM) {
            None => Ok(all),
            Some(name) => chosen(all, name),
        };
    };
    let number = match value.strip_prefix("0x") {
        Some(digits) => usize::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    };
    let offset = number.filter(|offset| *offset <= bytes.len());
    let wrong = || {
        Diagnostic::error(
            None,
            format!("`offset` is a place in the {} bytes of the file, not `{value}`", bytes.len()),
        )
    };
    let offset = offset.ok_or_else(wrong)?;
    Ok(vec![Program::new("code", offset..bytes.len())])
}

/// The program of a name, with what runs before it.
fn chosen(all: Vec<Program>, name: &str) -> Result<Vec<Program>, Box<Diagnostic>> {
    if all.iter().any(|program| program.name == name) {
        return Ok(all.into_iter().filter(|program| program.belongs_to(name)).collect());
    }
    let known: Vec<&str> = all.iter().map(|program| program.name.as_str()).collect();
    let message = format!("there is no program `{name}`; there are {}", known.join(", "));
    Err(Box::new(Diagnostic::error(None, message)))
}

/// Whether bytes hold a file of ours, and which.
fn own(bytes: &[u8]) -> Option<Box<file::File>> {
    match container::open(bytes) {
        Ok(Contents::File(file)) => Some(file),
        _ => None,
    }
}
