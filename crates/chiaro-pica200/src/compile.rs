//! From IR to an SHBIN file. Read [`compile`] from top to bottom; the order is the design.

pub(crate) mod allocate;
mod combine;
pub(crate) mod finish;
pub mod geometry;
pub(crate) mod graph;
pub mod legalize;
mod limits;
mod schedule;
mod select;

use self::limits::{explain, missing, no_constant, no_register, too_long, too_many_outputs};
use crate::abi::{Abi, FLOATS, Interface, Out};
use crate::compile::allocate::allocate;
use crate::compile::combine::dead::dead;
use crate::compile::combine::outputs::{outputs, written};
use crate::compile::combine::sink::sink;
use crate::compile::combine::{combine, split_mads};
use crate::compile::finish::constants::Pool;
use crate::compile::finish::initial::initial;
use crate::compile::finish::{Trouble, Words, finish};
use crate::compile::geometry::{Plan, Request};
use crate::compile::graph::{Base, Graph, Lane};
use crate::compile::legalize::clip::{Clip, convert};
use crate::compile::legalize::{illegal, unsupported};
use crate::compile::schedule::gather::gather;
use crate::compile::schedule::operands::operands_fit;
use crate::compile::schedule::{Step, schedule};
use crate::compile::select::{Loops, select};
use crate::container::{Constant, ConstantValue, Dvle, Dvlp, Output, Shbin, Stage, UniformRegister};
use crate::operand::descriptor::Full;
use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{Exits, Module, Stage as IrStage, lower_exits};
use chiaro_opt::{AGAIN_TO_VALUES, Assumptions, Changed, Conditions, Cx, Pass, optimize};

pub use crate::abi::LoopCount;

/// Words of the vertex unit's program memory.
pub const WORDS: usize = 512;

/// What a subroutine saves by default.
const SUBROUTINE_SAVES: usize = 8;

/// The version that picasso gives executables.
const DVLE_VERSION: u16 = 0x1002;

/// Choices for compiling.
#[derive(Clone, Debug)]
pub struct Options {
    /// What arithmetic may be assumed to be; exact values keep theirs in any case.
    pub assumptions: Assumptions,
    /// The convention of clip coordinates to convert from; without it they pass through.
    pub clip: Option<Clip>,
    /// Words that a subroutine must save to be made: a CALL takes time on every path. A program
    /// that does not fit makes all that save one.
    pub subroutine_saves: usize,
}

impl Compiled {
    /// The integer registers that the application sets for loops.
    #[must_use]
    pub fn loop_counts(&self) -> &[LoopCount] {
        &self.abi.loops
    }
}

impl Default for Options {
    fn default() -> Options {
        Options { assumptions: Assumptions::GRAPHICS, clip: None, subroutine_saves: SUBROUTINE_SAVES }
    }
}

/// A compiled vertex shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The file, to be edited or written again.
    pub shbin: Shbin,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// The source text of each word.
    pub spans: Vec<Option<Span>>,
    /// The optimised, legal IR that the words compute.
    pub module: Module,
    /// What it takes of the machine.
    pub statistics: Statistics,
    /// Where a geometry program finds its vertices.
    pub plan: Option<Plan>,
    /// Where its variables are.
    pub(crate) abi: Abi,
}

/// What a program is for.
#[derive(Clone, Copy)]
pub(crate) enum Unit<'a> {
    Vertex,
    Geometry(&'a Request),
}

impl Unit<'_> {
    fn stage(self) -> IrStage {
        match self {
            Unit::Vertex => IrStage::Vertex,
            Unit::Geometry(_) => IrStage::Geometry,
        }
    }

    /// Words of its program memory.
    fn words(self) -> usize {
        match self {
            Unit::Vertex => WORDS,
            Unit::Geometry(_) => geometry::WORDS,
        }
    }

    /// Outputs, and the last boolean that the hardware leaves alone.
    fn limits(self) -> (usize, u8) {
        match self {
            Unit::Vertex => (16, 15),
            Unit::Geometry(_) => (geometry::OUTPUTS, 14),
        }
    }
}

/// What a program takes of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Words, END not counted.
    pub words: usize,
    /// Operand descriptors.
    pub descriptors: usize,
    /// Temporary registers.
    pub registers: usize,
    /// c registers that hold numbers of the program.
    pub constants: usize,
    /// c registers that the application fills.
    pub uniforms: usize,
}

/// The machine's outputs cannot be read.
static READBACK: &[Pass] = &[Pass { name: "outputs_to_locals", run: chiaro_opt::outputs_to_locals }];

/// Passes behind the first round of [`optimize`], before legalisation.
static BEFORE_LEGALIZE: &[Pass] = &[
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "cse", run: chiaro_opt::cse },
    Pass { name: "lower_exits", run: exits },
    Pass { name: "licm", run: chiaro_opt::licm },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// What legalisation leaves to be simplified.
static AFTER_LEGALIZE: &[Pass] = &[
    Pass { name: "const_fold", run: chiaro_opt::const_fold },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "cse", run: chiaro_opt::cse },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// Inputs and outputs of a geometry shader, which were memory, become values.
static REWIRED: &[Pass] = &[
    Pass { name: "sroa", run: chiaro_opt::sroa },
    Pass { name: "mem2reg", run: chiaro_opt::mem2reg },
    Pass { name: "dce", run: chiaro_opt::dce },
    Pass { name: "const_fold", run: chiaro_opt::const_fold },
    Pass { name: "simplify", run: chiaro_opt::simplify },
    Pass { name: "trivial_phis", run: chiaro_opt::trivial_phis },
    Pass { name: "dce", run: chiaro_opt::dce },
];

/// Indices of vertices that loops step through.
static INDICES: &[Pass] =
    &[Pass { name: "indices", run: geometry::indices }, Pass { name: "dce", run: chiaro_opt::dce }];

fn exits(module: &mut Module, f: chiaro_ir::FunctionRef, _: &mut Cx<'_>) -> chiaro_opt::Changed {
    lower_exits(module, f, Exits::default()).into()
}

/// Compiles a vertex shader.
///
/// # Errors
/// What the shader asks for and the machine does not have, with the source line where there is
/// one; limits say what is used, what is allowed, and what would help.
pub fn compile(
    module: &Module,
    interface: &Interface,
    entry: &str,
    options: &Options,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    // LOOP costs one word and IFC two: words are scarcer than time here.
    cx.options.limits.unroll_cost = 0;
    compile_unit(module, interface, entry, options, Unit::Vertex, cx)
}

/// Compiles a shader for one of the units.
pub(crate) fn compile_unit(
    module: &Module,
    interface: &Interface,
    entry: &str,
    options: &Options,
    unit: Unit<'_>,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Box<Diagnostic>> {
    let (module, plan) = legal_ir(module, entry, options, unit, cx)?;
    let mut choice = match unit {
        Unit::Vertex => Choice { subroutine_saves: options.subroutine_saves, ..Choice::default() },
        // What counts vertices is a c register, which LOOP does not read; there is room for words.
        Unit::Geometry(_) => {
            Choice { loops: Loops::Known, subroutine_saves: usize::MAX, ..Choice::default() }
        }
    };
    loop {
        match generate(&module, interface, entry, (unit, plan.as_ref()), choice) {
            Ok(compiled) => return Ok(Compiled { module, plan, ..compiled }),
            Err(Miss { next: Some(next), .. }) => choice = next,
            Err(Miss { told, .. }) => return Err(told),
        }
    }
}

/// Legal IR, optimised; for a geometry program also where its vertices are.
fn legal_ir(
    module: &Module,
    entry: &str,
    options: &Options,
    unit: Unit<'_>,
    cx: &mut Cx<'_>,
) -> Result<(Module, Option<Plan>), Box<Diagnostic>> {
    let mut module = module.clone();
    let point = module.entry(entry).ok_or_else(|| missing(&module, entry))?;
    if point.stage != unit.stage() {
        let what = format!("`{entry}` is a {:?} shader, not a {:?} shader", point.stage, unit.stage());
        return Err(Diagnostic::error(None, what).into());
    }
    cx.options.assumptions = options.assumptions;
    cx.options.limits.select_conditions = Conditions::None;
    let _ = optimize(&mut module, entry, cx);
    let function = module.entry(entry).ok_or_else(|| missing(&module, entry))?.function;
    let plan = match unit {
        Unit::Vertex => {
            if cx.run_all(READBACK, &mut module, function) == Changed::Yes {
                let _ = cx.run_all(AGAIN_TO_VALUES, &mut module, function);
            }
            None
        }
        Unit::Geometry(request) => {
            let plan = geometry::rewire(&mut module, function, request)?;
            let _ = cx.run_all(REWIRED, &mut module, function);
            Some(plan)
        }
    };
    if let Some(from) = options.clip {
        convert(&mut module, function, from)?;
    }
    if let Some(told) = unsupported(&module, function).into_iter().next() {
        return Err(told.into());
    }
    let _ = cx.run_all(BEFORE_LEGALIZE, &mut module, function);
    let _ = cx.run_all(legalize::PASSES, &mut module, function);
    let _ = cx.run_all(AGAIN_TO_VALUES, &mut module, function);
    if let Some(told) = illegal(&module, function).into_iter().next() {
        return Err(told.into());
    }
    let _ = cx.run_all(AFTER_LEGALIZE, &mut module, function);
    if plan.is_some() {
        let _ = cx.run_all(INDICES, &mut module, function);
    }
    if let Some((pass, breaches)) = &cx.breach {
        let first = breaches.first().map(|b| b.diagnostic().message).unwrap_or_default();
        return Err(Diagnostic::error(None, format!("the pass `{pass}` breaks a rule: {first}")).into());
    }
    Ok((module, plan))
}

/// What can be given up where a program does not fit.
#[derive(Clone, Copy, Default)]
struct Choice {
    loops: Loops,
    /// No MAD: it can name 32 operand descriptors only.
    no_mad: bool,
    /// Words that a subroutine must save.
    subroutine_saves: usize,
}

/// Why there is no program, and what may help.
struct Miss {
    told: Box<Diagnostic>,
    next: Option<Choice>,
}

impl From<Box<Diagnostic>> for Miss {
    fn from(told: Box<Diagnostic>) -> Miss {
        Miss { told, next: None }
    }
}

impl Choice {
    /// What to give up for something that there is too little of.
    fn without(self, trouble: &Trouble) -> Option<Choice> {
        match trouble {
            Trouble::Loops | Trouble::Nesting("loop", ..) => match self.loops {
                Loops::All => Some(Choice { loops: Loops::Known, ..self }),
                Loops::Known => Some(Choice { loops: Loops::None, ..self }),
                Loops::None => None,
            },
            Trouble::Descriptors(Full::Mad, _) if !self.no_mad => Some(Choice { no_mad: true, ..self }),
            _ => None,
        }
    }
}

/// From legal IR to a file, which the caller puts the module beside. Read top to bottom; the order
/// is the design.
fn generate(
    module: &Module,
    interface: &Interface,
    entry: &str,
    (unit, plan): (Unit<'_>, Option<&Plan>),
    choice: Choice,
) -> Result<Compiled, Miss> {
    let point = module.entry(entry).ok_or_else(|| missing(module, entry))?;
    let mut abi = Abi::new(module, point, interface)?;
    let (most_outputs, last_bool) = unit.limits();
    if abi.outputs.len() > most_outputs {
        return Err(too_many_outputs(abi.outputs.len(), most_outputs).into());
    }
    let emits = geometry::strip::settings(module.function(point.function))?;
    let mut graph = select(module, module.function(point.function), &abi, &emits, choice.loops)?;
    abi.add_counts(module, interface, &graph.counts);
    dead(&mut graph);
    let masks = match unit {
        Unit::Vertex => outputs(&mut graph, &mut abi),
        Unit::Geometry(_) => written(&graph),
    };
    combine(&mut graph);
    if choice.no_mad {
        split_mads(&mut graph);
    }
    sink(&mut graph);
    dead(&mut graph);
    let (mut homes, mut blocks) = gather(&mut graph);
    operands_fit(&mut graph, &mut homes, &mut blocks);
    let steps = schedule(&graph, &homes, &blocks);
    let places = allocate(&graph, &homes, &steps).map_err(|full| no_register(&graph, &steps, full))?;
    let pool = pool(&graph, &steps);
    let constants = pool.registers.len();
    if usize::from(abi.floats) + constants > usize::from(FLOATS) {
        return Err(no_constant(&abi, constants).into());
    }
    let input = finish::Input {
        graph: &graph,
        homes: &homes,
        steps: &steps,
        places: &places,
        pool: &pool,
        first_constant: FLOATS as u8 - 1,
        bools: abi.bools,
        last_bool,
        subroutine_saves: choice.subroutine_saves,
    };
    let words = finish(&input)
        .map_err(|trouble| Miss { next: choice.without(&trouble), told: explain(trouble, &graph) })?;
    if words.code.len() > unit.words() {
        let smaller = choice.subroutine_saves > 1 && plan.is_none();
        let next = smaller.then_some(Choice { subroutine_saves: 1, ..choice });
        return Err(Miss { next, told: too_long(&words, unit.words()) });
    }
    let registers = places.iter().flatten().map(|p| usize::from(p.register) + 1).max().unwrap_or(0);
    let statistics = Statistics {
        words: words.code.len() - 1,
        descriptors: words.descriptors.len(),
        registers,
        constants,
        uniforms: abi.floats.into(),
    };
    let initial = initial(module, &abi);
    let mut shbin = file(&abi, &masks, &pool, &words, initial);
    if let (Some(plan), Some(dvle)) = (plan, shbin.executables.first_mut()) {
        (dvle.stage, dvle.geometry) = (Stage::Geometry, plan.bytes());
    }
    let (bytes, module) = (shbin.write(), Module::default());
    Ok(Compiled { bytes, shbin, spans: words.spans, module, statistics, plan: None, abi })
}

/// The numbers of all operands, and of all addresses.
fn pool(graph: &Graph, steps: &[Step]) -> Pool {
    let mut operands: Vec<&[Lane]> = Vec::new();
    let has_number = |lanes: &[Lane]| lanes.iter().any(|l| matches!(l.base, Base::Const(_)));
    for step in steps {
        let Step::Node(id) = step else { continue };
        let node = graph.node(*id);
        let args = (0..3).map(|k| &node.args[k][..node.reads(k)]);
        operands.extend(args.filter(|lanes| has_number(lanes)));
    }
    operands.extend(graph.addresses.iter().map(std::slice::from_ref).filter(|lanes| has_number(lanes)));
    Pool::of(&operands)
}

/// The SHBIN file; `constants` are those of uniforms.
fn file(abi: &Abi, masks: &[u8; 16], pool: &Pool, words: &Words, mut constants: Vec<Constant>) -> Shbin {
    for (i, numbers) in pool.registers.iter().enumerate() {
        let number = |k: usize| numbers.get(k).copied().unwrap_or(0);
        let value = ConstantValue::Float(std::array::from_fn(number));
        constants.push(Constant::new(FLOATS - 1 - i as u16, value));
    }
    constants
        .extend(words.ints.iter().map(|(i, bytes)| Constant::new((*i).into(), ConstantValue::Int(*bytes))));
    constants.extend(words.always.map(|b| Constant::new(b.into(), ConstantValue::Bool(true))));
    let outputs: Vec<Output> = abi
        .outputs
        .iter()
        .enumerate()
        .filter(|(register, _)| masks[*register] != 0)
        .map(|(register, out)| output(register, out, masks[register]))
        .collect();
    let mut dvle = Dvle {
        version: DVLE_VERSION,
        stage: Stage::Vertex,
        merge: 0,
        entry: 0,
        // Behind END; subroutines follow.
        end: words.main as u32,
        inputs: abi.inputs.values().fold(0, |mask, input| mask | input.mask()),
        outputs_used: outputs.iter().fold(0, |mask, o| mask | 1 << o.register),
        geometry: [0; 4],
        constants,
        labels: Vec::new(),
        outputs,
        uniforms: Vec::new(),
        symbols: Vec::new(),
    };
    for (name, register, count) in &abi.names {
        if matches!(register, UniformRegister::Input(_)) || *count > 0 {
            dvle.add_uniform(name, *register, *count);
        }
    }
    let descriptors = words.descriptors.clone();
    let program = Dvlp { code: words.code.clone(), descriptors, ..Dvlp::default() };
    Shbin::new(program, vec![dvle])
}

fn output(register: usize, out: &Out, mask: u8) -> Output {
    Output { kind: out.property.kind, register: register as u16, mask: mask.into(), unknown: 0 }
}
