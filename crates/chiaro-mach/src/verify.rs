//! The rules that code keeps, before and after allocation.

use std::fmt;

use crate::code::{Block, Code, Graph, Inst, Value};
use crate::file::RegFile;
use crate::lower_copies::pairs;
use crate::op::Op;
use crate::operand::Operand;
use crate::split_critical_edges::is_critical_in;

/// A broken rule, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The block.
    pub block: Block,
    /// The instruction, if it is about one.
    pub inst: Option<Inst>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "b{}", self.block.0)?;
        if let Some(inst) = self.inst {
            write!(out, " i{}", inst.0)?;
        }
        write!(out, ": {}", self.message)
    }
}

/// Checks edges, order within blocks, sizes, constraints, and single definitions.
pub fn verify(code: &Code, files: &[RegFile]) -> Result<(), Vec<Breach>> {
    let mut check = Check { code, files, found: Vec::new(), defined: Vec::new() };
    for block in code.blocks() {
        check.edges(block, Graph::Logical);
        check.edges(block, Graph::Linear);
        check.insts(block);
    }
    check.single_definitions();
    if check.found.is_empty() { Ok(()) } else { Err(check.found) }
}

struct Check<'a> {
    code: &'a Code,
    files: &'a [RegFile],
    found: Vec<Breach>,
    /// Units of values, and where they are defined.
    defined: Vec<(Value, u16, u16, Block, Inst)>,
}

impl Check<'_> {
    fn breach(&mut self, block: Block, inst: Option<Inst>, message: impl Into<String>) {
        self.found.push(Breach { block, inst, message: message.into() });
    }

    /// Every edge is known at both ends.
    fn edges(&mut self, block: Block, graph: Graph) {
        let code = self.code;
        let count = |list: &[Block], b: Block| list.iter().filter(|&&x| x == b).count();
        for &succ in &code.block_data(block).edges(graph).succs {
            let has_way = code.block_data(block).linear.succs.contains(&succ);
            if graph == Graph::Logical && !has_way && is_critical_in(code, graph, block, succ) {
                let message =
                    format!("lanes on the edge to b{} have no block of their own for copies", succ.0);
                self.breach(block, None, message);
            }
            let known = code.blocks().len() > succ.0 as usize
                && count(&code.block_data(succ).edges(graph).preds, block)
                    == count(&code.block_data(block).edges(graph).succs, succ);
            if !known {
                self.breach(block, None, format!("edge to b{} is not known there", succ.0));
            }
        }
    }

    /// Phis first, control last, and each instruction by itself.
    fn insts(&mut self, block: Block) {
        let code = self.code;
        let (mut head, mut control) = (true, false);
        for &inst in code.insts(block) {
            let data = code.inst(inst);
            if data.op == Op::Phi {
                if !head {
                    self.breach(block, Some(inst), "phi behind other instructions");
                }
                self.phi(block, inst);
            } else {
                head = false;
            }
            if control && !data.effects.is_control() {
                self.breach(block, Some(inst), "stands behind the block's exit");
            }
            control |= data.effects.is_control();
            self.inst(block, inst);
        }
    }

    fn phi(&mut self, block: Block, inst: Inst) {
        let [def] = self.code.defs(inst) else {
            return self.breach(block, Some(inst), "phi defines one value");
        };
        let Some(file) = self.files.get(usize::from(def.file.0)) else { return };
        let preds = self.code.block_data(block).edges(Graph::of(file.domain)).preds.len();
        if self.code.uses(inst).len() != preds {
            self.breach(block, Some(inst), format!("phi needs {preds} uses, one per predecessor"));
        }
        if self.code.uses(inst).iter().any(|used| used.value().is_some() && used.offset != 0) {
            self.breach(block, Some(inst), "phi takes something out of the middle of a value");
        }
    }

    fn inst(&mut self, block: Block, inst: Inst) {
        let code = self.code;
        for operand in code.operands(inst) {
            if let Err(message) = self.operand(operand) {
                self.breach(block, Some(inst), message);
            }
        }
        for (number, operand) in code.uses(inst).iter().enumerate() {
            let Some(def) = operand.tied else { continue };
            let fits = code.defs(inst).get(usize::from(def)).is_some_and(|def| {
                def.size == operand.size && def.file == operand.file && (def.reg == operand.reg)
            });
            if !fits {
                self.breach(block, Some(inst), format!("use {number} does not fit what it is tied to"));
            }
        }
        self.definitions(block, inst);
    }

    /// What an instruction defines. A copy under the same name brings a value to a further
    /// place, one under another name defines that.
    fn definitions(&mut self, block: Block, inst: Inst) {
        let code = self.code;
        if code.op(inst).is_copy() {
            let named = pairs(code, inst).into_iter().filter(|(def, from)| def.what != from.what);
            let parts = named.filter_map(|(def, _)| Some((def.value()?, def.offset, def.offset + def.size)));
            self.defined.extend(parts.map(|(value, start, end)| (value, start, end, block, inst)));
            return;
        }
        for def in code.defs(inst) {
            let Some(value) = def.value().filter(|v| (v.0 as usize) < code.value_count()) else { continue };
            let size = code.value_data(value).size;
            if def.offset != 0 || def.size != size {
                self.breach(
                    block,
                    Some(inst),
                    format!("v{} is defined in part; components say what is written", value.0),
                );
            }
            self.defined.push((value, 0, size, block, inst));
        }
    }

    /// Every unit of a value has one definition.
    fn single_definitions(&mut self) {
        let mut defined = std::mem::take(&mut self.defined);
        defined.sort_unstable();
        for two in defined.windows(2) {
            let ((value, _, end, ..), (other, start, _, block, inst)) = (two[0], two[1]);
            if value == other && start < end && !self.is_repeated(two[0].4, inst) {
                self.breach(block, Some(inst), format!("v{} is defined twice", value.0));
            }
        }
    }

    /// Whether two instructions are the same one, done twice.
    fn is_repeated(&self, one: Inst, two: Inst) -> bool {
        let (code, a, b) = (self.code, self.code.inst(one), self.code.inst(two));
        a.remat && b.remat && a.op == b.op && a.modifiers == b.modifiers && code.uses(one) == code.uses(two)
    }

    fn operand(&self, operand: &Operand) -> Result<(), String> {
        if !operand.in_file() {
            return Ok(());
        }
        let file = self.files.get(usize::from(operand.file.0)).ok_or("names no register file")?;
        if !operand.align.is_power_of_two() {
            return Err("alignment is no power of two".to_owned());
        }
        if let Some(value) = operand.value() {
            let known = (value.0 as usize) < self.code.value_count();
            let data = known.then(|| self.code.value_data(value)).ok_or("names no value")?;
            if data.size == 0 || !data.align.is_power_of_two() {
                return Err(format!("v{} has no size or no alignment", value.0));
            }
            // A spilled value is read from another file than its own.
            if operand.offset + operand.size > data.size {
                return Err(format!("reads beyond the end of v{}", value.0));
            }
        }
        let end = operand.reg.map_or(0, |unit| u32::from(unit) + u32::from(operand.size));
        if end > u32::from(file.count) {
            return Err(format!("is beyond the end of file {}", file.name));
        }
        let aligned = operand.reg.is_none_or(|unit| unit % u16::from(operand.align) == 0);
        if !aligned || operand.reg.is_some() && operand.fixed.is_some() && operand.reg != operand.fixed {
            return Err("is not where it has to be".to_owned());
        }
        Ok(())
    }
}
