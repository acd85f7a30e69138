//! Handles of the checked program: numbers in its arenas. They stand below everything that has
//! them, so that types, qualifiers and expressions can name each other without a circle.

/// Handle of a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Ty(pub u32);

/// Handle of a structure or block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StructId(pub u32);

/// Handle of a [`Reference`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ReferenceId(pub u32);

/// Handle of a [`crate::inline::SpirvType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ForeignId(pub u32);

/// Handle of a [`CoopType`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CoopId(pub u8);

/// Handle of an [`Expr`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExprId(pub u32);

/// Handle of a [`Global`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GlobalId(pub u32);

/// Handle of a [`Local`] of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LocalId(pub u32);

/// Handle of a [`Function`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionId(pub u32);

/// Handle of a [`Spec`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SpecId(pub u32);
