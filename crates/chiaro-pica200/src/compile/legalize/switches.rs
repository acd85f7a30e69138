//! Switch lowering: chains of `if`s.
//!
//! ```text
//! switch %0 { case 1, 2: A  default: B }      if (or (ieq %0, 1), (ieq %0, 2)) { A } else { B }
//! ```
//!
//! Else parts do not count against the eight entries of the IF stack (spec section 12), so a
//! chain may be as long as the switch has cases.

use chiaro_ir::{FunctionRef, Inst, Module, Op, Ty, Value};
use chiaro_opt::{Changed, Cx};

use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, has, rewrite};

/// Replaces switches by `if`s.
pub fn switches(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    if !has(module, f, |_, _, op| op == Op::Switch) {
        return Changed::No;
    }
    rewrite(module, f, Switches { open: Vec::new() })
}

/// A switch whose blocks are being written.
struct Open {
    switch: Inst,
    selector: Value,
    results: Vec<Ty>,
    /// The `if`s of the chain so far.
    chain: Vec<Inst>,
}

struct Switches {
    open: Vec<Open>,
}

impl Rule for Switches {
    fn replace(_: &mut Rewrite<'_, Self>, _: Inst, _: Op) -> Replaced {
        Replaced::Copy
    }

    fn begin(r: &mut Rewrite<'_, Self>, inst: Inst) -> bool {
        if r.old.op(inst) != Op::Switch {
            return false;
        }
        let results = r.old.results(inst).map(|v| r.old.ty(v)).collect();
        let selector = r.args(inst)[0];
        r.rule.open.push(Open { switch: inst, selector, results, chain: Vec::new() });
        true
    }

    fn enter(r: &mut Rewrite<'_, Self>, inst: Inst, n: u32) {
        let last = r.old.blocks_of(inst).len() as u32 - 1;
        let Some(open) = r.rule.open.last() else { return };
        let (selector, results, first) = (open.selector, open.results.clone(), open.chain.is_empty());
        if !first {
            r.b.enter(1);
        }
        let new = if n < last {
            let condition = condition(r, inst, n, selector);
            let new = r.b.begin(Op::If, &[condition], &results, 2);
            r.b.enter(0);
            Some(new)
        } else if first {
            // Nothing but the default.
            let new = r.b.begin(Op::Block, &[], &results, 1);
            r.b.enter(0);
            Some(new)
        } else {
            None
        };
        if let (Some(new), Some(open)) = (new, r.rule.open.last_mut()) {
            open.chain.push(new);
            r.stands_for(inst, new);
        }
    }

    fn leave(r: &mut Rewrite<'_, Self>, inst: Inst) -> Vec<Value> {
        let Some(mut open) = r.rule.open.pop() else { return Vec::new() };
        debug_assert_eq!(open.switch, inst);
        open.chain.pop();
        let mut values = r.b.leave();
        for &outer in open.chain.iter().rev() {
            r.b.exit(outer, &values);
            values = r.b.leave();
        }
        values
    }
}

/// Whether the selector has one of a block's values; false where none leads to it.
fn condition(r: &mut Rewrite<'_, Switches>, inst: Inst, n: u32, selector: Value) -> Value {
    let old = r.old;
    let ty = r.b.ty(selector);
    let mut any = None;
    for (value, _) in old.cases(inst).filter(|&(_, block)| block == n) {
        let value = r.b.bits(ty, value);
        let equal = r.b.ieq(selector, value);
        any = Some(match any {
            None => equal,
            Some(any) => r.b.or(any, equal),
        });
    }
    any.unwrap_or_else(|| r.b.bool(false))
}
