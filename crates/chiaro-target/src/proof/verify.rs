//! The whole of checked compilation, for any target.

use chiaro_ir::sample::{Numbers, Sample};

use super::compare::{legal_against_code, source_against_code, source_against_legal};
use super::meaning::numbers;
use super::outputs::Program;
use super::result::{Compared, Failure};
use super::subject::{Order, Subject};

/// The code by the rules of the hardware, and its meaning on so many invocations with inputs that
/// a seed makes.
///
/// # Errors
/// The first check that fails, with a counterexample; [`Failure::Untested`] if more than a fifth
/// of the invocations prove nothing, with numbers of any size and with mild ones.
pub fn verify<S: Subject>(subject: &S, invocations: usize, seed: u64) -> Result<Compared, Failure> {
    subject.rules()?;
    let Program { module, entry } = subject.source();
    let sample = Sample::new(module, entry, invocations, Numbers::new(seed, S::round));
    let found = on(subject, &sample).map_err(|failure| excused(subject, &sample, failure))?;
    if found.proves() {
        return Ok(found);
    }
    // Numbers of any size are beyond what some functions and indices are for.
    let sample = Sample::new(module, entry, invocations, Numbers::mild(seed, S::round));
    match on(subject, &sample).map_err(|failure| excused(subject, &sample, failure))? {
        mild if mild.proves() => Ok(found.and(mild)),
        Compared { conclusive, inconclusive, why, .. } => {
            Err(Failure::Untested { conclusive, inconclusive, why: why.unwrap_or_default() })
        }
    }
}

/// A check that was stopped shows no mistake where the source itself does not come to an end.
fn excused<S: Subject>(subject: &S, sample: &Sample, failure: Failure) -> Failure {
    let source = || numbers(subject.source(), subject.bounds(), &subject.outputs(), sample);
    match failure {
        Failure::Stopped(_) if matches!(source(), Err(Failure::Stopped(_))) => {
            let why = "a loop of the source does not end with the inputs that are tried";
            Failure::Untested { conclusive: 0, inconclusive: sample.lanes, why }
        }
        other => other,
    }
}

/// All comparisons on one sample.
fn on<S: Subject>(subject: &S, sample: &Sample) -> Result<Compared, Failure> {
    let order = subject.order();
    let words = match order {
        Order::Changed => None,
        Order::Kept | Order::Likely => legal_against_code(subject, sample)?.wrong,
    };
    if let Some(wrong) = words {
        // Within the bounds of the source another order is right.
        if order == Order::Kept || source_against_code(subject, sample)?.wrong.is_some() {
            return Err(Failure::Words(wrong));
        }
    }
    let found = match order {
        Order::Likely => {
            let source = (subject.source(), subject.bounds());
            source_against_legal(source, (subject.legal(), subject.machine()), sample)?
        }
        Order::Kept | Order::Changed => source_against_code(subject, sample)?,
    };
    match found.wrong {
        Some(wrong) => Err(Failure::Meaning(wrong)),
        None => Ok(found),
    }
}
