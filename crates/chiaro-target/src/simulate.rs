//! What a run on the simulator starts from, and what comes out.

mod column;
mod groups;

use std::collections::BTreeMap;

use chiaro_diag::Diagnostic;
use chiaro_sim::{Change, Touched};

use crate::value::{Image, Kind, Value};
pub use column::{Column, Floats};
pub use groups::local_size;

/// What a run starts from.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Inputs {
    /// Uniforms, buffers and images by name, register or binding; later ones win.
    pub resources: Vec<(String, Value)>,
    /// What is run.
    pub work: Work,
}

impl Inputs {
    /// What belongs to one program of all that is given to several: the resources and the inputs whose
    /// names it knows.
    #[must_use]
    pub fn own(&self, has_resource: impl Fn(&str) -> bool, has_input: impl Fn(&str) -> bool) -> Inputs {
        let mut own = self.clone();
        own.resources.retain(|(name, _)| has_resource(name));
        if let Work::Vertices(given) | Work::Fragments(given) = &mut own.work {
            given.columns.retain(|(name, _)| has_input(name));
        }
        own
    }
}

/// What is run.
#[derive(Clone, PartialEq, Debug)]
pub enum Work {
    /// Vertices, each on its own; primitives of a geometry program.
    Vertices(Attributes),
    /// Fragments; four in a row are a quad.
    Fragments(Attributes),
    /// Workgroups in three dimensions.
    Dispatch([u32; 3]),
    /// Vertices, rasterised, and their fragments.
    Draw(Draw),
}

/// Invocations with the values of their inputs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Attributes {
    /// How many invocations there are.
    pub count: usize,
    /// Inputs by name or register, each with a value for every invocation.
    pub columns: Vec<(String, Column)>,
}

/// A draw.
#[derive(Clone, PartialEq, Debug)]
pub struct Draw {
    /// The vertices.
    pub vertices: Attributes,
    /// Vertices of the primitives, by number.
    pub indices: Vec<u32>,
    /// What they form.
    pub topology: Topology,
    /// Width and height of the picture.
    pub size: [u32; 2],
}

/// How vertices form primitives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are those of the interfaces")]
pub enum Topology {
    Points,
    Lines,
    LineStrip,
    Triangles,
    TriangleStrip,
    TriangleFan,
}

/// How to simulate.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SimulateOptions {
    /// The target's number mode by its name; the target's default without it.
    pub mode: Option<String>,
    /// Values for what the hardware's documents leave open, by name.
    pub assumptions: Vec<(String, String)>,
    /// Which program of the container; the first without it.
    pub executable: Option<usize>,
    /// Where to start instead of the program's own entry: a label, or an instruction's number.
    pub entry: Option<String>,
    /// Names of places in the code that the container itself does not have.
    pub labels: BTreeMap<String, u32>,
    /// Record the steps of every invocation, [`MOST_TRACED`] of them at most.
    pub trace: bool,
    /// Registers that are set before steps of what is recorded; without a trace they are nowhere.
    pub changes: Vec<Change>,
    /// Inputs and resources that the program does not have are another stage's, and passed over.
    pub shared: bool,
    /// Instructions that an invocation may execute before it is stopped with a fault; the target's
    /// default without it.
    pub max_steps: Option<u64>,
}

/// The cause of a fault: so many steps were allowed, and the program went on.
#[must_use]
pub fn endless(allowed: u64) -> String {
    format!("it did not end within {allowed} steps; a loop may not end (`--max-steps N` allows more)")
}

/// Texts that a run keeps of what is printed, all invocations together: as many as the interpreter.
pub use chiaro_ir::interp::MOST_PRINTED;

/// A warning that a run printed more texts than are shown.
#[must_use]
pub fn unprinted(count: u64) -> Option<Diagnostic> {
    if count == 0 {
        return None;
    }
    let message = format!("{count} more texts were printed, which are not shown");
    Some(Diagnostic::warning(None, message).help("print from fewer invocations, or in fewer rounds"))
}

/// Steps that a run records, all invocations together: a trace is read by people.
pub const MOST_TRACED: usize = 1 << 16;

/// A warning that a recording ends before the run.
#[must_use]
pub fn cut(invocation: usize, invocations: usize) -> Diagnostic {
    let message =
        format!("the trace ends after {MOST_TRACED} steps, in invocation {invocation} of {invocations}");
    Diagnostic::warning(None, message).help("trace fewer invocations, or loops of fewer rounds")
}

/// Records the steps of invocations, one after the other, until there are [`MOST_TRACED`]; `steps`
/// gives those of one invocation, at most so many. The warning says that not all are there.
#[must_use]
pub fn traced(
    invocations: usize,
    mut steps: impl FnMut(usize, usize) -> Vec<Step>,
) -> (Vec<Vec<Step>>, Option<Diagnostic>) {
    let (mut traces, mut room) = (Vec::new(), MOST_TRACED);
    for invocation in 0..invocations {
        let made = steps(invocation, room);
        room -= made.len().min(room);
        traces.push(made);
        if room == 0 {
            return (traces, Some(cut(invocation, invocations)));
        }
    }
    (traces, None)
}

/// What came out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Simulated {
    /// The number mode.
    pub mode: &'static str,
    /// Invocations that ran.
    pub invocations: usize,
    /// The outputs, each with the values of all invocations.
    pub outputs: Vec<Output>,
    /// Buffers and images that the program may write, as it left them.
    pub resources: Vec<(String, Value)>,
    /// Fragments that were discarded, by number; empty if none could be.
    pub discarded: Vec<bool>,
    /// What a draw painted.
    pub picture: Option<Image>,
    /// What each invocation of a geometry program handed on; empty for other programs.
    pub events: Vec<Vec<Event>>,
    /// The steps of each invocation, if they were asked for.
    pub traces: Vec<Vec<Step>>,
    /// What each of `traces` is, where the work has groups.
    pub traced: Vec<Traced>,
    /// Registers that a program reads and nothing writes while it runs, by the names that steps give them.
    pub constants: Vec<(String, u32)>,
    /// What invocations printed, invocation by invocation; at most [`MOST_PRINTED`].
    pub printed: Vec<Printed>,
    /// Invocations that stopped early.
    pub faults: Vec<Fault>,
    /// Instructions executed, summed over the invocations, if they were counted.
    pub instructions: Option<u64>,
    /// Cycles of each invocation, where the machine's clock is known well enough.
    pub cycles: Vec<u64>,
    /// What is worth knowing about the run.
    pub remarks: Vec<Diagnostic>,
}

/// An output of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// What the host calls it; the register where it has no name.
    pub name: String,
    /// The register, with the components that are used: `o0.xyz`.
    pub place: String,
    /// What a component is.
    pub kind: Kind,
    /// Components of each invocation.
    pub width: usize,
    /// The bits of all components, invocation by invocation.
    pub bits: Vec<u64>,
}

/// A wave of a group whose steps were recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Traced {
    /// The group.
    pub group: [u32; 3],
    /// Its number among the waves of the group.
    pub wave: u32,
    /// The invocation of its first lane, as faults count.
    pub first: u64,
}

/// A text that an invocation printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Printed {
    /// The invocation.
    pub invocation: u64,
    /// The text with its values.
    pub text: String,
}

/// What a program says of itself, where it comes to an instruction that says that something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// What is wrong, by a number that the compiler of the program knows.
    pub number: u8,
    /// The functions whose calls are open, the innermost last.
    pub chain: Vec<String>,
}

/// An invocation that stopped early, or that is wrong where it goes on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fault {
    /// The invocation.
    pub invocation: u64,
    /// The instruction, by its number in listings.
    pub at: u32,
    /// Why.
    pub cause: String,
    /// The same for machines to read, where the program says it itself.
    pub trap: Option<Trap>,
}

/// Something that a geometry program handed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A vertex: the bits of its attributes.
    Vertex(Vec<Vec<u32>>),
    /// The next triangle is wound the other way.
    Winding,
}

/// An executed instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Step {
    /// Its number in listings.
    pub at: u32,
    /// Where it begins in the code, in bytes.
    pub offset: u32,
    /// Its text.
    pub text: String,
    /// Registers that were set from outside before it, with what they hold since.
    pub set: Vec<(String, Vec<u32>)>,
    /// Registers that it read, with their bits.
    pub reads: Vec<(String, Vec<u32>)>,
    /// The register that it wrote, as `r0.xy`, with the bits of those components.
    pub write: Option<(String, Vec<u32>)>,
    /// Further registers that it wrote.
    pub also: Vec<(String, Vec<u32>)>,
    /// Results of units, where an instruction drives several, with their bits.
    pub results: Vec<(&'static str, u32)>,
    /// Flags, address registers, stacks.
    pub effects: Vec<String>,
    /// What follows; `None` at the end.
    pub next: Option<u32>,
    /// Lanes that took part, a bit each, where several go together; registers then have a value for each
    /// lane, or one for all. 0 where the step is that of one invocation.
    pub lanes: u64,
    /// Memory that its lanes read and wrote.
    pub memory: Vec<Touched>,
}

impl Default for Work {
    /// One invocation without inputs.
    fn default() -> Self {
        Work::Vertices(Attributes { count: 1, columns: Vec::new() })
    }
}

impl Work {
    /// What it is, for messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Work::Vertices(_) => "vertices",
            Work::Fragments(_) => "fragments",
            Work::Dispatch(_) => "groups",
            Work::Draw(_) => "a draw",
        }
    }

    /// The vertices, for machines that run nothing else.
    ///
    /// # Errors
    /// What is asked for instead.
    pub fn vertices(&self) -> Result<&Attributes, Vec<Diagnostic>> {
        match self {
            Work::Vertices(attributes) => Ok(attributes),
            other => {
                let message = format!("this simulator runs vertices, and the inputs have {}", other.name());
                Err(vec![Diagnostic::error(None, message)])
            }
        }
    }
}

impl Attributes {
    /// The columns as rows of four floats, for machines whose attributes are that; what is missing
    /// comes from `fill`.
    ///
    /// # Errors
    /// Every value that is no row.
    pub fn vec4(&self, fill: [f32; 4]) -> Result<Vec<Vec<[f32; 4]>>, Vec<Diagnostic>> {
        let (mut columns, mut errors) = (Vec::with_capacity(self.columns.len()), Vec::new());
        for (name, given) in &self.columns {
            let (column, wrong) = given.vec4(name, fill);
            columns.push(column);
            errors.extend(wrong);
        }
        if errors.is_empty() { Ok(columns) } else { Err(errors) }
    }
}

impl Output {
    /// An output of float vectors, in those of four components that a mask names.
    #[must_use]
    pub fn of_floats(name: String, register: &str, mask: u16, rows: &[[u32; 4]]) -> Output {
        let used: Vec<usize> = (0..4).filter(|bit| mask >> bit & 1 != 0).collect();
        let letters: String = used.iter().map(|&i| ['x', 'y', 'z', 'w'][i]).collect();
        let bits = rows.iter().flat_map(|row| used.iter().map(|&i| row[i].into())).collect();
        Output {
            name,
            place: format!("{register}.{letters}"),
            kind: Kind::Float(32),
            width: used.len(),
            bits,
        }
    }

    /// The components of one invocation.
    #[must_use]
    pub fn of(&self, invocation: usize) -> &[u64] {
        self.bits.get(invocation * self.width..(invocation + 1) * self.width).unwrap_or_default()
    }
}

/// That all registers that are to be set can be; `what` says for people which can.
///
/// # Errors
/// Each that cannot.
pub fn settable(
    changes: &[Change],
    mut can: impl FnMut(&Change) -> bool,
    what: &str,
) -> Result<(), Vec<Diagnostic>> {
    let wrong: Vec<Diagnostic> = changes
        .iter()
        .filter(|change| !can(change))
        .map(|change| Diagnostic::error(None, format!("`{}` cannot be set", change.register)))
        .map(|error| error.help(format!("what can be set is {what}")))
        .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

impl Simulated {
    /// Steps that can still be recorded.
    #[must_use]
    pub fn room(&self) -> usize {
        MOST_TRACED.saturating_sub(self.traces.iter().map(Vec::len).sum())
    }
}

/// A warning for names that have no value: that is likely an oversight.
#[must_use]
pub fn unset(what: &str, names: &[&str], reads: &str) -> Option<Diagnostic> {
    if names.is_empty() {
        return None;
    }
    let plural = if names.len() == 1 { "" } else { "s" };
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!("no value is given for the {what}{plural} {}", names.join(", "));
    Some(Diagnostic::warning(None, message).note(format!("what is not given reads as {reads}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_not_shown_are_counted() {
        assert_eq!(unprinted(0), None);
        let told = unprinted(3).map(|warning| warning.message);
        assert_eq!(told.as_deref(), Some("3 more texts were printed, which are not shown"));
    }
}
