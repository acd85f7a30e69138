//! Legal IR to blocks of machine operations.
//!
//! A value is a list of scalars, each in vector or scalar registers or a number. What is the same in all lanes is
//! computed on the scalar unit as long as its operands are there and the unit can do it; bools of lanes are masks in
//! scalar registers, bools of the wave are 0 or 1 there, or SCC right where they are needed.
//!
//! | file | does |
//! |---|---|
//! | [`part`], [`value`] | scalars, and what it takes to make operands of them |
//! | [`homes`] | which values control hands over in scalar registers |
//! | [`fuse`] | two operations in one |
//! | [`float`], [`double`](mod@double), [`integer`], [`wide`], [`convert`], [`compare`], [`composite`] | arithmetic |
//! | [`bind`] | buffers and images: which there are, and where they stand |
//! | [`interface`] | registers at the start: descriptors, push constants, numbers of threads |
//! | [`place`], [`path`], [`memory`], [`shared`], [`local`] | loads, stores and atomics |
//! | [`rows`], [`indexed`] | variables that stand in registers |
//! | [`image`], [`texels`] | images, buffers of texels |
//! | [`subgroup`] | what lanes tell each other |
//! | [`call`], [`pointer`], [`tail`] | what functions hand to each other, by names, through pointers, in their places |
//! | [`control`] | blocks, branches, and which lanes run |

mod bind;
mod call;
mod compare;
mod composite;
pub(in crate::compile) mod control;
mod convert;
mod device;
mod double;
mod float;
mod fuse;
mod homes;
mod image;
mod indexed;
mod integer;
mod interface;
mod known;
mod local;
mod memory;
mod part;
mod path;
mod place;
mod pointer;
mod rows;
mod shared;
mod subgroup;
mod tail;
mod texels;
mod value;
mod wide;

use std::cell::RefCell;
use std::collections::HashMap;

use chiaro_diag::{Diagnostic, Span};
use chiaro_ir as ir;
use chiaro_ir::{Function, FunctionRef, GlobalRef, Module, Op as Ir, Root, Type};
use chiaro_mach::{Block, Code, Operand, Outcome, Value};

use super::calls::callee::{Callee, Given};
use super::calls::ends::tails;
use super::calls::frames::Needs;
use super::calls::unit::Unit;
use super::legalize::Double;
use super::legalize::rays::INTERSECT;
use super::options::Options;
use crate::abi::interface::{Abi, Argument, Interface};
use crate::isa::sopp::Sopp;
use homes::Homes;
use known::Known;
use part::{Kind, Part};
use rows::Rows;

/// What selection makes.
#[derive(Debug)]
pub struct Selected {
    /// Blocks of operations on values.
    pub code: Code,
    /// Where the kernel meets those who launch it.
    pub interface: Interface,
    /// Vector registers that calls destroy, but that values have across calls all the same.
    pub rescued: Vec<u16>,
    /// Scalar registers that no value has: for an address out of reach, and for SCC while that is computed.
    pub far: [u16; 2],
    /// One behind the last vector register of variables that stand in registers; 0 if there are none.
    pub rows: (u16, bool),
}

/// What values and variables may do for want of room.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ways {
    /// Values may go to lanes and scratch.
    pub spills: bool,
    /// Variables that are indexed at run time may stand in registers; else they are in scratch.
    pub rows: bool,
    /// What the function's frame needs.
    pub needs: Needs,
}

struct Select<'a> {
    module: &'a Module,
    f: &'a Function,
    /// The kernel with all functions that it reaches.
    unit: &'a Unit,
    /// The functions that this one reaches, itself first.
    reach: Vec<FunctionRef>,
    /// How it is called; a kernel is not.
    own: Option<&'a Callee>,
    /// Where to go when it is done.
    back: Option<Operand>,
    /// What it hands back.
    returned: Vec<Operand>,
    /// Its calls behind which it ends with what they give.
    tails: Vec<ir::Inst>,
    /// Whether it jumps to another function.
    has_tails: bool,
    /// Vector registers that are saved around its calls.
    rescued: Vec<u16>,
    options: Options,
    wave: u8,
    workgroup: [u32; 3],
    code: Code,
    interface: Interface,
    homes: Homes,
    /// The source text of what is selected.
    span: Option<Span>,
    values: Vec<Option<Vec<Part>>>,
    /// How often each value is an operand.
    uses: Vec<u32>,
    /// Built-ins that were asked for, with the components that are read of each.
    parts_read: RefCell<Vec<(u32, u8)>>,
    /// Copies to vector registers, and masks, that a block has made already.
    moved: HashMap<(Block, Part), Value>,
    /// Copies to scalar registers.
    firsts: HashMap<(Block, Part), Value>,
    /// Steps that have been computed already.
    known: Known,
    /// Scalars that the kernel finds in registers.
    arguments: HashMap<Argument, Operand>,
    /// Numbers of the thread in its group.
    threads: Vec<Operand>,
    /// Descriptors that the first block has loaded, or made of addresses.
    descriptors: HashMap<(GlobalRef, u32), Operand>,
    /// Addresses of descriptor sets.
    sets: HashMap<u32, Operand>,
    /// The first byte in LDS of each variable of the group.
    groups: HashMap<GlobalRef, u32>,
    /// The first byte in LDS of what lanes exchange, behind those.
    exchange: u32,
    /// The first byte in scratch of each variable of the lane.
    locals: HashMap<Root, u32>,
    /// Registers of those that have no place there.
    rows: Rows,
    ways: Ways,
    /// Whether lanes have scratch, for variables or for what finds no register.
    has_scratch: bool,
    /// The block at the start.
    entry: Block,
    /// Masks that have registers of their own.
    lasting: u16,
    /// Whether all lanes of every wave run where instructions go.
    all_run: bool,
}

/// Selects a kernel or a function that it reaches, which legalisation has run on.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn select(
    module: &Module,
    unit: &Unit,
    f: FunctionRef,
    options: Options,
    ways: Ways,
) -> Outcome<Selected> {
    let mut select = Select::new(module, unit, f, options, ways);
    select.place_shared()?;
    select.place_locals();
    // Who is not compiled yet is called by itself, and saves at least where to return.
    let has_stack = |callee: &Callee| callee.made.is_none() || callee.below() > 0;
    select.has_scratch |= select.interface.scratch > 0 || unit.called(f).any(has_stack);
    select.rescue();
    select.begin()?;
    select.control()?;
    let far = select.far();
    let Select { code, interface, rescued, rows, .. } = select;
    Ok(Selected { code, interface, rescued, far, rows: (rows.end, rows.chosen) })
}

/// What functions with one contract need of the arguments that their kernel has.
///
/// # Errors
/// Resources that the kernel cannot have.
pub fn given(
    module: &Module,
    unit: &Unit,
    functions: &[FunctionRef],
    options: Options,
) -> Outcome<Vec<Given>> {
    let Some(&kernel) = unit.order.last() else { return Ok(Vec::new()) };
    let mut whole = Select::new(module, unit, kernel, options, Ways::default());
    whole.bind()?;
    whole.list_arguments();
    let mut own = Vec::new();
    for &f in functions {
        let mut select = Select::new(module, unit, f, options, Ways::default());
        select.bind()?;
        own.push(select);
    }
    let arguments = std::mem::take(&mut whole.interface.arguments);
    let needs = |a: &Argument| own.iter().any(|own| own.needs(*a));
    let mut given: Vec<Given> = arguments.into_iter().filter(needs).map(Given::Argument).collect();
    let dimensions = own.iter().map(Select::dimensions).max().unwrap_or(0);
    given.extend((0..dimensions).map(Given::Thread));
    Ok(given)
}

impl<'a> Select<'a> {
    fn new(
        module: &'a Module,
        unit: &'a Unit,
        number: FunctionRef,
        options: Options,
        ways: Ways,
    ) -> Select<'a> {
        let workgroup = module.entries.first().map_or([1; 3], |entry| entry.workgroup);
        let f = module.function(number);
        let mut code = Code::new(f.name.clone());
        let entry = code.block(0);
        Select {
            module,
            f,
            unit,
            reach: unit.reach(number),
            own: unit.callee(number),
            back: None,
            returned: Vec::new(),
            tails: tails(f),
            has_tails: false,
            rescued: Vec::new(),
            options,
            wave: options.wave,
            workgroup,
            code,
            interface: Interface { abi: options.abi, workgroup, ..Interface::default() },
            homes: homes::homes(module, f, &unit.known[number.0 as usize]),
            span: None,
            values: vec![None; f.value_count()],
            uses: ir::use_counts(f),
            parts_read: RefCell::default(),
            moved: HashMap::new(),
            firsts: HashMap::new(),
            known: Known::default(),
            arguments: HashMap::new(),
            threads: Vec::new(),
            descriptors: HashMap::new(),
            sets: HashMap::new(),
            groups: HashMap::new(),
            exchange: 0,
            locals: HashMap::new(),
            rows: Rows::default(),
            ways,
            has_scratch: ways.spills,
            entry,
            lasting: 0,
            all_run: false,
        }
    }
}

impl Select<'_> {
    fn error<T>(&self, span: Option<Span>, message: String, help: &str) -> Outcome<T> {
        Err(vec![Diagnostic::error(span, message).help(help.to_owned())])
    }

    /// One instruction that is no control.
    fn instruction(&mut self, at: Block, inst: ir::Inst) -> Outcome {
        self.span = self.f.inst(inst).span;
        let op = self.f.op(inst);
        let parts = match op {
            // Who reads through a pointer or handle looks for itself where it comes from.
            Ir::Access | Ir::SampledImage | Ir::ImageOf | Ir::TexelPointer => Some(Vec::new()),
            Ir::Var(_) => self.start_variable(at, inst).map(|()| Vec::new()),
            Ir::Load => self.load(at, inst),
            Ir::Store => self.store(at, inst).map(|()| Vec::new()),
            Ir::Atomic(..) | Ir::AtomicCompare(..) | Ir::AtomicLoad(..) | Ir::AtomicStore(..) => {
                self.atomic(at, inst, op)
            }
            Ir::ArrayLength(_) if self.options.abi == Abi::Hsa => {
                return self.error(
                    self.span,
                    "the length of a buffer is not known of an address, which is all that HSA's arguments say".to_owned(),
                    "give the number of elements in push constants, or compile for descriptors: `-m abi=vulkan`",
                );
            }
            Ir::ArrayLength(n) => self.array_length(at, inst, n),
            Ir::ControlBarrier(..) | Ir::MemoryBarrier(..) => {
                self.barrier(at, op);
                Some(Vec::new())
            }
            Ir::Trap(n) => {
                self.trap(at, n);
                Some(Vec::new())
            }
            Ir::Call(callee) => return self.call(at, inst, callee),
            Ir::CallIndirect => return self.call_pointer(at, inst),
            Ir::Bitcast if self.is_address(inst) => Some(vec![self.address(at, inst)]),
            Ir::Bitcast if self.is_renamed(inst) => Some(self.value(self.f.args(inst)[0])),
            Ir::Sample(_) | Ir::Fetch | Ir::ImageRead | Ir::ImageWrite | Ir::ImageQuery(_) => {
                self.image(at, inst, op)
            }
            Ir::RayQuery(INTERSECT) => self.intersect(at, inst),
            _ => self.computed(at, inst, op),
        };
        match (parts, self.f.result_of(inst)) {
            (Some(parts), Some(result)) => self.values[result.0 as usize] = Some(parts),
            (Some(_), None) => {}
            (None, _) => return self.refuse(inst, op),
        }
        Ok(())
    }

    /// The scalars of a result that nothing but operands decides.
    fn computed(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args: Vec<Vec<Part>> = self.f.args(inst).to_vec().into_iter().map(|v| self.value(v)).collect();
        if let Some(made) = self.composite(at, inst, op, &args) {
            return Some(made);
        }
        if let Some(made) = self.subgroup(at, inst, op, &args) {
            return Some(made);
        }
        let result = self.f.result_of(inst)?;
        let count = self.kinds(self.f.ty(result)).len();
        (0..count).map(|n| self.component(at, inst, op, &args, n)).collect()
    }

    /// Component number `n` of a result.
    fn component(&mut self, at: Block, inst: ir::Inst, op: Ir, args: &[Vec<Part>], n: usize) -> Option<Part> {
        let each: Vec<Part> =
            args.iter().filter_map(|arg| arg.get(if arg.len() == 1 { 0 } else { n }).copied()).collect();
        let a = *each.first()?;
        let (b, c) = (each.get(1).copied().unwrap_or(a), each.get(2).copied().unwrap_or(a));
        let result = self.f.result_of(inst)?;
        let [from, to] = [self.f.ty(self.f.args(inst)[0]), self.f.ty(result)].map(|ty| self.bits(ty));
        if op == Ir::Select {
            return Some(self.select(at, self.f.args(inst)[0], n, [b, c]));
        }
        if let Some(made) = self.comparison(at, op, [a, b]) {
            return Some(made);
        }
        if let Some(made) = self.converted(at, op, a, from, to) {
            return Some(made);
        }
        if matches!(a.kind, Kind::Mask | Kind::Truth) && matches!(op, Ir::And | Ir::Or | Ir::Xor | Ir::Not) {
            return Some(self.bools(at, op, [a, b]));
        }
        if let Some(made) = self.fused(at, inst, op, n) {
            return Some(made);
        }
        if let Ir::Native(number) = op
            && let Some(double) = Double::of(number)
        {
            return Some(self.double(at, double, [a, b]));
        }
        if self.module.types.is_float(self.f.ty(result)) {
            return self.float(at, op, [a, b, c]);
        }
        match (op, from) {
            (Ir::BitCount, 64) => Some(self.long_count(at, a)),
            (_, 64) => self.long(at, op, &each),
            _ => self.integer(at, op, &each, from),
        }
    }

    /// Bits of a scalar or of a vector's components; 32 for bools.
    fn bits(&self, ty: ir::Ty) -> u8 {
        match self.module.types.get(self.module.types.scalar(ty)) {
            Type::Float(width) | Type::Int(width) => *width,
            Type::Function(..) => 64,
            _ => 32,
        }
    }

    fn refuse(&self, inst: ir::Inst, op: Ir) -> Outcome {
        let (span, name) = (self.f.inst(inst).span, op.info().name);
        match op {
            Ir::Load | Ir::Store | Ir::Copy => self.error(
                span,
                format!("`{name}` of memory that compute kernels of RDNA2 do not have here"),
                "buffers, push constants, memory of the group and variables of the function are there",
            ),
            _ => self.error(
                span,
                format!("`{name}` of this type is not built yet for RDNA2"),
                "compute it by other operations",
            ),
        }
    }

    /// Ends a wave, or goes back to the caller.
    fn end(&mut self, block: Block) {
        if self.own.is_some() {
            return self.give_back(block);
        }
        self.push(block, crate::isa::Op::Sopp(Sopp::Endpgm), &[], &[], Default::default());
    }
}
