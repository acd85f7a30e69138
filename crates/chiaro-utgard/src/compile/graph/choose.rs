//! Choices: a select takes both multipliers, so what a comparison gives by itself is left to it.

use super::{Graph, Node, Op, Operand};

impl Graph {
    /// The first where the condition (0 or 1) holds, else the second. A choice between 0 and another
    /// constant is the condition, or a product with it.
    pub fn select(&mut self, condition: Operand, yes: Operand, no: Operand) -> Operand {
        if yes == no {
            return yes;
        }
        if !condition.neg
            && self.is_truth(condition.node)
            && let Some(chosen) = self.compared(condition, yes, no)
        {
            return chosen;
        }
        let neg = yes.neg && no.neg;
        let turned = |operand: Operand| Operand { neg: operand.neg != neg, ..operand };
        let (yes, no) = (self.plain(turned(yes)), self.plain(turned(no)));
        let condition = self.plain(condition);
        turned(self.make(Op::Select, &[condition, yes, no]))
    }

    /// A choice that needs no select: of constants, or of truths, of which one is known.
    fn compared(&mut self, condition: Operand, yes: Operand, no: Operand) -> Option<Operand> {
        let scaled = |graph: &mut Graph, truth: Operand, by: Operand| {
            // 0 times a negative number is -0.
            let is_fine =
                graph.constant(by).is_some_and(|by| by.is_finite() && (by > 0.0 || !graph.exact_now));
            is_fine.then(|| graph.mul(truth, by))
        };
        match (self.constant(yes), self.constant(no)) {
            (Some(_), Some(0.0)) => scaled(self, condition, yes),
            (Some(0.0), Some(_)) => {
                let opposite = self.not(condition);
                scaled(self, opposite, no)
            }
            (None, Some(0.0)) if self.is_true_or_false(yes) => Some(self.make(Op::Min, &[condition, yes])),
            (Some(1.0), None) if self.is_true_or_false(no) => Some(self.make(Op::Max, &[condition, no])),
            _ => None,
        }
    }

    /// A bool turned; a comparison becomes its opposite.
    pub fn not(&mut self, a: Operand) -> Operand {
        let data = *self.get(a.node);
        match data.op {
            Op::Lt if !a.neg => self.make(Op::Ge, data.args()),
            Op::Ge if !a.neg => self.make(Op::Lt, data.args()),
            _ => {
                let one = self.number(1.0);
                self.sub(one, a)
            }
        }
    }

    fn is_true_or_false(&self, operand: Operand) -> bool {
        !operand.neg && self.is_truth(operand.node)
    }

    /// Whether a node is 0 or 1 whatever its operands are.
    fn is_truth(&self, node: Node) -> bool {
        let (data, plain) = (self.get(node), |arg: &Operand| !arg.neg);
        match data.op {
            Op::Lt | Op::Ge => true,
            Op::Min | Op::Max => {
                data.args().iter().all(|arg| plain(arg) && matches!(self.get(arg.node).op, Op::Lt | Op::Ge))
            }
            _ => false,
        }
    }
}
