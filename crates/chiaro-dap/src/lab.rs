//! What the debugger asks of the tool chain.

use chiaro_target::{Bound, Code, Step};
use serde_json::Value as Json;

/// What is to be debugged, as the editor says it.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The shader, the assembly or the container.
    pub program: String,
    /// The target, where the file leaves it open.
    pub target: Option<String>,
    /// A file with the inputs, as `chiaro run` has them.
    pub inputs_file: Option<String>,
    /// The inputs themselves; they count before the file.
    pub inputs: Option<Json>,
    /// Where to start, if not at the program's own entry.
    pub entry: Option<String>,
    /// The number mode of the simulator.
    pub mode: Option<String>,
    /// Settings of the simulator, as `-m` has them.
    pub settings: Vec<(String, String)>,
}

/// A text that lines are shown of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// Its path.
    pub path: String,
}

/// A program that was run, and what it did.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The target's name.
    pub target: &'static str,
    /// The source, if the program was made of one.
    pub source: Option<Source>,
    /// The code.
    pub code: Code,
    /// The source line of each instruction, from 1.
    pub lines: Vec<Option<u32>>,
    /// The instructions that each one calls: from the first to before the second.
    pub calls: Vec<Option<(u32, u32)>>,
    /// Names of places in the code, by instruction.
    pub labels: Vec<(u32, String)>,
    /// The steps of each thread.
    pub threads: Vec<Vec<Step>>,
    /// What a thread is: `vertex`, `wave`.
    pub kind: &'static str,
    /// What the source calls what stands in registers.
    pub names: Vec<Bound>,
    /// The inputs of the run.
    pub inputs: Json,
    /// The outputs of the run, for people.
    pub outputs: String,
    /// Threads that stopped early: which, at which instruction, why.
    pub faults: Vec<(usize, u32, String)>,
    /// What else there is to say.
    pub remarks: String,
}

/// The tool chain.
pub trait Lab {
    /// Makes and runs a program, and records it.
    ///
    /// # Errors
    /// Why it cannot be made or run, for people.
    fn record(&self, launch: &Launch) -> Result<Recorded, String>;
}
