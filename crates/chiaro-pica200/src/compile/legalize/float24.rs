//! The machine's arithmetic: float24, of which floats of 32 bits in legal IR stand for the nearest.

use chiaro_num::Rounding;
use chiaro_opt::lower::Arithmetic;
use chiaro_sim::f24::F24;
use chiaro_sim::{FloatEnv, Op as U, scalar};

/// float24 arithmetic, one way of rounding or the other. \[unknown]
#[derive(Clone, Copy, Debug)]
pub enum Float24 {}

impl Float24 {
    /// With results rounded to nearest even, the default of the simulator.
    pub const NEAREST: Arithmetic = arithmetic(nearest);
    /// With results rounded toward zero.
    pub const TRUNCATE: Arithmetic = arithmetic(truncated);
}

const fn arithmetic(compute: fn(U, [u64; 3]) -> u64) -> Arithmetic {
    Arithmetic { compute, bounds: [U::Fmin, U::Fmax], compares_nan: true }
}

fn nearest(op: U, operands: [u64; 3]) -> u64 {
    let env = FloatEnv::pica_hw24(Rounding::NearestEven);
    bits(scalar::value::<F24<true>>(op, &env, operands.map(|bits| bits as u32)))
}

fn truncated(op: U, operands: [u64; 3]) -> u64 {
    let env = FloatEnv::pica_hw24(Rounding::TowardZero);
    bits(scalar::value::<F24<false>>(op, &env, operands.map(|bits| bits as u32)))
}

fn bits(value: Option<u32>) -> u64 {
    value.unwrap_or(f32::NAN.to_bits()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiaro_ir::interp::{Domain, Note};
    use chiaro_opt::lower::Native;
    use chiaro_sim::{Code, Engine, Prepared, Slot, State};

    /// The micro-ops of a native.
    fn lower(native: Native, d: Slot, operands: [Slot; 2], code: &mut Code) {
        let (op, is_truth) = native.meaning();
        let [a, b] = native.ordered(operands);
        match native.operands() {
            1 => code.each(op, &[d], &[&[a]]),
            _ => code.each(op, &[d], &[&[a], &[b]]),
        }
        if is_truth {
            let one = code.slots(1);
            code.imm(&[one], 1.0_f32.to_bits());
            code.each(U::And, &[d], &[&[d], &[one]]);
        }
    }

    #[test]
    fn micro_ops_and_interpreter_agree() {
        let values = [0.0_f32, 1.0, -1.5, 0.3, 65536.0, f32::INFINITY, f32::NAN];
        // This machine has no sine and cosine.
        for native in Native::ALL.into_iter().filter(|native| !matches!(native, Native::Sin | Native::Cos)) {
            let mut code = Code::new(FloatEnv::pica_hw24(Rounding::NearestEven));
            let slots = code.slots(3).quad();
            lower(native, slots[0], [slots[1], slots[2]], &mut code);
            let mut state = State::new(code.slot_count(), 0);
            let prepared = Prepared::new(&code, Engine::best());
            for (a, b) in values.iter().flat_map(|&a| values.map(|b| (a, b))) {
                state.lanes_mut(slots[1]).0[0] = a.to_bits();
                state.lanes_mut(slots[2]).0[0] = b.to_bits();
                prepared.run(0..code.uops.len(), &mut state);
                let operands = [a, b, 0.0].map(|x| x.to_bits().into());
                let found = Float24::NEAREST.native(native as u16, operands, &mut Note::default());
                assert_eq!(found, Some(state.lanes(slots[0]).0[0].into()), "{native:?} {a} {b}");
            }
        }
    }
}
