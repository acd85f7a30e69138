//! Constants, and those that are chosen when the module is read.
//!
//! A specialisation constant gets its value here, from the options or from its default, and
//! what follows from it (sizes of arrays and workgroups among it) is folded. The module's
//! table of [`Spec`]s tells which ones there are and what they have become.

use crate::error::{Res, fail};
use crate::fold;
use crate::ids::Id;
use crate::reader::Reader;
use crate::type_info::{Kind, TypeId};
use crate::words::Inst;
use crate::{SpecKey, SpecValue};
use chiaro_ir::{Constant, ConstantKind, FunctionRef, Spec, Ty, Type};
use spirv::{Decoration, Op};

impl Reader<'_> {
    /// Takes an instruction that declares a constant.
    pub(crate) fn declare_constant(&mut self, inst: &Inst<'_>, op: Op) -> Res<()> {
        let (ty, id) = (self.type_of_id(inst.word(0)?)?, inst.word(1)?);
        let c = match op {
            Op::ConstantTrue => self.scalar(ty, 1)?,
            Op::ConstantFalse => self.scalar(ty, 0)?,
            Op::Constant => self.scalar(ty, literal(inst.rest(2)))?,
            Op::ConstantNull => self.zero(ty),
            Op::ConstantComposite | Op::SpecConstantComposite => self.composite_constant(ty, inst.rest(2))?,
            Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT => {
                self.replicated(ty, inst)?
            }
            Op::SpecConstantTrue => self.choose(ty, id, 1)?,
            Op::SpecConstantFalse => self.choose(ty, id, 0)?,
            Op::SpecConstant => self.choose(ty, id, literal(inst.rest(2)))?,
            Op::SpecConstantOp => fold::operation(self, ty, inst)?,
            Op::ConstantFunctionPointerINTEL => self.function_pointer(ty, inst.word(2)?)?,
            _ => return fail(format!("Op{op:?} is not supported")),
        };
        const WORKGROUP_SIZE: u32 = spirv::BuiltIn::WorkgroupSize as u32;
        if self.notes.value(self.words.all, id, Decoration::BuiltIn) == Some(WORKGROUP_SIZE) {
            self.workgroup = Some(c);
        }
        self.define(id, Id::Constant(c, ty))
    }

    /// The handle of a function, which may come later in the module.
    fn function_pointer(&mut self, ty: TypeId, function: u32) -> Res<Constant> {
        let Kind::Code(signature) = self.info(ty).kind else {
            return fail("a function pointer has a type of pointers into the code section");
        };
        let mut number = None;
        for (n, &at) in (0..).zip(&self.starts) {
            let Some(inst) = self.words.from(at).step()? else { continue };
            if inst.word(1)? == function {
                let has = (self.type_of_id(inst.word(3)?)?, self.type_of_id(signature)?);
                if self.info(has.0).value != self.info(has.1).value {
                    return fail(format!("the function %{function} has another type than its pointer says"));
                }
                number = Some(FunctionRef(n));
            }
        }
        let Some(number) = number else { return fail(format!("id %{function} is no function")) };
        Ok(self.module.constants.intern(self.value_ty(ty), ConstantKind::Function(number)))
    }

    /// `OpUndef` outside of functions.
    pub(crate) fn declare_undef(&mut self, inst: &Inst<'_>) -> Res<()> {
        let ty = self.type_of_id(inst.word(0)?)?;
        let c = self.module.constants.intern(self.value_ty(ty), ConstantKind::Undef);
        self.define(inst.word(1)?, Id::Constant(c, ty))
    }

    /// A scalar with these bits, cut to its width.
    pub(crate) fn scalar(&mut self, ty: TypeId, bits: u64) -> Res<Constant> {
        let ty = self.value_ty(ty);
        self.scalar_of(ty, bits)
    }

    /// The same by the IR's type.
    pub(crate) fn scalar_of(&mut self, ty: Ty, bits: u64) -> Res<Constant> {
        let width = match *self.module.types.get(ty) {
            Type::Bool => 1,
            Type::Int(n) | Type::Float(n) => n,
            _ => return fail("a scalar type is expected"),
        };
        let bits = if width == 64 { bits } else { bits & ((1 << width) - 1) };
        Ok(self.module.constants.intern(ty, ConstantKind::Scalar(bits)))
    }

    /// All zeros; for a scalar the same constant as one written as 0.
    pub(crate) fn zero(&mut self, ty: TypeId) -> Constant {
        let ty = self.value_ty(ty);
        let scalar = self.module.types.bits(ty).is_some() && self.module.types.components(ty) == 1;
        let kind = if scalar { ConstantKind::Scalar(0) } else { ConstantKind::Zero };
        self.module.constants.intern(ty, kind)
    }

    fn composite_constant(&mut self, ty: TypeId, ids: &[u32]) -> Res<Constant> {
        let value = self.value_ty(ty);
        if self.module.types.part_count(value) != Some(ids.len() as u32) {
            return fail("a composite constant has as many parts as its type");
        }
        let mut parts = Vec::with_capacity(ids.len());
        for (i, &id) in ids.iter().enumerate() {
            let part = self.constant(id)?;
            if self.module.types.part(value, i as u32) != Some(self.module.constants.ty(part)) {
                return fail(format!("part {i} of a composite constant has another type"));
            }
            parts.push(part);
        }
        Ok(self.module.constants.intern(value, ConstantKind::Composite(parts)))
    }

    /// One part for all; limited, because the input stays small while the constant grows.
    fn replicated(&mut self, ty: TypeId, inst: &Inst<'_>) -> Res<Constant> {
        let count = self.module.types.part_count(self.value_ty(ty)).unwrap_or(0);
        if count > 1 << 12 {
            return fail(format!("a constant that is replicated {count} times is not supported"));
        }
        self.composite_constant(ty, &vec![inst.word(2)?; count as usize])
    }

    /// A specialisation constant: what the options say, else its default.
    fn choose(&mut self, ty: TypeId, id: u32, default: u64) -> Res<Constant> {
        let (name, number) = (self.name(id), self.notes.value(self.words.all, id, Decoration::SpecId));
        let wanted = self.options.specialize.iter().rev().find(|(key, _)| match key {
            SpecKey::Id(n) => Some(*n) == number,
            SpecKey::Name(n) => !n.is_empty() && *n == name,
        });
        let bits = match wanted.map(|(_, value)| *value) {
            None => default,
            Some(SpecValue::Bits(bits)) => bits,
            Some(SpecValue::Number(number)) => match self.module.bits_of(self.value_ty(ty), number) {
                Some(bits) => bits,
                None => {
                    return fail(format!(
                        "the specialisation constant `{name}` cannot be {number}: its type has no such number"
                    ));
                }
            },
        };
        let is_bool = matches!(self.module.types.get(self.value_ty(ty)), Type::Bool);
        let c = self.scalar(ty, if is_bool { u64::from(bits != 0) } else { bits })?;
        // A number belongs to the first constant that has it; others follow from that one.
        let number = number.filter(|&n| self.numbers.insert(n));
        self.module.specs.push(Spec { name, id: number, default: c });
        Ok(c)
    }

    /// The constant that an id stands for.
    pub(crate) fn constant(&self, id: u32) -> Res<Constant> {
        match self.id(id)? {
            Id::Constant(c, _) | Id::Global(c, ..) => Ok(c),
            _ => fail(format!("id %{id} is no constant")),
        }
    }

    /// The low 32 bits of the integer constant that an id stands for.
    pub(crate) fn constant_u32(&self, id: u32) -> Res<u32> {
        match self.module.constants.bits(self.constant(id)?) {
            Some(bits) => Ok(bits as u32),
            None => fail(format!("id %{id} is no integer constant")),
        }
    }

    /// Part `i` of a constant composite, that of zeros and of an undefined one included.
    pub(crate) fn constant_part(&mut self, c: Constant, i: u32) -> Res<Constant> {
        let kind = match self.module.constants.get(c) {
            ConstantKind::Composite(parts) => {
                return parts.get(i as usize).copied().map_or_else(|| fail("there is no such part"), Ok);
            }
            ConstantKind::Zero => ConstantKind::Zero,
            ConstantKind::Undef => ConstantKind::Undef,
            _ => return fail("a composite constant is expected"),
        };
        let Some(ty) = self.module.types.part(self.module.constants.ty(c), i) else {
            return fail("there is no such part");
        };
        Ok(match kind {
            ConstantKind::Zero
                if self.module.types.bits(ty).is_some() && self.module.types.components(ty) == 1 =>
            {
                self.module.constants.intern(ty, ConstantKind::Scalar(0))
            }
            kind => self.module.constants.intern(ty, kind),
        })
    }

    /// Whether a type is an array or a structure in memory; used by the interface.
    pub(crate) fn array_of(&self, ty: TypeId) -> Option<(TypeId, u32)> {
        match self.info(ty).kind {
            Kind::Array(elem, len, _) => Some((elem, len)),
            _ => None,
        }
    }
}

/// One or two words as a number, the low one first.
fn literal(words: &[u32]) -> u64 {
    let word = |i: usize| u64::from(words.get(i).copied().unwrap_or(0));
    word(1) << 32 | word(0)
}
