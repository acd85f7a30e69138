//! What a compiled kernel expects of those who launch it.
//!
//! Under `vulkan`, registers are those of Mesa's driver (spec section 17): the rings, a pointer to each descriptor
//! set, push constants, numbers of groups; then those of the group. Under `hsa` there is a pointer to the arguments,
//! where buffers are addresses.

use chiaro_ir::Field;

/// Who launches the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Abi {
    /// A Vulkan driver: descriptor sets, push constants.
    #[default]
    Vulkan,
    /// A runtime of HSA: arguments in memory, buffers as addresses.
    Hsa,
}

/// What scalar registers hold at the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// Pointer to the rings, of which scratch is one.
    Rings,
    /// Lower half of the address of a descriptor set.
    Set(u32),
    /// Lower half of the address of the push constants.
    PushPointer,
    /// A word of the push constants.
    Push(u32),
    /// Pointer to the kernel's arguments.
    Kernarg,
    /// Address of the scratch of all waves.
    Scratch,
    /// How many groups there are, in three dimensions.
    GroupCounts,
    /// The number of the group, in one dimension.
    GroupId(u8),
    /// Which wave of the group this is.
    GroupInfo,
    /// Where this wave's part of the scratch begins, in bytes.
    ScratchOffset,
}

impl Argument {
    /// Registers that it takes.
    #[must_use]
    pub fn size(self) -> u16 {
        match self {
            Argument::Rings | Argument::Kernarg | Argument::Scratch => 2,
            Argument::GroupCounts => 3,
            _ => 1,
        }
    }

    /// Its name in metadata and listings.
    #[must_use]
    pub fn name(self) -> String {
        let axis = |n: u8| ["x", "y", "z"][usize::from(n.min(2))];
        match self {
            Argument::Rings => "ring_offsets".to_owned(),
            Argument::Set(n) => format!("descriptor_set{n}"),
            Argument::PushPointer => "push_constants".to_owned(),
            Argument::Push(n) => format!("push_dword{n}"),
            Argument::Kernarg => "kernarg".to_owned(),
            Argument::Scratch => "flat_scratch_init".to_owned(),
            Argument::GroupCounts => "num_work_groups".to_owned(),
            Argument::GroupId(n) => format!("workgroup_id_{}", axis(n)),
            Argument::GroupInfo => "tg_size".to_owned(),
            Argument::ScratchOffset => "scratch_wave_offset".to_owned(),
        }
    }

    /// Whether the launch sets it, not the group.
    #[must_use]
    pub fn is_user(self) -> bool {
        !matches!(self, Argument::GroupId(_) | Argument::GroupInfo | Argument::ScratchOffset)
    }
}

/// Bytes from the descriptor of an image with a sampler to that of the sampler (spec section 17).
pub const SAMPLER: u32 = 80;
/// Bytes of an address.
pub const ADDRESS: u32 = 8;

/// What a descriptor, or an argument, is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resource {
    /// A storage buffer.
    Storage,
    /// A uniform buffer.
    Uniform,
    /// An image that is stored to or loaded from by coordinates.
    Image,
    /// An image with its sampler.
    Sampled,
    /// A sampler.
    Sampler,
    /// A buffer of texels that is read.
    UniformTexels,
    /// A buffer of texels that may be written.
    StorageTexels,
    /// Push constants.
    Push,
    /// The buffer that prints go to, which the source does not know.
    Prints,
    /// Number of groups in a dimension, given by the runtime.
    GroupCount(u8),
}

impl Resource {
    /// Bytes of its descriptor, and to what they are aligned (spec section 17).
    #[must_use]
    pub fn bytes(self) -> [u32; 2] {
        match self {
            Resource::Image => [32, 32],
            Resource::Sampled => [96, 32],
            _ => [16, 16],
        }
    }

    /// Where the descriptors begin that arguments of kernels are addresses of, in bytes from the start of its own: those of
    /// an image and of its sampler are two arguments.
    #[must_use]
    pub fn handles(self) -> &'static [u32] {
        if self == Resource::Sampled { &[0, SAMPLER] } else { &[0] }
    }

    /// Whether it is a buffer of bytes.
    #[must_use]
    pub fn is_buffer(self) -> bool {
        matches!(self, Resource::Storage | Resource::Uniform | Resource::Prints)
    }

    /// Its name in metadata.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Resource::Storage | Resource::Prints => "storage_buffer",
            Resource::Uniform => "uniform_buffer",
            Resource::Image => "storage_image",
            Resource::Sampled => "combined_image_sampler",
            Resource::Sampler => "sampler",
            Resource::UniformTexels => "uniform_texel_buffer",
            Resource::StorageTexels => "storage_texel_buffer",
            Resource::Push => "push_constants",
            Resource::GroupCount(_) => "group_count",
        }
    }
}

/// A resource and its place: in a descriptor set, or among the arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// Its name in the source.
    pub name: String,
    /// Descriptor set and binding.
    pub binding: (u32, u32),
    /// What it is.
    pub resource: Resource,
    /// The type of the numbers in it, if they have one.
    pub numbers: Option<&'static str>,
    /// Its members, where they are more than numbers of one type one behind the other, and those of push constants.
    pub members: Vec<Field>,
    /// Bytes from the start of the set or of the arguments.
    pub offset: u32,
    /// Bytes of one of them.
    pub size: u32,
    /// How many there are, one behind the other; 0 where nobody says.
    pub count: u32,
}

/// What a kernel expects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// Who launches it.
    pub abi: Abi,
    /// Threads of a group.
    pub workgroup: [u32; 3],
    /// What scalar registers hold, from s0 on.
    pub arguments: Vec<Argument>,
    /// Dimensions of a thread's number in vector registers.
    pub dimensions: u8,
    /// Resources with their places.
    pub resources: Vec<Bound>,
    /// Bytes of push constants.
    pub push_bytes: u32,
    /// Bytes of LDS.
    pub lds: u32,
    /// Bytes of scratch that a lane needs.
    pub scratch: u32,
}

impl Interface {
    /// The first register of an argument.
    #[must_use]
    pub fn register(&self, argument: Argument) -> Option<u16> {
        let at = self.arguments.iter().position(|&other| other == argument)?;
        Some(self.arguments[..at].iter().map(|before| before.size()).sum())
    }

    /// Arguments with their first registers.
    pub fn registers(&self) -> impl Iterator<Item = (Argument, u16)> + '_ {
        self.arguments.iter().scan(0, |next, &argument| {
            let at = *next;
            *next += argument.size();
            Some((argument, at))
        })
    }

    /// The address of scratch and this wave's place in it, as first registers, where a kernel has any.
    ///
    /// Under Vulkan the rings' pointer is that address: assumed, for no program that was seen has scratch.
    #[must_use]
    pub fn scratch_registers(&self) -> Option<[u16; 2]> {
        let base = self.register(Argument::Scratch).or_else(|| self.register(Argument::Rings));
        base.zip(self.register(Argument::ScratchOffset)).map(|(base, offset)| [base, offset])
    }

    /// Registers that the launch sets.
    #[must_use]
    pub fn user_registers(&self) -> u16 {
        self.arguments.iter().filter(|a| a.is_user()).map(|a| a.size()).sum()
    }

    /// Bytes of a descriptor set.
    #[must_use]
    pub fn set_bytes(&self, set: u32) -> u32 {
        let ends = self.resources.iter().filter(|b| b.binding.0 == set).map(|b| b.offset + b.size * b.count);
        ends.max().unwrap_or(0)
    }

    /// Bytes of the arguments.
    #[must_use]
    pub fn kernarg_bytes(&self) -> u32 {
        self.resources.iter().map(|b| b.offset + b.size * b.count).max().unwrap_or(0).next_multiple_of(8)
    }

    /// Threads of a group.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.workgroup.iter().fold(1, |all, n| all.saturating_mul(*n))
    }
}
