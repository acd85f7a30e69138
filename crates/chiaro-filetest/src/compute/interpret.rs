//! A row on the interpreter.

use chiaro_ir::interp::compare::{Comparison, Tolerance};
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_ir::{GlobalRef, Module, Space};

use super::Job;

/// Lanes in a subgroup of lavapipe, whose outputs the rows hold [measured].
const SUBGROUP: u32 = 8;
/// Instructions that a row may take.
const FUEL: u64 = 1 << 32;

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
    interpreter.options.subgroup = SUBGROUP;
    interpreter.options.fuel = FUEL;
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
        let size = interpreter.size_of(module.globals[push].ty) as usize;
        let mut block = job.push.clone();
        block.resize(block.len().max(size), 0);
        interpreter.set(GlobalRef(push as u32), block);
    }
    // Accesses out of bounds are noted only: drivers ignore them as the interpreter does.
    interpreter.dispatch(job.groups, &mut NoImages).map_err(|fault| fault.to_string())?;
    let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let after = |(global, buffer): (&Option<GlobalRef>, &super::Buffer)| {
        let bytes = global.and_then(|global| interpreter.bytes(global));
        bytes.map_or_else(|| buffer.words.clone(), words)
    };
    Ok(bound.iter().zip(&job.buffers).map(after).collect())
}
