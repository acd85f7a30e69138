//! Types of parameters and results as patterns: `genType` and its like.
//!
//! A form (a result and parameters) holds for many types. Implicit conversions never change how
//! many components there are, so the arguments of a call leave one choice: [`bind`] finds it,
//! and [`Binding::ty`] makes a type of a pattern.

use crate::ty::{Access, CoopId, Dim, HitObject, Opaque, Scalar, Ty, Type, Types};

/// Which shapes of textures a pattern takes: a set of bits by dimension, layers, samples,
/// comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shapes(pub u32);

impl Shapes {
    /// Those of either.
    #[must_use]
    pub const fn and(self, other: Shapes) -> Shapes {
        Shapes(self.0 | other.0)
    }

    /// The shape of a texture type.
    fn of(dim: Dim, arrayed: bool, multisampled: bool, shadow: bool) -> Shapes {
        match (dim, arrayed, multisampled, shadow) {
            (Dim::D1, false, _, false) => LINE,
            (Dim::D2, false, false, false) => PLANE,
            (Dim::D3, ..) => SOLID,
            (Dim::Cube, false, _, false) => CUBE,
            (Dim::Rect, _, _, false) => RECT,
            (Dim::Buffer, ..) => BUFFER,
            (Dim::D1, true, _, false) => LINE_ARRAY,
            (Dim::D2, true, false, false) => PLANE_ARRAY,
            (Dim::Cube, true, _, false) => CUBE_ARRAY,
            (Dim::D2, false, true, _) => MULTI,
            (Dim::D2, true, true, _) => MULTI_ARRAY,
            (Dim::D1, false, _, true) => SHADOW_1D,
            (Dim::D2, false, false, true) => SHADOW_2D,
            (Dim::Cube, false, _, true) => SHADOW_CUBE,
            (Dim::Rect, _, _, true) => SHADOW_RECT,
            (Dim::D1, true, _, true) => SHADOW_1D_ARRAY,
            (Dim::D2, true, false, true) => SHADOW_2D_ARRAY,
            (Dim::Cube, true, _, true) => SHADOW_CUBE_ARRAY,
            (Dim::Subpass, _, false, _) => SUBPASS,
            (Dim::Subpass, _, true, _) => SUBPASS_MULTI,
            (Dim::Tile, ..) => TILE,
        }
    }
}

pub(super) const LINE: Shapes = Shapes(1);
pub(super) const PLANE: Shapes = Shapes(1 << 1);
pub(super) const SOLID: Shapes = Shapes(1 << 2);
pub(super) const CUBE: Shapes = Shapes(1 << 3);
pub(super) const RECT: Shapes = Shapes(1 << 4);
pub(super) const BUFFER: Shapes = Shapes(1 << 5);
pub(super) const LINE_ARRAY: Shapes = Shapes(1 << 6);
pub(super) const PLANE_ARRAY: Shapes = Shapes(1 << 7);
pub(super) const CUBE_ARRAY: Shapes = Shapes(1 << 8);
pub(super) const MULTI: Shapes = Shapes(1 << 9);
pub(super) const MULTI_ARRAY: Shapes = Shapes(1 << 10);
pub(super) const SHADOW_1D: Shapes = Shapes(1 << 11);
pub(super) const SHADOW_2D: Shapes = Shapes(1 << 12);
pub(super) const SHADOW_CUBE: Shapes = Shapes(1 << 13);
pub(super) const SHADOW_RECT: Shapes = Shapes(1 << 14);
pub(super) const SHADOW_1D_ARRAY: Shapes = Shapes(1 << 15);
pub(super) const SHADOW_2D_ARRAY: Shapes = Shapes(1 << 16);
pub(super) const SHADOW_CUBE_ARRAY: Shapes = Shapes(1 << 17);
pub(super) const SUBPASS: Shapes = Shapes(1 << 18);
pub(super) const SUBPASS_MULTI: Shapes = Shapes(1 << 19);
pub(super) const TILE: Shapes = Shapes(1 << 21);
/// `samplerExternalOES` and `__samplerExternal2DY2YEXT`.
pub(super) const EXTERNAL: Shapes = Shapes(1 << 20);

/// A set of types, one of which a call chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// No value; a result only.
    Void,
    /// So many components: 1 is a scalar.
    Fixed(u8),
    /// 1 to 4 components, as many as every other of the form.
    Gen,
    /// 2 to 4 components, as many as every other of the form.
    Vec,
    /// A matrix of so many columns and rows.
    Matrix(u8, u8),
    /// Any matrix, the same as every other of the form.
    AnyMatrix,
    /// A matrix with as many rows as columns.
    Square,
    /// What transposing makes of the matrix.
    Transposed,
    /// A sampler of these shapes.
    Texture(Shapes),
    /// An image of these shapes.
    Image(Shapes),
    /// Texel of the texture: four components, or one of a comparison.
    Texel,
    /// Four components of the texture's scalar, whether it compares or not.
    Texel4,
    /// Coordinate with layer and reference, as `texture` has it.
    Coord,
    /// Coordinate with layer, without reference.
    CoordBare,
    /// Coordinate without layer and reference.
    CoordDim,
    /// Coordinate and divisor: one component more than dimensions.
    CoordProj,
    /// Integer coordinate with layer.
    Fetch,
    /// Integers, one for each dimension.
    Offset,
    /// Four offsets.
    Offsets,
    /// Floats, one for each dimension.
    Grad,
    /// What `textureSize` gives.
    Size,
    /// One scalar of the image.
    Datum,
    /// An atomic counter.
    Counter,
    /// A ray query.
    RayQuery,
    /// A hit object.
    HitObject(HitObject),
    /// An acceleration structure.
    Acceleration,
    /// `sampler2DArray`, beside the texture that the call is about.
    Weights,
    /// An array of so many scalars (one component) or vectors.
    Several(u32, u8),
}

impl Shape {
    /// As the specification writes it; `known` has the words for scalars, vectors and matrices.
    pub(crate) fn spelled(self, known: &dyn Fn(u8, u8) -> &'static str) -> String {
        // `i` of `ivec2`, nothing of `vec2`.
        let letter = known(1, 2).trim_end_matches("vec2");
        let vector = |count: u8| known(1, count).to_owned();
        match self {
            Shape::Void => "void".to_owned(),
            Shape::Fixed(count) => vector(count),
            Shape::Gen => format!("gen{}Type", letter.to_uppercase()),
            Shape::Vec => format!("{letter}vec"),
            Shape::Matrix(columns, rows) => known(columns, rows).to_owned(),
            Shape::AnyMatrix | Shape::Square | Shape::Transposed => known(2, 2).replace('2', ""),
            Shape::Texture(shapes) => format!("gsampler{}", shapes.spelled()),
            Shape::Image(shapes) => format!("gimage{}", shapes.spelled()),
            Shape::Texel | Shape::Texel4 => "gvec4".to_owned(),
            Shape::Coord | Shape::CoordBare | Shape::CoordDim | Shape::CoordProj | Shape::Grad => {
                "vec".to_owned()
            }
            Shape::Fetch | Shape::Offset | Shape::Size => "ivec".to_owned(),
            Shape::Offsets => "ivec2[4]".to_owned(),
            Shape::Datum => "gscalar".to_owned(),
            Shape::Counter => "atomic_uint".to_owned(),
            Shape::RayQuery => "rayQueryEXT".to_owned(),
            Shape::HitObject(_) => "hitObject".to_owned(),
            Shape::Acceleration => "accelerationStructureEXT".to_owned(),
            Shape::Weights => "sampler2DArray".to_owned(),
            Shape::Several(count, components) => format!("{}[{count}]", vector(components)),
        }
    }
}

impl Shapes {
    /// What stands behind `sampler`, if that is one word.
    fn spelled(self) -> &'static str {
        let words: [(Shapes, &str); 12] = [
            (LINE, "1D"),
            (PLANE, "2D"),
            (SOLID, "3D"),
            (CUBE, "Cube"),
            (RECT, "2DRect"),
            (BUFFER, "Buffer"),
            (LINE_ARRAY, "1DArray"),
            (PLANE_ARRAY, "2DArray"),
            (CUBE_ARRAY, "CubeArray"),
            (MULTI, "2DMS"),
            (MULTI_ARRAY, "2DMSArray"),
            (SHADOW_2D, "2DShadow"),
        ];
        words.iter().find(|(shapes, _)| *shapes == self).map_or("", |(_, word)| word)
    }
}

/// The type of a parameter or result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// Its shape.
    pub shape: Shape,
    /// Its scalar type, where the shape does not say.
    pub scalar: Scalar,
    /// Whether the function writes it (`out`).
    pub written: bool,
}

/// A pattern that is read.
pub(super) const fn pattern(shape: Shape, scalar: Scalar) -> Pattern {
    Pattern { shape, scalar, written: false }
}

/// A pattern that is written.
pub(super) const fn written(shape: Shape, scalar: Scalar) -> Pattern {
    Pattern { shape, scalar, written: true }
}

/// A result and parameters.
pub type Form = &'static [Pattern];

/// What a call has chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Binding {
    /// Components of `Gen` and `Vec`.
    width: Option<u8>,
    /// In place of that, a vector of an open or cooperative shape.
    coop: Option<CoopId>,
    /// Columns and rows of matrices.
    matrix: Option<(u8, u8)>,
    /// The texture.
    texture: Option<Opaque>,
}

/// Chooses for a form's parameters by the arguments' types; `None` if no choice can fit. What
/// is chosen may still need implicit conversions, or not fit for other reasons.
#[must_use]
pub fn bind(params: &[Pattern], args: &[Ty], types: &Types) -> Option<Binding> {
    let mut chosen = Binding::default();
    for (param, &arg) in params.iter().zip(args) {
        chosen.learn(param.shape, types.get(arg), types)?;
    }
    Some(chosen)
}

impl Binding {
    /// Takes from an argument what its parameter leaves open.
    fn learn(&mut self, shape: Shape, ty: &Type, types: &Types) -> Option<()> {
        match (shape, ty) {
            (_, Type::Error) => {}
            (Shape::Gen, Type::Scalar(_)) => _ = self.width.get_or_insert(1),
            (Shape::Gen | Shape::Vec, Type::Vector(_, n)) => _ = self.width.get_or_insert(*n),
            (Shape::Gen | Shape::Vec, Type::Coop(_, id)) if types.coop(*id).is_vector() => {
                self.coop.get_or_insert(*id);
            }
            (Shape::AnyMatrix, Type::Matrix { columns, rows, .. }) => {
                self.matrix.get_or_insert((*columns, *rows));
            }
            (Shape::Square, Type::Matrix { columns, rows, .. }) if columns == rows => {
                self.matrix.get_or_insert((*columns, *rows));
            }
            (Shape::Texture(shapes) | Shape::Image(shapes), Type::Opaque(opaque)) => {
                takes(shape, shapes, *opaque)?;
                self.texture = Some(*opaque);
            }
            (
                Shape::Gen
                | Shape::Vec
                | Shape::AnyMatrix
                | Shape::Square
                | Shape::Texture(_)
                | Shape::Image(_),
                _,
            ) => return None,
            _ => {}
        }
        Some(())
    }

    /// The type that a pattern stands for. A width that nothing has fixed is 4.
    pub fn ty(&self, pattern: Pattern, types: &mut Types) -> Ty {
        let scalar = pattern.scalar;
        let sampled = self.scalar();
        let (dims, layers, shadow) = self.extent();
        match pattern.shape {
            Shape::Void => types.intern(Type::Void),
            Shape::Fixed(n) => vector(types, scalar, n),
            Shape::Gen | Shape::Vec => match self.coop {
                Some(id) => types.intern(Type::Coop(scalar, id)),
                None => vector(types, scalar, self.width.unwrap_or(4)),
            },
            Shape::Matrix(columns, rows) => types.intern(Type::Matrix { scalar, columns, rows }),
            Shape::AnyMatrix | Shape::Square => {
                let (columns, rows) = self.matrix.unwrap_or((4, 4));
                types.intern(Type::Matrix { scalar, columns, rows })
            }
            Shape::Transposed => {
                let (rows, columns) = self.matrix.unwrap_or((4, 4));
                types.intern(Type::Matrix { scalar, columns, rows })
            }
            Shape::Texture(_) | Shape::Image(_) => {
                let ty = self.texture.map_or(Type::Error, Type::Opaque);
                types.intern(ty)
            }
            Shape::Texel if self.compares() => vector(types, Scalar::Float, 1),
            Shape::Texel | Shape::Texel4 => vector(types, sampled, 4),
            Shape::Coord => vector(types, Scalar::Float, dims + layers + shadow),
            Shape::CoordBare => vector(types, Scalar::Float, dims + layers),
            Shape::CoordDim | Shape::Grad => vector(types, Scalar::Float, dims),
            Shape::CoordProj => vector(types, Scalar::Float, dims + 1),
            Shape::Fetch => vector(types, Scalar::Int, self.texel_extent()),
            Shape::Offset => vector(types, Scalar::Int, dims),
            Shape::Offsets => {
                let element = vector(types, Scalar::Int, dims);
                types.intern(Type::Array(element, crate::ty::Length::Known(4)))
            }
            Shape::Size => vector(types, Scalar::Int, self.size_extent()),
            Shape::Datum => vector(types, sampled, 1),
            Shape::Counter => types.intern(Type::Opaque(Opaque::AtomicCounter)),
            Shape::RayQuery => types.intern(Type::Opaque(Opaque::RayQuery)),
            Shape::HitObject(which) => types.intern(Type::Opaque(Opaque::HitObject(which))),
            Shape::Acceleration => types.intern(Type::Opaque(Opaque::AccelerationStructure)),
            Shape::Weights => types.intern(Type::Opaque(Opaque::Texture {
                scalar: Scalar::Float,
                dim: Dim::D2,
                arrayed: true,
                multisampled: false,
                shadow: false,
                access: Access::Sampled,
                external: false,
            })),
            Shape::Several(count, components) => {
                let element = vector(types, scalar, components);
                types.intern(Type::Array(element, crate::ty::Length::Known(count)))
            }
        }
    }

    /// The scalar of the texture's texels.
    fn scalar(&self) -> Scalar {
        match self.texture {
            Some(Opaque::Texture { scalar, .. }) => scalar,
            _ => Scalar::Float,
        }
    }

    /// Whether the texture compares.
    fn compares(&self) -> bool {
        matches!(self.texture, Some(Opaque::Texture { shadow: true, .. }))
    }

    /// Dimensions of a coordinate, components for the layer, components for the reference.
    fn extent(&self) -> (u8, u8, u8) {
        let Some(Opaque::Texture { dim, arrayed, shadow, .. }) = self.texture else { return (2, 0, 0) };
        let dims = match dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Subpass | Dim::Tile => 2,
            Dim::D3 | Dim::Cube => 3,
        };
        // The coordinate of `sampler1DShadow` has a component that is not used; the one of
        // `samplerCubeArrayShadow` has no room, its reference stands apart.
        let reference = match (dim, arrayed, shadow) {
            (_, _, false) => 0,
            (Dim::D1, false, true) => 2,
            (Dim::Cube, true, true) => return (3, 1, 0),
            _ => 1,
        };
        (dims, u8::from(arrayed), reference)
    }

    /// Components of an integer coordinate: cubes count their faces as layers.
    fn texel_extent(&self) -> u8 {
        match self.texture {
            Some(Opaque::Texture { dim: Dim::Cube, .. }) => 3,
            _ => {
                let (dims, layers, _) = self.extent();
                dims + layers
            }
        }
    }

    /// Components of a size.
    fn size_extent(&self) -> u8 {
        match self.texture {
            Some(Opaque::Texture { dim: Dim::Cube, arrayed, .. }) => 2 + u8::from(arrayed),
            _ => self.texel_extent(),
        }
    }
}

/// Whether a pattern of textures takes a type.
fn takes(shape: Shape, shapes: Shapes, opaque: Opaque) -> Option<()> {
    let Opaque::Texture { dim, arrayed, multisampled, shadow, access, external, .. } = opaque else {
        return None;
    };
    let image = matches!(shape, Shape::Image(_));
    let storage = access == Access::Storage && !matches!(dim, Dim::Subpass | Dim::Tile);
    let own = if external { EXTERNAL } else { Shapes::of(dim, arrayed, multisampled, shadow) };
    (image == storage && shapes.0 & own.0 != 0).then_some(())
}

/// A scalar (one component) or vector.
fn vector(types: &mut Types, scalar: Scalar, n: u8) -> Ty {
    types.intern(if n == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, n) })
}
