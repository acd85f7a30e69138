//! The interpreter: what the IR means.
//!
//! [`Interpreter`] runs an entry point on the invocations that it is given: the workgroups of
//! a dispatch, or a list of vertices or fragments (four consecutive ones are a quad). All
//! invocations of a workgroup go through the tree in step, each with its own values, so that
//! convergence is what the constructs say and a barrier needs no waiting. With [`Exact`] the
//! result is bit for bit the meaning of the module; with [`Interval`] every float carries an
//! error, and a lane whose decisions depend on it is told to be inconclusive.
//!
//! Access out of bounds reads zeros and writes nothing, and is noted as a [`Fault`] with its
//! source place; what cannot go on (out of fuel, unreachable reached, recursion without end)
//! stops the run with one.

mod arith;
pub mod compare;
mod domain;
mod exec;
mod frame;
mod image;
mod interval;
mod lanes;
mod layout;
mod memory;
mod special;

pub use domain::{Domain, Exact, Inconclusive, Note};
pub use image::{Handle, Images, NoImages, Request, Texel};
pub use interval::{Fuzzy, Interval, Precision};

/// The bits of a float of a width in bits (16, 32 or 64) as a number.
pub fn float_value(bits: u64, width: u8) -> f64 {
    arith::float(bits, width)
}

/// A number as the bits of a float of a width, rounded to nearest even.
pub fn float_bits(value: f64, width: u8) -> u64 {
    arith::bits(value, width)
}

use crate::{EntryPoint, GlobalRef, Module, Space, Ty, Type};
use chiaro_diag::Span;
use exec::Walk;
use frame::{Plan, constant_bits};
use layout::Layouts;
use memory::Place;
use std::collections::HashMap;
use std::fmt;

/// How to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Instructions that all lanes together may take, counted once for each list of lanes.
    pub fuel: u64,
    /// Lanes in a subgroup.
    pub subgroup: u32,
    /// What undefined values are filled with: a result that depends on it is not defined.
    pub undef: u64,
    /// Most scalars that the registers of one call may take, all lanes together.
    pub registers: usize,
    /// Most vertices that geometry shaders may emit.
    pub vertices: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { fuel: 1 << 28, subgroup: 32, undef: 0, registers: 1 << 27, vertices: 1 << 16 }
    }
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The fuel is used up: a loop that does not end, most likely.
    Fuel,
    /// An access out of bounds.
    OutOfBounds,
    /// An `unreachable` was reached.
    Unreachable,
    /// Calls nest too deep.
    Recursion,
    /// Registers or outputs would take too much memory.
    TooLarge,
    /// The interpreter does not know what this operation does.
    NotInterpreted(&'static str),
}

/// Something that went wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The source text of the instruction.
    pub span: Option<Span>,
    /// The lane, where it is one.
    pub lane: Option<u32>,
}

impl Fault {
    fn new(kind: FaultKind, span: Option<Span>) -> Fault {
        Fault { kind, span, lane: None }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::Fuel => write!(f, "the fuel is used up; a loop may not end")?,
            FaultKind::OutOfBounds => write!(f, "an access is out of bounds")?,
            FaultKind::Unreachable => write!(f, "code is reached that says it never is")?,
            FaultKind::Recursion => write!(f, "calls nest too deep")?,
            FaultKind::TooLarge => write!(f, "the values of a call take too much memory")?,
            FaultKind::NotInterpreted(name) => write!(f, "`{name}` is not interpreted")?,
        }
        self.lane.map_or(Ok(()), |lane| write!(f, " (lane {lane})"))
    }
}

/// A vertex that a geometry shader emitted, or the end of a primitive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emitted {
    /// The lane.
    pub lane: u32,
    /// The stream.
    pub stream: u8,
    /// Whether it ends a primitive; then there are no outputs.
    pub ends: bool,
    /// The bytes of every variable of the module that is an output, by number.
    pub outputs: Vec<Vec<u8>>,
}

/// What a run tells beside its outputs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Accesses that were noted.
    pub faults: Vec<Fault>,
    /// For each lane why it proves nothing, if so.
    pub notes: Vec<Note>,
    /// Lanes that ended as helpers or were terminated: they have no outputs.
    pub ended: Vec<bool>,
    /// What geometry shaders emitted.
    pub emitted: Vec<Emitted>,
    /// Fuel that is left.
    pub fuel: u64,
}

/// Runs one entry point of a module.
pub struct Interpreter<'m, D: Domain = Exact> {
    module: &'m Module,
    entry: &'m EntryPoint,
    domain: D,
    /// How to run.
    pub options: Options,
    layouts: Layouts,
    plans: Vec<Plan>,
    /// Bytes of variables that all invocations share: buffers and push constants.
    shared: HashMap<GlobalRef, Vec<u8>>,
}

impl<'m> Interpreter<'m, Exact> {
    /// For an entry point, bit for bit.
    pub fn new(module: &'m Module, entry: &'m EntryPoint) -> Interpreter<'m, Exact> {
        Interpreter::with(module, entry, Exact)
    }
}

/// Inputs or outputs of invocations: variable, then for each invocation its bytes.
pub type Attributes = HashMap<GlobalRef, Vec<Vec<u8>>>;

impl<'m, D: Domain> Interpreter<'m, D> {
    /// For an entry point, in a domain.
    pub fn with(module: &'m Module, entry: &'m EntryPoint, domain: D) -> Interpreter<'m, D> {
        let layouts = Layouts::new(module);
        let plans = module.functions.iter().map(|f| Plan::new(f, &layouts)).collect();
        Interpreter {
            module,
            entry,
            domain,
            options: Options::default(),
            layouts,
            plans,
            shared: HashMap::new(),
        }
    }

    /// Gives a buffer, block of push constants or loose uniform its bytes.
    pub fn set(&mut self, global: GlobalRef, bytes: Vec<u8>) {
        self.shared.insert(global, bytes);
    }

    /// The bytes of a buffer as they are now.
    pub fn bytes(&self, global: GlobalRef) -> Option<&[u8]> {
        self.shared.get(&global).map(Vec::as_slice)
    }

    /// The variable of a descriptor.
    pub fn bound(&self, set: u32, binding: u32) -> Option<GlobalRef> {
        let fits = |b: &crate::Binding| b.set.unwrap_or(0) == set && b.binding == Some(binding);
        let found = self.module.globals.iter().position(|g| fits(&g.binding))?;
        Some(GlobalRef(found as u32))
    }

    /// Bytes of a type; of a runtime array those of no element.
    pub fn size_of(&self, ty: Ty) -> u32 {
        self.layouts.get(ty).size
    }

    /// Bytes from a composite's start to part `i`.
    pub fn offset_of(&self, ty: Ty, i: u32) -> u32 {
        let layout = self.layouts.get(ty);
        layout.offsets.get(i as usize).copied().unwrap_or_else(|| layout.stride.saturating_mul(i))
    }

    /// Bytes from one element of an array to the next.
    pub fn stride_of(&self, ty: Ty) -> u32 {
        self.layouts.get(ty).stride
    }

    /// Runs so many workgroups, one after the other.
    ///
    /// # Errors
    /// What stops the run; buffers keep what was written until then.
    pub fn dispatch(&mut self, groups: [u32; 3], images: &mut dyn Images) -> Result<Report, Box<Fault>> {
        let size = self.entry.workgroup;
        let lanes = size.iter().map(|&n| n as usize).product::<usize>().max(1);
        if lanes > 4096 {
            return Err(Box::new(Fault::new(FaultKind::TooLarge, None)));
        }
        let mut report = Report { fuel: self.options.fuel, ..Report::default() };
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    let builtins = |number: u32, lane: usize| {
                        compute_builtin(number, lane as u32, [x, y, z], groups, size, self.options.subgroup)
                    };
                    let attributes = self.built_in(lanes, &builtins);
                    let (next, _) = self.group(lanes, &attributes, images, report.fuel)?;
                    report.fuel = next.fuel;
                    report.faults.extend(next.faults);
                    report.notes.extend(next.notes);
                    report.ended.extend(next.ended);
                }
            }
        }
        Ok(report)
    }

    /// Runs so many invocations of a stage with inputs; answers outputs.
    ///
    /// # Errors
    /// What stops the run.
    pub fn run(
        &mut self,
        invocations: usize,
        inputs: &Attributes,
        images: &mut dyn Images,
    ) -> Result<(Report, Attributes), Box<Fault>> {
        self.group(invocations, inputs, images, self.options.fuel)
    }

    /// The built-in inputs of each lane.
    fn built_in(&self, lanes: usize, of: &dyn Fn(u32, usize) -> [u32; 4]) -> Attributes {
        let mut out = Attributes::new();
        for (i, global) in self.module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Input) {
            let Some(number) = global.binding.builtin else { continue };
            let size = self.layouts.get(global.ty).size as usize;
            let bytes = |lane: usize| {
                let mut bytes: Vec<u8> = of(number, lane).iter().flat_map(|w| w.to_le_bytes()).collect();
                bytes.resize(size, 0);
                bytes
            };
            out.insert(GlobalRef(i as u32), (0..lanes).map(bytes).collect());
        }
        out
    }

    fn group(
        &mut self,
        lanes: usize,
        inputs: &Attributes,
        images: &mut dyn Images,
        fuel: u64,
    ) -> Result<(Report, Attributes), Box<Fault>> {
        let shared = std::mem::take(&mut self.shared);
        let mut walk = Walk::new(
            self.module,
            &self.layouts,
            &self.plans,
            &self.domain,
            &self.options,
            images,
            lanes,
            fuel,
        );
        place_globals(&mut walk, inputs, &shared);
        let all: Vec<u32> = (0..lanes as u32).collect();
        let outcome = walk.call(self.entry.function, &[], &all);
        // What was written stays, whatever stopped the run.
        let mut kept = shared;
        for (global, bytes) in &mut kept {
            let region = Place::of(walk.globals[global.0 as usize]).region;
            bytes.copy_from_slice(walk.memory.bytes(region));
        }
        let outputs = outputs_of(&walk, lanes);
        let report = Report {
            faults: std::mem::take(&mut walk.faults),
            notes: std::mem::take(&mut walk.notes),
            ended: walk.dead.iter().zip(&walk.helper).map(|(dead, helper)| *dead || *helper).collect(),
            emitted: std::mem::take(&mut walk.emitted),
            fuel: walk.fuel,
        };
        drop(walk);
        self.shared = kept;
        outcome.map(|_| (report, outputs))
    }
}

/// Gives every variable its region.
fn place_globals<D: Domain>(
    walk: &mut Walk<'_, D>,
    inputs: &Attributes,
    shared: &HashMap<GlobalRef, Vec<u8>>,
) {
    let module = walk.module;
    for (i, global) in module.globals.iter().enumerate() {
        let g = GlobalRef(i as u32);
        let size = walk.layouts.get(global.ty).size as usize;
        let own = matches!(
            global.space,
            Space::Private | Space::Input | Space::Output | Space::Payload | Space::HitAttribute
        );
        let mut bytes = match shared.get(&g) {
            Some(bytes) => bytes.clone(),
            None if is_handle(module, global.ty) => handles(g, size),
            None => vec![0; size],
        };
        if let Some(init) = global.init {
            initial(walk, global.ty, init, &mut bytes);
        }
        let region = walk.memory.add(&bytes, own.then_some(walk.lanes));
        walk.globals.push(Place { region, offset: 0 }.bits());
        for (lane, given) in inputs.get(&g).into_iter().flatten().enumerate().take(walk.lanes) {
            let room = walk.memory.bytes_of(region, lane);
            let count = room.len().min(given.len());
            room[..count].copy_from_slice(&given[..count]);
        }
    }
}

fn is_handle(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage(_) | Type::AccelerationStructure => true,
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => is_handle(module, *elem),
        _ => false,
    }
}

/// The handles of a variable's elements; arrays without a size have as many as fit 16 bits of
/// address.
fn handles(global: GlobalRef, size: usize) -> Vec<u8> {
    let count = if size == 0 { 1024 } else { size / 8 };
    (0..count as u32).flat_map(|element| Handle { global, element }.bits().to_le_bytes()).collect()
}

fn initial<D: Domain>(walk: &Walk<'_, D>, ty: Ty, init: crate::Constant, bytes: &mut [u8]) {
    let mut words = Vec::new();
    constant_bits(walk.module, walk.layouts, &walk.globals, init, walk.options.undef, &mut words);
    for (&(leaf, offset), (bits, _)) in walk.layouts.get(ty).leaves.iter().zip(words) {
        let at = offset as usize;
        if let Some(room) = bytes.get_mut(at..at + leaf.bytes()) {
            room.copy_from_slice(&bits.to_le_bytes()[..leaf.bytes()]);
        }
    }
}

fn outputs_of<D: Domain>(walk: &Walk<'_, D>, lanes: usize) -> Attributes {
    let outputs = walk.module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Output);
    let bytes = |i: usize| {
        let region = Place::of(walk.globals[i]).region;
        (0..lanes).map(|lane| walk.memory.peek(region, lane).to_vec()).collect()
    };
    outputs.map(|(i, _)| (GlobalRef(i as u32), bytes(i))).collect()
}

/// SPIR-V's built-ins of the compute stage.
fn compute_builtin(
    number: u32,
    lane: u32,
    group: [u32; 3],
    groups: [u32; 3],
    size: [u32; 3],
    subgroup: u32,
) -> [u32; 4] {
    let local = [lane % size[0], lane / size[0] % size[1], lane / (size[0] * size[1])];
    let three = |v: [u32; 3]| [v[0], v[1], v[2], 0];
    let in_subgroup = lane % subgroup.max(1);
    let mask = |keep: &dyn Fn(u32) -> bool| {
        let set = (0..128).filter(|&n| n < subgroup && keep(n)).fold(0u128, |m, n| m | 1 << n);
        std::array::from_fn(|i| (set >> (32 * i)) as u32)
    };
    match number {
        24 => three(groups),
        25 => three(size),
        26 => three(group),
        27 => three(local),
        28 => three(std::array::from_fn(|i| group[i].wrapping_mul(size[i]).wrapping_add(local[i]))),
        29 => [lane, 0, 0, 0],
        36 => [subgroup, 0, 0, 0],
        38 => [size.iter().product::<u32>().div_ceil(subgroup.max(1)), 0, 0, 0],
        40 => [lane / subgroup.max(1), 0, 0, 0],
        41 => [in_subgroup, 0, 0, 0],
        4416 => mask(&|n| n == in_subgroup),
        4417 => mask(&|n| n >= in_subgroup),
        4418 => mask(&|n| n > in_subgroup),
        4419 => mask(&|n| n <= in_subgroup),
        4420 => mask(&|n| n < in_subgroup),
        _ => [0; 4],
    }
}
