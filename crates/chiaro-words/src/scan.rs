//! What a module declares before its functions, in maps by id.
//!
//! It takes words as they are and trusts nothing: a type that refers to what is not declared
//! yet, or nests deeper than [`MOST_LEVELS`], is [`Shape::Other`], so that walks over types
//! always end.

use spirv::{Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};

use crate::hash::Map;
use crate::instruction::{Instruction, instructions, text};
use crate::module::{Language, Source};
use crate::write::Id;

/// Levels of a type that are followed.
const MOST_LEVELS: u32 = 64;

/// Types, names and decorations that a small shader has: maps of so many need not grow.
const USUAL: usize = 28;

/// The structure of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape<'a> {
    /// A truth value.
    Bool,
    /// A number of so many bytes.
    Number(u32),
    /// So many numbers or truth values.
    Vector(Id, u32),
    /// So many columns.
    Matrix(Id, u32),
    /// So many elements; 0 is an array without a size.
    Array(Id, u32),
    /// Members.
    Struct(&'a [Id]),
    /// An image, a sampler, or both, or an acceleration structure.
    Opaque,
    /// A pointer into a class.
    Pointer(StorageClass, Id),
    /// Anything else.
    Other,
}

/// A variable outside of functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Global {
    pub(crate) id: Id,
    pub(crate) class: StorageClass,
    /// The type of its value.
    pub(crate) ty: Id,
}

/// A type, and what would take long to find out by walking it: structures can double at every
/// level.
struct Type<'a> {
    shape: Shape<'a>,
    level: u32,
    holds_opaque: bool,
    slots: Slots,
}

/// How many locations a value takes; at least one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slots {
    /// As an attribute, varying or target. [Vulkan 1.3, 15.1.4]
    pub(crate) varying: u32,
    /// As a uniform of OpenGL: one for each element of a leaf. [OpenGL 4.6, 7.6]
    pub(crate) uniform: u32,
}

impl Slots {
    const ONE: Slots = Slots { varying: 1, uniform: 1 };

    fn times(self, n: u32) -> Slots {
        Slots { varying: self.varying.saturating_mul(n), uniform: self.uniform.saturating_mul(n) }
    }

    fn plus(self, other: Slots) -> Slots {
        Slots {
            varying: self.varying.saturating_add(other.varying),
            uniform: self.uniform.saturating_add(other.uniform),
        }
    }
}

/// The declarations of a module. Texts stay words until one asks for them: few names are of
/// variables that the host sees.
#[derive(Default)]
pub(crate) struct Scan<'a> {
    types: Map<Id, Type<'a>>,
    /// Values of integer constants of at most 32 bits.
    pub(crate) constants: Map<Id, u32>,
    names: Map<Id, &'a [u32]>,
    member_names: Map<(Id, u32), &'a [u32]>,
    /// The first literal of each decoration; 0 if it has none.
    decorations: Map<(Id, Decoration), u32>,
    member_decorations: Map<(Id, u32, Decoration), u32>,
    /// Global variables in their order.
    pub(crate) globals: Vec<Global>,
    /// Stages of the entry points.
    pub(crate) models: Vec<ExecutionModel>,
    /// Whether fragments count from the lower left corner, as OpenGL's do.
    pub(crate) has_lower_left_origin: bool,
    /// The language that the module names.
    pub(crate) source: Source,
}

impl<'a> Scan<'a> {
    /// Reads declarations until the first function or the first broken instruction.
    pub(crate) fn of(words: &'a [u32]) -> Scan<'a> {
        let mut scan = Scan::default();
        scan.types.reserve(USUAL);
        scan.names.reserve(USUAL);
        scan.decorations.reserve(USUAL);
        let head = instructions(words).map_while(Result::ok).take_while(|i| i.op != Op::Function);
        head.for_each(|inst| scan.instruction(&inst));
        scan
    }

    fn instruction(&mut self, inst: &Instruction<'a>) {
        match inst.op {
            Op::EntryPoint => self.models.extend(ExecutionModel::from_u32(inst.word(0))),
            Op::ExecutionMode => {
                self.has_lower_left_origin |= inst.word(1) == ExecutionMode::OriginLowerLeft as u32;
            }
            Op::Source => self.source = source(inst),
            Op::Name => drop(self.names.insert(inst.word(0), inst.rest(1))),
            Op::MemberName => drop(self.member_names.insert((inst.word(0), inst.word(1)), inst.rest(2))),
            Op::Decorate => {
                let Some(decoration) = Decoration::from_u32(inst.word(1)) else { return };
                self.decorations.entry((inst.word(0), decoration)).or_insert(inst.word(2));
            }
            Op::MemberDecorate | Op::MemberDecorateIdEXT => {
                let Some(decoration) = Decoration::from_u32(inst.word(2)) else { return };
                let key = (inst.word(0), inst.word(1), decoration);
                self.member_decorations.entry(key).or_insert(inst.word(3));
            }
            Op::Constant | Op::SpecConstant if inst.operands.len() == 3 => {
                self.constants.insert(inst.word(1), inst.word(2));
            }
            Op::Variable => self.variable(inst),
            op if op.is_type() => self.declare_type(inst),
            _ => {}
        }
    }

    fn variable(&mut self, inst: &Instruction<'_>) {
        let class = StorageClass::from_u32(inst.word(2));
        if let (Some(class), Shape::Pointer(_, ty)) = (class, self.shape(inst.word(0))) {
            self.globals.push(Global { id: inst.word(1), class, ty });
        }
    }

    fn declare_type(&mut self, inst: &Instruction<'a>) {
        // The first declaration counts: a second one could close a circle.
        if self.types.contains_key(&inst.word(0)) {
            return;
        }
        let shape = match inst.op {
            Op::TypeBool => Shape::Bool,
            Op::TypeInt | Op::TypeFloat if matches!(inst.word(1), 8 | 16 | 32 | 64) => {
                Shape::Number(inst.word(1) / 8)
            }
            Op::TypeVector if (2..=4).contains(&inst.word(2)) => Shape::Vector(inst.word(1), inst.word(2)),
            Op::TypeMatrix if (2..=4).contains(&inst.word(2)) => Shape::Matrix(inst.word(1), inst.word(2)),
            Op::TypeArray => {
                Shape::Array(inst.word(1), self.constants.get(&inst.word(2)).copied().unwrap_or(1))
            }
            Op::TypeRuntimeArray => Shape::Array(inst.word(1), 0),
            Op::TypeStruct => Shape::Struct(inst.rest(1)),
            Op::TypeImage
            | Op::TypeSampler
            | Op::TypeSampledImage
            | Op::TypeAccelerationStructureKHR
            | Op::TypeTensorARM => Shape::Opaque,
            Op::TypePointer => StorageClass::from_u32(inst.word(1))
                .map_or(Shape::Other, |class| Shape::Pointer(class, inst.word(2))),
            _ => Shape::Other,
        };
        let level = inner(&shape).iter().map(|&m| self.level(m)).max().unwrap_or(0);
        let shape = if level < MOST_LEVELS { shape } else { Shape::Other };
        let holds_opaque = shape == Shape::Opaque || inner(&shape).iter().any(|&m| self.holds_opaque(m));
        let slots = self.count_slots(&shape);
        self.types.insert(inst.word(0), Type { shape, level: level + 1, holds_opaque, slots });
    }

    fn count_slots(&self, shape: &Shape<'_>) -> Slots {
        match shape {
            Shape::Vector(elem, n) if *n > 2 && self.shape(*elem) == Shape::Number(8) => {
                Slots { varying: 2, uniform: 1 }
            }
            Shape::Matrix(column, n) => Slots { uniform: 1, ..self.slots(*column).times(*n) },
            Shape::Array(elem, n) => self.slots(*elem).times((*n).max(1)),
            Shape::Struct(members) if !members.is_empty() => {
                members.iter().fold(Slots { varying: 0, uniform: 0 }, |sum, &m| sum.plus(self.slots(m)))
            }
            _ => Slots::ONE,
        }
    }

    /// How deep a type nests; too deep if it is not declared.
    fn level(&self, ty: Id) -> u32 {
        self.types.get(&ty).map_or(MOST_LEVELS, |t| t.level)
    }

    /// Whether the type is opaque or holds something that is.
    pub(crate) fn holds_opaque(&self, ty: Id) -> bool {
        self.types.get(&ty).is_some_and(|t| t.holds_opaque)
    }

    /// How many locations a value takes.
    pub(crate) fn slots(&self, ty: Id) -> Slots {
        self.types.get(&ty).map_or(Slots::ONE, |t| t.slots)
    }

    /// The structure of a type.
    pub(crate) fn shape(&self, ty: Id) -> Shape<'a> {
        self.types.get(&ty).map_or(Shape::Other, |t| t.shape)
    }

    /// The name of a result; empty if it has none.
    pub(crate) fn name(&self, id: Id) -> String {
        self.names.get(&id).map_or_else(String::new, |words| text(words).0)
    }

    /// The name of a member; `_2` for the third if it has none.
    pub(crate) fn member_name(&self, structure: Id, member: u32) -> String {
        let found = self.member_names.get(&(structure, member)).filter(|words| is_name(words));
        found.map_or_else(|| format!("_{member}"), |words| text(words).0)
    }

    /// Whether the words name a member.
    pub(crate) fn is_member_named(&self, structure: Id, member: u32) -> bool {
        self.member_names.get(&(structure, member)).is_some_and(|words| is_name(words))
    }

    /// Whether a structure describes a heap of descriptors: its members lie where constants say.
    pub(crate) fn is_in_heap(&self, structure: Id) -> bool {
        self.member_decorations.contains_key(&(structure, 0, Decoration::OffsetIdEXT))
    }

    /// The first literal of a decoration; 0 if it has none; `None` without the decoration.
    pub(crate) fn decoration(&self, id: Id, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, decoration)).copied()
    }

    /// As [`Scan::decoration`], of a member.
    pub(crate) fn member_decoration(
        &self,
        structure: Id,
        member: u32,
        decoration: Decoration,
    ) -> Option<u32> {
        self.member_decorations.get(&(structure, member, decoration)).copied()
    }

    /// The type inside of all arrays, and the sizes of these, the outermost first.
    pub(crate) fn without_arrays(&self, mut ty: Id) -> (Id, Vec<u32>) {
        let mut sizes = Vec::new();
        while let Shape::Array(inner, size) = self.shape(ty) {
            sizes.push(size);
            ty = inner;
        }
        (ty, sizes)
    }
}

/// The types that a type is made of.
fn inner<'s>(shape: &'s Shape<'_>) -> &'s [Id] {
    match shape {
        Shape::Vector(inner, _) | Shape::Matrix(inner, _) | Shape::Array(inner, _) => {
            std::slice::from_ref(inner)
        }
        Shape::Struct(members) => members,
        _ => &[],
    }
}

/// Whether the text of these words has any byte.
fn is_name(words: &[u32]) -> bool {
    words.first().is_some_and(|word| word & 0xff != 0)
}

fn source(inst: &Instruction<'_>) -> Source {
    use spirv::SourceLanguage as L;
    let language = match L::from_u32(inst.word(0)) {
        Some(L::ESSL) => Language::Essl,
        Some(L::GLSL) => Language::Glsl,
        Some(L::HLSL) => Language::Hlsl,
        Some(L::WGSL) => Language::Wgsl,
        _ => Language::Unknown,
    };
    Source { language, version: inst.word(1) }
}
