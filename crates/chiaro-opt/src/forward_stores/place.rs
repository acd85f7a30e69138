//! Alias analysis: where pointers lead, and which of them may lead to the same place.

use chiaro_ir::{ConstantKind, Def, Function, Inst, Module, Op, Space, Ty, Type, Value, Walk};

/// How much others have to do with a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// A variable whose address stays in the function.
    Own,
    /// A variable of the invocation that other functions may know.
    Known,
    /// Memory that other invocations see.
    Shared,
}

impl Class {
    pub(super) const COUNT: usize = 3;
}

/// Memory that does not change while a shader runs.
pub(crate) fn is_constant_space(space: Space) -> bool {
    use Space::*;
    matches!(space, Input | UniformConstant | Uniform | PushConstant | ShaderRecord)
}

/// Where a pointer leads.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The memory: places of different keys never meet.
    pub(super) key: u32,
    pub(super) class: Class,
    /// The variable, or what else the path begins at.
    root: Value,
    /// Indices from there: numbers where they are known.
    path: Vec<Index>,
    /// Whether it lies in the variable, whatever the lanes computed.
    pub(super) is_inside: bool,
    /// Whether what it holds may be kept in a register.
    pub(super) may_be_kept: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Index {
    Known(u64),
    Computed(Value),
}

impl Place {
    /// Whether it is the very same place.
    pub(super) fn is_same(&self, other: &Place) -> bool {
        self.root == other.root && self.path == other.path
    }

    /// Whether the two may have a byte in common.
    pub(super) fn touches(&self, other: &Place) -> bool {
        if self.root != other.root {
            return self.key == other.key;
        }
        let differ = |pair: (&Index, &Index)| match pair {
            (Index::Known(a), Index::Known(b)) => a != b,
            _ => false,
        };
        self.key == other.key && !self.path.iter().zip(&other.path).any(differ)
    }
}

/// The variables of a function whose addresses are used for accesses only.
pub(super) struct Places {
    /// By value: whether it is a variable whose address goes elsewhere; nothing where there is none.
    escaped: Vec<bool>,
    /// The key of all memory that others see.
    shared: u32,
}

impl Places {
    pub(super) fn find(module: &Module, f: &Function) -> Places {
        let mut places = Places { escaped: Vec::new(), shared: f.value_count() as u32 };
        if !(0..f.inst_count() as u32).any(|n| matches!(f.op(Inst(n)), Op::Var(_))) {
            return places;
        }
        places.escaped = vec![false; f.value_count()];
        for inst in Walk::insts(f) {
            let op = f.op(inst);
            for (i, &arg) in f.args(inst).iter().enumerate() {
                let is_place = match op {
                    Op::Load | Op::Store | Op::Access => i == 0,
                    Op::Copy => true,
                    _ => op.effect() == chiaro_ir::Effect::Write && i == 0,
                };
                if !is_place && module.types.pointee(f.ty(arg)).is_some() {
                    let root = root(f, arg);
                    places.escaped[root.0 as usize] = true;
                }
            }
        }
        places
    }

    /// Where a pointer leads; `None` if it is not known.
    pub(super) fn of(&self, module: &Module, f: &Function, pointer: Value) -> Option<Place> {
        let (root, key, class, coherent) = self.memory(module, f, pointer)?;
        let path = path(module, f, pointer);
        let is_inside = is_inside(module, f, root, &path);
        Some(Place { key, class, root, path, is_inside, may_be_kept: !coherent })
    }

    /// The key of the memory that a pointer leads into; `None` if it is not known.
    pub(super) fn key(&self, module: &Module, f: &Function, pointer: Value) -> Option<u32> {
        self.memory(module, f, pointer).map(|(_, key, ..)| key)
    }

    /// What a pointer begins at, the key and the class of that memory, and whether it is coherent.
    fn memory(&self, module: &Module, f: &Function, pointer: Value) -> Option<(Value, u32, Class, bool)> {
        let (space, _) = module.types.pointee(f.ty(pointer))?;
        let root = root(f, pointer);
        let (class, coherent) = self.class(module, f, root, space)?;
        // Buffers may be bound to one memory, outputs and variables of the workgroup are not.
        let is_apart = class != Class::Shared || matches!(space, Space::Workgroup | Space::Output);
        Some((root, if is_apart { root.0 } else { self.shared }, class, coherent))
    }

    fn class(&self, module: &Module, f: &Function, root: Value, space: Space) -> Option<(Class, bool)> {
        match f.def(root) {
            Def::Constant(c) => {
                let ConstantKind::Global(g) = *module.constants.get(c) else { return None };
                let class = match space {
                    Space::Private => Class::Known,
                    _ => Class::Shared,
                };
                Some((class, module.global(g).coherent))
            }
            Def::Result(inst, _) if matches!(f.op(inst), Op::Var(_)) => {
                let escaped = self.escaped.get(root.0 as usize).copied().unwrap_or(true);
                Some((if escaped { Class::Known } else { Class::Own }, false))
            }
            _ => match space {
                Space::Storage | Space::Device => Some((Class::Shared, false)),
                _ => None,
            },
        }
    }
}

/// What a chain of accesses begins at.
fn root(f: &Function, mut pointer: Value) -> Value {
    while let Def::Result(inst, _) = f.def(pointer)
        && f.op(inst) == Op::Access
        && let Some(&before) = f.args(inst).first()
    {
        pointer = before;
    }
    pointer
}

fn path(module: &Module, f: &Function, mut pointer: Value) -> Vec<Index> {
    let mut path = Vec::new();
    while let Def::Result(inst, _) = f.def(pointer)
        && f.op(inst) == Op::Access
        && let Some((&before, indices)) = f.args(inst).split_first()
    {
        path.extend(indices.iter().rev().map(|&index| match module.value_bits(f, index) {
            Some(n) => Index::Known(n),
            None => Index::Computed(index),
        }));
        pointer = before;
    }
    path.reverse();
    path
}

/// Whether all indices are known and within what they index.
fn is_inside(module: &Module, f: &Function, root: Value, path: &[Index]) -> bool {
    let step = |ty: Option<Ty>, index: &Index| match (index, ty) {
        (Index::Known(n), Some(ty)) if !matches!(module.types.get(ty), Type::RuntimeArray(..)) => {
            let n = u32::try_from(*n).ok()?;
            module.types.part_count(ty).filter(|&count| n < count)?;
            module.types.part(ty, n)
        }
        _ => None,
    };
    let whole = module.types.pointee(f.ty(root)).map(|(_, ty)| ty);
    let is_variable = match f.def(root) {
        Def::Constant(_) => true,
        Def::Result(inst, _) => matches!(f.op(inst), Op::Var(_)),
        _ => false,
    };
    is_variable && path.iter().fold(whole, step).is_some()
}
