//! Where a pointer leads: a variable, and the indices from there on.

use crate::constant::ConstantKind;
use crate::function::{Def, Function};
use crate::id::{GlobalRef, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::ty::{Space, Ty};

/// The variable that a pointer leads into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Root {
    /// A variable of the module.
    Global(GlobalRef),
    /// A variable of the function, by the instruction that makes it.
    Var(Inst),
}

/// A step into a composite: its type, and the number of the part.
pub type PathStep = (Ty, Value);

/// Where a pointer leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The variable at its start.
    pub root: Root,
    /// The memory in which that is.
    pub space: Space,
    /// Types and indices from the variable on, the outermost first. Steps into a matrix or an array may be computed.
    pub steps: Vec<PathStep>,
}

impl Path {
    /// A variable as a whole.
    #[must_use]
    pub fn whole(root: Root, space: Space) -> Path {
        Path { root, space, steps: Vec::new() }
    }

    /// The way from a variable to a pointer; nothing where the pointer was computed, loaded or given.
    #[must_use]
    pub fn of(module: &Module, f: &Function, mut pointer: Value) -> Option<Path> {
        let (space, _) = module.types.pointee(f.ty(pointer))?;
        let mut parts: Vec<Vec<PathStep>> = Vec::new();
        let root = loop {
            match f.def(pointer) {
                Def::Constant(c) => match *module.constants.get(c) {
                    ConstantKind::Global(g) => break Root::Global(g),
                    _ => return None,
                },
                Def::Result(inst, _) => match f.op(inst) {
                    Op::Access => {
                        let (&base, indices) = f.args(inst).split_first()?;
                        parts.push(steps(module, f, base, indices)?);
                        pointer = base;
                    }
                    Op::Var(_) => break Root::Var(inst),
                    _ => return None,
                },
                _ => return None,
            }
        };
        Some(Path { root, space, steps: parts.into_iter().rev().flatten().collect() })
    }
}

/// The steps of one access.
fn steps(module: &Module, f: &Function, base: Value, indices: &[Value]) -> Option<Vec<PathStep>> {
    let types = &module.types;
    let (_, mut ty) = types.pointee(f.ty(base))?;
    let step = |&index: &Value| {
        let step = (ty, index);
        // All parts of what is indexed at run time are of one type.
        let n = module.value_bits(f, index).unwrap_or(0);
        ty = types.part(ty, n as u32).or(types.part(ty, 0))?;
        Some(step)
    };
    indices.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use chiaro_diag::FileId;

    use super::*;
    use crate::parse;

    const TEXT: &str = "
struct Light { color: vec3<f32> at 0, power: f32 at 12 }
struct Lights { all: array<Light, ?, stride 16> at 0 }
global @lights: storage Lights set(0) binding(0)
fn @f(%0: i32, %1: ptr<storage, Light>) {
  %2: ptr<storage, Light> = access @lights, 0, %0
  %3: ptr<storage, f32> = access %2, 0, 1
  %4: ptr<storage, f32> = access %1, 1
  return
}
";

    fn path(result: usize) -> Option<Path> {
        let module = parse(TEXT, FileId(0)).expect("text of the IR");
        let f = &module.functions[0];
        Path::of(&module, f, f.result_of(f.block(f.body).insts[result])?)
    }

    #[test]
    fn accesses_of_accesses_are_one_path() {
        let (light, power) = (path(0).expect("a path"), path(1).expect("a path"));
        assert_eq!((power.root, power.space), (Root::Global(GlobalRef(0)), Space::Storage));
        assert_eq!(light.steps, power.steps[..2]);
        assert_eq!(power.steps.len(), 4);
    }

    #[test]
    fn pointers_that_are_given_have_none() {
        assert_eq!(path(2), None);
    }
}
