//! Small modules for the tests of this folder, run as the IR means them and as the machine
//! computes.

use chiaro_ir::interp::{Attributes, Domain, Exact, Interpreter, NoImages};
use chiaro_ir::{
    Binding, Builder, EntryPoint, FunctionRef, Global, GlobalRef, Module, Op, Space, Stage, Ty, Type, Value,
};
use chiaro_opt::Cx;

use super::PASSES;
use crate::compile::legalize::float24::Float24;

/// A global of a vertex shader at a location.
pub(crate) fn global(module: &mut Module, name: &str, space: Space, ty: Ty, location: u32) -> GlobalRef {
    module.globals.push(Global {
        name: name.into(),
        space,
        ty,
        init: None,
        binding: Binding { location: Some(location), ..Binding::default() },
        members: Vec::new(),
        coherent: false,
        read_only: false,
        span: None,
    });
    GlobalRef(module.globals.len() as u32 - 1)
}

/// A vertex shader with so many float inputs and one float output that `body` computes.
pub(crate) fn shader(inputs: usize, body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value) -> Module {
    let mut module = Module::default();
    let (f32, void) = (module.types.intern(Type::Float(32)), module.types.intern(Type::Void));
    let names: Vec<String> = (0..inputs).map(|i| format!("in{i}")).collect();
    let globals: Vec<GlobalRef> = names
        .iter()
        .enumerate()
        .map(|(i, name)| global(&mut module, name, Space::Input, f32, i as u32))
        .collect();
    let out = global(&mut module, "out", Space::Output, f32, 0);
    let mut b = Builder::new(&mut module, "main", &[], void);
    let values: Vec<Value> = globals
        .iter()
        .map(|&g| {
            let pointer = b.global(g);
            b.load(pointer)
        })
        .collect();
    let result = body(&mut b, &values);
    let out = b.global(out);
    b.store(out, result);
    let function = b.finish().expect("the sample is sound");
    let interface = (0..module.globals.len() as u32).map(GlobalRef).collect();
    let (name, stage, workgroup) = ("main".into(), Stage::Vertex, [1, 1, 1]);
    module.entries.push(EntryPoint { name, stage, function, interface, workgroup, modes: Vec::new() });
    module
}

/// One float operation on the inputs.
pub(crate) fn unary_or_binary(op: Op, inputs: usize) -> Module {
    shader(inputs, |b, args| b.op(op, args))
}

/// The outputs of a module in a domain, in which floats are numbers.
pub(crate) fn outputs<D: Domain>(module: &Module, domain: D, rows: &[Vec<f32>]) -> Vec<f32> {
    let inputs = module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Input);
    let inputs: Attributes = inputs
        .enumerate()
        .map(|(k, (g, _))| {
            (GlobalRef(g as u32), rows.iter().map(|row| row[k].to_le_bytes().to_vec()).collect())
        })
        .collect();
    let mut run = Interpreter::with(module, &module.entries[0], domain);
    let (_, outputs) = run.run(rows.len(), &inputs, &mut NoImages).expect("the sample runs");
    let out = module.globals.iter().position(|g| g.space == Space::Output).expect("there is an output");
    let float = |bytes: &Vec<u8>| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    outputs[&GlobalRef(out as u32)].iter().map(float).collect()
}

/// A module made legal; what is left that is not is a failure.
pub(crate) fn legal(module: &Module) -> Module {
    let mut legal = module.clone();
    let mut cx = Cx::default();

    let _ = cx.run_all(PASSES, &mut legal, FunctionRef(0));
    assert_eq!(cx.breach, None, "{}", chiaro_ir::print(&legal));
    legal
}

/// What the source means exactly, and what its legal form gives on the machine.
pub(crate) fn run24(module: &Module, rows: &[Vec<f32>]) -> (Vec<f64>, Vec<f32>) {
    let source = outputs(module, Exact, rows).into_iter().map(f64::from).collect();
    (source, outputs(&legal(module), Float24::NEAREST, rows))
}
