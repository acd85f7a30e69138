//! Steps of a run as data, for who goes through them forwards and backwards.

use serde_json::{Map, Value as Json, json};

use super::{Answer, Call, answer, not};
use crate::cmd::{Command, run};
use crate::shell::Failure;
use crate::{Inputs, Step};

/// Invocations or waves whose steps are told at most: people choose one of them.
const MOST_SHOWN: usize = 256;

/// A run with its steps.
#[derive(Clone, Debug)]
pub struct Traced {
    /// Results, as `run` prints them.
    pub results: Json,
    /// Steps of each invocation, or of each wave where lanes go together.
    pub traces: Json,
}

/// Runs a program on a simulator and records its steps: the arguments are those of `run`. What is read and written is
/// told in bits, since the same ones are a float to one instruction and an integer to the next. Inputs may be those of
/// several programs: names that this one does not have are passed over.
#[must_use]
pub fn trace(mut call: Call) -> Answer<Traced> {
    if !call.args.iter().any(|arg| arg.starts_with("--trace")) {
        call.args.insert(1.min(call.args.len()), "--trace".to_owned());
    }
    answer(call, |command, shell| {
        let Command::Run(options) = command else { return Err(not("run", shell)) };
        let (mut made, work) = run::with_inputs(options, &Inputs::default(), true, shell)?;
        let traces: Json =
            std::mem::take(&mut made.traces).iter().take(MOST_SHOWN).map(|steps| of(steps)).collect();
        let results = run::outputs::to_json(&made, work.name());
        run::report_faults(&made, &work, shell);
        let results = serde_json::from_str(&results).unwrap_or(Json::Null);
        Ok::<_, Failure>(Traced { results, traces })
    })
}

fn of(steps: &[Step]) -> Json {
    steps.iter().map(step).collect()
}

fn step(step: &Step) -> Json {
    let reads: Map<String, Json> =
        step.reads.iter().map(|(name, bits)| (name.clone(), json!(bits))).collect();
    let writes: Map<String, Json> =
        step.write.iter().chain(&step.also).map(|(name, bits)| (name.clone(), json!(bits))).collect();
    json!({
        "at": step.at, "offset": step.offset, "text": step.text, "reads": reads, "writes": writes,
        "results": step.results, "effects": step.effects, "next": step.next,
    })
}
