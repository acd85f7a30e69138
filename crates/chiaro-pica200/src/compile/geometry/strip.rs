//! Which slot and flags each vertex of a strip sets.
//!
//! The unit has three slots and sends them as a triangle when told to. A strip keeps two vertices
//! of a triangle for the next one, so the vertices take the slots in turn, and only the first two
//! send nothing:
//!
//! | vertex | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 ... |
//! |---|---|---|---|---|---|---|---|---|---|
//! | slot | 0 | 1 | 2 | 0 | 1 | 2 | 0 | 1 | 2 |
//! | flags | | | prim | prim inv | prim | prim inv | prim | prim inv | prim |
//!
//! The third triangle of a strip is 1 2 3 for the slots and 2 1 3 for GL, which turns every other
//! one round; `inv` exchanges the first two of the slots 3 1 2, and 1 3 2 is 2 1 3 from another
//! corner on. \[azahar] From vertex 2 on all repeats after six.
//!
//! The number of a vertex has to be known where the program is compiled: at every `EmitVertex`
//! all ways that lead there have emitted as many vertices of the strip, up to six.

use std::collections::HashMap;

use crate::compile::graph::Setting;
use chiaro_diag::Diagnostic;
use chiaro_ir::{Block, Function, Inst, Op};

/// What every `EmitVertex` of a function sets.
pub(crate) type Emits = HashMap<Inst, Setting>;

/// Constructs within each other that are followed.
const DEPTH: u32 = 64;

/// How many vertices the strip has, in as far as it counts: 0 to 7; `None` if it depends on the
/// way that led here.
type Number = Option<u8>;

/// The settings of a function.
///
/// # Errors
/// An `EmitVertex` whose vertex has different numbers on different ways.
pub(crate) fn settings(f: &Function) -> Result<Emits, Box<Diagnostic>> {
    let mut strips = Strips { f, found: Emits::new(), leaving: HashMap::new(), going_on: HashMap::new() };
    strips.block(f.body, Some(0), 0)?;
    Ok(strips.found)
}

/// What the vertex of a number sets.
fn setting(number: u8) -> Setting {
    Setting { vertex: number % 3, primitive: number >= 2, winding: number > 2 && number % 2 == 1 }
}

/// The number of the vertex that follows.
fn next(number: u8) -> u8 {
    if number == 7 { 2 } else { number + 1 }
}

struct Strips<'a> {
    f: &'a Function,
    found: Emits,
    /// Numbers with which constructs are left.
    leaving: HashMap<Inst, Number>,
    /// Numbers with which loops go to their continuing block.
    going_on: HashMap<Inst, Number>,
}

impl Strips<'_> {
    /// A block that is entered with a number.
    fn block(&mut self, block: Block, mut number: Number, depth: u32) -> Result<Number, Box<Diagnostic>> {
        if depth > DEPTH {
            return Err(Diagnostic::error(None, format!("constructs are nested deeper than {DEPTH}")).into());
        }
        let f = self.f;
        for &inst in &f.block(block).insts {
            match f.op(inst) {
                Op::EmitVertex(_) => {
                    let known = number.ok_or_else(|| self.unknown(inst))?;
                    self.found.insert(inst, setting(known));
                    number = Some(next(known));
                }
                Op::EndPrimitive(_) => number = Some(0),
                Op::Exit(target) => meet(&mut self.leaving, target, number),
                Op::Continue(target) => meet(&mut self.going_on, target, number),
                Op::Loop => number = self.turns(inst, number, depth)?,
                op if op.is_construct() => {
                    for &inner in f.blocks_of(inst) {
                        self.block(inner, number, depth + 1)?;
                    }
                    number = self.leaving.remove(&inst).unwrap_or(number);
                }
                _ => {}
            }
        }
        Ok(number)
    }

    /// A loop: if a turn ends with another number than it began with, the body sees no number.
    fn turns(&mut self, inst: Inst, number: Number, depth: u32) -> Result<Number, Box<Diagnostic>> {
        let [body, continuing] = *self.f.blocks_of(inst) else { return Ok(number) };
        let kept = self.found.clone();
        let turn = |strips: &mut Self, number: Number| {
            strips.block(body, number, depth + 1)?;
            let on = strips.going_on.remove(&inst);
            let end = match on {
                Some(on) => strips.block(continuing, on, depth + 1)?,
                None => number,
            };
            Ok::<_, Box<Diagnostic>>((end, strips.leaving.remove(&inst)))
        };
        let (end, left) = turn(self, number)?;
        if end == number {
            return Ok(left.unwrap_or(number));
        }
        self.found = kept;
        let (_, left) = turn(self, None)?;
        Ok(left.unwrap_or(None))
    }

    fn unknown(&self, inst: Inst) -> Box<Diagnostic> {
        Diagnostic::error(self.f.inst(inst).span, "which vertex of its strip this is depends on the way that leads here")
            .help("call `EndPrimitive` at the end of each turn of the loop, or of each arm of the `if`; loops with a constant count are unrolled")
            .into()
    }
}

/// Ways with different numbers meet in none.
fn meet(at: &mut HashMap<Inst, Number>, target: Inst, number: Number) {
    at.entry(target).and_modify(|known| *known = known.filter(|_| *known == number)).or_insert(number);
}

#[cfg(test)]
mod tests {
    use super::{next, setting};

    /// The triangles of a strip, by the slots, against GL's rule.
    #[test]
    fn triangles_stand_as_in_gl() {
        let (mut slots, mut number) = ([0usize; 3], 0);
        for vertex in 0..20 {
            let set = setting(number);
            slots[usize::from(set.vertex)] = vertex;
            if set.primitive {
                let [a, b, c] = slots;
                let sent = if set.winding { [b, a, c] } else { [a, b, c] };
                let i = vertex - 2;
                let gl = if i % 2 == 0 { [i, i + 1, i + 2] } else { [i + 1, i, i + 2] };
                let turned = (0..3).any(|n| [sent[n % 3], sent[(n + 1) % 3], sent[(n + 2) % 3]] == gl);
                assert!(turned, "{vertex}: {sent:?} is not {gl:?}");
            } else {
                assert!(vertex < 2);
            }
            number = next(number);
        }
    }
}
