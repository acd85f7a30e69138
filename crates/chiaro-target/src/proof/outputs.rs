//! The outputs of a shader, float by float.

use std::collections::HashSet;

use chiaro_ir::interp::{Exact, Interpreter};
use chiaro_ir::sample::{floats, parts};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Op, Space, Step, Ty, Walk};

/// SPIR-V's number of the built-in that is the mask of a fragment's samples.
const SAMPLE_MASK: u32 = 20;

/// A module with the entry point that was compiled.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The module.
    pub module: &'a Module,
    /// The entry point.
    pub entry: &'a EntryPoint,
}

/// A float of an output variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Float {
    /// The variable.
    pub variable: GlobalRef,
    /// Where it lies in the variable, in bytes.
    pub offset: usize,
    /// The members and elements that lead to its scalar or vector.
    pub path: Vec<u32>,
    /// Which component of the vector it is.
    pub component: usize,
    /// Its number among the floats of the variable, for messages.
    pub number: usize,
}

impl Program<'_> {
    /// Every float of every output, in the order of the variables and of memory.
    #[must_use]
    pub fn outputs(&self) -> Vec<Float> {
        let module = self.module;
        let layout = Interpreter::with(module, self.entry, Exact);
        let variables = module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Output);
        let mut all = Vec::new();
        for (i, global) in variables {
            for (number, offset) in floats(module, &layout, global.ty).into_iter().enumerate() {
                let (path, start) = path_to(module, &layout, global.ty, offset);
                let component = ((offset - start) / 4).min(3);
                all.push(Float { variable: GlobalRef(i as u32), offset, path, component, number });
            }
        }
        all
    }

    /// The mask of a fragment's samples, if it has one: a whole number, which is compared as such.
    #[must_use]
    pub fn mask(&self) -> Option<Float> {
        let is_mask = |n: &usize| is_mask(self.module, GlobalRef(*n as u32));
        let variable = GlobalRef((0..self.module.globals.len()).find(is_mask)? as u32);
        Some(Float { variable, offset: 0, path: vec![0], component: 0, number: 0 })
    }

    /// The outputs that some path of the entry point writes; the others have no value.
    #[must_use]
    pub fn written(&self) -> HashSet<GlobalRef> {
        let f = self.module.function(self.entry.function);
        let stores = Walk::new(f).filter_map(|step| match step {
            Step::Inst(inst) if f.op(inst) == Op::Store => f.args(inst).first().copied(),
            _ => None,
        });
        stores.filter_map(|pointer| self.module.variable_of(f, pointer)).collect()
    }

    /// What a variable is called.
    pub(super) fn name(&self, variable: GlobalRef) -> String {
        self.module.global(variable).name.clone()
    }
}

/// Whether a variable is the mask of a fragment's samples.
pub(super) fn is_mask(module: &Module, variable: GlobalRef) -> bool {
    let global = module.global(variable);
    global.space == Space::Output && global.binding.builtin == Some(SAMPLE_MASK)
}

/// The parts that lead to the scalar or vector at an offset, and where that begins.
fn path_to(module: &Module, layout: &Interpreter<'_, Exact>, ty: Ty, offset: usize) -> (Vec<u32>, usize) {
    let (mut ty, mut start, mut path) = (ty, 0, Vec::new());
    while module.types.components(ty) == 0 {
        let before = |(_, (_, at)): &(u32, (Ty, usize))| start + at <= offset;
        let part = (0..).zip(parts(module, layout, ty)).filter(before).max_by_key(|(_, (_, at))| *at);
        let Some((i, (part, at))) = part else { break };
        (ty, start) = (part, start + at);
        path.push(i);
    }
    (path, start)
}
