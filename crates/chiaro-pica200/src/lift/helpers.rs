//! Functions that lifted programs call: what the machine has in one word and languages do not.

use chiaro_ir::{Builder, FunctionRef, Module, Value};

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Helper {
    /// Products of so many components, zero where one is zero and the other infinite (spec section 5).
    Product(u8),
    /// The sum of such products, from the left or in pairs.
    Dot(u8, bool),
}

/// The functions that a program calls so far.
#[derive(Default)]
pub(super) struct Helpers {
    known: Vec<(Helper, FunctionRef)>,
}

impl Helpers {
    /// Calls a helper, which is declared if it is not yet.
    pub(super) fn call(&mut self, b: &mut Builder<'_>, helper: Helper, args: &[Value]) -> Value {
        let callee = self.declared(b, helper);
        b.call(callee, args).unwrap_or(args[0])
    }

    fn declared(&mut self, b: &mut Builder<'_>, helper: Helper) -> FunctionRef {
        if let Some((_, known)) = self.known.iter().find(|(other, _)| *other == helper) {
            return *known;
        }
        let float = b.float_ty(32);
        let (Helper::Product(n) | Helper::Dot(n, _)) = helper;
        let operand = b.types().vector(float, n);
        let (name, result) = match helper {
            Helper::Product(1) => ("product".to_owned(), float),
            Helper::Product(n) => (format!("product{n}"), operand),
            Helper::Dot(n, _) => (format!("dot{n}"), float),
        };
        let function = b.module().declare(name, &[operand, operand], result);
        self.known.push((helper, function));
        if let Helper::Dot(n, _) = helper {
            self.declared(b, Helper::Product(n));
        }
        function
    }

    /// Writes the bodies of what was called.
    pub(super) fn finish(mut self, module: &mut Module) -> Result<(), chiaro_ir::Mistake> {
        for at in 0..self.known.len() {
            let (helper, function) = self.known[at];
            let mut b = Builder::at(module, function);
            b.flags.exact = true;
            let (x, y) = (b.param(0), b.param(1));
            let value = match helper {
                Helper::Product(_) => product(&mut b, x, y),
                Helper::Dot(n, in_pairs) => {
                    let products = self.call(&mut b, Helper::Product(n), &[x, y]);
                    sum(&mut b, products, n, in_pairs)
                }
            };
            b.return_value(value);
            b.finish()?;
        }
        Ok(())
    }
}

/// NaN only where an operand is: zero times infinity, which would be one, is zero. Not every language
/// asks for NaN by name; only it differs from itself.
fn product(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let product = b.fmul(x, y);
    let ty = b.ty(product);
    let zero = b.zero(ty);
    let is_none = b.fne(product, product);
    let ruled = b.select(is_none, zero, product);
    // Conditions one by one: vectors of them cannot be joined everywhere.
    [x, y].into_iter().fold(ruled, |ruled, operand| {
        let is_none = b.fne(operand, operand);
        b.select(is_none, product, ruled)
    })
}

fn sum(b: &mut Builder<'_>, products: Value, n: u8, in_pairs: bool) -> Value {
    let parts: Vec<Value> = (0..n).map(|i| b.extract(products, i.into())).collect();
    match (in_pairs, &parts[..]) {
        (true, &[x, y]) => b.fadd(x, y),
        (true, &[x, y, z]) => {
            let first = b.fadd(x, y);
            b.fadd(first, z)
        }
        (true, &[x, y, z, w]) => {
            let (first, second) = (b.fadd(x, y), b.fadd(z, w));
            b.fadd(first, second)
        }
        _ => {
            let zero = b.f32(0.0);
            parts.iter().fold(zero, |sum, &part| b.fadd(sum, part))
        }
    }
}
