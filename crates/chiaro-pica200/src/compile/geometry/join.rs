//! Linking: one file with a vertex and a geometry program, or with any programs.
//!
//! The code of all stands in one block, vertex programs first, because a loader sends at most
//! the first 512 words to vertex units and everything to the geometry unit. \[libctru] They share
//! the operand descriptors.

use chiaro_diag::Diagnostic;
use chiaro_isa::{Value, Word};

use super::feed::{Feed, slot_at};
use crate::compile::compiled::Compiled;
use crate::container::{Dvle, Dvlp, Shbin};
use crate::isa::{PICA200, halves};
use crate::operand::descriptor::{Descriptors, ENTRIES, Full, care};
use crate::regs::GEOMETRY_WORDS;

/// Bits of a word that name its descriptor: five in MAD and MADI, seven in the others.
const MAD_INDEX: u32 = 0x1f;
const INDEX: u32 = 0x7f;

/// Properties of outputs. spec section 15.
const POSITION: u16 = 0;
const DUMMY: u16 = 9;

impl Feed {
    /// What a compiled vertex program hands on: its outputs that the output mask enables.
    #[must_use]
    pub fn of_vertex(vertex: &Compiled) -> Feed {
        let used = vertex.shbin.executables.first().map_or(0, |dvle| dvle.outputs_used);
        let outputs = vertex.abi.outputs.iter().enumerate();
        let enabled = outputs.filter(|(register, _)| used >> register & 1 == 1);
        Feed(enabled.map(|(_, out)| slot_at(&vertex.module, out.variable, &out.path)).collect())
    }
}

/// Joins both programs; the executables are the vertex program, then the geometry program.
///
/// # Errors
/// More words or operand descriptors together than there are.
pub fn join(vertex: &Compiled, geometry: &Compiled) -> Result<Shbin, Box<Diagnostic>> {
    let mut first = vertex.shbin.clone();
    // What a geometry program takes is for no property.
    for output in first.executables.iter_mut().flat_map(|dvle| &mut dvle.outputs) {
        if output.kind != POSITION {
            output.kind = DUMMY;
        }
    }
    together(&[&first, &geometry.shbin], &[0, 1])
}

/// Joins files. Their executables stand in the order of the files, their code as `order` says.
///
/// # Errors
/// More words or operand descriptors together than there are.
pub fn together(files: &[&Shbin], order: &[usize]) -> Result<Shbin, Box<Diagnostic>> {
    let words: usize = files.iter().map(|file| file.program.code.len()).sum();
    if words > GEOMETRY_WORDS {
        let message = format!("the programs take {words} words together, {GEOMETRY_WORDS} are there");
        return Err(Diagnostic::error(None, message).into());
    }
    let (mut all, mut bases) = (Vec::with_capacity(words), vec![0; files.len()]);
    for &i in order {
        let program = &files[i].program;
        bases[i] = all.len() as u32;
        let base = bases[i];
        all.extend(
            program.code.iter().map(|&word| (moved(word, base), descriptor_of(word, &program.descriptors))),
        );
    }
    let mut code = Vec::with_capacity(words);
    let descriptors = share(&all, &mut code)?;
    let mut executables = Vec::new();
    for (file, base) in files.iter().zip(&bases) {
        let moved = |dvle: &Dvle| Dvle { entry: dvle.entry + base, end: dvle.end + base, ..dvle.clone() };
        executables.extend(file.executables.iter().map(moved));
    }
    Ok(Shbin::new(Dvlp { code, descriptors, ..Dvlp::default() }, executables))
}

/// A word whose target counts from another start.
fn moved(word: u32, base: u32) -> u32 {
    let cx = PICA200.cx();
    let Ok(mut inst) = PICA200.decode_word(&Word::from(u64::from(word)), 8) else { return word };
    let Some(target) = PICA200.value(&inst, "target", &cx).and_then(chiaro_isa::Value::int) else {
        return word;
    };
    match PICA200.put(&mut inst, "target", Value::Int(target + i64::from(base)), &cx) {
        Ok(()) => halves(inst.word).0,
        Err(_) => word,
    }
}

fn is_mad(word: u32) -> bool {
    word >> 26 >= 0x30
}

fn index(word: u32) -> u32 {
    word & if is_mad(word) { MAD_INDEX } else { INDEX }
}

fn descriptor_of(word: u32, table: &[[u32; 2]]) -> u32 {
    table.get(index(word) as usize).map_or(0, |entry| entry[0])
}

/// Gives every word its entry in a common table: those of MAD first, because they reach only the
/// first entries.
fn share(all: &[(u32, u32)], code: &mut Vec<u32>) -> Result<Vec<[u32; 2]>, Box<Diagnostic>> {
    code.extend(all.iter().map(|(word, _)| *word));
    let mut table = Descriptors::new();
    let mut order: Vec<usize> = (0..all.len()).filter(|&i| care(all[i].0 >> 26, all[i].1) != 0).collect();
    order.sort_by_key(|&i| !is_mad(all[i].0));
    for i in order {
        let (word, descriptor) = all[i];
        let slot = table.place(descriptor, care(word >> 26, descriptor), is_mad(word)).map_err(too_many)?;
        code[i] = word - index(word) + u32::from(slot.index);
    }
    Ok(table.table())
}

fn too_many(full: Full) -> Box<Diagnostic> {
    let message = match full {
        Full::Mad => {
            "the programs need more than 32 operand descriptors for MAD together, 32 are there".to_owned()
        }
        _ => {
            format!("the programs need more than {ENTRIES} operand descriptors together, {ENTRIES} are there")
        }
    };
    Diagnostic::error(None, message).help("put one of them into a file of its own").into()
}
