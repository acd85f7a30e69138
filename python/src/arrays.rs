//! NumPy's memory in and out: columns are read where they are, results become arrays as they are.

use std::sync::Arc;

use chiaro::{Attributes, Column, Floats, Inputs, Kind, Simulated, Value, Work, host};
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::{Files, Told, asked, told};

/// The memory of an array, which lives as long as this does.
struct Held {
    first: *const f32,
    size: usize,
    _owner: Py<PyArray2<f32>>,
}

// SAFETY: the memory is only read, and its owner is kept. Who writes to an array while it is read, gets the one
// or the other, as with every function that NumPy runs without the lock.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl AsRef<[f32]> for Held {
    fn as_ref(&self) -> &[f32] {
        // SAFETY: taken from a contiguous slice of the owner, which cannot be freed or moved before.
        unsafe { std::slice::from_raw_parts(self.first, self.size) }
    }
}

/// A column of rows, without a copy.
fn column(name: &str, array: &PyReadonlyArray2<'_, f32>) -> PyResult<Column> {
    let wrong =
        || PyValueError::new_err(format!("`{name}` needs rows of 1 to 4 float32, one behind the other"));
    let rows = array.as_slice().map_err(|_| wrong())?;
    let width = array.shape()[1];
    let owner: Bound<'_, PyArray2<f32>> = (**array).clone();
    let held = Held { first: rows.as_ptr(), size: rows.len(), _owner: owner.unbind() };
    Floats::new(width, Arc::new(held)).map(Column::Floats).ok_or_else(wrong)
}

/// What is run.
fn work(kind: &str, count: [u32; 3], columns: Vec<(String, Column)>) -> PyResult<Work> {
    let given = Attributes { count: count[0] as usize, columns };
    match kind {
        "vertices" => Ok(Work::Vertices(given)),
        "fragments" => Ok(Work::Fragments(given)),
        "groups" => Ok(Work::Dispatch(count)),
        _ => Ok(Work::default()),
    }
}

/// Runs a program over columns of float32 in shape (invocations, 1 to 4).
#[pyfunction]
pub(crate) fn simulate<'py>(
    py: Python<'py>,
    call: (Vec<String>, Files),
    kind: (String, [u32; 3]),
    columns: Vec<(String, PyReadonlyArray2<'py, f32>)>,
    buffers: Vec<(String, PyBackedBytes)>,
) -> PyResult<Told<'py>> {
    let columns = columns.iter().map(|(name, array)| Ok((name.clone(), column(name, array)?)));
    let work = work(&kind.0, kind.1, columns.collect::<PyResult<_>>()?)?;
    let resources = buffers.into_iter().map(|(name, bytes)| (name, Value::Bytes(bytes.to_vec()))).collect();
    let answer = py.detach(|| host::simulate(asked(call.0, call.1), &Inputs { resources, work }));
    told(answer, |made| results(py, made).map(Bound::into_any))
}

/// The results of a run; the arrays take over the memory that they were made in.
fn results(py: Python<'_>, made: Simulated) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let outputs = made.outputs.into_iter().map(|output| {
        let (kind, bits) = match output.kind {
            Kind::Bool => ("bool", 1),
            Kind::Int(bits) => ("int", bits),
            Kind::Uint(bits) => ("uint", bits),
            Kind::Float(bits) => ("float", bits),
        };
        (output.name, output.place, kind, bits, output.width, PyArray1::from_vec(py, output.bits))
    });
    all.set_item("outputs", outputs.collect::<Vec<_>>())?;
    let buffers = made.resources.into_iter().filter_map(|(name, value)| match value {
        Value::Bytes(bytes) => Some((name, PyArray1::from_vec(py, bytes))),
        _ => None,
    });
    all.set_item("buffers", buffers.collect::<Vec<_>>())?;
    let faults = made.faults.into_iter().map(|fault| (fault.invocation, fault.at, fault.cause));
    all.set_item("faults", faults.collect::<Vec<_>>())?;
    let printed = made.printed.into_iter().map(|printed| (printed.invocation, printed.text));
    all.set_item("printed", printed.collect::<Vec<_>>())?;
    all.set_item("mode", made.mode)?;
    all.set_item("invocations", made.invocations)?;
    all.set_item("instructions", made.instructions)?;
    all.set_item("cycles", PyArray1::from_vec(py, made.cycles))?;
    all.set_item("discarded", PyArray1::from_vec(py, made.discarded))?;
    Ok(all)
}

/// The pixels of a PNG that was drawn: uint8 in shape (height * width * 4), with width and height.
#[pyfunction]
pub(crate) fn pixels<'py>(py: Python<'py>, png: &[u8]) -> PyResult<([u32; 2], Bound<'py, PyArray1<u8>>)> {
    let (size, pixels) = py
        .detach(|| host::pixels(png))
        .ok_or_else(|| PyValueError::new_err("this is no PNG that can be read"))?;
    Ok((size, PyArray1::from_vec(py, pixels)))
}
