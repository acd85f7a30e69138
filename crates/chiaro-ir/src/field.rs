//! The scalars of a type as a host names them: paths through structures and arrays, with places.

use crate::{Module, Ty, Type};

/// Fields that are named of a type: what a host could set by hand.
const MOST: usize = 4096;

/// What a scalar of memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scalar {
    /// A float.
    #[default]
    Float,
    /// An integer or an address.
    Int,
    /// 0 or 1.
    Bool,
}

/// Scalars of one name: those of an array or vector together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Field {
    /// Names with dots between them, `[]` for each array of structures on the way.
    pub path: String,
    /// Byte of the first from the start of the type.
    pub offset: u32,
    /// What it is.
    pub scalar: Scalar,
    /// Bits of one.
    pub bits: u8,
    /// From the outside in: how many, 0 where nobody knows, and how many bytes apart.
    pub rows: Vec<(u32, u32)>,
}

/// The fields of a type; `place` gives the byte of a composite's part, and bools take so many bits.
pub fn fields(module: &Module, ty: Ty, bool_bits: u8, place: &dyn Fn(Ty, u32) -> u32) -> Vec<Field> {
    let mut all = Vec::new();
    Walk { module, bool_bits, place, all: &mut all }.add(ty, Field::default());
    all
}

struct Walk<'a> {
    module: &'a Module,
    bool_bits: u8,
    place: &'a dyn Fn(Ty, u32) -> u32,
    all: &'a mut Vec<Field>,
}

impl Walk<'_> {
    fn add(&mut self, ty: Ty, at: Field) {
        if self.all.len() >= MOST {
            return;
        }
        let (module, bits) = (self.module, self.bool_bits);
        let mut push = |scalar: Scalar, bits: u8| self.all.push(Field { scalar, bits, ..at.clone() });
        match module.types.get(ty) {
            Type::Struct(_, members) => {
                for (n, member) in (0..).zip(members) {
                    let dot = if at.path.is_empty() { "" } else { "." };
                    let path = format!("{}{dot}{}", at.path, member.name);
                    let offset = at.offset.saturating_add((self.place)(ty, n));
                    self.add(member.ty, Field { path, offset, ..at.clone() });
                }
            }
            Type::Array(elem, ..) | Type::RuntimeArray(elem, _) | Type::Vector(elem, _) => {
                let mut inner = at.clone();
                inner.rows.push((module.types.part_count(ty).unwrap_or(0), (self.place)(ty, 1)));
                if has_names(module, *elem) {
                    inner.path.push_str("[]");
                }
                self.add(*elem, inner);
            }
            Type::Bool => push(Scalar::Bool, bits),
            Type::Float(bits) => push(Scalar::Float, *bits),
            Type::Int(bits) => push(Scalar::Int, *bits),
            Type::Pointer(..) => push(Scalar::Int, 64),
            _ => {}
        }
    }
}

/// Whether a type is a structure, or an array of some.
fn has_names(module: &Module, ty: Ty) -> bool {
    match module.types.get(ty) {
        Type::Struct(..) => true,
        Type::Array(elem, ..) | Type::RuntimeArray(elem, _) => has_names(module, *elem),
        _ => false,
    }
}
