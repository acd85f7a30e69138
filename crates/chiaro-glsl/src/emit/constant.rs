//! Constants: of bits, of numbers, and those that specialisation may change.

use chiaro_words::write::Id;
use spirv::{Op, StorageClass};

use crate::hir::{ExprId, ExprKind};
use crate::ty::{Family, Length, Scalar, Type};

use super::emitter::Emitter;
use super::float::half_bits;
use crate::numeric::Num;

/// Elements that a constant array may have: an instruction counts its words with 16 bits.
pub(super) const MOST_ELEMENTS: u32 = 0xfff0;

impl Emitter<'_> {
    /// A constant of the bits of all its scalars in order.
    pub(super) fn constant(&mut self, ty: &Type, bits: &[u64]) -> Id {
        let mut rest = bits.iter().copied();
        if Num::of(ty).is_none() && self.holds_address(ty) {
            return self.address_constant(ty, &mut rest);
        }
        let id = self.take_constant(ty, &mut rest);
        self.note_constant(id);
        id
    }

    pub(super) fn take_constant(&mut self, ty: &Type, bits: &mut dyn Iterator<Item = u64>) -> Id {
        if let Some(num) = Num::of(ty) {
            return self.num_constant(num, bits);
        }
        let parts = self.parts(ty);
        if parts.len() as u32 > MOST_ELEMENTS {
            return self.fail("a constant has more elements than SPIR-V can count");
        }
        let ids: Vec<Id> = parts.iter().map(|part| self.take_constant(part, bits)).collect();
        let ty = self.plain_ty(ty);
        self.out.constant(Op::ConstantComposite, ty, &ids)
    }

    /// Zeros of a type.
    pub(super) fn null(&mut self, ty: &Type) -> Id {
        // An address has no null: a number is made one where it is used.
        if self.holds_address(ty) {
            return self.address_constant(ty, &mut std::iter::repeat(0));
        }
        let ty = self.plain_ty(ty);
        let id = self.out.constant(Op::ConstantNull, ty, &[]);
        self.note_constant(id);
        id
    }

    fn num_constant(&mut self, num: Num, bits: &mut dyn Iterator<Item = u64>) -> Id {
        if num.is_scalar() {
            return self.scalar_constant(num.scalar, bits.next().unwrap_or(0));
        }
        if num.is_coop() {
            return self.coop_constant(num, bits.next().unwrap_or(0));
        }
        let (part, count) =
            if num.is_matrix() { (num.column(), num.columns) } else { (Num::scalar(num.scalar), num.rows) };
        if count > 4 {
            let ids: Vec<Id> = (0..count).map(|_| self.num_constant(part, bits)).collect();
            let ty = self.num_ty(num);
            return self.out.constant(Op::ConstantComposite, ty, &ids);
        }
        let mut ids = [0; 4];
        for id in &mut ids[..usize::from(count)] {
            *id = self.num_constant(part, bits);
        }
        let ty = self.num_ty(num);
        self.out.constant(Op::ConstantComposite, ty, &ids[..usize::from(count)])
    }

    pub(super) fn scalar_constant(&mut self, scalar: Scalar, bits: u64) -> Id {
        let ty = self.num_ty(Num::scalar(scalar));
        let op = match scalar {
            Scalar::Bool if bits != 0 => Op::ConstantTrue,
            Scalar::Bool => Op::ConstantFalse,
            _ => Op::Constant,
        };
        match scalar {
            Scalar::Bool => self.out.constant(op, ty, &[]),
            Scalar::Double | Scalar::Int64 | Scalar::Uint64 => {
                self.out.constant(op, ty, &[bits as u32, (bits >> 32) as u32])
            }
            _ => self.out.constant(op, ty, &[small_word(scalar, bits)]),
        }
    }

    /// A whole number as a value of a numeric type, in every component.
    pub(super) fn number(&mut self, num: Num, n: i32) -> Id {
        let bits = match (num.scalar.family(), num.scalar) {
            (Family::Float, Scalar::Double) => f64::from(n).to_bits(),
            (Family::Float, _) => (n as f32).to_bits().into(),
            _ => i64::from(n) as u64,
        };
        self.repeated(num, bits)
    }

    fn repeated(&mut self, num: Num, bits: u64) -> Id {
        self.num_constant(num, &mut std::iter::repeat(bits))
    }

    pub(super) fn int(&mut self, n: i32) -> Id {
        self.number(Num::INT, n)
    }

    /// The types of the parts of an array, structure or matrix.
    pub(super) fn parts(&self, ty: &Type) -> Vec<Type> {
        match *ty {
            Type::Array(elem, Length::Known(count)) => {
                vec![self.what(elem); count.min(MOST_ELEMENTS + 1) as usize]
            }
            Type::Struct(id) => {
                self.program.types.structure(id).members.iter().map(|m| self.what(m.ty)).collect()
            }
            Type::Matrix { scalar, columns, rows } => {
                vec![Num::vector(scalar, rows).ty(); columns.into()]
            }
            _ => Vec::new(),
        }
    }

    /// The value of an index or the like, if it is constant.
    pub(super) fn constant_index(&self, e: ExprId) -> Option<u32> {
        match &self.program.exprs[e.0 as usize].kind {
            ExprKind::Constant(bits) => bits.first().map(|&b| b as u32),
            _ => None,
        }
    }

    /// Constants in a variable, so that they can be indexed.
    pub(super) fn table(&mut self, constant: Id, ty: &Type) -> Id {
        if let Some(&table) = self.tables.get(&constant) {
            return table;
        }
        let ty = self.plain_ty(ty);
        let pointer = self.out.pointer(StorageClass::Private, ty);
        let table = self.out.declare(Op::Variable, pointer, &[StorageClass::Private as u32, constant]);
        if self.lists_all_variables() {
            self.touched.push(table);
        }
        self.tables.insert(constant, table);
        table
    }
}

/// The word of a scalar of 32 bits or fewer: signed ones with their sign in the upper bits.
pub(super) fn small_word(scalar: Scalar, bits: u64) -> u32 {
    match scalar {
        Scalar::Float16 => half_bits(f32::from_bits(bits as u32)).into(),
        Scalar::Small(small) => small.encode(f32::from_bits(bits as u32)),
        Scalar::Int8 => i32::from(bits as i8) as u32,
        Scalar::Uint8 => u32::from(bits as u8),
        Scalar::Int16 => i32::from(bits as i16) as u32,
        Scalar::Uint16 => u32::from(bits as u16),
        _ => bits as u32,
    }
}
