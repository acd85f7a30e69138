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
//! A result becomes one of the block.

use chiaro_ir::{Block, FunctionRef, Inst, Module, Op, Type, Value};

use crate::{Changed, Cx};

/// Makes all returns exits of a block around the body.
pub fn single_return(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let result = module.function(f).result;
    let results = if *module.types.get(result) == Type::Void { Vec::new() } else { vec![result] };
    let f = module.function_mut(f);
    let returns: Vec<Inst> = f
        .tree()
        .iter()
        .filter_map(|&(_, block)| f.block(block).insts.last().copied())
        .filter(|&inst| f.op(inst) == Op::Return)
        .collect();
    let last = f.block(f.body).insts.last().copied();
    if returns.is_empty() || returns == last.as_slice() {
        return Changed::No;
    }
    let inner: Block = f.new_block();
    let body = f.body;
    let insts = std::mem::take(&mut f.block_mut(body).insts);
    f.block_mut(inner).insts = insts;
    let around = f.push(body, Op::Block, &[], &results);
    f.set_blocks(around, &[inner]);
    let made: Vec<Value> = f.results(around).collect();
    f.push(body, Op::Return, &made, &[]);
    for inst in returns {
        let args = f.args(inst).to_vec();
        f.replace(inst, Op::Exit(around), &args);
    }
    Changed::Yes
}
