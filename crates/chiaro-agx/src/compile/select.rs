//! Legal IR to blocks of machine operations.
//!
//! Every value is a list of scalars: registers, uniforms, numbers, with what reading does to them. Signs, widening
//! and numbers stay where they are until an instruction reads them; what it cannot read is copied before.
//!
//! | file | does |
//! |---|---|
//! | [`part`], [`value`] | scalars, and what it takes to make operands of them |
//! | [`arith`], [`integer`], [`test`] | floats; integers and bits; comparisons, selects |
//! | [`place`], [`pointer`], [`memory`], [`length`], [`local`] | places, and where pointers lead; buffers and their lengths; memory of the threadgroup and of the thread |
//! | [`shape`], [`control`] | what exits mean for the mask stack; blocks |
//! | [`row`], [`interface`], [`fragment`], [`interpolate`], [`output`], [`record`] | inputs and outputs; those of fragments, also at other places; vertices in software |
//! | [`early`] | tests before the shader runs |
//! | [`bound`] | variables of prologs and epilogs |
//! | [`held`], [`uniforms`], [`members`], [`texture`], [`texel`] | what uniforms hold, and the buffers that they lead to; textures, images and their states; atomic operations on texels |
//! | [`hoist`], [`asked`], [`preamble`] | what is the same for all threads, and the program that computes it once |
//! | [`whole`] | a main part with the parts of its keys |
//! | [`subgroup`], [`barrier`] | across lanes; barriers |

mod arith;
mod asked;
mod barrier;
mod bound;
mod builtin;
mod control;
mod early;
mod fragment;
mod held;
mod hoist;
mod image;
mod integer;
mod interface;
mod interpolate;
mod length;
mod local;
mod members;
mod memory;
mod once;
mod output;
mod part;
mod place;
mod pointer;
mod preamble;
mod record;
mod row;
mod shape;
mod subgroup;
mod test;
mod texel;
mod texture;
mod uniforms;
mod value;
mod whole;

use chiaro_diag::{Diagnostic, Span};
use chiaro_ir as ir;
use chiaro_ir::{Function, GlobalRef, Module, Op as Ir, Root, Stage};
use chiaro_mach::{Block, Code, Operand, Outcome};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use super::compiled::Interface;
use super::options::Options;
use crate::abi::key::Link;
use crate::abi::link::Binding;
use crate::abi::uniforms::Vertex;
use crate::container::file::{Held, Member, State, Words};
#[cfg(feature = "target")]
pub(crate) use fragment::{POINT, POSITION};
use held::{Among, Buffer, Coefficients};
pub use held::{Bound, Bounds, Piece};
use once::Once;
use part::Part;
#[cfg(feature = "target")]
pub(crate) use place::{cells, part_offset, size};
pub(super) use subgroup::{SCAN_MAX, SCAN_MIN};
pub(super) use uniforms::too_many;

/// What selection makes.
#[derive(Debug, Default)]
pub struct Selected {
    /// Blocks of operations on values.
    pub code: Code,
    /// Those of the program that runs once before.
    pub preamble: Option<Code>,
    /// What uniforms hold, those of the pool left out.
    pub uniforms: Vec<Held>,
    /// Members of buffers.
    pub members: Vec<Member>,
    /// The first half that is free for the pool.
    pub first_free: u16,
    /// Numbers that are to stand in uniforms: bits, halves.
    pub pool: Vec<(u64, u16)>,
    /// Bytes of the thread's own memory that variables take.
    pub stack_bytes: u32,
    /// Bytes of the threadgroup's memory.
    pub shared_bytes: u32,
    /// What coefficient registers hold.
    pub bindings: Vec<Binding>,
    /// What texture and sampler states hold.
    pub states: Vec<State>,
    /// What the epilog has to know.
    pub link: Link,
    /// What the words of a vertex hold.
    pub words: Vec<Words>,
    /// Where variables are.
    pub interface: Interface,
}

/// A sum of an address: where it is made, its size, products and a number.
type Sum = (Block, u16, Vec<(Part, u32)>, i64);

struct Select<'a> {
    module: &'a Module,
    f: &'a Function,
    stage: Stage,
    /// Whether vertices are computed by threads of a grid.
    software: bool,
    /// Whether samples are tested before the shader runs, whatever it does.
    early: bool,
    /// Threads of a threadgroup.
    workgroup: [u32; 3],
    code: Code,
    /// The source text of what is selected.
    span: Option<Span>,
    values: Vec<Option<Vec<Part>>>,
    /// How often each value is an operand.
    uses: Vec<u32>,
    /// Copies that a block has made already.
    moved: HashMap<(Block, Part), Part>,
    /// Runs of scalars that a block has collected already.
    collected: HashMap<(Block, Vec<Part>), chiaro_mach::Value>,
    /// Scalars that stand in such a run.
    in_run: HashSet<chiaro_mach::Value>,
    /// Products of 64 bits that a block has made already.
    products: HashMap<(Block, Part, Part, bool), Part>,
    /// Components of vectors that are read, by bit, where only components are.
    demanded: Vec<u8>,
    /// Factors of products whose high words are wanted, and whether with signs.
    high_products: Vec<([ir::Value; 2], bool)>,
    /// Sums of addresses that a block has made already.
    addresses: HashMap<Sum, Part>,
    /// Whether numbers may stand in uniforms.
    pools: bool,
    /// Those that do: bits, halves; and their places in that list.
    pool: Vec<(u64, u16)>,
    numbers: HashMap<(u64, u16), usize>,
    uniforms: Vec<Held>,
    members: Vec<Member>,
    next_uniform: u16,
    buffers: HashMap<GlobalRef, Buffer>,
    /// The first byte of each variable of the threadgroup or of the thread.
    locals: HashMap<Root, u32>,
    shared_bytes: u32,
    stack_bytes: u32,
    inputs: HashMap<(GlobalRef, u32), Part>,
    /// What was stored to each component of the outputs.
    stored: HashMap<(GlobalRef, u32), Part>,
    /// The uniforms of a vertex program.
    vertex_abi: Option<Vertex>,
    coefficients: Coefficients,
    /// States of the first texture or sampler of each variable.
    textures: HashMap<GlobalRef, u16>,
    samplers: HashMap<GlobalRef, u16>,
    states: Vec<State>,
    /// The half that holds the address of descriptors.
    heap: u16,
    /// Where the variables of a prolog or epilog stand; none in a main part.
    bounds: Bounds,
    /// Inputs of it that are several scalars: the half where each stands, and how many halves.
    runs: HashMap<chiaro_mach::Value, (u16, u16)>,
    /// Their scalars, where a block has taken them out.
    taken: HashMap<(Block, chiaro_mach::Value), Vec<Part>>,
    /// Pixel fences that have been waited for.
    fenced: u8,
    /// Whether it runs once for each sample, and whether it kills some.
    shades_samples: bool,
    kills: bool,
    /// Whether targets in memory are stored to.
    writes_heap: bool,
    /// Where samples of those are, by descriptor.
    heap_texels: HashMap<u16, Vec<Part>>,
    link: Link,
    held_words: Vec<Words>,
    interface: Interface,
    /// Registers that are read at the start, and the instruction that has them.
    preloaded: Vec<Operand>,
    start: Option<chiaro_mach::Inst>,
    /// Where this stands among the parts of a program that is compiled as one.
    among: Among,
    /// What runs once, before.
    once: Once,
}

/// Selects an entry point's function, which legalisation has run on; what is the same for all threads goes to a
/// preamble, unless the options leave it.
///
/// # Errors
/// What the machine cannot do or hold, with its place in the source.
pub fn select(module: &Module, f: &Function, stage: Stage, options: Options) -> Outcome<Selected> {
    let mut select = Select::new(module, f, stage, Bounds::new());
    select.software = options.software && stage == Stage::Vertex;
    let entry = select.code.block(0);
    select.give_places()?;
    if options.preamble {
        select.plan_preamble();
    }
    select.body(entry)?;
    let preamble = select.preamble()?;
    Ok(Selected { preamble, ..select.into_selected() })
}

/// Selects the function of a prolog or epilog, whose variables stand where they are said to. It has no uniforms of
/// its own; with no variables it is a main part.
///
/// # Errors
/// As [`select`].
pub fn select_part(module: &Module, f: &Function, stage: Stage, bounds: Bounds) -> Outcome<Selected> {
    let mut select = Select::new(module, f, stage, bounds);
    let entry = select.code.block(0);
    select.give_places()?;
    select.body(entry)?;
    Ok(select.into_selected())
}

/// Selects the pieces of a program in their order; `tests` says that none behind the main part decides on samples.
///
/// # Errors
/// As [`select`].
pub fn select_whole(pieces: Vec<Piece<'_>>, stage: Stage, tests: bool) -> Outcome<Selected> {
    let count = pieces.len();
    let mut done: Option<Select<'_>> = None;
    for (n, Piece { module, function, bounds }) in pieces.into_iter().enumerate() {
        let mut next = Select::new(module, function, stage, bounds);
        let (follows, is_followed) = (n > 0, n + 1 < count);
        let mut given = HashMap::default();
        let mut entry = None;
        if let Some(before) = done.take() {
            entry = before.among.end;
            given = next.continue_from(before);
        }
        next.among = Among { is_one: true, follows, is_followed, tests: Some(tests), given, end: None };
        let entry = entry.unwrap_or_else(|| next.code.block(0));
        next.give_places()?;
        next.body(entry)?;
        done = Some(next);
    }
    Ok(done.map(Select::into_selected).unwrap_or_default())
}

impl<'a> Select<'a> {
    fn new(module: &'a Module, f: &'a Function, stage: Stage, bounds: Bounds) -> Select<'a> {
        Select {
            module,
            f,
            stage,
            software: false,
            early: stage == Stage::Fragment && bounds.is_empty() && is_early(module),
            workgroup: module.entries.first().map_or([1; 3], |entry| entry.workgroup),
            code: Code::new(f.name.clone()),
            span: None,
            values: vec![None; f.value_count()],
            uses: ir::use_counts(f),
            moved: HashMap::default(),
            collected: HashMap::default(),
            in_run: HashSet::default(),
            products: HashMap::default(),
            demanded: demanded(f),
            high_products: high_products(f),
            addresses: HashMap::default(),
            pools: bounds.is_empty(),
            pool: Vec::new(),
            numbers: HashMap::default(),
            uniforms: Vec::new(),
            members: Vec::new(),
            next_uniform: 0,
            buffers: HashMap::default(),
            locals: HashMap::default(),
            shared_bytes: 0,
            stack_bytes: 0,
            inputs: HashMap::default(),
            stored: HashMap::default(),
            vertex_abi: None,
            coefficients: Coefficients::default(),
            textures: HashMap::default(),
            samplers: HashMap::default(),
            states: Vec::new(),
            heap: 0,
            bounds,
            runs: HashMap::default(),
            taken: HashMap::default(),
            fenced: 0,
            shades_samples: false,
            kills: false,
            writes_heap: false,
            heap_texels: HashMap::default(),
            link: Link::default(),
            held_words: Vec::new(),
            interface: Interface::default(),
            preloaded: Vec::new(),
            start: None,
            among: Among::default(),
            once: Once::default(),
        }
    }

    /// Gives variables their places in uniforms, states and memory.
    fn give_places(&mut self) -> Outcome {
        self.reserve_uniforms()?;
        self.place_states()?;
        self.place_uniforms()?;
        self.place_local()
    }

    /// Everything of the function, from a block on.
    fn body(&mut self, entry: Block) -> Outcome {
        self.place_inputs(entry)?;
        self.test_early(entry);
        self.check_colours()?;
        self.start_privates(entry);
        if !self.lower(entry)? {
            let error = Diagnostic::error(self.f.span, "no path through the shader ends");
            return Err(vec![error.help("give its loops a condition that can become false")]);
        }
        Ok(())
    }

    fn into_selected(self) -> Selected {
        Selected {
            code: self.code,
            preamble: None,
            uniforms: self.uniforms,
            members: self.members,
            first_free: self.next_uniform,
            pool: self.pool,
            stack_bytes: self.stack_bytes,
            shared_bytes: self.shared_bytes,
            bindings: self.coefficients.bindings,
            states: self.states,
            link: self.link,
            words: self.held_words,
            interface: self.interface,
        }
    }

    fn error<T>(&self, span: Option<Span>, message: String, help: &str) -> Outcome<T> {
        Err(vec![Diagnostic::error(span, message).help(help.to_owned())])
    }

    /// One instruction that is no control.
    fn instruction(&mut self, at: Block, inst: ir::Inst) -> Outcome {
        self.span = self.f.inst(inst).span;
        let op = self.f.op(inst);
        let parts = match op {
            _ if self.is_moved(inst) => self.moved_result(inst),
            // Who reads through a pointer or handle looks for itself where it comes from.
            Ir::Access | Ir::SampledImage | Ir::ImageOf | Ir::TexelPointer => Some(Vec::new()),
            Ir::Var(_) => self.start_variable(at, inst).map(|()| Vec::new()),
            Ir::Load => self.load(at, inst),
            Ir::Interpolate(taken) => self.interpolate(at, inst, taken),
            Ir::Store => self.store(at, inst).map(|()| Vec::new()),
            Ir::BitInsert => self.bit_insert(at, inst),
            Ir::Atomic(..) | Ir::AtomicCompare(..) | Ir::AtomicLoad(..) | Ir::AtomicStore(..) => {
                self.atomic(at, inst, op)
            }
            Ir::ArrayLength(member) => self.array_length(at, inst, member),
            Ir::Sample(sampling) => self.sample(at, inst, sampling),
            Ir::Fetch | Ir::ImageRead => self.fetch(at, inst),
            Ir::ImageQuery(query) => self.query(at, inst, query),
            Ir::ImageWrite => self.image_write(at, inst).map(|()| Vec::new()),
            Ir::IsHelper => Some(vec![self.is_helper(at)]),
            Ir::Demote => {
                self.kill(at, None);
                Some(Vec::new())
            }
            Ir::Elect
            | Ir::VoteAll
            | Ir::VoteAny
            | Ir::VoteEqual
            | Ir::Ballot
            | Ir::InverseBallot
            | Ir::BallotBit
            | Ir::BallotCount(_)
            | Ir::BallotLsb
            | Ir::BallotMsb
            | Ir::Broadcast
            | Ir::BroadcastFirst
            | Ir::LaneShuffle
            | Ir::LaneXor
            | Ir::LaneUp
            | Ir::LaneDown
            | Ir::LaneRotate(_)
            | Ir::LaneCombine(..)
            | Ir::QuadBroadcast
            | Ir::QuadSwap(_) => self.subgroup(at, inst, op),
            Ir::ControlBarrier(..) | Ir::MemoryBarrier(..) | Ir::BeginOrdered | Ir::EndOrdered => {
                self.barrier(at, op);
                Some(Vec::new())
            }
            _ => self.arithmetic(at, inst, op),
        };
        match (parts, self.f.result_of(inst)) {
            (Some(parts), Some(result)) => self.values[result.0 as usize] = Some(parts),
            (Some(_), None) => {}
            (None, _) => return self.refuse(inst, op),
        }
        Ok(())
    }

    /// Base, insert, offset, count; the last two are scalars.
    fn bit_insert(&mut self, at: Block, inst: ir::Inst) -> Option<Vec<Part>> {
        let args: Vec<Vec<Part>> = self.f.args(inst).to_vec().into_iter().map(|v| self.value(v)).collect();
        let [base, insert, offset, count] = args.as_slice() else { return None };
        let one = |(&a, &b): (&Part, &Part)| self.insert_bits(at, [a, b, offset[0], count[0]]);
        Some(base.iter().zip(insert).map(one).collect())
    }

    fn refuse(&self, inst: ir::Inst, op: Ir) -> Outcome {
        let span = self.f.inst(inst).span;
        let name = op.info().name;
        match op {
            Ir::Call(_) => {
                let (message, help) = chiaro_opt::call_left(name);
                self.error(span, message, help)
            }
            Ir::Atomic(..) | Ir::AtomicCompare(..) | Ir::AtomicLoad(..) | Ir::AtomicStore(..)
                if self.f.args(inst).iter().any(|&arg| self.sizes(self.f.ty(arg)).contains(&4)) =>
            {
                let message = format!("AGX has no 64-bit atomics, and `{name}` is one");
                self.error(span, message, "use atomics of 32 bits, as on two words")
            }
            _ => self.error(
                span,
                format!("AGX cannot do `{name}` of these operands"),
                "it has floats of 16 and 32 bits, integers of 8 to 64, textures, images, buffers and memory of the threadgroup",
            ),
        }
    }
}

/// SPIR-V's number of `early_fragment_tests`.
const EARLY_FRAGMENT_TESTS: u32 = 9;

/// Whether a shader asks for tests of its samples before it runs.
fn is_early(module: &Module) -> bool {
    let modes = module.entries.first().map_or(&[][..], |entry| &entry.modes);
    modes.iter().any(|(mode, _)| *mode == EARLY_FRAGMENT_TESTS)
}

/// Factors of all products whose high words are wanted, and whether with signs.
fn high_products(f: &Function) -> Vec<([ir::Value; 2], bool)> {
    let high = |inst: ir::Inst| match (f.op(inst), f.args(inst)) {
        (op @ (Ir::UMulHigh | Ir::SMulHigh), &[a, b]) => Some(([a, b], op == Ir::SMulHigh)),
        _ => None,
    };
    ir::Walk::insts(f).filter_map(high).collect()
}

/// By value: the components that are read of vectors of which nothing else is.
fn demanded(f: &Function) -> Vec<u8> {
    let mut masks = vec![0; f.value_count()];
    for inst in ir::Walk::insts(f) {
        let mask = match f.op(inst) {
            Ir::Extract(n) if n < 8 => 1 << n,
            _ => u8::MAX,
        };
        f.args(inst).iter().for_each(|arg| masks[arg.0 as usize] |= mask);
    }
    masks
}
