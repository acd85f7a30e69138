//! What the command and the tools can ask of Utgard GP.

mod anatomy;
mod compile;
mod info;
mod instructions;
mod simulate;

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_target::{
    About, Anatomy, AssembleOptions, Assembled, Assumption, Code, CompileOptions, CompiledShader, Dialect,
    DisassembleOptions, Disassembled, Finding, Format, Inputs, Instructions, Lexis, Offer, Open, Proof,
    Setting, Settings, Shader, SimulateOptions, Simulated, Stage, Target,
};
use serde_json::Value as Json;

use crate::container::Mbs;
use crate::listing::exact as listing;
use crate::{asm, check, machine, regs};

/// Vertex processor of the Mali-400 and Mali-450.
#[derive(Debug)]
pub struct UtgardGp;

/// The target in a few lines. Limits: spec section 17.
static ABOUT: About = About {
    name: "utgard-gp",
    aliases: &["utgard", "mali-400"],
    machine: "ARM Mali-400 and Mali-450 vertex processor (Utgard GP)",
    stages: &[Stage::Vertex],
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
        Format::source("chiaro's listing", ".gp"),
        Format::container("MBS1 container", ".mbs", b"MBS1"),
    ],
    dialects: &[Dialect {
        name: "gp",
        endings: ".gp",
        tool: None,
        lexis: Lexis { comments: &["//"], separator: Some(';'), directives: asm::DIRECTIVES },
    }],
    modes: &[("ieee", "binary32, every operation correctly rounded")],
    limits: &[
        ("instructions", regs::INSTRUCTIONS as u32),
        ("vec4 of uniform memory", regs::UNIFORMS as u32),
        ("attributes", regs::BANK as u32),
        ("outputs", regs::BANK as u32),
        ("registers of four components", regs::BANK as u32),
        ("address registers", 4),
    ],
    settings: &[
        Setting {
            name: "reciprocal-limit",
            about: "largest magnitude that a reciprocal may give",
            tried: None,
        },
        Setting { name: "least-point-size", about: "points are at least this large", tried: None },
        Setting { name: "most-point-size", about: "points are at most this large", tried: None },
        Setting { name: "taken-branch", about: "cycles that a taken branch adds, in reports", tried: None },
        Setting {
            name: "loop-rounds",
            about: "rounds of loops that the host program bounds, in reports",
            tried: None,
        },
    ],
};

/// Takes an MBS1 file apart; other bytes are code alone.
fn read(bytes: &[u8]) -> Result<Mbs, Box<Diagnostic>> {
    if Mbs::is(bytes) { container(bytes) } else { Ok(Mbs::of_bytes(bytes)) }
}

/// Takes an MBS1 file apart.
fn container(bytes: &[u8]) -> Result<Mbs, Box<Diagnostic>> {
    Mbs::read(bytes)
        .map_err(|error| Box::new(Diagnostic::error(None, format!("cannot read the container: {error}"))))
}

impl Target for UtgardGp {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>> {
        ABOUT.no_variants(settings).map(|()| &instructions::Words as &dyn Instructions)
    }

    fn assumptions(&self) -> &'static [Assumption] {
        machine::ASSUMPTIONS
    }

    fn effort(&self) -> Option<u32> {
        Some(crate::compile::Options::default().effort)
    }

    /// A whole MBS1 file, or code alone.
    fn assemble(
        &self,
        sources: &mut SourceMap,
        options: &AssembleOptions,
        _: &mut Open<'_>,
    ) -> Result<Assembled, Vec<Diagnostic>> {
        let mut files = sources.ids();
        let file = files.next().unwrap_or_default();
        if let Some(other) = files.next() {
            let message = "a program of this target is one file";
            return Err(vec![Diagnostic::error(other.span(0..0), message)]);
        }
        if options.compat {
            let message = "this target has one language, chiaro's own";
            return Err(vec![Diagnostic::error(None, message).help("leave out `--compat`")]);
        }
        let error = |fault: asm::Fault| Diagnostic::error(file.span(fault.place), fault.message);
        let made = asm::parse(sources.text(file))
            .map_err(|faults| faults.into_iter().map(error).collect::<Vec<_>>())?;
        Ok(Assembled {
            bytes: made.bytes,
            labels: made.labels,
            spans: made.places.into_iter().map(|place| file.span(place)).collect(),
            ..Assembled::default()
        })
    }

    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        match (options.raw, options.table.is_empty()) {
            (true, true) => return Ok(Disassembled { text: listing::print_raw(bytes), remarks: Vec::new() }),
            (true, false) => {
                return Err(Box::new(Diagnostic::error(None, "this target has no descriptor table")));
            }
            (false, _) => {}
        }
        let text = listing::print(&container(bytes)?);
        match asm::parse(&text) {
            Ok(again) if again.bytes == bytes => Ok(Disassembled { text, remarks: Vec::new() }),
            _ => Err(Box::new(Diagnostic::error(None, "the listing does not assemble to the same file"))),
        }
    }

    fn code(&self, bytes: &[u8], _: &Settings) -> Result<Code, Box<Diagnostic>> {
        Ok(compile::code(&read(bytes)?.program(), &[]))
    }

    fn check(&self, bytes: &[u8], _: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        Ok(check::check_file(&read(bytes)?, &check::Options::default()))
    }

    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        Ok(info::describe(bytes.len(), &container(bytes)?))
    }

    fn info_json(&self, bytes: &[u8], with_code: bool) -> Result<Json, Box<Diagnostic>> {
        let mbs = container(bytes)?;
        let mut all = info::to_json(&mbs);
        if with_code {
            let words = mbs.program();
            all["instructions"] =
                words.iter().enumerate().map(|(at, &word)| info::instruction(at, word)).collect();
        }
        Ok(all)
    }

    fn anatomy(&self, bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
        anatomy::of(&read(bytes)?.program(), settings)
    }

    fn terms(&self) -> &'static [(&'static str, &'static str)] {
        &[("uniform registers", "vec4 of uniforms")]
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

    fn check_simulation(&self, options: &SimulateOptions) -> Result<(), Vec<Diagnostic>> {
        simulate::config(options).map(drop)
    }

    fn simulate(
        &self,
        container: &[u8],
        inputs: &Inputs,
        options: &SimulateOptions,
    ) -> Result<Simulated, Vec<Diagnostic>> {
        simulate::simulate(container, inputs, options)
    }
}
