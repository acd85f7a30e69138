//! Linking: one file with a vertex and a geometry program.
//!
//! The code of both stands in one block, the vertex program first, because a loader sends at most
//! the first 512 words to vertex units and everything to the geometry unit. \[libctru] They share
//! the operand descriptors.

use chiaro_diag::Diagnostic;
use chiaro_isa::{Value, Word};

use super::feed::{Feed, slot_at};
use crate::compile::compiled::Compiled;
use crate::container::{Dvlp, Shbin};
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
    let (first, second) = (&vertex.shbin.program, &geometry.shbin.program);
    let base = first.code.len() as u32;
    let words = first.code.len() + second.code.len();
    if words > GEOMETRY_WORDS {
        let message = format!("both programs take {words} words, {GEOMETRY_WORDS} are there");
        return Err(Diagnostic::error(None, message).into());
    }
    let mut code = Vec::with_capacity(words);
    let own = first.code.iter().map(|&word| (word, &first.descriptors));
    let moved = second.code.iter().map(|&word| (moved(word, base), &second.descriptors));
    let all: Vec<(u32, u32)> =
        own.chain(moved).map(|(word, table)| (word, descriptor_of(word, table))).collect();
    let descriptors = share(&all, &mut code)?;
    let mut executables = vertex.shbin.executables.clone();
    // What a geometry program takes is for no property.
    for output in executables.iter_mut().flat_map(|dvle| &mut dvle.outputs) {
        if output.kind != POSITION {
            output.kind = DUMMY;
        }
    }
    for dvle in &geometry.shbin.executables {
        let mut dvle = dvle.clone();
        dvle.entry += base;
        dvle.end += base;
        executables.push(dvle);
    }
    let program = Dvlp { code, descriptors, ..Dvlp::default() };
    Ok(Shbin::new(program, executables))
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
        Full::Mad => "both programs need more than 32 operand descriptors for MAD, 32 are there".to_owned(),
        _ => format!("both programs need more than {ENTRIES} operand descriptors, {ENTRIES} are there"),
    };
    Diagnostic::error(None, message).help("put the geometry program into a file of its own").into()
}
