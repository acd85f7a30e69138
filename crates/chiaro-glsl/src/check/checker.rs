//! The checker itself: what is known at a place of the source, and the few steps that all parts
//! of the work share. The parts are methods in the other files of this folder.

use std::collections::HashSet;
use std::rc::Rc;

use chiaro_diag::{Diagnostic, Span};

use super::scope::Scopes;
use super::state::{Body, Cache, Conversions, Declared, Defaults, GlobalFacts, Known, Parts, Precisions};
use crate::ast::{Ast, Item};
use crate::builtin::Enabled;
use crate::builtin::functions::Row;
use crate::extension::Extensions;
use crate::head::Head;
use crate::hir::{self, ExprId, ExprKind, GlobalId, Modes};
use crate::inline::SpirvInstruction;
use crate::preprocess::{Pragma, Preprocessed};
use crate::qualifier::Precision;
use crate::source::{Client, Options, Profile, Stage, Version};
use crate::symbol::Symbols;
use crate::token::{At, Symbol, Tokens};
use crate::ty::{Ty, Type, Types};

/// What is known so far.
pub(crate) struct Checker<'a> {
    pub(crate) ast: &'a Ast,
    pub(crate) tokens: &'a Tokens,
    pub(crate) symbols: &'a mut Symbols,
    pub(crate) out: &'a mut Vec<Diagnostic>,
    /// Whether an error was reported.
    pub(crate) failed: bool,
    pub(crate) version: Version,
    /// Where its directives stand.
    pub(crate) head: Head,
    pub(crate) stage: Stage,
    /// Whose rules are to be kept.
    pub(crate) client: Client,
    /// What the source says of extensions, and what of it holds at the moment.
    pub(crate) extensions: &'a Extensions,
    pub(crate) enabled: Enabled,
    /// The token from which something else holds.
    pub(crate) next_extension: u32,
    pub(crate) conversions: Conversions,
    pub(crate) types: Types,
    /// What each structure is made of.
    pub(crate) structures: Vec<Parts>,
    pub(crate) known: Known,
    pub(crate) scopes: Scopes,
    pub(crate) exprs: Vec<hir::Expr>,
    /// For each expression, of how many parts it is if it follows specialisation constants.
    pub(crate) steps: Vec<u32>,
    /// What `nonuniformEXT` stands at.
    pub(crate) nonuniform: HashSet<ExprId>,
    /// Scalars in all constants.
    pub(crate) folded: usize,
    pub(crate) globals: Vec<hir::Global>,
    /// More about each global.
    pub(crate) facts: Vec<GlobalFacts>,
    pub(crate) specs: Vec<hir::Spec>,
    /// Functions that are instructions.
    pub(crate) instructions: Vec<SpirvInstruction>,
    /// Functions of the source, with or without a body.
    pub(crate) functions: Vec<Declared>,
    /// Functions of one name, by number.
    pub(crate) overloads: Vec<Vec<u32>>,
    pub(crate) precisions: Precisions,
    pub(crate) modes: Modes,
    /// Defaults that `layout(...) uniform;` and the like have set.
    pub(crate) defaults: Defaults,
    /// The function that is being checked.
    pub(crate) body: Option<Body>,
    /// The size of the workgroup as declared.
    pub(crate) declared_size: [Option<u32>; 3],
    /// Whether a geometry shader's input and output primitive and its number of vertices are declared.
    pub(crate) declared_primitives: [bool; 3],
    /// Where the size of the workgroup is declared first.
    pub(crate) declared_size_at: Option<At>,
    /// Where modes of extensions are declared first.
    pub(crate) modes_at: Option<At>,
    /// How deep expressions and statements are nested at the moment.
    pub(crate) depth: u32,
    /// Functions of the language that are there, by the number of their name; looked up once.
    pub(crate) rows: Vec<Option<Rc<[&'static Row]>>>,
    /// `#pragma STDGL invariant(all)`: where.
    pub(crate) invariant_all: Option<Span>,
    /// Names of the language that are handed to emission.
    pub(crate) builtins: Cache,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
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
            head: pre.head,
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
            nonuniform: HashSet::new(),
            folded: 0,
            globals: Vec::new(),
            facts: Vec::new(),
            specs: Vec::new(),
            instructions: Vec::new(),
            functions: Vec::new(),
            overloads: Vec::new(),
            modes: modes(pre),
            defaults: Defaults::default(),
            body: None,
            declared_primitives: [false; 3],
            declared_size: [None; 3],
            declared_size_at: None,
            modes_at: None,
            depth: 0,
            rows: Vec::new(),
            invariant_all: pre.pragmas.iter().find(|p| is_invariant_all(&p.text)).map(|p| p.span),
            builtins: Cache::default(),
        }
    }

    /// Goes on to a token: from there on other extensions may be enabled.
    pub(crate) fn follow_extensions(&mut self, at: At) {
        if at.first < self.next_extension {
            return;
        }
        self.enabled = enabled_at(self.extensions, at.first);
        self.next_extension = next_statement(self.extensions, at.first);
        self.conversions = Conversions::of(self.version, &self.enabled);
        self.rows.clear();
    }

    /// Something at the outermost level.
    pub(crate) fn item(&mut self, item: &'a Item) {
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
    pub(crate) fn at_least(&self, es: u16, desktop: u16) -> bool {
        self.version.at_least(es, desktop)
    }

    pub(crate) fn is_es(&self) -> bool {
        self.version.is_es()
    }

    /// What a type is.
    pub(crate) fn ty(&self, ty: Ty) -> &Type {
        self.types.get(ty)
    }

    /// An expression of the program.
    pub(crate) fn at(&self, id: ExprId) -> &hir::Expr {
        &self.exprs[id.0 as usize]
    }

    /// The type of an expression.
    pub(crate) fn ty_of(&self, id: ExprId) -> Ty {
        self.at(id).ty
    }

    /// Whether something is wrong with an expression that was reported already.
    pub(crate) fn is_error(&self, id: ExprId) -> bool {
        self.ty_of(id) == self.known.error
    }

    /// Adds an expression.
    pub(crate) fn push(&mut self, kind: ExprKind, ty: Ty, precision: Option<Precision>, at: At) -> ExprId {
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
    pub(crate) fn wrong(&mut self, at: At) -> ExprId {
        self.push(ExprKind::Constant(Box::default()), self.known.error, None, at)
    }

    /// Adds a constant.
    pub(crate) fn constant(&mut self, bits: impl Into<Box<[u64]>>, ty: Ty, at: At) -> ExprId {
        self.push(ExprKind::Constant(bits.into()), ty, None, at)
    }

    /// The bits of an expression, if it is constant.
    pub(crate) fn bits(&self, id: ExprId) -> Option<&[u64]> {
        let expr = self.at(id);
        match &expr.kind {
            _ if expr.ty == self.known.error => None,
            ExprKind::Constant(bits) => Some(bits),
            ExprKind::Global(global) => self.facts[global.0 as usize].value.as_deref(),
            _ => None,
        }
    }

    /// A variable at the outermost level.
    pub(crate) fn global(&self, id: GlobalId) -> &hir::Global {
        &self.globals[id.0 as usize]
    }

    /// Runs something one level deeper; `None`, with a message, if that is too deep.
    pub(crate) fn deeper<T>(&mut self, at: At, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEEPEST {
            self.error(at, format!("this is nested more than {DEEPEST} deep"))
                .help
                .push("compute parts of it into variables, or move some into functions".to_owned());
            return None;
        }
        self.depth += 1;
        let result = run(self);
        self.depth -= 1;
        Some(result)
    }

    /// The name for what has none.
    pub(crate) fn nameless(&self) -> Symbol {
        Symbol(0)
    }
}

/// The extensions that hold at a token.
pub(crate) fn enabled_at(extensions: &Extensions, token: u32) -> Enabled {
    let holds = |name: &&str| extensions.enabled(name, token);
    Enabled::new(extensions.used().map(|extension| extension.name).filter(holds).map(str::to_owned))
}

/// The next token from which a line about extensions holds.
pub(crate) fn next_statement(extensions: &Extensions, token: u32) -> u32 {
    let later = extensions.statements.iter().map(|statement| statement.from).filter(|&from| from > token);
    later.min().unwrap_or(u32::MAX)
}

/// Levels of nesting that are followed.
pub(crate) const DEEPEST: u32 = 256;

/// What pragmas say of the stage.
fn modes(pre: &Preprocessed) -> Modes {
    let settings = pre.pragmas.iter().filter_map(Pragma::setting).collect();
    Modes { local_size: [1; 3], wide_indices: asks_wide_indices(pre), settings, ..Modes::default() }
}

/// Whether a pragma of GL_EXT_shader_64bit_indexing is there, and the extension.
pub(crate) fn asks_wide_indices(pre: &Preprocessed) -> bool {
    let mut asking = pre.pragmas.iter().filter(|pragma| pragma.text == "shader_64bit_indexing");
    asking.any(|pragma| pre.extensions.enabled("GL_EXT_shader_64bit_indexing", pragma.from))
}

/// Whether a pragma makes every output invariant.
pub(crate) fn is_invariant_all(text: &str) -> bool {
    let words: String = text.split_whitespace().collect();
    words == "STDGLinvariant(all)"
}
