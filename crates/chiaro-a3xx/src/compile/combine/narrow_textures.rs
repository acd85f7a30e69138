//! Components of texture results that nobody reads are not written; those behind the last that is read have no
//! register.
//!
//! ```text
//! v1:r.4 = sam v0                          v5:r.3 = sam v0, components x and z
//! v2, v3 (unread), v4, v5 (unread)   ->    v2, v3, v4 = split v5
//!          = split v1
//! ```
//!
//! Before and after: SSA.

use chiaro_mach::{Code, Inst, Made, Op as Mach, Operand};

use crate::compile::code::{Modifiers, TextureModifiers, operation};
use crate::isa::category;

/// Narrows results to what is read of them.
pub(super) fn narrow_textures(code: &mut Code) {
    let made = Made::of(code);
    let mut splits: Vec<Option<Inst>> = vec![None; code.value_count()];
    let all: Vec<Inst> = code.blocks().flat_map(|block| code.insts(block).to_vec()).collect();
    for &inst in all.iter().filter(|&&inst| code.op(inst) == Mach::Split) {
        if let Some(value) = code.uses(inst)[0].value() {
            splits[value.0 as usize] = Some(inst);
        }
    }
    for &inst in &all {
        let is_texture = operation(code, inst).is_some_and(|op| category(op) == 5);
        let Some(value) = code.defs(inst).first().and_then(Operand::value).filter(|_| is_texture) else {
            continue;
        };
        let Some(split) = splits[value.0 as usize] else { continue };
        let is_read = |def: &Operand| def.value().is_some_and(|value| made.reads(value) > 0);
        let parts = code.defs(split).to_vec();
        let mask = parts.iter().enumerate().fold(0, |mask, (i, def)| mask | u8::from(is_read(def)) << i);
        let count = parts.iter().rposition(is_read).map_or(0, |last| last + 1);
        let data = code.inst_mut(inst);
        let modifiers = Modifiers::unpack(data.modifiers);
        let texture = TextureModifiers { mask, ..modifiers.texture };
        data.modifiers = Modifiers { texture, ..modifiers }.pack();
        if count < parts.len() && count > 0 {
            let file = code.defs(inst)[0].file;
            let narrow = code.value(file, count as u16, 1);
            let operand = code.operand(narrow);
            let sources = code.uses(inst).to_vec();
            code.set_operands(inst, &[operand], &sources);
            code.set_operands(split, &parts[..count], &[operand]);
        }
    }
}
