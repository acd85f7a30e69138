//! From legal IR to a file: selection, the steps on the graph, registers, words.

use crate::abi::{Abi, Interface, Wanted};
use crate::compile::allocate::allocate;
use crate::compile::combine::dce::dce;
use crate::compile::combine::outputs::{outputs, written};
use crate::compile::combine::sink::sink;
use crate::compile::combine::{combine, split_mads};
use crate::compile::compiled::{Compiled, Statistics};
use crate::compile::finish::constants::Pool;
use crate::compile::finish::file::file;
use crate::compile::finish::initial::initial;
use crate::compile::finish::{Input, Trouble, Words, finish};
use crate::compile::geometry::{Plan, keep_vertices, strip};
use crate::compile::graph::Graph;
use crate::compile::legalize::integer_registers;
use crate::compile::limits::{
    defaults, explain, missing, no_constant, no_order, no_position, no_register, too_long,
    too_many_operations, too_many_outputs,
};
use crate::compile::options::{Defaults, Options};
use crate::compile::schedule::bound::least_words;
use crate::compile::schedule::exact::raise;
use crate::compile::schedule::gather::gather;
use crate::compile::schedule::operands::legalize_operands;
use crate::compile::schedule::schedule;
use crate::compile::select::{Loops, select};
use crate::compile::tactic::{Step, Tactic};
use crate::compile::unit::Unit;
use crate::container::Stage;
use crate::operand::descriptor::Full;
use crate::regs::FLOATS;
use chiaro_diag::{Budget, Diagnostic};
use chiaro_ir::{Function, Module};

/// What can be given up where a program does not fit.
#[derive(Clone, Copy, Default)]
pub(super) struct Choice {
    pub(super) loops: Loops,
    /// No MAD: it can name 32 operand descriptors only.
    pub(super) no_mad: bool,
    /// Words that a subroutine must save.
    pub(super) subroutine_saves: usize,
    /// Steps that are left out.
    pub(super) tactic: Tactic,
    /// No registers for members of structures that nothing reads.
    pub(super) packed: bool,
}

/// Why there is no program, and what may help.
pub(super) struct Miss {
    pub(super) error: Box<Diagnostic>,
    pub(super) next: Option<Choice>,
}

impl From<Box<Diagnostic>> for Miss {
    fn from(error: Box<Diagnostic>) -> Miss {
        Miss { error, next: None }
    }
}

impl Choice {
    /// The error of too few c registers; another placement may help.
    fn or_packed(self, error: Box<Diagnostic>) -> Miss {
        Miss { error, next: (!self.packed).then_some(Choice { packed: true, ..self }) }
    }

    /// The error of a selection: where uniforms are integer registers, which loops run may not be all that
    /// asks for them.
    fn or_numbers(self, error: Box<Diagnostic>, abi: &Abi) -> Miss {
        let next = (!abi.registers.is_empty()).then_some(Choice { loops: Loops::Known, ..self });
        Miss { error, next }
    }

    /// The error of what steps that shorten programs may have brought about; with fewer of them it may fit.
    fn or_simpler(self, error: Box<Diagnostic>) -> Miss {
        Miss { error, next: self.simpler() }
    }

    fn simpler(self) -> Option<Choice> {
        self.tactic.simpler().map(|tactic| Choice { tactic, ..self })
    }

    /// What to give up for something that there is too little of.
    fn without(self, trouble: &Trouble) -> Option<Choice> {
        match trouble {
            Trouble::Loops | Trouble::Nesting("loop", ..) => match self.loops {
                Loops::All => Some(Choice { loops: Loops::Known, ..self }),
                Loops::Known => Some(Choice { loops: Loops::None, ..self }),
                Loops::None => None,
            },
            Trouble::Descriptors(Full::Mad, _) if !self.no_mad => Some(Choice { no_mad: true, ..self }),
            Trouble::Descriptors(..) => self.simpler(),
            _ => None,
        }
    }
}

/// How many times as many operations as the unit holds words are worth a try: components are gathered
/// into vectors, and what repeats becomes subroutines.
const MOST_TIMES: usize = 16;

/// What all steps together cost for a node, in steps of the budget [estimated: only that long
/// programs stop in time has been measured].
const STEPS: usize = 64;

/// From legal IR to a file, which the caller puts the module beside. Read top to bottom; the order
/// is the design.
pub(super) fn generate(
    module: &Module,
    interface: &Interface,
    entry: &str,
    (unit, plan, options): (Unit<'_>, Option<&Plan>, &Options),
    choice: Choice,
    budget: &Budget,
) -> Result<Compiled, Miss> {
    let point = module.entry(entry).ok_or_else(|| missing(module, entry))?;
    let function = module.function(point.function);
    let serves = choice.loops == Loops::All;
    let registers = if serves { integer_registers(module, function) } else { Vec::new() };
    let wanted = Wanted { wishes: Some(&options.wishes), packed: choice.packed, registers };
    let mut abi = Abi::new(module, point, interface, wanted).map_err(|error| choice.or_packed(error))?;
    let emits = strip::settings(function)?;
    let mut graph = select(module, function, &abi, &emits, choice.loops)
        .map_err(|error| choice.or_numbers(error, &abi))?;
    if !emits.is_empty() {
        keep_vertices(&mut graph);
    }
    budget.work("generate", STEPS * graph.nodes.len()).map_err(Box::<Diagnostic>::from)?;
    let operations = graph.nodes.iter().filter(|node| node.op.is_some()).count();
    if operations > MOST_TIMES * unit.words() {
        return Err(too_many_operations(operations, unit.words()).into());
    }
    graph.decisions = choice.tactic.decisions();
    abi.add_counts(module, interface, &graph.counts);
    let masks = rewrite(&mut graph, &mut abi, unit, (choice, options));
    let last_bool = outputs_fit(module, function, &abi, unit)?;
    let least = least_words(&graph);
    let chosen = choice.tactic.proves().then(|| graph.clone());
    let (mut homes, mut blocks) = gather(&mut graph, choice.tactic);
    legalize_operands(&mut graph, &mut homes, &mut blocks);
    let steps = schedule(&graph, &homes, &blocks).ok_or_else(|| choice.or_simpler(no_order()))?;
    let places = allocate(&graph, &homes, &steps)
        .map_err(|full| choice.or_simpler(no_register(&graph, &steps, full)))?;
    let pool = Pool::of_steps(&graph, &steps);
    if usize::from(abi.floats) + pool.registers.len() > usize::from(FLOATS) {
        return Err(choice.or_packed(no_constant(&abi, pool.registers.len())));
    }
    let words = finish(&Input {
        graph: &graph,
        homes: &homes,
        steps: &steps,
        places: &places,
        pool: &pool,
        first_constant: FLOATS as u8 - 1,
        bools: abi.bools,
        last_bool,
        subroutine_saves: choice.subroutine_saves,
    })
    .map_err(|trouble| Miss { next: choice.without(&trouble), error: explain(trouble, &graph) })?;
    fit(&words, unit, choice)?;
    let length = words.code.len() - 1;
    let least = chosen.map_or(least, |graph| raise(&graph, least, length));
    let statistics = Statistics {
        words: length,
        least,
        descriptors: words.descriptors.len(),
        registers: places.iter().flatten().map(|p| usize::from(p.register) + 1).max().unwrap_or(0),
        constants: pool.registers.len(),
        uniforms: abi.floats.into(),
        left_out: 0,
    };
    let values = if options.defaults == Defaults::Loader { initial(module, &abi) } else { Vec::new() };
    let mut shbin = file(&abi, &masks, &pool, &words, values);
    if let (Some(plan), Some(dvle)) = (plan, shbin.executables.first_mut()) {
        (dvle.stage, dvle.geometry) = (Stage::Geometry, plan.bytes());
    }
    let mut remarks = std::mem::take(&mut abi.remarks);
    remarks.extend(abi.outputs.iter().filter_map(|out| out.remark.clone()));
    remarks.extend(defaults(module, interface, &abi, options.defaults));
    let (bytes, module) = (shbin.write(), Module::default());
    let decisions = graph.decisions.count();
    Ok(Compiled { bytes, shbin, spans: words.spans, module, statistics, plan: None, remarks, abi, decisions })
}

/// Whether the loader's map holds the outputs, a position among them; the last boolean that there is.
fn outputs_fit(
    module: &Module,
    function: &Function,
    abi: &Abi,
    unit: Unit<'_>,
) -> Result<u8, Box<Diagnostic>> {
    let (most_outputs, last_bool) = unit.limits();
    if abi.outputs.len() > most_outputs {
        return Err(too_many_outputs(module, &abi.outputs, most_outputs));
    }
    let has_position = abi.outputs.iter().any(|out| out.property.kind == 0);
    if !has_position && !matches!(unit, Unit::Feeder) {
        return Err(no_position(function.span));
    }
    Ok(last_bool)
}

/// Rewrites the graph to fewer nodes. The components that each output register gets.
fn rewrite(
    graph: &mut Graph,
    abi: &mut Abi,
    unit: Unit<'_>,
    (choice, options): (Choice, &Options),
) -> [u8; 16] {
    dce(graph);
    let masks = match unit {
        Unit::Vertex | Unit::Feeder => outputs(graph, abi),
        Unit::Geometry(_) => written(graph),
    };
    combine(graph, choice.tactic, options.assumptions);
    if choice.no_mad {
        split_mads(graph);
    }
    if choice.tactic.takes(Step::Sink) {
        sink(graph);
    }
    dce(graph);
    masks
}

/// Whether the words fit the unit; more subroutines may help a vertex program.
fn fit(words: &Words, unit: Unit<'_>, choice: Choice) -> Result<(), Miss> {
    if words.code.len() <= unit.words() {
        return Ok(());
    }
    let smaller = choice.subroutine_saves > 1 && !matches!(unit, Unit::Geometry(_));
    let next = smaller.then_some(Choice { subroutine_saves: 1, ..choice });
    Err(Miss { next, error: too_long(words, unit.words()) })
}
