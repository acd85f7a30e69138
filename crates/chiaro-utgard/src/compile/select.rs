//! Legal IR to blocks of scalar operations.
//!
//! Every value is a list of scalars in the order of its components, columns, elements and
//! members; integers and bools are floats (spec section 11.4). Values that another block needs
//! live in registers, each in a component of its own.
//!
//! | file | does |
//! |---|---|
//! | [`value`] | operands, constants, and values of other blocks |
//! | [`arith`] | arithmetic, one operation for one of legal IR |
//! | [`pointer`] | which variable, and indices that are known at run time only |
//! | [`memory`] | loads and stores |
//! | [`local`] | variables that stay in memory |
//! | [`position`] | the output transformation |
//! | [`outputs`] | outputs that several blocks store |
//! | [`flow`] | constructs as blocks and branches |
//! | [`state`] | what is remembered of constructs, variables and addresses |
//! | [`registers`] | which values live between blocks, and where |

mod arith;
mod flow;
mod local;
mod memory;
mod outputs;
mod pointer;
mod position;
mod registers;
mod state;
mod value;

use std::collections::HashMap;

use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{Function, Inst, Module, Value};

use crate::abi::Abi;
use crate::compile::graph::{Block, Graph, Label, Node, Op, Operand, Place, Program};
use crate::compile::options::Options;
use crate::regs::BANK;

use state::{Addresses, Construct, Locals};

/// A scalar: an operand in a block, or one that every block can make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    block: u32,
    operand: Operand,
}

/// A component of the position before its transformation.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// What was written first.
    part: Option<Part>,
    /// The register that all writes go to, where there are several.
    home: Option<(u8, u8)>,
}

type Answer<T> = Result<T, Box<Diagnostic>>;

struct Select<'a> {
    module: &'a Module,
    f: &'a Function,
    abi: &'a Abi,
    options: &'a Options,
    blocks: Vec<Block>,
    labels: Vec<Option<u32>>,
    /// How many branches lead to each label.
    references: Vec<u32>,
    values: Vec<Option<Box<[Part]>>>,
    /// Registers of values that other blocks read.
    homes: HashMap<(u32, Node), (u8, u8)>,
    next_home: u16,
    /// What the current block (its number) stored to registers: reads get that, not the load.
    held: HashMap<(u8, u8), Part>,
    constructs: HashMap<Inst, Construct>,
    /// The position and the point size, which are transformed and stored at the end.
    position: [Position; 5],
    /// Variables in memory, and address registers of the current block.
    locals: Locals,
    addresses: Addresses,
    function_end: Label,
    span: Option<Span>,
    /// Whether nothing reaches what follows.
    ended: bool,
}

/// Makes blocks of an optimised entry point.
///
/// # Errors
/// What the machine cannot do, with its place in the source.
pub fn select(module: &Module, f: &Function, abi: &Abi, options: &Options) -> Answer<Program> {
    let mut select = Select {
        module,
        f,
        abi,
        options,
        blocks: vec![Block::default()],
        labels: Vec::new(),
        references: Vec::new(),
        values: vec![None; f.value_count()],
        homes: HashMap::new(),
        next_home: 0,
        held: HashMap::new(),
        constructs: HashMap::new(),
        position: [Position::default(); 5],
        locals: Locals::default(),
        addresses: Addresses::default(),
        function_end: Label(0),
        span: f.span,
        ended: false,
    };
    let end = select.label();
    select.function_end = end;
    select.find_stores()?;
    select.store_starts()?;
    select.block(f.body, 0)?;
    select.bind(end);
    if !select.ended {
        select.transform()?;
        select.store_once()?;
    }
    select.finish()
}

impl Select<'_> {
    fn graph(&mut self) -> &mut Graph {
        let (last, span) = (self.blocks.len() - 1, self.span);
        let graph = &mut self.blocks[last].graph;
        graph.set_span(span);
        graph
    }

    fn current(&self) -> u32 {
        self.blocks.len() as u32 - 1
    }

    fn error<T>(&self, message: impl Into<String>, help: &str) -> Answer<T> {
        Err(Box::new(Diagnostic::error(self.span, message).help(help)))
    }

    fn finish(self) -> Answer<Program> {
        let count = self.blocks.len() as u32;
        let labels: Vec<u32> = self.labels.iter().map(|at| at.unwrap_or(count)).collect();
        Ok(Program { blocks: self.blocks, labels, reserved: [0; BANK], temporaries: self.locals.rows })
    }

    fn instruction(&mut self, inst: Inst, depth: u32) -> Answer<()> {
        let data = self.f.inst(inst);
        self.span = data.span.or(self.span);
        if data.op.is_exit() || data.op.is_construct() {
            return self.control(inst, depth);
        }
        let exact = data.flags.exact;
        self.graph().set_exact(exact);
        let done = self.operation(inst);
        self.graph().set_exact(false);
        done
    }

    fn set(&mut self, value: Value, operands: Vec<Operand>) {
        let block = self.current();
        let parts = operands.into_iter().map(|operand| Part { block, operand }).collect();
        self.values[value.0 as usize] = Some(parts);
    }

    /// A store to a register or output, in the current block: the last one to an output counts.
    fn store(&mut self, place: Place, operand: Operand) {
        let plain = self.graph().plain(operand);
        if matches!(place, Place::Output(..)) {
            self.graph().drop_store(place);
        }
        self.graph().make(Op::Store(place), &[plain]);
    }
}
