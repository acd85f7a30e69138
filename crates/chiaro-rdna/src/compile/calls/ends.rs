//! Calls in the place of ends: those behind which a function gives back what they give, and nothing else.
//!
//! ```text
//! %1: i32 = if %0 { %2 = call @f(%3); exit %2 } else { .. }       call @f
//! return %1
//! %1 = call @g(%0); %2 = extract %1, 0; %3 = extract %1, 1        call @g, whose result is put together again
//! %4 = construct %2, %3; return %4
//! ```

use chiaro_ir::{Block, Function, Inst, Op, Ty, Value};

/// The calls of a function behind which it ends with their results.
pub fn tails(f: &Function) -> Vec<Inst> {
    let blocks: Vec<Block> = f.tree().into_iter().map(|(_, block)| block).collect();
    let mut places = vec![None; f.inst_count()];
    for &block in &blocks {
        for (n, inst) in f.block(block).insts.iter().enumerate() {
            places[inst.0 as usize] = Some((block, n));
        }
    }
    let is_call = |inst: &Inst| matches!(f.op(*inst), Op::Call(_) | Op::CallIndirect);
    let calls = blocks.iter().flat_map(|&block| f.block(block).insts.iter().copied()).filter(is_call);
    calls.filter(|&call| ends_behind(f, &places, call)).collect()
}

/// What is followed of a call's result on its way to the function's end: it, or its parts in order.
struct Followed {
    whole: Option<Value>,
    parts: Vec<Value>,
    ty: Option<Ty>,
}

impl Followed {
    fn of(f: &Function, call: Inst) -> Followed {
        let whole = f.result_of(call);
        Followed { whole, parts: Vec::new(), ty: whole.map(|value| f.ty(value)) }
    }

    /// Whether an instruction only takes it apart, or puts it together again.
    fn keeps(&mut self, f: &Function, inst: Inst) -> bool {
        let (args, result) = (f.args(inst), f.result_of(inst));
        match f.op(inst) {
            Op::Extract(n) if self.whole == args.first().copied() && n as usize == self.parts.len() => {
                self.parts.extend(result);
                true
            }
            Op::Construct if args == self.parts && result.map(|value| f.ty(value)) == self.ty => {
                (self.whole, self.parts) = (result, Vec::new());
                true
            }
            _ => false,
        }
    }

    /// Hands it on to where an exit leads; whether that is all that the exit carries.
    fn leaves(&mut self, f: &Function, exit: Inst, to: Vec<Value>) -> bool {
        let whole: Vec<Value> = self.whole.into_iter().collect();
        let args = f.args(exit);
        if args == whole {
            (self.whole, self.parts) = (to.first().copied(), Vec::new());
            return true;
        }
        let is_parts = !self.parts.is_empty() && args == self.parts;
        (self.whole, self.parts) = (None, to);
        is_parts
    }
}

/// Whether the function ends behind an instruction, and gives back its results and nothing else.
fn ends_behind(f: &Function, places: &[Option<(Block, usize)>], call: Inst) -> bool {
    let (mut inst, mut followed) = (call, Followed::of(f, call));
    loop {
        let Some((block, at)) = places[inst.0 as usize] else { return false };
        let mut behind = f.block(block).insts[at + 1..].iter().copied();
        let Some(next) = behind.find(|&next| !followed.keeps(f, next)) else { return false };
        match f.op(next) {
            Op::Return => return f.args(next).iter().copied().eq(followed.whole),
            // Further out, as often as constructs are in each other.
            Op::Exit(owner) if followed.leaves(f, next, f.results(owner).collect()) => inst = owner,
            _ => return false,
        }
    }
}
