//! A row on the interpreter.

use chiaro_ir::interp::compare::{Comparison, Tolerance};
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_ir::{GlobalRef, Module, Space};

use super::Job;

/// Runs a module, bit for bit, on the buffers of a row; answers them as they are after.
///
/// Every buffer of the row is bound in set 0; the module's first entry point runs. The run is
/// repeated with other bits in undefined values: a difference is an error, since the row then
/// proves nothing.
///
/// # Errors
/// A module without the row's bindings, or the fault that stopped the run.
pub fn interpret(module: &Module, job: &Job) -> Result<Vec<Vec<u32>>, String> {
    let once = run(module, job, 0)?;
    let again = run(module, job, 0xa5a5_a5a5_a5a5_a5a5)?;
    let same = once.iter().zip(&again).all(|(a, b)| Comparison::words(a, b, Tolerance::Exact).passed());
    if same { Ok(once) } else { Err("the outputs depend on undefined values".to_owned()) }
}

fn run(module: &Module, job: &Job, undef: u64) -> Result<Vec<Vec<u32>>, String> {
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let mut interpreter = Interpreter::new(module, entry);
    interpreter.options.undef = undef;
    let mut bound = Vec::new();
    for buffer in &job.buffers {
        // A binding that the module never mentions stays as it is.
        let global = interpreter.bound(0, buffer.binding);
        if let Some(global) = global {
            interpreter.set(global, buffer.words.iter().flat_map(|w| w.to_le_bytes()).collect());
        }
        bound.push(global);
    }
    let push = module.globals.iter().position(|g| g.space == Space::PushConstant);
    if let Some(push) = push {
        interpreter.set(GlobalRef(push as u32), job.push.clone());
    }
    let report = interpreter.dispatch(job.groups, &mut NoImages).map_err(|fault| fault.to_string())?;
    if let Some(fault) = report.faults.first() {
        return Err(fault.to_string());
    }
    let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let after = |(global, buffer): (&Option<GlobalRef>, &super::Buffer)| {
        let bytes = global.and_then(|global| interpreter.bytes(global));
        bytes.map_or_else(|| buffer.words.clone(), words)
    };
    Ok(bound.iter().zip(&job.buffers).map(after).collect())
}
