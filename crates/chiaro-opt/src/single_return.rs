//! One return, at the end of the function: what many leave behind is known in one place.
//!
//! ```text
//! if %0 { ...; return } else { exit }        block {
//! ...                                    ->    if %0 { ...; exit @block } else { exit }
//! return                                       ...; exit
//!                                            }
//!                                            return
//! ```
//!
//! True before: the function has no result, as entry points have none.

use chiaro_ir::{Block, FunctionRef, Inst, Module, Op, Type};

use crate::{Changed, Cx};

/// Makes all returns exits of a block around the body.
pub fn single_return(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let is_void = *module.types.get(module.function(f).result) == Type::Void;
    let f = module.function_mut(f);
    let returns: Vec<Inst> = f
        .tree()
        .iter()
        .filter_map(|&(_, block)| f.block(block).insts.last().copied())
        .filter(|&inst| f.op(inst) == Op::Return)
        .collect();
    let last = f.block(f.body).insts.last().copied();
    if !is_void || returns.is_empty() || returns == last.as_slice() {
        return Changed::No;
    }
    let inner: Block = f.new_block();
    let body = f.body;
    let insts = std::mem::take(&mut f.block_mut(body).insts);
    f.block_mut(inner).insts = insts;
    let around = f.push(body, Op::Block, &[], &[]);
    f.set_blocks(around, &[inner]);
    f.push(body, Op::Return, &[], &[]);
    for inst in returns {
        f.replace(inst, Op::Exit(around), &[]);
    }
    Changed::Yes
}
