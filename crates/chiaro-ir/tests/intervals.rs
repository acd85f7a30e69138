//! How far off a correct implementation may be.

use chiaro_ir::Op;
use chiaro_ir::interp::{Domain, Interval, Note, Precision};

/// The error of a sine or cosine of an exact number.
fn error(op: Op, x: f32) -> f64 {
    let domain = Interval { precision: Precision::VULKAN };
    let operand = domain.of_float(x.to_bits().into(), 32);
    domain.error(domain.float_op(op, 32, [operand; 3], &mut Note::default()))
}

/// The fuzzer's seed 1002668 for `utgard-gp`: an integer of the application near 2^24 as an angle.
#[test]
fn angles_of_many_turns_are_as_coarse_as_their_floats() {
    for op in [Op::FSin, Op::FCos] {
        assert!(
            error(op, 3.0) < 2.0 * Precision::VULKAN.angle,
            "{op:?} of small angles is held to the bound"
        );
        assert!(error(op, 16_777_216.0) >= 1.0, "{op:?}: floats lie 2 apart there");
        assert!(error(op, 1000.0) < 1e-3, "{op:?}: not so coarse that nothing is proved");
    }
}
