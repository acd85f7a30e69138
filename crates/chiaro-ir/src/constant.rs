//! Constants, interned: equal constants have equal handles within a module.

use crate::id::{FunctionRef, GlobalRef};
use crate::index::{Index, hash};
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
    list: Vec<(Ty, ConstantKind)>,
    known: Index,
}

impl Constants {
    /// The handle of a constant.
    pub fn intern(&mut self, ty: Ty, kind: ConstantKind) -> Constant {
        let (list, constant) = (&self.list, (ty, kind));
        let key = hash(&constant);
        if let Some(known) = self.known.find(key, |n| list[n as usize] == constant) {
            return Constant(known);
        }
        let number = list.len() as u32;
        self.known.add(key, number, |n| hash(&list[n as usize]));
        self.list.push(constant);
        Constant(number)
    }

    /// Gives the place of a variable another type, since the variable has one.
    pub fn retype(&mut self, global: GlobalRef, ty: Ty) {
        let kind = ConstantKind::Global(global);
        let mut has_changed = false;
        for entry in self.list.iter_mut().filter(|entry| entry.1 == kind && entry.0 != ty) {
            entry.0 = ty;
            has_changed = true;
        }
        if has_changed {
            self.known = Index::default();
            let list = &self.list;
            for (n, entry) in (0..).zip(list) {
                self.known.add(hash(entry), n, |n| hash(&list[n as usize]));
            }
        }
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
