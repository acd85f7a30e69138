//! Calls of functions of the language: their arguments, rules of single ones, precisions.

use super::checker::Checker;
use super::overload::Param;
use crate::builtin::When;
use crate::builtin::functions::Row;
use crate::hir::{ExprId, ExprKind, Passing};
use crate::intrinsic::Math;
use crate::intrinsic::{Intrinsic, Sampling};
use crate::qualifier::Storage;
use crate::token::At;
use crate::ty::{Access, Dim, Opaque, Scalar, Ty, Type};
impl Checker<'_> {
    /// A call of a function of the language.
    pub(super) fn call_language(
        &mut self,
        row: &'static Row,
        result: Ty,
        params: &[Param],
        args: Vec<ExprId>,
        at: At,
    ) -> ExprId {
        self.check_client_function(row, at);
        let mut passed = Vec::with_capacity(args.len());
        for (arg, param) in args.into_iter().zip(params) {
            passed.push(match param.passing {
                Passing::Inout => self.memory_place(arg, at),
                Passing::Out => {
                    let written = self.must_be_place(arg, "this argument is written");
                    if written { arg } else { self.wrong(at) }
                }
                _ => {
                    self.must_be_readable(arg);
                    let arg = self.convert(arg, param.ty);
                    self.inlined(arg)
                }
            });
        }
        if passed.iter().any(|&arg| self.is_error(arg)) {
            return self.wrong(at);
        }
        self.with_payload(row, &mut passed);
        self.check_language(row, &passed, at);
        if row.when.only_with("GL_KHR_memory_scope_semantics") {
            self.check_ordering(row, &passed);
        }
        let precision = self.language_precision(row.what, result, &passed);
        if let Some(bits) = self.fold_call(row.what, &passed, result) {
            return self.push(ExprKind::Constant(bits), result, precision, at);
        }
        match row.what {
            Intrinsic::Ftransform => {
                // What it reads has to be among the program's variables.
                self.builtin_place("gl_ModelViewProjectionMatrix", at);
                self.builtin_place("gl_Vertex", at);
                self.push(ExprKind::Intrinsic(row.what, passed), result, None, at)
            }
            Intrinsic::Sample(sampling) if self.compares_to_vector(result, &passed, sampling) => {
                self.luminance(row.what, passed, result, at)
            }
            what => self.push(ExprKind::Intrinsic(what, passed), result, precision, at),
        }
    }

    /// A constant that is stored once, as a constant by itself: offsets have to be one.
    fn inlined(&mut self, arg: ExprId) -> ExprId {
        let expr = self.at(arg);
        let (ty, at) = (expr.ty, expr.at);
        match (&expr.kind, self.bits(arg).map(Box::from)) {
            (ExprKind::Global(_), Some(bits)) => self.push(ExprKind::Constant(bits), ty, None, at),
            _ => arg,
        }
    }

    fn memory_place(&mut self, arg: ExprId, at: At) -> ExprId {
        if self.is_memory(arg) {
            return arg;
        }
        let arg_at = self.at(arg).at;
        self.error(arg_at, "an atomic function works on a variable of a buffer or a `shared` one");
        self.wrong(at)
    }

    /// Whether an old function gives four components of a comparison.
    fn compares_to_vector(&self, result: Ty, args: &[ExprId], sampling: Sampling) -> bool {
        let shadow = args.first().is_some_and(|&sampler| {
            matches!(self.ty(self.ty_of(sampler)), Type::Opaque(Opaque::Texture { shadow: true, .. }))
        });
        shadow && !sampling.gather && matches!(self.ty(result), Type::Vector(..))
    }

    /// What `shadow2D` gives of a comparison: the result in three components, then one, as the
    /// depth texture mode `LUMINANCE` has it.
    fn luminance(&mut self, what: Intrinsic, args: Vec<ExprId>, result: Ty, at: At) -> ExprId {
        let (float, colour) = (self.known.float, self.vector(Scalar::Float, 3));
        let value = self.push(ExprKind::Intrinsic(what, args), float, None, at);
        let equal = self.push(ExprKind::Swizzle(value, [0; 4]), colour, None, at);
        let one = self.constant([u64::from(1f32.to_bits())], float, at);
        self.push(ExprKind::Construct(vec![equal, one]), result, None, at)
    }

    /// Textures give their sampler's precision; others the highest of their arguments'.
    fn language_precision(
        &self,
        what: Intrinsic,
        result: Ty,
        args: &[ExprId],
    ) -> Option<crate::qualifier::Precision> {
        if result == self.known.void || result == self.known.bool {
            return None;
        }
        match what {
            Intrinsic::Sample(_) | Intrinsic::ImageLoad | Intrinsic::ImageAtomic(_) => {
                args.first().and_then(|&first| self.at(first).precision)
            }
            Intrinsic::TextureSize
            | Intrinsic::ImageSize
            | Intrinsic::Atomic(_)
            | Intrinsic::AtomicCounter(_)
            | Intrinsic::Math(
                Math::FloatBitsToInt
                | Math::FloatBitsToUint
                | Math::IntBitsToFloat
                | Math::UintBitsToFloat
                | Math::PackUnorm2x16
                | Math::PackSnorm2x16
                | Math::PackHalf2x16
                | Math::PackUnorm4x8
                | Math::PackSnorm4x8
                | Math::UnpackUnorm2x16
                | Math::UnpackSnorm2x16,
            ) => self.is_es().then_some(crate::qualifier::Precision::High),
            Intrinsic::Math(Math::UnpackHalf2x16 | Math::UnpackUnorm4x8 | Math::UnpackSnorm4x8) => {
                self.is_es().then_some(crate::qualifier::Precision::Medium)
            }
            Intrinsic::Math(Math::BitCount | Math::FindLsb | Math::FindMsb) => {
                self.is_es().then_some(crate::qualifier::Precision::Low)
            }
            _ => self.highest(args),
        }
    }

    /// Rules of single functions.
    fn check_language(&mut self, row: &'static Row, args: &[ExprId], at: At) {
        match row.what {
            Intrinsic::Sample(sampling) => {
                self.check_samplerless(row, args, at);
                self.check_sampling(sampling, args);
            }
            Intrinsic::TextureSize | Intrinsic::TextureQueryLevels | Intrinsic::TextureSamples => {
                self.check_samplerless(row, args, at);
            }
            Intrinsic::GatherMode { offset, .. } => {
                self.check_component(args.get(2 + usize::from(offset)).copied());
            }
            Intrinsic::ImageLoad
            | Intrinsic::ImageLoadLevel
            | Intrinsic::SparseImageLoadLevel
            | Intrinsic::ImageStore
            | Intrinsic::ImageStoreLevel => {
                let Some(layout) = args.first().and_then(|&image| self.image_layout(image)) else { return };
                let stores = matches!(row.what, Intrinsic::ImageStore | Intrinsic::ImageStoreLevel);
                if !stores && layout.write_only {
                    self.error(at, "the image is `writeonly` and cannot be loaded");
                } else if stores && layout.read_only {
                    self.error(at, "the image is `readonly` and cannot be stored");
                }
            }
            Intrinsic::ImageAtomic(_) => self.check_image_atomic(row, args, at),
            Intrinsic::InterpolateAtCentroid
            | Intrinsic::InterpolateAtSample
            | Intrinsic::InterpolateAtOffset
            | Intrinsic::InterpolateAtVertex => {
                let Some(&first) = args.first() else { return };
                let input = self.root(first).is_some_and(|id| self.global(id).storage == Storage::In);
                let whole = !self.is_es() || self.is_interpolant(first);
                if !input || !whole {
                    self.error(at, format!("`{}` takes an input of the fragment shader", row.name));
                }
            }
            _ => self.check_device_function(row, args, at),
        }
    }

    /// Whether an expression is an input, or an element of one: GLSL ES takes no part of either.
    fn is_interpolant(&self, mut id: ExprId) -> bool {
        loop {
            match self.at(id).kind {
                ExprKind::Global(_) => return true,
                ExprKind::Index(base, _) if matches!(self.ty(self.ty_of(base)), Type::Array(..)) => id = base,
                ExprKind::Member(base, _) => {
                    let block = self.root(base).is_some_and(|global| self.global(global).block.is_some());
                    return block && !matches!(self.at(base).kind, ExprKind::Member(..));
                }
                _ => return false,
            }
        }
    }

    /// Functions of a texture without a sampler come with an extension.
    fn check_samplerless(&mut self, row: &'static Row, args: &[ExprId], at: At) {
        const BARE: When = When::with(&["GL_EXT_samplerless_texture_functions"]);
        let Some(&texture) = args.first() else { return };
        let ty = self.ty(self.ty_of(texture));
        let bare = |opaque: &Opaque| match opaque {
            Opaque::Texture { access, dim, .. } => *access == Access::Texture && *dim != Dim::Buffer,
            _ => false,
        };
        if matches!(ty, Type::Opaque(opaque) if bare(opaque)) {
            self.require(at, &format!("`{}` of a texture without a sampler", row.name), BARE);
        }
    }

    fn check_image_atomic(&mut self, row: &'static Row, args: &[ExprId], at: At) {
        use spirv::ImageFormat::{R32f, R32i, R32ui, R64i, R64ui, Rg16f, Rgba16f};
        let Some(&image) = args.first() else { return };
        let Type::Opaque(Opaque::Texture { scalar, .. }) = *self.ty(self.ty_of(image)) else { return };
        let halves = args.last().and_then(|&value| self.numeric(self.ty_of(value)));
        let halves = halves.filter(|shape| shape.scalar == Scalar::Float16).map_or(0, |shape| shape.rows);
        let exchange = row.name == "imageAtomicExchange" || self.enabled.has("GL_EXT_shader_atomic_float");
        if scalar == Scalar::Float && !exchange && halves == 0 {
            self.error(at, format!("`{}` takes an image of integers", row.name));
        }
        let format = self.image_layout(image).and_then(|layout| layout.format);
        let (fits, wanted) = match halves {
            2 => (format == Some(Rg16f), "`rg16f`"),
            4 => (format == Some(Rgba16f), "`rgba16f`"),
            _ => {
                let single = |format| matches!(format, R32f | R32i | R32ui | R64i | R64ui);
                (format.is_some_and(single), "`r32i` or `r32ui`")
            }
        };
        // A parameter without a format takes images of any; what is passed has one.
        let is_open = format.is_none() && matches!(self.at(image).kind, ExprKind::Local(_));
        if !fits && !is_open {
            let error = self.error(at, format!("this atomic function takes an image of format {wanted}"));
            let help = "write `layout(r32ui)` before the image";
            error.help.extend(format.is_none().then(|| help.to_owned()));
        }
    }

    /// Which component is gathered.
    fn check_component(&mut self, component: Option<ExprId>) {
        let Some(component) = component else { return };
        let value = self.bits(component).and_then(<[u64]>::first).copied();
        if value.is_none_or(|value| value > 3) {
            let at = self.at(component).at;
            self.error(at, "the component must be a constant from 0 to 3");
        }
    }

    /// Offsets and components are constants, within their bounds.
    fn check_sampling(&mut self, sampling: Sampling, args: &[ExprId]) {
        if sampling.component {
            let behind = 1 + usize::from(sampling.bias);
            self.check_component(args.len().checked_sub(behind).map(|at| args[at]));
        }
        let constant = sampling.offsets || (sampling.offset && !sampling.gather);
        let Some(&offset) = constant.then(|| args.get(offset_position(sampling, args.len()))).flatten()
        else {
            return;
        };
        let at = self.at(offset).at;
        let Some(bits) = self.bits(offset).map(<[u64]>::to_vec) else {
            let free = self.enabled.has("GL_EXT_texture_offset_non_const")
                || sampling.gather && self.enabled.has("GL_NV_gpu_shader5");
            if !self.is_spec(offset) && !free {
                self.error(at, "the offset must be a constant expression");
            }
            return;
        };
        let (least, most) = if sampling.gather { (-32, 31) } else { (-8, 7) };
        if bits.iter().any(|&n| !(least..=most).contains(&(n as u32 as i32))) {
            self.error(at, format!("an offset must lie from {least} to {most}"));
        }
    }
}

/// Where the offset stands among the arguments.
fn offset_position(sampling: Sampling, count: usize) -> usize {
    let behind = usize::from(sampling.bias)
        + usize::from(sampling.component)
        + usize::from(sampling.clamp)
        + usize::from(sampling.sparse);
    count.saturating_sub(1 + behind)
}
