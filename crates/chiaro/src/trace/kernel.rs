//! A pipeline as one compute shader: rays become ray queries, and stages are written out where they are called.
//!
//! Every place that traces or calls gets its own copy of the stages that it may lead to, as deep as the pipeline allows,
//! so that everything is known where it is and nothing has to be handed over: variables of stages become private ones
//! of the module, a payload is the caller's variable, the record is a constant. A launch is an invocation; the launch's
//! size stands in a buffer of its own. Who has ray queries has pipelines then.

mod called;
mod instance;
mod ray;
mod search;
mod site;
mod told;
mod words;

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use chiaro_ir::interp::Interpreter;
use chiaro_ir::{
    Binding, Builder, EntryPoint, FunctionRef, Global, GlobalRef, Member, Mistake, Module, Space, Stage, Ty,
    Type, Value,
};
use chiaro_opt::{Cx, Pass};
use chiaro_trace::{Group, Pipeline};

use super::Joined;
use site::Caller;
use told::View;

/// Copies of stages that a kernel takes: two places that trace, each of which comes to both again, double them with every
/// ray within a ray.
const MOST_COPIES: u32 = 1024;
/// Copies of stages that are no dearer than calls of them, unless the caller has chosen.
const FEW_COPIES: u32 = 12;
/// Callables within callables that are written out, where their number is not constant.
const CALLABLES: u32 = 3;
/// Invocations of a group: a wave.
pub const GROUP: [u32; 3] = [8, 4, 1];
/// The buffer with the launch's size.
pub const LAUNCH: &str = "launch_size";

/// What becomes of stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// They are written out where they are called.
    Inlined,
    /// They are functions.
    Called,
}

/// How a kernel is made; what is not said is chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Choice {
    /// What becomes of stages.
    pub form: Option<Form>,
    /// How often a function may be open at once, in place of the pipeline's depth.
    pub recursion: Option<u32>,
}

/// A pipeline as a compute shader.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The shader; its entry point is `main`.
    pub module: Module,
    /// Names of functions that are to stay functions.
    pub kept: Vec<String>,
    /// How often each of them may be open at once.
    pub depth: u32,
    /// Callables that call each other, and how many of them may be open at once in all.
    pub together: Option<(Vec<String>, u32)>,
    /// Whether stages are left out that rays might reach: callables too deep within each other, and those to which
    /// something of another type is handed over. Functions leave none out.
    pub misses: bool,
}

/// Makes the compute shader of a pipeline, in a form or in the one that costs less: few copies of stages save the calls,
/// and many are more than the machine reads and the compiler writes in good time.
///
/// # Errors
/// What cannot be written out: attributes and payloads that are no numbers, payloads that are not variables of the module.
pub fn kernel(
    joined: &Joined,
    pipeline: &Pipeline,
    Choice { form, recursion }: Choice,
    cx: &mut Cx<'_>,
) -> Result<Kernel, Vec<Diagnostic>> {
    let mut module = joined.module.clone();
    for part in &joined.parts {
        let entry = &joined.module.entries[part.entries.start];
        let _ = cx.run(&Pass { name: "inline", run: chiaro_opt::inline }, &mut module, entry.function);
    }
    let (id, size) = (launch_id(&mut module), launch_size(&mut module));
    let Some(entry) = joined.module.entries.first() else {
        return Err(vec![Diagnostic::error(None, "the pipeline has no stages")]);
    };
    let Some(Group::General(stage)) = pipeline.table.raygen.group.map(|group| pipeline.groups[group]) else {
        return Err(vec![Diagnostic::error(None, "the pipeline has no ray generation stage")]);
    };
    let layouts = Interpreter::new(&joined.module, entry);
    let most = if form.is_none() { FEW_COPIES } else { MOST_COPIES };
    let errors = Vec::new();
    let layouts = &layouts;
    let maker =
        Maker { joined, pipeline, layouts, id, size, errors, made: 0, copies: 0, most, misses: false };
    let depth = recursion.unwrap_or(pipeline.depth).max(1);
    match form {
        Some(Form::Inlined) => maker.inlined(&mut module, stage).map(|made| made.kernel(module)),
        Some(Form::Called) => maker.called(module, stage, depth),
        None => {
            let mut inlined = module.clone();
            match maker.clone().inlined(&mut inlined, stage) {
                Ok(made) if !made.misses => Ok(made.kernel(inlined)),
                _ => maker.called(module, stage, depth),
            }
        }
    }
}

/// The stages written out.
struct Inlined {
    main: FunctionRef,
    invocation: GlobalRef,
    /// Whether stages are missing that rays might reach.
    misses: bool,
}

impl Inlined {
    fn kernel(&self, module: Module) -> Kernel {
        let module = entered(module, self.main, self.invocation);
        Kernel { module, kept: Vec::new(), depth: 1, together: None, misses: self.misses }
    }
}

/// The module with a function as its entry point.
fn entered(mut module: Module, main: FunctionRef, invocation: GlobalRef) -> Module {
    module.entries = vec![EntryPoint {
        name: "main".to_owned(),
        stage: Stage::Compute,
        function: main,
        interface: vec![invocation],
        workgroup: GROUP,
        modes: Vec::new(),
    }];
    module.globals.iter_mut().for_each(|global| global.name = name_of(global));
    module
}

/// What all copies of stages are made with.
#[derive(Clone)]
struct Maker<'a> {
    joined: &'a Joined,
    pipeline: &'a Pipeline,
    /// Places of members in memory, of the types that stages brought.
    layouts: &'a Interpreter<'a>,
    id: Launch,
    size: GlobalRef,
    errors: Vec<Diagnostic>,
    /// How many names were given.
    made: u32,
    /// How many copies of stages were made.
    copies: u32,
    /// How many there may be.
    most: u32,
    /// Whether a stage was left out that a ray might reach.
    misses: bool,
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

/// The buffer has a binding behind all others of the first set, or a set of its own: behind an array without a number
/// there is nothing.
fn launch_size(module: &mut Module) -> GlobalRef {
    let word = module.types.intern(Type::Int(32));
    let three = module.types.vector(word, 3);
    let members = vec![Member { ty: three, name: "size".to_owned(), offset: Some(0) }];
    let ty = module.types.intern(Type::Struct("Launch".to_owned(), members));
    let bound = |global: &&Global| global.binding.binding.is_some();
    let set = |global: &Global| global.binding.set.unwrap_or(0);
    let own = module.globals.iter().filter(bound).filter(|global| set(global) == 0);
    let last = own.clone().filter_map(|global| global.binding.binding).max();
    let is_open = own.into_iter().any(|global| matches!(module.types.get(global.ty), Type::RuntimeArray(..)));
    let behind = module.globals.iter().filter(bound).map(set).max().map_or(0, |set| set + 1);
    let (set, binding) = if is_open { (behind, 0) } else { (0, last.map_or(0, |n| n + 1)) };
    let binding = Binding { set: Some(set), binding: Some(binding), ..Binding::default() };
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

impl<'a> Maker<'a> {
    /// All stages written out.
    fn inlined(mut self, module: &mut Module, raygen: usize) -> Result<Inlined, Vec<Diagnostic>> {
        let caller = Caller { depth: 1, callables: 0, incoming: None, site: None };
        let raygen = self.instance(module, raygen, &self.pipeline.table.raygen, &caller);
        let main = self.launch(module, |maker, b, id| {
            let private = b.global(maker.id.private);
            b.store(private, id);
            maker.call(b, &raygen, None, View::Launch);
        });
        let main =
            main.map_err(|why| vec![Diagnostic::mistake(format!("a launch cannot be built: {why}"))])?;
        match self.errors.is_empty() {
            true => Ok(Inlined { main, invocation: self.id.invocation, misses: self.misses }),
            false => Err(self.errors),
        }
    }

    /// All stages as functions.
    fn called(self, module: Module, raygen: usize, depth: u32) -> Result<Kernel, Vec<Diagnostic>> {
        let invocation = self.id.invocation;
        let called::Made { module, main, kept, together } = called::called(self, module, raygen, depth)?;
        let module = entered(module, main, invocation);
        Ok(Kernel { module, kept, depth, together, misses: false })
    }

    /// The launch: nothing beyond its size.
    fn launch(
        &self,
        module: &mut Module,
        body: impl FnOnce(&Self, &mut Builder<'_>, Value),
    ) -> Result<FunctionRef, Mistake> {
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
        b.when(inside, |b, _| body(self, b, id));
        b.finish()
    }

    /// Notes a copy of a stage; whether it may call others in its turn.
    fn has_room(&mut self) -> bool {
        self.copies += 1;
        if self.copies == self.most + 1 {
            let message = format!(
                "written out for {} rays one within the other, the stages take more than {} copies",
                self.pipeline.depth, self.most
            );
            let help = "let them be called: `--stages called`; or lower `depth` in the pipeline";
            self.errors.push(Diagnostic::error(None, message).help(help));
        }
        self.copies <= self.most
    }

    /// A name that nothing has yet.
    fn name(&mut self, of: &str) -> String {
        self.made += 1;
        format!("{of}.{}", self.made)
    }

    /// The same for a function, which is called by it.
    fn function_name(&mut self, module: &Module, of: &str) -> String {
        loop {
            let name = self.name(of);
            if module.functions.iter().all(|f| f.name != name) {
                return name;
            }
        }
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
