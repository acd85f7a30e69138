//! A row on the interpreter.

use chiaro_ir::interp::compare::{Comparison, Tolerance};
use chiaro_ir::interp::{Domain, Interpreter, Interval, NoImages, Precision};
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

/// Runs a module with float errors of Vulkan's precision and compares the floats that the row
/// expects with the intervals that come out. Words written by lanes whose decisions depend on an
/// error prove nothing, and those of buffers without floats are left out.
///
/// # Errors
/// As [`interpret`].
pub fn within(module: &Module, job: &Job) -> Result<Comparison, String> {
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let domain = Interval { precision: Precision::VULKAN };
    let mut interpreter = Interpreter::with(module, entry, domain);
    dispatch(&mut interpreter, module, job)?;
    let mut all = Comparison::default();
    for (binding, words) in &job.expected {
        let Some(global) = interpreter.bound(0, *binding) else { continue };
        for (i, &word) in words.iter().enumerate().filter(|_| holds_floats(module, global)) {
            if let Some((value, error, conclusive)) = interpreter.float_at(global, 4 * i, 32) {
                all.interval(i, value, error, f32::from_bits(word).into(), conclusive);
            }
        }
    }
    Ok(all)
}

/// Whether the last member of a buffer is made of floats.
fn holds_floats(module: &Module, global: GlobalRef) -> bool {
    let mut ty = module.global(global).ty;
    while let Some(part) = module.types.part(ty, module.types.part_count(ty).unwrap_or(1).saturating_sub(1)) {
        ty = part;
    }
    module.types.is_float(ty)
}

fn run(module: &Module, job: &Job, undef: u64) -> Result<Vec<Vec<u32>>, String> {
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let mut interpreter = Interpreter::new(module, entry);
    interpreter.options.undef = undef;
    dispatch(&mut interpreter, module, job)?;
    let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    let after = |buffer: &super::Buffer| {
        // A binding that the module never mentions stays as it is.
        let bytes = interpreter.bound(0, buffer.binding).and_then(|global| interpreter.bytes(global));
        bytes.map_or_else(|| buffer.words.clone(), words)
    };
    Ok(job.buffers.iter().map(after).collect())
}

/// Binds what the row gives, and runs.
fn dispatch<D: Domain>(
    interpreter: &mut Interpreter<'_, D>,
    module: &Module,
    job: &Job,
) -> Result<(), String> {
    interpreter.options.subgroup = SUBGROUP;
    interpreter.options.fuel = FUEL;
    for buffer in &job.buffers {
        if let Some(global) = interpreter.bound(0, buffer.binding) {
            interpreter.set(global, buffer.words.iter().flat_map(|w| w.to_le_bytes()).collect());
        }
    }
    if let Some(push) = module.globals.iter().position(|g| g.space == Space::PushConstant) {
        let size = interpreter.size_of(module.globals[push].ty) as usize;
        let mut block = job.push.clone();
        block.resize(block.len().max(size), 0);
        interpreter.set(GlobalRef(push as u32), block);
    }
    // Accesses out of bounds are noted only: drivers ignore them as the interpreter does.
    interpreter.dispatch(job.groups, &mut NoImages).map(drop).map_err(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::Buffer;
    use super::*;
    use crate::stages::Shader;

    /// Floats are compared within their bounds; numbers of other kinds have none, and are not.
    #[test]
    fn floats_alone_are_compared_within_bounds() {
        let text = "#version 450\nlayout(local_size_x = 1) in;\n\
                    layout(std430, binding = 0) buffer A { uint n; float f[2]; } a;\n\
                    layout(std430, binding = 1) buffer B { uint d[2]; } b;\n\
                    void main() { a.f[0] *= 3.0; b.d[0] += 1u; }";
        let shader = Shader::of_text("within.comp".to_owned(), text.to_owned()).expect("it compiles");
        let [one, three] = [1f32, 3f32].map(f32::to_bits);
        let told = |float: u32| {
            let buffers = vec![
                Buffer { binding: 0, words: vec![0, one, one] },
                Buffer { binding: 1, words: vec![4, 4] },
            ];
            // The integers are wrong.
            let expected = vec![(0, vec![0, float, one]), (1, vec![one, one])];
            let job = Job {
                shader: String::new(),
                groups: [1; 3],
                push: Vec::new(),
                buffers,
                tolerance: Tolerance::Exact,
                expected,
            };
            within(&shader.module, &job).expect("it runs")
        };
        assert_eq!((told(three).differences.len(), told(three).equal), (0, 3));
        assert_eq!(told(one).differences, [(1, 3.0, 1.0)]);
    }
}
