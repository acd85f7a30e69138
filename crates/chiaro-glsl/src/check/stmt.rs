//! Statements.

use chiaro_diag::{Advice, Fix};

use super::checker::Checker;
use crate::ast::{self, Condition, StmtId};
use crate::builtin::When;
use crate::hir::{self, ExprId, Loop, Stmt, StmtKind};
use crate::source::Stage;
use crate::token::At;

/// Links of a chain of `else if` that are followed.
const LONGEST_CHAIN: usize = 1000;

impl<'a> Checker<'a> {
    /// The statements of a function's body, in the scope of its parameters.
    pub(super) fn body_statements(&mut self, body: StmtId) -> Vec<Stmt> {
        let ast = self.ast;
        match &ast.stmts[body.0 as usize].kind {
            ast::StmtKind::Block(list) => self.statements(list),
            _ => self.scoped(body),
        }
    }

    fn statements(&mut self, list: &'a [StmtId]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(list.len());
        for &statement in list {
            self.statement(statement, &mut out);
        }
        out
    }

    /// A statement in a scope of its own.
    pub(super) fn scoped(&mut self, id: StmtId) -> Vec<Stmt> {
        self.scopes.enter();
        self.precisions.enter();
        let list = self.unscoped(id);
        self.precisions.leave();
        self.scopes.leave();
        list
    }

    /// A statement, or those of a block, in the scope that is open.
    fn unscoped(&mut self, id: StmtId) -> Vec<Stmt> {
        let ast = self.ast;
        let statement = &ast.stmts[id.0 as usize];
        match &statement.kind {
            ast::StmtKind::Block(list) => {
                self.deeper(statement.at, |this| this.statements(list)).unwrap_or_default()
            }
            _ => {
                let mut out = Vec::new();
                self.statement(id, &mut out);
                out
            }
        }
    }

    /// Checks a statement and adds what it becomes.
    pub(super) fn statement(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        let ast = self.ast;
        let at = ast.stmts[id.0 as usize].at;
        self.follow_extensions(at);
        self.deeper(at, |this| this.statement_within(id, out));
    }

    fn statement_within(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        let ast = self.ast;
        let statement = &ast.stmts[id.0 as usize];
        let at = statement.at;
        let kind = match &statement.kind {
            ast::StmtKind::Empty => return,
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.expr(*expr)),
            ast::StmtKind::Declaration(declaration) => return self.local_declaration(declaration, out),
            ast::StmtKind::Qualify(qualifiers, names) => return self.qualify(qualifiers, names, at),
            ast::StmtKind::Precision(precision, ty) => return self.default_precision(*precision, ty, at),
            ast::StmtKind::Block(_) => StmtKind::Block(self.scoped(id)),
            ast::StmtKind::If(..) => return self.if_chain(id, out),
            ast::StmtKind::Switch(selector, list) => self.switch(*selector, list, at),
            ast::StmtKind::Case(label) => {
                if let Some(label) = label {
                    self.expr(*label);
                }
                self.error(at, "a label belongs directly into a `switch`");
                return;
            }
            ast::StmtKind::While(..) | ast::StmtKind::DoWhile(..) | ast::StmtKind::For { .. } => {
                self.loop_statement(&statement.kind)
            }
            ast::StmtKind::Break => return self.jump(at, "break", StmtKind::Break, out),
            ast::StmtKind::Continue => return self.jump(at, "continue", StmtKind::Continue, out),
            ast::StmtKind::Return(value) => StmtKind::Return(self.return_value(*value, at)),
            ast::StmtKind::Discard => {
                self.only_fragment(at, "discard");
                StmtKind::Discard
            }
            ast::StmtKind::Demote => {
                self.only_fragment(at, "demote");
                StmtKind::Demote
            }
        };
        out.push(Stmt { kind, at });
    }

    /// `if ... else if ... else`: a chain as long as a source likes is walked, up to a limit
    /// that keeps what follows from nesting without bound.
    fn if_chain(&mut self, first: StmtId, out: &mut Vec<Stmt>) {
        let ast = self.ast;
        let mut links = Vec::new();
        let mut next = Some(first);
        let mut last = Vec::new();
        while let Some(id) = next {
            let statement = &ast.stmts[id.0 as usize];
            let ast::StmtKind::If(condition, then, other) = &statement.kind else {
                last = self.scoped(id);
                break;
            };
            if links.len() >= LONGEST_CHAIN {
                self.error(statement.at, format!("more than {LONGEST_CHAIN} `else if` in a row"));
                break;
            }
            let condition = self.condition(*condition, "the condition of `if`");
            links.push((condition, self.scoped(*then), statement.at));
            next = *other;
        }
        while let Some((condition, then, at)) = links.pop() {
            last = vec![Stmt { kind: StmtKind::If(condition, then, std::mem::take(&mut last)), at }];
        }
        out.append(&mut last);
    }

    fn only_fragment(&mut self, at: At, word: &str) {
        if self.stage != Stage::Fragment {
            self.error(at, format!("`{word}` is for fragment shaders"));
        }
    }

    /// An expression that must be one `bool`.
    fn condition(&mut self, condition: ast::ExprId, what: &str) -> ExprId {
        let condition = self.expr(condition);
        self.must_be_bool(condition, what)
    }

    pub(super) fn must_be_bool(&mut self, condition: ExprId, what: &str) -> ExprId {
        self.must_be_readable(condition);
        let ty = self.ty_of(condition);
        if ty == self.known.bool || ty == self.known.error {
            return condition;
        }
        let (at, found) = (self.at(condition).at, self.name_of(ty));
        let error = self.error(at, format!("{what} must be `bool`, found `{found}`"));
        match found.as_str() {
            "int" | "uint" | "float" => error.help.push("compare it, as in `x != 0`".into()),
            "bvec2" | "bvec3" | "bvec4" => {
                let call = |name| error.span.map(|span| Fix::call(span, name));
                let advice = Advice::words("use `any(...)` or `all(...)`").fix(call("any")).fix(call("all"));
                error.advised(Some(advice));
            }
            _ => {}
        }
        self.wrong(at)
    }

    fn loop_statement(&mut self, kind: &'a ast::StmtKind) -> StmtKind {
        self.scopes.enter();
        self.precisions.enter();
        let mut made = Loop {
            init: Vec::new(),
            before: Vec::new(),
            condition: None,
            test_last: false,
            step: None,
            body: Vec::new(),
        };
        match kind {
            ast::StmtKind::While(condition, body) => {
                self.loop_condition(condition, &mut made);
                made.body = self.loop_body(*body, false);
            }
            ast::StmtKind::DoWhile(body, condition) => {
                made.test_last = true;
                made.body = self.loop_body(*body, true);
                made.condition = Some(self.condition(*condition, "the condition of a loop"));
            }
            ast::StmtKind::For { init, condition, step, body } => {
                self.statement(*init, &mut made.init);
                if let Some(condition) = condition {
                    self.loop_condition(condition, &mut made);
                }
                made.step = step.map(|step| self.expr(step));
                made.body = self.loop_body(*body, false);
            }
            _ => {}
        }
        self.precisions.leave();
        self.scopes.leave();
        StmtKind::Loop(Box::new(made))
    }

    /// The test of a loop, which may declare a variable that is made anew for each turn.
    fn loop_condition(&mut self, condition: &'a Condition, made: &mut Loop) {
        match condition {
            Condition::Expr(expr) => made.condition = Some(self.condition(*expr, "the condition of a loop")),
            Condition::Declaration(declaration) => {
                self.local_declaration(declaration, &mut made.before);
                let Some(Stmt { kind: StmtKind::Local(local, Some(_)), at }) = made.before.last() else {
                    self.error(declaration.at, "the variable of a condition needs a value");
                    return;
                };
                let (local, at) = (*local, *at);
                let ty = self.local(local).map_or(self.known.error, |local| local.ty);
                let value = self.push(hir::ExprKind::Local(local), ty, None, at);
                made.condition = Some(self.must_be_bool(value, "the condition of a loop"));
            }
        }
    }

    fn loop_body(&mut self, body: StmtId, own_scope: bool) -> Vec<Stmt> {
        self.count_jumps(1, 1);
        let body = if own_scope { self.scoped(body) } else { self.unscoped(body) };
        self.count_jumps(-1, -1);
        body
    }

    /// Opens or closes loops and what can be left.
    pub(super) fn count_jumps(&mut self, loops: i32, breakable: i32) {
        if let Some(body) = &mut self.body {
            body.loops = body.loops.saturating_add_signed(loops);
            body.breakable = body.breakable.saturating_add_signed(breakable);
        }
    }

    fn jump(&mut self, at: At, word: &str, kind: StmtKind, out: &mut Vec<Stmt>) {
        let open = self.body.as_ref().is_some_and(|body| match kind {
            StmtKind::Continue => body.loops > 0,
            _ => body.breakable > 0,
        });
        if open {
            out.push(Stmt { kind, at });
            return;
        }
        let within = if word == "break" { "a loop or a `switch`" } else { "a loop" };
        self.error(at, format!("`{word}` outside of {within}"));
    }

    fn return_value(&mut self, value: Option<ast::ExprId>, at: At) -> Option<ExprId> {
        let result = self.body.as_ref().map_or(self.known.void, |body| body.result);
        match value {
            None => {
                if result != self.known.void && result != self.known.error {
                    let expected = self.name_of(result);
                    self.error(at, format!("`return` needs a value of type `{expected}` here"));
                }
                None
            }
            Some(value) => {
                let value = self.expr(value);
                self.must_be_readable(value);
                if result == self.known.void {
                    let nothing = self.ty_of(value) == self.known.void && self.at_least(320, 420);
                    if !nothing && !self.is_error(value) {
                        self.error(at, "a function that returns `void` cannot return a value");
                    }
                    return None;
                }
                let found = self.ty_of(value);
                if found != result && self.fits(found, result) && !self.is_error(value) {
                    const CONVERTED: When =
                        When::since(100, 400).or(&["GL_ARB_shading_language_420pack", "GL_ARB_gpu_shader5"]);
                    self.require(at, "a conversion of the result", CONVERTED);
                }
                if let Some(body) = &mut self.body {
                    body.returns = true;
                }
                Some(self.coerce(value, result, "wrong type of result"))
            }
        }
    }
}

/// Whether control never reaches the end of a list.
pub(super) fn ends(list: &[Stmt]) -> bool {
    list.iter().any(|statement| match &statement.kind {
        StmtKind::Return(_) | StmtKind::Discard => true,
        StmtKind::Block(list) => ends(list),
        StmtKind::If(_, then, other) => ends(then) && ends(other),
        StmtKind::Switch(_, cases) => {
            let all = cases.iter().any(|case| case.labels.contains(&None));
            all && !cases.iter().any(|case| breaks(&case.body))
                && cases.last().is_some_and(|case| ends(&case.body))
        }
        StmtKind::Loop(made) => made.condition.is_none() && !breaks(&made.body),
        _ => false,
    })
}

/// Whether a `break` in a list leaves what encloses it.
fn breaks(list: &[Stmt]) -> bool {
    list.iter().any(|statement| match &statement.kind {
        StmtKind::Break => true,
        StmtKind::Block(list) => breaks(list),
        StmtKind::If(_, then, other) => breaks(then) || breaks(other),
        _ => false,
    })
}
