//! PICA200: programs as shaders for other machines.

use chiaro_diag::Diagnostic;
use chiaro_target::{LiftOptions, Lifted, SimulateOptions};

use super::bind::{self, Uniforms};
use super::{read, simulate, words};
use crate::container::{Dvle, Dvlp, Shbin, Stage};
use crate::lift::{Form, Given, LiftError, Options, Source, Style, WORD, lift as lifted};
use crate::machine::LoadError;

impl Uniforms for Given {
    fn set_float(&mut self, n: u8, value: [f32; 4]) {
        self.floats.insert(n, value);
    }
    fn set_int(&mut self, n: u8, value: [u8; 4]) {
        self.ints.insert(n, value);
    }
    fn set_bool(&mut self, n: u8, value: bool) {
        self.bools.insert(n, value);
    }
}

/// Lifts a program of a SHBIN, or words with their descriptors.
pub(super) fn lift(bytes: &[u8], options: &LiftOptions) -> Result<Lifted, Vec<Diagnostic>> {
    let settings = SimulateOptions {
        mode: options.mode.clone(),
        assumptions: options.assumptions.clone(),
        executable: options.executable,
        entry: options.entry.clone(),
        ..SimulateOptions::default()
    };
    let file = if options.raw { bare(bytes, &options.table) } else { read(bytes) };
    let file = file.map_err(|error| vec![*error])?;
    let dvle = simulate::executable(&file, &settings).map_err(|error| vec![*error])?;
    let (config, entry) = simulate::setup(&file, dvle, &settings)?;
    let mut given = Given::default();
    let wrong = |(name, value): &(String, _)| bind::uniform(&mut given, dvle, name, value).err();
    let errors: Vec<Diagnostic> = options.uniforms.iter().filter_map(wrong).map(|error| *error).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let program = &file.program;
    let executable = Some(dvle).filter(|_| !options.raw);
    let source = Source { words: &program.code, descriptors: &program.descriptors, entry, executable };
    let style = if options.plain { Style::Plain } else { Style::Exact };
    let form = if options.compute { Form::Compute } else { Form::Stage };
    // As nearly all programs have it, where no map says it.
    let position = options.raw.then_some(0);
    let wanted = Options { given, style, form, position };
    let made = lifted(&source, &wanted, &config).map_err(|error| vec![told(&error)])?;
    let mut remarks: Vec<_> = made.notes.iter().map(|n| Diagnostic::remark(None, n.to_string())).collect();
    if form == Form::Compute && made.corners > 0 {
        let room = format!("an invocation has room for {} corners in `outputs`", made.corners);
        remarks.push(Diagnostic::remark(None, room));
    }
    let names = made.names.results.iter().map(|name| name.as_ref().map(ToString::to_string)).collect();
    Ok(Lifted { module: made.module, word: WORD, names, params: made.names.params, remarks })
}

/// Words and descriptors as a file with one program that has no names.
fn bare(bytes: &[u8], table: &[u8]) -> Result<Shbin, Box<Diagnostic>> {
    let (code, table) = (words(bytes, "the code")?, words(table, "the descriptor table")?);
    let descriptors = table.into_iter().map(|word| [word, 0]).collect();
    let program = Dvlp { code, descriptors, ..Dvlp::default() };
    let executable = Dvle {
        version: 0,
        stage: Stage::Vertex,
        merge: 0,
        entry: 0,
        end: 0,
        inputs: 0,
        outputs_used: 0,
        geometry: [0; 4],
        constants: Vec::new(),
        labels: Vec::new(),
        outputs: Vec::new(),
        uniforms: Vec::new(),
        symbols: Vec::new(),
    };
    Ok(Shbin::new(program, vec![executable]))
}

fn told(error: &LiftError) -> Diagnostic {
    let told = Diagnostic::error(None, error.to_string());
    match error {
        LiftError::TooLarge(_) => told.help("`--entry` and `--uniforms` lift less of it"),
        LiftError::Load(LoadError::Entry(_)) => told.help("`--entry N` names a word of the program"),
        LiftError::Load(_) | LiftError::Internal(_) => told,
    }
}
