//! What the debugger asks of the tool chain.

use std::collections::HashMap;

use chiaro_target::{Bound, Change, Code, Kind, Step, Traced};
use serde_json::Value as Json;

use crate::shape::Shape;

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
    /// Registers that are set on the way.
    pub changes: Vec<Change>,
}

/// A text that lines are shown of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    /// Its path.
    pub path: String,
}

/// A scalar of a variable of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// How it is reached from the variable: `.x`, `[2].power`, nothing if it is the variable.
    pub path: String,
    /// What it is.
    pub kind: Kind,
}

/// A variable of a function of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// The function that declares it; empty for that where the program begins.
    pub function: String,
    /// Its scalars.
    pub scalars: Vec<Scalar>,
}

impl Local {
    /// The name that is shown: that of another function says which.
    #[must_use]
    pub fn shown(&self) -> String {
        if self.function.is_empty() { self.name.clone() } else { format!("{}.{}", self.function, self.name) }
    }
}

/// A name with its value, for an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// What its scalars are.
    pub kind: Kind,
    /// Columns of a matrix; 1 for everything else.
    pub columns: usize,
    /// The scalars.
    pub bits: Vec<u32>,
}

/// The value of an expression: a scalar or the components of a vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Computed {
    /// What its components are.
    pub kind: Kind,
    /// Their bits.
    pub bits: Vec<u32>,
}

/// Computes an expression of the source's language; an error is for people.
pub type Compute = fn(&[Named], &str) -> Result<Computed, String>;

/// What a statement of the source gives a scalar of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assigned {
    /// The variable, by its number.
    pub local: usize,
    /// The scalar, by its number.
    pub scalar: usize,
    /// The lines of the statement, from 1, the last one too.
    pub lines: (u32, u32),
    /// The bits by invocation.
    pub values: Vec<(usize, u64)>,
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
    /// The steps of each wave: of invocations that go together, or of one that goes alone.
    pub waves: Vec<Vec<Step>>,
    /// Which group each is of, where the work has groups.
    pub traced: Vec<Traced>,
    /// Registers that hold the same all the time.
    pub constants: Vec<(String, u32)>,
    /// Lanes of a wave.
    pub lanes: usize,
    /// What goes: `vertex`, `fragment`, `wave`.
    pub kind: &'static str,
    /// Registers that share bits with others: what each is made of, low bits first.
    pub parts: HashMap<String, Vec<(String, u32)>>,
    /// Whether the code was compiled of a shader, and not assembled.
    pub is_compiled: bool,
    /// Computes expressions in the language of the source, if that has some.
    pub compute: Option<Compute>,
    /// Variables of the source's functions.
    pub locals: Vec<Local>,
    /// What they are given while the source is run, in that order.
    pub assigned: Vec<Assigned>,
    /// What the source calls what stands in registers.
    pub names: Vec<Bound>,
    /// The matrices among them.
    pub shapes: Vec<Shape>,
    /// The inputs of the run.
    pub inputs: Json,
    /// The outputs of the run, for people.
    pub outputs: String,
    /// Waves that stopped early: which, at which instruction, why.
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
