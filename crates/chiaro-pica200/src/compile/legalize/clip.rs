//! Conversion of clip coordinates from other conventions, where the user asks for it.
//!
//! The machine clips depth from -w to 0; OpenGL's goes
//! from -w to w, Vulkan's and WGSL's from 0 to w. x and y have the machine's range already,
//! and which way is up is the application's matrix to say. spec section 23.
//!
//! ```text
//! store @position, %v    ->    %z = (v.z - v.w) / 2 or v.z - v.w; store @position, v with z
//! ```

use chiaro_diag::Diagnostic;
use chiaro_ir::{Block, Def, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Type, Value};

pub use chiaro_target::Clip;

/// SPIR-V's number of the built-in position.
const POSITION: u32 = 0;

/// Converts what an optimised vertex shader stores as its position.
///
/// # Errors
/// A position that is written component by component where it could not be put together.
pub(crate) fn convert(module: &mut Module, f: FunctionRef, from: Clip) -> Result<(), Box<Diagnostic>> {
    let is_position = |g: GlobalRef, module: &Module| {
        let global = module.global(g);
        global.space == Space::Output && global.binding.builtin == Some(POSITION)
    };
    let f32 = module.types.intern(Type::Float(32));
    let half = module.scalar(f32, u64::from(0.5_f32.to_bits()));
    let mut stores = Vec::new();
    for (_, block) in module.function(f).tree() {
        for &inst in &module.function(f).block(block).insts {
            let Some(root) = stored(module, module.function(f), inst) else { continue };
            match root {
                Stored::Whole(g) if is_position(g, module) => stores.push((block, inst)),
                Stored::Part(g) if is_position(g, module) => {
                    let span = module.function(f).inst(inst).span;
                    let message =
                        "the position is written one component at a time, which `--clip` cannot convert";
                    return Err(Box::new(Diagnostic::error(span, message).help("write it as one vec4")));
                }
                _ => {}
            }
        }
    }
    let function = module.function_mut(f);
    let half = function.constant(half, f32);
    for (block, inst) in stores {
        rewrite(function, block, inst, from, half);
    }
    Ok(())
}

/// What an instruction stores to.
enum Stored {
    Whole(GlobalRef),
    Part(GlobalRef),
}

fn stored(module: &Module, f: &Function, inst: Inst) -> Option<Stored> {
    if f.op(inst) != Op::Store {
        return None;
    }
    let pointer = f.args(inst)[0];
    let g = module.variable_of(f, pointer)?;
    let is_whole = matches!(f.def(pointer), Def::Constant(_));
    Some(if is_whole { Stored::Whole(g) } else { Stored::Part(g) })
}

fn rewrite(f: &mut Function, block: Block, inst: Inst, from: Clip, half: Value) {
    let [pointer, value] = [f.args(inst)[0], f.args(inst)[1]];
    let (vector, float) = (f.ty(value), f.ty(half));
    let mut make = |op, args: &[Value], ty| {
        let made = f.insert_before(block, inst, op, args, &[ty]);
        f.result(made, 0).unwrap_or(value)
    };
    let (z, w) = (make(Op::Extract(2), &[value], float), make(Op::Extract(3), &[value], float));
    let mut depth = make(Op::FSub, &[z, w], float);
    if from == Clip::Gl {
        depth = make(Op::FMul, &[depth, half], float);
    }
    let converted = make(Op::Insert(2), &[value, depth], vector);
    f.set_args(inst, &[pointer, converted]);
}
