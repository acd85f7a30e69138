//! One module made several: functions of a target's crate leave the front module, and come back to its table when the
//! target's own module is loaded.
//!
//! Rust calls targets through `&dyn Target`, so by the table: of the entries that are a target's, the front has stubs
//! that say so.
//! A front function that calls one directly gets a function that goes by the table, too. What a target calls in the
//! front it imports from there; memory, table and globals are shared, and data stays in the front. What everybody asks
//! of all targets ([`COMMON`]) stays in the front with everything that it calls, and so does what the compiler has made one
//! of functions of several targets, or of a target's and the front's.

use std::collections::{BTreeMap, BTreeSet};

use walrus::ir::{Instr, Visitor, dfs_in_order};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId, FunctionKind, GlobalKind,
    ImportedFunction, Module, ModuleConfig, TableId, TypeId, ir,
};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Methods of the door that the library asks of every target, chosen or not.
const COMMON: [&str; 6] = ["about", "assumptions", "effort", "has_container", "terms", "measured_error"];

/// What stands before a method of the door in the names of functions.
const DOOR: &str = "chiaro_target::Target>::";

/// Instructions of a function that may be the same as one of another target.
const SMALL: u64 = 200;

/// The front's name to the others.
const FRONT: &str = "front";

/// The export that says that a target is not loaded.
const UNLOADED: &str = "unloaded";

/// Who owns which function, by numbers; nobody's are the front's.
struct Plan {
    owner: BTreeMap<usize, usize>,
    /// Functions that somebody else calls directly, with their new places in the table.
    slots: BTreeMap<usize, u32>,
    /// Functions of the front that targets call.
    lent: BTreeSet<usize>,
    /// Calls: caller to called.
    calls: Vec<(usize, usize)>,
    /// Length of the table.
    length: u64,
}

/// The front and the modules of targets, each with its name. A target's name is that of its crate behind `chiaro_`.
pub fn split(wasm: &[u8], targets: &[&str]) -> Result<Vec<(String, Vec<u8>)>> {
    let plan = Plan::of(&parsed(wasm)?, targets)?;
    let mut all = vec![(FRONT.to_owned(), front(parsed(wasm)?, &plan)?)];
    for (n, target) in targets.iter().enumerate() {
        all.push(((*target).to_owned(), part(parsed(wasm)?, &plan, n)?));
    }
    Ok(all)
}

fn parsed(wasm: &[u8]) -> Result<Module> {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    config.parse(wasm).map_err(|error| format!("{error:#}").into())
}

/// Functions that a function calls or names.
#[derive(Default)]
struct Called(Vec<FunctionId>);

impl<'i> Visitor<'i> for Called {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.0.push(*function);
    }
}

fn calls(module: &Module) -> Vec<(usize, usize)> {
    let mut all = BTreeSet::new();
    for (id, local) in module.funcs.iter_local() {
        let mut called = Called::default();
        dfs_in_order(&mut called, local, local.entry_block());
        all.extend(called.0.iter().map(|to| (id.index(), to.index())));
    }
    all.into_iter().collect()
}

impl Plan {
    fn of(module: &Module, targets: &[&str]) -> Result<Plan> {
        let calls = calls(module);
        let mut owner = named(module, targets);
        let common: Vec<usize> =
            module.funcs.iter().filter(|f| is_common(f.name.as_deref())).map(|f| f.id().index()).collect();
        if common.is_empty() {
            return Err("the module has no names: nothing can be split off".into());
        }
        for kept in reached(&common, &calls) {
            owner.remove(&kept);
        }
        // Functions that do the same are one, by whichever name: what several call is everybody's.
        let is_foreign = |from: &usize, to: &usize| match (owner.get(from), owner.get(to)) {
            (Some(from), Some(to)) => from != to,
            _ => false,
        };
        let shared: Vec<usize> =
            calls.iter().filter(|(from, to)| is_foreign(from, to)).map(|(_, to)| *to).collect();
        for kept in reached(&shared, &calls) {
            owner.remove(&kept);
        }
        // So may be small ones in the table, of which nobody can tell who calls them.
        for small in small(module, &calls, &owner) {
            owner.remove(&small);
        }
        let common = reached(&common, &calls);
        while let Some(merged) = merged(module, &calls, &owner, &common) {
            for kept in reached(&merged, &calls) {
                owner.remove(&kept);
            }
        }
        adopt(module, &calls, &mut owner, &common);
        let table = table(module)?;
        let mut length = module.tables.get(table).initial;
        let (mut slots, mut lent) = (BTreeMap::new(), BTreeSet::new());
        for (from, to) in &calls {
            match (owner.get(from), owner.get(to)) {
                (from, Some(theirs)) if from != Some(theirs) && !slots.contains_key(to) => {
                    slots.insert(*to, u32::try_from(length)?);
                    length += 1;
                }
                _ => {}
            }
            if owner.contains_key(from) && owner.get(from) != owner.get(to) {
                lent.insert(*to);
            }
        }
        Ok(Plan { owner, slots, lent, calls, length })
    }

    fn is_of(&self, function: FunctionId, target: usize) -> bool {
        self.owner.get(&function.index()) == Some(&target)
    }
}

/// Functions that have a target's crate in their names.
fn named(module: &Module, targets: &[&str]) -> BTreeMap<usize, usize> {
    let crates: Vec<String> = targets.iter().map(|target| format!("chiaro_{target}")).collect();
    let of = |name: &str| crates.iter().position(|known| name.contains(known.as_str()));
    let found = module.funcs.iter_local().filter_map(|(id, _)| {
        let owner = of(module.funcs.get(id).name.as_deref()?)?;
        Some((id.index(), owner))
    });
    found.collect()
}

/// Functions in the table with few instructions that call nothing of a target.
fn small(module: &Module, calls: &[(usize, usize)], owner: &BTreeMap<usize, usize>) -> Vec<usize> {
    let calls_owned: BTreeSet<usize> = calls
        .iter()
        .filter(|(from, to)| from != to && owner.contains_key(to))
        .map(|(from, _)| *from)
        .collect();
    let is_small = |id: FunctionId| match &module.funcs.get(id).kind {
        FunctionKind::Local(local) => local.size() <= SMALL,
        _ => false,
    };
    let all =
        entries(module).filter(|id| owner.contains_key(&id.index()) && !calls_owned.contains(&id.index()));
    all.filter(|id| is_small(*id)).map(|id| id.index()).collect()
}

fn is_common(name: Option<&str>) -> bool {
    let method = name.and_then(|name| name.split(DOOR).nth(1));
    method.is_some_and(|method| COMMON.contains(&method.split("::").next().unwrap_or(method)))
}

/// Functions with a target's name that the front calls by themselves. Of a target it knows the door alone, so these are
/// its own, which the compiler has found to do the same as one of the target's.
fn merged(
    module: &Module,
    calls: &[(usize, usize)],
    owner: &BTreeMap<usize, usize>,
    common: &BTreeSet<usize>,
) -> Option<Vec<usize>> {
    let mut adopted = owner.clone();
    adopt(module, calls, &mut adopted, common);
    let doors: BTreeSet<usize> = module
        .funcs
        .iter()
        .filter(|f| f.name.as_deref().is_some_and(|name| name.contains(DOOR)))
        .map(|f| f.id().index())
        .collect();
    let is_merged = |from: &usize, to: &usize| {
        !adopted.contains_key(from) && owner.contains_key(to) && !doors.contains(to)
    };
    let found: Vec<usize> =
        calls.iter().filter(|(from, to)| is_merged(from, to)).map(|(_, to)| *to).collect();
    (!found.is_empty()).then_some(found)
}

/// What is called from some functions, they themselves among it.
fn reached(from: &[usize], calls: &[(usize, usize)]) -> BTreeSet<usize> {
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    calls.iter().for_each(|(from, to)| next.entry(*from).or_default().push(*to));
    let (mut found, mut open) = (BTreeSet::new(), from.to_vec());
    while let Some(function) = open.pop() {
        if found.insert(function) {
            open.extend(next.get(&function).into_iter().flatten());
        }
    }
    found
}

/// What nobody but one target calls is that target's, whatever it is called.
fn adopt(
    module: &Module,
    calls: &[(usize, usize)],
    owner: &mut BTreeMap<usize, usize>,
    kept: &BTreeSet<usize>,
) {
    let mut callers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    calls
        .iter()
        .filter(|(from, to)| from != to)
        .for_each(|(from, to)| callers.entry(*to).or_default().push(*from));
    let mut free = kept.clone();
    free.extend(entries(module).map(|id| id.index()));
    free.extend(module.exports.iter().filter_map(|export| match export.item {
        ExportItem::Function(id) => Some(id.index()),
        _ => None,
    }));
    free.extend(module.start.map(|id| id.index()));
    let local: BTreeSet<usize> = module.funcs.iter_local().map(|(id, _)| id.index()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (function, from) in &callers {
            if owner.contains_key(function) || free.contains(function) || !local.contains(function) {
                continue;
            }
            let owners: BTreeSet<Option<&usize>> = from.iter().map(|caller| owner.get(caller)).collect();
            if let (1, Some(Some(only))) = (owners.len(), owners.first().copied()) {
                let only = *only;
                owner.insert(*function, only);
                changed = true;
            }
        }
    }
}

fn table(module: &Module) -> Result<TableId> {
    let table = module.tables.main_function_table().map_err(|error| error.to_string())?;
    table.ok_or_else(|| "the module has no table of functions".into())
}

/// Functions of the table's segments.
fn entries(module: &Module) -> impl Iterator<Item = FunctionId> {
    module.elements.iter().flat_map(|element| match &element.items {
        ElementItems::Functions(all) => all.clone(),
        ElementItems::Expressions(..) => Vec::new(),
    })
}

/// A name for a function between modules.
fn shared(function: usize) -> String {
    format!("f{function}")
}

fn front(mut module: Module, plan: &Plan) -> Result<Vec<u8>> {
    let table = table(&module)?;
    let ids: BTreeMap<usize, FunctionId> = module.funcs.iter().map(|f| (f.id().index(), f.id())).collect();
    let stubs = stubs(&mut module, plan, &ids)?;
    for element in module.elements.iter_mut() {
        if let ElementItems::Functions(all) = &mut element.items {
            all.iter_mut().for_each(|id| *id = stubs.get(&id.index()).copied().unwrap_or(*id));
        }
    }
    let called = plan.slots.iter().map(|(function, slot)| (*slot, stubs[function])).collect();
    fill(&mut module, table, called);
    for (function, slot) in &plan.slots {
        detour(&mut module, ids[function], table, *slot);
    }
    for function in &plan.lent {
        module.exports.add(&shared(*function), ids[function]);
    }
    let main = module.tables.get_mut(table);
    main.initial = plan.length;
    main.maximum = main.maximum.map(|most| most.max(plan.length));
    module.exports.add("table", table);
    if let Some(memory) = module.memories.iter().next().map(|memory| memory.id()) {
        module.exports.add("shared_memory", memory);
    }
    let globals: Vec<_> = module.globals.iter().map(|global| global.id()).collect();
    for global in globals {
        module.exports.add(&format!("g{}", global.index()), global);
    }
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// For each function of a target one of its type that tells that the target is not there.
fn stubs(
    module: &mut Module,
    plan: &Plan,
    ids: &BTreeMap<usize, FunctionId>,
) -> Result<BTreeMap<usize, FunctionId>> {
    let told = module.exports.get_func(UNLOADED).map_err(|error| format!("{error:#}"))?;
    let (mut by_type, mut all) = (BTreeMap::new(), BTreeMap::new());
    for function in plan.owner.keys() {
        let ty = module.funcs.get(ids[function]).ty();
        let stub = *by_type.entry(ty).or_insert_with(|| stub(module, ty, told));
        all.insert(*function, stub);
    }
    Ok(all)
}

fn stub(module: &mut Module, ty: TypeId, told: FunctionId) -> FunctionId {
    let (params, results) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    let args = params.iter().map(|param| module.locals.add(*param)).collect();
    builder.func_body().call(told).unreachable();
    builder.finish(args, &mut module.funcs)
}

/// Makes of a function one that calls the place in the table where it comes to stand.
fn detour(module: &mut Module, id: FunctionId, table: TableId, slot: u32) {
    let ty = module.funcs.get(id).ty();
    let (params, results) = (module.types.params(ty).to_vec(), module.types.results(ty).to_vec());
    let mut builder = FunctionBuilder::new(&mut module.types, &params, &results);
    let args: Vec<_> = params.iter().map(|param| module.locals.add(*param)).collect();
    let mut body = builder.func_body();
    for arg in &args {
        body.local_get(*arg);
    }
    body.i32_const(slot as i32).instr(Instr::CallIndirect(ir::CallIndirect { ty, table }));
    module.funcs.get_mut(id).kind = FunctionKind::Local(builder.local_func(args));
}

fn part(mut module: Module, plan: &Plan, target: usize) -> Result<Vec<u8>> {
    let table = table(&module)?;
    let ids: BTreeMap<usize, FunctionId> = module.funcs.iter().map(|f| (f.id().index(), f.id())).collect();
    let wanted = plan
        .calls
        .iter()
        .filter(|(from, to)| plan.owner.get(from) == Some(&target) && plan.owner.get(to) != Some(&target));
    let wanted: BTreeSet<usize> = wanted.map(|(_, to)| *to).collect();
    let exports: Vec<_> = module.exports.iter().map(|export| export.id()).collect();
    exports.into_iter().for_each(|id| module.exports.delete(id));
    let imports: Vec<_> = module.imports.iter().map(|import| import.id()).collect();
    for function in wanted {
        let (id, ty) = (ids[&function], module.funcs.get(ids[&function]).ty());
        let import = module.imports.add(FRONT, &shared(function), id);
        module.funcs.get_mut(id).kind = FunctionKind::Import(ImportedFunction { import, ty });
    }
    imports.into_iter().for_each(|id| module.imports.delete(id));
    module.start = None;
    share(&mut module, table, plan.length);
    place(&mut module, plan, target, table, &ids);
    walrus::passes::gc::run(&mut module);
    Ok(module.emit_wasm())
}

/// Memory, table and globals come from the front; its data is there already.
fn share(module: &mut Module, table: TableId, length: u64) {
    let data: Vec<_> = module.data.iter().map(|data| data.id()).collect();
    data.into_iter().for_each(|id| module.data.delete(id));
    let memories: Vec<_> = module.memories.iter().map(|memory| memory.id()).collect();
    for id in memories {
        let import = module.imports.add(FRONT, "shared_memory", id);
        let memory = module.memories.get_mut(id);
        memory.import = Some(import);
        memory.data_segments = Default::default();
    }
    let import = module.imports.add(FRONT, "table", table);
    let main = module.tables.get_mut(table);
    (main.import, main.initial, main.maximum) =
        (Some(import), length, main.maximum.map(|most| most.max(length)));
    let globals: Vec<_> = module.globals.iter().map(|global| global.id()).collect();
    for id in globals {
        let import = module.imports.add(FRONT, &format!("g{}", id.index()), id);
        module.globals.get_mut(id).kind = GlobalKind::Import(import);
    }
}

/// Puts the target's functions where the table wants them.
fn place(module: &mut Module, plan: &Plan, target: usize, table: TableId, ids: &BTreeMap<usize, FunctionId>) {
    let mut places: BTreeMap<u32, FunctionId> = BTreeMap::new();
    for element in module.elements.iter() {
        let ElementKind::Active { offset: ConstExpr::Value(ir::Value::I32(start)), .. } = &element.kind
        else {
            continue;
        };
        let ElementItems::Functions(all) = &element.items else { continue };
        let own = all.iter().enumerate().filter(|(_, id)| plan.is_of(**id, target));
        places.extend(own.map(|(n, id)| (*start as u32 + n as u32, *id)));
    }
    let called = plan.slots.iter().map(|(function, slot)| (*slot, ids[function]));
    places.extend(called.filter(|(_, id)| plan.is_of(*id, target)));
    let old: Vec<_> = module.elements.iter().map(|element| element.id()).collect();
    old.into_iter().for_each(|id| module.elements.delete(id));
    module.tables.get_mut(table).elem_segments = Default::default();
    fill(module, table, places);
}

/// Puts functions into the table, neighbours together.
fn fill(module: &mut Module, table: TableId, places: BTreeMap<u32, FunctionId>) {
    let mut runs: Vec<(u32, Vec<FunctionId>)> = Vec::new();
    for (at, id) in places {
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() as u32 == at => run.push(id),
            _ => runs.push((at, vec![id])),
        }
    }
    for (start, run) in runs {
        let offset = ConstExpr::Value(ir::Value::I32(start as i32));
        let segment =
            module.elements.add(ElementKind::Active { table, offset }, ElementItems::Functions(run));
        module.tables.get_mut(table).elem_segments.insert(segment);
    }
}
