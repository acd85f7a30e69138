//! Shaders of two numbers, run on rows of them.

use chiaro_ir::interp::{Attributes, Domain, Interpreter, NoImages};
use chiaro_ir::{GlobalRef, Module};

/// The text of a shader that stores a value of its body, which reads its inputs as `%0` and `%1`.
pub(crate) fn text(ty: &str, body: &str, result: &str) -> String {
    format!(
        "global @a: input {ty} location(0)
         global @b: input {ty} location(1)
         global @o: output {ty} location(0)
         entry vertex \"main\" = @main interface(@a, @b, @o)
         fn @main() {{
           %0: {ty} = load @a
           %1: {ty} = load @b
           {body}
           store @o, {result}
           return
         }}"
    )
}

/// The bytes that such a shader of numbers of `N` bytes stores, row by row.
pub(crate) fn bytes<D: Domain, const N: usize>(
    module: &Module,
    domain: D,
    rows: impl Iterator<Item = [[u8; N]; 2]> + Clone,
) -> Vec<[u8; N]> {
    let column = |i: usize| rows.clone().map(|row| row[i].to_vec()).collect();
    let inputs = Attributes::from([(GlobalRef(0), column(0)), (GlobalRef(1), column(1))]);
    let mut run = Interpreter::with(module, &module.entries[0], domain);
    let (_, outputs) = run.run(rows.clone().count(), &inputs, &mut NoImages).expect("it runs");
    outputs[&GlobalRef(2)].iter().map(|bytes| std::array::from_fn(|n| bytes[n])).collect()
}
