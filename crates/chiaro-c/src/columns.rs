//! Vertices and fragments out of the caller's arrays, and outputs as they are.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::Arc;

use chiaro::{Attributes, Floats, Inputs, Kind, Work, host};

use crate::answer::{Answer, Part, Run};
use crate::ask::asked;
use crate::question::{Asked, Lent, Question, items};
use crate::status::Status;

/// An input of all invocations.
#[repr(C)]
pub struct Column {
    /// Its name in the program, or a register.
    pub name: *const c_char,
    /// The rows, one behind the other; they are read while the function runs.
    pub rows: *const f32,
    /// Floats in a row, 1 to 4.
    pub width: usize,
}

/// What a component of an output is.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComponentKind {
    /// 0 or 1.
    ChiaroBool = 0,
    /// An integer with a sign.
    ChiaroInt = 1,
    /// An integer without a sign.
    ChiaroUint = 2,
    /// A float.
    ChiaroFloat = 3,
}

/// An output of all invocations.
#[repr(C)]
pub struct Output {
    /// What the host calls it.
    pub name: *const c_char,
    /// A component in the low bits of each number, invocation by invocation.
    pub bits: *const u64,
    /// Numbers in all.
    pub size: usize,
    /// Components of an invocation.
    pub width: usize,
    /// What they are.
    pub kind: ComponentKind,
    /// Bits of a component.
    pub kind_bits: u8,
}

/// The columns of the caller, without a copy.
///
/// # Safety
/// Each column has `count` rows.
unsafe fn columns(given: &[Column], count: usize) -> Result<Attributes, Status> {
    let mut columns = Vec::new();
    for column in given {
        if column.name.is_null() || column.rows.is_null() {
            return Err(Status::ChiaroNull);
        }
        // SAFETY: not null, and a text by the contract.
        let name = unsafe { CStr::from_ptr(column.name) }.to_str().map_err(|_| Status::ChiaroNotUtf8)?;
        let size = count.checked_mul(column.width).ok_or(Status::ChiaroWrongUsage)?;
        // SAFETY: so many rows, by the contract.
        let rows = unsafe { Lent::of(column.rows, size)? };
        let floats = Floats::new(column.width, Arc::new(rows));
        let floats = floats.ok_or(Status::ChiaroWrongUsage)?;
        columns.push((name.to_owned(), chiaro::Column::Floats(floats)));
    }
    Ok(Attributes { count, columns })
}

/// Runs a program on the simulator, with the inputs of its `invocations` in the caller's arrays: vertices, or, if
/// `fragments` is not 0, fragments, of which four in a row are a quad. Uniforms are in the file that `--inputs` names.
/// The outputs are looked at with `chiaro_answer_output`.
///
/// # Safety
/// As `chiaro_simulate`; `columns` is null or has so many columns, of as many rows as there are invocations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_simulate_columns(
    question: *const Question,
    given: *const Column,
    column_count: usize,
    invocations: usize,
    fragments: u32,
    answer: *mut *mut Answer,
) -> Status {
    // SAFETY: null or so many columns, by the contract.
    let work = unsafe { items(given, column_count).and_then(|given| columns(given, invocations)) };
    let work = match work {
        Ok(attributes) if fragments != 0 => Work::Fragments(attributes),
        Ok(attributes) => Work::Vertices(attributes),
        Err(status) => return status,
    };
    let inputs = Inputs { work, ..Inputs::default() };
    // SAFETY: handed on as the contract has it.
    unsafe { asked(question, answer, |asked| simulated(asked, &inputs)) }
}

fn simulated(asked: Asked, inputs: &Inputs) -> (Status, Answer) {
    let mut run = None;
    let made = host::simulate(asked.call("run", &[]), inputs);
    let (status, mut answer) = Answer::of(made, |made| {
        run = Some(Run::of(made));
        Vec::<(Part, Vec<u8>)>::new()
    });
    answer.run = run;
    (status, answer)
}

/// Output `index` of a run over columns, from 0; `CHIARO_NO_SUCH_PART` behind the last. Its pointers live as long as the answer.
///
/// # Safety
/// `answer` is null or an answer, `output` null or a place to write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn chiaro_answer_output(
    answer: *const Answer,
    index: usize,
    output: *mut Output,
) -> Status {
    // SAFETY: null or what they are said to be, by the contract.
    let (answer, place) = unsafe { (answer.as_ref(), output.as_mut()) };
    let (Some(answer), Some(place)) = (answer, place) else { return Status::ChiaroNull };
    let found = answer.run.as_ref().and_then(|run| run.made.outputs.get(index).zip(run.names.get(index)));
    let Some((output, name)) = found else {
        *place = Output {
            name: ptr::null(),
            bits: ptr::null(),
            size: 0,
            width: 0,
            kind: ComponentKind::ChiaroUint,
            kind_bits: 0,
        };
        return Status::ChiaroNoSuchPart;
    };
    let (kind, kind_bits) = match output.kind {
        Kind::Bool => (ComponentKind::ChiaroBool, 1),
        Kind::Int(bits) => (ComponentKind::ChiaroInt, bits),
        Kind::Uint(bits) => (ComponentKind::ChiaroUint, bits),
        Kind::Float(bits) => (ComponentKind::ChiaroFloat, bits),
    };
    let (bits, size) = (output.bits.as_ptr(), output.bits.len());
    *place = Output { name: name.as_ptr(), bits, size, width: output.width, kind, kind_bits };
    Status::ChiaroDone
}
