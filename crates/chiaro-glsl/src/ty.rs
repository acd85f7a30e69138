//! Types of GLSL, interned.

mod coop;
mod opaque;
mod scalar;

use std::collections::HashMap;

use crate::inline::SpirvType;
use crate::qualifier::{Layout, Packing, Precision, Storage};
use crate::token::Symbol;

pub use crate::handle::{CoopId, ForeignId, ReferenceId, StructId, Ty};
pub(crate) use coop::usage;
pub use coop::{CoopKind, CoopType, Length};
pub use opaque::{Access, Dim, HitObject, Opaque};
pub(crate) use scalar::Family;
pub use scalar::Scalar;

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// The type of what is wrong: agrees with everything, so that one error is reported once.
    Error,
    /// No value.
    Void,
    /// A scalar.
    Scalar(Scalar),
    /// Two to four scalars; with GL_EXT_long_vector up to 255.
    Vector(Scalar, u8),
    /// Columns of a vector with so many rows.
    Matrix {
        /// `Float` or `Double`.
        scalar: Scalar,
        /// Columns, 2 to 4.
        columns: u8,
        /// Rows, 2 to 4.
        rows: u8,
    },
    /// Elements of one type.
    Array(Ty, Length),
    /// A structure or block, each with an identity.
    Struct(StructId),
    /// What cannot be computed with.
    Opaque(Opaque),
    /// The address of a block in memory. [GL_EXT_buffer_reference]
    Reference(ReferenceId),
    /// Elements of a scalar type that a scope holds together, or whose number is open.
    Coop(Scalar, CoopId),
    /// A type of SPIR-V that the source brings itself. [GL_EXT_spirv_intrinsics]
    Foreign(ForeignId),
    /// A layout or view of tensors: what has no elements. [GL_NV_cooperative_matrix2]
    Addressing(CoopId),
}

/// A block that is reached by its address. Until its members are declared there is only a name.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The block's name.
    pub name: Symbol,
    /// What stands at the address; `None` while only the name is declared.
    pub pointee: Option<StructId>,
    /// How it is laid out.
    pub packing: Packing,
    /// Qualifiers of each member, the block's own applied.
    pub members: Vec<Layout>,
    /// What every such address is a multiple of, in bytes: a power of two.
    pub align: u32,
    /// What the block is marked as besides: a record that a hit object leads to.
    pub mark: Option<spirv::Decoration>,
    /// `Uniform` or `Buffer` where it is reached by a descriptor in a heap, not by its address.
    pub held: Option<Storage>,
}

/// A structure or block.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name; empty text for none.
    pub name: Symbol,
    /// Its members.
    pub members: Vec<Member>,
}

/// A member of a structure or block. What concerns blocks alone is in [`crate::hir::Global`].
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: Ty,
    /// Its precision, `None` where it has none.
    pub precision: Option<Precision>,
    /// Whether results that go here are `precise`.
    pub precise: bool,
}

/// All types of a module.
#[derive(Debug)]
pub struct Types {
    list: Vec<Type>,
    /// Handles of scalars, vectors and matrices plus one, by [`basic`]; 0 is none yet. Those are
    /// asked for all the time.
    basic: [u16; BASIC],
    known: HashMap<Type, Ty>,
    /// Structures and blocks.
    pub structs: Vec<Struct>,
    /// Blocks that are reached by their addresses.
    pub references: Vec<Reference>,
    /// Types that the source brings itself.
    pub foreign: Vec<SpirvType>,
    /// Cooperative and open shapes.
    pub coops: Vec<CoopType>,
}

impl Default for Types {
    fn default() -> Types {
        Types {
            list: Vec::new(),
            basic: [0; BASIC],
            known: HashMap::new(),
            structs: Vec::new(),
            references: Vec::new(),
            foreign: Vec::new(),
            coops: Vec::new(),
        }
    }
}

/// Scalar types by columns by rows.
const BASIC: usize = Scalar::COUNT * 16;

/// The place of a scalar, vector or matrix in [`Types::basic`].
fn basic(ty: &Type) -> Option<usize> {
    let (scalar, columns, rows) = match *ty {
        Type::Scalar(scalar) => (scalar, 1, 1),
        Type::Vector(scalar, rows) => (scalar, 1, rows),
        Type::Matrix { scalar, columns, rows } => (scalar, columns, rows),
        _ => return None,
    };
    let within = |n: u8| (1..=4).contains(&n);
    (within(columns) && within(rows))
        .then(|| scalar.index() * 16 + usize::from(columns - 1) * 4 + usize::from(rows - 1))
}

impl Types {
    /// The handle of a type.
    pub fn intern(&mut self, ty: Type) -> Ty {
        let basic = basic(&ty);
        let known = match basic {
            Some(place) => self.basic[place].checked_sub(1).map(|n| Ty(u32::from(n))),
            None => self.known.get(&ty).copied(),
        };
        if let Some(known) = known {
            return known;
        }
        let handle = Ty(self.list.len() as u32);
        self.list.push(ty);
        match (basic, u16::try_from(handle.0 + 1)) {
            (Some(place), Ok(number)) => self.basic[place] = number,
            // Where there are so many types, a basic one may have several handles.
            (Some(_), Err(_)) => {}
            (None, _) => _ = self.known.insert(ty, handle),
        }
        handle
    }

    /// What a type is.
    pub fn get(&self, ty: Ty) -> &Type {
        &self.list[ty.0 as usize]
    }

    /// What an address leads to.
    pub fn reference(&self, id: ReferenceId) -> &Reference {
        &self.references[id.0 as usize]
    }

    /// All types.
    pub fn all(&self) -> impl Iterator<Item = &Type> {
        self.list.iter()
    }

    /// A structure.
    pub fn structure(&self, id: StructId) -> &Struct {
        &self.structs[id.0 as usize]
    }
}

impl Types {
    /// The handle of a kind with its numbers; `None` where there are too many in one source.
    pub(crate) fn coop_of(&mut self, coop: CoopType) -> Option<CoopId> {
        if let Some(known) = self.coops.iter().position(|known| *known == coop) {
            return Some(CoopId(known as u8));
        }
        let id = u8::try_from(self.coops.len()).ok()?;
        self.coops.push(coop);
        Some(CoopId(id))
    }

    /// A kind with its numbers.
    #[must_use]
    pub fn coop(&self, id: CoopId) -> &CoopType {
        &self.coops[usize::from(id.0)]
    }

    /// The cooperative part of a type, and its elements; layouts and views have none of those.
    pub(crate) fn as_coop(&self, ty: &Type) -> Option<(Scalar, &CoopType)> {
        match *ty {
            Type::Coop(scalar, id) => Some((scalar, self.coop(id))),
            _ => None,
        }
    }
}
