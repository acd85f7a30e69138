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

/// Floats of 16 bits are held to their own unit in the last place, and those beside them to theirs.
#[test]
fn halves_are_as_coarse_as_their_width() {
    let precision = Precision { regrouped: Some(Rounding { bits: 24, ulps: 1.0 }), ..Precision::VULKAN };
    let domain = Interval { precision };
    let make = |op, width, args| domain.float_op(op, width, args, &mut Note::default());
    let half = |bits: u64| domain.of_float(bits, 16);
    // 1 + 2^-10 and 2^-11.
    let [near_one, small] = [0x3c01, 0x1000].map(half);
    let sum = domain.error(make(Op::FAdd, 16, [near_one, small, small]));
    assert!((2f64.powi(-11)..2f64.powi(-9)).contains(&sum), "{sum}");
    let wide = [near_one, small].map(|s| domain.resize(s, 16, 32));
    assert_eq!(domain.error(make(Op::FAdd, 32, [wide[0], wide[1], wide[1]])), 0.0, "exact in 24 bits");
    let third = domain.of_float((1f32 / 3.0).to_bits().into(), 32);
    let narrow = domain.error(domain.resize(third, 32, 16));
    assert!((2f64.powi(-13)..2f64.powi(-10)).contains(&narrow), "{narrow}");
    assert_eq!(domain.error(domain.resize(wide[0], 32, 16)), 0.0, "it was one");
    // The smallest ones are kept, and functions are within what Vulkan says.
    let tiny = half(1);
    assert!(domain.error(make(Op::FMul, 16, [tiny, near_one, tiny])) <= 2f64.powi(-23));
    let sine = domain.error(make(Op::FSin, 16, [near_one; 3]));
    assert!((2f64.powi(-8)..2f64.powi(-5)).contains(&sine), "{sine}");
    assert!(domain.error(make(Op::FAdd, 16, [half(0x7bff); 3])).is_infinite(), "it is too large");
}

/// How often the divisor goes into a number is decided by a quotient that is rounded, also where both are exact.
#[test]
fn rests_prove_nothing_where_the_quotient_is_about_whole() {
    let domain = Interval { precision: Precision::VULKAN };
    for (op, a, b, is_open) in [
        (Op::FRem, 2.434_f32, 2.434_f32, true),
        (Op::FRem, -7.5, 2.5, true),
        (Op::FRem, 2.434, 1.9, false),
        (Op::FRem, -0.3, 1.0, false),
        (Op::FMod, 7.5, 2.5, true),
        (Op::FMod, 7.0, 2.5, false),
    ] {
        let [x, y] = [a, b].map(|x| domain.of_float(x.to_bits().into(), 32));
        let mut note = Note::default();
        let _ = domain.float_op(op, 32, [x, y, y], &mut note);
        assert_eq!(note.0.is_some(), is_open, "{op:?} {a} {b}");
    }
}
