//! The three comparisons: source and code, source and legal IR, legal IR and code.

use chiaro_ir::interp::{Attributes, Counterexample, Domain};
use chiaro_ir::sample::Sample;

use super::meaning::{FUEL, How, Meaning, NO_END, STEPS, Written, bytes, meanings};
use super::outputs::{Float, Program};
use super::result::{Compared, Failure};
use super::subject::{Stored, Subject};
use super::{buffer, texels};

/// What undefined values are filled with: for the interpreter, and for the machine's registers. No register holds 0:
/// code that counts on 0 would pass.
const FILLS: [(u64, u32); 2] = [(0, 0x4049_0000), (0x4010_0000, 0xbfc0_0000)];

/// The code against the source, within the bounds of what the source allows.
///
/// # Errors
/// What stops one of the two.
pub fn source_against_code<S: Subject>(subject: &S, sample: &Sample) -> Result<Compared, Failure> {
    Meant::of(subject, sample)?.against_code(subject, sample)
}

/// Legal IR in the machine's arithmetic against the source in that of its bounds: both modules
/// have the same variables. Integers are exact up to `exact`.
///
/// # Errors
/// What stops one of the two: legal IR that does not end, mostly.
pub fn source_against_legal<B: Domain, M: Domain>(
    (source, bounds): (Program<'_>, B),
    (legal, machine): (Program<'_>, M),
    exact: u32,
    sample: &Sample,
) -> Result<Compared, Failure> {
    let outputs = source.outputs();
    let how = How { fuel: STEPS, exact, undef: FILLS[0].0, kept: |_, _| None };
    let all = meanings(source, bounds, &outputs, sample, how)?;
    Meant { outputs, all }.against_legal(source, (legal, machine), exact, sample)
}

/// What the source means for each invocation of a sample.
pub(super) struct Meant {
    outputs: Vec<Float>,
    all: Vec<Meaning>,
}

/// Some of the invocations of a sample, and their numbers in it.
type Part = (Sample, Vec<usize>);

impl Meant {
    /// The source of a subject in the arithmetic of its bounds.
    ///
    /// # Errors
    /// What stops the interpreter.
    pub(super) fn of<S: Subject>(subject: &S, sample: &Sample) -> Result<Meant, Failure> {
        let outputs = subject.outputs();
        let how = How { fuel: STEPS, exact: S::EXACT, undef: FILLS[0].0, kept: S::kept };
        let all = meanings(subject.source(), subject.bounds(), &outputs, sample, how)?;
        Ok(Meant { outputs, all })
    }

    /// Whether an invocation means the same whatever fills values that nobody defines.
    ///
    /// # Errors
    /// What stops the interpreter.
    pub(super) fn is_defined<S: Subject>(subject: &S, sample: &Sample, lane: usize) -> Result<bool, Failure> {
        let (outputs, sample) = (subject.outputs(), sample.only(&[lane]));
        let meaning = |undef| {
            let how = How { fuel: STEPS, exact: S::EXACT, undef, kept: S::kept };
            let all = meanings(subject.source(), subject.bounds(), &outputs, &sample, how)?;
            // NaN is not equal to itself, but says the same.
            Ok(format!("{all:?}"))
        };
        Ok(meaning(FILLS[0].0)? == meaning(FILLS[1].0)?)
    }

    fn part(&self, sample: &Sample, belongs: impl Fn(&Meaning) -> bool) -> Part {
        let lanes: Vec<usize> = (0..self.all.len()).filter(|&lane| belongs(&self.all[lane])).collect();
        (sample.only(&lanes), lanes)
    }

    /// The invocations whose decisions no rounding changes.
    pub(super) fn sure(&self, sample: &Sample) -> Part {
        self.part(sample, |meaning| meaning.numbers.is_ok())
    }

    /// Those that end, whatever they decide.
    pub(super) fn unsure(&self, sample: &Sample) -> Part {
        self.part(sample, |meaning| meaning.numbers.is_err() && meaning.ends)
    }

    /// What is known before anything is compared: which invocations prove nothing.
    fn doubts(&self) -> Compared {
        let mut compared = Compared::default();
        let why = self.all.iter().filter_map(|meaning| meaning.numbers.as_ref().err());
        why.for_each(|why| compared.doubt(why));
        compared
    }

    /// The code on the invocations that are sure.
    ///
    /// # Errors
    /// What stops the code: where the source ends, it has to.
    pub(super) fn against_code<S: Subject>(&self, subject: &S, sample: &Sample) -> Result<Compared, Failure> {
        let mut compared = self.doubts();
        let (sample, lanes) = self.sure(sample);
        let found = if lanes.is_empty() {
            Vec::new()
        } else {
            subject.run_leaving(&self.outputs, &sample, f32::from_bits(FILLS[1].1))?
        };
        for (&lane, leaving) in lanes.iter().zip(&found) {
            let Ok(numbers) = &self.all[lane].numbers else { continue };
            let (module, meaning, found) = (subject.source().module, &self.all[lane], &leaving.stored);
            let texel = texels::wrong(module, S::kept, (lane, &meaning.left), &leaving.texels);
            let scalar = || buffer::wrong(module, &sample, (lane, &meaning.held), &leaving.buffers);
            compared.wrong = compared.wrong.take().or(texel).or_else(scalar);
            let leaves_nothing = subject.leaves_nothing(&self.outputs, numbers);
            match if self.all[lane].discarded { Some(true) } else { leaves_nothing } {
                None if found.is_empty() => {
                    compared.doubt("nobody says which samples are left");
                    continue;
                }
                Some(ended) if !self.outputs.is_empty() => {
                    compared.wrong = compared.wrong.take().or(other_end(lane, ended, found.is_empty()));
                }
                _ => {}
            }
            match subject.stored(&self.outputs, numbers.clone()) {
                Ok(expected) => {
                    let found = found.iter().map(|number| number.map(f64::from));
                    self.judge(subject.source(), (lane, &expected), found, &mut compared);
                }
                Err(why) => compared.doubt(why),
            }
        }
        Ok(compared)
    }

    /// Legal IR on the invocations that are sure.
    ///
    /// # Errors
    /// What stops it.
    pub(super) fn against_legal<M: Domain>(
        &self,
        source: Program<'_>,
        (legal, machine): (Program<'_>, M),
        exact: u32,
        sample: &Sample,
    ) -> Result<Compared, Failure> {
        let mut compared = self.doubts();
        let (sample, lanes) = self.sure(sample);
        let how = How { fuel: FUEL, exact, undef: FILLS[0].0, kept: |_, _| None };
        let found = meanings(legal, machine, &self.outputs, &sample, how)?;
        for (&lane, found) in lanes.iter().zip(&found) {
            match (&self.all[lane].numbers, &found.numbers) {
                (Ok(expected), Ok(found)) => {
                    let found = found
                        .iter()
                        .map(|(value, error)| Some(if error.is_nan() { f64::NAN } else { *value }));
                    self.judge(source, (lane, expected), found, &mut compared);
                }
                (Ok(_), Err(NO_END)) => {
                    return Err(Failure::Stopped(format!(
                        "legal IR goes on where the source ends: {NO_END}"
                    )));
                }
                (Ok(_), Err(why)) | (Err(why), _) => compared.doubt(why),
            }
        }
        Ok(compared)
    }

    /// One invocation: it proves something if a bound is known of every number.
    fn judge(
        &self,
        source: Program<'_>,
        (lane, expected): (usize, &[(f64, f64)]),
        found: impl Iterator<Item = Option<f64>>,
        compared: &mut Compared,
    ) {
        if expected.iter().any(|(_, error)| error.is_nan()) {
            compared.doubt("an output is not finite");
        } else {
            compared.conclusive += 1;
        }
        let all = self.outputs.iter().zip(expected).zip(found);
        let mut wrong = all.filter_map(|((float, &(expected, allowed)), found)| {
            let found = found.filter(|&found| is_wrong(expected, allowed, found))?;
            let (output, component) = (source.name(float.variable), float.number);
            Some(Counterexample { vertex: lane, output, component, expected, allowed, found })
        });
        let kept = if self.all[lane].is_large { &mut compared.too_large } else { &mut compared.wrong };
        *kept = kept.take().or_else(|| wrong.next());
    }
}

/// A fragment that one discards and the other does not.
fn other_end(vertex: usize, expected: bool, found: bool) -> Option<Counterexample> {
    let [expected_number, found_number] = [expected, found].map(|ended| f64::from(u8::from(ended)));
    (expected != found).then(|| Counterexample {
        vertex,
        output: "discarded".to_owned(),
        component: 0,
        expected: expected_number,
        allowed: 0.0,
        found: found_number,
    })
}

/// Whether a number is outside of its bounds: what is no number always is, unless that is what the source
/// writes. Of a number without bounds nothing is known.
fn is_wrong(expected: f64, allowed: f64, found: f64) -> bool {
    let is_within = (expected - found).abs() <= allowed || expected.is_nan() && found.is_nan();
    allowed.is_finite() && !is_within
}

/// Legal IR against the code, bit for bit. Both run twice with different fills of what nobody
/// defined: an output that depends on it is not compared.
///
/// # Errors
/// What stops one of them.
pub fn legal_against_code<S: Subject>(subject: &S, sample: &Sample) -> Result<Compared, Failure> {
    let legal = subject.legal();
    let (all, written) = (subject.outputs(), legal.written());
    if sample.lanes == 0 || all.is_empty() {
        return Ok(Compared::default());
    }
    let [(expected, found), (other, again)] =
        [run(subject, &all, sample, 0)?, run(subject, &all, sample, 1)?];
    let mut compared = Compared::default();
    for vertex in 0..sample.lanes {
        let (Some(expected), Some(other)) = (&expected[vertex], &other[vertex]) else {
            compared.inconclusive += 1;
            continue;
        };
        compared.conclusive += 1;
        if let Some(wrong) = other_end(vertex, expected.is_empty(), found[vertex].is_empty()) {
            compared.wrong = compared.wrong.take().or(Some(wrong));
        }
        if expected.is_empty() || found[vertex].is_empty() {
            continue;
        }
        for (i, float) in all.iter().enumerate().filter(|(_, float)| written.contains(&float.variable)) {
            let (Some(expected), Some(Some(other))) = (expected[i], other.get(i).copied()) else { continue };
            if expected.to_bits() != other.to_bits() || compared.wrong.is_some() {
                continue;
            }
            let again = again[vertex].get(i).copied().flatten();
            let mut found = [found[vertex][i], again].into_iter().flatten();
            let wrong = found.find(|&found| !subject.is_same(expected, found));
            compared.wrong = wrong.map(|found| Counterexample {
                vertex,
                output: legal.name(float.variable),
                component: float.number,
                expected: expected.into(),
                allowed: 0.0,
                found: found.into(),
            });
        }
    }
    Ok(compared)
}

/// The floats of each invocation, `None` where it reads out of bounds, and what the code stores.
type Both = (Vec<Option<Stored>>, Vec<Stored>);

/// Legal IR and the code on a sample, with one of the fills.
fn run<S: Subject>(subject: &S, outputs: &[Float], sample: &Sample, fill: usize) -> Result<Both, Failure> {
    let (undef, fill) = FILLS[fill];
    let Written { outputs: written, silent, discarded } =
        bytes(subject.legal(), subject.machine(), sample, undef)?;
    let numbers = |vertex: usize| outputs.iter().map(|float| word(&written, float, vertex)).collect();
    let stored = |vertex: usize| match discarded.contains(&vertex) {
        true => Stored::new(),
        false => subject.stored_exactly(outputs, numbers(vertex)),
    };
    let legal = |vertex: usize| (!silent.contains(&vertex)).then(|| stored(vertex));
    let legal = (0..sample.lanes).map(legal).collect();
    Ok((legal, subject.run(outputs, sample, f32::from_bits(fill))?))
}

fn word(run: &Attributes, float: &Float, vertex: usize) -> f32 {
    let bytes = run.get(&float.variable).and_then(|all| all.get(vertex));
    let bytes = bytes.and_then(|bytes| bytes.get(float.offset..float.offset + 4));
    bytes.map_or(0.0, |b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}
