//! Types of GLSL, interned.

use std::collections::HashMap;

use crate::ast::Symbol;
use crate::small::Small;
use crate::spread::{Spread, SpreadId};

/// Scalars. Those of explicit width other than 32 come with extensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    Double,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Float16,
    Int64,
    Uint64,
    /// One that is stored and converted, not computed with.
    Small(Small),
}

impl Scalar {
    /// How many there are.
    pub(crate) const COUNT: usize = 12 + Small::ALL.len();

    /// The place in tables of all of them.
    pub(crate) fn index(self) -> usize {
        match self {
            Scalar::Bool => 0,
            Scalar::Int => 1,
            Scalar::Uint => 2,
            Scalar::Float => 3,
            Scalar::Double => 4,
            Scalar::Int8 => 5,
            Scalar::Uint8 => 6,
            Scalar::Int16 => 7,
            Scalar::Uint16 => 8,
            Scalar::Float16 => 9,
            Scalar::Int64 => 10,
            Scalar::Uint64 => 11,
            Scalar::Small(small) => 12 + small as usize,
        }
    }

    /// Whether it is stored and converted alone.
    pub(crate) fn is_small(self) -> bool {
        matches!(self, Scalar::Small(_))
    }
}

/// Dimensions of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Dim {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
    Subpass,
}

/// How an opaque texture type is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Access {
    /// `sampler2D`: texture and sampler in one.
    Sampled,
    /// `texture2D`, the type: a texture alone.
    Texture,
    /// `image2D`: by coordinate.
    Storage,
}

/// The two kinds of hit objects, which instructions of their own work on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum HitObject {
    /// `hitObjectEXT`. [GL_EXT_shader_invocation_reorder]
    Ext,
    /// `hitObjectNV`. [GL_NV_shader_invocation_reorder]
    Nv,
}

/// Types that cannot be computed with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Opaque {
    /// Textures of all kinds.
    Texture {
        /// Sampled component: `Float`, `Int`, `Uint` (or 64-bit ones).
        scalar: Scalar,
        /// Dimensions.
        dim: Dim,
        /// Has layers.
        arrayed: bool,
        /// Has samples.
        multisampled: bool,
        /// Compares with a reference.
        shadow: bool,
        /// How it is used.
        access: Access,
        /// `samplerExternalOES`.
        external: bool,
    },
    /// `sampler`, or `samplerShadow`.
    Sampler {
        /// Whether it compares.
        shadow: bool,
    },
    /// `atomic_uint`.
    AtomicCounter,
    /// `accelerationStructureEXT`.
    AccelerationStructure,
    /// `rayQueryEXT`.
    RayQuery,
    /// `hitObjectEXT`, `hitObjectNV`: what a ray has hit, before anything is made of it.
    HitObject(HitObject),
    /// `tensorARM`: scalars in so many dimensions.
    Tensor {
        /// The type of its elements.
        scalar: Scalar,
        /// How many dimensions.
        rank: u8,
    },
    /// The descriptor of a buffer, in a heap.
    Buffer(ReferenceId),
}

/// Handle of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ty(pub u32);

/// Handle of a structure or block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StructId(pub u32);

/// Handle of a [`Reference`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ReferenceId(pub u32);

/// Handle of a [`crate::hir::SpirvType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ForeignId(pub u32);

/// How many elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Length {
    /// So many.
    Known(u32),
    /// The last member of a storage block: as many as the buffer holds. Also an array whose
    /// size a later declaration or its largest constant index tells, until that is known.
    Unsized,
    /// A specialisation constant, by its number among the module's, and its default.
    Spec(u32, u32),
}

/// What a type is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// The type of what is wrong: agrees with everything, so that one error is told once.
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
    Spread(Scalar, SpreadId),
    /// A type of SPIR-V that the source brings itself. [GL_EXT_spirv_intrinsics]
    Foreign(ForeignId),
    /// A layout or view of tensors: what has no elements. [GL_NV_cooperative_matrix2]
    Addressing(SpreadId),
}

/// A block that is reached by its address. Until its members are declared there is only a name.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The block's name.
    pub name: Symbol,
    /// What stands at the address; `None` while only the name is declared.
    pub pointee: Option<StructId>,
    /// How it is laid out.
    pub packing: crate::hir::Packing,
    /// Qualifiers of each member, the block's own applied.
    pub members: Vec<crate::hir::Layout>,
    /// What every such address is a multiple of, in bytes: a power of two.
    pub align: u32,
    /// What the block is marked as besides: a record that a hit object leads to.
    pub mark: Option<spirv::Decoration>,
    /// `Uniform` or `Buffer` where it is reached by a descriptor in a heap, not by its address.
    pub held: Option<crate::hir::Storage>,
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
    pub precision: Option<crate::ast::Precision>,
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
    pub foreign: Vec<crate::hir::SpirvType>,
    /// Cooperative and open shapes.
    pub spreads: Vec<Spread>,
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
            spreads: Vec::new(),
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
