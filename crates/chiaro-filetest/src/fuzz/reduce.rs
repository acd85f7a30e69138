//! Making a failing shader small: results are replaced by simpler values, one by one, as long
//! as it fails all the same.

use chiaro_ir::{Constant, ConstantKind, Def, Effect, Function, FunctionRef, Inst, Module, Op, Value, Walk};
use chiaro_opt::{Cx, dce};

/// Attempts that a reduction may take.
const ATTEMPTS: usize = 1500;

/// A module that is smaller, and fails.
pub(super) fn reduce(module: &Module, fails: impl Fn(&Module) -> bool) -> Module {
    let mut best = module.clone();
    let mut attempts = 0;
    loop {
        let before = size(&best);
        // The last ones first: what they alone use goes with them.
        let mut at = candidates(&best).len();
        while at > 0 && attempts < ATTEMPTS {
            at -= 1;
            let Some(&inst) = candidates(&best).get(at) else { continue };
            for replacement in 0..4 {
                attempts += 1;
                if let Some(smaller) = without(&best, inst, replacement)
                    && size(&smaller) < size(&best)
                    && fails(&smaller)
                {
                    best = smaller;
                    break;
                }
            }
        }
        if size(&best) == before || attempts >= ATTEMPTS {
            return best;
        }
    }
}

fn size(module: &Module) -> usize {
    module.functions.iter().map(|f| candidates_of(f).len()).sum()
}

fn candidates(module: &Module) -> Vec<Inst> {
    module.functions.first().map(candidates_of).unwrap_or_default()
}

/// Instructions that can be replaced or dropped.
fn candidates_of(f: &Function) -> Vec<Inst> {
    Walk::insts(f).filter(|&inst| !f.op(inst).is_exit() && !matches!(f.op(inst), Op::Var(_))).collect()
}

/// The module with an instruction's results replaced: by an operand, by zero, or by one.
fn without(module: &Module, inst: Inst, replacement: usize) -> Option<Module> {
    let mut smaller = module.clone();
    let f = smaller.functions.first()?;
    let results: Vec<Value> = f.results(inst).collect();
    if results.is_empty() {
        return (replacement == 0 && f.op(inst).effect() == Effect::Write)
            .then(|| dropped(smaller, inst))
            .flatten();
    }
    let mut pairs = Vec::new();
    for result in results {
        let f = smaller.functions.first()?;
        let ty = f.ty(result);
        let operands: Vec<Value> = f.args(inst).iter().copied().filter(|&v| f.ty(v) == ty).collect();
        let new = match replacement {
            0 | 1 => *operands.get(replacement)?,
            _ => {
                if smaller.types.components(ty) == 0 {
                    return None;
                }
                let c = number(&mut smaller, ty, replacement == 3)?;
                smaller.functions.first_mut()?.constant(c, ty)
            }
        };
        pairs.push((result, new));
    }
    let f = smaller.functions.first_mut()?;
    if f.op(inst).is_construct() {
        // Its blocks go with it.
        return drop_construct(smaller, inst, &pairs);
    }
    replace(f, &pairs);
    cleaned(smaller)
}

fn number(module: &mut Module, ty: chiaro_ir::Ty, one: bool) -> Option<Constant> {
    let scalar = module.types.scalar(ty);
    let n = module.types.components(ty);
    let bits = match (one, module.types.is_float(ty)) {
        (false, _) => 0,
        (true, true) => u64::from(1.0_f32.to_bits()),
        (true, false) => 1,
    };
    let c = module.constants.intern(scalar, ConstantKind::Scalar(bits));
    let all = ConstantKind::Composite(vec![c; usize::from(n)]);
    Some(if n > 1 { module.constants.intern(ty, all) } else { c })
}

fn replace(f: &mut Function, pairs: &[(Value, Value)]) {
    for inst in (0..f.inst_count() as u32).map(Inst) {
        for arg in f.args_mut(inst) {
            if let Some(&(_, new)) = pairs.iter().find(|(old, _)| old == arg) {
                *arg = new;
            }
        }
    }
}

fn home(f: &Function, inst: Inst) -> Option<chiaro_ir::Block> {
    let blocks = f.tree().into_iter().map(|(_, block)| block);
    blocks.into_iter().find(|&block| f.block(block).insts.contains(&inst))
}

fn dropped(mut module: Module, inst: Inst) -> Option<Module> {
    let f = module.functions.first_mut()?;
    let block = home(f, inst)?;
    f.block_mut(block).insts.retain(|&other| other != inst);
    cleaned(module)
}

/// A construct without its blocks: nothing may leave it for elsewhere.
fn drop_construct(mut module: Module, inst: Inst, pairs: &[(Value, Value)]) -> Option<Module> {
    let f = module.functions.first_mut()?;
    let inside = |v: Value| match f.def(v) {
        Def::Result(made, _) => home(f, made) != home(f, inst) && home(f, made).is_none(),
        _ => false,
    };
    if pairs.iter().any(|&(_, new)| inside(new)) {
        return None;
    }
    replace(f, pairs);
    dropped(module, inst)
}

fn cleaned(mut module: Module) -> Option<Module> {
    let _ = dce(&mut module, FunctionRef(0), &mut Cx::default());
    chiaro_ir::verify(&module).is_ok().then_some(module)
}

#[cfg(test)]
mod tests {
    use chiaro_diag::FileId;

    use super::*;

    /// What fails for a quotient keeps the quotient and who stores it: other stores and constructs go, sources become
    /// simple.
    #[test]
    fn what_has_no_part_in_a_failure_goes() {
        let text = "global @o: output f32 location(0)
global @p: output f32 location(1)
global @a: input f32 location(0)
entry vertex \"main\" = @f
fn @f() {
  %0: f32 = load @a
  %1: f32 = fadd %0, 2.0
  %2: f32 = fmul %1, %0
  store @p, %2
  %3: bool = flt %0, 1.0
  if %3 {
    store @p, %1
    exit
  } else {
    exit
  }
  %4: f32 = fdiv %2, %1
  store @o, %4
  return
}
";
        let module = chiaro_ir::parse(text, FileId(0)).expect("IR");
        let small = reduce(&module, |module| chiaro_ir::print(module).contains("fdiv"));
        let left: Vec<Op> = candidates(&small).iter().map(|&inst| small.functions[0].op(inst)).collect();
        assert_eq!(left, [Op::FDiv, Op::Store], "{}", chiaro_ir::print(&small));
    }
}
