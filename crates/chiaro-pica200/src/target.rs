//! What the command and the tools can ask of PICA200.

mod anatomy;
mod assemble;
mod bind;
mod commands;
mod compile;
mod geometry;
mod info;
mod json;
mod lift;
mod prove;
mod several;
mod simulate;

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_opt::Cx;
use chiaro_target::{
    About, Anatomy, AssembleOptions, Assembled, Assumption, Code, CompileOptions, CompiledShader, Dialect,
    DisassembleOptions, Disassembled, Finding, Format, Inputs, Instructions, Lexis, LiftOptions, Lifted,
    Offer, Open, Proof, Remedy, Role, Setting, Settings, Shader, SimulateOptions, Simulated, Stage, Target,
};
use serde_json::Value as Json;

use crate::asm::{nihcode, picasso};
use crate::container::Shbin;
use crate::isa::{PICA200, fetch};
use crate::listing::{dis, exact};
use crate::operand::PICASSO;
use crate::{check, machine};

/// Vertex and geometry units of the Nintendo 3DS.
#[derive(Debug)]
pub struct Pica200;

/// The target in a few lines. Limits: spec section 2.
static ABOUT: About = About {
    name: "pica200",
    aliases: &["3ds"],
    machine: "DMP PICA200 vertex and geometry units: Nintendo 3DS family",
    stages: &[Stage::Vertex, Stage::Geometry],
    offers: &[
        Offer::Assemble,
        Offer::Disassemble,
        Offer::Check,
        Offer::Info,
        Offer::Commands,
        Offer::Compile,
        Offer::Verify,
        Offer::Simulate,
        Offer::Lift,
        Offer::Anatomy,
    ],
    formats: &[
        Format::source("picasso source", ".pica .vsh .gsh"),
        Format::source("nihcode source", ".nih"),
        Format::container("SHBIN container", ".shbin", b"DVLB"),
        Format {
            name: "command list",
            endings: ".cmdlist",
            magic: &crate::container::commands::MAGIC,
            role: Role::Described,
        },
        Format { name: "unlinked PICA200 object", endings: "", magic: b"DVOJ", role: Role::Foreign },
    ],
    dialects: &[
        Dialect {
            name: "picasso",
            endings: ".pica .vsh .gsh",
            tool: Some("picasso"),
            lexis: Lexis { comments: &[";"], separator: None, directives: &picasso::DIRECTIVES },
        },
        Dialect {
            name: assemble::NIHCODE,
            endings: ".nih",
            tool: Some("nihstro"),
            lexis: Lexis { comments: &["#", ";", "//"], separator: None, directives: nihcode::DIRECTIVES },
        },
    ],
    modes: &[
        ("emu32", "binary32, as emulators compute"),
        ("hw24", "float24, as the console is expected to compute"),
    ],
    limits: &[
        ("words of a vertex program", 512),
        ("words of a geometry program", 4096),
        ("operand descriptors", 128),
        ("operand descriptors that mad reaches", 32),
        ("inputs", 16),
        ("outputs", 16),
        ("temporaries", 16),
        ("float uniforms", 96),
        ("integer uniforms", 4),
        ("boolean uniforms", 16),
    ],
    settings: &[
        Setting { name: "cycles-per-word", about: "cycles that a word takes in reports: 1", tried: None },
        Setting {
            name: "loop-rounds",
            about: "rounds of loops that the host program bounds, in reports: 1",
            tried: None,
        },
        Setting {
            name: "output.NAME",
            about: "what the output NAME is for: position, normalquat, color, texcoord0, texcoord0w, texcoord1, texcoord2, view, dummy, none",
            tried: None,
        },
        Setting {
            name: "defaults",
            about: "who gives uniforms the values of the source: loader (the default) or host",
            tried: Some("host"),
        },
        Setting { name: "geometry", about: "the mode of a geometry program: point or fixed", tried: None },
        Setting {
            name: "subroutine-saves",
            about: "words that a subroutine must save to be made: 8",
            tried: Some("1"),
        },
    ],
};

/// Takes a container apart.
fn read(bytes: &[u8]) -> Result<Shbin, Box<Diagnostic>> {
    Shbin::read(bytes)
        .map_err(|error| Box::new(Diagnostic::error(None, format!("cannot read the container: {error}"))))
}

/// As sources spell instructions: descriptor numbers would only distract there.
fn as_sources() -> chiaro_isa::Cx<'static> {
    chiaro_isa::Cx { dialect: PICASSO, ..PICA200.cx() }
}

impl Target for Pica200 {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn effort(&self) -> Option<u32> {
        Some(crate::compile::Options::default().effort)
    }

    fn instructions(&self, settings: &Settings) -> Result<&'static dyn Instructions, Vec<Diagnostic>> {
        ABOUT.no_variants(settings).map(|()| &*PICA200 as &'static dyn Instructions)
    }

    fn assumptions(&self) -> &'static [Assumption] {
        machine::config::ASSUMPTIONS
    }

    fn assemble(
        &self,
        sources: &mut SourceMap,
        options: &AssembleOptions,
        open: &mut Open<'_>,
    ) -> Result<Assembled, Vec<Diagnostic>> {
        assemble::assemble(sources, options, open)
    }

    fn disassemble(
        &self,
        bytes: &[u8],
        options: &DisassembleOptions,
    ) -> Result<Disassembled, Box<Diagnostic>> {
        if options.raw {
            let code = words(bytes, "the code")?;
            let table = words(&options.table, "the descriptor table")?;
            let table: Vec<[u32; 2]> = table.into_iter().map(|word| [word, 0]).collect();
            return Ok(Disassembled { text: exact::print_raw(&code, &table), remarks: Vec::new() });
        }
        let made = dis::disassemble(&read(bytes)?);
        let remarks = made.exact.map(|why| {
            let message = "picasso's language cannot say this file; the listing spells it out";
            Diagnostic::remark(None, message).note(why)
        });
        Ok(Disassembled { text: made.text, remarks: remarks.into_iter().collect() })
    }

    fn lift(&self, bytes: &[u8], options: &LiftOptions) -> Result<Lifted, Vec<Diagnostic>> {
        lift::lift(bytes, options)
    }

    fn code(&self, bytes: &[u8], _: &Settings) -> Result<Code, Box<Diagnostic>> {
        Ok(compile::code(&read(bytes)?, &[], as_sources()))
    }

    /// With the operand descriptor that the word names.
    fn explain(&self, bytes: &[u8], _: &Settings, number: usize) -> Result<Option<String>, Box<Diagnostic>> {
        let shbin = read(bytes)?;
        let word = shbin.program.code.get(number).map(|&word| fetch(word, &shbin.program.descriptors));
        let explained = word.and_then(|word| Instructions::explain(&*PICA200, &[word], 8).ok());
        Ok(explained.map(|explained| explained.text))
    }

    fn check(&self, bytes: &[u8], _: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        Ok(check::check(&read(bytes)?))
    }

    fn hazards(&self, bytes: &[u8], _: &Settings) -> Result<Vec<Finding>, Box<Diagnostic>> {
        Ok(check::errors(&read(bytes)?))
    }

    fn info(&self, bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
        if commands::is(bytes) {
            return commands::describe(bytes);
        }
        Ok(info::describe(bytes.len(), &read(bytes)?))
    }

    fn info_json(&self, bytes: &[u8], with_code: bool) -> Result<Json, Box<Diagnostic>> {
        if commands::is(bytes) {
            return commands::describe_json(bytes);
        }
        let shbin = read(bytes)?;
        let mut all = json::describe(&shbin);
        if with_code {
            all["instructions"] = json::instructions(&shbin);
        }
        Ok(all)
    }

    fn commands(&self, bytes: &[u8]) -> Result<Vec<u8>, Box<Diagnostic>> {
        commands::of(bytes)
    }

    fn anatomy(&self, bytes: &[u8], settings: &Settings) -> Result<Anatomy, Box<Diagnostic>> {
        anatomy::of(&read(bytes)?, settings)
    }

    fn terms(&self) -> &'static [(&'static str, &'static str)] {
        &[("work registers", "temporary registers"), ("uniform registers", "c registers for uniforms")]
    }

    fn compile(
        &self,
        shaders: &[Shader<'_>],
        options: &CompileOptions,
        sources: &SourceMap,
        cx: &mut Cx<'_>,
    ) -> Result<CompiledShader, Vec<Diagnostic>> {
        let mut one = |shaders: &[Shader<'_>]| {
            let of = |stage: Stage| shaders.iter().find(|shader| shader.has(stage));
            match (of(Stage::Vertex), of(Stage::Geometry)) {
                (Some(vertex), Some(geometry)) if !std::ptr::eq(vertex, geometry) => {
                    geometry::both(*vertex, *geometry, options, sources, cx)
                }
                (None, Some(shader)) => geometry::alone(*shader, options, sources, cx),
                _ => compile::vertex(Shader::with_stage(shaders, Stage::Vertex)?, options, sources, cx),
            }
        };
        match several::programs(shaders)[..] {
            [program] => one(program),
            ref programs => {
                let made = programs.iter().map(|program| one(program)).collect::<Result<Vec<_>, _>>()?;
                several::joined(made, options.verify, sources)
            }
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

    fn remedies(&self) -> &'static [Remedy] {
        const ALL: &[Remedy] = &[Remedy::before("mova-pair", "nop"), Remedy::after("past-end", "end")];
        ALL
    }

    fn holds_rows(&self) -> bool {
        true
    }
}

fn words(bytes: &[u8], what: &str) -> Result<Vec<u32>, Box<Diagnostic>> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let message = format!("{what} has {} bytes, which is no whole number of words", bytes.len());
        return Err(Box::new(Diagnostic::error(None, message).note("a word has 4 bytes")));
    }
    Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}
