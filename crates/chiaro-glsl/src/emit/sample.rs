//! Sampling, fetching and gathering.
//!
//! GLSL packs the reference of a comparison and the divisor of a projection into the
//! coordinate; SPIR-V wants the reference apart and the divisor right behind what it divides.

use chiaro_words::newer;
use chiaro_words::write::Id;
use spirv::{Capability, ImageOperands as Mask, Op};

use crate::hir::{ExprId, ExprKind, Program};
use crate::intrinsic::{Intrinsic, Sampling};
use crate::source::Stage;
use crate::ty::{Access, Dim, Opaque, Scalar, Type};

use super::arith::Typed;
use super::emitter::Emitter;
use crate::numeric::Num;

/// What a texture type says about its coordinates.
#[derive(Clone, Copy)]
pub(super) struct Texture {
    pub(super) opaque: Opaque,
    pub(super) dim: Dim,
    pub(super) arrayed: bool,
    pub(super) multisampled: bool,
    shadow: bool,
    sampled: bool,
}

impl Texture {
    pub(super) fn of(ty: &Type) -> Option<Texture> {
        match *ty {
            Type::Opaque(opaque @ Opaque::Texture { dim, arrayed, multisampled, shadow, access, .. }) => {
                let sampled = access == Access::Sampled;
                Some(Texture { opaque, dim, arrayed, multisampled, shadow, sampled })
            }
            _ => None,
        }
    }

    pub(super) fn opaque_ty(self) -> Type {
        Type::Opaque(self.opaque)
    }

    /// Coordinates without the layer.
    fn dimensions(self) -> u8 {
        match self.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Subpass | Dim::Tile => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}

/// Stands for several offsets that are no constants, which no operand takes.
const EACH: Mask = Mask::NONE;

/// The optional operands of an instruction, in SPIR-V's order.
#[derive(Clone, Copy, Default)]
pub(super) struct Extra {
    pub(super) bias: Option<Id>,
    pub(super) level: Option<Id>,
    pub(super) gradients: Option<[Id; 2]>,
    offset: Option<(Mask, Id)>,
    sample: Option<Id>,
    pub(super) least: Option<Id>,
}

impl Extra {
    pub(super) fn push(&self, operands: &mut Vec<u32>) {
        let mut mask = Mask::NONE;
        let mut ids = Vec::new();
        let mut add = |bit: Mask, list: &[Id]| {
            mask |= bit;
            ids.extend_from_slice(list);
        };
        if let Some(bias) = self.bias {
            add(Mask::BIAS, &[bias]);
        }
        if let Some(level) = self.level {
            add(Mask::LOD, &[level]);
        }
        if let Some(gradients) = self.gradients {
            add(Mask::GRAD, &gradients);
        }
        if let Some((bit, offset)) = self.offset {
            add(bit, &[offset]);
        }
        if let Some(sample) = self.sample {
            add(Mask::SAMPLE, &[sample]);
        }
        if let Some(least) = self.least {
            add(Mask::MIN_LOD, &[least]);
        }
        if !mask.is_empty() {
            operands.push(mask.bits());
            operands.extend(ids);
        }
    }
}

/// What is gathered: a component, or comparisons with a reference.
#[derive(Clone, Copy, Debug)]
struct Gathered {
    image: Id,
    coordinate: Id,
    reference: Option<Id>,
    component: Option<Id>,
}

impl Emitter<'_> {
    /// A texture function; `ty` is the type of `e`, the call.
    pub(super) fn sample(&mut self, how: Sampling, args: &[ExprId], ty: &Type, e: ExprId) -> Id {
        let [sampler, coordinate, ref rest @ ..] = *args else {
            return self.fail("a texture function takes a sampler and a coordinate");
        };
        let image = self.typed(sampler);
        let Some(texture) = Texture::of(&image.ty) else { return self.fail("a sampler is expected") };
        let coordinate = self.typed(coordinate);
        let mut rest = rest.iter().copied();
        let separate = if how.separate_reference { rest.next().map(|r| self.value(r)) } else { None };
        let mut extra = self.extra(how, texture, &mut rest);
        if how.clamp {
            self.out.capability(Capability::MinLod);
            // Rectangles have no levels, and SPIR-V takes no least one for them.
            let least = rest.next().map(|l| self.value(l));
            extra.least = least.filter(|_| texture.dim != Dim::Rect);
        }
        // The texel's place is computed before the call, as arguments are.
        self.body.texel = if how.sparse { rest.next().map(|t| self.place(t)) } else { None };
        let component = if how.component { rest.next().map(|c| self.value(c)) } else { None };
        if how.bias {
            extra.bias = rest.next().map(|b| self.value(b));
        }
        if how.fetch {
            return self.fetch(texture, image.id, coordinate, &extra, ty, e);
        }
        let reference = if texture.shadow {
            separate.or_else(|| self.packed_reference(texture, coordinate))
        } else {
            None
        };
        let coordinate = self.coordinate(how, texture, coordinate);
        if how.gather {
            let texels = Gathered { image: image.id, coordinate, reference, component };
            return self.gather(texels, &extra, ty, e);
        }
        let explicit = self.is_explicit(how, texture, &mut extra);
        let op = instruction(how.projected, reference.is_some(), explicit);
        let mut operands = vec![image.id, coordinate];
        operands.extend(reference);
        extra.push(&mut operands);
        match reference {
            Some(_) => self.compared(op, &operands, ty, e),
            None => {
                let ty = self.plain_ty(ty);
                self.sampled(op, ty, &operands, e)
            }
        }
    }

    /// Levels, gradients, offsets and samples, as they follow in the call.
    fn extra(&mut self, how: Sampling, texture: Texture, rest: &mut dyn Iterator<Item = ExprId>) -> Extra {
        let mut extra = Extra::default();
        if how.fetch && texture.multisampled {
            extra.sample = rest.next().map(|s| self.value(s));
        } else if how.level || how.fetch && !matches!(texture.dim, Dim::Rect | Dim::Buffer) {
            extra.level = rest.next().map(|l| self.value(l));
        }
        if how.gradients
            && let (Some(x), Some(y)) = (rest.next(), rest.next())
        {
            extra.gradients = Some([self.value(x), self.value(y)]);
        }
        if how.offset || how.offsets {
            extra.offset = rest.next().map(|o| self.offset(how, o));
        }
        extra
    }

    fn offset(&mut self, how: Sampling, offset: ExprId) -> (Mask, Id) {
        let constant = matches!(
            self.program.exprs[offset.0 as usize].kind,
            crate::hir::ExprKind::Constant(_) | crate::hir::ExprKind::Spec(_)
        );
        let id = self.value(offset);
        let bit = match (how.offsets, constant) {
            (true, true) => Mask::CONST_OFFSETS,
            (true, false) => EACH,
            (false, true) => Mask::CONST_OFFSET,
            (false, false) => Mask::OFFSET,
        };
        if bit != Mask::CONST_OFFSET {
            self.out.capability(Capability::ImageGatherExtended);
        }
        (bit, id)
    }

    /// Whether the level does not come of derivatives. Stages without them take the base level:
    /// as a number, or where a texture has no levels, by coordinates that do not change.
    /// [SPIR-V 1.6, 3.14: `Lod` is not for rectangles]
    fn is_explicit(&mut self, how: Sampling, texture: Texture, extra: &mut Extra) -> bool {
        if how.level || how.gradients {
            return true;
        }
        if self.has_derivatives() {
            return false;
        }
        extra.bias = None;
        if texture.dim == Dim::Rect {
            let still = self.number(Num::vector(Scalar::Float, texture.dimensions()), 0);
            extra.gradients = Some([still, still]);
        } else {
            extra.level = Some(self.number(Num::FLOAT, 0));
        }
        true
    }

    /// The reference that stands in the coordinate: behind the layer, or third where a
    /// component is left out.
    fn packed_reference(&mut self, texture: Texture, coordinate: Typed) -> Option<Id> {
        let num = Num::of(&coordinate.ty)?;
        let at = (texture.dimensions() + u8::from(texture.arrayed)).max(2);
        let ty = self.num_ty(Num::scalar(num.scalar));
        Some(self.op(Op::CompositeExtract, ty, &[coordinate.id, at.min(num.rows - 1).into()]))
    }

    /// The coordinate as SPIR-V wants it.
    fn coordinate(&mut self, how: Sampling, texture: Texture, coordinate: Typed) -> Id {
        let Some(num) = Num::of(&coordinate.ty) else { return coordinate.id };
        let count = texture.dimensions() + u8::from(texture.arrayed);
        let mut wanted: Vec<u8> = (0..count).collect();
        if how.projected {
            wanted.push(num.rows - 1);
        }
        if wanted.len() >= usize::from(num.rows) {
            return coordinate.id;
        }
        self.shuffle(coordinate.id, num, &wanted)
    }

    /// A comparison gives one number; old functions want a colour.
    fn compared(&mut self, op: Op, operands: &[Id], ty: &Type, e: ExprId) -> Id {
        let scalar = self.num_ty(Num::FLOAT);
        let value = self.sampled(op, scalar, operands, e);
        if is_sparse(self.program, e) {
            return value;
        }
        match Num::of(ty) {
            Some(num) if !num.is_scalar() => {
                let one = self.number(Num::FLOAT, 1);
                let ty = self.num_ty(num);
                self.op(Op::CompositeConstruct, ty, &[value, value, value, one][..usize::from(num.rows)])
            }
            _ => value,
        }
    }

    /// One component of four texels.
    fn gather(&mut self, texels: Gathered, extra: &Extra, ty: &Type, e: ExprId) -> Id {
        if let Some((_, offsets)) = extra.offset.filter(|offset| offset.0 == EACH) {
            let each = |this: &mut Self, offset| {
                let extra = Extra { offset: Some((Mask::OFFSET, offset)), ..*extra };
                this.gather(texels, &extra, ty, e)
            };
            return self.gather_each(offsets, ty, each);
        }
        let Gathered { image, coordinate, reference, component } = texels;
        let op = if reference.is_some() { Op::ImageDrefGather } else { Op::ImageGather };
        let third = match reference.or(component) {
            Some(third) => third,
            None => self.int(0),
        };
        if extra.bias.is_some() || extra.level.is_some() {
            self.need(super::needs::GATHER_LEVELS);
        }
        let mut operands = vec![image, coordinate, third];
        extra.push(&mut operands);
        let ty = self.plain_ty(ty);
        self.sampled(op, ty, &operands, e)
    }

    /// Four gathers at an offset each, whose first texel counts: for offsets that are no constants.
    fn gather_each(&mut self, offsets: Id, ty: &Type, mut gather: impl FnMut(&mut Self, Id) -> Id) -> Id {
        // Where a gather gives the texel that lies at the offset itself. [GLSL 4.60, 8.9.4]
        const FIRST: u32 = 3;
        if self.body.texel.is_some() {
            return self.fail("sparse gathers need offsets that are constants");
        }
        let Some(num) = Num::of(ty) else { return 0 };
        let (offset, scalar) =
            (self.num_ty(Num::vector(Scalar::Int, 2)), self.num_ty(Num::scalar(num.scalar)));
        let texels: Vec<Id> = (0..4)
            .map(|i| {
                let offset = self.op(Op::CompositeExtract, offset, &[offsets, i]);
                let four = gather(self, offset);
                self.op(Op::CompositeExtract, scalar, &[four, FIRST])
            })
            .collect();
        let ty = self.num_ty(num);
        self.op(Op::CompositeConstruct, ty, &texels)
    }

    /// A gather of another shape than a square. [SPV_QCOM_image_processing3]
    pub(super) fn gather_mode(
        &mut self,
        mode: u32,
        offset: bool,
        args: &[ExprId],
        ty: &Type,
        e: ExprId,
    ) -> Id {
        let [sampler, coordinate, ref rest @ ..] = *args else {
            return self.fail("a texture function takes a sampler and a coordinate");
        };
        let (image, coordinate) = (self.value(sampler), self.value(coordinate));
        let mut rest = rest.iter().copied();
        let how = Sampling { offset, ..Sampling::default() };
        let offset = if offset { rest.next().map(|o| self.offset(how, o)) } else { None };
        let component = match rest.next() {
            Some(component) => self.value(component),
            None => self.int(0),
        };
        self.out.extension("SPV_QCOM_image_processing3");
        let line = mode == 0;
        let capability =
            if line { newer::IMAGE_GATHER_LINE_CAPABILITY } else { newer::IMAGE_GATHER_CAPABILITY };
        self.out.copy(Op::Capability, &[capability]);
        let mut operands = vec![image, coordinate, component, self.int(mode as i32)];
        Extra { offset, ..Extra::default() }.push(&mut operands);
        let ty = self.plain_ty(ty);
        self.marked(newer::IMAGE_GATHER, ty, &operands, self.marks(e))
    }

    /// The instruction that reads; a sparse one gives a code and stores the texel.
    fn sampled(&mut self, op: Op, ty: Id, operands: &[Id], e: ExprId) -> Id {
        match self.body.texel.take() {
            Some(place) => {
                let texel = self.texel_of(op, e);
                self.sparse(op, operands, texel, &place)
            }
            None => self.marked(op, ty, operands, self.marks(e)),
        }
    }

    /// What an instruction of a call reads: one number of a comparison, else a texel.
    fn texel_of(&self, op: Op, e: ExprId) -> Num {
        let scalar = match &self.program.exprs[e.0 as usize].kind {
            ExprKind::Intrinsic(_, args) => {
                args.first().map(|&a| self.what(self.program.exprs[a.0 as usize].ty))
            }
            _ => None,
        };
        match (op, scalar) {
            (Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod, _) => Num::FLOAT,
            (_, Some(Type::Opaque(Opaque::Texture { scalar, .. }))) => texel(scalar),
            _ => texel(Scalar::Float),
        }
    }

    /// The sparse form of an instruction that reads texels: its result is a code, the texel goes
    /// to a place.
    pub(super) fn sparse(&mut self, op: Op, operands: &[Id], read: Num, place: &super::state::Place) -> Id {
        self.out.capability(Capability::SparseResidency);
        let Some(op) = sparse_op(op) else { return self.fail("nothing reads sparse texels this way") };
        let (int, texel) = (self.num_ty(Num::INT), self.num_ty(read));
        let pair = self.out.ty(Op::TypeStruct, &[int, texel]);
        let both = self.op(op, pair, operands);
        let texel = Typed { id: self.op(Op::CompositeExtract, texel, &[both, 1]), ty: read.ty() };
        let texel = self.convert(texel, &place.picked_ty());
        self.store(place, texel);
        self.op(Op::CompositeExtract, int, &[both, 0])
    }

    /// Whether the invocations next to one are known to be those of the next fragments.
    pub(super) fn has_derivatives(&self) -> bool {
        use spirv::ExecutionMode::{DerivativeGroupLinearKHR, DerivativeGroupQuadsKHR};
        let group = |mode: &_| matches!(mode, DerivativeGroupLinearKHR | DerivativeGroupQuadsKHR);
        self.program.stage == Stage::Fragment || self.program.modes.others.iter().any(group)
    }

    fn fetch(
        &mut self,
        texture: Texture,
        image: Id,
        coordinate: Typed,
        extra: &Extra,
        ty: &Type,
        e: ExprId,
    ) -> Id {
        let image = self.without_sampler(texture, image);
        let mut operands = vec![image, coordinate.id];
        extra.push(&mut operands);
        let ty = self.plain_ty(ty);
        self.sampled(Op::ImageFetch, ty, &operands, e)
    }

    /// The image of a combined sampler.
    pub(super) fn without_sampler(&mut self, texture: Texture, image: Id) -> Id {
        if !texture.sampled {
            return image;
        }
        let ty = self.image_ty(texture.opaque, spirv::ImageFormat::Unknown);
        self.op(Op::Image, ty, &[image])
    }
}

fn instruction(projected: bool, compares: bool, explicit: bool) -> Op {
    match (projected, compares, explicit) {
        (false, false, false) => Op::ImageSampleImplicitLod,
        (false, false, true) => Op::ImageSampleExplicitLod,
        (false, true, false) => Op::ImageSampleDrefImplicitLod,
        (false, true, true) => Op::ImageSampleDrefExplicitLod,
        (true, false, false) => Op::ImageSampleProjImplicitLod,
        (true, false, true) => Op::ImageSampleProjExplicitLod,
        (true, true, false) => Op::ImageSampleProjDrefImplicitLod,
        (true, true, true) => Op::ImageSampleProjDrefExplicitLod,
    }
}

/// Whether a call gives a code instead of the texel.
fn is_sparse(program: &Program, e: ExprId) -> bool {
    let kind = &program.exprs[e.0 as usize].kind;
    matches!(kind, ExprKind::Intrinsic(Intrinsic::Sample(Sampling { sparse: true, .. }), _))
}

/// The sparse form of an instruction. [SPIR-V 1.6, 3.52.10]
fn sparse_op(op: Op) -> Option<Op> {
    Some(match op {
        Op::ImageSampleImplicitLod => Op::ImageSparseSampleImplicitLod,
        Op::ImageSampleExplicitLod => Op::ImageSparseSampleExplicitLod,
        Op::ImageSampleDrefImplicitLod => Op::ImageSparseSampleDrefImplicitLod,
        Op::ImageSampleDrefExplicitLod => Op::ImageSparseSampleDrefExplicitLod,
        Op::ImageFetch => Op::ImageSparseFetch,
        Op::ImageGather => Op::ImageSparseGather,
        Op::ImageDrefGather => Op::ImageSparseDrefGather,
        Op::ImageRead => Op::ImageSparseRead,
        _ => return None,
    })
}

/// The vector that a texel of a type comes as.
pub(super) fn texel(scalar: Scalar) -> Num {
    Num::vector(scalar, 4)
}
