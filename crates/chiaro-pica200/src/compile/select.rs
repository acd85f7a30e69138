//! Selection: IR to a graph of lanes.
//!
//! What only moves components (construct, extract, shuffle, negation, loads of inputs and
//! uniforms) becomes no node at all: it is followed to the lanes behind it. Every other operation
//! becomes one node of its width; what a machine instruction can do beyond that (dot products out
//! of sums, MAD, packing) is found by later steps on the graph, where lanes are easy to compare.
//!
//! | file | does |
//! |---|---|
//! | [`value`] | arithmetic and composites |
//! | [`memory`] | variables of the module |
//! | [`test`] | bools: comparisons, conditions, selects |
//! | [`flow`] | constructs, loops, what leaves them |
//! | [`counter`] | which loops LOOP can run |

mod counter;
mod flow;
mod memory;
mod test;
mod value;

use crate::abi::Abi;
use crate::compile::geometry::Emits;
use crate::compile::graph::{Block, Graph, Id, Item, Lane, Lanes};
use crate::compile::legalize::{Counted, Rounds};
use crate::isa::Op as Machine;
use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{Constant, ConstantKind, Def, Function, Inst, Module, Type, Value};
use memory::Place;
use std::collections::HashMap;
use test::{Test, TestId};

type Answer<T> = Result<T, Box<Diagnostic>>;

/// Constructs within each other; more than the machine has stacks for, so that flattening by
/// later steps has something to work on, and few enough for recursion.
const DEPTH: u32 = 64;

/// What stands for a value of the IR.
#[derive(Clone, Debug, Default)]
enum Repr {
    /// Nothing yet, or nothing that has a form here.
    #[default]
    None,
    /// Components of a number or a vector of numbers; integers are the floats of the same value.
    Lanes(Lanes, u8),
    /// Bools.
    Tests([TestId; 4], u8),
    /// The counter of a LOOP times a factor, plus a term: loop, factor, term.
    Counter(u16, i32, i32),
    /// A pointer.
    Place(Place),
    /// An array or structure in memory that was loaded as a whole: its parts are loaded when
    /// they are taken out.
    Loaded(Place),
    /// Parts of an array or structure.
    Parts(Vec<Repr>),
}

/// Which loops LOOP runs; the others jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Loops {
    /// All that it can.
    #[default]
    All,
    /// Those whose count is known: the application sets no integer register.
    Known,
    None,
}

impl Loops {
    fn serve(self, counted: &Counted) -> bool {
        match counted.rounds {
            Rounds::Known(_) => self != Loops::None,
            Rounds::Uniform(..) => self == Loops::All,
        }
    }
}

struct Select<'a> {
    loops: Loops,
    module: &'a Module,
    f: &'a Function,
    abi: &'a Abi,
    emits: &'a Emits,
    graph: Graph,
    /// By value number.
    values: Vec<Repr>,
    tests: Vec<Test>,
    /// Where nodes go.
    block: Block,
    /// Source text of the instruction at hand.
    span: Option<Span>,
    /// The results of constructs that are open, by instruction.
    open: Vec<flow::Frame>,
    depth: u32,
    /// The `if` that the last select made: its test, its blocks and the nodes before it.
    last_select: Option<(TestId, [Block; 2], Id)>,
    private: memory::Private,
    /// Nodes that were made, to be used again.
    known: HashMap<(Machine, u8, [Lanes; 3]), (Id, Block)>,
    /// The blocks around the block at hand, itself included.
    around: Vec<Block>,
}

/// Selects the function of an entry point.
///
/// # Errors
/// Operations that the machine has nothing for.
pub(crate) fn select(module: &Module, f: &Function, abi: &Abi, emits: &Emits, loops: Loops) -> Answer<Graph> {
    let mut s = Select {
        loops,
        module,
        f,
        abi,
        emits,
        graph: Graph::default(),
        values: vec![Repr::None; f.value_count()],
        tests: Vec::new(),
        block: 0,
        span: None,
        open: Vec::new(),
        depth: 0,
        last_select: None,
        private: memory::Private::default(),
        known: HashMap::new(),
        around: vec![0],
    };
    s.graph.block();
    s.block(f.body)?;
    Ok(s.graph)
}

impl Select<'_> {
    /// Everything in a block of the IR, at the end of the block at hand.
    fn block(&mut self, block: chiaro_ir::Block) -> Answer<()> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.error(format!("constructs are nested deeper than {DEPTH}")));
        }
        let f = self.f;
        for &inst in &f.block(block).insts {
            self.span = f.inst(inst).span.or(self.span);
            self.inst(inst)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        Diagnostic::error(self.span, message).into()
    }

    /// The operation has no place on this machine.
    fn unsupported(&self, inst: Inst) -> Box<Diagnostic> {
        let name = self.f.op(inst).info().name;
        self.error(format!("the PICA200 cannot do `{name}` in a vertex shader"))
    }

    /// An operation; one that was computed already, here or around here, is not computed again.
    fn node(&mut self, op: Machine, width: u8, args: &[Lanes]) -> Id {
        let mut key = [[Lane::UNDEF; 4]; 3];
        key[..args.len()].copy_from_slice(args);
        let changes = |lane: &Lane| lane.node().is_some_and(|id| self.graph.node(id).op.is_none());
        let fixed = !key.iter().flatten().any(changes);
        if fixed
            && let Some((id, block)) = self.known.get(&(op, width, key))
            && self.around.contains(block)
        {
            return *id;
        }
        let id = self.graph.add(op, width, args, self.span);
        if fixed {
            self.known.insert((op, width, key), (id, self.block));
        }
        self.graph.items_mut(self.block).push(Item::Node(id));
        id
    }

    /// What stands for a value; constants are made when they are asked for.
    fn repr(&mut self, value: Value) -> Answer<Repr> {
        if let Def::Constant(c) = self.f.def(value) {
            return self.constant(c);
        }
        Ok(self.values[value.0 as usize].clone())
    }

    fn set(&mut self, value: Value, repr: Repr) {
        self.values[value.0 as usize] = repr;
    }

    /// The components of a number or vector.
    fn lanes(&mut self, value: Value) -> Answer<(Lanes, u8)> {
        let repr = self.repr(value)?;
        self.lanes_of(repr)
    }

    fn lanes_of(&mut self, repr: Repr) -> Answer<(Lanes, u8)> {
        match repr {
            Repr::Lanes(lanes, n) => Ok((lanes, n)),
            Repr::Tests(tests, n) => Ok((self.numbers(tests, n), n)),
            Repr::Counter(l, factor, term) => self.counter_number(l, factor, term),
            _ => Err(self.error("a value of this type cannot be held in registers here")),
        }
    }

    fn constant(&mut self, c: Constant) -> Answer<Repr> {
        let (ty, kind) = (self.module.constants.ty(c), self.module.constants.get(c));
        let types = &self.module.types;
        match (types.get(ty), kind) {
            (Type::Bool, _) => {
                let set = self.module.constants.bits(c) == Some(1);
                let test = self.test(Test::Known(set));
                Ok(Repr::Tests([test; 4], 1))
            }
            (Type::Float(_) | Type::Int(_), ConstantKind::Undef) => Ok(Repr::Lanes([Lane::UNDEF; 4], 1)),
            (Type::Float(_), _) => {
                let bits = self.module.constants.bits(c).unwrap_or(0);
                let lane = Lane::constant(f32::from_bits(bits as u32));
                Ok(Repr::Lanes([lane; 4], 1))
            }
            (Type::Int(width), _) => {
                let bits = self.module.constants.bits(c).unwrap_or(0);
                let shift = 64 - u32::from((*width).clamp(1, 64));
                let lane = Lane::constant((((bits << shift) as i64) >> shift) as f32);
                Ok(Repr::Lanes([lane; 4], 1))
            }
            (_, ConstantKind::Global(g)) => Ok(Repr::Place(self.global(*g)?)),
            (_, ConstantKind::Composite(parts)) => {
                let parts = parts.clone();
                let parts: Answer<Vec<Repr>> = parts.iter().map(|&p| self.constant(p)).collect();
                Ok(self.composite(types.components(ty) > 0, parts?))
            }
            (_, ConstantKind::Zero | ConstantKind::Undef) => self.zero(ty, *kind == ConstantKind::Undef),
            _ => Err(self.error("a constant of this kind has no form on the PICA200")),
        }
    }

    /// Zeros of a composite type.
    fn zero(&mut self, ty: chiaro_ir::Ty, undef: bool) -> Answer<Repr> {
        let types = &self.module.types;
        let lane = if undef { Lane::UNDEF } else { Lane::constant(0.0) };
        match types.components(ty) {
            0 => {
                let count = types.part_count(ty).unwrap_or(0);
                if count > 4096 {
                    return Err(self.error("a constant this large has no place in registers"));
                }
                let parts: Answer<Vec<Repr>> =
                    (0..count).map(|i| self.zero(types.part(ty, i).unwrap_or(ty), undef)).collect();
                Ok(Repr::Parts(parts?))
            }
            n if types.is_bool(ty) => {
                let test = self.test(Test::Known(false));
                Ok(Repr::Tests([test; 4], n))
            }
            n => Ok(Repr::Lanes([lane; 4], n)),
        }
    }
}
