//! Statements: blocks with one way in, and the merge blocks that SPIR-V asks for.

use spirv::{LoopControl, Op, SelectionControl};

use crate::hir::{Case, ExprId, ExprKind, Loop, Program, Stmt, StmtKind};
use crate::intrinsic::Intrinsic;
use crate::token::At;

use super::emitter::{DEEPEST, Emitter};
use super::state::Target;

impl<'a> Emitter<'a> {
    /// Writes statements up to the first that does not come to its end.
    pub(super) fn statements(&mut self, list: &[Stmt]) {
        if self.depth >= DEEPEST {
            self.fail(format!("statements are nested more than {DEEPEST} deep"));
            return;
        }
        self.depth += 1;
        for stmt in list {
            if !self.body.open || self.error.is_some() {
                break;
            }
            self.at(stmt.at);
            self.statement(stmt);
        }
        self.depth -= 1;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.expression_statement(*e),
            // Declared where it is first used: alone, its type would ask for capabilities.
            StmtKind::Local(local, None) if self.holds_ray_handle(*local) => {}
            StmtKind::Local(local, init) => {
                // The value is computed before the variable begins to be.
                let value = init.map(|init| self.value(init));
                let place = self.declare_local(*local);
                if let Some(value) = value {
                    self.store(&place, value);
                }
            }
            StmtKind::Block(list) => self.statements(list),
            StmtKind::If(condition, then, other) => self.selection(*condition, then, other),
            StmtKind::Switch(selector, cases) => self.switch(*selector, cases),
            StmtKind::Loop(l) => self.repetition(l, stmt.at),
            StmtKind::Break => self.leave(),
            StmtKind::Continue => {
                let next = self.body.targets.iter().rev().find_map(|t| t.next);
                match next {
                    Some(next) => self.branch(next),
                    None => {
                        self.fail("`continue` outside of a loop");
                    }
                }
            }
            StmtKind::Return(None) => self.end(Op::Return, &[]),
            StmtKind::Return(Some(e)) => {
                let value = self.value(*e);
                self.end(Op::ReturnValue, &[value]);
            }
            StmtKind::Discard => self.end(Op::Kill, &[]),
            StmtKind::Demote => {
                self.out.extension("SPV_EXT_demote_to_helper_invocation");
                self.out.capability(spirv::Capability::DemoteToHelperInvocation);
                self.effect(Op::DemoteToHelperInvocation, &[]);
            }
        }
    }

    fn expression_statement(&mut self, e: ExprId) {
        let program: &'a Program = self.program;
        match &program.exprs[e.0 as usize].kind {
            ExprKind::Intrinsic(Intrinsic::EndOfRay(op), _) => self.end(*op, &[]),
            ExprKind::Intrinsic(Intrinsic::Abort(text), args) => {
                let message = self.abort_message(*text, args);
                self.end(chiaro_words::newer::ABORT, &message);
            }
            _ => _ = self.value(e),
        }
    }

    fn leave(&mut self) {
        match self.body.targets.last_mut() {
            Some(target) => {
                target.left = true;
                let to = target.leave;
                self.branch(to);
            }
            None => {
                self.fail("`break` outside of a loop or switch");
            }
        }
    }

    fn selection(&mut self, condition: ExprId, then: &[Stmt], other: &[Stmt]) {
        let condition = self.value(condition);
        let (yes, merge) = (self.out.fresh(), self.out.fresh());
        let no = if other.is_empty() { merge } else { self.out.fresh() };
        self.effect(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        self.end(Op::BranchConditional, &[condition, yes, no]);
        let mut reached = other.is_empty();
        for (label, list) in [(yes, then), (no, other)] {
            if label == merge {
                continue;
            }
            self.begin(label);
            self.statements(list);
            reached |= self.body.open;
            self.branch(merge);
        }
        self.merge(merge, reached);
    }

    /// Goes on behind a construct, if anything comes there.
    fn merge(&mut self, label: u32, reached: bool) {
        self.begin(label);
        if !reached {
            self.end(Op::Unreachable, &[]);
        }
    }

    fn switch(&mut self, selector: ExprId, cases: &[Case]) {
        let selector = self.value(selector);
        if cases.is_empty() {
            return;
        }
        let merge = self.out.fresh();
        let labels: Vec<u32> = cases.iter().map(|_| self.out.fresh()).collect();
        let mut operands = vec![selector, merge];
        for (case, &label) in cases.iter().zip(&labels) {
            for literal in &case.labels {
                match literal {
                    Some(literal) => operands.extend([*literal, label]),
                    None => operands[1] = label,
                }
            }
        }
        let mut reached = operands[1] == merge;
        self.effect(Op::SelectionMerge, &[merge, SelectionControl::NONE.bits()]);
        self.end(Op::Switch, &operands);
        self.body.targets.push(Target { leave: merge, next: None, left: false });
        for (i, (case, &label)) in cases.iter().zip(&labels).enumerate() {
            self.begin(label);
            self.statements(&case.body);
            let next = labels.get(i + 1).copied();
            reached |= next.is_none() && self.body.open;
            self.branch(next.unwrap_or(merge));
        }
        reached |= self.body.targets.pop().is_some_and(|t| t.left);
        self.merge(merge, reached);
    }

    fn repetition(&mut self, l: &Loop, at: At) {
        self.statements(&l.init);
        self.at(at);
        if !self.body.open {
            return;
        }
        let [head, test, body, next, merge] = std::array::from_fn(|_| self.out.fresh());
        self.branch(head);
        self.begin(head);
        self.effect(Op::LoopMerge, &[merge, next, LoopControl::NONE.bits()]);
        let mut reached = l.condition.is_some();
        if l.test_last {
            self.branch(body);
        } else {
            self.branch(test);
            self.begin(test);
            self.statements(&l.before);
            self.turn(l.condition, body, merge);
        }
        self.begin(body);
        self.body.targets.push(Target { leave: merge, next: Some(next), left: false });
        self.statements(&l.body);
        reached |= self.body.targets.pop().is_some_and(|t| t.left);
        self.branch(next);
        self.begin(next);
        if let Some(step) = l.step {
            self.value(step);
        }
        if l.test_last {
            self.statements(&l.before);
            self.turn(l.condition, head, merge);
        } else {
            self.branch(head);
        }
        self.merge(merge, reached);
    }

    /// One more turn if the condition holds.
    fn turn(&mut self, condition: Option<ExprId>, again: u32, merge: u32) {
        match condition {
            Some(condition) => {
                let condition = self.value(condition);
                self.end(Op::BranchConditional, &[condition, again, merge]);
            }
            None => self.branch(again),
        }
    }
}
