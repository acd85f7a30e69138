//! Code as text: one instruction a line, definitions left of `=`. [`parse`](crate::parse()) reads it back.
//!
//! ```text
//! function main
//! b0: to b1 b2
//!     v0:s, v1:v.2/2@v4..6 = mix#1f v7[1..3].yx, 5, @s3 reads exec kills v0..12 s0..6
//! ```
//!
//! The definition of a value tells its file, its size in units if that is not 1, and behind `/` its
//! alignment; elsewhere the number stands alone. `[1..3]` are the accessed units where that is not
//! all of it, `@v4..6` is the place, `.yx` which units of it count. Constraints follow: `!v2`
//! fixed, `/2` aligned, `~0` tied to definition 0, `late`, `early`, and `#1f` bits of the target.
//! What an instruction does besides stands at its end: `remat` if it may be done again, spaces of
//! effects, registers destroyed. `room v40 but 8..12` limits a file for the function.
//!
//! Blocks name their neighbours, `linear` those of that graph where it differs. `;` begins a comment.
//! Spans of the source are not part of the text.

use std::collections::HashSet;
use std::fmt::Write;

use crate::code::{Block, BlockData, Code, Edges, Inst, Value, ValueData};
use crate::file::{File, RegFile};
use crate::op::Effects;
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

    fn file(&self, file: File) -> String {
        self.files.get(usize::from(file.0)).map_or_else(|| format!("f{}_", file.0), |f| f.name.to_owned())
    }
}

/// The text of a function.
pub fn print(code: &Code, names: Names<'_>) -> String {
    let mut printer = Printer { code, names, told: HashSet::new(), out: String::new() };
    let _ = writeln!(printer.out, "function {}", code.name);
    for room in code.rooms() {
        let _ = write!(printer.out, "room {}{}", names.file(room.file), room.limit);
        let parts = room.reserved.iter().map(|units| format!(" but {}..{}", units.start, units.end));
        let _ = writeln!(printer.out, "{}", parts.collect::<String>());
    }
    printer.values();
    for block in code.blocks() {
        printer.head(block, code.block_data(block));
        for &inst in code.insts(block) {
            printer.out.push_str("    ");
            printer.inst(inst);
            printer.out.push('\n');
        }
    }
    printer.out
}

/// The text of one instruction, without the end of the line. Its definitions tell what they are.
pub fn print_inst(code: &Code, inst: Inst, names: Names<'_>) -> String {
    let mut printer = Printer { code, names, told: HashSet::new(), out: String::new() };
    printer.inst(inst);
    printer.out
}

struct Printer<'a> {
    code: &'a Code,
    names: Names<'a>,
    /// Values of which the text has told what they are.
    told: HashSet<Value>,
    out: String,
}

/// Whether this is the whole of a value in its own file, so that it can tell what the value is.
fn is_whole(operand: &Operand, data: ValueData) -> bool {
    operand.file == data.file && operand.offset == 0 && operand.size == data.size
}

impl Printer<'_> {
    /// Lines for values that no definition tells of.
    fn values(&mut self) {
        let code = self.code;
        let all = || code.blocks().flat_map(|block| code.insts(block)).copied();
        let tells = |def: &Operand| def.value().filter(|&value| is_whole(def, code.value_data(value)));
        let mut told: HashSet<Value> = all().flat_map(|inst| code.defs(inst)).filter_map(tells).collect();
        for value in all().flat_map(|inst| code.operands(inst)).filter_map(Operand::value) {
            if told.insert(value) {
                self.told.insert(value);
                let data = self.data(code.value_data(value));
                let _ = writeln!(self.out, "value v{}:{data}", value.0);
            }
        }
    }

    fn data(&self, data: ValueData) -> String {
        let mut out = self.sized(data.file, data.size);
        if data.align != 1 {
            let _ = write!(out, "/{}", data.align);
        }
        out
    }

    fn sized(&self, file: File, size: u16) -> String {
        let mut out = self.names.file(file);
        if size != 1 {
            let _ = write!(out, ".{size}");
        }
        out
    }

    fn head(&mut self, block: Block, data: &BlockData) {
        let mut parts = edges(&data.logical);
        if data.linear != data.logical {
            let linear = edges(&data.linear);
            parts.push(if linear.is_empty() { "linear".to_owned() } else { format!("linear {}", linear[0]) });
            parts.extend(linear.into_iter().skip(1));
        }
        parts.extend((data.depth != 0).then(|| format!("depth {}", data.depth)));
        parts.extend((data.construct != 0).then(|| format!("construct {}", data.construct)));
        let blank = if parts.is_empty() { "" } else { " " };
        let _ = writeln!(self.out, "b{}:{blank}{}", block.0, parts.join(", "));
    }

    fn inst(&mut self, inst: Inst) {
        let code = self.code;
        let data = code.inst(inst);
        self.list(code.defs(inst), true);
        if !code.defs(inst).is_empty() {
            self.out.push_str(" = ");
        }
        match data.op {
            crate::Op::Machine(number) => self.out.push_str(&(self.names.op)(number)),
            op => self.out.push_str(op.word().unwrap_or("?")),
        }
        if data.modifiers != 0 {
            let _ = write!(self.out, "#{:x}", data.modifiers);
        }
        if !code.uses(inst).is_empty() {
            self.out.push(' ');
        }
        self.list(code.uses(inst), false);
        if data.remat {
            self.out.push_str(" remat");
        }
        self.spaces("reads", data.effects.reads);
        self.spaces("writes", data.effects.writes);
        for (i, clobber) in code.clobbered(inst).iter().enumerate() {
            let (name, units) = (self.names.file(clobber.file), &clobber.units);
            let word = if i == 0 { " kills" } else { "" };
            let _ = write!(self.out, "{word} {name}{}..{}", units.start, units.end);
        }
    }

    fn spaces(&mut self, word: &str, set: u16) {
        let names = (0..16).filter(|bit| set >> bit & 1 != 0).map(|bit| Effects::SPACES[bit]);
        for (i, name) in names.enumerate() {
            let word = if i == 0 { format!(" {word}") } else { String::new() };
            let _ = write!(self.out, "{word} {name}");
        }
    }

    fn list(&mut self, operands: &[Operand], defines: bool) {
        for (i, operand) in operands.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.operand(operand, defines);
        }
    }

    fn operand(&mut self, o: &Operand, defines: bool) {
        let file = self.names.file(o.file);
        match o.what {
            What::Value(value) => return self.value(value, o, defines),
            What::Reg => {}
            What::Undef => self.out.push_str("undef"),
            What::Imm(number) => self.out.push_str(&number.to_string()),
            What::Slot(slot) => {
                let _ = write!(self.out, "{file}[{slot}]");
            }
            What::Label(block) => {
                let _ = write!(self.out, "b{}", block.0);
            }
            What::Function(number) => {
                let _ = write!(self.out, "fn{number}");
            }
        }
        let plain = o.size == 1 && (o.file == File(0) || matches!(o.what, What::Slot(_)));
        let placed = o.what == What::Reg && o.reg.is_some();
        if !placed && (!plain || matches!(o.what, What::Undef | What::Reg)) {
            let sized = self.sized(o.file, o.size);
            let _ = write!(self.out, ":{sized}");
        }
        if o.offset != 0 {
            let _ = write!(self.out, "[{}..{}]", o.offset, o.offset + o.size);
        }
        self.place(o, &file);
        self.constraints(o, &file);
    }

    fn value(&mut self, value: Value, o: &Operand, defines: bool) {
        let data = self.code.value_data(value);
        let _ = write!(self.out, "v{}", value.0);
        if defines && is_whole(o, data) && self.told.insert(value) {
            let data = self.data(data);
            let _ = write!(self.out, ":{data}");
        } else if o.offset != 0 || o.size != data.size {
            let _ = write!(self.out, "[{}..{}]", o.offset, o.offset + o.size);
        }
        let file = self.names.file(o.file);
        self.place(o, &file);
        if o.reg.is_none() && o.file != data.file {
            let _ = write!(self.out, "@{file}");
        }
        self.constraints(o, &file);
    }

    fn place(&mut self, o: &Operand, file: &str) {
        let Some(unit) = o.reg else { return };
        let _ = write!(self.out, "@{file}{unit}");
        if o.size != 1 {
            let _ = write!(self.out, "..{}", u32::from(unit) + u32::from(o.size));
        }
    }

    fn constraints(&mut self, o: &Operand, file: &str) {
        if o.comps != Comps::ALL {
            self.out.push('.');
            self.out.extend(o.comps.iter().map(|c| ['x', 'y', 'z', 'w'][usize::from(c)]));
        }
        let parts = [
            (o.align != 1).then(|| format!(" /{}", o.align)),
            o.fixed.map(|unit| format!(" !{file}{unit}")),
            o.tied.map(|def| format!(" ~{def}")),
            o.late_kill.then(|| " late".to_owned()),
            o.early_clobber.then(|| " early".to_owned()),
            (o.bits != 0).then(|| format!(" #{:x}", o.bits)),
        ];
        self.out.extend(parts.into_iter().flatten());
    }
}

fn edges(edges: &Edges) -> Vec<String> {
    let list = |word: &str, blocks: &[Block]| {
        let names: Vec<String> = blocks.iter().map(|b| format!(" b{}", b.0)).collect();
        (!blocks.is_empty()).then(|| format!("{word}{}", names.concat()))
    };
    [list("from", &edges.preds), list("to", &edges.succs)].into_iter().flatten().collect()
}
