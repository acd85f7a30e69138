//! Constants, interned: equal constants have equal handles within a module.

use crate::id::{FunctionRef, GlobalRef};
use crate::index::Interned;
use crate::ty::Ty;

/// A constant of a [`Module`](crate::Module).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Constant(pub u32);

/// What a constant is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstantKind {
    /// The bits of a scalar, zero above its width; bools are 0 and 1.
    Scalar(u64),
    /// The parts of a composite.
    Composite(Vec<Constant>),
    /// All bits zero, of any type that has a value.
    Zero,
    /// One arbitrary value, the same throughout an execution.
    Undef,
    /// The place of a global variable.
    Global(GlobalRef),
    /// A function; of a type of integers the number that stands for it in memory, which is not 0.
    Function(FunctionRef),
    /// A value that is chosen when the shader is compiled: its number in the module.
    Spec(u32),
}

/// All constants of a module.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    list: Interned<(Ty, ConstantKind)>,
}

impl Constants {
    /// The handle of a constant.
    pub fn intern(&mut self, ty: Ty, kind: ConstantKind) -> Constant {
        Constant(self.list.intern((ty, kind)))
    }

    /// Gives the place of a variable another type, since the variable has one.
    pub fn retype(&mut self, global: GlobalRef, ty: Ty) {
        let kind = ConstantKind::Global(global);
        self.list.change(|entry| entry.1 == kind && std::mem::replace(&mut entry.0, ty) != ty);
    }

    /// What a constant is.
    pub fn get(&self, c: Constant) -> &ConstantKind {
        &self.list[c.0 as usize].1
    }

    /// Its type.
    pub fn ty(&self, c: Constant) -> Ty {
        self.list[c.0 as usize].0
    }

    /// How many there are; handles are below it.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The bits of a scalar constant, zero included.
    pub fn bits(&self, c: Constant) -> Option<u64> {
        match self.get(c) {
            ConstantKind::Scalar(bits) => Some(*bits),
            ConstantKind::Zero => Some(0),
            _ => None,
        }
    }
}
