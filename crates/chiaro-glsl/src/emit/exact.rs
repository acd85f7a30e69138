//! What `precise` and `invariant` results depend on.
//!
//! From each such variable backwards: what is assigned to it, what that reads, and so on, a
//! variable as a whole, functions without regard to their callers. Conditions do not count:
//! they choose, they do not compute. Programs without either word pay nothing.

use std::collections::HashSet;

use crate::hir::{
    ExprId, ExprKind, Function, FunctionId, GlobalId, LocalId, Passing, Program, Stmt, StmtKind,
};
use crate::qualifier::Storage;
use crate::ty::Type;

/// Expressions that have to be computed as they are written.
#[derive(Debug, Default)]
pub(super) struct Exact {
    /// By number; empty if there are none.
    exprs: Vec<bool>,
}

impl Exact {
    pub(super) fn holds(&self, e: ExprId) -> bool {
        self.exprs.get(e.0 as usize).copied().unwrap_or(false)
    }

    pub(super) fn of(program: &Program) -> Exact {
        let mut search = Search::new(program);
        if search.variables.is_empty() && !search.any_member {
            return Exact::default();
        }
        search.exact.exprs = vec![false; program.exprs.len()];
        while std::mem::take(&mut search.changed) {
            for (i, function) in program.functions.iter().enumerate() {
                search.function(FunctionId(i as u32), function);
            }
            for (i, global) in program.globals.iter().enumerate() {
                if let Some(init) = global.init
                    && search.variables.contains(&Variable::Global(GlobalId(i as u32)))
                {
                    search.mark(FunctionId(0), init);
                }
            }
        }
        search.exact
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Variable {
    Global(GlobalId),
    Local(FunctionId, LocalId),
    Result(FunctionId),
}

struct Search<'a> {
    program: &'a Program,
    variables: HashSet<Variable>,
    /// Whether a member of some structure is precise.
    any_member: bool,
    exact: Exact,
    changed: bool,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program) -> Search<'a> {
        let mut variables = HashSet::new();
        for (i, global) in program.globals.iter().enumerate() {
            let members = global.block.iter().flat_map(|b| &b.members);
            let mut layouts = std::iter::once(&global.layout).chain(members);
            if layouts.any(|l| l.precise || l.invariant && global.storage == Storage::Out) {
                variables.insert(Variable::Global(GlobalId(i as u32)));
            }
        }
        for (f, function) in program.functions.iter().enumerate() {
            for (i, local) in function.locals.iter().enumerate() {
                if local.precise || local.layout.precise {
                    variables.insert(Variable::Local(FunctionId(f as u32), LocalId(i as u32)));
                }
            }
        }
        let any_member = program.types.structs.iter().flat_map(|s| &s.members).any(|m| m.precise);
        Search { program, variables, any_member, exact: Exact::default(), changed: true }
    }

    fn insert(&mut self, variable: Variable) {
        self.changed |= self.variables.insert(variable);
    }

    fn function(&mut self, id: FunctionId, function: &'a Function) {
        let mut open: Vec<&'a Stmt> = function.body.iter().collect();
        while let Some(stmt) = open.pop() {
            match &stmt.kind {
                StmtKind::Expr(e) => self.visit(id, *e),
                StmtKind::Local(local, init) => {
                    let Some(init) = *init else { continue };
                    self.visit(id, init);
                    if self.variables.contains(&Variable::Local(id, *local)) {
                        self.mark(id, init);
                    }
                }
                StmtKind::Block(list) => open.extend(list),
                StmtKind::If(c, then, other) => {
                    self.visit(id, *c);
                    open.extend(then.iter().chain(other));
                }
                StmtKind::Switch(c, cases) => {
                    self.visit(id, *c);
                    open.extend(cases.iter().flat_map(|c| &c.body));
                }
                StmtKind::Loop(l) => {
                    open.extend(l.init.iter().chain(&l.before).chain(&l.body));
                    for e in l.condition.into_iter().chain(l.step) {
                        self.visit(id, e);
                    }
                }
                StmtKind::Return(Some(e)) => {
                    self.visit(id, *e);
                    if self.variables.contains(&Variable::Result(id)) {
                        self.mark(id, *e);
                    }
                }
                StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Return(None)
                | StmtKind::Discard
                | StmtKind::Demote => {}
            }
        }
    }

    /// Looks for assignments to what is precise.
    fn visit(&mut self, function: FunctionId, e: ExprId) {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            let kind = &self.program.exprs[e.0 as usize].kind;
            match kind {
                ExprKind::Assign(to, from) | ExprKind::Update(_, to, from)
                    if self.is_precise(function, *to) =>
                {
                    self.mark(function, e);
                    self.mark(function, *from);
                }
                ExprKind::Step(_, to) if self.is_precise(function, *to) => self.mark(function, e),
                ExprKind::Call(callee, args) => self.arguments(function, *callee, args),
                // What is written through an argument depends on all of them.
                ExprKind::Intrinsic(_, args)
                    if args.iter().skip(1).any(|&a| self.is_precise(function, a)) =>
                {
                    self.mark(function, e);
                }
                _ => {}
            }
            children(kind, &mut open);
        }
    }

    /// Arguments of precise parameters, and parameters whose arguments are precise.
    fn arguments(&mut self, function: FunctionId, callee: FunctionId, args: &[ExprId]) {
        let params = &self.program.functions[callee.0 as usize].params;
        for (i, (&arg, passing)) in args.iter().zip(params).enumerate() {
            let param = Variable::Local(callee, LocalId(i as u32));
            let written = matches!(passing, Passing::Out | Passing::Inout);
            if written && self.is_precise(function, arg) {
                self.insert(param);
            }
            if self.variables.contains(&param) && *passing != Passing::Out {
                self.mark(function, arg);
            }
        }
    }

    /// Whether a place belongs to a precise variable, or is a precise member.
    fn is_precise(&self, function: FunctionId, mut e: ExprId) -> bool {
        loop {
            match self.program.exprs[e.0 as usize].kind {
                ExprKind::Member(base, i) => {
                    let ty = self.program.exprs[base.0 as usize].ty;
                    if let Type::Struct(id) = self.program.types.get(ty) {
                        let members = &self.program.types.structure(*id).members;
                        if members.get(i as usize).is_some_and(|m| m.precise) {
                            return true;
                        }
                    }
                    e = base;
                }
                ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) => e = base,
                ExprKind::Local(id) => return self.variables.contains(&Variable::Local(function, id)),
                ExprKind::Global(id) => return self.variables.contains(&Variable::Global(id)),
                _ => return false,
            }
        }
    }

    /// Marks an expression and what it is made of, and the variables that it reads.
    fn mark(&mut self, function: FunctionId, e: ExprId) {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if std::mem::replace(&mut self.exact.exprs[e.0 as usize], true) {
                continue;
            }
            self.changed = true;
            let kind = &self.program.exprs[e.0 as usize].kind;
            match kind {
                ExprKind::Local(id) => self.insert(Variable::Local(function, *id)),
                ExprKind::Global(id) => self.insert(Variable::Global(*id)),
                ExprKind::Call(callee, _) => self.insert(Variable::Result(*callee)),
                _ => {}
            }
            children(kind, &mut open);
        }
    }
}

/// The expressions that one is made of.
fn children(kind: &ExprKind, open: &mut Vec<ExprId>) {
    match kind {
        ExprKind::Constant(_)
        | ExprKind::Null
        | ExprKind::Spec(_)
        | ExprKind::Local(_)
        | ExprKind::Global(_) => {}
        ExprKind::Member(a, _)
        | ExprKind::Swizzle(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Step(_, a)
        | ExprKind::Deref(a)
        | ExprKind::Convert(a)
        | ExprKind::Length(a) => open.push(*a),
        ExprKind::Index(a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Logical(_, a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::Update(_, a, b)
        | ExprKind::Comma(a, b) => open.extend([*a, *b]),
        ExprKind::Ternary(a, b, c) => open.extend([*a, *b, *c]),
        ExprKind::Construct(list)
        | ExprKind::Call(_, list)
        | ExprKind::Spirv(_, list)
        | ExprKind::Intrinsic(_, list) => {
            open.extend(list);
        }
    }
}
