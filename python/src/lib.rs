//! The native part of the package `chiaro`: calls of [`chiaro::host`] with NumPy's arrays in and out.
//!
//! What users see is written in Python beside it; here is what has to be near the memory. Everything runs without the
//! interpreter's lock, and answers are tuples: a status, the value or `None`, messages as JSON Lines, messages for people.

mod arrays;

use std::sync::Arc;

use chiaro::host::{self, Answer, Bytes, Call};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

/// An answer as Python takes it apart.
type Told<'py> = (u32, Option<Bound<'py, PyAny>>, String, String);

/// Files by name, in the memory of Python's objects.
type Files = Vec<(String, PyBackedBytes)>;

/// Results by the file that they are for, of standard output without one.
type Results<'py> = Vec<(Option<String>, Bound<'py, PyBytes>)>;

fn asked(args: Vec<String>, files: Files) -> Call {
    let files = files.into_iter().map(|(name, bytes)| (name, Bytes::lent(Arc::new(bytes))));
    Call { args, files: files.collect() }
}

fn told<'py, T>(
    answer: Answer<T>,
    value: impl FnOnce(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Told<'py>> {
    let status = answer.status as u32;
    Ok((status, answer.value.map(value).transpose()?, answer.messages, answer.text))
}

/// Runs a command of the command line; its results stay in memory.
#[pyfunction]
fn call(py: Python<'_>, args: Vec<String>, files: Files) -> PyResult<Told<'_>> {
    let answer = py.detach(|| host::call(asked(args, files)));
    told(answer, |results| {
        let one = |(path, bytes): (Option<std::path::PathBuf>, Vec<u8>)| {
            (path.map(|path| path.display().to_string()), PyBytes::new(py, &bytes))
        };
        results.into_iter().map(one).collect::<Results<'_>>().into_bound_py_any(py)
    })
}

/// Compiles, and gives everything that came of it.
#[pyfunction]
fn compile(py: Python<'_>, args: Vec<String>, files: Files) -> PyResult<Told<'_>> {
    let answer = py.detach(|| host::compile(asked(args, files)));
    told(answer, |made| {
        let all = PyDict::new(py);
        all.set_item("target", made.target)?;
        all.set_item("container", PyBytes::new(py, &made.container))?;
        all.set_item("code", PyBytes::new(py, &made.code))?;
        all.set_item("listing", made.listing)?;
        all.set_item("header", made.header)?;
        all.set_item("ir", made.ir)?;
        all.set_item("report", made.report.to_string())?;
        Ok(all.into_any())
    })
}

/// What a host program sees of a shader, as JSON.
#[pyfunction]
fn abi(py: Python<'_>, args: Vec<String>, files: Files) -> PyResult<Told<'_>> {
    let answer = py.detach(|| host::abi(asked(args, files)));
    told(answer, |json| json.to_string().into_bound_py_any(py))
}

/// All targets, as JSON.
#[pyfunction]
fn targets() -> String {
    host::targets().to_string()
}

/// The command line itself: it reads files, writes and prints, and gives the exit code.
#[pyfunction]
fn main(py: Python<'_>, args: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| chiaro::command::run(args))
}

#[pymodule]
fn _chiaro(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(call, module)?)?;
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_function(wrap_pyfunction!(abi, module)?)?;
    module.add_function(wrap_pyfunction!(targets, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::pixels, module)?)
}
