//! Inputs of a run, and the faults that it reports.

use std::fmt;

/// Which registers the rows of a vertex are for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// v registers, one for each input row.
    pub inputs: Vec<u8>,
    /// o registers, one for each output row.
    pub outputs: Vec<u8>,
}

/// What a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Vertices.
    pub vertices: u64,
    /// Instruction words executed, summed over the vertices.
    pub words: u64,
    /// Vertices that stopped with a fault.
    pub faults: u64,
}

/// Why a vertex stopped before END.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// It executed more words than [`Config::fuel`](super::Config::fuel) allows.
    Fuel,
    /// A word that is no instruction.
    Unknown,
    /// BREAK outside of a loop, which hangs the GPU. \[3dbrew]
    BreakOutsideLoop,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fuel => "the limit of executed words is reached",
            Self::Unknown => "the word is no instruction",
            Self::BreakOutsideLoop => "break outside of a loop",
        })
    }
}

/// A vertex that stopped before END.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// Which vertex of the run.
    pub vertex: u64,
    /// The word at which it stopped.
    pub pc: u16,
    /// Why.
    pub cause: Cause,
}

/// How many faults a machine keeps.
pub const MOST_FAULTS: usize = 64;

/// Inputs or outputs that do not make whole vertices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeError {
    /// Input rows given.
    pub inputs: usize,
    /// Output rows given.
    pub outputs: usize,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} input rows and {} output rows are not as many whole vertices",
            self.inputs, self.outputs
        )
    }
}

impl std::error::Error for SizeError {}

impl Layout {
    /// The number of vertices that input and output rows agree on.
    pub(crate) fn vertices(&self, inputs: usize, outputs: usize) -> Result<usize, SizeError> {
        let whole = |rows: usize, stride: usize| match stride {
            0 => (rows == 0).then_some(None),
            _ => rows.is_multiple_of(stride).then(|| Some(rows / stride)),
        };
        let error = SizeError { inputs, outputs };
        match (whole(inputs, self.inputs.len()), whole(outputs, self.outputs.len())) {
            (Some(Some(a)), Some(Some(b))) if a == b => Ok(a),
            (Some(Some(n)), Some(None)) | (Some(None), Some(Some(n))) => Ok(n),
            (Some(None), Some(None)) => Ok(0),
            _ => Err(error),
        }
    }
}
