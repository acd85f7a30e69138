//! Footprints of textures: which texels a sample would touch. [GL_NV_shader_texture_footprint]

use super::call::Call;
use super::checker::Checker;
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Intrinsic, Sampling};
use crate::ty::{Access, Dim, Opaque, Scalar, Ty, Type};

impl Checker<'_> {
    /// Calls a function of footprints, if the first argument is a texture.
    pub(super) fn footprint_call(
        &mut self,
        mut how: Sampling,
        args: &[ExprId],
        call: &Call<'_>,
    ) -> Option<ExprId> {
        let &first = args.first()?;
        let Type::Opaque(texture @ Opaque::Texture { .. }) = *self.ty(self.ty_of(first)) else {
            return None;
        };
        let Call { name, name_at, at, .. } = *call;
        let Some(rows) = footprint_rows(texture) else {
            let (at, found) = (self.at(first).at, self.name_of(self.ty_of(first)));
            self.error(at, format!("a `sampler2D` or `sampler3D` has a footprint, found `{found}`"));
            return Some(self.wrong(at));
        };
        let mut wanted = self.footprint_types(how, rows);
        let may_bias = !(how.level || how.gradients);
        if may_bias && args.len() == wanted.len() + 2 {
            how.bias = true;
            wanted.push(self.known.float);
        }
        if args.len() != wanted.len() + 1 {
            let text = self.text(name);
            self.error(
                name_at,
                format!("`{text}` takes {} arguments, {} are given", wanted.len() + 1, args.len()),
            );
            return Some(self.wrong(at));
        }
        let mut passed = vec![args[0]];
        for (&arg, &ty) in args[1..].iter().zip(&wanted) {
            passed.push(match self.ty(ty) {
                Type::Struct(_) => self.footprint_place(arg, ty),
                _ => self.coerce(arg, ty, "an argument of a footprint's function"),
            });
        }
        if passed.iter().any(|&arg| self.is_error(arg)) {
            return Some(self.wrong(at));
        }
        Some(self.push(ExprKind::Intrinsic(Intrinsic::Footprint(how), passed), self.known.bool, None, at))
    }

    /// Types of the arguments behind the texture, without a bias.
    fn footprint_types(&mut self, how: Sampling, rows: u8) -> Vec<Ty> {
        let (coordinate, float) = (self.vector(Scalar::Float, rows), self.known.float);
        let name = if rows == 2 { "gl_TextureFootprint2DNV" } else { "gl_TextureFootprint3DNV" };
        let symbol = self.symbols.intern(name);
        let footprint = self.builtin_structure(symbol).unwrap_or(self.known.error);
        let mut types = vec![coordinate];
        types.extend(how.level.then_some(float));
        types.extend(how.gradients.then_some([coordinate; 2]).into_iter().flatten());
        types.extend(how.clamp.then_some(float));
        types.extend([self.known.int, self.known.bool, footprint]);
        types
    }

    fn footprint_place(&mut self, arg: ExprId, ty: Ty) -> ExprId {
        let at = self.at(arg).at;
        if self.is_error(arg) {
            return arg;
        }
        if self.ty_of(arg) != ty {
            let (expected, found) = (self.name_of(ty), self.name_of(self.ty_of(arg)));
            self.error(at, format!("the footprint goes to a variable of `{expected}`, found `{found}`"));
            return self.wrong(at);
        }
        if self.must_be_place(arg, "the footprint is written") { arg } else { self.wrong(at) }
    }
}

/// Components of the coordinate of a texture that has footprints.
fn footprint_rows(texture: Opaque) -> Option<u8> {
    match texture {
        Opaque::Texture {
            scalar: Scalar::Float,
            dim: dim @ (Dim::D2 | Dim::D3),
            arrayed: false,
            multisampled: false,
            shadow: false,
            access: Access::Sampled,
            ..
        } => Some(if dim == Dim::D2 { 2 } else { 3 }),
        _ => None,
    }
}
