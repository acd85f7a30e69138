//! `nonuniformEXT`: indices that differ between the invocations of a draw or dispatch, and what
//! they lead to. [GL_EXT_nonuniform_qualifier, SPV_EXT_descriptor_indexing]
//!
//! Vulkan wants the mark on every id between the index and the instruction that uses a
//! descriptor: addresses, loaded images, images with their sampler.

use chiaro_words::write::Id;
use spirv::{Capability, Decoration, Op, StorageClass};

use super::emitter::Emitter;
use super::needs::Need;
use super::state::Place;
use crate::ty::{Access, Dim, Opaque, Type};

const MARK: Need = Need(&[Capability::ShaderNonUniform], &["SPV_EXT_descriptor_indexing"]);

impl Emitter<'_> {
    /// Marks a value that differs between invocations.
    pub(super) fn differs(&mut self, id: Id) {
        let is_constant = self.constants.get(id as usize).copied().unwrap_or(false);
        if !is_constant && self.nonuniform.insert(id) {
            self.need(MARK);
            self.out.decorate(id, Decoration::NonUniform, &[]);
        }
    }

    /// Marks what an instruction makes of such values; its operands stand from a place on.
    pub(super) fn pass_difference(&mut self, op: Op, result: Id, operands: &[Id]) {
        if carries(op) && operands.iter().any(|id| self.nonuniform.contains(id)) {
            self.differs(result);
        }
    }

    /// What has to be announced where such an index selects a descriptor.
    pub(super) fn need_nonuniform(&mut self, place: &Place) {
        use Capability as C;
        let capability = match (place.class, place.ty) {
            (_, Type::Opaque(Opaque::Texture { access: Access::Storage, dim: Dim::Buffer, .. })) => {
                C::StorageTexelBufferArrayNonUniformIndexing
            }
            (_, Type::Opaque(Opaque::Texture { access: Access::Storage, .. })) => {
                C::StorageImageArrayNonUniformIndexing
            }
            (_, Type::Opaque(Opaque::Texture { dim: Dim::Buffer, .. })) => {
                C::UniformTexelBufferArrayNonUniformIndexing
            }
            (_, Type::Opaque(Opaque::Texture { dim: Dim::Subpass, .. })) => {
                C::InputAttachmentArrayNonUniformIndexing
            }
            (_, Type::Opaque(_)) => C::SampledImageArrayNonUniformIndexing,
            (StorageClass::StorageBuffer, _) => C::StorageBufferArrayNonUniformIndexing,
            (StorageClass::Uniform, _) => C::UniformBufferArrayNonUniformIndexing,
            _ => return,
        };
        self.out.capability(capability);
    }
}

/// Whether an instruction makes an address, an image, or another index of its operands.
fn carries(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        AccessChain
            | UntypedAccessChainKHR
            | Load
            | SampledImage
            | Image
            | ImageTexelPointer
            | CopyObject
            | CompositeExtract
            | Select
            | Bitcast
            | ConvertFToS
            | ConvertFToU
            | UConvert
            | SConvert
            | IAdd
            | ISub
            | IMul
            | SDiv
            | UDiv
            | SRem
            | SMod
            | UMod
            | ShiftLeftLogical
            | ShiftRightLogical
            | ShiftRightArithmetic
            | BitwiseAnd
            | BitwiseOr
            | BitwiseXor
    )
}
