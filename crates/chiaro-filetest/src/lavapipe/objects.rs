//! The objects of one dispatch, destroyed together.

// See `device.rs`: every call of Vulkan is unsafe.
#![allow(unsafe_code)]

use std::ffi::CStr;

use ash::vk;

/// A binding and what is bound there.
type Binding = (u32, vk::DescriptorType);

/// Everything that a dispatch makes. Handles that were not made are null, which Vulkan allows
/// to destroy.
pub(super) struct Objects<'d> {
    device: &'d ash::Device,
    buffers: Vec<(vk::Buffer, vk::DeviceMemory)>,
    module: vk::ShaderModule,
    set_layout: vk::DescriptorSetLayout,
    pub(super) layout: vk::PipelineLayout,
    pub(super) pipeline: vk::Pipeline,
    descriptors: vk::DescriptorPool,
    commands: vk::CommandPool,
    pub(super) fence: vk::Fence,
}

impl<'d> Objects<'d> {
    pub(super) fn new(device: &'d ash::Device) -> Self {
        Objects {
            device,
            buffers: Vec::new(),
            module: vk::ShaderModule::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pipeline: vk::Pipeline::null(),
            descriptors: vk::DescriptorPool::null(),
            commands: vk::CommandPool::null(),
            fence: vk::Fence::null(),
        }
    }

    /// A buffer that holds these words.
    pub(super) fn buffer(
        &mut self,
        kind: vk::DescriptorType,
        words: &[u32],
        memory: u32,
    ) -> Result<(), String> {
        let usage = match kind {
            vk::DescriptorType::UNIFORM_BUFFER => vk::BufferUsageFlags::UNIFORM_BUFFER,
            _ => vk::BufferUsageFlags::STORAGE_BUFFER,
        };
        let size = (words.len() as u64 * 4).max(4);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the structures outlive the calls; the memory is as large as the buffer asks
        // for and is mapped only here and in `words`.
        unsafe {
            let buffer = self.device.create_buffer(&info, None).map_err(failed("no buffer"))?;
            self.buffers.push((buffer, vk::DeviceMemory::null()));
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let info =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(memory);
            let memory = self.device.allocate_memory(&info, None).map_err(failed("no memory"))?;
            self.buffers.last_mut().expect("it was pushed above").1 = memory;
            self.device.bind_buffer_memory(buffer, memory, 0).map_err(failed("binding memory"))?;
        }
        self.mapped(self.buffers.len() - 1, words.len(), |room| room.copy_from_slice(words))
    }

    /// What a buffer holds.
    pub(super) fn words(&self, buffer: usize, count: usize) -> Result<Vec<u32>, String> {
        let mut words = Vec::new();
        self.mapped(buffer, count, |room| words.extend_from_slice(room))?;
        Ok(words)
    }

    fn mapped(&self, buffer: usize, count: usize, with: impl FnOnce(&mut [u32])) -> Result<(), String> {
        let memory = self.buffers[buffer].1;
        // SAFETY: the memory is visible to the host, at least `count` words large and aligned to
        // more than a word; the device is idle; the slice does not outlive the mapping.
        unsafe {
            let all = vk::MemoryMapFlags::empty();
            let start = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, all).map_err(failed("mapping"))?;
            with(std::slice::from_raw_parts_mut(start.cast::<u32>(), count));
            self.device.unmap_memory(memory);
        }
        Ok(())
    }

    /// The compiled module and its layouts.
    pub(super) fn pipeline(
        &mut self,
        words: &[u32],
        entry: &CStr,
        bindings: &[Binding],
        push: usize,
    ) -> Result<(), String> {
        let stage = vk::ShaderStageFlags::COMPUTE;
        let binding = |&(number, kind): &Binding| {
            let new = vk::DescriptorSetLayoutBinding::default().binding(number);
            new.descriptor_type(kind).descriptor_count(1).stage_flags(stage)
        };
        let list: Vec<_> = bindings.iter().map(binding).collect();
        let set_info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&list);
        let ranges =
            [vk::PushConstantRange::default().stage_flags(stage).size(push.next_multiple_of(4) as u32)];
        let ranges = if push == 0 { &ranges[..0] } else { &ranges };
        // SAFETY: the structures outlive the calls. The words are valid SPIR-V, as `Dispatch`
        // asks for.
        unsafe {
            let module = vk::ShaderModuleCreateInfo::default().code(words);
            self.module = self.device.create_shader_module(&module, None).map_err(failed("no module"))?;
            self.set_layout =
                self.device.create_descriptor_set_layout(&set_info, None).map_err(failed("no set layout"))?;
            let sets = [self.set_layout];
            let layout =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
            self.layout = self.device.create_pipeline_layout(&layout, None).map_err(failed("no layout"))?;
            let stage =
                vk::PipelineShaderStageCreateInfo::default().stage(stage).module(self.module).name(entry);
            let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
            let made = self.device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            self.pipeline = made.map_err(|(_, error)| failed("no pipeline")(error))?[0];
        }
        Ok(())
    }

    /// A set with all buffers in their order.
    pub(super) fn descriptors(&mut self, bindings: &[Binding]) -> Result<vk::DescriptorSet, String> {
        let size = |&(_, kind): &Binding| vk::DescriptorPoolSize::default().ty(kind).descriptor_count(1);
        let mut sizes: Vec<_> = bindings.iter().map(size).collect();
        if sizes.is_empty() {
            sizes.push(size(&(0, vk::DescriptorType::STORAGE_BUFFER)));
        }
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let layouts = [self.set_layout];
        // SAFETY: the structures outlive the calls; the pool has room for this one set.
        let set = unsafe {
            self.descriptors = self.device.create_descriptor_pool(&pool, None).map_err(failed("no pool"))?;
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(self.descriptors)
                .set_layouts(&layouts);
            self.device.allocate_descriptor_sets(&info).map_err(failed("no set"))?[0]
        };
        for (&(number, kind), &(buffer, _)) in bindings.iter().zip(&self.buffers) {
            let whole = [vk::DescriptorBufferInfo::default().buffer(buffer).range(vk::WHOLE_SIZE)];
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(number);
            // SAFETY: the set has this binding, and is in no use.
            unsafe {
                self.device.update_descriptor_sets(&[write.descriptor_type(kind).buffer_info(&whole)], &[]);
            };
        }
        Ok(set)
    }

    /// A list for commands, and the fence that marks their end.
    pub(super) fn commands(&mut self, family: u32) -> Result<vk::CommandBuffer, String> {
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: the structures outlive the calls.
        unsafe {
            self.fence = self
                .device
                .create_fence(&vk::FenceCreateInfo::default(), None)
                .map_err(failed("no fence"))?;
            self.commands =
                self.device.create_command_pool(&pool, None).map_err(failed("no command pool"))?;
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(self.commands).command_buffer_count(1);
            Ok(self.device.allocate_command_buffers(&info).map_err(failed("no command buffer"))?[0])
        }
    }
}

impl Drop for Objects<'_> {
    fn drop(&mut self) {
        let d = self.device;
        // SAFETY: the device is idle, and nobody else has these handles.
        unsafe {
            d.destroy_fence(self.fence, None);
            d.destroy_command_pool(self.commands, None);
            d.destroy_descriptor_pool(self.descriptors, None);
            d.destroy_pipeline(self.pipeline, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
            d.destroy_shader_module(self.module, None);
            for &(buffer, memory) in &self.buffers {
                d.destroy_buffer(buffer, None);
                d.free_memory(memory, None);
            }
        }
    }
}

/// An error of Vulkan in words.
pub(super) fn failed(what: &str) -> impl Fn(vk::Result) -> String + '_ {
    move |error| format!("{what}: {error}")
}
