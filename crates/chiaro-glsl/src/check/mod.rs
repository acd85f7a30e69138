//! From the tree of what is written to a program in which everything is resolved.
//!
//! One pass over the source in its order: every name must be declared before it is used, so
//! nothing is visited twice. What only the whole source tells (sizes of arrays, recursion,
//! missing bodies) comes at the end, in [`finish`]. An expression that is wrong has
//! [`Type::Error`], which agrees with everything; no second message comes of it.

mod block;
mod builtins;
mod call;
mod candidates;
mod client;
mod constant;
mod construct;
mod convert;
mod coop;
mod declare;
mod devices;
mod expr;
mod field;
mod finish;
mod fold;
mod footprint;
mod function;
mod heap;
mod init;
mod inline;
mod language;
mod layout;
mod limits;
mod local;
mod message;
mod micromaps;
mod operator;
mod ordering;
mod overload;
mod place;
mod precision;
mod qualifier;
mod rays;
mod reference;
mod report;
mod scope;
mod slots;
mod specialise;
mod stmt;
mod storage;
mod switch;
mod tensor;
mod types;
mod vector;

use chiaro_diag::Diagnostic;
use std::rc::Rc;

use crate::ast::{Ast, Item};
use crate::builtin::Enabled;
use crate::builtin::functions::Row;
use crate::extension::Extensions;
use crate::hir::{self, ExprId, ExprKind, GlobalId, Modes, Program};
use crate::preprocess::Preprocessed;
use crate::source::{Client, Options, Profile, Stage, Version};
use crate::symbol::Symbols;
use crate::token::Tokens;
use crate::token::{At, Symbol};
use crate::ty::{Ty, Type, Types};
use convert::Conversions;
use declare::GlobalFacts;
use function::{Body, Declared};
use precision::Precisions;
use scope::Scopes;
use types::Known;

/// Checks a source and resolves it. `None` if there is an error, in the source or already
/// among the diagnostics.
pub fn check(
    ast: &Ast,
    pre: &Preprocessed,
    options: &Options,
    symbols: &mut Symbols,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Program> {
    let broken = diagnostics.iter().any(|d| d.severity == chiaro_diag::Severity::Error);
    let mut checker = Checker::new(ast, pre, options, symbols, diagnostics);
    for pragma in pre.pragmas.iter().filter(|pragma| is_unknown_pragma(&pragma.text)) {
        checker.failed = true;
        let told = Diagnostic::error(pragma.span, "the language has no such pragma");
        checker.out.push(told.help("`#pragma STDGL invariant(all)` is the only one"));
    }
    checker.check_client_version(pre.version_at);
    for item in &ast.items {
        checker.item(item);
    }
    checker.finish(options.library).filter(|_| !broken)
}

/// What is known so far.
struct Checker<'a> {
    ast: &'a Ast,
    tokens: &'a Tokens,
    symbols: &'a mut Symbols,
    out: &'a mut Vec<Diagnostic>,
    /// Whether an error was told.
    failed: bool,
    version: Version,
    stage: Stage,
    /// Whose rules are to be kept.
    client: Client,
    /// What the source says of extensions, and what of it holds at the moment.
    extensions: &'a Extensions,
    enabled: Enabled,
    /// The token from which something else holds.
    next_extension: u32,
    conversions: Conversions,
    types: Types,
    /// What each structure is made of.
    structures: Vec<types::Parts>,
    known: Known,
    scopes: Scopes,
    exprs: Vec<hir::Expr>,
    /// For each expression, of how many parts it is if it follows specialisation constants.
    steps: Vec<u32>,
    /// What `nonuniformEXT` stands at.
    nonuniform: std::collections::HashSet<ExprId>,
    /// Scalars in all constants.
    folded: usize,
    globals: Vec<hir::Global>,
    /// More about each global.
    facts: Vec<GlobalFacts>,
    specs: Vec<hir::Spec>,
    /// Functions that are instructions.
    instructions: Vec<crate::inline::SpirvInstruction>,
    /// Functions of the source, with or without a body.
    functions: Vec<Declared>,
    /// Functions of one name, by number.
    overloads: Vec<Vec<u32>>,
    precisions: Precisions,
    modes: Modes,
    /// Defaults that `layout(...) uniform;` and the like have set.
    defaults: layout::Defaults,
    /// The function that is being checked.
    body: Option<Body>,
    /// The size of the workgroup as declared.
    declared_size: [Option<u32>; 3],
    /// Whether a geometry shader's input and output primitive and its number of vertices are declared.
    declared_primitives: [bool; 3],
    /// Where the size of the workgroup is declared first.
    declared_size_at: Option<At>,
    /// Where modes of extensions are declared first.
    modes_at: Option<At>,
    /// How deep expressions and statements are nested at the moment.
    depth: u32,
    /// Functions of the language that are there, by the number of their name; looked up once.
    rows: Vec<Option<Rc<[&'static Row]>>>,
    /// `#pragma STDGL invariant(all)`: where.
    invariant_all: Option<chiaro_diag::Span>,
    /// Names of the language that are handed to emission.
    builtins: builtins::Cache,
}

impl<'a> Checker<'a> {
    fn new(
        ast: &'a Ast,
        pre: &'a Preprocessed,
        options: &Options,
        symbols: &'a mut Symbols,
        out: &'a mut Vec<Diagnostic>,
    ) -> Checker<'a> {
        let mut version = pre.version;
        let enabled = enabled_at(&pre.extensions, 0);
        if pre.extensions.used().any(|extension| extension.name == "GL_ARB_compatibility") && !version.is_es()
        {
            version.profile = Profile::Compatibility;
        }
        let mut types = Types::default();
        let known = Known::new(&mut types);
        // Conversions come to those that are written.
        let exprs = ast.exprs.len() + ast.exprs.len() / 4;
        let names = symbols.len();
        Checker {
            ast,
            tokens: &pre.tokens,
            symbols,
            out,
            failed: false,
            version,
            stage: options.stage,
            client: options.client,
            conversions: Conversions::of(version, &enabled),
            precisions: Precisions::of(version, options.stage),
            extensions: &pre.extensions,
            enabled,
            next_extension: next_statement(&pre.extensions, 0),
            types,
            structures: Vec::new(),
            known,
            scopes: Scopes::new(names),
            exprs: Vec::with_capacity(exprs),
            steps: Vec::with_capacity(exprs),
            nonuniform: std::collections::HashSet::new(),
            folded: 0,
            globals: Vec::new(),
            facts: Vec::new(),
            specs: Vec::new(),
            instructions: Vec::new(),
            functions: Vec::new(),
            overloads: Vec::new(),
            modes: Modes { local_size: [1; 3], wide_indices: asks_wide_indices(pre), ..Modes::default() },
            defaults: layout::Defaults::default(),
            body: None,
            declared_primitives: [false; 3],
            declared_size: [None; 3],
            declared_size_at: None,
            modes_at: None,
            depth: 0,
            rows: Vec::new(),
            invariant_all: pre.pragmas.iter().find(|p| is_invariant_all(&p.text)).map(|p| p.span),
            builtins: builtins::Cache::default(),
        }
    }

    /// Goes on to a token: from there on other extensions may be enabled.
    fn follow_extensions(&mut self, at: At) {
        if at.first < self.next_extension {
            return;
        }
        self.enabled = enabled_at(self.extensions, at.first);
        self.next_extension = next_statement(self.extensions, at.first);
        self.conversions = Conversions::of(self.version, &self.enabled);
        self.rows.clear();
    }

    /// Something at the outermost level.
    fn item(&mut self, item: &'a Item) {
        self.follow_extensions(item.at());
        match item {
            Item::Declaration(declaration) => self.global_declaration(declaration),
            Item::Function(function) => self.function(function),
            Item::SpirvMode(word, args, at) => self.spirv_mode(*word, args, *at),
            Item::Block(block) => self.block(block),
            Item::Qualify(qualifiers, names, at) => self.qualify(qualifiers, names, *at),
            Item::Precision(precision, ty, at) => self.default_precision(*precision, ty, *at),
        }
    }

    /// Whether the version is at least one of these; 0 stands for never.
    fn at_least(&self, es: u16, desktop: u16) -> bool {
        self.version.at_least(es, desktop)
    }

    fn is_es(&self) -> bool {
        self.version.is_es()
    }

    /// What a type is.
    fn ty(&self, ty: Ty) -> &Type {
        self.types.get(ty)
    }

    /// An expression of the program.
    fn at(&self, id: ExprId) -> &hir::Expr {
        &self.exprs[id.0 as usize]
    }

    /// The type of an expression.
    fn ty_of(&self, id: ExprId) -> Ty {
        self.at(id).ty
    }

    /// Whether something is wrong with an expression that was told already.
    fn is_error(&self, id: ExprId) -> bool {
        self.ty_of(id) == self.known.error
    }

    /// Adds an expression.
    fn push(
        &mut self,
        kind: ExprKind,
        ty: Ty,
        precision: Option<crate::qualifier::Precision>,
        at: At,
    ) -> ExprId {
        let (kind, ty) = match self.count_scalars(&kind, at) {
            true => (kind, ty),
            false => (ExprKind::Constant(Box::default()), self.known.error),
        };
        let id = ExprId(self.exprs.len() as u32);
        // A part of what differs between invocations does, too.
        if let (false, ExprKind::Member(of, _) | ExprKind::Swizzle(of, _) | ExprKind::Index(of, _)) =
            (self.nonuniform.is_empty(), &kind)
            && self.nonuniform.contains(of)
        {
            self.nonuniform.insert(id);
        }
        self.steps.push(self.steps_of(&kind));
        self.exprs.push(hir::Expr { kind, ty, precision, at });
        id
    }

    /// Stands for what is wrong.
    fn wrong(&mut self, at: At) -> ExprId {
        self.push(ExprKind::Constant(Box::default()), self.known.error, None, at)
    }

    /// Adds a constant.
    fn constant(&mut self, bits: impl Into<Box<[u64]>>, ty: Ty, at: At) -> ExprId {
        self.push(ExprKind::Constant(bits.into()), ty, None, at)
    }

    /// The bits of an expression, if it is constant.
    fn bits(&self, id: ExprId) -> Option<&[u64]> {
        let expr = self.at(id);
        match &expr.kind {
            _ if expr.ty == self.known.error => None,
            ExprKind::Constant(bits) => Some(bits),
            ExprKind::Global(global) => self.facts[global.0 as usize].value.as_deref(),
            _ => None,
        }
    }

    /// A variable at the outermost level.
    fn global(&self, id: GlobalId) -> &hir::Global {
        &self.globals[id.0 as usize]
    }

    /// Runs something one level deeper; `None`, with a message, if that is too deep.
    fn deeper<T>(&mut self, at: At, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST {
            self.error(at, "this is nested too deeply")
                .help
                .push(format!("at most {DEEPEST} levels are allowed"));
            return None;
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        Some(result)
    }

    /// The name for what has none.
    fn nameless(&self) -> Symbol {
        Symbol(0)
    }
}

/// The extensions that hold at a token.
fn enabled_at(extensions: &Extensions, token: u32) -> Enabled {
    let holds = |name: &&str| extensions.enabled(name, token);
    Enabled::new(extensions.used().map(|extension| extension.name).filter(holds).map(str::to_owned))
}

/// The next token from which a line about extensions holds.
fn next_statement(extensions: &Extensions, token: u32) -> u32 {
    let later = extensions.statements.iter().map(|statement| statement.from).filter(|&from| from > token);
    later.min().unwrap_or(u32::MAX)
}

/// Levels of nesting that are followed.
const DEEPEST: u32 = 256;

/// Whether a pragma of GL_EXT_shader_64bit_indexing is there, and the extension.
fn asks_wide_indices(pre: &Preprocessed) -> bool {
    let mut asking = pre.pragmas.iter().filter(|pragma| pragma.text == "shader_64bit_indexing");
    asking.any(|pragma| pre.extensions.enabled("GL_EXT_shader_64bit_indexing", pragma.from))
}

/// A pragma that starts as those of the language do, but is none of them.
fn is_unknown_pragma(text: &str) -> bool {
    text.split_whitespace().next() == Some("STDGL") && !is_invariant_all(text)
}

/// Whether a pragma makes every output invariant.
fn is_invariant_all(text: &str) -> bool {
    let words: String = text.split_whitespace().collect();
    words == "STDGLinvariant(all)"
}
