//! The machine's rule for products (spec section 5), whatever the numbers.

use chiaro_ir::{Builder, Value};

/// A result by the rule that a product is NaN only where an operand is: zero times infinity, which would
/// be NaN, is zero. Not every language asks for NaN by name; only it differs from itself.
pub(super) fn ruled(b: &mut Builder<'_>, operands: [Value; 2], product: Value, result: Value) -> Value {
    let ty = b.ty(product);
    let zero = b.zero(ty);
    let is_none = b.fne(product, product);
    let ruled = b.select(is_none, zero, result);
    // Conditions one by one: vectors of them cannot be joined everywhere.
    operands.into_iter().fold(ruled, |ruled, operand| {
        let is_none = b.fne(operand, operand);
        b.select(is_none, result, ruled)
    })
}
