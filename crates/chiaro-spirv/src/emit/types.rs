//! Types and constants.

use chiaro_ir::{Constant, ConstantKind, Module, Space, Ty, Type};
use chiaro_words::write::Id;
use spirv::{Decoration, Op, StorageClass};

use super::{Emitter, Unwritten};

/// What is declared already.
pub(super) struct Types {
    types: Ids,
    constants: Ids,
}

impl Types {
    /// Of a module nothing yet.
    pub(super) fn of(module: &Module) -> Types {
        let none = |count: usize| Ids(vec![0; count]);
        Types { types: none(module.types.len()), constants: none(module.constants.len()) }
    }
}

/// Ids by number; 0 stands for none.
struct Ids(Vec<Id>);

impl Ids {
    fn get(&self, n: u32) -> Option<Id> {
        self.0.get(n as usize).copied().filter(|&id| id != 0)
    }

    fn set(&mut self, n: u32, id: Id) {
        self.0[n as usize] = id;
    }
}

/// The class of a space.
pub(super) fn class(space: Space) -> Result<StorageClass, Unwritten> {
    Ok(match space {
        Space::Function => StorageClass::Function,
        Space::Private => StorageClass::Private,
        Space::Workgroup => StorageClass::Workgroup,
        Space::Input => StorageClass::Input,
        Space::Output => StorageClass::Output,
        Space::UniformConstant => StorageClass::UniformConstant,
        Space::Uniform => StorageClass::Uniform,
        Space::Storage => StorageClass::StorageBuffer,
        Space::PushConstant => StorageClass::PushConstant,
        other => return Err(Unwritten(format!("a variable in space `{}`", other.name()))),
    })
}

impl Emitter<'_> {
    /// The id of a type. Types are nested no deeper than sources that fit memory.
    #[inline]
    pub(super) fn ty(&mut self, ty: Ty) -> Result<Id, Unwritten> {
        match self.types.types.get(ty.0) {
            Some(known) => Ok(known),
            None => self.new_ty(ty),
        }
    }

    fn new_ty(&mut self, ty: Ty) -> Result<Id, Unwritten> {
        let module = self.module;
        let id = match module.types.get(ty) {
            Type::Void => self.b.ty(Op::TypeVoid, &[]),
            Type::Bool => self.b.ty(Op::TypeBool, &[]),
            Type::Int(32) => self.b.ty(Op::TypeInt, &[32, 0]),
            Type::Float(32) => self.b.ty(Op::TypeFloat, &[32]),
            Type::Vector(elem, n) => {
                let elem = self.ty(*elem)?;
                self.b.ty(Op::TypeVector, &[elem, u32::from(*n)])
            }
            Type::Array(elem, n, stride) => {
                let (elem, n) = (self.ty(*elem)?, self.b.uint(*n));
                let id = self.b.distinct(Op::TypeArray, &[elem, n]);
                if *stride > 0 {
                    self.b.decorate(id, Decoration::ArrayStride, &[*stride]);
                }
                id
            }
            Type::RuntimeArray(elem, stride) => {
                let elem = self.ty(*elem)?;
                let id = self.b.distinct(Op::TypeRuntimeArray, &[elem]);
                self.b.decorate(id, Decoration::ArrayStride, &[*stride]);
                id
            }
            Type::Struct(name, members) => {
                let types = members.iter().map(|member| self.ty(member.ty)).collect::<Result<Vec<_>, _>>()?;
                let id = self.b.distinct(Op::TypeStruct, &types);
                self.b.name(id, name);
                for (n, member) in (0..).zip(members) {
                    self.b.member_name(id, n, &member.name);
                    if let Some(offset) = member.offset {
                        self.b.decorate_member(id, n, Decoration::Offset, &[offset]);
                    }
                }
                id
            }
            Type::Pointer(space, to) => {
                let (class, to) = (class(*space)?, self.ty(*to)?);
                self.b.pointer(class, to)
            }
            other => return Err(Unwritten(format!("the type `{other:?}`"))),
        };
        self.types.types.set(ty.0, id);
        Ok(id)
    }

    /// The id of a constant.
    pub(super) fn constant(&mut self, c: Constant) -> Result<Id, Unwritten> {
        if let Some(known) = self.types.constants.get(c.0) {
            return Ok(known);
        }
        let module = self.module;
        let ty = module.constants.ty(c);
        let kind = module.constants.get(c);
        if let ConstantKind::Global(global) = kind {
            return Ok(self.globals[global.0 as usize]);
        }
        let of = self.ty(ty)?;
        let id = match kind {
            ConstantKind::Scalar(bits) if module.types.is_bool(ty) => {
                let op = if bits & 1 == 1 { Op::ConstantTrue } else { Op::ConstantFalse };
                self.b.constant(op, of, &[])
            }
            ConstantKind::Scalar(bits) => self.b.constant(Op::Constant, of, &[*bits as u32]),
            ConstantKind::Composite(parts) => {
                let parts = parts.iter().map(|&part| self.constant(part)).collect::<Result<Vec<_>, _>>()?;
                self.b.constant(Op::ConstantComposite, of, &parts)
            }
            ConstantKind::Zero => self.b.constant(Op::ConstantNull, of, &[]),
            // Any value will do, and this one is always the same.
            ConstantKind::Undef => self.b.constant(Op::ConstantNull, of, &[]),
            other => return Err(Unwritten(format!("the constant `{other:?}`"))),
        };
        self.types.constants.set(c.0, id);
        Ok(id)
    }
}
