//! The SHBIN file around the words.

use crate::abi::outputs::{THIRD, has_third};
use crate::abi::{Abi, Out};
use crate::compile::finish::constants::Pool;
use crate::compile::finish::words::Words;
use crate::container::{Constant, ConstantValue, Dvle, Dvlp, Output, Shbin, Stage, UniformRegister};
use crate::regs::FLOATS;

/// The version that picasso gives executables.
const DVLE_VERSION: u16 = 0x1002;

/// The file; `constants` are the start values of uniforms.
pub(crate) fn file(
    abi: &Abi,
    masks: &[u8; 16],
    pool: &Pool,
    words: &Words,
    mut constants: Vec<Constant>,
) -> Shbin {
    for (i, numbers) in pool.registers.iter().enumerate() {
        let number = |k: usize| numbers.get(k).copied().unwrap_or(0);
        let value = ConstantValue::Float(std::array::from_fn(number));
        constants.push(Constant::new(FLOATS - 1 - i as u16, value));
    }
    constants
        .extend(words.ints.iter().map(|(i, bytes)| Constant::new((*i).into(), ConstantValue::Int(*bytes))));
    constants.extend(words.always.map(|b| Constant::new(b.into(), ConstantValue::Bool(true))));
    let outputs: Vec<Output> = abi
        .outputs
        .iter()
        .enumerate()
        .filter(|(register, _)| masks[*register] != 0)
        .flat_map(|(register, out)| output(register, out, masks[register], has_third(out, &abi.outputs)))
        .collect();
    let mut dvle = Dvle {
        version: DVLE_VERSION,
        stage: Stage::Vertex,
        merge: 0,
        entry: 0,
        // Behind END; subroutines follow.
        end: words.main as u32,
        inputs: abi.inputs.values().fold(0, |mask, input| mask | input.mask()),
        outputs_used: outputs.iter().fold(0, |mask, o| mask | 1 << o.register),
        geometry: [0; 4],
        constants,
        labels: Vec::new(),
        outputs,
        uniforms: Vec::new(),
        symbols: Vec::new(),
    };
    for (name, register, count) in &abi.names {
        if matches!(register, UniformRegister::Input(_)) || *count > 0 {
            dvle.add_uniform(name, *register, *count);
        }
    }
    let descriptors = words.descriptors.clone();
    let program = Dvlp { code: words.code.clone(), descriptors, ..Dvlp::default() };
    Shbin::new(program, vec![dvle])
}

/// The entries of an output: one, and where `third` is set another for its third component.
fn output(register: usize, out: &Out, mask: u8, third: bool) -> impl Iterator<Item = Output> {
    let entry = |kind, mask: u8| Output { kind, register: register as u16, mask: mask.into(), unknown: 0 };
    let of_third = (third && mask & 4 != 0).then(|| entry(THIRD, 4));
    let own = if of_third.is_some() { mask & 3 } else { mask };
    [Some(entry(out.property.kind, own)), of_third].into_iter().flatten()
}
