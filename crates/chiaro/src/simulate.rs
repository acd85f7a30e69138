//! Programs on the simulator, with inputs and outputs by name.

mod pica200;
mod utgard;

use std::collections::BTreeMap;

use chiaro_diag::Diagnostic;

use crate::Target;

/// What a run starts from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Inputs {
    /// Uniforms by name or register; later ones win.
    pub uniforms: Vec<(String, Given)>,
    /// Attributes by name or register, with one value for each vertex.
    pub attributes: Vec<(String, Vec<[f32; 4]>)>,
    /// How many vertices there are.
    pub vertices: usize,
}

/// The value of a uniform, before it is known what it is for.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// `true` or `false`.
    Bool(bool),
    /// Registers with the components that are given, at most four each; the others are 0.
    Rows(Vec<Vec<f32>>),
}

/// How to simulate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SimulateOptions {
    /// The target's number mode by its name; the target's default without it.
    pub mode: Option<String>,
    /// Values for what the hardware's documents leave open, by name.
    pub assumptions: Vec<(String, String)>,
    /// Which program of the container; the first without it.
    pub executable: Option<usize>,
    /// Where to start instead of the program's own entry: a label, or a word's number.
    pub entry: Option<String>,
    /// Names of places in the code that the container itself does not have.
    pub labels: BTreeMap<String, u32>,
    /// Record every step of every vertex.
    pub trace: bool,
}

/// What came out.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Simulated {
    /// The number mode.
    pub mode: &'static str,
    /// The outputs, each with the values of all vertices.
    pub outputs: Vec<Output>,
    /// What each vertex of a geometry program handed on; empty for other programs.
    pub events: Vec<Vec<Event>>,
    /// The steps of each vertex, if they were asked for.
    pub traces: Vec<Vec<Step>>,
    /// Vertices that stopped early: the vertex, the word and the reason.
    pub faults: Vec<(u64, u32, String)>,
    /// Instruction words executed, summed over the vertices, if they were counted.
    pub words: Option<u64>,
    /// Cycles of each vertex, where the machine's clock is known well enough.
    pub cycles: Vec<u64>,
    /// What is worth knowing about the run.
    pub remarks: Vec<Diagnostic>,
}

/// An output of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// What the host calls it; the register where it has no name.
    pub name: String,
    /// The register.
    pub register: String,
    /// Which components it has: 0 x, 3 w.
    pub components: Vec<u8>,
    /// binary32 bits of x y z w, a row for each vertex.
    pub values: Vec<[u32; 4]>,
}

/// Something that a geometry program handed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A vertex: its attributes as binary32 bits.
    Vertex(Vec<[u32; 4]>),
    /// The next triangle is wound the other way.
    Winding,
}

/// An executed instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its place in words.
    pub at: u32,
    /// Its text.
    pub text: String,
    /// Registers that it read, with binary32 bits.
    pub reads: Vec<(String, [u32; 4])>,
    /// The register that it wrote, as `r0.xy`, with the bits of those components.
    pub write: Option<(String, Vec<u32>)>,
    /// Results of units, where a word drives several, with their bits.
    pub results: Vec<(&'static str, u32)>,
    /// Flags, address registers, stacks.
    pub effects: Vec<String>,
    /// What follows; `None` at the end.
    pub next: Option<u32>,
}

impl SimulateOptions {
    /// Whether a target knows the mode and the assumptions.
    ///
    /// # Errors
    /// Each name or value that it does not know, with those that it does.
    pub fn check(&self, target: Target) -> Result<(), Vec<Diagnostic>> {
        match target {
            Target::Pica200 => pica200::config(self).map(drop),
            Target::UtgardGp => utgard::config(self).map(drop),
        }
    }
}

/// Runs a container's program on all vertices.
///
/// # Errors
/// A container that cannot be read, names that the program does not have, values that do not
/// fit, unknown modes and assumptions. A vertex that stops early is no error here.
pub fn simulate(
    target: Target,
    container: &[u8],
    inputs: &Inputs,
    options: &SimulateOptions,
) -> Result<Simulated, Vec<Diagnostic>> {
    match target {
        Target::Pica200 => pica200::simulate(container, inputs, options),
        Target::UtgardGp => utgard::simulate(container, inputs, options),
    }
}

/// Something that has a name but no value is likely an oversight.
pub(crate) fn unset(what: &str, names: &[&str], reads: &str) -> Option<Diagnostic> {
    if names.is_empty() {
        return None;
    }
    let plural = if names.len() == 1 { "" } else { "s" };
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("no value is given for the {what}{plural} {}", names.join(", "));
    Some(Diagnostic::warning(None, message).note(format!("what is not given reads as {reads}")))
}
