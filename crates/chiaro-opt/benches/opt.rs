//! How long a large shader takes: all passes together, and each alone.
//!
//! The shader has 20,000 instructions as a front end would write them: variables that are loaded
//! and stored, structures and matrices, calls, branches, a loop here and there.

use chiaro_ir::random::{self, Features};
use chiaro_ir::{
    Binding, Builder, EntryPoint, FunctionRef, Global, GlobalRef, Inst, Member, Module, Op, Space, Stage, Ty,
    Type, Value, stats,
};
use chiaro_opt::{Cx, PASSES, TO_VALUES, optimize};
use divan::Bencher;

/// Instructions of the shader, functions that it calls once.
const SIZE: u32 = 20_000;

fn main() {
    divan::main();
}

#[divan::bench]
fn all(bencher: Bencher<'_, '_>) {
    let module = shader(SIZE);
    bencher.with_inputs(|| module.clone()).bench_values(|mut module| {
        let _ = optimize(&mut module, "main", &mut Cx::default());
        module
    });
}

/// Random functions: constructs deep within each other, exits over many levels.
#[divan::bench(args = [5_000, 20_000])]
fn random_functions(bencher: Bencher<'_, '_>, size: u32) {
    let module =
        random::module_with(5, size, Features { variables: true, lively: true, ..Default::default() });
    bencher.with_inputs(|| module.clone()).bench_values(|mut module| {
        let _ = optimize(&mut module, "main", &mut Cx::default());
        module
    });
}

/// One thing many times in a row, each in its turn: early returns, variables, nesting.
#[divan::bench(args = ["returns", "variables", "nesting"])]
fn many(bencher: Bencher<'_, '_>, what: &str) {
    let mut module = Module::default();
    let types = Names::new(&mut module);
    let main = module.declare("main", &[], types.void);
    let mut b = Builder::at(&mut module, main);
    let (input, output) = (b.global(types.input), b.global(types.output));
    match what {
        "returns" => (0..5000).for_each(|n| {
            let (x, limit) = (b.load(input), b.f32(n as f32));
            let x = b.extract(x, 0);
            let below = b.op(Op::FLt, &[x, limit]);
            b.when(below, |b, _| b.return_());
        }),
        "variables" => {
            let vars: Vec<Value> = (0..2000).map(|_| b.var(types.vec4, None)).collect();
            for n in 0..8000 {
                let value = b.load(vars[n * 7 % 2000]);
                b.store(vars[n * 13 % 2000], value);
            }
            let value = b.load(vars[1999]);
            b.store(output, value);
        }
        _ => nest(&mut b, &types, 1000),
    }
    assert_eq!(b.finish().err().map(|mistake| mistake.message), None);
    enter(&mut module, main);
    bencher.with_inputs(|| module.clone()).bench_values(|mut module| {
        let _ = optimize(&mut module, "main", &mut Cx::default());
        module
    });
}

/// Branches within each other, each with stores to several variables.
fn nest(b: &mut Builder<'_>, types: &Names, depth: u32) {
    let vars: Vec<Value> = (0..4).map(|_| b.var(types.vec4, None)).collect();
    let input = b.global(types.input);
    let mut open = Vec::new();
    for n in 0..depth {
        let (x, limit) = (b.load(input), b.f32(n as f32));
        b.store(vars[n as usize % 4], x);
        let x = b.extract(x, 0);
        let below = b.op(Op::FLt, &[x, limit]);
        open.push(b.begin(Op::If, &[below], &[], 2));
        b.enter(0);
    }
    while let Some(at) = open.pop() {
        b.exit(at, &[]);
        b.enter(1);
        b.exit(at, &[]);
        b.leave();
    }
    let (output, value) = (b.global(types.output), b.load(vars[0]));
    b.store(output, value);
}

/// Each pass on what the passes to values leave; those themselves on what comes before them.
#[divan::bench(args = PASSES.iter().map(|pass| pass.name))]
fn pass(bencher: Bencher<'_, '_>, name: &str) {
    let mut module = shader(SIZE);
    let f = module.entries[0].function;
    for pass in TO_VALUES.iter().take_while(|pass| pass.name != name) {
        let _ = Cx::default().run(pass, &mut module, f);
    }
    let Some(pass) = PASSES.iter().find(|pass| pass.name == name) else { return };
    bencher.with_inputs(|| module.clone()).bench_values(|mut module| {
        let _ = Cx::default().run(pass, &mut module, f);
        module
    });
}

/// A vertex shader of about so many instructions.
fn shader(size: u32) -> Module {
    let mut module = Module::default();
    let types = Names::new(&mut module);
    let shade = shade(&mut module, &types);
    let main = module.declare("main", &[], types.void);
    let mut b = Builder::at(&mut module, main);
    let light = b.var(types.light, None);
    let sum = b.var(types.vec4, None);
    let zero = b.zero(types.vec4);
    b.store(sum, zero);
    let mut n = 0;
    while stats(b.function()).instructions < size {
        step(&mut b, &types, light, sum, n);
        let (place, state) = (b.member(light, 0), b.load(sum));
        let position = b.load(place);
        if let Some(shaded) = b.call(shade, &[position, state]) {
            b.store(sum, shaded);
        }
        n += 1;
    }
    let (out, all) = (b.global(types.output), b.load(sum));
    b.store(out, all);
    let built = b.finish();
    assert!(built.is_ok(), "{built:?}");
    enter(&mut module, main);
    module
}

fn enter(module: &mut Module, main: FunctionRef) {
    module.entries.push(EntryPoint {
        name: "main".into(),
        stage: Stage::Vertex,
        function: main,
        interface: Vec::new(),
        workgroup: [1; 3],
        modes: Vec::new(),
    });
    assert_eq!(chiaro_ir::verify(module), Ok(()));
}

struct Names {
    void: Ty,
    f32: Ty,
    vec4: Ty,
    light: Ty,
    uniform: GlobalRef,
    input: GlobalRef,
    output: GlobalRef,
}

impl Names {
    fn new(module: &mut Module) -> Names {
        let types = &mut module.types;
        let (void, f32) = (types.intern(Type::Void), types.intern(Type::Float(32)));
        let vec4 = types.vector(f32, 4);
        let matrix = types.intern(Type::Array(vec4, 4, 16));
        let member = |ty: Ty, offset: Option<u32>| Member { ty, name: String::new(), offset };
        let members = vec![member(vec4, None), member(matrix, None), member(f32, None)];
        let light = types.intern(Type::Struct("Light".into(), members));
        let matrices = types.intern(Type::Array(matrix, 16, 64));
        let block = types.intern(Type::Struct("Block".into(), vec![member(matrices, Some(0))]));
        let uniform = add(module, Space::Uniform, block);
        let input = add(module, Space::Input, vec4);
        let output = add(module, Space::Output, vec4);
        Names { void, f32, vec4, light, uniform, input, output }
    }
}

fn add(module: &mut Module, space: Space, ty: Ty) -> GlobalRef {
    let binding = Binding { location: Some(0), ..Binding::default() };
    module.globals.push(Global {
        name: format!("{}_{}", space.name(), module.globals.len()),
        space,
        ty,
        init: None,
        binding,
        members: Vec::new(),
        coherent: false,
        read_only: space == Space::Uniform,
        span: None,
    });
    GlobalRef(module.globals.len() as u32 - 1)
}

/// A function with an early return.
fn shade(module: &mut Module, types: &Names) -> FunctionRef {
    let f = module.declare("shade", &[types.vec4, types.vec4], types.vec4);
    let mut b = Builder::at(module, f);
    let (x, state) = (b.param(0), b.param(1));
    let (length, zero) = (b.op(Op::FDot, &[x, x]), b.f32(0.0));
    let dark = b.op(Op::FLe, &[length, zero]);
    b.when(dark, |b, _| b.return_value(state));
    let inverse = b.op(Op::FRsqrt, &[length]);
    let scale = b.splat(types.vec4, inverse);
    let unit = b.op(Op::FMul, &[x, scale]);
    let sum = b.op(Op::FAdd, &[state, unit]);
    b.return_value(sum);
    let built = b.finish();
    assert!(built.is_ok(), "{built:?}");
    f
}

/// Some statements: a matrix times a vector, a branch, now and then a loop.
fn step(b: &mut Builder<'_>, types: &Names, light: Value, sum: Value, n: u32) {
    let (uniform, input) = (b.global(types.uniform), b.global(types.input));
    let (zero, which) = (b.u32(0), b.u32(n % 16));
    let source = b.access(uniform, &[zero, which]);
    let (matrix, to) = (b.load(source), b.member(light, 1));
    b.store(to, matrix);
    let vector = b.load(input);
    let mut product = b.zero(types.vec4);
    for i in 0..4 {
        let one = b.u32(1);
        let index = b.u32(i);
        let column = b.access(light, &[one, index]);
        let (column, component) = (b.load(column), b.extract(vector, i));
        let splat = b.splat(types.vec4, component);
        let scaled = b.op(Op::FMul, &[column, splat]);
        product = b.op(Op::FAdd, &[product, scaled]);
    }
    let place = b.member(light, 0);
    b.store(place, product);
    let (first, limit) = (b.extract(product, 0), b.f32(n as f32));
    let below = b.op(Op::FLt, &[first, limit]);
    let strength = b.member(light, 2);
    b.if_else(below, |b, _| b.store(strength, limit), |b, _| b.store(strength, first));
    let component = b.member(sum, n % 4);
    let (old, add) = (b.load(component), b.load(strength));
    let new = b.op(Op::FAdd, &[old, add]);
    b.store(component, new);
    if n.is_multiple_of(16) {
        rounds(b, types, component);
    }
}

/// A loop of as many rounds as the input says.
fn rounds(b: &mut Builder<'_>, types: &Names, place: Value) {
    let input = b.global(types.input);
    let first = b.member(input, 0);
    let (count, zero) = (b.load(first), b.f32(0.0));
    let body = |b: &mut Builder<'_>, at: Inst, params: &[Value]| {
        let more = b.op(Op::FLt, &[params[0], count]);
        b.if_else(more, |_, _| {}, |b, _| b.exit(at, &[]));
        let (old, half) = (b.load(place), b.f32(0.5));
        let new = b.op(Op::FMul, &[old, half]);
        b.store(place, new);
        b.continue_(at, &[params[0]]);
    };
    let next = |b: &mut Builder<'_>, at: Inst, params: &[Value]| {
        let one = b.f32(1.0);
        let sum = b.op(Op::FAdd, &[params[0], one]);
        b.repeat(at, &[sum]);
    };
    b.loop_(&[zero], &[], &[types.f32], body, next);
}
