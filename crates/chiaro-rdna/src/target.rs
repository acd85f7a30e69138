//! What the command and the tools can ask of RDNA2.

mod abi;
mod anatomy;
mod compile;
mod contracts;
mod info;
mod link;
mod report;
mod simulate;

use crate::abi::shipped;
use crate::check::{self, Config};
use crate::container::{self, CodeObject};
use crate::isa::{ACO, DIALECTS, LLVM, isa};
use crate::listing::{self, Labels, Lister};
use crate::regs::{LDS, SGPRS, VGPRS};
use crate::report::{LATENCIES, WAVES};
use crate::{asm, explain};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_isa::{Isa, Operand, ParseError, Rng, Row, WORD_BYTES, Word};
use chiaro_opt::Cx;
use chiaro_target::{
    Abi, AbiOptions, About, Anatomy, AssembleOptions, Assembled, Assumption, Code, CompileOptions,
    CompiledShader, Dialect, DisassembleOptions, Disassembled, Edit, Explained, Finding, Format, Inputs,
    Instructions, Lexis, Line, LinkedParts, Offer, Open, Piece, Proof, Remedy, Report, Setting, Settings,
    Shader, SimulateOptions, Simulated, Stage, Target, Unread,
};
use chiaro_trace::Scene;
use serde_json::Value as Json;

/// AMD RDNA2, gfx1030.
#[derive(Debug)]
pub struct Rdna;

/// The target in a few lines. Limits: spec sections 2 and 13.
static ABOUT: About = About {
    name: "rdna",
    aliases: &["gfx1030", "rdna2"],
    machine: "AMD RDNA2 (gfx10.3: Radeon RX 6800 and later)",
    stages: &[Stage::Compute],
    offers: &[
        Offer::Assemble,
        Offer::Disassemble,
        Offer::Check,
        Offer::Info,
        Offer::Compile,
        Offer::Verify,
        Offer::Simulate,
        Offer::Report,
        Offer::Anatomy,
        Offer::Abi,
        Offer::Link,
    ],
    formats: &[
        Format::source("LLVM's assembly", ".s"),
        Format::container("amdhsa code object", ".o .co .hsaco", MAGIC),
    ],
    dialects: &[
        Dialect { name: DIALECTS[LLVM as usize], endings: ".s", tool: None, lexis: LEXIS },
        Dialect { name: DIALECTS[ACO as usize], endings: ".aco", tool: None, lexis: LEXIS },
    ],
    modes: simulate::MODES,
    limits: &[
        ("vector registers", VGPRS as u32),
        ("scalar registers", SGPRS as u32),
        ("bytes of LDS in a workgroup", LDS),
        ("waves of a SIMD", WAVES),
    ],
    settings: SETTINGS,
};

/// How texts look in both dialects.
const LEXIS: Lexis = Lexis { comments: &["//", ";"], separator: None, directives: asm::DIRECTIVES };

/// The key that names a kernel.
const KERNEL: &str = "kernel";
/// The key that names the dialect of listings.
const SYNTAX: &str = "syntax";
/// The key that says how many threads a group has.
const THREADS: &str = "threads";

/// The key that names a function which stays one.
const CALLABLE: &str = "callable";

/// The key of the text of a convention, of which the command reads a file.
const ABI_FILE: &str = "abi-file";

/// The key that says how often a function may be open at once.
const RECURSION: &str = "recursion";

/// The key that says whether contracts of functions are proven.
const CONTRACTS: &str = "contracts";

/// The key that says what a proof takes pointers to be that no words show to be addresses of functions.
const POINTERS: &str = "pointers";

/// The key that says whether what shaders print is kept.
const PRINTS: &str = "printf";

/// The keys of `-m`.
static SETTINGS: &[Setting] = &[
    Setting { name: SYNTAX, about: "names of listings: llvm or aco; llvm by default", tried: None },
    Setting { name: "wave", about: "lanes in a wave, 32 or 64; 32 by default", tried: Some("64") },
    Setting { name: KERNEL, about: "of `report`: the kernel; the first one by default", tried: None },
    Setting {
        name: "abi",
        about: "of the compiler: who launches kernels, vulkan (descriptor sets) or hsa (arguments); vulkan by default",
        tried: Some("hsa"),
    },
    Setting {
        name: CALLABLE,
        about: "of the compiler: a function that stays one and is called, NAME or NAME,CONVENTION; as often as needed",
        tried: None,
    },
    Setting {
        name: ABI_FILE,
        about: "of the compiler: the file of the convention that functions which stay such keep, as `chiaro abi` reads it",
        tried: None,
    },
    Setting {
        name: RECURSION,
        about: "of the compiler: how often a function that calls itself may be open at once; N,NAME,NAME: several in all",
        tried: None,
    },
    Setting {
        name: CONTRACTS,
        about: "of the compiler: whether functions are proven to keep their contracts, on or off; as --verify by default",
        tried: Some("on"),
    },
    Setting {
        name: POINTERS,
        about: "of proofs: a pointer that no words show to be a function's address is one of its type (known), or unproved (shown); known by default",
        tried: Some("shown"),
    },
    Setting {
        name: PRINTS,
        about: "of the compiler: whether what shaders print goes to a buffer, on or off; on by default",
        tried: Some("off"),
    },
    Setting { name: THREADS, about: "of `report`: threads of a group; one wave by default", tried: None },
    latency(0),
    latency(1),
    latency(2),
    latency(3),
    latency(4),
    latency(5),
];

/// Cycles of the model, which runs know by the same names.
const fn latency(n: usize) -> Setting {
    let (name, about, _) = LATENCIES[n];
    Setting { name, about, tried: None }
}

/// ELF, 64 bits, little-endian.
const MAGIC: &[u8] = b"\x7fELF\x02\x01";
/// Where the machine's number stands, and AMD's.
const MACHINE: (usize, [u8; 2]) = (18, [224, 0]);

/// The set of instructions in waves of one size, in a dialect.
struct InWaves {
    wave: u8,
    dialect: u8,
}

/// By dialect, then in waves of 32 and 64.
static SETS: [[InWaves; 2]; 2] = [of_dialect(LLVM), of_dialect(ACO)];

const fn of_dialect(dialect: u8) -> [InWaves; 2] {
    [InWaves { wave: 32, dialect }, InWaves { wave: 64, dialect }]
}

impl InWaves {
    fn isa(&self) -> &'static Isa {
        isa(self.wave)
    }

    fn cx(&self) -> chiaro_isa::Cx<'static> {
        chiaro_isa::Cx { dialect: self.dialect, ..self.isa().cx() }
    }
}

impl Instructions for InWaves {
    fn comment(&self) -> &'static str {
        "//"
    }
    fn parse(&self, line: &str) -> Result<(Word, usize), ParseError> {
        self.isa().parse(line, &self.cx()).map(|parsed| (parsed.inst.word, parsed.inst.length.into()))
    }
    fn text(&self, word: &Word) -> Option<String> {
        let inst = self.isa().decode_word(word, WORD_BYTES).ok()?;
        self.isa().text(&inst, &self.cx())
    }
    fn explain(&self, words: &[Word], bytes: usize) -> Result<Explained, Unread> {
        let explained = Instructions::explain(self.isa(), words, bytes)?;
        let word = words.first().copied().unwrap_or_default();
        let text = explain::explain(&word.to_bytes(), self.wave, self.dialect);
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

/// The size of waves that the settings ask for.
fn wave_of(settings: &Settings) -> Result<Option<u8>, Box<Diagnostic>> {
    let mut wave = None;
    for (key, value) in settings {
        match (key.as_str(), value.as_str()) {
            ("wave", "32") => wave = Some(32),
            ("wave", "64") => wave = Some(64),
            (SYNTAX, name) if !DIALECTS.contains(&name) => {
                return Err(Box::new(Diagnostic::error(None, "`syntax` is llvm or aco")));
            }
            ("wave", _) => return Err(Box::new(Diagnostic::error(None, "a wave has 32 or 64 lanes"))),
            _ if SETTINGS.iter().any(|setting| setting.name == key) => {}
            _ => return Err(Box::new(ABOUT.no_setting(key))),
        }
    }
    Ok(wave)
}

/// The dialect that the settings ask for.
fn dialect_of(settings: &Settings) -> u8 {
    let asked = settings.iter().rfind(|(key, _)| key == SYNTAX);
    asked.and_then(|(_, name)| DIALECTS.iter().position(|known| known == name)).unwrap_or(0) as u8
}

/// Code and the size of its waves: a code object's, or bytes that are code alone.
fn code_of(bytes: &[u8], settings: &Settings) -> Result<(Vec<u8>, u8), Box<Diagnostic>> {
    let wave = wave_of(settings)?;
    if !Rdna.has_container(bytes) {
        return Ok((bytes.to_vec(), wave.unwrap_or(32)));
    }
    let object = read(bytes)?;
    let own = object.wave();
    Ok((object.text, wave.unwrap_or(own)))
}

fn read(bytes: &[u8]) -> Result<CodeObject, Box<Diagnostic>> {
    container::read(bytes)
        .map_err(|e| Box::new(Diagnostic::error(None, format!("cannot read the code object: {e}"))))
}

/// What mends hazards: waits (`check/rules.rs`).
static REMEDIES: [Remedy; 10] = [
    Remedy::before("wait", "s_waitcnt vmcnt(0)"),
    Remedy::before("wait", "s_waitcnt lgkmcnt(0)"),
    Remedy::before("wait", "s_waitcnt vmcnt(0) lgkmcnt(0)"),
    Remedy::before("wait", "s_waitcnt_vscnt null, 0x0"),
    Remedy::before("barrier-wait", "s_waitcnt lgkmcnt(0)"),
    Remedy::before("call-wait", "s_waitcnt vmcnt(0) lgkmcnt(0)"),
    Remedy::after("end", "s_endpgm"),
    Remedy::before("code-end", "s_endpgm"),
    Remedy { rule: "dlc", edit: Edit::Less("dlc") },
    Remedy { rule: "needless-wait", edit: Edit::Without },
];

impl Target for Rdna {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn structure(&self, scene: &Scene, structure: usize) -> Result<Vec<u8>, Vec<Diagnostic>> {
        crate::abi::tree::build(scene, structure).map_err(|why| vec![Diagnostic::error(None, why)])
    }

    fn remedies(&self) -> &'static [Remedy] {
        &REMEDIES
    }

    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>> {
        let wave = wave_of(settings).map_err(|e| vec![*e])?;
        Ok(&SETS[usize::from(dialect_of(settings))][usize::from(wave == Some(64))])
    }

    fn link(&self, parts: &[Piece], settings: &Settings) -> Result<LinkedParts, Vec<Diagnostic>> {
        link::link(parts, settings)
    }

    fn links_functions(&self) -> bool {
        true
    }

    fn has_container(&self, bytes: &[u8]) -> bool {
        let machine = bytes.get(MACHINE.0..MACHINE.0 + MACHINE.1.len());
        bytes.starts_with(MAGIC) && machine == Some(&MACHINE.1[..])
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
        let wave = wave_of(&options.settings).map_err(|e| vec![*e])?;
        let named = options.dialect.or_else(|| ABOUT.dialect_of(sources.name(file)).map(|d| d.name));
        let of_name = DIALECTS.iter().position(|known| Some(*known) == named).unwrap_or(0) as u8;
        let dialect = of_name.max(dialect_of(&options.settings));
        let written = asm::Options { wave, dialect };
        // What can be written and does not work, the checker says of every line that is reached.
        let asm::Assembled { object, lines, .. } = asm::assemble_and_warn(sources.text(file), file, written)?;
        let bytes = container::write(&object).map_err(|e| vec![Diagnostic::error(None, e.to_string())])?;
        let named = object.symbols.iter().filter(|s| s.section == container::Section::Text);
        let places: Vec<u64> = Lister::new(object.wave(), dialect).read(&object.text).places().collect();
        let index = |place: u64| places.partition_point(|at| *at < place) as u32;
        let labels = named.map(|s| (s.name.clone(), index(s.value))).collect();
        // What fills the code up stands behind what is written before it.
        let written = |place: &u64| {
            let behind = lines.partition_point(|(_, at)| at <= place);
            match behind.checked_sub(1).map(|n| &lines[n]) {
                Some((text, at)) if at == place => file.span(text.clone()),
                Some((text, _)) => file.span(text.end..text.end),
                None => file.span(0..0),
            }
        };
        let spans = places.iter().map(written).collect();
        Ok(Assembled { bytes, labels, spans, ..Assembled::default() })
    }

    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        if !options.table.is_empty() {
            return Err(Box::new(Diagnostic::error(None, "this target has no descriptor table")));
        }
        let (wave, dialect) = (wave_of(&options.settings)?, dialect_of(&options.settings));
        let text = if options.raw {
            listing::code(bytes, wave.unwrap_or(32), dialect)
        } else {
            listing::object_in(&read(bytes)?, dialect)
        };
        Ok(Disassembled { text, remarks: Vec::new() })
    }

    fn code(&self, bytes: &[u8], settings: &Settings) -> Result<Code, Box<Diagnostic>> {
        let (code, wave) = code_of(bytes, settings)?;
        let lister = Lister::new(wave, dialect_of(settings));
        let read = lister.read(&code);
        let lines = read.lines(&read.labels(Labels::new())).into_iter();
        let lines = lines.map(|(offset, length, text)| Line { offset, length, text, span: None }).collect();
        Ok(Code { bytes: code, lines })
    }

    fn check(&self, bytes: &[u8], settings: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        let (code, wave) = code_of(bytes, settings)?;
        let found = match self.has_container(bytes) {
            true => check::object(&read(bytes)?, wave),
            false => check::check(&code, Config { wave, group: None }),
        };
        Ok(found.into_iter().map(|found| found.finding).collect())
    }

    fn report(&self, bytes: &[u8], settings: &Settings) -> Result<Report, Box<Diagnostic>> {
        report::report(bytes, settings)
    }

    fn programs(&self, bytes: &[u8]) -> Vec<(String, String)> {
        let Ok(object) = container::read(bytes) else { return Vec::new() };
        let names: Vec<_> = object.kernels().map(|(name, _)| (KERNEL.to_owned(), name.to_owned())).collect();
        if names.len() > 1 { names } else { Vec::new() }
    }

    fn anatomy(&self, bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
        anatomy::of(bytes, settings)
    }

    fn abis(&self) -> &'static [(&'static str, &'static str)] {
        &shipped::FILES
    }

    fn abi(&self, sources: &SourceMap, options: &AbiOptions) -> Result<Abi, Vec<Diagnostic>> {
        abi::describe(sources, options)
    }

    fn terms(&self) -> &'static [(&'static str, &'static str)] {
        &[("work registers", "vector registers"), ("uniform registers", "SGPRs")]
    }

    /// `tests/door.rs` compares all programs of ACO's that have no branch.
    fn measured_error(&self) -> Option<&'static str> {
        Some("unmeasured; straight code takes what ACO's model calls Latency, to the cycle (Mesa 25.0.7)")
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

    fn effort(&self) -> Option<u32> {
        Some(crate::compile::Options::default().effort.into())
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

    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        read(bytes).map(|object| info::describe(&object))
    }

    fn info_json(&self, bytes: &[u8], with_code: bool) -> Result<Json, Box<Diagnostic>> {
        read(bytes).map(|object| info::to_json(&object, with_code))
    }
}
