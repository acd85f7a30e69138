//! Reads a module instruction by instruction and writes it again, ids counted anew.
//!
//! What the module says is kept: order, names, lines, decorations, unknown enumerants. Ids are
//! numbered from 1 in the order in which they are defined, and the header says that we wrote
//! it. It shows that we know every operand of what we read, and is the start of passes over
//! words.

use std::collections::HashMap;

use crate::grammar::{Role, Roles};
use crate::instruction::{Malformed, Reason, header, instructions};
use crate::write::Builder;

/// The module again, with ids that leave no gaps.
///
/// # Errors
/// Words that are not SPIR-V, or instructions whose operands are not known.
pub fn rewrite(words: &[u32]) -> Result<Vec<u32>, Malformed> {
    let (version, _) = header(words)?;
    let numbers = number(words)?;
    let mut builder = Builder::resume(version, numbers.len() as u32 + 1);
    let mut roles = Roles::new();
    let mut operands = Vec::new();
    for inst in instructions(words) {
        let inst = inst?;
        operands.clear();
        for (&word, role) in inst.operands.iter().zip(roles.of(&inst)?) {
            operands.push(if *role == Role::Literal { word } else { numbers[&word] });
        }
        builder.copy(inst.op, &operands);
    }
    let written = builder.finish();
    Ok(written.map_err(|_| Malformed { word: 0, reason: Reason::Length })?.words)
}

/// A number for each id: those with a definition in its order, then the rest.
fn number(words: &[u32]) -> Result<HashMap<u32, u32>, Malformed> {
    let (mut defined, mut used) = (Vec::new(), Vec::new());
    let mut roles = Roles::new();
    for inst in instructions(words) {
        let inst = inst?;
        for (&word, role) in inst.operands.iter().zip(roles.of(&inst)?) {
            match role {
                Role::Result => defined.push(word),
                Role::Type | Role::Id => used.push(word),
                Role::Literal => {}
            }
        }
    }
    let mut numbers = HashMap::new();
    for id in defined.into_iter().chain(used) {
        let next = numbers.len() as u32 + 1;
        numbers.entry(id).or_insert(next);
    }
    Ok(numbers)
}
