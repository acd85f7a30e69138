//! The tree, name by name, in the order in which the language makes them known.

use super::build::{Builder, Declared};
use super::name::NameKind;
use super::types;
use crate::ast::{
    Ast, BlockDef, Condition, Declaration, Declarator, ExprId, ExprKind, FunctionDef, Item, MemberDef,
    Qualifier, QualifierKind, StmtId, StmtKind, TypeSpec,
};
use crate::token::{At, Symbol};

/// All names of a source.
pub(super) fn source(ast: &Ast, names: &mut Builder<'_>) {
    let mut walk = Walk { ast, names, within: None, is_local: false };
    for item in &ast.items {
        match item {
            Item::Declaration(declaration) => walk.declaration(declaration),
            Item::Function(function) => walk.function(function),
            Item::Block(block) => walk.block(block),
            Item::Qualify(qualifiers, used, _) => walk.qualify(qualifiers, used),
            Item::Precision(..) | Item::SpirvMode(..) => {}
        }
    }
}

struct Walk<'a, 'b, 'c> {
    ast: &'a Ast,
    names: &'b mut Builder<'c>,
    /// The function that is walked.
    within: Option<usize>,
    is_local: bool,
}

impl Walk<'_, '_, '_> {
    /// Variables, outside of functions or in one.
    fn declaration(&mut self, declaration: &Declaration) {
        self.qualifiers(&declaration.qualifiers);
        let structure = self.type_of(&declaration.ty);
        let kind = variable_kind(&declaration.qualifiers, self.is_local);
        for declarator in &declaration.names {
            // An initialiser does not know the name yet.
            self.exprs(declarator.init.iter().chain(declarator.dims.iter().flatten()).copied());
            let head = At { first: declaration.at.first, last: declarator.at.first };
            self.declare(declarator, kind, (head, declaration.at), structure, self.within);
        }
    }

    fn declare(
        &mut self,
        declarator: &Declarator,
        kind: NameKind,
        (head, whole): (At, At),
        structure: Option<usize>,
        within: Option<usize>,
    ) -> Option<usize> {
        let (symbol, at) = (declarator.name, declarator.at);
        let written = match self.names.text(head) {
            long if long.contains('{') => format!("struct {}", self.names.text(at)),
            text if text.ends_with(']') => text,
            text => text + &self.sizes(declarator),
        };
        self.names.declare(Declared { symbol, kind, at, whole, written, structure, within })
    }

    /// The brackets behind a name, as they are written.
    fn sizes(&self, declarator: &Declarator) -> String {
        let size = |dim: &Option<ExprId>| {
            let written =
                dim.map_or_else(String::new, |id| self.names.text(self.ast.exprs[id.0 as usize].at));
            format!("[{written}]")
        };
        declarator.dims.iter().map(size).collect()
    }

    fn function(&mut self, function: &FunctionDef) {
        self.qualifiers(&function.qualifiers);
        let structure = self.type_of(&function.result);
        let end = function.body.map(|body| self.stmt_end(body));
        let whole = At { first: function.at.first, last: end.unwrap_or(function.at.last) };
        let (symbol, at) = function.name;
        let written = self.names.text(function.at).split('{').next().unwrap_or_default().trim().to_owned();
        let declared =
            Declared { symbol, kind: NameKind::Function, at, whole, written, structure, within: None };
        let number = self.names.declare(declared);
        self.names.open();
        (self.within, self.is_local) = (number, true);
        for param in &function.params {
            self.qualifiers(&param.qualifiers);
            let structure = self.type_of(&param.ty);
            self.exprs(param.name.dims.iter().flatten().copied());
            if param.name.name != Symbol(0) {
                self.declare(&param.name, NameKind::Parameter, (param.at, param.at), structure, number);
            }
        }
        if let Some(body) = function.body {
            self.stmt(body);
        }
        (self.within, self.is_local) = (None, false);
        self.names.close(whole.last);
    }

    fn block(&mut self, block: &BlockDef) {
        self.qualifiers(&block.qualifiers);
        let (symbol, at) = block.name;
        let head = At { first: block.at.first, last: at.last };
        let written = self.names.text(head);
        let declared = Declared {
            symbol,
            kind: NameKind::Block,
            at,
            whole: block.at,
            written,
            structure: None,
            within: None,
        };
        let number = self.names.declare(declared);
        let members = self.members(&block.members, number);
        match &block.instance {
            Some(instance) => {
                self.exprs(instance.dims.iter().flatten().copied());
                let written = (instance.at, block.at);
                self.declare(instance, NameKind::Interface, written, number, None);
            }
            None => members.into_iter().for_each(|(symbol, member)| self.names.publish(symbol, member)),
        }
    }

    /// Members of a structure or block: their names, and their numbers.
    fn members(&mut self, members: &[MemberDef], within: Option<usize>) -> Vec<(Symbol, usize)> {
        let mut all = Vec::new();
        for member in members {
            self.qualifiers(&member.qualifiers);
            let structure = self.type_of(&member.ty);
            for declarator in &member.names {
                self.exprs(declarator.dims.iter().flatten().copied());
                let first = member.qualifiers.first().map_or(member.ty.at.first, |q| q.at.first);
                let head = At { first, last: declarator.at.last };
                let number = self.declare(declarator, NameKind::Member, (head, head), structure, within);
                all.extend(number.map(|number| (declarator.name, number)));
            }
        }
        all
    }

    /// The structure that a type is, which may be declared in it.
    fn type_of(&mut self, ty: &TypeSpec) -> Option<usize> {
        self.exprs(ty.dims.iter().flatten().copied());
        match types::parts(&ty.name) {
            types::Parts::Named(symbol) => self.names.used(symbol, ty.at),
            types::Parts::Struct(structure) => {
                let symbol = structure.name?;
                let at = types::name_of(structure);
                let written = format!("struct {}", self.names.text(at));
                let declared = Declared {
                    symbol,
                    kind: NameKind::Structure,
                    at,
                    whole: structure.at,
                    written,
                    structure: None,
                    within: None,
                };
                let number = self.names.declare(declared);
                self.members(&structure.members, number);
                number
            }
            types::Parts::Block(block) => {
                self.block(block);
                None
            }
            types::Parts::Other => None,
        }
    }

    fn qualify(&mut self, qualifiers: &[Qualifier], used: &[(Symbol, At)]) {
        self.qualifiers(qualifiers);
        for &(symbol, at) in used {
            self.names.used(symbol, at);
        }
    }

    fn qualifiers(&mut self, qualifiers: &[Qualifier]) {
        for qualifier in qualifiers {
            match &qualifier.kind {
                QualifierKind::Layout(ids) => self.exprs(ids.iter().filter_map(|id| id.value)),
                QualifierKind::Subroutine(used) => {
                    used.iter().for_each(|&(symbol, at)| {
                        self.names.used(symbol, at);
                    });
                }
                _ => {}
            }
        }
    }

    fn stmt_end(&self, stmt: StmtId) -> u32 {
        self.ast.stmts[stmt.0 as usize].at.last
    }

    fn stmts(&mut self, list: &[StmtId]) {
        list.iter().for_each(|&stmt| self.stmt(stmt));
    }

    /// A statement. Chains of `else if` are walked, not descended: they have no limit.
    fn stmt(&mut self, mut stmt: StmtId) {
        let ast = self.ast;
        while let StmtKind::If(condition, then, otherwise) = &ast.stmts[stmt.0 as usize].kind {
            self.exprs([*condition]);
            self.scoped(*then);
            match otherwise {
                Some(next) => stmt = *next,
                None => return,
            }
        }
        let at = ast.stmts[stmt.0 as usize].at;
        match &ast.stmts[stmt.0 as usize].kind {
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) | StmtKind::Case(Some(expr)) => {
                self.exprs([*expr]);
            }
            StmtKind::Declaration(declaration) => self.declaration(declaration),
            StmtKind::Qualify(qualifiers, used) => self.qualify(qualifiers, used),
            StmtKind::Block(list) => self.in_scope(at.last, |walk| walk.stmts(list)),
            StmtKind::Switch(value, list) => {
                self.exprs([*value]);
                self.in_scope(at.last, |walk| walk.stmts(list));
            }
            StmtKind::While(condition, body) => self.in_scope(at.last, |walk| {
                walk.condition(condition);
                walk.stmt(*body);
            }),
            StmtKind::DoWhile(body, condition) => {
                self.scoped(*body);
                self.exprs([*condition]);
            }
            StmtKind::For { init, condition, step, body } => self.in_scope(at.last, |walk| {
                walk.stmt(*init);
                condition.iter().for_each(|condition| walk.condition(condition));
                walk.exprs(*step);
                walk.stmt(*body);
            }),
            _ => {}
        }
    }

    fn scoped(&mut self, stmt: StmtId) {
        self.in_scope(self.stmt_end(stmt), |walk| walk.stmt(stmt));
    }

    fn in_scope(&mut self, last: u32, inner: impl FnOnce(&mut Self)) {
        self.names.open();
        inner(self);
        self.names.close(last);
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Expr(expr) => self.exprs([*expr]),
            Condition::Declaration(declaration) => self.declaration(declaration),
        }
    }

    /// Uses in expressions. Their order does not matter, and their depth has no limit.
    fn exprs(&mut self, roots: impl IntoIterator<Item = ExprId>) {
        let mut open: Vec<ExprId> = roots.into_iter().collect();
        while let Some(id) = open.pop() {
            let expr = &self.ast.exprs[id.0 as usize];
            match &expr.kind {
                ExprKind::Name(symbol) => {
                    self.names.used(*symbol, expr.at);
                }
                ExprKind::Call(symbol, at, _) => {
                    self.names.used(*symbol, *at);
                }
                ExprKind::Construct(ty, _) | ExprKind::Cast(ty, _) => {
                    self.type_of(ty);
                }
                ExprKind::Field(base, symbol, at) => {
                    if let Some(structure) = self.structure_of(*base) {
                        self.names.member(structure, *symbol, *at);
                    }
                }
                _ => {}
            }
            types::children(&expr.kind, &mut open);
        }
    }
}

impl Walk<'_, '_, '_> {
    /// The structure that an expression is of. Chains of members are no deeper than the parser allows.
    fn structure_of(&self, expr: ExprId) -> Option<usize> {
        match &self.ast.exprs[expr.0 as usize].kind {
            ExprKind::Name(symbol) | ExprKind::Call(symbol, ..) => {
                self.names.structure(self.names.find(*symbol)?)
            }
            ExprKind::Index(base, _) | ExprKind::Comma(_, base) | ExprKind::Ternary(_, base, _) => {
                self.structure_of(*base)
            }
            ExprKind::Construct(ty, _) | ExprKind::Cast(ty, _) => match types::parts(&ty.name) {
                types::Parts::Named(symbol) => self.names.find(symbol),
                _ => None,
            },
            ExprKind::Field(base, symbol, _) => {
                let member = self.names.find_member(self.structure_of(*base)?, *symbol)?;
                self.names.structure(member)
            }
            _ => None,
        }
    }
}

/// What kind of variable qualifiers make.
fn variable_kind(qualifiers: &[Qualifier], local: bool) -> NameKind {
    use QualifierKind as Q;
    let has = |wanted: fn(&Q) -> bool| qualifiers.iter().any(|qualifier| wanted(&qualifier.kind));
    if has(|kind| matches!(kind, Q::Const)) {
        NameKind::Constant
    } else if local {
        NameKind::Local
    } else if has(|kind| {
        matches!(kind, Q::In | Q::Out | Q::Attribute | Q::Varying | Q::Uniform | Q::Buffer | Q::Shared)
    }) {
        NameKind::Interface
    } else {
        NameKind::Global
    }
}
