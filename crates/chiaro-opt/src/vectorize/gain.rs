//! The cost model: which scalars are the same operation, and what one vector operation saves.

use crate::rules::{Node, Rewriter};
use chiaro_ir::{Flags, Op, Shape, Value};

/// Operations on operations are looked at so deep.
const DEEPEST: u32 = 6;

/// Scalars that are the results of one operation on different operands.
pub(super) struct Group {
    pub(super) op: Op,
    /// Operand by operand: that of each scalar.
    pub(super) operands: Vec<Vec<Value>>,
    flags: Flags,
}

impl Group {
    pub(super) fn of(w: &Rewriter<'_>, args: &[Value]) -> Option<Group> {
        let &first = args.first()?;
        let (op, _) = w.made_by(first)?;
        let count = match op.info().shape {
            Shape::Same(n) => usize::from(n),
            Shape::Compare | Shape::Shift => 2,
            Shape::Test | Shape::Convert => 1,
            Shape::Select => 3,
            _ => return None,
        };
        let mut operands = vec![Vec::with_capacity(args.len()); count];
        for &arg in args {
            let of = w.parts(arg, op)?;
            // What is used elsewhere is computed anyway; a result that is no scalar is no part.
            if !w.used_once(arg) || w.components(arg) != 1 || w.flags(arg) != w.flags(first) {
                return None;
            }
            for (column, &operand) in operands.iter_mut().zip(of) {
                if w.components(operand) != 1 || w.ty(operand) != w.ty(*column.first().unwrap_or(&operand)) {
                    return None;
                }
                column.push(operand);
            }
        }
        Some(Group { op, operands, flags: w.flags(first) })
    }

    /// A node with the flags of the group.
    pub(super) fn node(&self, n: &Node) -> Node {
        n.flagged(self.flags)
    }
}

/// Whether one operation for scalars costs less than one for each.
pub(super) fn is_worth(w: &Rewriter<'_>, args: &[Value]) -> bool {
    // The same scalar again and again is a splat, which needs no vector operation.
    let distinct = args.iter().any(|&arg| arg != args[0]);
    distinct && gain(w, args, DEEPEST).is_some_and(|gain| gain > 0)
}

/// Operations saved by computing scalars as one vector; `None` if they are no group.
fn gain(w: &Rewriter<'_>, args: &[Value], depth: u32) -> Option<i32> {
    let group = Group::of(w, args).filter(|_| depth > 0)?;
    let operands: i32 = group.operands.iter().map(|column| bring(w, column, depth - 1)).sum();
    Some(args.len() as i32 - 1 + operands)
}

/// What bringing operands together saves: less than nothing if it takes moves.
fn bring(w: &Rewriter<'_>, column: &[Value], depth: u32) -> i32 {
    if column.iter().all(|&v| v == column[0]) || column.iter().all(|&v| w.as_constant(v).is_some()) {
        return 0;
    }
    let mut sources: Vec<Value> = Vec::with_capacity(4);
    let mut constants = 0;
    for &v in column {
        let source = match w.made_by(v) {
            Some((Op::Extract(_), [of, ..])) if w.components(of) > 1 => of,
            _ => v,
        };
        if w.as_constant(v).is_some() {
            constants = 1;
        } else if !sources.contains(&source) {
            sources.push(source);
        }
    }
    let moves = 1 - (sources.len() as i32 + constants);
    gain(w, column, depth).map_or(moves, |gain| gain.max(moves))
}
