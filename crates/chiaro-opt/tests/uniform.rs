//! Expressions of uniforms, as a target would ask for them.

use chiaro_diag::FileId;
use chiaro_ir::{Def, FunctionRef, parse};
use chiaro_opt::uniform_expressions;

const TEXT: &str = "\
global @u: uniform vec4<f32> set(0) binding(0) read_only
global @p: input f32 location(0) read_only

fn @f(%0: f32) -> f32 {
  %1: vec4<f32> = load @u
  %2: f32 = load @p
  %3: f32 = extract.0 %1
  %4: f32 = extract.1 %1
  %5: f32 = fmul %3, %4
  %6: f32 = fexp2 %5
  %7: f32 = fadd %6, %2
  %8: f32 = fadd %6, %3
  %9: f32 = fmul %7, %8
  return %9
}
";

#[test]
fn the_largest_expressions_are_told_with_their_cost_and_uses() {
    let module = parse(TEXT, FileId(0)).unwrap();
    let f = &module.functions[0];
    let told = |e: &chiaro_opt::UniformExpression| match f.def(e.value) {
        Def::Result(inst, _) => (f.op(inst).info().name, e.cost, e.uses),
        _ => ("", e.cost, e.uses),
    };
    let found: Vec<_> = uniform_expressions(&module, FunctionRef(0)).iter().map(told).collect();
    // The loads and their components cost nothing; the exponent is asked for once by itself.
    assert_eq!(found, [("fexp2", 2, 1), ("fadd", 3, 1)]);
}
