//! What a module means for a sample: every invocation on the interpreter, in a domain.

use std::collections::HashSet;

use chiaro_ir::interp::{Attributes, Domain, Fault, FaultKind, Inconclusive, Interpreter, Options, Report};
use chiaro_ir::sample::Sample;
use chiaro_ir::{Constant, GlobalRef, Module, Stage, Type};

use super::buffer::{Held, held};
use super::images::Plain;
use super::outputs::{Float, Program, is_mask};
use super::result::Failure;
use super::subject::Numbers;
use super::texels::{Kept, Left, Texels};

/// Instructions that all invocations of a sample may take together, and steps of the simulator.
pub const FUEL: u64 = 1 << 21;
/// Instructions that one invocation of the source may take: few enough that legal IR and code, which need
/// several for one of the source's, end within [`FUEL`] where the source does.
pub const STEPS: u64 = 1 << 16;
/// Invocations of a sample that may not end before the others are left out.
const ENDLESS: usize = 2;

/// Why an invocation proves nothing whose source does not end.
pub const NO_END: &str = "a loop does not end within 65536 instructions";
/// What is said of a source whose variables or values take more memory than the interpreter has.
pub const TOO_LARGE: &str = "the source takes more memory than checks have";

/// Why a lane proves nothing, for people.
fn reason(why: Inconclusive) -> &'static str {
    match why {
        Inconclusive::Comparison => "a comparison depends on how numbers are rounded",
        Inconclusive::Step => "the whole part of a number depends on how it is rounded",
        Inconclusive::Undefined => "a value that nobody defines is used",
        Inconclusive::NotFinite => "a number is not finite, or outside of what a function is for",
        _ => "the bits of a number are used",
    }
}

/// What one invocation means.
#[derive(Clone, PartialEq, Debug)]
pub struct Meaning {
    /// Its outputs; an error that is NaN stands for a number of which nothing is known, a NaN without an error
    /// for one that the source writes.
    pub numbers: Numbers,
    /// An integer was beyond what the machine's floats hold, or wrapped around.
    pub is_large: bool,
    /// It ended.
    pub ends: bool,
    /// The fragment is discarded: it has no outputs.
    pub discarded: bool,
    /// What it leaves in storage images; before it was discarded, too.
    pub left: Left,
    /// What it leaves in the storage buffers of the sample.
    pub held: Vec<Held>,
}

impl Meaning {
    fn none(why: &'static str, ends: bool) -> Meaning {
        Meaning {
            numbers: Err(why),
            is_large: false,
            ends,
            discarded: false,
            left: Left::new(),
            held: Vec::new(),
        }
    }
}

/// How to run a module.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Instructions that an invocation may take.
    pub fuel: u64,
    /// The largest integer of the machine.
    pub exact: u32,
    /// What fills values that nobody defines.
    pub undef: u64,
    /// What storage images keep.
    pub kept: Kept,
}

/// Stands in outputs until something is written: a NaN that no operation makes.
const UNWRITTEN: [u8; 4] = 0x7fa1_b2c3u32.to_le_bytes();
/// Stands there in a second run: a NaN that is there again is one that the source writes.
const UNWRITTEN_AGAIN: [u8; 4] = 7.25e37f32.to_le_bytes();

/// Runs a module in a domain. One invocation after the other, since errors are known of shared
/// memory only: outputs are given to the interpreter as such.
///
/// # Errors
/// What stops the interpreter.
pub fn meanings<D: Domain>(
    program: Program<'_>,
    domain: D,
    outputs: &[Float],
    sample: &Sample,
    how: How,
) -> Result<Vec<Meaning>, Failure> {
    let mut run = Interpreter::with(program.module, program.entry, domain);
    let How { fuel, exact, undef, kept } = how;
    run.options = Options { fuel, undef, largest_integer: Some(exact), ..Options::default() };
    let mut all: Vec<Meaning> = Vec::with_capacity(sample.lanes);
    for invocation in 0..sample.lanes {
        let endless = all.iter().filter(|meaning| !meaning.ends).count();
        all.push(match endless < ENDLESS {
            true => one(&mut run, program, outputs, (sample, invocation), kept)?,
            false => Meaning::none(NO_END, false),
        });
    }
    Ok(all)
}

/// Gives a run the uniforms of a sample; images have handles already.
fn set_uniforms<D: Domain>(run: &mut Interpreter<'_, D>, module: &Module, sample: &Sample) {
    let is_image = |g: GlobalRef| {
        let mut ty = module.global(g).ty;
        while let Type::Array(elem, ..) = module.types.get(ty) {
            ty = *elem;
        }
        matches!(module.types.get(ty), Type::Image(_) | Type::SampledImage(_) | Type::Sampler)
    };
    for (&g, bytes) in sample.uniforms.iter().filter(|(g, _)| !is_image(**g)) {
        run.set(g, bytes.clone());
    }
}

/// The outputs of one invocation.
fn one<D: Domain>(
    run: &mut Interpreter<'_, D>,
    program: Program<'_>,
    outputs: &[Float],
    (sample, invocation): (&Sample, usize),
    kept: Kept,
) -> Result<Meaning, Failure> {
    let mut texels = Texels::new(program.module, kept);
    let report = match started(run, program, outputs, (sample, invocation), UNWRITTEN, &mut texels) {
        Ok(report) => report,
        Err(fault) if fault.kind == FaultKind::Fuel => return Ok(Meaning::none(NO_END, false)),
        Err(fault) if fault.kind.is_too_large() => return Ok(Meaning::none(TOO_LARGE, true)),
        Err(fault) => return Err(stopped(&fault)),
    };
    if let Some(why) = report.notes.first().and_then(|note| note.0) {
        return Ok(Meaning::none(reason(why), true));
    }
    if let Some(why) = texels.doubt {
        return Ok(Meaning::none(why, true));
    }
    if !strays(&report).is_empty() {
        return Ok(Meaning::none("an index is out of bounds", true));
    }
    let number = |float: &Float| match is_mask(program.module, float.variable) {
        true => mask(run, float),
        false => number(run, float),
    };
    let held = held(program.module, run, sample);
    let mut numbers: Vec<_> = outputs.iter().map(number).collect();
    if numbers.iter().any(|(value, _)| value.is_nan()) {
        let mut again = Texels::new(program.module, kept);
        started(run, program, outputs, (sample, invocation), UNWRITTEN_AGAIN, &mut again)
            .map_err(|why| stopped(&why))?;
        let is_named = names_nan(program.module);
        outputs.iter().zip(&mut numbers).for_each(|(float, number)| settle_nan(run, float, number, is_named));
    }
    let discarded = report.ended.contains(&true);
    let is_large = report.large.contains(&true);
    Ok(Meaning { numbers: Ok(numbers), is_large, ends: true, discarded, left: texels.left, held })
}

/// Runs one invocation of a sample, with `unwritten` in every float of its outputs before.
fn started<D: Domain>(
    run: &mut Interpreter<'_, D>,
    program: Program<'_>,
    outputs: &[Float],
    (sample, invocation): (&Sample, usize),
    unwritten: [u8; 4],
    texels: &mut Texels<'_>,
) -> Result<Report, Box<Fault>> {
    set_uniforms(run, program.module, sample);
    // Floats of a variable follow one another; the first of them need not be among those that are compared.
    for same in outputs.chunk_by(|a, b| a.variable == b.variable) {
        let variable = same[0].variable;
        let size = run.size_of(program.module.global(variable).ty) as usize;
        run.set(variable, unwritten.iter().copied().cycle().take(size).collect());
    }
    let inputs = sample.attributes.iter();
    let inputs = inputs.map(|(&g, all)| (g, all.get(invocation).cloned().into_iter().collect())).collect();
    Ok(run.run(1, &inputs, texels)?.0)
}

/// A number with its bound: infinite if nobody has written it, NaN if nothing is known of it. NaN with no error
/// is one that is there as such, written by the source or not at all.
fn number<D: Domain>(run: &Interpreter<'_, D>, float: &Float) -> (f64, f64) {
    let bytes = run.bytes(float.variable).and_then(|bytes| bytes.get(float.offset..float.offset + 4));
    match run.float_at(float.variable, float.offset, 32) {
        _ if bytes == Some(&UNWRITTEN[..]) => (0.0, f64::INFINITY),
        Some((value, error, true)) if value.is_nan() && error == 0.0 => (value, error),
        Some((value, error, true)) if error.is_finite() && value.is_finite() => (value, error),
        _ => (0.0, f64::NAN),
    }
}

/// A mask of samples, which is as it is: infinitely far off if nobody has written it.
fn mask<D: Domain>(run: &Interpreter<'_, D>, float: &Float) -> (f64, f64) {
    match run.bytes(float.variable).and_then(|bytes| bytes.first_chunk()) {
        Some(bytes) if *bytes != UNWRITTEN => (u32::from_le_bytes(*bytes).into(), 0.0),
        _ => (0.0, f64::INFINITY),
    }
}

/// Settles what a NaN is by a second run. One that is none there came from what stood there before, loaded and
/// stored along with other components: nobody has written it. Of one that is only computed nothing is known.
fn settle_nan<D: Domain>(run: &Interpreter<'_, D>, float: &Float, number: &mut (f64, f64), is_named: bool) {
    if !number.0.is_nan() {
        return;
    }
    let is_kept = run.float_at(float.variable, float.offset, 32).is_some_and(|(value, ..)| value.is_nan());
    if !is_kept {
        *number = (0.0, f64::INFINITY);
    } else if !is_named {
        *number = (0.0, f64::NAN);
    }
}

/// Whether a module has a NaN of its own. Of one that is only computed the languages promise nothing.
#[must_use]
pub fn names_nan(module: &Module) -> bool {
    let constants = &module.constants;
    (0..constants.len() as u32).map(Constant).any(|c| {
        let float = constants.bits(c).map(|bits| f32::from_bits(bits as u32));
        *module.types.get(constants.ty(c)) == Type::Float(32) && float.is_some_and(f32::is_nan)
    })
}

fn stopped(fault: &Fault) -> Failure {
    Failure::Stopped(fault.to_string())
}

/// Lanes that read out of bounds: machines read whatever is there, and the languages of the
/// source leave it open.
#[must_use]
pub fn strays(report: &Report) -> HashSet<usize> {
    let faults = report.faults.iter().filter(|fault| fault.kind == FaultKind::OutOfBounds);
    faults.filter_map(|fault| fault.lane).map(|lane| lane as usize).collect()
}

/// What a module writes for a sample, bit for bit.
pub(super) struct Written {
    /// The bytes of all outputs of all invocations.
    pub outputs: Attributes,
    /// Invocations that prove nothing.
    pub silent: HashSet<usize>,
    /// Fragments that are discarded.
    pub discarded: HashSet<usize>,
}

/// The bytes of all outputs of all invocations. `undef` fills what nobody defines.
pub(super) fn bytes<D: Domain>(
    program: Program<'_>,
    domain: D,
    sample: &Sample,
    undef: u64,
) -> Result<Written, Failure> {
    let mut run = Interpreter::with(program.module, program.entry, domain);
    run.options = Options { fuel: FUEL, undef, ..Options::default() };
    set_uniforms(&mut run, program.module, sample);
    if program.entry.stage != Stage::Fragment {
        return together(&mut run, program, sample);
    }
    // A fragment beside itself: as neighbours, they would see each other's differences.
    let mut all = Written { outputs: Attributes::new(), silent: HashSet::new(), discarded: HashSet::new() };
    for lane in 0..sample.lanes {
        let alone = together(&mut run, program, &sample.only(&[lane]))?;
        for (g, rows) in alone.outputs {
            all.outputs.entry(g).or_default().extend(rows);
        }
        all.silent.extend(alone.silent.iter().map(|_| lane));
        all.discarded.extend(alone.discarded.iter().map(|_| lane));
    }
    Ok(all)
}

/// All invocations of a sample side by side.
fn together<D: Domain>(
    run: &mut Interpreter<'_, D>,
    program: Program<'_>,
    sample: &Sample,
) -> Result<Written, Failure> {
    let ran = run.run(sample.lanes, &sample.attributes, &mut Plain::new(program.module));
    let (report, outputs) = ran.map_err(|fault| stopped(&fault))?;
    let mut silent = strays(&report);
    silent.extend(report.notes.iter().enumerate().filter(|(_, note)| note.0.is_some()).map(|(lane, _)| lane));
    let ended = report.ended.iter().enumerate().filter(|(_, ended)| **ended);
    Ok(Written { outputs, silent, discarded: ended.map(|(lane, _)| lane).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiaro_diag::SourceMap;
    use chiaro_ir::interp::Exact;
    use chiaro_ir::sample::Numbers;

    const ENDLESS_IF_NEGATIVE: &str = "  %0: f32 = load @a
  %1: bool = flt %0, 0.0
  if %1 {
    %20: f32 = loop @1 (%2: f32 = 1.0) {
      continue @1 %2
    } continuing (%8: f32) {
      repeat @1 %8
    }
    exit
  } else {
    exit
  }
  store @o, %0
";

    /// How many of five invocations end and prove something, of which those go on for ever that find a negative number.
    fn ends(numbers: [f32; 5]) -> usize {
        let text = format!(
            "global @a: input f32 location(0)\nglobal @o: output f32 location(0)\nentry vertex \"main\" = @f\n\
             fn @f() {{\n{ENDLESS_IF_NEGATIVE}  return\n}}\n"
        );
        let module = chiaro_ir::parse(&text, SourceMap::new().add("case", text.as_str()));
        let module = module.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        let program = Program { module: &module, entry: &module.entries[0] };
        let mut sample = Sample::new(&module, &module.entries[0], 5, Numbers::new(1, |x| x));
        sample.attributes.insert(GlobalRef(0), numbers.map(|x| x.to_le_bytes().to_vec()).to_vec());
        let how = How { fuel: 1000, exact: 1 << 24, undef: 0, kept: |_, _| None };
        let all = meanings(program, Exact, &program.outputs(), &sample, how).expect("no fault");
        all.iter().filter(|meaning| meaning.ends && meaning.numbers.is_ok()).count()
    }

    /// Of invocations that end all are run, until two have not ended.
    #[test]
    fn all_that_end_are_run() {
        assert_eq!(ends([1.0; 5]), 5);
        assert_eq!(ends([1.0, 1.0, -1.0, 1.0, 1.0]), 4);
        assert_eq!(ends([-1.0, 1.0, -1.0, 1.0, 1.0]), 1);
        assert_eq!(ends([-1.0, -1.0, 1.0, 1.0, 1.0]), 0);
    }
}
