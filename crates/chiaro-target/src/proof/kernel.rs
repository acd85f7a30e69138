//! Kernels: what a dispatch leaves in its buffers, by the source and by the code.
//!
//! A target is a [`Kernel`]: it says which variables are buffers, and runs its code on bytes. Every scalar that lies in
//! a storage buffer afterwards is compared, those left out that hang on the order in which the code's groups run.

use chiaro_ir::interp::{
    Counterexample, FaultKind, HALF_TINY, Images, Interpreter, Interval, Options, Report, float_bits,
    float_value,
};
use chiaro_ir::sample::Sample;
use chiaro_ir::{GlobalRef, Module, Op, Space, Step, Type, Walk, use_counts};
use chiaro_isa::Rng;

use super::buffer::{Buffer, Leaf};
use super::meaning::TOO_LARGE;
use super::outputs::Program;
use super::result::{Compared, Failure};
use super::{FUEL, Proof};

/// Elements of an array whose size nobody says.
const ELEMENTS: u32 = 512;
/// The same where those are too few, and nothing stops accesses beyond.
const MORE_ELEMENTS: u32 = 8192;
/// Runs on inputs of their own.
const ROUNDS: u64 = 3;
/// Calls that the interpreter has open at once.
const DEEPEST: usize = 512;
/// Invocations of a dispatch, where a group has fewer.
const INVOCATIONS: u32 = 128;
/// Runs of each input: as ever, with other bits in what nobody has written, and in another order.
const RUNS: [How; 3] = [
    How { fill: 0, backwards: false },
    How { fill: 0xa5a5_5a5a, backwards: false },
    How { fill: 0, backwards: true },
];

/// Other words than 0 for what nobody has defined. Code may have any number there, and indices take its low bits: all
/// values of four of them occur.
fn undefined() -> impl Iterator<Item = u64> {
    [0xa5a5_5a5a].into_iter().chain((1..16).map(|digit| digit * 0x1111_1111))
}

/// A compiled kernel beside its source.
pub trait Kernel {
    /// What shaders ask for texel by texel; [`NoImages`](chiaro_ir::interp::NoImages) where there is none.
    type Texels: Images + Clone;

    /// The module as it was given, and its entry point.
    fn source(&self) -> Program<'_>;

    /// How far correct words may be off.
    fn bounds(&self) -> Interval;

    /// Lanes of a subgroup.
    fn subgroup(&self) -> u32;

    /// Whether derivatives that need not be fine are.
    fn has_fine_derivatives(&self) -> bool {
        false
    }

    /// How often a function may be open at once, if functions may be open several times.
    fn recursion(&self) -> Option<u32> {
        None
    }

    /// Whether nobody knows where buffers end.
    fn is_open(&self) -> bool {
        false
    }

    /// The variables whose bytes [`Kernel::run`] is given, in that order.
    fn buffers(&self) -> Vec<GlobalRef>;

    /// Random resources of texels.
    fn texels(&self, rng: &mut Rng) -> Self::Texels;

    /// Resources of texels as bytes, each with whether their numbers are integers: in an order that [`Kernel::run`]
    /// keeps.
    fn texel_bytes(&self, texels: &Self::Texels) -> Vec<(Vec<u8>, bool)> {
        let _ = texels;
        Vec::new()
    }

    /// Why the source's run proves nothing, as far as its images know.
    fn doubted(&self, left: &Self::Texels) -> Option<&'static str> {
        let _ = left;
        None
    }

    /// What of the source's images each run has to have left, by their bounds: of targets that have no
    /// [bytes](Kernel::texel_bytes) of them. `found` is what [`Kernel::run`] gives behind the buffers.
    fn compare_texels(&self, left: &Self::Texels, found: &[Vec<u8>]) -> Compared {
        let _ = (left, found);
        Compared::default()
    }

    /// What of the kernel nothing is known of here, in a sentence.
    fn unknown(&self) -> Option<&'static str>;

    /// The code by the rules of the hardware.
    ///
    /// # Errors
    /// The first that is broken.
    fn rules(&self) -> Result<(), Failure>;

    /// Runs the code: the bytes of all buffers afterwards, behind them those of texels.
    ///
    /// # Errors
    /// What the simulator stops at.
    fn run(&self, given: &Given, texels: &Self::Texels, how: How) -> Result<Vec<Vec<u8>>, String>;

    /// The code: for the reader of a counterexample.
    fn listing(&self) -> String;
}

/// What a kernel is given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// Workgroups.
    pub groups: [u32; 3],
    /// Bytes of each buffer.
    pub bytes: Vec<Vec<u8>>,
}

/// How it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct How {
    /// Bits of what nobody has written.
    pub fill: u32,
    /// Groups, and what runs side by side in them, the last one first.
    pub backwards: bool,
}

/// A kernel as commands and tools use it.
#[derive(Clone, Copy, Debug)]
pub struct Checked<K>(pub K);

impl<K: Kernel> Proof for Checked<K> {
    fn verify(&self, _: usize, seed: u64) -> Result<Compared, Failure> {
        verify(&self.0, seed)
    }

    fn hold(&self, _: &mut Sample) -> bool {
        true
    }

    /// Kernels have no inputs of single invocations.
    fn compare(&self, _: &Sample) -> Result<Compared, Failure> {
        verify(&self.0, 1)
    }

    fn listing(&self) -> String {
        self.0.listing()
    }
}

/// The code by the rules of the hardware, and on buffers of random numbers.
///
/// # Errors
/// The first check that fails, with a counterexample.
pub fn verify<K: Kernel>(kernel: &K, seed: u64) -> Result<Compared, Failure> {
    kernel.rules()?;
    meaning(kernel, seed)
}

/// The code on buffers of random numbers, whether or not it keeps the rules.
///
/// # Errors
/// A fault, a counterexample, or that too little is proved.
pub fn meaning<K: Kernel>(kernel: &K, seed: u64) -> Result<Compared, Failure> {
    let mut all = Compared::default();
    for round in 0..ROUNDS {
        // Offsets and counts among the inputs make long runs of large integers: those come last.
        let largest = if round + 1 < ROUNDS { 63 } else { u32::MAX.into() };
        let rng = Rng(seed.wrapping_mul(ROUNDS) + round);
        let compared = compare(kernel, &rng, largest, ELEMENTS)?;
        if let Some(wrong) = compared.wrong {
            return Err(Failure::Meaning(wrong));
        }
        all = all.and(compared);
    }
    if all.proves() {
        return Ok(all);
    }
    let (conclusive, inconclusive, why) = (all.conclusive, all.inconclusive, all.why());
    Err(Failure::Untested { conclusive, inconclusive, why })
}

/// Source against code on random inputs, with so many elements where nobody says how many there are.
fn compare<K: Kernel>(kernel: &K, seed: &Rng, largest: u64, elements: u32) -> Result<Compared, Failure> {
    let rng = &mut seed.clone();
    if let Some(why) = kernel.unknown() {
        return Ok(doubted(why));
    }
    let mut source = interpreter(kernel, 0);
    let Program { module, entry } = kernel.source();
    if source.fits(threads(entry.workgroup) as usize).is_err() {
        return Ok(doubted(TOO_LARGE));
    }
    let known = kernel.buffers();
    let lost = lost(module, &known);
    let all_buffers = known.iter().chain(&lost);
    let buffers: Vec<Buffer> = all_buffers.map(|&g| Buffer::new(module, &source, g, elements)).collect();
    let given = inputs(&buffers, kernel.source().entry.workgroup, rng, largest);
    let texels = kernel.texels(rng);
    let mut left = texels.clone();
    let is_open = |report: &Report| kernel.is_open() && !report.faults.is_empty();
    let report = match dispatch(&mut source, &buffers, &given, &mut left) {
        Ok(report) if is_open(&report) && elements < MORE_ELEMENTS => {
            return compare(kernel, seed, largest, MORE_ELEMENTS);
        }
        Ok(report) if is_open(&report) => {
            return Ok(doubted("an access is out of bounds, where nothing stops it"));
        }
        Ok(report) => report,
        Err(why) => return Ok(doubted(why)),
    };
    if let Some(why) = kernel.doubted(&left) {
        return Ok(doubted(why));
    }
    let runs = match run(kernel, &given, &texels, known.len()) {
        Err(_) if !report.faults.is_empty() => {
            return Ok(doubted("an access is beyond the end of a variable"));
        }
        runs => runs.map_err(Failure::Fault)?,
    };
    let (known, others) = (known.len(), &[][..]);
    let comparison =
        Comparison { source: &source, others, report: &report, given: &given, runs: &runs, known };
    let mut found = comparison.all(&buffers);
    if found.wrong.is_some() {
        found = open_values(kernel, &buffers, (&given, &texels), comparison).unwrap_or(found);
        if found.wrong.is_some() {
            found = open_order(kernel, &buffers, (&given, &texels), comparison).unwrap_or(found);
        }
        // Who comes first at an atomic operation is nobody's promise.
        if found.wrong.is_some() && takes_turns(module) {
            found.wrong = None;
            found.doubt("it depends on the order of atomic operations");
        }
    }
    let both = [&texels, &left].map(|texels| kernel.texel_bytes(texels));
    comparison.texels(&both, buffers.len(), &mut found);
    Ok(found.and(images(kernel, &buffers, (&texels, &left), comparison)))
}

/// What proves nothing, and why.
fn doubted(why: &'static str) -> Compared {
    let mut all = Compared::default();
    all.doubt(why);
    all
}

/// Images against what the source found and left in them. What hangs on who comes first proves nothing, nor what hangs
/// on values that nobody has defined.
fn images<K: Kernel>(
    kernel: &K,
    buffers: &[Buffer],
    (texels, left): (&K::Texels, &K::Texels),
    comparison: Comparison<'_>,
) -> Compared {
    let run = |n: usize| comparison.runs.get(n).and_then(|run| run.get(buffers.len()..)).unwrap_or(&[]);
    // What changes with registers that nobody has written is wrong, too.
    let compared =
        |left: &K::Texels| kernel.compare_texels(left, run(0)).and(kernel.compare_texels(left, run(1)));
    let mut all = compared(left);
    let Some(wrong) = &all.wrong else { return all };
    let meant = (wrong.output.clone(), wrong.component, wrong.expected);
    let is_open = || {
        undefined().any(|undef| {
            let (mut other, mut source) = (texels.clone(), interpreter(kernel, undef));
            let ends = dispatch(&mut source, buffers, comparison.given, &mut other).is_ok();
            let again = compared(&other).wrong;
            ends && again.is_none_or(|again| (again.output, again.component, again.expected) != meant)
        })
    };
    let doubt = match () {
        () if run(0) != run(2) => "it depends on the order of the groups",
        () if comparison.strays() => "an invocation in doubt may have written it",
        () if takes_turns(kernel.source().module) => "it depends on the order of atomic operations",
        () if is_open() => "it depends on a value that nobody defines",
        () => return all,
    };
    all.wrong = None;
    all.doubt(doubt);
    all
}

/// The same where what hangs on values that nobody has defined is in doubt: it may be anything. One number after the
/// other is tried until nothing is wrong any more. Nothing if the source ends with none of them.
fn open_values<K: Kernel>(
    kernel: &K,
    buffers: &[Buffer],
    (given, texels): (&Given, &K::Texels),
    comparison: Comparison<'_>,
) -> Option<Compared> {
    let mut others = Vec::new();
    let mut found = None;
    for undef in undefined() {
        let mut other = interpreter(kernel, undef);
        if dispatch(&mut other, buffers, given, &mut texels.clone()).is_ok() {
            others.push(other);
            let compared = Comparison { others: &others, ..comparison }.all(buffers);
            if found.insert(compared).wrong.is_none() {
                break;
            }
        }
    }
    found
}

/// The same where what lanes that take different ways write to one place is in doubt: which of them comes last is open.
/// Nothing if something is wrong all the same.
fn open_order<K: Kernel>(
    kernel: &K,
    buffers: &[Buffer],
    (given, texels): (&Given, &K::Texels),
    comparison: Comparison<'_>,
) -> Option<Compared> {
    let mut source = interpreter(kernel, 0);
    source.options.races = true;
    let report = dispatch(&mut source, buffers, given, &mut texels.clone()).ok()?;
    let mut found = Comparison { source: &source, report: &report, ..comparison }.all(buffers);
    found.doubt("lanes that take different ways write to one place");
    found.wrong.is_none().then_some(found)
}

/// Buffers that code does not have: it leaves them as they are, and so must the source.
fn lost(module: &Module, known: &[GlobalRef]) -> Vec<GlobalRef> {
    let is_lost = |g: &GlobalRef| {
        let global = module.global(*g);
        matches!(global.space, Space::Storage | Space::Uniform | Space::PushConstant)
            && matches!(module.types.get(global.ty), Type::Struct(..))
            && !known.contains(g)
    };
    (0..module.globals.len() as u32).map(GlobalRef).filter(is_lost).collect()
}

/// What each run of the code leaves in all buffers, of which it has the first `known`; texels stand behind them.
fn run<K: Kernel>(
    kernel: &K,
    given: &Given,
    texels: &K::Texels,
    known: usize,
) -> Result<Vec<Vec<Vec<u8>>>, String> {
    let (seen, lost) = given.bytes.split_at(known);
    let seen = Given { groups: given.groups, bytes: seen.to_vec() };
    let one = |how: &How| {
        let mut left = kernel.run(&seen, texels, *how)?;
        left.splice(known..known, lost.iter().cloned());
        Ok(left)
    };
    RUNS.iter().map(one).collect()
}

/// The source with what nobody has defined filled with a word.
fn interpreter<K: Kernel>(kernel: &K, undef: u64) -> Interpreter<'_, Interval> {
    let Program { module, entry } = kernel.source();
    let mut source = Interpreter::with(module, entry, kernel.bounds());
    let (subgroup, fine_derivatives) = (kernel.subgroup(), kernel.has_fine_derivatives());
    source.options = Options { subgroup, fuel: FUEL, undef, fine_derivatives, ..Options::default() };
    if let Some(bound) = kernel.recursion() {
        source.options.recursion = bound;
        source.options.depth = (bound as usize).saturating_mul(module.functions.len()).min(DEEPEST);
    }
    source
}

fn dispatch(
    source: &mut Interpreter<'_, Interval>,
    buffers: &[Buffer],
    given: &Given,
    texels: &mut dyn Images,
) -> Result<Report, &'static str> {
    for (buffer, bytes) in buffers.iter().zip(&given.bytes) {
        source.set(buffer.global, bytes.clone());
    }
    source.dispatch(given.groups, texels).map_err(|fault| ended(fault.kind))
}

/// Whether something reads what atomic operations found: that tells who came first.
fn takes_turns(module: &Module) -> bool {
    module.functions.iter().any(|f| {
        let uses = use_counts(f);
        Walk::new(f).any(|step| match step {
            Step::Inst(inst) if matches!(f.op(inst), Op::Atomic(..) | Op::AtomicCompare(..)) => {
                f.result_of(inst).is_some_and(|result| uses.get(result.0 as usize).is_some_and(|n| *n > 0))
            }
            _ => false,
        })
    })
}

fn ended(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Recursion => "a function is open more often than `recursion` allows",
        kind if kind.is_too_large() => TOO_LARGE,
        _ => "the source does not end on these inputs",
    }
}

/// Invocations of a workgroup, of which a size that nobody gives is 1.
fn threads(workgroup: [u32; 3]) -> u32 {
    workgroup.iter().fold(1, |all: u32, &n| all.saturating_mul(n.max(1)))
}

/// Random contents of all buffers.
fn inputs(buffers: &[Buffer], workgroup: [u32; 3], rng: &mut Rng, largest: u64) -> Given {
    let contents = |buffer: &Buffer| {
        let mut bytes = vec![0; buffer.size];
        for leaf in &buffer.leaves {
            let number = random(rng, *leaf, largest);
            // Push constants are sizes and counts of rounds.
            let is_count = buffer.space == Space::PushConstant && !leaf.is_float;
            leaf.set(&mut bytes, if is_count { number & 15 } else { number });
        }
        bytes
    };
    Given {
        groups: [(INVOCATIONS / threads(workgroup)).clamp(1, 2), 1, 1],
        bytes: buffers.iter().map(contents).collect(),
    }
}

/// A number that shaders have: small integers as a rule, floats around 1.
fn random(rng: &mut Rng, leaf: Leaf, largest: u64) -> u64 {
    let bits = rng.next();
    if leaf.is_bool {
        return bits & 1;
    }
    if leaf.is_float {
        let number = (bits >> 40) as f64 / f64::from(1 << 22) - 2.0;
        return float_bits(number, leaf.bits);
    }
    match bits >> 60 {
        0..=9 => bits & 15 & largest,
        10..=13 => bits & 255 & largest,
        _ => bits & largest,
    }
}

/// The source and the runs of the code behind a dispatch.
#[derive(Clone, Copy)]
struct Comparison<'a> {
    source: &'a Interpreter<'a, Interval>,
    /// The source with other values where nobody has defined them.
    others: &'a [Interpreter<'a, Interval>],
    report: &'a Report,
    given: &'a Given,
    /// In the order of [`RUNS`]: the bytes of each buffer.
    runs: &'a [Vec<Vec<u8>>],
    /// Buffers that the code has: they come first.
    known: usize,
}

/// What is to be said of a scalar in memory.
enum Verdict {
    /// It is what the source means.
    Right,
    /// It is something else: what it may be off, what is expected and found.
    Wrong { expected: f64, allowed: f64, found: f64 },
    /// It proves nothing, and why.
    Doubt(&'static str),
    /// The source has no such scalar.
    Unseen,
}

impl Comparison<'_> {
    /// Who is in doubt may write elsewhere, in the words or in the source; so may an index out of range.
    fn strays(&self) -> bool {
        !self.report.faults.is_empty() || self.report.notes.iter().any(|note| note.0.is_some())
    }

    fn all(&self, buffers: &[Buffer]) -> Compared {
        let mut all = Compared::default();
        let strays = self.strays();
        for (n, buffer) in buffers.iter().enumerate().filter(|(_, buffer)| buffer.space == Space::Storage) {
            for &leaf in &buffer.leaves {
                match self.scalar(n, buffer.global, leaf) {
                    Verdict::Wrong { .. } if strays => {
                        all.doubt("an invocation in doubt may have written it");
                    }
                    Verdict::Wrong { expected, allowed, found } => {
                        let output = format!("{} at byte {}", buffer.name, leaf.at);
                        let (vertex, component) = (0, 0);
                        let wrong = Counterexample { vertex, output, component, expected, allowed, found };
                        all.wrong = all.wrong.take().or(Some(wrong));
                    }
                    Verdict::Doubt(why) => all.doubt(why),
                    // What stays as it is would outweigh what is in doubt.
                    Verdict::Right if n >= self.known => {}
                    Verdict::Right if strays && !self.is_touched(n, buffer.global, leaf) => {}
                    Verdict::Right => all.conclusive += 1,
                    Verdict::Unseen => {}
                }
            }
        }
        all
    }

    /// Texels as the source found and left them against those of the runs, which stand behind so many buffers. What floats
    /// may be off is not known of them; what stays as it is would outweigh what is in doubt.
    fn texels(&self, [found, left]: &[Vec<(Vec<u8>, bool)>; 2], buffers: usize, all: &mut Compared) {
        let byte = |run: usize, n: usize, at: usize| {
            self.runs.get(run).and_then(|run| run.get(buffers + n)?.get(at)).copied().unwrap_or(0)
        };
        for (n, (bytes, is_integer)) in left.iter().enumerate() {
            for (at, &expected) in bytes.iter().enumerate() {
                let [first, filled, turned] = [0, 1, 2].map(|run| byte(run, n, at));
                match () {
                    () if first == expected && filled == expected => {
                        all.conclusive += usize::from(found[n].0.get(at) != Some(&expected));
                    }
                    () if first != turned => all.doubt("it depends on the order of the groups"),
                    () if self.strays() || !is_integer => all.doubt("a texel may be off"),
                    () => {
                        let output = format!("texels at byte {at}");
                        let (vertex, component, allowed) = (0, 0, 0.0);
                        let (expected, found) = (expected.into(), first.into());
                        let wrong = Counterexample { vertex, output, component, expected, allowed, found };
                        all.wrong = all.wrong.take().or(Some(wrong));
                    }
                }
            }
        }
    }

    fn is_touched(&self, n: usize, global: GlobalRef, leaf: Leaf) -> bool {
        let after = self.source.bytes(global);
        after.is_none_or(|after| leaf.number(after) != leaf.number(&self.given.bytes[n]))
    }

    fn is_undefined(&self, global: GlobalRef, leaf: Leaf) -> bool {
        let bits = |source: &Interpreter<'_, Interval>| source.bytes(global).map(|bytes| leaf.number(bytes));
        self.others.iter().any(|other| bits(other) != bits(self.source))
    }

    /// A scalar of a buffer, as the runs left it: how it differs from what the source says.
    fn scalar(&self, n: usize, global: GlobalRef, leaf: Leaf) -> Verdict {
        let [first, filled, turned] = [0, 1, 2].map(|run: usize| {
            self.runs.get(run).and_then(|run| run.get(n)).map_or(0, |bytes| leaf.number(bytes))
        });
        let Some((value, error, conclusive)) = self.source.float_at(global, leaf.at, leaf.bits) else {
            return Verdict::Unseen;
        };
        if first != turned {
            return Verdict::Doubt("it depends on the order of the groups");
        }
        if !conclusive {
            return Verdict::Doubt("a decision depends on a rounding");
        }
        if self.is_undefined(global, leaf) {
            return Verdict::Doubt("it depends on a value that nobody defines");
        }
        let (expected, allowed) = if leaf.is_float {
            if !value.is_finite() || !error.is_finite() {
                return Verdict::Doubt("nothing is known of the number");
            }
            (value, error + if leaf.bits == 16 { HALF_TINY } else { f64::from(f32::MIN_POSITIVE) })
        } else {
            (self.source.bytes(global).map_or(0, |bytes| leaf.number(bytes)) as f64, 0.0)
        };
        let value = |bits: u64| if leaf.is_float { float_value(bits, leaf.bits) } else { bits as f64 };
        let is_right = |found: f64| (expected - found).abs() <= allowed;
        // What changes with registers that nobody has written is wrong, too.
        match [first, filled].map(value).into_iter().find(|found| !is_right(*found)) {
            Some(found) => Verdict::Wrong { expected, allowed, found },
            None => Verdict::Right,
        }
    }
}
