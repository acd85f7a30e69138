//! The whole of checked compilation, for any target.

use super::compare::{Meant, legal_against_code};
use super::inputs::Inputs;
use super::meaning::TOO_LARGE;
use super::outputs::Program;
use super::result::{Compared, Failure};
use super::subject::{Order, Subject};
use chiaro_ir::interp::Interpreter;
use chiaro_ir::sample::Sample;

/// Invocations that share their uniforms.
const TOGETHER: usize = 8;
/// How many times the invocations that are asked for may be drawn until enough of them prove something.
const MOST: usize = 8;

/// The code by the rules of the hardware, and its meaning on inputs that a seed makes, drawn from what the
/// shader distinguishes: until four fifths of so many invocations prove something.
///
/// # Errors
/// The first check that fails, with a counterexample; [`Failure::Untested`] if of eight times as many
/// invocations fewer prove something.
pub fn verify<S: Subject>(subject: &S, invocations: usize, seed: u64) -> Result<Compared, Failure> {
    subject.rules()?;
    let Program { module, entry } = subject.source();
    if Interpreter::with(module, entry, subject.bounds()).fits(TOGETHER).is_err() {
        return Err(Failure::Untested { conclusive: 0, inconclusive: invocations, why: TOO_LARGE });
    }
    let inputs = Inputs::new(subject, seed);
    let (mut found, mut drawn) = (Compared::default(), 0);
    for round in 0.. {
        let lanes = invocations.saturating_sub(drawn).clamp(1, TOGETHER);
        let mut sample = inputs.round(round, lanes);
        subject.fit(&mut sample);
        let next = on(subject, &sample).map_err(|failure| failure.numbered(drawn))?;
        found = found.and(next.numbered(drawn));
        drawn += lanes;
        if drawn >= invocations && found.conclusive * 5 >= invocations * 4 {
            return Ok(found);
        }
        if drawn >= invocations * MOST {
            break;
        }
    }
    let why = found.why();
    Err(Failure::Untested { conclusive: found.conclusive, inconclusive: found.inconclusive, why })
}

/// All comparisons on one sample, without the invocations that go wrong because of values which nobody
/// defines.
fn on<S: Subject>(subject: &S, sample: &Sample) -> Result<Compared, Failure> {
    let mut lanes: Vec<usize> = (0..sample.lanes).collect();
    let mut undefined = Compared::default();
    loop {
        let some = sample.only(&lanes);
        match defined(subject, &some) {
            Err(failure) => match failure.example() {
                Some(example) if !Meant::is_defined(subject, &some, example.vertex)? => {
                    lanes.remove(example.vertex);
                    undefined.doubt("a value that nobody defines is used");
                }
                _ => return Err(failure.among(&lanes)),
            },
            Ok(found) => return Ok(found.and(undefined)),
        }
    }
}

/// All comparisons on one sample.
fn defined<S: Subject>(subject: &S, sample: &Sample) -> Result<Compared, Failure> {
    let meant = Meant::of(subject, sample)?;
    let order = subject.order();
    if order != Order::Changed {
        words(subject, &meant, sample)?;
    }
    let found = match order {
        Order::Likely => {
            let legal = (subject.legal(), subject.machine());
            meant.against_legal(subject.source(), legal, S::EXACT, sample)?
        }
        Order::Kept | Order::Changed => meant.against_code(subject, sample)?,
    };
    match found.wrong {
        Some(wrong) => Err(Failure::Meaning(wrong)),
        None => Ok(found),
    }
}

/// Legal IR against the code. What hangs on rounding in the source does not in legal IR; it may not end
/// there, though.
fn words<S: Subject>(subject: &S, meant: &Meant, sample: &Sample) -> Result<(), Failure> {
    let (sure, lanes) = meant.sure(sample);
    if let Some(wrong) = legal_against_code(subject, &sure)?.wrong {
        // Within the bounds of the source another order is right.
        if subject.order() == Order::Kept || meant.against_code(subject, sample)?.wrong.is_some() {
            return Err(Failure::Words(wrong).among(&lanes));
        }
    }
    if subject.order() == Order::Kept {
        let (unsure, lanes) = meant.unsure(sample);
        if let Ok(Compared { wrong: Some(wrong), .. }) = legal_against_code(subject, &unsure) {
            return Err(Failure::Words(wrong).among(&lanes));
        }
    }
    Ok(())
}
