//! Functions that other parts have, or call: what holds for them, and modules that have nothing else.
//!
//! Who is on the other side knows the signature in the source and the convention, and nothing else. So a function that is
//! exported gets its parameters alone: no descriptor of a kernel, no number of a thread, no variable of its module. Pointers
//! to variables travel as values, in and out.

use chiaro_diag::Diagnostic;
use chiaro_ir::{
    Builder, Constant, ConstantKind, Def, EntryPoint, Function, FunctionRef, Global, Inst, Linkage, Module,
    Op, Space, Stage, Ty, Walk,
};

use super::callee::Given;
use crate::container::part::Table;

/// Functions that other parts know.
pub fn linked(module: &Module) -> impl Iterator<Item = FunctionRef> + '_ {
    let all = (0..).map(FunctionRef).zip(&module.functions);
    all.filter(|(_, f)| f.linkage != Linkage::Own).map(|(f, _)| f)
}

/// Gives a library an entry point that does nothing, so that there is a place to start from, and lets only some functions be
/// known to others, if any are named. The name of the entry point.
///
/// # Errors
/// There is no function for other parts, or not one of a name.
pub fn begin_library(module: &mut Module, names: &[String]) -> Result<String, Vec<Diagnostic>> {
    let exported: Vec<FunctionRef> = chiaro_opt::exported(module).collect();
    let is_there = |name: &&String| exported.iter().any(|&f| module.function(f).name == **name);
    if let Some(name) = names.iter().find(|name| !is_there(name)) {
        let message = format!("the library has no function `{name}` for other parts");
        return Err(vec![Diagnostic::error(None, message).help(known(module, &exported))]);
    }
    for &f in exported.iter().filter(|_| !names.is_empty()) {
        let function = module.function_mut(f);
        if !names.contains(&function.name) {
            function.linkage = Linkage::Own;
        }
    }
    if exported.is_empty() {
        let error = Diagnostic::error(None, "the library has no function that other parts could call");
        return Err(vec![
            error.help("write one; `main` belongs into a kernel, which is compiled without `--library`"),
        ]);
    }
    Ok(begin(module))
}

fn known(module: &Module, exported: &[FunctionRef]) -> String {
    let names: Vec<&str> = exported.iter().map(|&f| module.function(f).name.as_str()).collect();
    if names.is_empty() { "it has none".to_owned() } else { format!("there are {}", names.join(", ")) }
}

/// Adds an entry point that does nothing.
fn begin(module: &mut Module) -> String {
    let name = "(library)".to_owned();
    let void = module.types.intern(chiaro_ir::Type::Void);
    let function = FunctionRef(module.functions.len() as u32);
    module.functions.push(Function::new(name.clone(), &[], void));
    Builder::at(module, function).return_();
    module.entries.push(EntryPoint {
        name: name.clone(),
        stage: Stage::Compute,
        function,
        // Nobody knows how many threads there will be: more than one wave, to be safe.
        workgroup: [1024, 1, 1],
        modes: Vec::new(),
        interface: Vec::new(),
    });
    name
}

/// That functions which other parts know need nothing of the module but what they are given.
///
/// # Errors
/// The first that does.
pub fn sound(module: &Module, entry: &str) -> Result<(), Vec<Diagnostic>> {
    let start = module.entry(entry).map(|entry| entry.function);
    let Some(start) = start.filter(|_| linked(module).next().is_some()) else { return Ok(()) };
    let pointed = chiaro_opt::pointed_at(module, start);
    match linked(module).find_map(|f| Some((f, used(module, f, &pointed)?))) {
        None => points_within(module, &chiaro_opt::reached(module, start)),
        Some((f, global)) => Err(vec![knows_too_much(module.function(f), global)]),
    }
}

/// A variable of the module that a function or what it calls uses.
fn used<'m>(module: &'m Module, f: FunctionRef, pointed: &[FunctionRef]) -> Option<&'m Global> {
    let all = chiaro_opt::with_callees(module, f, pointed).into_iter().map(|f| module.function(f));
    let (g, _) = all.flat_map(|f| chiaro_opt::named(module, f)).next()?;
    Some(module.global(g))
}

/// A function uses a variable that its callers in other parts know nothing of.
fn knows_too_much(f: &Function, global: &Global) -> Diagnostic {
    let (what, help) = match global.space {
        Space::Private => {
            ("which each thread has its own of", "hand it over as a parameter: `inout` gives it back")
        }
        Space::Input => ("which only a kernel is given", "hand its value over as a parameter"),
        Space::Workgroup => (
            "for which only a kernel has room",
            "hand over what stands there, or keep the function in the kernel's part",
        ),
        _ => (
            "which only a kernel is bound to",
            "hand over what stands there, or keep the function in the kernel's part",
        ),
    };
    let message =
        format!("`{}` is known to other parts and uses `{}` of its module, {what}", f.name, global.name);
    Diagnostic::error(f.span, message).help(help)
}

/// A library needs memory of a group, for which only a kernel makes room.
pub fn takes_of_groups(f: &Function, bytes: u32) -> Diagnostic {
    let message = format!(
        "`{}` is in a library and needs {bytes} bytes of LDS, for which only a kernel has room",
        f.name
    );
    let help = "exchange values between lanes in the kernel, or compile for `-m wave=32`, where lanes read each other";
    Diagnostic::error(f.span, message).help(help)
}

/// The types of functions that other parts know, as the source has them: by their names, pointers to variables as `inout`.
#[must_use]
pub fn types(module: &Module) -> Vec<(String, String)> {
    let all = linked(module).map(|f| module.function(f));
    all.map(|f| (f.name.clone(), chiaro_ir::signature(&module.types, f))).collect()
}

/// Values of specialisation constants by their numbers, as text: parts of one program have the same.
#[must_use]
pub fn constants(module: &Module) -> Vec<(u32, String)> {
    let value = |c| match module.constants.get(c) {
        ConstantKind::Scalar(bits) => bits.to_string(),
        other => format!("{other:?}"),
    };
    module.specs.iter().filter_map(|spec| Some((spec.id?, value(spec.default)))).collect()
}

/// Tables of functions: constants of nothing else, by the names of the variables that begin with them, or by numbers.
#[must_use]
pub fn tables(module: &Module) -> Vec<Table> {
    let function = |&c: &Constant| match module.constants.get(c) {
        ConstantKind::Function(f) => Some(module.function(*f).name.clone()),
        _ => None,
    };
    let entries = |c: Constant| match module.constants.get(c) {
        ConstantKind::Composite(parts) => parts.iter().map(function).collect::<Option<Vec<String>>>(),
        _ => None,
    };
    let all = (0..module.constants.len() as u32).map(Constant);
    let found = all.filter_map(|c| Some((c, entries(c)?)));
    let named = |(n, (c, entries)): (usize, (Constant, Vec<String>))| Table {
        name: variable(module, c).unwrap_or_else(|| n.to_string()),
        entries,
    };
    found.enumerate().map(named).collect()
}

/// The name of a variable that begins with a constant.
fn variable(module: &Module, c: Constant) -> Option<String> {
    let of_module = module.globals.iter().find(|global| global.init == Some(c)).map(|g| g.name.clone());
    let begins = |f: &Function, inst: &Inst| {
        let is_it = |&arg: &chiaro_ir::Value| f.def(arg) == Def::Constant(c);
        matches!(f.op(*inst), Op::Var(_)) && f.args(*inst).iter().any(is_it)
    };
    let of_function = module.functions.iter().find_map(|f| {
        let inst = Walk::insts(f).find(|inst| begins(f, inst))?;
        f.variable_names.get(&inst).map(ToString::to_string)
    });
    of_module.filter(|name| !name.is_empty()).or(of_function)
}

/// That no pointer to a function comes from another part: where it leads is not known here.
///
/// # Errors
/// There are calls through pointers, and addresses may come in: by a parameter, a result or memory.
fn points_within(module: &Module, reached: &[FunctionRef]) -> Result<(), Vec<Diagnostic>> {
    let is_pointer = |ty: Ty| module.types.bits(ty) == Some(64) && !module.types.is_float(ty);
    let has_pointer = |ty: Ty| parts_of(module, ty).into_iter().any(is_pointer);
    let all = || reached.iter().map(|&f| module.function(f));
    let through = |f: &&Function| Walk::insts(f).any(|inst| f.op(inst) == Op::CallIndirect);
    let Some(caller) = all().find(through) else { return Ok(()) };
    let travels = |f: &Function| {
        let mut types = f.param_types().into_iter().chain([f.result]);
        f.linkage != Linkage::Own && types.any(has_pointer)
    };
    let is_own = |space: Space| matches!(space, Space::Function | Space::Private);
    let loads = |f: &Function| {
        Walk::insts(f).any(|inst| {
            let from = f.args(inst).first().and_then(|&arg| module.types.pointee(f.ty(arg)));
            let is_foreign = f.op(inst) == Op::Load && from.is_some_and(|(space, _)| !is_own(space));
            is_foreign && f.result_of(inst).is_some_and(|value| has_pointer(f.ty(value)))
        })
    };
    if !all().any(|f| travels(f) || loads(f)) {
        return Ok(());
    }
    let message = format!(
        "`{}` calls through a pointer, and numbers of 64 bits come from elsewhere: another part may lead it to functions \
         that this one does not know",
        caller.name
    );
    let help = "choose among functions in the part that has them, or compile both parts as one";
    Err(vec![Diagnostic::error(caller.span, message).help(help)])
}

/// A type and what it consists of, also what a pointer to a variable leads to.
fn parts_of(module: &Module, ty: Ty) -> Vec<Ty> {
    let (mut all, mut at) = (vec![ty], 0);
    while let Some(&ty) = all.get(at) {
        at += 1;
        let count = module.types.part_count(ty).unwrap_or(0).min(64);
        all.extend((0..count).filter_map(|n| module.types.part(ty, n)));
        all.extend(module.types.pointee(ty).map(|(_, to)| to));
        all.truncate(1024);
    }
    all
}

/// A function that other parts call needs what only kernels are given.
pub fn takes_of_kernels(f: &Function, given: &[Given]) -> Diagnostic {
    let what = match given.first() {
        Some(Given::Argument(argument)) => argument.name(),
        _ => "the number of its thread".to_owned(),
    };
    let message =
        format!("`{}` is known to other parts and needs {what}, which only a kernel is given", f.name);
    Diagnostic::error(f.span, message)
        .help("hand over what it needs as parameters: values, or the number of the thread")
}
