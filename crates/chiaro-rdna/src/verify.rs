//! Checked compilation: the words keep the rules of the hardware, and compute what the source means (design
//! section 7).
//!
//! A kernel is run on buffers of random numbers, by the interpreter on the source with bounds of the errors of floats,
//! and by the simulator on the words. Every scalar that lies in a storage buffer afterwards is compared, those that
//! other orders of the waves make different left out.

pub mod launch;
mod texels;

use chiaro_ir::interp::{Counterexample, FaultKind, Interpreter, Interval, Precision};
use chiaro_ir::sample::Sample;
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space, Ty, Type};
use chiaro_isa::Rng;
use chiaro_target::{Compared, Failure, Proof};

use crate::abi::interface::{Abi, Bound, Resource};
use crate::abi::layout::{self, Leaf};
use crate::check;
use crate::compile::Compiled;
use crate::listing;
use crate::machine::{Format, Schedule};
use launch::{Given, How, View, run};
use texels::{Buffers, Texels};

/// How far correct words may be off: sums and products in any order, reciprocals within a unit, sines of turns.
const PRECISION: Precision = Precision {
    regrouped: Some(chiaro_ir::interp::Rounding { bits: 24, ulps: 1.0 }),
    basic: 2.0,
    quotient: 6.0,
    function: 16.0,
    angle: 1e-3,
    ..Precision::VULKAN
};

/// Bits of values that the source does not define, in a second run of it.
const UNDEFINED: u64 = 0xa5a5_5a5a_a5a5_5a5a;
/// Elements of an array whose size nobody says.
const ELEMENTS: u32 = 512;
/// Bytes of a buffer at most.
const MOST_BYTES: u32 = 1 << 16;
/// Instructions that the interpreter runs.
const FUEL: u64 = 1 << 20;
/// Calls that the interpreter has open at once.
const DEEPEST: usize = 512;
/// Runs of each input: as ever, with other bits in what nobody has written, and with the waves in another order.
const RUNS: [How; 3] = [
    How { fill: 0, schedule: Schedule::Turns },
    How { fill: 0xa5a5_5a5a, schedule: Schedule::Turns },
    How { fill: 0, schedule: Schedule::Backwards },
];
/// Runs on inputs of their own.
const ROUNDS: u64 = 3;

/// A compiled kernel beside its source.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    /// What was compiled.
    pub source: &'a Module,
    /// Its entry point.
    pub entry: &'a EntryPoint,
    /// What was made of it.
    pub compiled: Compiled,
}

/// Checks what was compiled of a module, on inputs that a seed makes.
///
/// # Errors
/// The first check that fails.
pub fn verify(words: &Words<'_>, seed: u64) -> Result<Compared, Failure> {
    words.rules()?;
    let mut all = Compared::default();
    for round in 0..ROUNDS {
        // Offsets and counts among the inputs make long runs of large integers: those come last.
        let largest = if round + 1 < ROUNDS { 63 } else { u32::MAX.into() };
        let compared = words.compare(&mut Rng(seed.wrapping_mul(ROUNDS) + round), largest)?;
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

impl Proof for Words<'_> {
    fn verify(&self, _: usize, seed: u64) -> Result<Compared, Failure> {
        verify(self, seed)
    }

    fn hold(&self, _: &mut Sample) -> bool {
        true
    }

    /// Kernels have no inputs of single invocations.
    fn compare(&self, _: &Sample) -> Result<Compared, Failure> {
        verify(self, 1)
    }

    fn listing(&self) -> String {
        let words = listing::code(&self.compiled.code, self.compiled.options.wave, 0);
        format!("; legal IR\n{}; words\n{words}", chiaro_ir::print(&self.compiled.module))
    }
}

impl Words<'_> {
    /// The code by the rules of the hardware.
    fn rules(&self) -> Result<(), Failure> {
        let (wave, group) = (self.compiled.options.wave, self.compiled.interface.threads());
        let config = check::Config { wave, group: Some(group) };
        let found = check::check_functions(&self.compiled.code, &self.compiled.entries(), config);
        let is_error = |f: &&check::Found| f.finding.rule.severity == chiaro_isa::finding::Severity::Error;
        match found.iter().find(is_error) {
            Some(f) => {
                Err(Failure::Rule(format!("{} at word {}: {}", f.finding.rule.id, f.word, f.finding.message)))
            }
            None => self.contracts(config),
        }
    }

    /// The code of the kernel and its functions by their contracts. What is not proven is no breach: indices of arrays
    /// in scratch are nobody's to prove.
    fn contracts(&self, config: check::Config) -> Result<(), Failure> {
        let found = self.compiled.contracts(config);
        match found.iter().find(|(_, f)| f.finding.rule.id != check::rules::UNPROVED.id) {
            Some((name, f)) => Err(Failure::Rule(format!(
                "{} of `{name}` at word {}: {}",
                f.finding.rule.id, f.word, f.finding.message
            ))),
            None => Ok(()),
        }
    }

    /// The variable of a resource.
    fn global(&self, bound: &Bound) -> Option<GlobalRef> {
        let fits = |g: &chiaro_ir::Global| match bound.resource {
            Resource::Push => g.space == Space::PushConstant,
            _ => {
                matches!(g.space, Space::Storage | Space::Uniform | Space::UniformConstant)
                    && (g.binding.set.unwrap_or(0), g.binding.binding.unwrap_or(0)) == bound.binding
            }
        };
        self.source.globals.iter().position(fits).map(|n| GlobalRef(n as u32))
    }

    /// The scalars of a buffer, those of a runtime array as often as it has elements.
    fn leaves(&self, g: GlobalRef) -> (u32, Vec<(Leaf, bool)>) {
        let module = self.source;
        let global = module.global(g);
        let mut found = Vec::new();
        let mut add = |ty: Ty, at: u32| {
            let floats = floats(module, ty);
            let leaves = layout::leaves(module, ty, global.space);
            found.extend(
                leaves
                    .into_iter()
                    .zip(floats)
                    .map(|(leaf, float)| (Leaf { offset: at + leaf.offset, ..leaf }, float)),
            );
        };
        let members = match module.types.get(global.ty) {
            Type::Struct(_, members) => members.clone(),
            // Buffers side by side.
            Type::Array(elem, count, _) => {
                let stride = layout::stride(module, global.ty, global.space);
                (0..*count).for_each(|n| add(*elem, n * stride));
                return (stride * count, found);
            }
            _ => Vec::new(),
        };
        let mut end = layout::size(module, global.ty, global.space);
        for (n, member) in (0..).zip(&members) {
            let at = layout::part_offset(module, global.ty, n, global.space);
            match *module.types.get(member.ty) {
                Type::RuntimeArray(elem, _) => {
                    let stride = layout::stride(module, member.ty, global.space).max(1);
                    let count = ELEMENTS.min((MOST_BYTES.saturating_sub(at)) / stride).max(1);
                    (0..count).for_each(|i| add(elem, at + i * stride));
                    end = at + count * stride;
                }
                _ => add(member.ty, at),
            }
        }
        (end.next_multiple_of(4), found)
    }

    /// Random contents of all resources.
    fn inputs(&self, rng: &mut Rng, largest: u64) -> Given {
        let threads = self.compiled.interface.threads().max(1);
        let groups = [(128 / threads).clamp(1, 2), 1, 1];
        let contents = |bound: &Bound| {
            let Some(g) = self.global(bound) else { return Vec::new() };
            if launch::is_texels(bound) {
                let format = texels::format_of(self.source, g);
                return format
                    .map_or(Vec::new(), |format| texels::contents(rng, format, bound.count.max(1) as usize));
            }
            let (size, leaves) = self.leaves(g);
            let mut bytes = vec![0; size as usize];
            for (leaf, is_float) in leaves {
                let number = random(rng, leaf, is_float, largest);
                // Push constants are sizes and counts of rounds.
                let number = if bound.resource == Resource::Push && !is_float { number & 15 } else { number };
                let number = number.to_le_bytes();
                let room = bytes.get_mut(leaf.offset as usize..).unwrap_or_default();
                room.iter_mut()
                    .zip(number)
                    .take(usize::from(leaf.bits) / 8)
                    .for_each(|(to, byte)| *to = byte);
            }
            bytes
        };
        let resources = &self.compiled.interface.resources;
        let view = |bound: &Bound| {
            let format = self.global(bound).and_then(|g| texels::format_of(self.source, g));
            format.map_or(View::Bytes, View::Texels)
        };
        Given {
            groups,
            views: resources.iter().map(view).collect(),
            bytes: resources.iter().map(contents).collect(),
        }
    }

    /// The buffers of texels among what is given, for the interpreter.
    fn texels(&self, given: &Given) -> Texels {
        let resources = self.compiled.interface.resources.iter().zip(given.views.iter().zip(&given.bytes));
        let buffers = resources.filter(|(bound, _)| launch::is_texels(bound));
        let own = |(bound, (view, bytes)): (&Bound, (&View, &Vec<u8>))| {
            let View::Texels(format) = *view else { return None };
            let global = self.global(bound)?;
            Some(Buffers { global, format, count: bound.count.max(1) as usize, bytes: bytes.clone() })
        };
        Texels(buffers.filter_map(own).collect())
    }

    /// Source against words on random inputs.
    fn compare(&self, rng: &mut Rng, largest: u64) -> Result<Compared, Failure> {
        let given = self.inputs(rng, largest);
        let mut all = Compared::default();
        let is_image =
            |b: &Bound| matches!(b.resource, Resource::Image | Resource::Sampled | Resource::Sampler);
        let resources = &self.compiled.interface.resources;
        let is_unknown =
            |(b, view): (&Bound, &View)| launch::is_texels(b) && *view == View::Bytes || is_image(b);
        if resources.iter().zip(&given.views).any(is_unknown) {
            all.doubt("images are not compared");
            return Ok(all);
        }
        let mut texels = self.texels(&given);
        let mut source = self.interpreter(&given);
        let report = match source.dispatch(given.groups, &mut texels) {
            Ok(report) => report,
            Err(fault) => {
                all.doubt(match fault.kind {
                    FaultKind::Recursion => "a function is open more often than `recursion` allows",
                    _ => "the source does not end on these inputs",
                });
                return Ok(all);
            }
        };
        // Nobody knows the end of a buffer that is an address.
        if self.compiled.interface.abi == Abi::Hsa && !report.faults.is_empty() {
            all.doubt("an access is beyond the end of a buffer");
            return Ok(all);
        }
        // Who is in doubt may write elsewhere, in the words or in the source; so may an index out of range.
        let strays = !report.faults.is_empty() || report.notes.iter().any(|note| note.0.is_some());
        let runs = RUNS.iter().map(|how| run(&self.compiled, &given, *how)).collect::<Result<Vec<_>, _>>();
        let runs = match runs {
            Err(_) if !report.faults.is_empty() => {
                all.doubt("an access is beyond the end of a variable");
                return Ok(all);
            }
            runs => runs.map_err(Failure::Fault)?,
        };
        let mut wrongs = Vec::new();
        for (n, bound) in self.compiled.interface.resources.iter().enumerate() {
            let Some(g) = self.global(bound).filter(|_| bound.resource == Resource::Storage) else {
                continue;
            };
            for (leaf, is_float) in self.leaves(g).1 {
                let found: Vec<u64> = runs.iter().map(|run| number(&run[n], leaf)).collect();
                let is_touched =
                    source.bytes(g).is_none_or(|after| number(after, leaf) != number(&given.bytes[n], leaf));
                match self.scalar(&source, (g, bound), (leaf, is_float), &found) {
                    Verdict::Wrong(_) if strays => all.doubt("an invocation in doubt may have written it"),
                    Verdict::Wrong(wrong) => wrongs.push((g, leaf, wrong)),
                    Verdict::Doubt(why) => all.doubt(why),
                    // What stays as it is would outweigh what is in doubt.
                    Verdict::Right if strays && !is_touched => {}
                    Verdict::Right => all.conclusive += 1,
                    Verdict::Unseen => {}
                }
            }
        }
        self.compare_texels(&texels, &runs, strays, &mut all);
        self.defined(&given, &source, wrongs, &mut all);
        Ok(all)
    }

    /// The source with what a kernel is given.
    fn interpreter(&self, given: &Given) -> Interpreter<'_, Interval> {
        let domain = Interval { precision: PRECISION };
        let mut source = Interpreter::with(self.source, self.entry, domain);
        source.options.subgroup = self.compiled.options.wave.into();
        source.options.fuel = FUEL;
        if let Some(bound) = self.compiled.recursion {
            source.options.recursion = bound;
            source.options.depth = (bound as usize).saturating_mul(self.source.functions.len()).min(DEEPEST);
        }
        for (bound, bytes) in self.compiled.interface.resources.iter().zip(&given.bytes) {
            if let Some(g) = self.global(bound).filter(|_| !launch::is_texels(bound)) {
                source.set(g, bytes.clone());
            }
        }
        source
    }

    /// Of scalars that are wrong, those that the source defines: the others change with what nobody has given.
    fn defined(
        &self,
        given: &Given,
        source: &Interpreter<'_, Interval>,
        wrongs: Vec<(GlobalRef, Leaf, Counterexample)>,
        all: &mut Compared,
    ) {
        if wrongs.is_empty() {
            return;
        }
        let mut other = self.interpreter(given);
        other.options.undef = UNDEFINED;
        let ends = other.dispatch(given.groups, &mut self.texels(given)).is_ok();
        for (g, leaf, wrong) in wrongs {
            let [own, filled] =
                [source, &other].map(|run| run.bytes(g).map_or(0, |bytes| number(bytes, leaf)));
            match ends && own == filled {
                true => all.wrong = all.wrong.take().or(Some(wrong)),
                false => all.doubt("it depends on what nobody has defined"),
            }
        }
    }

    /// Texels as the interpreter left them against those of the runs. What floats may be off is not known of them.
    fn compare_texels(&self, texels: &Texels, runs: &[Vec<Vec<u8>>], strays: bool, all: &mut Compared) {
        for own in &texels.0 {
            let is_own = |bound: &Bound| launch::is_texels(bound) && self.global(bound) == Some(own.global);
            let Some(n) = self.compiled.interface.resources.iter().position(is_own) else { continue };
            let is_integer = Format::of(own.format).is_some_and(Format::is_integer);
            let [first, filled, turned] = [0, 1, 2].map(|run| &runs[run][n]);
            for (at, &byte) in own.bytes.iter().enumerate() {
                match () {
                    () if first[at] == byte && filled[at] == byte => all.conclusive += 1,
                    () if first[at] != turned[at] => all.doubt("it depends on the order of the waves"),
                    () if strays || !is_integer => all.doubt("a texel may be off"),
                    () => {
                        let output = format!("texels at byte {at}");
                        let (expected, found) = (f64::from(byte), f64::from(first[at]));
                        let (vertex, component, allowed) = (0, 0, 0.0);
                        let wrong = Counterexample { vertex, output, component, expected, allowed, found };
                        all.wrong = all.wrong.take().or(Some(wrong));
                    }
                }
            }
        }
    }

    /// A scalar of a buffer, as the runs left it: how it differs from what the source says.
    fn scalar(
        &self,
        source: &Interpreter<'_, Interval>,
        (g, bound): (GlobalRef, &Bound),
        (leaf, is_float): (Leaf, bool),
        found: &[u64],
    ) -> Verdict {
        let &[first, filled, turned] = found else { return Verdict::Unseen };
        let Some((value, error, conclusive)) = source.float_at(g, leaf.offset as usize, leaf.bits) else {
            return Verdict::Unseen;
        };
        if first != turned {
            return Verdict::Doubt("it depends on the order of the waves");
        }
        if !conclusive {
            return Verdict::Doubt("a decision depends on a rounding");
        }
        let (expected, allowed) = if is_float {
            let tiny = if leaf.bits == 16 { 1e-7 } else { f64::from(f32::MIN_POSITIVE) };
            if !value.is_finite() || !error.is_finite() {
                return Verdict::Doubt("nothing is known of the number");
            }
            (value, error + tiny + if leaf.bits == 16 { value.abs() * 4e-3 } else { 0.0 })
        } else {
            let bits = source.bytes(g).map_or(0, |bytes| number(bytes, leaf));
            (bits as f64, 0.0)
        };
        let value = |bits: u64| {
            if is_float { chiaro_ir::interp::float_value(bits, leaf.bits) } else { bits as f64 }
        };
        let is_right =
            |found: f64| (expected - found).abs() <= allowed || expected.is_nan() && found.is_nan();
        // What changes with registers that nobody has written is wrong, too.
        let Some(found) = [first, filled].map(value).into_iter().find(|found| !is_right(*found)) else {
            return Verdict::Right;
        };
        let output = format!("{} at byte {}", bound.name, leaf.offset);
        Verdict::Wrong(Counterexample { vertex: 0, output, component: 0, expected, allowed, found })
    }
}

/// What is to be said of a scalar in memory.
enum Verdict {
    /// It is what the source means.
    Right,
    /// It is something else.
    Wrong(Counterexample),
    /// It proves nothing, and why.
    Doubt(&'static str),
    /// The source has no such scalar.
    Unseen,
}

/// Which scalars of a type are floats.
fn floats(module: &Module, ty: Ty) -> Vec<bool> {
    match module.types.part_count(ty) {
        Some(count) => (0..count)
            .filter_map(|n| module.types.part(ty, n))
            .flat_map(|part| floats(module, part))
            .collect(),
        None => vec![module.types.is_float(ty)],
    }
}

fn number(bytes: &[u8], leaf: Leaf) -> u64 {
    let here = bytes.get(leaf.offset as usize..).unwrap_or_default();
    here.iter().take(usize::from(leaf.bits) / 8).rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// A number that shaders have: small integers as a rule, floats around 1.
fn random(rng: &mut Rng, leaf: Leaf, is_float: bool, largest: u64) -> u64 {
    let bits = rng.next();
    if leaf.is_bool {
        return bits & 1;
    }
    if is_float {
        let number = (bits >> 40) as f64 / f64::from(1 << 22) - 2.0;
        return chiaro_ir::interp::float_bits(number, leaf.bits);
    }
    match bits >> 60 {
        0..=9 => bits & 15 & largest,
        10..=13 => bits & 255 & largest,
        _ => bits & largest,
    }
}
