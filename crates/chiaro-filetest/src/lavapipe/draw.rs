//! Points or a triangle through a graphics pipeline, and dispatches one behind the other: what a stage of graphics or a
//! kernel with textures leaves in buffers and targets.

// See `device.rs`: every call of Vulkan is unsafe. Handles come from one device, live as long as the `Made` that has
// them, and are destroyed in the opposite order once the queue is idle.
#![allow(unsafe_code)]

mod image;
mod pipeline;
mod structure;

use ash::vk;
use chiaro_sim::texture::{Sampler, Texture};
use chiaro_trace::{Instance, Mesh};

use super::Kind;
use super::device::Device;
use super::objects::failed;

/// Nanoseconds that all commands may take.
const PATIENCE: u64 = 60_000_000_000;
/// What a pixel holds that no fragment has written, as bits; no output of the rows is this number.
pub const CLEAR: f32 = 7.25e37;
/// Words of a texel.
const TEXEL: usize = 4;

/// A stage with its module.
pub struct Stage<'a> {
    /// Which stage.
    pub stage: vk::ShaderStageFlags,
    /// Its SPIR-V, which must be valid.
    pub words: &'a [u32],
}

/// What is bound in set 0.
pub enum Resource {
    /// A buffer with its words before the run.
    Buffer(Kind, Vec<u32>),
    /// A texture of 32-bit floats.
    Texture {
        /// Its levels.
        texture: Texture,
        /// The shape of its view.
        shape: vk::ImageViewType,
        /// Whether it is compared: only the first component counts then.
        compares: bool,
        /// How it is sampled.
        sampler: Sampler,
    },
    /// A texture of one level in a format, width and height, and its bytes as words.
    Texels(vk::Format, [u32; 2], Vec<u32>),
    /// An image that is stored to: its format, its size with its layers, whether it has several, its words before.
    Image(vk::Format, [u32; 3], bool, Vec<u32>),
    /// A row of four 32-bit floats a texel, and whether it is stored to.
    Row(bool, Vec<u32>),
    /// What was drawn before, of several samples.
    Drawn,
    /// What rays meet: instances, and the meshes that they are of. The device has to have rays.
    Structure(Vec<Mesh>, Vec<Instance>),
}

impl Resource {
    fn descriptor(&self) -> vk::DescriptorType {
        match self {
            Resource::Buffer(kind, _) => kind.descriptor(),
            Resource::Texture { .. } | Resource::Texels(..) | Resource::Drawn => {
                vk::DescriptorType::COMBINED_IMAGE_SAMPLER
            }
            Resource::Image(..) => vk::DescriptorType::STORAGE_IMAGE,
            Resource::Row(true, _) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Resource::Row(false, _) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Resource::Structure(..) => vk::DescriptorType::ACCELERATION_STRUCTURE_KHR,
        }
    }

    /// Its words before the run; none where nothing is read back.
    pub fn words(&self) -> &[u32] {
        match self {
            Resource::Buffer(_, words) | Resource::Image(.., words) | Resource::Row(_, words) => words,
            Resource::Texture { .. } | Resource::Texels(..) | Resource::Drawn | Resource::Structure(..) => {
                &[]
            }
        }
    }
}

/// What is run.
pub struct Scene<'a> {
    /// Its stages: a kernel, or those of graphics.
    pub stages: Vec<Stage<'a>>,
    /// Resources by binding.
    pub resources: Vec<(u32, Resource)>,
    /// Attributes of vertices by location: whether they are integers, four words for each vertex.
    pub attributes: Vec<(u32, bool, Vec<[u32; 4]>)>,
    /// Vertices of the one instance.
    pub vertices: u32,
    /// Workgroups of a kernel.
    pub groups: [u32; 3],
    /// Whether they run each behind the last.
    pub one_by_one: bool,
    /// Width and height of the targets.
    pub size: [u32; 2],
    /// Targets, and whether they hold integers.
    pub targets: Vec<bool>,
    /// Samples of a pixel. Of several nothing comes back: what is run behind reads them.
    pub samples: u32,
}

impl<'a> Scene<'a> {
    /// One workgroup of a kernel, or stages without vertices and targets.
    #[must_use]
    pub fn of(stages: Vec<Stage<'a>>, resources: Vec<(u32, Resource)>) -> Scene<'a> {
        Scene {
            stages,
            resources,
            attributes: Vec::new(),
            vertices: 0,
            groups: [1; 3],
            one_by_one: false,
            size: [1; 2],
            targets: Vec::new(),
            samples: 1,
        }
    }
}

/// What comes back.
pub struct Left {
    /// Words of all buffers, images and rows, in the order of the resources; textures have none.
    pub buffers: Vec<Vec<u32>>,
    /// Four words for each pixel of each target.
    pub targets: Vec<Vec<[u32; 4]>>,
}

/// Runs a scene.
///
/// # Errors
/// What the driver refuses.
pub fn run(device: &Device, scene: &Scene<'_>) -> Result<Left, String> {
    let mut made = Made { device, undo: Vec::new(), copies: Vec::new(), drawn: None };
    let commands = made.commands()?;
    let (bound, targets) = made.scene(scene, commands)?;
    made.submit(commands)?;
    made.left(scene, &bound, &targets)
}

/// Draws a scene into a target of several samples, and runs a kernel that reads it.
///
/// # Errors
/// What the driver refuses.
pub fn run_behind(device: &Device, drawn: &Scene<'_>, kernel: &Scene<'_>) -> Result<Left, String> {
    let mut made = Made { device, undo: Vec::new(), copies: Vec::new(), drawn: None };
    let commands = made.commands()?;
    let (_, targets) = made.scene(drawn, commands)?;
    made.drawn = targets.first().map(|target| target.view);
    let (bound, targets) = made.scene(kernel, commands)?;
    made.submit(commands)?;
    made.left(kernel, &bound, &targets)
}

/// A buffer with memory that the host sees.
#[derive(Clone, Copy, Default)]
struct Buffer {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
}

/// Resources of a scene.
struct Bound {
    buffers: Vec<Buffer>,
    layout: vk::DescriptorSetLayout,
    set: vk::DescriptorSet,
}

/// A target, and the buffer that it is copied to.
struct Target {
    image: vk::Image,
    view: vk::ImageView,
    copy: Buffer,
}

/// An image that is copied to a buffer at the end.
struct Copied {
    image: vk::Image,
    region: vk::BufferImageCopy,
    buffer: vk::Buffer,
}

/// A pipeline with what it is made of.
struct Pipeline {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    pass: vk::RenderPass,
    frame: vk::Framebuffer,
    is_kernel: bool,
}

/// How something that was made is destroyed.
type Undo = Box<dyn FnOnce(&ash::Device)>;

/// Everything that was made, to be destroyed in the opposite order.
struct Made<'d> {
    device: &'d Device,
    undo: Vec<Undo>,
    copies: Vec<Copied>,
    /// What was drawn before.
    drawn: Option<vk::ImageView>,
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        for undo in std::mem::take(&mut self.undo).into_iter().rev() {
            undo(&self.device.device);
        }
    }
}

impl Made<'_> {
    /// Records a scene.
    fn scene(
        &mut self,
        scene: &Scene<'_>,
        commands: vk::CommandBuffer,
    ) -> Result<(Bound, Vec<Target>), String> {
        let bound = self.resources(scene, commands)?;
        let targets = self.targets(scene)?;
        let pipeline = self.pipeline(scene, &bound, &targets)?;
        let vertices = self.vertex_buffers(scene)?;
        self.record(scene, commands, &pipeline, &targets, &vertices);
        Ok((bound, targets))
    }

    /// What comes back of a scene that has run.
    fn left(&self, scene: &Scene<'_>, bound: &Bound, targets: &[Target]) -> Result<Left, String> {
        let buffers =
            scene.resources.iter().zip(&bound.buffers).map(|((_, resource), buffer)| {
                match resource.words().len() {
                    0 => Ok(Vec::new()),
                    count => self.read(buffer.memory, count),
                }
            });
        let pixels = (scene.size[0] * scene.size[1]) as usize;
        let colours = targets
            .iter()
            .map(|target| Ok(self.read(target.copy.memory, TEXEL * pixels)?.as_chunks::<TEXEL>().0.to_vec()));
        Ok(Left {
            buffers: buffers.collect::<Result<_, String>>()?,
            targets: colours.collect::<Result<_, String>>()?,
        })
    }

    fn later(&mut self, undo: impl FnOnce(&ash::Device) + 'static) {
        self.undo.push(Box::new(undo));
    }

    fn commands(&mut self) -> Result<vk::CommandBuffer, String> {
        let device = &self.device.device;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(self.device.family);
        let once = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
        // SAFETY: see the head of the file.
        let (pool, commands) = unsafe {
            let pool = device.create_command_pool(&pool, None).map_err(failed("no command pool"))?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info).map_err(failed("no command buffer"))?[0];
            let begin = vk::CommandBufferBeginInfo::default().flags(once);
            device.begin_command_buffer(commands, &begin).map_err(failed("recording"))?;
            (pool, commands)
        };
        self.later(move |device| unsafe { device.destroy_command_pool(pool, None) });
        Ok(commands)
    }

    fn buffer(&mut self, usage: vk::BufferUsageFlags, words: &[u32]) -> Result<Buffer, String> {
        let size = (words.len() as u64 * 4).max(4);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let device = &self.device.device;
        // SAFETY: see the head of the file; the memory is as large as the buffer asks for.
        let made = unsafe {
            let buffer = device.create_buffer(&info, None).map_err(failed("no buffer"))?;
            let needs = device.get_buffer_memory_requirements(buffer);
            let memory = self.memory(needs, usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS))?;
            device.bind_buffer_memory(buffer, memory, 0).map_err(failed("binding memory"))?;
            Buffer { buffer, memory }
        };
        self.later(move |device| unsafe { device.destroy_buffer(made.buffer, None) });
        self.write(made.memory, words)?;
        Ok(made)
    }

    fn memory(
        &mut self,
        needs: vk::MemoryRequirements,
        has_address: bool,
    ) -> Result<vk::DeviceMemory, String> {
        let mut addressed =
            vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(self.device.memory);
        let info = if has_address { info.push_next(&mut addressed) } else { info };
        // SAFETY: see the head of the file.
        let memory =
            unsafe { self.device.device.allocate_memory(&info, None) }.map_err(failed("no memory"))?;
        self.later(move |device| unsafe { device.free_memory(memory, None) });
        Ok(memory)
    }

    fn write(&self, memory: vk::DeviceMemory, words: &[u32]) -> Result<(), String> {
        self.mapped(memory, words.len(), |room| room.copy_from_slice(words))
    }

    fn read(&self, memory: vk::DeviceMemory, count: usize) -> Result<Vec<u32>, String> {
        let mut words = Vec::new();
        self.mapped(memory, count, |room| words.extend_from_slice(room))?;
        Ok(words)
    }

    fn mapped(
        &self,
        memory: vk::DeviceMemory,
        count: usize,
        with: impl FnOnce(&mut [u32]),
    ) -> Result<(), String> {
        let (device, none) = (&self.device.device, vk::MemoryMapFlags::empty());
        // SAFETY: the memory holds at least `count` words and the queue is idle.
        unsafe {
            let start = device.map_memory(memory, 0, vk::WHOLE_SIZE, none).map_err(failed("mapping"))?;
            with(std::slice::from_raw_parts_mut(start.cast::<u32>(), count));
            device.unmap_memory(memory);
        }
        Ok(())
    }

    fn resources(&mut self, scene: &Scene<'_>, commands: vk::CommandBuffer) -> Result<Bound, String> {
        let stages = scene.stages.iter().fold(vk::ShaderStageFlags::empty(), |all, stage| all | stage.stage);
        let mut bindings: Vec<u32> = scene.resources.iter().map(|(binding, _)| *binding).collect();
        bindings.dedup();
        let count =
            |binding: u32| scene.resources.iter().filter(|(other, _)| *other == binding).count() as u32;
        let list: Vec<_> = bindings
            .iter()
            .map(|&binding| {
                let first = scene.resources.iter().find(|(other, _)| *other == binding);
                let kind =
                    first.map_or(vk::DescriptorType::STORAGE_BUFFER, |(_, resource)| resource.descriptor());
                let new = vk::DescriptorSetLayoutBinding::default().binding(binding).stage_flags(stages);
                new.descriptor_type(kind).descriptor_count(count(binding))
            })
            .collect();
        let sizes: Vec<_> = list
            .iter()
            .map(|b| {
                vk::DescriptorPoolSize::default().ty(b.descriptor_type).descriptor_count(b.descriptor_count)
            })
            .chain([vk::DescriptorPoolSize::default()
                .ty(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)])
            .collect();
        let device = &self.device.device;
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&list);
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: see the head of the file; the pool has room for this one set.
        let (layout, pool, set) = unsafe {
            let layout = device.create_descriptor_set_layout(&info, None).map_err(failed("no set layout"))?;
            let pool = device.create_descriptor_pool(&pool, None).map_err(failed("no pool"))?;
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            (layout, pool, device.allocate_descriptor_sets(&info).map_err(failed("no set"))?[0])
        };
        self.later(move |device| unsafe {
            device.destroy_descriptor_pool(pool, None);
            device.destroy_descriptor_set_layout(layout, None);
        });
        let mut buffers = Vec::new();
        for (n, (binding, resource)) in scene.resources.iter().enumerate() {
            let element = scene.resources[..n].iter().filter(|(other, _)| other == binding).count() as u32;
            buffers.push(self.bind((set, *binding, element), resource, commands)?);
        }
        Ok(Bound { buffers, layout, set })
    }

    fn bind(
        &mut self,
        (set, binding, element): (vk::DescriptorSet, u32, u32),
        resource: &Resource,
        commands: vk::CommandBuffer,
    ) -> Result<Buffer, String> {
        let write =
            vk::WriteDescriptorSet::default().dst_set(set).dst_binding(binding).dst_array_element(element);
        match resource {
            Resource::Buffer(kind, words) => {
                let usage = match kind {
                    Kind::Storage => vk::BufferUsageFlags::STORAGE_BUFFER,
                    Kind::Uniform => vk::BufferUsageFlags::UNIFORM_BUFFER,
                };
                let buffer = self.buffer(usage, words)?;
                let whole = [vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE)];
                let write = write.descriptor_type(kind.descriptor()).buffer_info(&whole);
                // SAFETY: the set has this binding, and is in no use.
                unsafe { self.device.device.update_descriptor_sets(&[write], &[]) };
                Ok(buffer)
            }
            Resource::Texture { texture, shape, compares, sampler } => {
                let view = self.texture(texture, *shape, *compares, commands)?;
                let sampler = self.sampler(sampler, *compares)?;
                self.show(write, resource, (view, sampler));
                Ok(Buffer::default())
            }
            Resource::Texels(format, [width, height], words) => {
                let (view, _, _) = self.filled((*format, [*width, *height, 1], false), words, commands)?;
                let sampler = self.sampler(&Sampler::default(), false)?;
                self.show(write, resource, (view, sampler));
                Ok(Buffer::default())
            }
            Resource::Drawn => {
                let view = self.drawn.ok_or("nothing was drawn before")?;
                let sampler = self.sampler(&Sampler::default(), false)?;
                self.show(write, resource, (view, sampler));
                Ok(Buffer::default())
            }
            Resource::Image(format, size, is_arrayed, words) => {
                let (view, copy) = self.stored((*format, *size, *is_arrayed), words, commands)?;
                self.show(write, resource, (view, vk::Sampler::null()));
                Ok(copy)
            }
            Resource::Structure(meshes, instances) => self.structure((meshes, instances), write, commands),
            Resource::Row(is_stored, words) => {
                let usage = match is_stored {
                    true => vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER,
                    false => vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER,
                };
                let buffer = self.buffer(usage, words)?;
                let views = [self.row(buffer.buffer)?];
                let write = write.descriptor_type(resource.descriptor()).texel_buffer_view(&views);
                // SAFETY: as above.
                unsafe { self.device.device.update_descriptor_sets(&[write], &[]) };
                Ok(buffer)
            }
        }
    }

    /// Puts an image into the set.
    fn show(
        &self,
        write: vk::WriteDescriptorSet<'_>,
        resource: &Resource,
        (view, sampler): (vk::ImageView, vk::Sampler),
    ) {
        let info = [vk::DescriptorImageInfo::default()
            .image_view(view)
            .sampler(sampler)
            .image_layout(vk::ImageLayout::GENERAL)];
        let write = write.descriptor_type(resource.descriptor()).image_info(&info);
        // SAFETY: the set has this binding, and is in no use.
        unsafe { self.device.device.update_descriptor_sets(&[write], &[]) };
    }

    /// What was written before is seen behind.
    fn wait(&self, commands: vk::CommandBuffer) {
        let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::MemoryBarrier::default().src_access_mask(access).dst_access_mask(access);
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: see the head of the file.
        unsafe { self.device.device.cmd_pipeline_barrier(commands, all, all, none, &[barrier], &[], &[]) };
    }

    fn record(
        &self,
        scene: &Scene<'_>,
        commands: vk::CommandBuffer,
        pipeline: &Pipeline,
        targets: &[Target],
        vertices: &[vk::Buffer],
    ) {
        let device = &self.device.device;
        let point =
            if pipeline.is_kernel { vk::PipelineBindPoint::COMPUTE } else { vk::PipelineBindPoint::GRAPHICS };
        self.wait(commands);
        // SAFETY: see the head of the file; the commands are being recorded.
        unsafe {
            device.cmd_bind_pipeline(commands, point, pipeline.pipeline);
            device.cmd_bind_descriptor_sets(commands, point, pipeline.layout, 0, &[pipeline.set], &[]);
        }
        match pipeline.is_kernel {
            true => self.dispatch(scene, commands),
            false => self.draw(scene, commands, pipeline, vertices),
        }
        self.wait(commands);
        let [width, height] = scene.size;
        let colour = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let region = vk::BufferImageCopy {
            image_subresource: colour,
            image_extent: vk::Extent3D { width, height, depth: 1 },
            ..Default::default()
        };
        let drawn = targets.iter().filter(|_| scene.samples == 1);
        let drawn = drawn.map(|target| (target.image, target.copy.buffer, region));
        let stored = self.copies.iter().map(|copied| (copied.image, copied.buffer, copied.region));
        for (image, buffer, region) in drawn.chain(stored) {
            let from = vk::ImageLayout::GENERAL;
            // SAFETY: the buffer has room for all texels.
            unsafe { device.cmd_copy_image_to_buffer(commands, image, from, buffer, &[region]) };
        }
        self.wait(commands);
    }

    fn dispatch(&self, scene: &Scene<'_>, commands: vk::CommandBuffer) {
        let [x, y, z] = scene.groups;
        let device = &self.device.device;
        if !scene.one_by_one {
            // SAFETY: a pipeline of kernels is bound.
            return unsafe { device.cmd_dispatch(commands, x, y, z) };
        }
        let each = (0..z).flat_map(|c| (0..y).flat_map(move |b| (0..x).map(move |a| [a, b, c])));
        for [a, b, c] in each {
            // SAFETY: as above; the pipeline allows a base.
            unsafe { device.cmd_dispatch_base(commands, a, b, c, 1, 1, 1) };
            self.wait(commands);
        }
    }

    fn draw(
        &self,
        scene: &Scene<'_>,
        commands: vk::CommandBuffer,
        pipeline: &Pipeline,
        vertices: &[vk::Buffer],
    ) {
        let clear = |&is_integer: &bool| vk::ClearValue {
            color: match is_integer {
                true => vk::ClearColorValue { uint32: [CLEAR.to_bits(); 4] },
                false => vk::ClearColorValue { float32: [CLEAR; 4] },
            },
        };
        let clears: Vec<_> = scene.targets.iter().map(clear).collect();
        let [width, height] = scene.size;
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
        let begin = vk::RenderPassBeginInfo::default()
            .render_pass(pipeline.pass)
            .framebuffer(pipeline.frame)
            .render_area(area)
            .clear_values(&clears);
        let device = &self.device.device;
        // SAFETY: see the head of the file; a pipeline of graphics is bound.
        unsafe {
            device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
            if !vertices.is_empty() {
                device.cmd_bind_vertex_buffers(commands, 0, vertices, &vec![0; vertices.len()]);
            }
            device.cmd_draw(commands, scene.vertices, 1, 0, 0);
            device.cmd_end_render_pass(commands);
        }
    }

    fn submit(&mut self, commands: vk::CommandBuffer) -> Result<(), String> {
        let device = &self.device.device;
        // SAFETY: the commands are being recorded.
        unsafe { device.end_command_buffer(commands) }.map_err(failed("recording"))?;
        // SAFETY: see the head of the file.
        let fence = unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) };
        let fence = fence.map_err(failed("no fence"))?;
        let commands = [commands];
        let info = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the commands are recorded, and waited for before anything is destroyed.
        let done = unsafe {
            device
                .queue_submit(self.device.queue, &info, fence)
                .and_then(|()| device.wait_for_fences(&[fence], true, PATIENCE))
        };
        self.later(move |device| unsafe { device.destroy_fence(fence, None) });
        done.map_err(failed("running"))
    }
}

fn format(is_integer: bool) -> vk::Format {
    if is_integer { vk::Format::R32G32B32A32_UINT } else { vk::Format::R32G32B32A32_SFLOAT }
}

fn samples(scene: &Scene<'_>) -> vk::SampleCountFlags {
    if scene.samples == 4 { vk::SampleCountFlags::TYPE_4 } else { vk::SampleCountFlags::TYPE_1 }
}
