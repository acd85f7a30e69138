//! Images: sampling, texels, questions.

use crate::body::Body;
use crate::error::{Res, fail};
use crate::words::Inst;
use chiaro_ir::{Dim, ImageType, Op, Query, Sampling, Ty, Type, Value};
use spirv::{ImageOperands as Mask, Op as S};

/// The optional operands of an image instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Extra {
    bias: Option<Value>,
    level: Option<Value>,
    gradients: Option<(Value, Value)>,
    offset: Option<Value>,
    sample: Option<Value>,
    minimum: Option<Value>,
}

impl Body<'_, '_> {
    /// Emits an instruction of this family.
    pub(crate) fn image_instruction(&mut self, inst: &Inst<'_>, op: S) -> Res<()> {
        let v = match op {
            S::ImageWrite => return self.image_write(inst),
            S::ImageFetch => self.fetch(inst)?,
            S::ImageRead => self.image_read(inst)?,
            S::ImageQuerySize => self.size(inst, false)?,
            S::ImageQuerySizeLod => self.size(inst, true)?,
            S::ImageQueryLevels => self.query(inst, Query::Levels)?,
            S::ImageQuerySamples => self.query(inst, Query::Samples)?,
            S::ImageQueryLod => self.query(inst, Query::Lod)?,
            _ => self.sample(inst, op)?,
        };
        self.set(inst, v)
    }

    /// The optional operands from the mask in operand word `i` on.
    fn extra(&mut self, inst: &Inst<'_>, i: usize) -> Res<Extra> {
        let mut extra = Extra::default();
        let Ok(bits) = inst.word(i) else { return Ok(extra) };
        let mask = Mask::from_bits_retain(bits);
        let mut at = i;
        let mut next = || {
            at += 1;
            inst.word(at)
        };
        if mask.contains(Mask::BIAS) {
            extra.bias = Some(self.value(next()?)?);
        }
        if mask.contains(Mask::LOD) {
            extra.level = Some(self.value(next()?)?);
        }
        if mask.contains(Mask::GRAD) {
            extra.gradients = Some((self.value(next()?)?, self.value(next()?)?));
        }
        if mask.intersects(Mask::CONST_OFFSET | Mask::OFFSET | Mask::CONST_OFFSETS) {
            extra.offset = Some(self.value(next()?)?);
        }
        if mask.contains(Mask::SAMPLE) {
            extra.sample = Some(self.value(next()?)?);
        }
        if mask.contains(Mask::MIN_LOD) {
            extra.minimum = Some(self.value(next()?)?);
        }
        // Scopes of availability; the barriers around say what counts.
        for flag in [Mask::MAKE_TEXEL_AVAILABLE, Mask::MAKE_TEXEL_VISIBLE] {
            if mask.contains(flag) {
                next()?;
            }
        }
        if mask.contains(Mask::OFFSETS) {
            extra.offset = Some(self.value(next()?)?);
        }
        self.flags.volatile |= mask.contains(Mask::VOLATILE_TEXEL);
        Ok(extra)
    }

    /// What an image, alone or with a sampler, holds.
    fn image_of(&self, v: Value) -> Res<ImageType> {
        match self.r.module.types.get(self.f.ty(v)) {
            Type::Image(image) | Type::SampledImage(image) => Ok(*image),
            _ => fail("an image is expected"),
        }
    }

    fn sample(&mut self, inst: &Inst<'_>, op: S) -> Res<Value> {
        use S::{
            ImageDrefGather, ImageGather, ImageSampleDrefExplicitLod, ImageSampleDrefImplicitLod,
            ImageSampleProjDrefExplicitLod, ImageSampleProjDrefImplicitLod, ImageSampleProjExplicitLod,
            ImageSampleProjImplicitLod,
        };
        let reference = matches!(
            op,
            ImageDrefGather
                | ImageSampleDrefExplicitLod
                | ImageSampleDrefImplicitLod
                | ImageSampleProjDrefExplicitLod
                | ImageSampleProjDrefImplicitLod
        );
        let projected = matches!(
            op,
            ImageSampleProjDrefExplicitLod
                | ImageSampleProjDrefImplicitLod
                | ImageSampleProjExplicitLod
                | ImageSampleProjImplicitLod
        );
        let gather = matches!(op, ImageDrefGather | ImageGather);
        let (image, coordinate) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let third = if reference || gather { Some(self.operand(inst, 4)?) } else { None };
        let extra = self.extra(inst, if third.is_some() { 5 } else { 4 })?;
        let sampling = Sampling {
            reference,
            projected,
            gather,
            bias: extra.bias.is_some(),
            level: extra.level.is_some(),
            gradients: extra.gradients.is_some(),
            offset: extra.offset.is_some(),
            minimum: extra.minimum.is_some(),
        };
        let mut args = vec![image, coordinate];
        args.extend(third.filter(|_| reference));
        args.extend([extra.bias, extra.level].into_iter().flatten());
        args.extend(extra.gradients.into_iter().flat_map(|(x, y)| [x, y]));
        args.extend(extra.offset);
        args.extend(third.filter(|_| !reference));
        args.extend(extra.minimum);
        self.texel(inst, Op::Sample(sampling), &args)
    }

    /// Emits an operation that gives texels, in the image's component type, as the
    /// instruction's type.
    fn texel(&mut self, inst: &Inst<'_>, op: Op, args: &[Value]) -> Res<Value> {
        let (_, ty) = self.result_ty(inst)?;
        let component = self.image_of(args[0])?.component;
        let n = self.r.module.types.components(ty);
        if self.r.module.types.scalar(ty) == component && (n == 4 || !matches!(op, Op::Fetch)) {
            return Ok(self.op(op, args, ty));
        }
        let wide = if matches!(op, Op::Fetch) { 4 } else { n.max(1) };
        let native = self.r.module.types.vector(component, wide);
        let mut v = self.op(op, args, native);
        if wide > n.max(1) {
            let narrow = self.r.module.types.vector(component, n.max(1));
            v = if n <= 1 { self.extract(v, 0)? } else { self.op(Op::Shuffle(first(n)), &[v, v], narrow) };
        }
        if self.f.ty(v) == ty {
            return Ok(v);
        }
        let convert = if self.r.module.types.is_float(ty) { Op::FToF } else { Op::ZExt };
        Ok(self.op(convert, &[v], ty))
    }

    fn fetch(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let (image, mut coordinate) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let extra = self.extra(inst, 4)?;
        if let Some(offset) = extra.offset {
            coordinate = self.shifted(coordinate, offset)?;
        }
        let kind = self.image_of(image)?;
        let mut args = vec![image, coordinate];
        if kind.multisampled {
            args.push(extra.sample.unwrap_or_else(|| self.int32(0)));
        } else if has_levels(&kind) {
            args.push(extra.level.unwrap_or_else(|| self.int32(0)));
        }
        if kind.storage {
            args.truncate(2);
            return self.texel(inst, Op::ImageRead, &args);
        }
        self.texel(inst, Op::Fetch, &args)
    }

    /// A coordinate with an offset added to its first components.
    fn shifted(&mut self, coordinate: Value, offset: Value) -> Res<Value> {
        let ty = self.f.ty(coordinate);
        let (mut at, by) = (self.scalars(coordinate)?, self.scalars(offset)?);
        for (at, by) in at.iter_mut().zip(by) {
            *at = self.same(Op::IAdd, &[*at, by]);
        }
        Ok(self.construct(&at, ty))
    }

    fn image_read(&mut self, inst: &Inst<'_>) -> Res<Value> {
        let (image, coordinate) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
        let extra = self.extra(inst, 4)?;
        let mut args = vec![image, coordinate];
        if self.image_of(image)?.multisampled {
            args.push(extra.sample.unwrap_or_else(|| self.int32(0)));
        }
        self.texel(inst, Op::ImageRead, &args)
    }

    fn image_write(&mut self, inst: &Inst<'_>) -> Res<()> {
        let (image, coordinate) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
        let mut texel = self.operand(inst, 2)?;
        let extra = self.extra(inst, 3)?;
        let kind = self.image_of(image)?;
        let (ty, n) = (self.f.ty(texel), self.components(texel));
        if self.r.module.types.scalar(ty) != kind.component && n > 0 {
            let wide = self.r.module.types.vector(kind.component, n);
            let convert = if self.r.module.types.is_float(ty) { Op::FToF } else { Op::ZExt };
            texel = self.op(convert, &[texel], wide);
        }
        let mut args = vec![image, coordinate, texel];
        if kind.multisampled {
            args.push(extra.sample.unwrap_or_else(|| self.int32(0)));
        }
        self.flags = chiaro_ir::Flags { nonuniform: self.flags.nonuniform, ..Default::default() };
        self.push(Op::ImageWrite, &args, &[]);
        Ok(())
    }

    fn size(&mut self, inst: &Inst<'_>, with_level: bool) -> Res<Value> {
        let image = self.operand(inst, 2)?;
        let mut args = vec![image];
        if has_levels(&self.image_of(image)?) {
            args.push(if with_level { self.operand(inst, 3)? } else { self.int32(0) });
        }
        let (_, ty) = self.result_ty(inst)?;
        Ok(self.op(Op::ImageQuery(Query::Size), &args, ty))
    }

    fn query(&mut self, inst: &Inst<'_>, query: Query) -> Res<Value> {
        let (args, (_, ty)) = (self.operands(inst, 2)?, self.result_ty(inst)?);
        Ok(self.int_answer(query, &args, ty))
    }

    /// The answer to a question, in the width that the instruction wants.
    fn int_answer(&mut self, query: Query, args: &[Value], ty: Ty) -> Value {
        let int = self.int_ty();
        if query == Query::Lod || ty == int {
            return self.op(Op::ImageQuery(query), args, ty);
        }
        let v = self.op(Op::ImageQuery(query), args, int);
        self.op(Op::ZExt, &[v], ty)
    }
}

/// The first `n` components.
fn first(n: u8) -> [u8; 4] {
    [0, 1, 2, 3].map(|i| if i < n { i } else { 255 })
}

/// Whether a fetch or a question of the size names a level.
fn has_levels(image: &ImageType) -> bool {
    !image.multisampled && !image.storage && !matches!(image.dim, Dim::Rect | Dim::Buffer | Dim::Subpass)
}
