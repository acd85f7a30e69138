//! The interpreter: what the IR means.
//!
//! [`Interpreter`] runs an entry point on the invocations that it is given: the workgroups of
//! a dispatch, or a list of vertices or fragments (four consecutive ones are a quad). All
//! invocations of a workgroup go through the tree in step, each with its own values, so that
//! convergence is what the constructs say and a barrier needs no waiting. With [`Exact`] the
//! result is bit for bit the meaning of the module; with [`Interval`] every float carries an
//! error, and a lane whose decisions depend on it is reported as inconclusive.
//!
//! Access out of bounds reads zeros and writes nothing, and is noted as a [`Fault`] with its
//! source place; what cannot go on (out of fuel, unreachable reached, recursion without end)
//! stops the run with one.

mod access;
mod arith;
pub mod compare;
mod domain;
mod elsewhere;
mod evaluate;
mod exec;
mod frame;
mod image;
mod images;
mod interpolate;
mod interval;
mod lanes;
mod layout;
mod memory;
mod races;
mod rays;
mod scalars;
mod setup;
mod special;
mod terms;
mod texel;
mod textures;
mod watch;
mod world;

pub use compare::Counterexample;
pub use domain::{Domain, Exact, Inconclusive, Note};
pub use elsewhere::Elsewhere;
pub use evaluate::{Bits, evaluate};
pub use images::{Handle, Images, NoImages, Request, Texel};
pub use interval::{Fuzzy, HALF_TINY, Interval, Precision, Rounding};
pub use textures::TextureStore;
pub use watch::{Assigned, Variable, Watched};
pub use world::{Counts, Stages, World};

/// The bits of a float of a width in bits (16, 32 or 64) as a number.
pub fn float_value(bits: u64, width: u8) -> f64 {
    arith::float(bits, width)
}

/// A number as the bits of a float of a width, rounded to nearest even.
pub fn float_bits(value: f64, width: u8) -> u64 {
    arith::bits(value, width)
}

use crate::{EntryPoint, GlobalRef, Module, Space, Ty};
use chiaro_diag::Span;
use exec::{Outcome, Prepared, Walk};
use frame::Plan;
use layout::Layouts;
use memory::{Place, Region};
use setup::{compute_builtin, copies, outputs_of, place_blocks, place_globals};
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
    /// Most bytes of variables, those of all lanes together, with what the domain keeps beside them.
    pub memory: usize,
    /// Most calls that may be open at once, that of the entry point among them. Calls nest on the thread's own
    /// stack, which takes a few kilobytes for each: whoever allows thousands has to have it.
    pub depth: usize,
    /// How often one function may be open at once.
    pub recursion: u32,
    /// Most vertices that geometry shaders may emit.
    pub vertices: usize,
    /// Most texts that are kept of what lanes print.
    pub prints: usize,
    /// Notes lanes whose 32-bit integers go beyond this, up or down, or wrap around: for machines that hold
    /// them as floats.
    pub largest_integer: Option<u32>,
    /// Most scalars that are kept of what lanes store in variables of functions that have names.
    pub watched: usize,
    /// Doubts what lanes that have taken different ways write to one place.
    pub races: bool,
    /// Derivatives that need not be fine are, as those of machines that have no others: GLSL leaves it open.
    pub fine_derivatives: bool,
}

/// Texts that are kept of what is printed, unless [`Options::prints`] says otherwise.
pub const MOST_PRINTED: usize = 1 << 12;

impl Default for Options {
    fn default() -> Options {
        Options {
            fuel: 1 << 28,
            subgroup: 32,
            undef: 0,
            registers: 1 << 24,
            memory: 1 << 28,
            depth: 64,
            recursion: u32::MAX,
            vertices: 1 << 16,
            prints: MOST_PRINTED,
            largest_integer: None,
            watched: 0,
            races: false,
            fine_derivatives: false,
        }
    }
}

impl Options {
    /// So many bytes that nobody has defined: the lower word of [`Options::undef`] again and again.
    fn undefined(&self, size: usize) -> Vec<u8> {
        (self.undef as u32).to_le_bytes().into_iter().cycle().take(size).collect()
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
    /// A function of another part is called, by its name.
    Import(String),
    /// Registers or outputs would take too much memory.
    TooLarge,
    /// Variables would take too much memory.
    Memory {
        /// Bytes of all lanes together, at least.
        used: usize,
        /// Most of them.
        allowed: usize,
    },
    /// The interpreter does not know what this operation does.
    NotInterpreted(&'static str),
    /// The program says so itself, by a number.
    Trap(u8),
    /// What a pipeline of rays must not do, in words.
    Rays(String),
}

impl FaultKind {
    /// Whether the run was too large for this interpreter, which says nothing about the program.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        matches!(self, FaultKind::TooLarge | FaultKind::Memory { .. })
    }
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
            FaultKind::Import(name) => write!(f, "`{name}` is called, whose body another part has")?,
            FaultKind::TooLarge => write!(f, "the values of a call take too much memory")?,
            FaultKind::Memory { used, allowed } => {
                write!(f, "variables take {used} bytes in all invocations together, {allowed} are there")?;
            }
            FaultKind::NotInterpreted(name) => write!(f, "`{name}` is not interpreted")?,
            FaultKind::Trap(n) => write!(f, "the program says that something is wrong, by the number {n}")?,
            // It names the launch.
            FaultKind::Rays(what) => return f.write_str(what),
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

/// What a lane printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The lane; of a dispatch the invocation, counted group by group.
    pub lane: u32,
    /// The text with its values.
    pub text: String,
}

/// What a run reports besides its outputs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Accesses that were noted.
    pub faults: Vec<Fault>,
    /// For each lane why it proves nothing, if so.
    pub notes: Vec<Note>,
    /// For each lane whether an integer was beyond [`Options::largest_integer`].
    pub large: Vec<bool>,
    /// Lanes that ended as helpers or were terminated: they have no outputs.
    pub ended: Vec<bool>,
    /// What geometry shaders emitted.
    pub emitted: Vec<Emitted>,
    /// What lanes printed, in the order of the run; at most [`Options::prints`].
    pub printed: Vec<Printed>,
    /// Texts beyond those.
    pub unprinted: u64,
    /// What was stored in variables of functions, of a dispatch in its first group; at most
    /// [`Options::watched`] scalars.
    pub watched: Watched,
    /// What rays did.
    pub rays: Counts,
    /// Fuel that is left.
    pub fuel: u64,
}

impl Report {
    /// Adds that of lanes that ran later, as much of what is watched and printed as the options keep.
    fn add(&mut self, next: Report, options: &Options) {
        self.fuel = next.fuel;
        let first = self.ended.len() as u32;
        self.watched.append(next.watched, first, options.watched);
        let room = options.prints.saturating_sub(self.printed.len());
        self.unprinted += next.unprinted + next.printed.len().saturating_sub(room) as u64;
        let printed = next.printed.into_iter().take(room);
        self.printed.extend(printed.map(|p| Printed { lane: first + p.lane, ..p }));
        self.faults.extend(next.faults);
        self.notes.extend(next.notes);
        self.large.extend(next.large);
        self.ended.extend(next.ended);
        self.rays.add(&next.rays);
    }
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
    shared: HashMap<GlobalRef, Region<D>>,
    /// Blocks of memory that are reached by address alone.
    blocks: Vec<Region<D>>,
    /// Variables that are another, earlier one: of several stages at one binding.
    pub aliases: HashMap<GlobalRef, GlobalRef>,
    /// What rays meet and call.
    pub world: Option<World<'m>>,
    /// What inputs of fragments are where they were not given.
    pub elsewhere: Elsewhere,
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
            blocks: Vec::new(),
            aliases: HashMap::new(),
            world: None,
            elsewhere: Elsewhere::default(),
        }
    }

    /// Adds a block of memory that no variable holds; answers its address for buffers that hold pointers.
    pub fn add_block(&mut self, bytes: Vec<u8>) -> u64 {
        self.blocks.push(Region::of(bytes));
        Place { region: self.blocks.len() as u32, offset: 0 }.bits()
    }

    /// Gives a buffer, block of push constants or loose uniform its bytes.
    pub fn set(&mut self, global: GlobalRef, bytes: Vec<u8>) {
        self.shared.insert(global, Region::of(bytes));
    }

    /// The bytes of a buffer as they are now.
    pub fn bytes(&self, global: GlobalRef) -> Option<&[u8]> {
        self.shared.get(&global).map(Region::all)
    }

    /// A float of a buffer as it is now, of a width and at a byte offset: its value, how far
    /// another correct implementation may be off, and whether lanes that prove something
    /// wrote it. `None` out of bounds.
    pub fn float_at(&self, global: GlobalRef, offset: usize, width: u8) -> Option<(f64, f64, bool)> {
        let (s, conclusive) = self.shared.get(&global)?.float(&self.domain, offset, width)?;
        Some((self.domain.value(s, width), self.domain.error(s), conclusive))
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

    /// Whether there is room for the variables of the module where so many lanes run together, given or not: for
    /// those who make up what they give.
    ///
    /// # Errors
    /// The first variable that is too large.
    pub fn fits(&self, lanes: usize) -> Result<(), Box<Fault>> {
        let mut memory = memory::Memory::<D>::new(self.options.memory);
        self.module.globals.iter().try_for_each(|global| {
            memory.claim(self.layouts.get(global.ty).size, copies(global, lanes), global.span)
        })
    }

    /// Runs so many workgroups, one after the other.
    ///
    /// # Errors
    /// What stops the run; buffers keep what was written until then.
    pub fn dispatch(&mut self, groups: [u32; 3], images: &mut dyn Images) -> Result<Report, Box<Fault>> {
        let size = self.entry.workgroup.map(|n| n.max(1));
        let lanes = size.iter().fold(1usize, |all, &n| all.saturating_mul(n as usize));
        if lanes > 4096 {
            return Err(Box::new(Fault::new(FaultKind::TooLarge, None)));
        }
        let mut report = Report { fuel: self.options.fuel, ..Report::default() };
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    let builtins = |number: u32, lane: usize| {
                        let lane = (lane as u32, self.entry.thread_of(lane as u32));
                        compute_builtin(number, lane, [x, y, z], groups, size, self.options.subgroup)
                    };
                    let attributes = self.built_in(lanes, &builtins);
                    let (next, _) = self.group(lanes, &attributes, images, report.fuel)?;
                    report.add(next, &self.options);
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
        let function = self.entry.function;
        self.within(lanes, inputs, images, fuel, &|walk, all| walk.call(function, &[], all).map(drop))
    }

    /// Runs lanes together, from what `start` calls.
    fn within(
        &mut self,
        lanes: usize,
        inputs: &Attributes,
        images: &mut dyn Images,
        fuel: u64,
        start: &dyn Fn(&mut Walk<'_, D>, &[u32]) -> Outcome,
    ) -> Result<(Report, Attributes), Box<Fault>> {
        let mut kept = std::mem::take(&mut self.shared);
        let prepared = Prepared {
            module: self.module,
            layouts: &self.layouts,
            plans: &self.plans,
            domain: &self.domain,
            options: &self.options,
            world: self.world.as_ref(),
            elsewhere: &self.elsewhere,
        };
        let mut walk = Walk::new(prepared, images, lanes, fuel);
        place_blocks(&mut walk, &mut self.blocks);
        let placed = place_globals(&mut walk, inputs, &mut kept, &self.aliases);
        let all: Vec<u32> = (0..lanes as u32).collect();
        let places = walk.globals.clone();
        let outcome = placed.and_then(|()| start(&mut walk, &all));
        // What was written stays, whatever stopped the run.
        for (global, region) in &mut kept {
            *region = walk.memory.take(Place::of(places[global.0 as usize]).region);
        }
        for (n, block) in (1..).zip(&mut self.blocks) {
            *block = walk.memory.take(n);
        }
        let outputs = outputs_of(&walk, lanes);
        let report = Report {
            faults: std::mem::take(&mut walk.faults),
            notes: std::mem::take(&mut walk.notes),
            large: std::mem::take(&mut walk.large),
            ended: walk.dead.iter().zip(&walk.helper).map(|(dead, helper)| *dead || *helper).collect(),
            emitted: std::mem::take(&mut walk.emitted),
            printed: std::mem::take(&mut walk.printed),
            unprinted: walk.unprinted,
            watched: std::mem::take(&mut walk.watched),
            rays: walk.rays.counts,
            fuel: walk.fuel,
        };
        drop(walk);
        self.shared = kept;
        outcome.map(|()| (report, outputs))
    }
}
