//! Code as text: one instruction a line, definitions left of `=`.
//!
//! `v3:lane.2@r4 = add v1[0..2], -1:...` reads: value 3 of file `lane`, two units, is in the
//! units from r4. Constraints follow an operand: `!r2` fixed, `~0` tied to definition 0,
//! `late`, `early`, `/2` aligned, `.xy` components, `#1f` bits of the target.

use std::fmt::Write;

use crate::code::{Block, BlockData, Code, Inst};
use crate::file::RegFile;
use crate::operand::{Comps, Operand, What};

/// What the text calls operations and files.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// The target's files.
    pub files: &'a [RegFile],
    /// The name of an operation of the target.
    pub op: &'a dyn Fn(u32) -> String,
}

impl Names<'_> {
    /// Numbers for names: what is printed when nothing is known of the target.
    pub const NONE: Names<'static> = Names { files: &[], op: &|number| format!("op{number}") };

    fn file(&self, number: u8) -> String {
        self.files.get(usize::from(number)).map_or_else(|| format!("f{number}_"), |f| f.name.to_owned())
    }
}

/// The text of a function.
pub fn print(code: &Code, names: Names<'_>) -> String {
    let mut out = format!("function {}\n", code.name);
    for block in code.blocks() {
        head(&mut out, block, code.block_data(block));
        for &inst in code.insts(block) {
            out.push_str("    ");
            out.push_str(&print_inst(code, inst, names));
            out.push('\n');
        }
    }
    out
}

/// The text of one instruction, without the end of the line.
pub fn print_inst(code: &Code, inst: Inst, names: Names<'_>) -> String {
    let data = code.inst(inst);
    let list =
        |operands: &[Operand]| operands.iter().map(|o| operand(o, names)).collect::<Vec<_>>().join(", ");
    let (defs, uses) = (list(code.defs(inst)), list(code.uses(inst)));
    let mut out = if defs.is_empty() { String::new() } else { format!("{defs} = ") };
    match data.op {
        crate::Op::Machine(number) => out.push_str(&(names.op)(number)),
        op => out.push_str(op.word().unwrap_or("?")),
    }
    if data.modifiers != 0 {
        let _ = write!(out, "#{:x}", data.modifiers);
    }
    if !uses.is_empty() {
        let _ = write!(out, " {uses}");
    }
    for clobber in code.clobbered(inst) {
        let (name, units) = (names.file(clobber.file.0), &clobber.units);
        let _ = write!(out, " kills {name}{}..{name}{}", units.start, units.end);
    }
    out
}

fn head(out: &mut String, block: Block, data: &BlockData) {
    let list = |blocks: &[Block]| blocks.iter().map(|b| format!("b{}", b.0)).collect::<Vec<_>>().join(" ");
    let _ =
        write!(out, "b{}: ; from {}, to {}", block.0, list(&data.logical.preds), list(&data.logical.succs));
    if data.linear != data.logical {
        let _ = write!(out, ", linear from {}, to {}", list(&data.linear.preds), list(&data.linear.succs));
    }
    let _ = writeln!(out, ", depth {}", data.depth);
}

fn operand(o: &Operand, names: Names<'_>) -> String {
    let file = names.file(o.file.0);
    let mut out = match o.what {
        What::Undef => "undef".to_owned(),
        What::Value(value) => format!("v{}:{file}.{}", value.0, o.size),
        What::Reg => format!("{file}.{}", o.size),
        What::Imm(number) => return format!("{number}"),
        What::Slot(slot) => format!("{file}[{slot}]"),
        What::Label(block) => return format!("b{}", block.0),
        What::Function(number) => return format!("fn{number}"),
    };
    if o.offset != 0 {
        let _ = write!(out, "[{}..{}]", o.offset, o.offset + o.size);
    }
    if let Some(unit) = o.reg {
        let _ = write!(out, "@{file}{unit}");
    }
    constraints(&mut out, o, &file);
    out
}

fn constraints(out: &mut String, o: &Operand, file: &str) {
    if o.comps != Comps::ALL {
        out.push('.');
        out.extend(o.comps.iter().map(|c| ['x', 'y', 'z', 'w'][usize::from(c)]));
    }
    if o.align > 1 {
        let _ = write!(out, "/{}", o.align);
    }
    if let Some(unit) = o.fixed {
        let _ = write!(out, " !{file}{unit}");
    }
    if let Some(def) = o.tied {
        let _ = write!(out, " ~{def}");
    }
    if o.late_kill {
        out.push_str(" late");
    }
    if o.early_clobber {
        out.push_str(" early");
    }
    if o.bits != 0 {
        let _ = write!(out, " #{:x}", o.bits);
    }
}
