//! Constructors: values of a type made from others.

use super::checker::Checker;
use crate::ast::{self, TypeSpec};
use crate::builtin::When;
use crate::hir::{ExprId, ExprKind};
use crate::numeric::Num;
use crate::token::At;
use crate::ty::{Access, Length, Opaque, Scalar, Ty, Type};

/// Textures and images by handles that the host hands to shaders as numbers.
const BINDLESS: &str = "GL_ARB_bindless_texture";

impl<'a> Checker<'a> {
    /// `vec3(a, b)`, `float[2](a, b)`, `S(a)`
    pub(super) fn constructor(&mut self, spec: &'a TypeSpec, args: &'a [ast::ExprId], at: At) -> ExprId {
        let ty = self.resolve(spec, &[]);
        self.constructor_of(ty, args, at)
    }

    /// `(vec3) a`: a constructor of numbers and addresses. [GL_NV_explicit_typecast]
    pub(super) fn cast(&mut self, spec: &'a TypeSpec, args: &'a [ast::ExprId], at: At) -> ExprId {
        let ty = self.resolve(spec, &[]);
        let fits = self.numeric(ty).is_some() || matches!(self.ty(ty), Type::Reference(_));
        if !fits && ty != self.known.error {
            let message =
                format!("`{}` is no scalar, vector, matrix or address to cast to", self.name_of(ty));
            self.error(at, message);
            return self.wrong(at);
        }
        self.constructor_of(ty, args, at)
    }

    /// A constructor of a type.
    pub(super) fn constructor_of(&mut self, ty: Ty, args: &'a [ast::ExprId], at: At) -> ExprId {
        let parts: Vec<ExprId> = args.iter().map(|&arg| self.expr(arg)).collect();
        if ty == self.known.error || parts.iter().any(|&part| self.is_error(part)) {
            return self.wrong(at);
        }
        for &part in &parts {
            self.must_be_readable(part);
        }
        let by_handle = self.enabled.has(BINDLESS) && self.is_handle(&parts);
        let of_texture = self.is_of_texture(ty, &parts);
        match *self.ty(ty) {
            Type::Array(element, length) => self.construct_array(ty, element, length, parts, at),
            Type::Struct(id) => {
                let members: Vec<Ty> = self.types.structure(id).members.iter().map(|m| m.ty).collect();
                self.construct_struct(ty, &members, parts, at)
            }
            Type::Opaque(Opaque::Texture { access: Access::Sampled | Access::Storage, .. }) if by_handle => {
                let precision = self.highest(&parts);
                self.push(ExprKind::Construct(parts), ty, precision, at)
            }
            Type::Opaque(opaque @ Opaque::Texture { access: Access::Sampled, .. }) => {
                self.combine(ty, opaque, parts, at)
            }
            _ if of_texture => self.push(ExprKind::Construct(parts), ty, None, at),
            Type::Reference(_) => self.construct_reference(ty, parts, at),
            Type::Coop(scalar, id) => self.construct_coop(ty, scalar, id, parts, at),
            Type::Opaque(Opaque::AccelerationStructure) => self.address_of_structure(ty, parts, at),
            _ => match self.numeric(ty) {
                Some(shape) => self.construct_numeric(ty, shape, parts, at),
                None => {
                    let message = format!("`{}` has no constructor", self.name_of(ty));
                    self.error(at, message);
                    self.wrong(at)
                }
            },
        }
    }

    /// Whether some parts are one handle: 64 bits, or two halves. [GL_ARB_bindless_texture]
    fn is_handle(&mut self, parts: &[ExprId]) -> bool {
        let wide = self.vector(Scalar::Uint64, 1);
        let halves = [Scalar::Uint, Scalar::Int].map(|scalar| self.vector(scalar, 2));
        let is_number = |ty| ty == wide || halves.contains(&ty);
        matches!(parts, &[part] if is_number(self.ty_of(part)))
    }

    /// Whether memory may hold the handles of all that is opaque in a type. [GL_ARB_bindless_texture]
    pub(super) fn is_kept_by_handle(&self, ty: Ty) -> bool {
        self.enabled.has(BINDLESS) && self.has_textures_alone(ty)
    }

    /// Whether an input may be such textures or images: their handles come in.
    pub(super) fn is_texture_by_handle(&self, ty: Ty) -> bool {
        matches!(self.ty(self.innermost(ty)), Type::Opaque(_)) && self.is_kept_by_handle(ty)
    }

    /// Whether all that is opaque in a type are textures with their samplers, or images.
    fn has_textures_alone(&self, ty: Ty) -> bool {
        match *self.ty(ty) {
            Type::Opaque(Opaque::Texture { access, .. }) => access != Access::Texture,
            Type::Opaque(_) => false,
            Type::Array(element, _) => self.has_textures_alone(element),
            Type::Struct(id) => {
                self.types.structure(id).members.iter().all(|member| self.has_textures_alone(member.ty))
            }
            _ => true,
        }
    }

    /// What to do where nothing of opaque type may stand: with bindless textures, their handles may.
    pub(super) fn instead_of_opaque(&self, otherwise: &'static str) -> &'static str {
        match self.enabled.has(BINDLESS) {
            true => "keep the handle, a `uvec2`, and write `sampler2D(handle)` where it is used",
            false => otherwise,
        }
    }

    /// Whether a constructor asks for the handle of a texture. [GL_ARB_bindless_texture]
    fn is_of_texture(&mut self, ty: Ty, parts: &[ExprId]) -> bool {
        let handles = [self.vector(Scalar::Uint64, 1), self.vector(Scalar::Uint, 2)];
        let is_texture = |ty| matches!(self.ty(ty), Type::Opaque(_)) && self.is_kept_by_handle(ty);
        handles.contains(&ty) && matches!(parts, &[part] if is_texture(self.ty_of(part)))
    }

    /// `accelerationStructureEXT(a)`: by its address, of 64 bits or in two halves.
    fn address_of_structure(&mut self, ty: Ty, parts: Vec<ExprId>, at: At) -> ExprId {
        let wide = self.vector(Scalar::Uint64, 1);
        let halves = self.vector(Scalar::Uint, 2);
        match parts.as_slice() {
            &[part] if self.ty_of(part) == wide || self.ty_of(part) == halves => {
                self.push(ExprKind::Construct(parts), ty, None, at)
            }
            _ => {
                let help = "give its address, a `uvec2` or `uint64_t`";
                self.error(at, "an acceleration structure is made of an address").help.push(help.into());
                self.wrong(at)
            }
        }
    }

    /// `sampler2D(t, s)`: a texture and a sampler.
    fn combine(&mut self, ty: Ty, made: Opaque, parts: Vec<ExprId>, at: At) -> ExprId {
        let texture = |opaque| match opaque {
            Opaque::Texture { scalar, dim, arrayed, multisampled, .. } => {
                Some((scalar, dim, arrayed, multisampled))
            }
            _ => None,
        };
        let kinds: Vec<&Type> = parts.iter().map(|&part| self.ty(self.ty_of(part))).collect();
        let fits = match kinds.as_slice() {
            [
                Type::Opaque(first @ Opaque::Texture { access: Access::Texture, .. }),
                // Whether the sampler compares is reported by the words that use it.
                Type::Opaque(Opaque::Sampler { .. }),
            ] => texture(*first) == texture(made),
            _ => false,
        };
        if !fits {
            let message = format!("`{}` is made from a texture of its kind and a sampler", self.name_of(ty));
            self.error(at, message);
            return self.wrong(at);
        }
        let precision = self.highest(&parts);
        let what = crate::intrinsic::Intrinsic::Instruction(spirv::Op::SampledImage);
        self.push(ExprKind::Intrinsic(what, parts), ty, precision, at)
    }

    fn construct_array(&mut self, ty: Ty, element: Ty, length: Length, parts: Vec<ExprId>, at: At) -> ExprId {
        const ARRAYS: When = When::since(300, 120).or(&["GL_3DL_array_objects"]);
        self.require(at, "a constructor of an array", ARRAYS);
        let expected = match length {
            Length::Known(n) => n as usize,
            _ => parts.len(),
        };
        if parts.len() != expected || parts.is_empty() {
            let message =
                format!("`{}` has {expected} elements, {} are given", self.name_of(ty), parts.len());
            self.error(at, message);
            return self.wrong(at);
        }
        let element = parts.iter().fold(element, |element, &part| {
            let other = self.ty_of(part);
            self.sized_by(element, other)
        });
        let ty = self.types.intern(Type::Array(element, Length::Known(parts.len() as u32)));
        let parts =
            parts.into_iter().map(|part| self.coerce(part, element, "wrong type of element")).collect();
        self.construct(parts, ty, at)
    }

    fn construct_struct(&mut self, ty: Ty, members: &[Ty], parts: Vec<ExprId>, at: At) -> ExprId {
        if parts.len() != members.len() {
            let message = format!(
                "`{}` has {} members, {} values are given",
                self.name_of(ty),
                members.len(),
                parts.len()
            );
            self.error(at, message);
            return self.wrong(at);
        }
        if self.has_opaque(ty) {
            self.error(at, "a structure with an opaque member has no constructor");
            return self.wrong(at);
        }
        let parts = parts
            .into_iter()
            .zip(members)
            .map(|(part, &member)| self.coerce(part, member, "wrong type of member"))
            .collect();
        self.construct(parts, ty, at)
    }

    /// Scalars, vectors and matrices.
    fn construct_numeric(&mut self, ty: Ty, shape: Num, parts: Vec<ExprId>, at: At) -> ExprId {
        if let [part] = *parts
            && matches!(self.ty(self.ty_of(part)), Type::Reference(_))
        {
            return self.number_of_reference(part, ty, at);
        }
        if let [part] = *parts
            && matches!(self.ty(self.ty_of(part)), Type::Coop(..))
        {
            return self.construct_from_coop(part, ty, at);
        }
        let mut shapes = Vec::with_capacity(parts.len());
        for &part in &parts {
            let part_shape = self.numeric(self.ty_of(part)).filter(|shape| !shape.is_coop());
            let Some(part_shape) = part_shape else {
                let (at, found) = (self.at(part).at, self.name_of(self.ty_of(part)));
                let name = self.name_of(ty);
                self.error(at, format!("`{name}` cannot be made from `{found}`"));
                return self.wrong(at);
            };
            if !self.must_be_convertible(part, part_shape.scalar, shape.scalar) {
                return self.wrong(at);
            }
            shapes.push(part_shape);
        }
        match (parts.as_slice(), shapes.as_slice()) {
            ([], _) => {
                let name = self.name_of(ty);
                self.error(at, format!("`{name}()` needs a value"));
                self.wrong(at)
            }
            (&[part], &[from]) => self.construct_from_one(part, from, ty, shape, at),
            _ => self.construct_from_many(parts, &shapes, ty, shape, at),
        }
    }

    /// Reports of what does not become a small float, or comes of one.
    pub(super) fn must_be_convertible(&mut self, part: ExprId, from: Scalar, to: Scalar) -> bool {
        if from == to || !from.is_small() && !to.is_small() {
            return true;
        }
        let (at, found) = (self.at(part).at, super::report::scalar_name(from));
        let name = super::report::scalar_name(to);
        if from == Scalar::Bool || to == Scalar::Bool {
            self.error(at, format!("`{name}` cannot be made from `{found}`"));
            return false;
        }
        match to {
            Scalar::Small(small) if small.is_packed() && self.bits(part).is_none() => {
                self.error(at, format!("`{name}` is made from constants alone"))
                    .help
                    .push("take its bits from integers".into());
                false
            }
            _ => true,
        }
    }

    /// The first versions had no matrices made from matrices. Shaders of ES rely on drivers that take
    /// them all the same; on the desktop drivers refuse them.
    fn check_matrix_of_matrix(&mut self, at: At) {
        if self.at_least(300, 120) {
            return;
        }
        let message = "a matrix made from a matrix is not in this version of the language";
        const LATER: &str = "`#version 300 es` or `#version 120` has it";
        if self.is_es() {
            self.warning(at, message).notes.push(LATER.into());
            return;
        }
        let error = self.error(at, message);
        error.notes.push(LATER.into());
        error.help.push("a shader of GLSL ES begins with `#version 100`, where it is taken".into());
    }

    fn construct_from_one(&mut self, part: ExprId, from: Num, ty: Ty, shape: Num, at: At) -> ExprId {
        if shape.is_matrix() {
            if from.is_matrix() {
                self.check_matrix_of_matrix(at);
            } else if !from.is_scalar() && from.count() != shape.count() {
                return self.wrong_count(ty, from.count(), shape.count(), at);
            }
            let part = self.convert_scalars(part, shape);
            return self.construct_matrix(part, ty, shape, at);
        }
        if shape.is_scalar() && from.is_scalar() {
            return self.convert_or_copy(part, shape, at);
        }
        if !from.is_scalar() && from.count() < shape.count() {
            return self.wrong_count(ty, from.count(), shape.count(), at);
        }
        if from.is_matrix() && shape.rows > 4 {
            let (name, found) = (self.name_of(ty), self.name_of(self.ty_of(part)));
            self.error(at, format!("`{name}` cannot be made from `{found}`"));
            return self.wrong(at);
        }
        if from.is_matrix() {
            return self.unroll(part, from, shape, shape.rows, at);
        }
        let part = self.convert_scalars(part, shape);
        if shape.rows > 4 && from.rows != shape.rows {
            return self.long_from_one(part, ty, shape.rows, at);
        }
        let which = if from.is_scalar() { [0; 4] } else { [0, 1, 2, 3] };
        if from.rows == shape.rows {
            return part;
        }
        self.pick(part, which, shape.rows, at)
    }

    /// The same scalar, or another of the same value.
    fn convert_or_copy(&mut self, part: ExprId, shape: Num, at: At) -> ExprId {
        let made = self.convert_scalars(part, shape);
        self.exprs[made.0 as usize].at = at;
        made
    }

    /// Several parts: together enough, and none that is not needed.
    fn construct_from_many(
        &mut self,
        parts: Vec<ExprId>,
        shapes: &[Num],
        ty: Ty,
        shape: Num,
        at: At,
    ) -> ExprId {
        let needed = shape.count();
        if shape.is_scalar() {
            let message = format!("`{}` takes one value, {} are given", self.name_of(ty), parts.len());
            self.error(at, message);
            return self.wrong(at);
        }
        if shape.is_matrix() && shapes.iter().any(|part| part.is_matrix()) {
            self.error(at, "a matrix is made from one matrix, or from scalars and vectors");
            return self.wrong(at);
        }
        if shape.rows > 4 && shapes.iter().any(|part| part.is_matrix()) {
            let name = self.name_of(ty);
            self.error(at, format!("`{name}` is made from scalars and vectors"));
            return self.wrong(at);
        }
        let given: usize = shapes.iter().map(|part| part.count()).sum();
        let before_last = given - shapes.last().map_or(0, |part| part.count());
        if given < needed || before_last >= needed {
            return self.wrong_count(ty, given, needed, at);
        }
        let rest = (needed - before_last) as u8;
        let mut parts: Vec<ExprId> = parts
            .into_iter()
            .zip(shapes)
            .map(|(part, &from)| match from.is_matrix() {
                true => self.unroll(part, from, shape, (from.count() as u8).min(rest), at),
                false => self.convert_scalars(part, shape),
            })
            .collect();
        if let (Some(last), Some(from)) = (parts.last_mut(), shapes.last())
            && given > needed
            && from.is_vector()
        {
            let last_at = self.exprs[last.0 as usize].at;
            if rest > 4 {
                let short = self.vector(shape.scalar, rest);
                *last = self.long_from_one(*last, short, rest, last_at);
                return self.flatten(parts, ty, at);
            }
            *last = self.pick(*last, [0, 1, 2, 3], rest, last_at);
        }
        self.flatten(parts, ty, at)
    }

    /// The first components of a matrix as a vector of another scalar type.
    fn unroll(&mut self, part: ExprId, from: Num, to: Num, count: u8, at: At) -> ExprId {
        let vector = self.vector(from.scalar, count.clamp(2, 4));
        let part = self.flatten(vec![part], vector, at);
        let part = self.pick(part, [0, 1, 2, 3], count.min(4), at);
        self.convert_scalars(part, to)
    }

    /// A vector or matrix of its parts one after another; what is left of the last is dropped.
    fn flatten(&mut self, parts: Vec<ExprId>, ty: Ty, at: At) -> ExprId {
        let precision = self.highest(&parts);
        let count = self.scalars(ty);
        if parts.iter().all(|&part| self.bits(part).is_some()) {
            let bits = parts.iter().flat_map(|&part| self.bits(part).unwrap_or_default().iter().copied());
            let bits: Vec<u64> = bits.take(count).collect();
            return self.push(ExprKind::Constant(bits.into()), ty, precision, at);
        }
        self.push(ExprKind::Construct(parts), ty, precision, at)
    }

    /// A matrix from a scalar (its diagonal), a matrix, or a vector with all its parts.
    fn construct_matrix(&mut self, part: ExprId, ty: Ty, shape: Num, at: At) -> ExprId {
        let precision = self.at(part).precision;
        let Some(from) = self.numeric(self.ty_of(part)) else { return self.wrong(at) };
        let Some(bits) = self.bits(part) else {
            if from == shape {
                return part;
            }
            return self.push(ExprKind::Construct(vec![part]), ty, precision, at);
        };
        let one = super::fold::one(shape.scalar);
        let mut made = Vec::with_capacity(shape.count());
        for column in 0..shape.columns {
            for row in 0..shape.rows {
                made.push(match (from.is_scalar(), from.is_matrix()) {
                    (true, _) if row == column => bits[0],
                    (true, _) => 0,
                    (_, true) if column < from.columns && row < from.rows => {
                        bits[usize::from(column) * usize::from(from.rows) + usize::from(row)]
                    }
                    (_, true) if row == column => one,
                    (_, true) => 0,
                    _ => bits[made.len()],
                });
            }
        }
        self.push(ExprKind::Constant(made.into()), ty, precision, at)
    }

    fn wrong_count(&mut self, ty: Ty, given: usize, needed: usize, at: At) -> ExprId {
        let name = self.name_of(ty);
        let message = match given < needed {
            true => format!("`{name}` needs {needed} components, {given} are given"),
            false => format!("`{name}` has {needed} components, more are given"),
        };
        self.error(at, message);
        self.wrong(at)
    }
}
