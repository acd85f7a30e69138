//! Code sinking: moves a computation into the only branch that uses it.
//!
//! ```text
//! %1 = fsin %0                    if %2 {
//! if %2 {                           %1 = fsin %0
//!   store @o, %1          ->        store @o, %1
//! ...                             ...
//! ```
//!
//! From the last instruction to the first, so that what is computed for something that has moved
//! follows it; never into a loop that it was not in.

use crate::motion::is_movable;
use crate::rewrite::lend;
use crate::{Changed, Cx};
use chiaro_ir::{Block, Def, Function, FunctionRef, Inst, Module, Op, Value};

/// Moves computations to where they are used.
pub fn sink(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    lend(module, f, |module, f| {
        let tree = f.tree();
        let mut sinker = Sinker::new(f, &tree);
        let mut changed = false;
        for &(_, block) in tree.iter().rev() {
            changed |= sinker.block(module, f, block);
        }
        for &(_, block) in &tree {
            let mut first = std::mem::take(&mut sinker.moved[block.0 as usize]);
            first.reverse();
            f.block_mut(block).insts.splice(0..0, first);
        }
        changed
    })
    .into()
}

/// A block that nothing is known of.
const NONE: u32 = u32::MAX;

struct Sinker {
    /// By block: the block around it, how deep it lies, and whether it is a loop's.
    around: Vec<(u32, u32, bool)>,
    /// By value: the innermost block around all its uses.
    homes: Vec<u32>,
    /// By block: what goes to its beginning, the last first.
    moved: Vec<Vec<Inst>>,
}

impl Sinker {
    fn new(f: &Function, tree: &[(Option<Inst>, Block)]) -> Sinker {
        let mut around = vec![(NONE, 0, false); f.block_count()];
        for &(_, block) in tree {
            let depth = around[block.0 as usize].1 + 1;
            for &inst in &f.block(block).insts {
                let is_loop = f.op(inst) == Op::Loop;
                for &inner in f.blocks_of(inst) {
                    around[inner.0 as usize] = (block.0, depth, is_loop);
                }
            }
        }
        Sinker { around, homes: vec![NONE; f.value_count()], moved: vec![Vec::new(); f.block_count()] }
    }

    fn block(&mut self, module: &Module, f: &mut Function, block: Block) -> bool {
        let insts = std::mem::take(&mut f.block_mut(block).insts);
        let before = insts.len();
        let mut kept = Vec::with_capacity(before);
        for &inst in insts.iter().rev() {
            let home = self.home(module, f, inst, block);
            let list = if home == block { &mut kept } else { &mut self.moved[home.0 as usize] };
            list.push(inst);
            f.args(inst).iter().for_each(|&arg| self.used(f, arg, home));
        }
        kept.reverse();
        let changed = kept.len() != before;
        f.block_mut(block).insts = kept;
        changed
    }

    /// The block to which an instruction belongs.
    fn home(&self, module: &Module, f: &Function, inst: Inst, block: Block) -> Block {
        let Some(result) = f.result_of(inst) else { return block };
        let used = self.homes[result.0 as usize];
        if used == NONE || used == block.0 || f.owns_blocks(inst) || !is_movable(module, f, inst) {
            return block;
        }
        // The outermost loop on the way keeps it outside.
        let (mut home, mut at) = (used, used);
        while at != block.0 {
            let (outer, _, is_loop) = self.around[at as usize];
            if outer == NONE {
                return block;
            }
            if is_loop {
                home = outer;
            }
            at = outer;
        }
        Block(home)
    }

    fn used(&mut self, f: &Function, v: Value, block: Block) {
        if matches!(f.def(v), Def::Result(..)) {
            let known = self.homes[v.0 as usize];
            self.homes[v.0 as usize] = self.common(known, block.0);
        }
    }

    /// The innermost block around both.
    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        if a == NONE {
            return b;
        }
        while a != b {
            let (da, db) = (self.around[a as usize].1, self.around[b as usize].1);
            if da >= db {
                a = self.around[a as usize].0;
            }
            if db >= da {
                b = self.around[b as usize].0;
            }
            if a == NONE || b == NONE {
                return NONE;
            }
        }
        a
    }
}
