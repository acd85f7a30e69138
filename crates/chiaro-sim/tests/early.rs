//! Results beside the least normal number, where a result that is too small before it is rounded is zero: the law of
//! the engines seldom draws them.

use chiaro_sim::arith::Arith;
use chiaro_sim::early::{Early, Quick};
use chiaro_sim::{FloatEnv, Op, scalar};

/// Bits of the least normal number, and of the canonical NaN.
const LEAST: u32 = 0x0080_0000;
const NAN: u32 = 0x7fc0_0000;

/// A product below the least normal number is zero even where it is rounded up to it; one that is it or above is
/// kept, of both signs.
#[test]
fn products_beside_the_least_normal_number() {
    let early = Early::new(&FloatEnv::FLUSHING_BEFORE);
    let rows = [
        (0x00ff_ffff, 0x3f00_0000, 0),
        (0x80ff_ffff, 0x3f00_0000, 0x8000_0000),
        (0x0100_0000, 0x3f00_0000, LEAST),
        (0x8100_0000, 0x3f00_0000, 0x8080_0000),
        // A little above, rounded down.
        (0x0080_0001, 0x3f7f_ffff, LEAST),
        (0x0080_0001, 0xbf7f_ffff, 0x8080_0000),
        (0x00ff_fffd, 0x3f00_0000, 0),
    ];
    for (a, b, product) in rows {
        assert_eq!([early.mul(a, b), early.mul(b, a), early.fma(a, b, 0)], [product; 3], "{a:x} {b:x}");
        let whole = scalar::value::<Early>(Op::Fmul, &FloatEnv::FLUSHING_BEFORE, [a, b, 0]);
        assert_eq!(whole, Some(product), "{a:x} {b:x}");
    }
}

/// The quick product plus sum says where it may be wrong.
#[test]
fn what_is_quick_says_where_it_may_be_wrong() {
    let quick = Quick::new(&FloatEnv::FLUSHING_BEFORE);
    for a in [0x00ff_ffff, 0x80ff_ffff, 0x0100_0000] {
        assert_eq!(quick.fma(a, 0x3f00_0000, 0), NAN, "{a:x}");
    }
    assert_eq!(quick.fma(0x0100_0001, 0x3f80_0000, 0), 0x0100_0001);
}
