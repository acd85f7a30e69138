//! The three comparisons: source and code, source and legal IR, legal IR and code.

use chiaro_ir::interp::{Attributes, Counterexample, Domain};
use chiaro_ir::sample::Sample;

use super::meaning::{bytes, numbers};
use super::outputs::{Float, Program};
use super::result::{Compared, Failure};
use super::subject::{Numbers, Stored, Subject};

/// What undefined values are filled with: for the interpreter, and for the machine's registers.
const FILLS: [(u64, u32); 2] = [(0, 0x4049_0000), (0x4010_0000, 0xbfc0_0000)];

/// The code against the source, within the bounds of what the source allows.
///
/// # Errors
/// What stops one of the two.
pub fn source_against_code<S: Subject>(subject: &S, sample: &Sample) -> Result<Compared, Failure> {
    let outputs = subject.outputs();
    let expected = numbers(subject.source(), subject.bounds(), &outputs, sample)?;
    let expected: Vec<Numbers> =
        expected.into_iter().map(|numbers| subject.stored(&outputs, numbers?)).collect();
    let found = subject.run(&outputs, sample, 0.0)?;
    let found: Vec<Numbers> =
        expected.iter().zip(&found).map(|(expected, found)| Ok(placed(expected, found))).collect();
    Ok(judge(subject.source(), &outputs, &expected, &found))
}

/// What code stored as numbers; what the machine has no place for is as expected.
fn placed(expected: &Numbers, found: &Stored) -> Vec<(f64, f64)> {
    let expected = |i: usize| expected.as_ref().map_or((f64::NAN, 0.0), |numbers| numbers[i]);
    let number = |(i, found): (usize, &Option<f32>)| found.map_or(expected(i), |x| (f64::from(x), 0.0));
    found.iter().enumerate().map(number).collect()
}

/// Legal IR in the machine's arithmetic against the source in that of its bounds: both modules
/// have the same variables.
///
/// # Errors
/// What stops one of the two: a loop that does not end, mostly.
pub fn source_against_legal<B: Domain, M: Domain>(
    (source, bounds): (Program<'_>, B),
    (legal, machine): (Program<'_>, M),
    sample: &Sample,
) -> Result<Compared, Failure> {
    let outputs = source.outputs();
    let expected = numbers(source, bounds, &outputs, sample)?;
    let found = numbers(legal, machine, &outputs, sample)?;
    Ok(judge(source, &outputs, &expected, &found))
}

/// Compares the outputs of all invocations.
fn judge(source: Program<'_>, outputs: &[Float], expected: &[Numbers], found: &[Numbers]) -> Compared {
    let mut compared = Compared::default();
    for (invocation, both) in expected.iter().zip(found).enumerate() {
        let (expected, found) = match both {
            (Ok(expected), Ok(found)) => (expected, found),
            (Err(why), _) | (_, Err(why)) => {
                compared.inconclusive += 1;
                compared.why = compared.why.or(Some(why));
                continue;
            }
        };
        compared.conclusive += 1;
        if compared.wrong.is_none() {
            compared.wrong = first_wrong(source, outputs, invocation, expected, found);
        }
    }
    compared
}

fn first_wrong(
    source: Program<'_>,
    outputs: &[Float],
    vertex: usize,
    expected: &[(f64, f64)],
    found: &[(f64, f64)],
) -> Option<Counterexample> {
    let all = outputs.iter().zip(expected).zip(found);
    let wrong = |(expected, allowed): (f64, f64), found: f64| {
        // What is no number is not within anything.
        let is_within = (expected - found).abs() <= allowed;
        allowed.is_finite() && !is_within
    };
    let mut wrong = all.filter(|((_, expected), found)| wrong(**expected, found.0));
    wrong.next().map(|((float, &(expected, allowed)), &(found, _))| {
        let (output, component) = (source.name(float.variable), float.number);
        Counterexample { vertex, output, component, expected, allowed, found }
    })
}

/// Legal IR against the code, bit for bit. Both run twice with different fills of what nobody
/// defined: an output that depends on it is not compared.
///
/// # Errors
/// What stops one of them.
pub fn legal_against_code<S: Subject>(subject: &S, sample: &Sample) -> Result<Compared, Failure> {
    let legal = subject.legal();
    let (all, written) = (subject.outputs(), legal.written());
    let [(expected, found), (other, again)] =
        [run(subject, &all, sample, 0)?, run(subject, &all, sample, 1)?];
    let mut compared = Compared::default();
    for vertex in 0..sample.lanes {
        let (Some(expected), Some(other)) = (&expected[vertex], &other[vertex]) else {
            compared.inconclusive += 1;
            continue;
        };
        compared.conclusive += 1;
        for (i, float) in all.iter().enumerate().filter(|(_, float)| written.contains(&float.variable)) {
            if expected[i].to_bits() != other[i].to_bits() || compared.wrong.is_some() {
                continue;
            }
            let mut found = [found[vertex][i], again[vertex][i]].into_iter().flatten();
            let wrong = found.find(|&found| !subject.is_same(expected[i], found));
            compared.wrong = wrong.map(|found| Counterexample {
                vertex,
                output: legal.name(float.variable),
                component: float.number,
                expected: expected[i].into(),
                allowed: 0.0,
                found: found.into(),
            });
        }
    }
    Ok(compared)
}

/// The floats of each invocation, `None` where it reads out of bounds, and what the code stores.
type Both = (Vec<Option<Vec<f32>>>, Vec<Stored>);

/// Legal IR and the code on a sample, with one of the fills.
fn run<S: Subject>(subject: &S, outputs: &[Float], sample: &Sample, fill: usize) -> Result<Both, Failure> {
    let (undef, fill) = FILLS[fill];
    let (written, strays) = bytes(subject.legal(), subject.machine(), sample, undef)?;
    let numbers = |vertex: usize| outputs.iter().map(|float| word(&written, float, vertex)).collect();
    let legal =
        |vertex: usize| (!strays.contains(&vertex)).then(|| subject.stored_exactly(outputs, numbers(vertex)));
    let legal = (0..sample.lanes).map(legal).collect();
    Ok((legal, subject.run(outputs, sample, f32::from_bits(fill))?))
}

fn word(run: &Attributes, float: &Float, vertex: usize) -> f32 {
    let bytes = run.get(&float.variable).and_then(|all| all.get(vertex));
    let bytes = bytes.and_then(|bytes| bytes.get(float.offset..float.offset + 4));
    bytes.map_or(0.0, |b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}
