//! Places: pointers with indices that are not written yet, and what is known of the memory there.

use chiaro_words::write::Id;
use spirv::{ImageFormat, StorageClass};

use crate::hir::GlobalId;
use crate::layout::Rules;
use crate::ty::{ReferenceId, Scalar, Type};

/// One index of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    pub(crate) id: Id,
    /// The type of an index that is no constant.
    pub(crate) dynamic: Option<Scalar>,
}

impl Link {
    pub(crate) fn fixed(id: Id) -> Link {
        Link { id, dynamic: None }
    }
}

/// Somewhere in memory.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The variable, or a parameter that is a pointer.
    pub(crate) base: Id,
    pub(crate) class: StorageClass,
    pub(crate) chain: Vec<Link>,
    /// The type there, before components are picked.
    pub(crate) ty: Type,
    pub(crate) memory: Memory,
    /// The format of its images.
    pub(crate) format: ImageFormat,
    /// What the address that it is reached by is a multiple of; 0 for what is none.
    pub(crate) align: u32,
    /// How it is looked at, if it lies in a heap of descriptors.
    pub(crate) view: Option<View>,
    /// Who sees it, where accesses say so.
    pub(crate) seen: Seen,
    /// Components of the vector there, and how many.
    pub(crate) pick: Option<([u8; 4], u8)>,
}

impl Place {
    pub(crate) fn variable(
        base: Id,
        class: StorageClass,
        ty: Type,
        memory: Memory,
        format: ImageFormat,
    ) -> Place {
        let seen = Seen::default();
        Place { base, class, chain: Vec::new(), ty, memory, format, align: 0, view: None, seen, pick: None }
    }

    pub(crate) fn local(base: Id, ty: Type) -> Place {
        Place::variable(base, StorageClass::Function, ty, Memory::Plain, ImageFormat::Unknown)
    }

    /// The type there, of the components that are picked.
    pub(crate) fn picked_ty(&self) -> Type {
        match (self.pick, self.ty) {
            (Some((_, 1)), Type::Vector(scalar, _)) => Type::Scalar(scalar),
            (Some((_, count)), Type::Vector(scalar, _)) => Type::Vector(scalar, count),
            _ => self.ty,
        }
    }

    /// Part `i`, of a type that the caller knows.
    pub(crate) fn part(&self, index: Id, ty: Type, memory: Memory) -> Place {
        let mut place = Place { ty, memory, ..self.clone() };
        place.chain.push(Link::fixed(index));
        place
    }
}

/// How the memory behind a pointer is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// As values are.
    Plain,
    /// Textures as their handles. [GL_ARB_bindless_texture]
    Handles,
    /// Inside of a block.
    Laid(Rules),
    /// A block itself, whose members have rules of their own.
    Block(GlobalId),
    /// The block at an address, likewise.
    Pointee(ReferenceId),
    /// The block behind a descriptor, likewise.
    Held(ReferenceId),
}

/// The type that a place in a heap is looked at with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct View {
    /// What its links are indices of.
    pub(crate) ty: Id,
    /// Whether the first link is no index but the bytes at which the block starts.
    pub(crate) starts: bool,
    /// The variable of the source.
    pub(crate) global: GlobalId,
}

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Read,
    Write,
}

/// Who sees a place beside this invocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) coherent: bool,
    pub(crate) volatile: bool,
}
