//! Pointers to functions in GLSL, which has none: calls of `at_f` become the address of `f`, those
//! of `again_f` in it too, calls of `through_..` calls
//! of what their first argument points to.

use chiaro_ir::{Block, ConstantKind, FunctionRef, Inst, Module, Op, Ty, Type};

/// What comes before functions of such programs.
pub(crate) const HEAD: &str = "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";

/// Functions that give the addresses of others, which are listed with arguments that they take: `f(1u) g(2u, 3u)`.
pub(crate) fn addresses(calls: &[&str]) -> String {
    let one = |call: &&str| {
        let name = call.split('(').next().unwrap_or_default();
        format!("uint64_t at_{name}() {{ return uint64_t({call}); }}\n")
    };
    calls.iter().map(one).collect()
}

/// The name of a function without the types of its parameters.
pub(crate) fn plain(name: &str) -> String {
    name.split('(').next().unwrap_or_default().to_owned()
}

/// Makes addresses and calls through pointers of what only stands for them.
pub(crate) fn lead(module: &mut Module) {
    let names: Vec<String> = module.functions.iter().map(|f| plain(&f.name)).collect();
    for caller in (0..module.functions.len() as u32).map(FunctionRef) {
        let tree = module.function(caller).tree();
        for block in tree.into_iter().map(|(_, block)| block) {
            for inst in module.function(caller).block(block).insts.clone() {
                let Op::Call(callee) = module.function(caller).op(inst) else { continue };
                let name = &names[callee.0 as usize];
                if let Some(wanted) = name.strip_prefix("at_").or(name.strip_prefix("again_")) {
                    let to = names.iter().position(|name| name == wanted).expect("it is there");
                    address(module, (caller, inst), FunctionRef(to as u32));
                } else if name.starts_with("through_") {
                    through(module, (caller, block, inst), callee);
                }
            }
        }
    }
    chiaro_ir::verify(module).expect("the module is sound");
}

/// The type of a function without its first parameter.
fn signature(module: &mut Module, f: FunctionRef) -> Ty {
    let function = module.function(f);
    let params = function.params.iter().skip(1).map(|&param| function.ty(param)).collect();
    let ty = Type::Function(params, function.result);
    module.types.intern(ty)
}

fn address(module: &mut Module, (caller, inst): (FunctionRef, Inst), to: FunctionRef) {
    let ty = module.types.intern(Type::Int(64));
    let named = module.constants.intern(ty, ConstantKind::Function(to));
    let f = module.function_mut(caller);
    let named = f.constant(named, ty);
    f.replace(inst, Op::Bitcast, &[named]);
}

fn through(module: &mut Module, (caller, block, inst): (FunctionRef, Block, Inst), like: FunctionRef) {
    let ty = signature(module, like);
    let f = module.function_mut(caller);
    let args = f.args(inst).to_vec();
    let cast = f.make(Op::Bitcast, &args[..1], &[ty]);
    let pointer = f.result_of(cast).expect("it has one");
    let list = &mut f.block_mut(block).insts;
    let at = list.iter().position(|&other| other == inst).expect("it is there");
    list.insert(at, cast);
    let args: Vec<_> = [pointer].into_iter().chain(args[1..].iter().copied()).collect();
    f.inst_mut(inst).op = Op::CallIndirect;
    f.set_args(inst, &args);
}
