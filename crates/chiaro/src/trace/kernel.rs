//! A pipeline as one compute shader: rays become ray queries, and stages are written out where they are called.
//!
//! Every place that traces or calls gets its own copy of the stages that it may lead to, as deep as the pipeline allows,
//! so that everything is known where it is and nothing has to be handed over: variables of stages become private ones
//! of the module, a payload is the caller's variable, the record is a constant. A launch is an invocation; the launch's
//! size stands in a buffer of its own. Who has ray queries has pipelines then.

mod instance;
mod ray;
mod site;
mod told;
mod words;

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use chiaro_ir::interp::Interpreter;
use chiaro_ir::{
    Binding, Builder, EntryPoint, FunctionRef, Global, GlobalRef, Member, Mistake, Module, Space, Stage, Ty,
    Type,
};
use chiaro_opt::{Cx, Pass};
use chiaro_trace::{Group, Pipeline};

use super::Joined;
use instance::Instance;
use site::Caller;
use told::View;

/// Copies of stages that a kernel takes: two places that trace, each of which comes to both again, double them with every
/// ray within a ray.
const MOST_COPIES: u32 = 1024;
/// Callables within callables that are written out, where their number is not constant.
const CALLABLES: u32 = 3;
/// Invocations of a group: a wave.
pub const GROUP: [u32; 3] = [8, 4, 1];
/// The buffer with the launch's size.
pub const LAUNCH: &str = "launch_size";

/// Makes the compute shader of a pipeline; its entry point is `main`.
///
/// # Errors
/// What cannot be written out: attributes that are no words of 32 bits, payloads that are not variables of the module.
pub fn kernel(joined: &Joined, pipeline: &Pipeline, cx: &mut Cx<'_>) -> Result<Module, Vec<Diagnostic>> {
    let mut module = joined.module.clone();
    for part in &joined.parts {
        let entry = &joined.module.entries[part.entries.start];
        let _ = cx.run(&Pass { name: "inline", run: chiaro_opt::inline }, &mut module, entry.function);
    }
    let (id, size) = (launch_id(&mut module), launch_size(&mut module));
    let Some(entry) = joined.module.entries.first() else {
        return Err(vec![Diagnostic::error(None, "the pipeline has no stages")]);
    };
    let layouts = Interpreter::new(&joined.module, entry);
    let mut maker = Maker { joined, pipeline, layouts, id, size, errors: Vec::new(), made: 0, copies: 0 };
    let Some(Group::General(stage)) = pipeline.table.raygen.group.map(|group| pipeline.groups[group]) else {
        return Err(vec![Diagnostic::error(None, "the pipeline has no ray generation stage")]);
    };
    let caller = Caller { depth: 1, callables: 0, incoming: None, site: None };
    let raygen = maker.instance(&mut module, stage, &pipeline.table.raygen, &caller);
    let main = maker.main(&mut module, &raygen);
    let main = main.map_err(|why| vec![Diagnostic::mistake(format!("a launch cannot be built: {why}"))])?;
    if !maker.errors.is_empty() {
        return Err(maker.errors);
    }
    module.entries = vec![EntryPoint {
        name: "main".to_owned(),
        stage: Stage::Compute,
        function: main,
        interface: vec![id.invocation],
        workgroup: GROUP,
        modes: Vec::new(),
    }];
    module.globals.iter_mut().for_each(|global| global.name = name_of(global));
    Ok(module)
}

/// What all copies of stages are made with.
struct Maker<'a> {
    joined: &'a Joined,
    pipeline: &'a Pipeline,
    /// Places of members in memory, of the types that stages brought.
    layouts: Interpreter<'a>,
    id: Launch,
    size: GlobalRef,
    errors: Vec<Diagnostic>,
    /// How many names were given.
    made: u32,
    /// How many copies of stages were made.
    copies: u32,
}

/// Where an invocation finds its number, and where stages do.
#[derive(Clone, Copy)]
struct Launch {
    invocation: GlobalRef,
    private: GlobalRef,
}

/// A variable without a place outside.
fn variable(name: &str, space: Space, ty: Ty) -> Global {
    Global {
        name: name.to_owned(),
        space,
        ty,
        init: None,
        binding: Binding::default(),
        members: Vec::new(),
        coherent: false,
        read_only: false,
        span: None,
    }
}

fn add(module: &mut Module, global: Global) -> GlobalRef {
    module.globals.push(global);
    GlobalRef(module.globals.len() as u32 - 1)
}

fn launch_id(module: &mut Module) -> Launch {
    const GLOBAL_INVOCATION: u32 = 28;
    let word = module.types.intern(Type::Int(32));
    let three = module.types.vector(word, 3);
    let binding = Binding { builtin: Some(GLOBAL_INVOCATION), ..Binding::default() };
    let invocation = add(module, Global { binding, ..variable("launch.invocation", Space::Input, three) });
    Launch { invocation, private: add(module, variable("launch.id", Space::Private, three)) }
}

/// The buffer has a binding behind all others of the first set.
fn launch_size(module: &mut Module) -> GlobalRef {
    let word = module.types.intern(Type::Int(32));
    let three = module.types.vector(word, 3);
    let members = vec![Member { ty: three, name: "size".to_owned(), offset: Some(0) }];
    let ty = module.types.intern(Type::Struct("Launch".to_owned(), members));
    let own = module.globals.iter().filter(|global| global.binding.set.unwrap_or(0) == 0);
    let last = own.filter_map(|global| global.binding.binding).max();
    let binding = Binding { set: Some(0), binding: Some(last.map_or(0, |n| n + 1)), ..Binding::default() };
    add(module, Global { binding, ..variable(LAUNCH, Space::Uniform, ty) })
}

/// The name by which a resource is given: its own, or that of its place.
#[must_use]
pub fn name_of(global: &Global) -> String {
    match (global.name.is_empty(), global.binding.binding) {
        (true, Some(binding)) => format!("set{}.binding{binding}", global.binding.set.unwrap_or(0)),
        _ => global.name.clone(),
    }
}

impl Maker<'_> {
    /// The launch: nothing beyond its size.
    fn main(&mut self, module: &mut Module, raygen: &Instance) -> Result<FunctionRef, Mistake> {
        let void = module.types.intern(Type::Void);
        let mut b = Builder::new(module, "launch", &[], void);
        let id = b.global(self.id.invocation);
        let id = b.load(id);
        let size = b.global(self.size);
        let size = b.member(size, 0);
        let size = b.load(size);
        let mut inside = b.bool(true);
        for axis in 0..3 {
            let (n, most) = (b.extract(id, axis), b.extract(size, axis));
            let below = b.ult(n, most);
            inside = b.and(inside, below);
        }
        b.when(inside, |b, _| {
            let private = b.global(self.id.private);
            b.store(private, id);
            self.call(b, raygen, None, View::Launch);
        });
        b.finish()
    }

    /// Notes a copy of a stage; whether it may call others in its turn.
    fn has_room(&mut self) -> bool {
        self.copies += 1;
        if self.copies == MOST_COPIES + 1 {
            let message = format!(
                "written out for {} rays one within the other, the stages take more than {MOST_COPIES} copies",
                self.pipeline.depth
            );
            let help = "lower `depth` in the pipeline, or trace from fewer places: every place has copies of its own";
            self.errors.push(Diagnostic::error(None, message).help(help));
        }
        self.copies <= MOST_COPIES
    }

    /// A name that nothing has yet.
    fn name(&mut self, of: &str) -> String {
        self.made += 1;
        format!("{of}.{}", self.made)
    }

    /// The variable that one of a stage is together with those at its binding, if both are of one type.
    fn joint(&self, module: &Module, g: GlobalRef) -> GlobalRef {
        let first = self.joined.aliases.get(&g).copied().unwrap_or(g);
        let same = module.global(first).ty == module.global(g).ty
            && module.global(first).space == module.global(g).space;
        if same { first } else { g }
    }
}

/// Variables of a stage, and what stands for them in a copy.
type Map = HashMap<GlobalRef, GlobalRef>;
