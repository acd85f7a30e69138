//! Finds uniform expressions: values made of uniforms and constants alone, the same for a draw.
//!
//! A target may compute them once, in a preamble or on the host, and hand them to the shader as
//! one more uniform; passes regroup sums so that they meet.

use crate::motion::{cost, is_fixed_load};
use chiaro_ir::{Def, Effect, Function, FunctionRef, Inst, Module, Op, Space, Ty, Value, Walk};

/// An expression of uniforms that something else uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UniformExpression {
    /// Its value.
    pub value: Value,
    /// Its type.
    pub ty: Ty,
    /// What computing it costs, in instructions that are not free on most targets; shared parts
    /// count once for each expression.
    pub cost: u32,
    /// How often what is no such expression uses it.
    pub uses: u32,
}

/// The values that are made of uniforms and constants alone, by number; none of them is a
/// parameter.
pub(crate) struct Uniforms {
    list: Vec<bool>,
}

impl Uniforms {
    /// Nothing but constants so far.
    pub(crate) fn start(f: &Function) -> Uniforms {
        let constant = |v: u32| matches!(f.def(Value(v)), Def::Constant(_));
        Uniforms { list: (0..f.value_count() as u32).map(constant).collect() }
    }

    pub(crate) fn get(&self, v: Value) -> bool {
        self.list.get(v.0 as usize).copied().unwrap_or(false)
    }

    /// Notes an instruction whose operands are noted.
    pub(crate) fn note(&mut self, module: &Module, f: &Function, inst: Inst) {
        let fixed = match f.op(inst) {
            Op::Load => is_uniform_load(module, f, inst),
            op => op.effect() == Effect::Pure,
        };
        if fixed && f.args(inst).iter().all(|&arg| self.get(arg) || is_constant(f, arg)) {
            f.results(inst).for_each(|v| self.set(v));
        }
    }

    fn set(&mut self, v: Value) {
        let at = v.0 as usize;
        if at >= self.list.len() {
            self.list.resize(at + 1, false);
        }
        self.list[at] = true;
    }
}

fn is_constant(f: &Function, v: Value) -> bool {
    matches!(f.def(v), Def::Constant(_))
}

fn is_uniform_load(module: &Module, f: &Function, inst: Inst) -> bool {
    let space = f.args(inst).first().and_then(|&place| module.types.pointee(f.ty(place)));
    let uniform = |space| matches!(space, Space::Uniform | Space::UniformConstant | Space::PushConstant);
    space.is_some_and(|(space, _)| uniform(space)) && is_fixed_load(module, f, inst)
}

/// The largest expressions of uniforms in a function, in the order of the text: scalars and
/// vectors that cost something and are not constant.
pub fn uniform_expressions(module: &Module, f: FunctionRef) -> Vec<UniformExpression> {
    let Some(f) = module.functions.get(f.0 as usize) else { return Vec::new() };
    let mut uniforms = Uniforms::start(f);
    let mut costs = vec![0u32; f.value_count()];
    let mut uses = vec![0u32; f.value_count()];
    let mut order = Vec::new();
    for inst in Walk::insts(f) {
        uniforms.note(module, f, inst);
        let inside = f.result_of(inst).filter(|&v| uniforms.get(v));
        match inside {
            Some(v) => {
                let parts = f.args(inst).iter().map(|arg| costs[arg.0 as usize]);
                let own = if f.op(inst) == Op::Load { 0 } else { cost(f.op(inst)) };
                costs[v.0 as usize] = parts.fold(own, u32::saturating_add);
                order.push(v);
            }
            None => f.args(inst).iter().for_each(|arg| uses[arg.0 as usize] += 1),
        }
    }
    let expression = |v: &Value| {
        let (ty, cost, uses) = (f.ty(*v), costs[v.0 as usize], uses[v.0 as usize]);
        let plain = module.types.components(ty) > 0;
        (plain && cost > 0 && uses > 0).then_some(UniformExpression { value: *v, ty, cost, uses })
    };
    order.iter().filter_map(expression).collect()
}
