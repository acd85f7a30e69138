//! Ray queries, in what the machine has: one instruction that tries a ray against a node, and loads.
//!
//! An acceleration structure is a buffer that holds a tree ([`crate::abi::tree`]). What is to be done with it stands once, as
//! IR (`rays/traversal.ir`); a query becomes a structure in the shader's own memory, and its operations calls of functions
//! of that text, which are inlined then like any others. True after: no query and no acceleration structure is left.

use chiaro_diag::{Diagnostic, FileId, Span};
use chiaro_ir::rays::query;
use chiaro_ir::{
    Added, Binding, Def, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Ty, Type, Value, Walk,
    merge, parse,
};
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, rewrite};
use std::collections::HashMap;

/// What tries a ray against a node, among operations on queries: SPIR-V has no such number.
pub const INTERSECT: u16 = u16::MAX;

/// The search as IR.
const TRAVERSAL: &str = include_str!("rays/traversal.ir");

/// Whether a function has something to do with queries.
pub fn has_queries(module: &Module, f: FunctionRef) -> bool {
    let f = module.function(f);
    Walk::insts(f).any(|inst| matches!(f.op(inst), Op::RayQuery(_)))
}

/// Replaces the queries of functions, each of which has its own.
///
/// # Errors
/// Queries that lie in arrays or are begun with more than one structure, structures in arrays, and operations that
/// nobody knows.
pub fn lower_queries(module: &mut Module, functions: &[FunctionRef]) -> Result<(), Vec<Diagnostic>> {
    let mut found = Vec::new();
    for &f in functions {
        found.push((f, Found::of(module, f).map_err(|error| vec![*error])?));
    }
    let mut structures: Vec<GlobalRef> = Vec::new();
    for &g in found.iter().flat_map(|(_, found)| &found.structures) {
        if !structures.contains(&g) {
            structures.push(g);
        }
    }
    if structures.is_empty() {
        return Ok(());
    }
    let library = library()?;
    let trees: HashMap<GlobalRef, Tree> =
        structures.into_iter().map(|g| (g, planted(module, &library, g))).collect();
    for (f, found) in found.into_iter().filter(|(_, found)| !found.structures.is_empty()) {
        if let Some(query) = trees.values().next().map(|tree| tree.query) {
            let _changed = rewrite(module, f, Queries { trees: &trees, of: found.of, query });
        }
    }
    Ok(())
}

/// The search in a structure, whose binding is that of the tree from here on.
fn planted(module: &mut Module, library: &Module, g: GlobalRef) -> Tree {
    let added = merge(module, library);
    let own = module.global(g).clone();
    let tree = &mut module.globals[added.globals.start as usize];
    (tree.binding, tree.span) = (own.binding, own.span);
    let name = std::mem::replace(&mut tree.name, own.name);
    let old = &mut module.globals[g.0 as usize];
    (old.binding, old.name) = (Binding::default(), name);
    Tree::of(module, &added, library)
}

/// The text as a module. Nothing in it has a place in the shader's source.
fn library() -> Result<Module, Vec<Diagnostic>> {
    let mut library = parse(TRAVERSAL, FileId(0)).map_err(|wrong| {
        let why = wrong.first().map_or("", |error| &error.message);
        vec![Diagnostic::mistake(format!("the search of rays does not parse: {why}"))]
    })?;
    for f in &mut library.functions {
        f.span = None;
        (0..f.inst_count() as u32).map(Inst).for_each(|inst| f.inst_mut(inst).span = None);
    }
    library.globals.iter_mut().for_each(|global| global.span = None);
    Ok(library)
}

/// A structure's functions.
struct Tree {
    functions: HashMap<String, FunctionRef>,
    /// The type of a query.
    query: Ty,
}

impl Tree {
    fn of(module: &Module, added: &Added, library: &Module) -> Tree {
        let names = library.functions.iter().map(|f| f.name.clone());
        let functions: HashMap<String, FunctionRef> =
            names.zip(added.functions.clone().map(FunctionRef)).collect();
        let begin = functions.get("begin").map(|f| module.function(*f));
        let query = begin.and_then(|f| Some(module.types.pointee(f.ty(*f.params.first()?))?.1));
        Tree { functions, query: query.unwrap_or(Ty(0)) }
    }
}

/// Which structure each query goes through.
struct Found {
    of: HashMap<Value, GlobalRef>,
    structures: Vec<GlobalRef>,
}

impl Found {
    fn of(module: &Module, f: FunctionRef) -> Result<Found, Box<Diagnostic>> {
        let function = module.function(f);
        let mut found = Found { of: HashMap::new(), structures: Vec::new() };
        for inst in Walk::insts(function) {
            let span = function.inst(inst).span;
            match function.op(inst) {
                Op::RayQuery(query::BEGIN) => found.begin(module, function, inst)?,
                Op::RayQuery(code) if name_of(code).is_none() => {
                    return Err(refused(
                        span,
                        "an operation on queries",
                        "leave it out, or run it on the interpreter",
                    ));
                }
                Op::TraceRay | Op::ReportHit | Op::ExecuteCallable => {
                    return Err(refused(span, "tracing by stages in a compute shader", "use a ray query"));
                }
                _ => {}
            }
        }
        Ok(found)
    }

    fn begin(&mut self, module: &Module, f: &Function, inst: Inst) -> Result<(), Box<Diagnostic>> {
        let (query, structure) = (f.args(inst)[0], f.args(inst)[1]);
        let span = f.inst(inst).span;
        if !is_variable(f, query) {
            return Err(refused(
                span,
                "a query that lies in an array",
                "give each query a variable of its own",
            ));
        }
        let Some(g) = structure_of(module, f, structure) else {
            let help = "bind each structure by itself";
            return Err(refused(span, "an acceleration structure out of an array", help));
        };
        if *self.of.entry(query).or_insert(g) != g {
            return Err(refused(
                span,
                "a query with several acceleration structures",
                "use a query for each",
            ));
        }
        if !self.structures.contains(&g) {
            self.structures.push(g);
        }
        Ok(())
    }
}

fn refused(span: Option<Span>, what: &str, help: &str) -> Box<Diagnostic> {
    let message = format!("RDNA2 does not compile {what} here");
    Box::new(Diagnostic::error(span, message).help(help.to_owned()))
}

fn is_variable(f: &Function, value: Value) -> bool {
    matches!(f.def(value), Def::Result(inst, _) if matches!(f.op(inst), Op::Var(_)))
}

/// The variable that a structure is loaded from.
fn structure_of(module: &Module, f: &Function, value: Value) -> Option<GlobalRef> {
    let Def::Result(inst, _) = f.def(value) else { return None };
    let pointer = *f.args(inst).first().filter(|_| f.op(inst) == Op::Load)?;
    module.variable_at(f, pointer)
}

/// The function of the traversal for an operation of SPIR-V, and whether that takes which hit is meant.
fn name_of(code: u16) -> Option<(&'static str, bool)> {
    Some(match code {
        query::BEGIN => ("begin", false),
        query::END => ("finish", false),
        query::GENERATE => ("generate", false),
        query::CONFIRM => ("confirm", false),
        query::PROCEED => ("proceed", false),
        query::KIND => ("kind_of", true),
        query::LEAST => ("least_of", false),
        query::FLAGS => ("flags_of", false),
        query::DISTANCE => ("distance_of", true),
        query::CUSTOM_INDEX => ("custom_of", true),
        query::INSTANCE => ("id_of", true),
        query::RECORD => ("offset_of", true),
        query::GEOMETRY => ("geometry_of", true),
        query::PRIMITIVE => ("primitive_of", true),
        query::SHARES => ("shares_of", true),
        query::FRONT => ("front_of", true),
        query::OPAQUE => ("opaque_of", false),
        query::OBJECT_DIRECTION => ("object_direction", true),
        query::OBJECT_ORIGIN => ("object_origin", true),
        query::DIRECTION => ("direction_of", false),
        query::ORIGIN => ("origin_of", false),
        query::TO_WORLD => ("to_world", true),
        query::TO_OBJECT => ("to_object", true),
        query::CORNERS => ("corners_of", true),
        INTERSECT => ("intersect", false),
        _ => return None,
    })
}

struct Queries<'a> {
    trees: &'a HashMap<GlobalRef, Tree>,
    /// By old value of the variable.
    of: HashMap<Value, GlobalRef>,
    query: Ty,
}

impl Rule for Queries<'_> {
    fn ty(r: &mut Rewrite<'_, Self>, ty: Ty) -> Ty {
        match r.b.types().pointee(ty) {
            Some((Space::Function | Space::Private, to)) if *r.b.types().get(to) == Type::RayQuery => {
                let query = r.rule.query;
                r.b.types().intern(Type::Pointer(Space::Function, query))
            }
            _ => ty,
        }
    }

    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        match op {
            // Whoever uses it goes to the tree.
            Op::Load if r.old.result_of(inst).is_some_and(|v| is_structure(r, v)) => Replaced::Gone,
            Op::Var(_) if is_query(r, inst) => {
                let query = r.rule.query;
                Replaced::By(r.b.var(query, None))
            }
            Op::RayQuery(code) => call(r, inst, code),
            _ => Replaced::Copy,
        }
    }
}

fn is_structure(r: &mut Rewrite<'_, Queries<'_>>, value: Value) -> bool {
    let ty = r.old.ty(value);
    *r.b.types().get(ty) == Type::AccelerationStructure
}

fn is_query(r: &mut Rewrite<'_, Queries<'_>>, inst: Inst) -> bool {
    let result = r.old.result_of(inst).map(|value| r.old.ty(value));
    let types = r.b.types();
    result.and_then(|ty| types.pointee(ty)).is_some_and(|(_, to)| *types.get(to) == Type::RayQuery)
}

/// A call in place of an operation. One on a query that was never begun asks about nothing.
fn call(r: &mut Rewrite<'_, Queries<'_>>, inst: Inst, code: u16) -> Replaced {
    let old = r.old.args(inst)[0];
    let tree = r.rule.of.get(&old).and_then(|g| r.rule.trees.get(g));
    let named = name_of(code).and_then(|(name, which)| Some((*tree?.functions.get(name)?, which)));
    let Some((function, which)) = named else { return Replaced::Gone };
    let mut args = r.args(inst);
    match code {
        query::BEGIN => {
            args.remove(1);
        }
        _ if which => args.truncate(2),
        query::GENERATE => args.truncate(2),
        _ => args.truncate(1),
    }
    match r.b.call(function, &args) {
        Some(value) => Replaced::By(value),
        None => Replaced::Gone,
    }
}
