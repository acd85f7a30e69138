//! The memory model of Vulkan, which cooperative matrices and vectors ask for: what is `coherent`
//! is said of each access, not of the variable. [SPV_KHR_vulkan_memory_model; the Vulkan
//! specification, cooperative matrices]
//!
//! Memory that other invocations see is made visible before it is read and available after it was
//! written: to the queue family where it is coherent, to the workgroup where it is shared.

use super::state::{Memory, Place, Seen, Way};
use spirv::{Capability, MemoryAccess, MemoryModel, Op, Scope, StorageClass};

use crate::qualifier::Layout;

use super::emitter::Emitter;

/// The capability `Shader64BitIndexingEXT`, and the execution mode of the same name. [SPIRV-Headers]
const WIDE_CAPABILITY: u32 = 5426;
pub(super) const WIDE_INDICES: u32 = 5427;

impl Emitter<'_> {
    /// The memory model, declared.
    pub(super) fn memory_model(&mut self) -> MemoryModel {
        if !self.by_access {
            return MemoryModel::GLSL450;
        }
        self.out.capability(Capability::VulkanMemoryModel);
        self.out.extension("SPV_KHR_vulkan_memory_model");
        MemoryModel::Vulkan
    }

    /// The scope of memory that all see: with the model of Vulkan, devices are an extra.
    pub(super) fn widest_scope(&self) -> Scope {
        if self.by_access { Scope::QueueFamily } else { Scope::Device }
    }

    /// Indices and lengths of 64 bits. [SPV_EXT_shader_64bit_indexing]
    pub(super) fn need_wide_indices(&mut self) {
        self.out.copy(Op::Capability, &[WIDE_CAPABILITY]);
        self.out.extension("SPV_EXT_shader_64bit_indexing");
    }

    /// Who sees a member of a block.
    pub(super) fn seen_member(&self, of: &Place, i: u32) -> Seen {
        let program = self.program;
        let members: &[Layout] = match of.memory {
            Memory::Block(id) => match program.globals.get(id.0 as usize).and_then(|g| g.block.as_ref()) {
                Some(block) => &block.members,
                None => &[],
            },
            Memory::Pointee(id) => &program.types.reference(id).members,
            _ => return of.seen,
        };
        let layout = members.get(i as usize);
        Seen {
            coherent: layout.is_some_and(|layout| layout.coherent),
            volatile: layout.is_some_and(|layout| layout.volatile),
        }
    }

    /// What a load or store has to say of its place: alignment, then who sees it.
    pub(super) fn access(&mut self, place: &Place, way: Way) -> Vec<u32> {
        let align = self.access_align(place);
        let (mut flags, mut behind) = (MemoryAccess::NONE, Vec::new());
        if let Some(align) = align {
            flags |= MemoryAccess::ALIGNED;
            behind.push(align);
        }
        if self.by_access {
            let scope = match place.class {
                StorageClass::Workgroup => Some(Scope::Workgroup),
                _ if place.seen.coherent || place.seen.volatile => Some(Scope::QueueFamily),
                _ => None,
            };
            if let Some(scope) = scope {
                flags |= MemoryAccess::NON_PRIVATE_POINTER;
                flags |= match way {
                    Way::Read => MemoryAccess::MAKE_POINTER_VISIBLE,
                    Way::Write => MemoryAccess::MAKE_POINTER_AVAILABLE,
                };
                behind.push(self.out.uint(scope as u32));
            }
            if place.seen.volatile {
                flags |= MemoryAccess::VOLATILE;
            }
        }
        if flags.is_empty() {
            return behind;
        }
        behind.insert(0, flags.bits());
        behind
    }
}
