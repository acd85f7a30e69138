//! How far off a correct implementation may be.

use chiaro_ir::Op;
use chiaro_ir::interp::{Domain, Interval, Note, Precision, Rounding};

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

/// The fuzzer's seed 7127391 for `pica200`: a product of powers of two, exact but smaller than any normal number.
#[test]
fn exact_products_that_underflow_may_be_zero() {
    let precision = Precision { regrouped: Some(Rounding { bits: 24, ulps: 1.0 }), ..Precision::VULKAN };
    let domain = Interval { precision };
    let product = |x: f32| {
        let operand = domain.of_float(x.to_bits().into(), 32);
        domain.error(domain.float_op(Op::FMul, 32, [operand; 3], &mut Note::default()))
    };
    assert_eq!(product(0.25), 0.0, "an exact product");
    assert_eq!(product(0.0), 0.0, "zero is exact");
    assert!(product(1e-22) >= 1e-44, "what may be flushed is as good as zero");
}

/// The fuzzer's seed 7128616 for `pica200`: a sum that is clamped to bounds which it keeps, and goes on behind.
#[test]
fn sums_are_regrouped_across_bounds_that_do_not_matter() {
    let precision = Precision { regrouped: Some(Rounding { bits: 17, ulps: 1.0 }), ..Precision::VULKAN };
    let domain = Interval { precision };
    let number = |x: f32| domain.of_float(x.to_bits().into(), 32);
    let make = |op, args| domain.float_op(op, 32, args, &mut Note::default());
    let [small, large, none] = [2f32.powi(-16), 72_493.0 * 2f32.powi(-15), 0.0].map(number);
    let sum = make(Op::FAdd, [small, small, none]);
    for bounded in [sum, make(Op::FClamp, [sum, none, number(16.0)]), make(Op::FMax, [none, sum, none])] {
        let error = domain.error(make(Op::FSub, [bounded, large, none]));
        assert!(error >= 2f64.powi(-15), "{error}: from the other end, both are lost");
    }
    let fixed = make(Op::FMin, [sum, none, none]);
    assert_eq!(domain.error(make(Op::FSub, [fixed, large, none])), 0.0, "the bound has no terms");
}
