//! The state of selection, and what stands for values of the IR.

use crate::abi::Abi;
use crate::compile::geometry::strip::Emits;
use crate::compile::graph::{Block, Component, Components, Cond, Graph, Id, Index, Item};
use crate::compile::legalize::{Counted, Rounds};
use crate::isa::Op as Machine;
use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{Constant, ConstantKind, Def, Function, GlobalRef, Inst, Module, Ty, Type, Value};
use std::collections::HashMap;

pub(super) type Answer<T> = Result<T, Box<Diagnostic>>;

/// Constructs within each other; more than the machine has stacks for, so that flattening by
/// later steps has something to work on, and few enough for recursion.
pub(super) const DEPTH: u32 = 64;

/// What stands for a value of the IR.
#[derive(Clone, Debug, Default)]
pub(super) enum Repr {
    /// Nothing yet, or nothing that has a form here.
    #[default]
    None,
    /// Components of a number or a vector of numbers; integers are the floats of the same value.
    Components(Components, u8),
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
    pub(super) fn serve(self, counted: &Counted) -> bool {
        match counted.rounds {
            Rounds::Known(_) => self != Loops::None,
            Rounds::Uniform(..) | Rounds::Register(..) => self == Loops::All,
        }
    }
}

pub(super) struct Select<'a> {
    pub(super) loops: Loops,
    pub(super) module: &'a Module,
    pub(super) f: &'a Function,
    pub(super) abi: &'a Abi,
    pub(super) emits: &'a Emits,
    pub(super) graph: Graph,
    /// By value number.
    pub(super) values: Vec<Repr>,
    pub(super) tests: Vec<Test>,
    /// Where nodes go.
    pub(super) block: Block,
    /// Source text of the instruction at hand.
    pub(super) span: Option<Span>,
    /// Whether the instruction at hand is `precise`.
    pub(super) exact: bool,
    /// The results of constructs that are open, by instruction.
    pub(super) open: Vec<Frame>,
    pub(super) depth: u32,
    /// The `if` that the last select made: its test, its blocks and the nodes before it.
    pub(super) last_select: Option<(TestId, [Block; 2], Id)>,
    pub(super) private: Private,
    /// Nodes that were made, to be used again.
    pub(super) known: HashMap<(Machine, u8, [Components; 3]), (Id, Block)>,
    /// Indices with the size of what they count, what was made of them, and the block that this stands in.
    pub(super) indices: HashMap<(Value, i32), (i32, Index, Block)>,
    /// The blocks around the block at hand, itself included.
    pub(super) around: Vec<Block>,
}

/// A test: its place in the list.
pub(super) type TestId = u32;

/// What a bool tests.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Test {
    Known(bool),
    /// A boolean uniform.
    Uniform(u8),
    /// Two components by a relation.
    Compare(Component, Component, u8),
    Not(TestId),
    And(TestId, TestId),
    Or(TestId, TestId),
}

/// Where a pointer points.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) root: Root,
    /// What is there.
    pub(super) ty: Ty,
}

#[derive(Clone, Debug)]
pub(super) enum Root {
    /// An attribute, or a column of one; its register.
    Input(u8),
    /// One component of an attribute.
    InputComponent(u8, u8),
    /// Register, shape, and the address that is added.
    Uniform(u16, u32, Index),
    /// The column of a matrix at a register with so many rows.
    Column(u16, u8, u8, Index),
    /// One component of a register.
    Component(u16, u8, Index),
    /// A column of a matrix that was chosen by a computed number, as components.
    Chosen(Components, u8),
    /// A whole output, or one component of it; the number of its register.
    Output(Option<u8>, Option<u8>),
    /// Several registers of an output variable: the way to them.
    Outputs(GlobalRef, Vec<u32>),
    /// A variable with no place outside, and the parts to go down.
    Private(u32, Vec<u32>),
}

/// Variables without a place outside, in code without branches: what they hold.
#[derive(Default)]
pub(super) struct Private {
    pub(super) held: Vec<Repr>,
    pub(super) globals: HashMap<GlobalRef, u32>,
}

/// A construct that is open.
pub(super) struct Frame {
    pub(super) inst: Inst,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    /// Variables for the results.
    If(Vec<Option<Id>>),
    /// What the only exit gave.
    Block(Vec<Repr>),
    Loop(LoopFrame),
}

/// A loop that is open.
pub(super) struct LoopFrame {
    /// Its place in the graph's list, if LOOP runs it.
    pub(super) number: Option<u16>,
    /// What it stands in, if it may have no round: the condition of a round, the block with the
    /// loop, and an empty one.
    pub(super) guard: Option<(Cond, [Block; 2])>,
    /// A variable for each parameter of its body; `None` for the counter.
    pub(super) params: Vec<Option<Id>>,
    /// What its results are: the same at every exit, or a variable each.
    pub(super) results: Vec<Repr>,
    /// Of a LOOP whose exits disagree: the variables of parameters that are its results, too.
    pub(super) shared: Vec<Option<Id>>,
    pub(super) counted: Option<Counted>,
    /// How many registers aL goes on for each unit of the counter.
    pub(super) scale: Option<i32>,
    /// The counter as a number, if something asks for it.
    pub(super) counter: Option<Id>,
    /// What `continue` gave.
    pub(super) carried: Vec<Repr>,
}

impl Select<'_> {
    pub(super) fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        Diagnostic::error(self.span, message).into()
    }

    /// The operation has no place on this machine.
    pub(super) fn unsupported(&self, inst: Inst) -> Box<Diagnostic> {
        let name = self.f.op(inst).info().name;
        self.error(format!("the PICA200 cannot do `{name}` in a vertex shader"))
    }

    /// An operation; one that was computed already, here or around here, is not computed again.
    pub(super) fn node(&mut self, op: Machine, width: u8, args: &[Components]) -> Id {
        let mut key = [[Component::UNDEF; 4]; 3];
        key[..args.len()].copy_from_slice(args);
        let changes =
            |component: &Component| component.node().is_some_and(|id| self.graph.node(id).op.is_none());
        let fixed = !key.iter().flatten().any(changes);
        if fixed
            && let Some((id, block)) = self.known.get(&(op, width, key))
            && self.around.contains(block)
        {
            let id = *id;
            self.graph.node_mut(id).exact |= self.exact;
            return id;
        }
        let id = self.graph.add(op, width, args, self.span);
        self.graph.node_mut(id).exact = self.exact;
        if fixed {
            self.known.insert((op, width, key), (id, self.block));
        }
        self.graph.items_mut(self.block).push(Item::Node(id));
        id
    }

    /// What stands for a value; constants are made when they are asked for.
    pub(super) fn repr(&mut self, value: Value) -> Answer<Repr> {
        if let Def::Constant(c) = self.f.def(value) {
            return self.constant(c);
        }
        Ok(self.values[value.0 as usize].clone())
    }

    pub(super) fn set(&mut self, value: Value, repr: Repr) {
        self.values[value.0 as usize] = repr;
    }

    /// The components of a number or vector.
    pub(super) fn components(&mut self, value: Value) -> Answer<(Components, u8)> {
        let repr = self.repr(value)?;
        self.components_of(repr)
    }

    pub(super) fn components_of(&mut self, repr: Repr) -> Answer<(Components, u8)> {
        match repr {
            Repr::Components(components, n) => Ok((components, n)),
            Repr::Tests(tests, n) => Ok((self.numbers(tests, n), n)),
            Repr::Counter(l, factor, term) => self.counter_number(l, factor, term),
            _ => Err(self.error("a value of this type cannot be held in registers here")),
        }
    }

    pub(super) fn constant(&mut self, c: Constant) -> Answer<Repr> {
        let (ty, kind) = (self.module.constants.ty(c), self.module.constants.get(c));
        let types = &self.module.types;
        match (types.get(ty), kind) {
            (Type::Bool, _) => {
                let set = self.module.constants.bits(c) == Some(1);
                let test = self.test(Test::Known(set));
                Ok(Repr::Tests([test; 4], 1))
            }
            (Type::Float(_) | Type::Int(_), ConstantKind::Undef) => {
                Ok(Repr::Components([Component::UNDEF; 4], 1))
            }
            (Type::Float(_), _) => {
                let bits = self.module.constants.bits(c).unwrap_or(0);
                let component = Component::constant(f32::from_bits(bits as u32));
                Ok(Repr::Components([component; 4], 1))
            }
            (Type::Int(width), _) => {
                let bits = self.module.constants.bits(c).unwrap_or(0);
                let shift = 64 - u32::from((*width).clamp(1, 64));
                let component = Component::constant((((bits << shift) as i64) >> shift) as f32);
                Ok(Repr::Components([component; 4], 1))
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
    pub(super) fn zero(&mut self, ty: chiaro_ir::Ty, undef: bool) -> Answer<Repr> {
        let types = &self.module.types;
        let component = if undef { Component::UNDEF } else { Component::constant(0.0) };
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
            n => Ok(Repr::Components([component; 4], n)),
        }
    }
}
