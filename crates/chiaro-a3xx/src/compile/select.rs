//! Legal IR to blocks of scalar machine operations.
//!
//! Every value is a list of scalars: registers, constants, numbers. Signs, constants and numbers
//! stay where they are until an instruction reads them; what it cannot read is copied before.
//!
//! | file | does |
//! |---|---|
//! | [`part`], [`value`] | scalars, and what it takes to make operands of them |
//! | [`arith`] | arithmetic, one operation for one of legal IR |
//! | [`integer`] | integers, bits, bools |
//! | [`pack`] | components at computed places, halves |
//! | [`place`], [`memory`], [`private`], [`shared`] | loads and stores |
//! | [`row`], [`interface`] | inputs and outputs |
//! | [`texture`] | texture operations |
//! | [`control`] | branches, kills, the end |

mod arith;
mod control;
mod integer;
mod interface;
mod memory;
mod pack;
mod part;
mod place;
mod private;
mod row;
mod shared;
mod texture;
mod value;

use std::collections::{HashMap, HashSet};

use chiaro_diag::{Diagnostic, Span, Tally};
use chiaro_ir as ir;
use chiaro_ir::{ConstantKind, Function, GlobalRef, Module, Op as Ir, Root, Space, Stage, Ty, Type, Walk};
use chiaro_mach::{Block, Code, Ends, Outcome, lower_control};

use super::options::Variant;
use crate::abi::constants::{Constants, Layout, scalars};
use crate::abi::{Storage, Texture};
use crate::regs;
use part::Part;
#[cfg(not(feature = "target"))]
use row::Row;

pub(super) use row::reads_group_counts;
pub use row::{Read, Written};
#[cfg(feature = "target")]
pub(crate) use row::{Row, builtin, rows, sink};

/// What selection makes.
#[derive(Debug)]
pub struct Selected {
    /// Blocks of operations on values.
    pub code: Code,
    /// The constant file.
    pub constants: Constants,
    /// Inputs, a scalar each, that the program may read.
    pub reads: Vec<Read>,
    /// Outputs in the order of the operands of the end.
    pub writes: Vec<Written>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Bytes of private memory that a fiber needs.
    pub private_bytes: u32,
    /// Storage buffers.
    pub storage: Vec<Storage>,
    /// Bytes of local memory that a group needs.
    pub local_bytes: u32,
}

struct Select<'a> {
    module: &'a Module,
    f: &'a Function,
    stage: Stage,
    variant: Variant,
    /// Invocations of a group.
    workgroup: [u32; 3],
    code: Code,
    constants: Constants,
    /// The source text of what is selected.
    span: Option<Span>,
    /// Whether half precision is enough for it.
    relaxed: bool,
    values: Vec<Option<Vec<Part>>>,
    /// How often each value is an operand.
    uses: Vec<u32>,
    /// The variables of the module that the function names, in the order of declaration.
    named: Vec<GlobalRef>,
    /// Copies that a block has made already.
    moved: HashMap<(Block, Part), chiaro_mach::Value>,
    /// Runs of scalars that a block has collected already.
    collected: HashMap<(Block, Vec<Part>), chiaro_mach::Value>,
    /// Scalars that stand in such a run.
    in_run: HashSet<chiaro_mach::Value>,
    /// Steps of addresses that a block has computed already.
    addresses: HashMap<(Block, u32, [Part; 2]), Part>,
    /// What a0.x holds.
    held_address: Option<(Block, Part)>,
    /// The first component of each constant array that is indexed.
    tables: HashMap<Root, u16>,
    /// The first byte in private memory of each variable that is there.
    variables: HashMap<Root, u32>,
    private_bytes: u32,
    /// The number of each storage buffer, and the first byte in local memory of each variable of the group.
    buffers: HashMap<GlobalRef, u8>,
    locals: HashMap<GlobalRef, u32>,
    storage: Vec<Storage>,
    local_bytes: u32,
    /// Numbers of the first texture of each variable.
    textures: HashMap<GlobalRef, u8>,
    texture_list: Vec<Texture>,
    inputs: HashMap<(GlobalRef, u32), Part>,
    reads: Vec<Read>,
    outputs: Vec<Row>,
    writes: Vec<Written>,
    /// What was stored to each component of the outputs.
    stored: HashMap<(GlobalRef, u32), Part>,
}

/// Selects an entry point's function, which legalisation has run on.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn select(module: &Module, f: &Function, (stage, variant): (Stage, Variant)) -> Outcome<Selected> {
    let constants = Constants::new(module, f, row::reads_parameters(module, f));
    let mut select = Select {
        module,
        f,
        stage,
        variant,
        workgroup: module.entries.first().map_or([1; 3], |entry| entry.workgroup),
        code: Code::new(f.name.clone()),
        constants: constants.map_err(|error| vec![*error])?,
        span: None,
        relaxed: false,
        values: vec![None; f.value_count()],
        uses: ir::use_counts(f),
        named: named(module, f),
        moved: HashMap::new(),
        collected: HashMap::new(),
        in_run: HashSet::new(),
        addresses: HashMap::new(),
        held_address: None,
        tables: HashMap::new(),
        variables: HashMap::new(),
        private_bytes: 0,
        buffers: HashMap::new(),
        locals: HashMap::new(),
        storage: Vec::new(),
        local_bytes: 0,
        textures: HashMap::new(),
        texture_list: Vec::new(),
        inputs: HashMap::new(),
        reads: Vec::new(),
        outputs: Vec::new(),
        writes: Vec::new(),
        stored: HashMap::new(),
    };
    select.number_textures()?;
    select.lay_tables();
    select.place_variables();
    select.place_shared()?;
    let entry = select.code.block(0);
    select.place_interface(entry)?;
    if lower_control(f, entry, &mut select)? == Ends::Never {
        let error = Diagnostic::error(f.span, "no path through the shader ends");
        return Err(vec![error.help("give its loops a condition that can become false")]);
    }
    let Select { code, constants, reads, writes, texture_list: textures, private_bytes, .. } = select;
    let (storage, local_bytes) = (select.storage, select.local_bytes);
    Ok(Selected { code, constants, reads, writes, textures, private_bytes, storage, local_bytes })
}

/// The variables of the module that a function names, in the order of declaration.
fn named(module: &Module, f: &Function) -> Vec<GlobalRef> {
    let mut all: Vec<GlobalRef> = chiaro_opt::named(module, f).into_iter().map(|(g, _)| g).collect();
    all.sort_by_key(|g| g.0);
    all
}

/// Handles in the parts before part number `n` of a composite.
fn handles_before(module: &Module, ty: Ty, n: u32) -> u32 {
    (0..n).filter_map(|i| module.types.part(ty, i)).map(|part| handles(module, part)).sum()
}

/// Textures in a type.
fn handles(module: &Module, ty: Ty) -> u32 {
    match module.types.get(ty) {
        Type::Image(_) | Type::SampledImage(_) => 1,
        Type::Array(elem, n, _) => handles(module, *elem).saturating_mul(*n),
        Type::Struct(_, members) => members.iter().map(|m| handles(module, m.ty)).sum(),
        _ => 0,
    }
}

impl Select<'_> {
    fn error<T>(&self, span: Option<Span>, message: String, help: &str) -> Outcome<T> {
        Err(vec![Diagnostic::error(span, message).help(help.to_owned())])
    }

    /// Textures have the numbers 0, 1, ... in the order of declaration.
    fn number_textures(&mut self) -> Outcome {
        let mut next = 0u32;
        let mut tally = Tally::new("textures", "samplers", regs::SAMPLERS);
        for g in self.named.clone() {
            let global = self.module.global(g);
            let count = handles(self.module, global.ty);
            if count == 0 || global.space != Space::UniformConstant {
                continue;
            }
            tally.add(&global.name, global.span, count);
            self.textures.insert(g, next as u8);
            self.texture_list.push(Texture {
                name: global.name.clone(),
                number: next as u8,
                count: count as u8,
            });
            next = next.saturating_add(count);
        }
        match tally.overflow() {
            Some(error) => Err(vec![error.help("put several images into one texture")]),
            None => Ok(()),
        }
    }

    /// Arrays that are constant and indexed at run time go to the constant file.
    fn lay_tables(&mut self) {
        let mut written: Vec<Root> = Vec::new();
        let mut read: Vec<Root> = Vec::new();
        for inst in Walk::insts(self.f) {
            let list = match self.f.op(inst) {
                Ir::Store | Ir::Copy => &mut written,
                Ir::Load => &mut read,
                _ => continue,
            };
            if let Some(path) = self.path(self.f.args(inst)[0]) {
                list.push(path.root);
            }
        }
        read.sort_unstable();
        read.dedup();
        for root in read.into_iter().filter(|root| !written.contains(root)) {
            if let Some((constant, ty)) = self.initial(root) {
                let mut rows =
                    vec![0; scalars(self.module, ty, Layout::Rows).last().map_or(0, |n| *n as usize + 1)];
                let numbers = self.constant_bits(constant);
                for (at, bits) in scalars(self.module, ty, Layout::Rows).into_iter().zip(numbers) {
                    rows[at as usize] = bits;
                }
                let first = self.constants.table(&rows);
                self.tables.insert(root, first);
            }
        }
    }

    /// The constant that a variable holds at the start.
    fn initial(&self, root: Root) -> Option<(ir::Constant, Ty)> {
        match root {
            Root::Global(g) => {
                let global = self.module.global(g);
                let init = global.init.filter(|_| global.space == Space::Private)?;
                Some((init, global.ty))
            }
            Root::Var(inst) => {
                let &value = self.f.args(inst).first()?;
                let ir::Def::Constant(constant) = self.f.def(value) else { return None };
                Some((constant, self.f.ty(value)))
            }
        }
    }

    fn constant_bits(&self, constant: ir::Constant) -> Vec<u32> {
        let constants = &self.module.constants;
        match constants.get(constant) {
            ConstantKind::Scalar(bits) => vec![*bits as u32],
            ConstantKind::Composite(parts) => {
                parts.iter().flat_map(|&part| self.constant_bits(part)).collect()
            }
            _ => vec![0; self.scalars(constants.ty(constant))],
        }
    }

    /// One instruction that is no control.
    fn instruction(&mut self, at: Block, inst: ir::Inst) -> Outcome {
        self.span = self.f.inst(inst).span;
        let flags = self.f.inst(inst).flags;
        let is_float = |value| self.module.types.is_float(self.f.ty(value));
        self.relaxed = flags.relaxed && !flags.exact && self.f.result_of(inst).is_some_and(is_float);
        let op = self.f.op(inst);
        let parts = match op {
            // Who reads through a pointer or handle looks for itself where it comes from.
            Ir::Access | Ir::SampledImage | Ir::ImageOf => Some(Vec::new()),
            Ir::Var(_) => self.start_variable(at, inst).map(|()| Vec::new()),
            Ir::Load => self.load(at, inst),
            Ir::Store => self.store(at, inst).map(|()| Vec::new()),
            Ir::Demote => {
                chiaro_mach::Selector::kill(self, at, None);
                Some(Vec::new())
            }
            Ir::Sample(_) | Ir::Fetch | Ir::ImageQuery(_) => self.texture(at, inst, op),
            Ir::Atomic(..) | Ir::AtomicCompare(..) | Ir::AtomicLoad(..) | Ir::AtomicStore(..) => {
                self.atomic(at, inst, op)
            }
            Ir::ControlBarrier(..) | Ir::MemoryBarrier(..) => {
                self.barrier(at, op);
                Some(Vec::new())
            }
            Ir::Ddx | Ir::Ddy | Ir::DdxFine | Ir::DdyFine | Ir::DdxCoarse | Ir::DdyCoarse => {
                self.texture(at, inst, op)
            }
            _ => self.arithmetic(at, inst, op),
        };
        match (parts, self.f.result_of(inst)) {
            (Some(parts), Some(result)) => self.values[result.0 as usize] = Some(parts),
            (Some(_), None) => {}
            (None, _) => return self.refuse(inst, op),
        }
        self.relaxed = false;
        Ok(())
    }

    /// Whether an instruction takes or gives numbers of 64 bits.
    fn is_long(&self, inst: ir::Inst) -> bool {
        let values = self.f.args(inst).iter().copied().chain(self.f.result_of(inst));
        let pointed = |ty| self.module.types.pointee(ty).map_or(ty, |(_, pointed)| pointed);
        values.map(|value| pointed(self.f.ty(value))).any(|ty| self.module.types.bits(ty) == Some(64))
    }

    fn refuse(&self, inst: ir::Inst, op: Ir) -> Outcome {
        let span = self.f.inst(inst).span;
        let name = op.info().name;
        if let Some((message, help)) = Self::refuse_length(op) {
            return self.error(span, message.to_owned(), help);
        }
        if self.is_long(inst) {
            let help = "it has integers and floats of 16 and 32 bits: use two words";
            return self.error(span, format!("A3xx has no 64-bit numbers, which `{name}` takes here"), help);
        }
        match op {
            Ir::Load | Ir::Store | Ir::Copy => self.error(
                span,
                format!("`{name}` of a variable that is indexed at run time"),
                "index it by constants, or by the counter of a loop that can be unrolled",
            ),
            Ir::Sample(_) | Ir::Fetch | Ir::ImageQuery(_) => self.error(
                span,
                format!("A3xx has no `{name}` of this kind"),
                "gathers, minimum levels, multisampled textures and samplers indexed at run time are of later machines",
            ),
            Ir::BeginOrdered | Ir::EndOrdered => self.error(
                span,
                "A3xx keeps no order of fragments, which an interlock asks for".to_owned(),
                "let fragments of one pixel meet in atomic operations",
            ),
            Ir::Interpolate(_) => self.error(
                span,
                "A3xx interpolates in the middle of a pixel, not at its samples or centroid".to_owned(),
                "read the input, or take it at an offset",
            ),
            Ir::Call(_) => {
                let (message, help) = chiaro_opt::call_left(name);
                self.error(span, message, help)
            }
            _ => self.error(span, format!("A3xx cannot do `{name}`"), "it has floats and integers of 32 bits, textures, storage buffers and local memory"),
        }
    }
}
