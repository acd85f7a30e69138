//! `switch`: labels and what lies between them.

use super::checker::Checker;
use crate::ast::{self, StmtId};
use crate::builtin::When;
use crate::hir::{Case, ExprId, StmtKind};
use crate::token::At;
use crate::ty::Ty;
use std::collections::HashSet;

const SWITCH: When = When::since(300, 130);

impl<'a> Checker<'a> {
    /// A `switch` with its list, in which labels are statements.
    pub(super) fn switch(&mut self, selector: ast::ExprId, list: &'a [StmtId], at: At) -> StmtKind {
        self.require(at, "`switch`", SWITCH);
        let selector = self.expr(selector);
        let ty = self.selector_type(selector);
        self.scopes.enter();
        self.precisions.enter();
        self.count_jumps(0, 1);
        let cases = self.cases(list, ty);
        self.count_jumps(0, -1);
        self.precisions.leave();
        self.scopes.leave();
        StmtKind::Switch(selector, cases)
    }

    fn selector_type(&mut self, selector: ExprId) -> Ty {
        self.must_be_readable(selector);
        let ty = self.ty_of(selector);
        if ty == self.known.int || ty == self.known.uint || ty == self.known.error {
            return ty;
        }
        let (at, found) = (self.at(selector).at, self.name_of(ty));
        self.error(at, format!("`switch` takes an integer, found `{found}`"));
        self.known.error
    }

    fn cases(&mut self, list: &'a [StmtId], ty: Ty) -> Vec<Case> {
        let ast = self.ast;
        let mut cases: Vec<Case> = Vec::new();
        let mut seen = HashSet::new();
        let mut labelled = false;
        let mut last = None;
        for &id in list {
            let statement = &ast.stmts[id.0 as usize];
            let ast::StmtKind::Case(label) = &statement.kind else {
                match cases.last_mut().map(|case| std::mem::take(&mut case.body)) {
                    Some(mut body) => {
                        self.statement(id, &mut body);
                        if let Some(case) = cases.last_mut() {
                            case.body = body;
                        }
                    }
                    None => {
                        self.error(statement.at, "a statement before the first label of a `switch`");
                    }
                }
                labelled = false;
                continue;
            };
            let value = label.map(|label| self.label(label, ty));
            let value = match value {
                None => Some(None),
                Some(found) => found.map(Some),
            };
            if let Some(value) = value
                && !seen.insert(value)
            {
                let text = value.map_or("`default`".into(), |bits| format!("`case {}`", bits as i32));
                self.error(statement.at, format!("{text} stands twice in one `switch`"));
            }
            if !labelled {
                cases.push(Case { labels: Vec::new(), body: Vec::new() });
            }
            labelled = true;
            last = Some(statement.at);
            if let (Some(value), Some(case)) = (value, cases.last_mut()) {
                case.labels.push(value);
            }
        }
        if let (true, Some(at)) = (labelled, last) {
            self.empty_label(at);
        }
        cases
    }

    /// A label at the end has no statement behind it.
    fn empty_label(&mut self, at: At) {
        let message = "a label must have a statement behind it";
        if self.is_es() || !self.at_least(0, 420) {
            self.error(at, message).help.push("write `break;`".into());
        } else {
            self.warning(at, message);
        }
    }

    /// The bits of a label, which is a constant of the selector's type.
    fn label(&mut self, label: ast::ExprId, ty: Ty) -> Option<u32> {
        let value = self.expr(label);
        let at = self.at(value).at;
        let found = self.ty_of(value);
        if found == self.known.error || ty == self.known.error {
            return None;
        }
        let integers = [self.known.int, self.known.uint];
        if !integers.contains(&found) || (found != ty && !self.fits(found, ty) && !self.fits(ty, found)) {
            let (expected, found) = (self.name_of(ty), self.name_of(found));
            self.error(at, format!("wrong type of label: expected `{expected}`, found `{found}`"));
            return None;
        }
        let bits = self.bits(value).and_then(<[u64]>::first).copied();
        if bits.is_none() {
            self.error(at, "a label must be a constant expression");
        }
        bits.map(|bits| bits as u32)
    }
}
