//! A pipeline of one kernel, or of stages of graphics with the pass that they draw in.

// See `device.rs`: every call of Vulkan is unsafe. Handles live as long as the `Made` that has them.
#![allow(unsafe_code)]

use ash::vk;

use super::{Bound, Made, Pipeline, Scene, TEXEL, Target, failed, format, samples};

impl Made<'_> {
    pub(super) fn module(&mut self, words: &[u32]) -> Result<vk::ShaderModule, String> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are valid SPIR-V, as `Stage` asks for.
        let module =
            unsafe { self.device.device.create_shader_module(&info, None) }.map_err(failed("no module"))?;
        self.later(move |device| unsafe { device.destroy_shader_module(module, None) });
        Ok(module)
    }

    pub(super) fn pipeline(
        &mut self,
        scene: &Scene<'_>,
        bound: &Bound,
        targets: &[Target],
    ) -> Result<Pipeline, String> {
        let sets = [bound.layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        // SAFETY: see the head of the file.
        let layout =
            unsafe { self.device.device.create_pipeline_layout(&info, None) }.map_err(failed("no layout"))?;
        self.later(move |device| unsafe { device.destroy_pipeline_layout(layout, None) });
        let modules: Result<Vec<_>, String> =
            scene.stages.iter().map(|stage| Ok((stage.stage, self.module(stage.words)?))).collect();
        let stages: Vec<_> = modules?
            .into_iter()
            .map(|(stage, module)| {
                vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
            })
            .collect();
        let is_kernel = scene.stages.iter().any(|stage| stage.stage == vk::ShaderStageFlags::COMPUTE);
        let (pass, frame) = match is_kernel {
            true => (vk::RenderPass::null(), vk::Framebuffer::null()),
            false => self.pass(scene, targets)?,
        };
        let pipeline = match is_kernel {
            true => self.kernel(stages[0], layout)?,
            false => self.graphics(scene, &stages, layout, pass)?,
        };
        self.later(move |device| unsafe { device.destroy_pipeline(pipeline, None) });
        Ok(Pipeline { pipeline, layout, set: bound.set, pass, frame, is_kernel })
    }

    pub(super) fn kernel(
        &self,
        stage: vk::PipelineShaderStageCreateInfo<'_>,
        layout: vk::PipelineLayout,
    ) -> Result<vk::Pipeline, String> {
        let flags = vk::PipelineCreateFlags::DISPATCH_BASE;
        let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(layout)];
        // SAFETY: see the head of the file.
        let made =
            unsafe { self.device.device.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
        Ok(made.map_err(|(_, error)| failed("no pipeline")(error))?[0])
    }

    pub(super) fn pass(
        &mut self,
        scene: &Scene<'_>,
        targets: &[Target],
    ) -> Result<(vk::RenderPass, vk::Framebuffer), String> {
        let attachment = |&is_integer: &bool| {
            vk::AttachmentDescription::default()
                .format(format(is_integer))
                .samples(samples(scene))
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .final_layout(vk::ImageLayout::GENERAL)
        };
        let attachments: Vec<_> = scene.targets.iter().map(attachment).collect();
        let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let colours: Vec<_> =
            (0..targets.len() as u32).map(|n| vk::AttachmentReference { attachment: n, layout }).collect();
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let subpasses =
            [vk::SubpassDescription::default().pipeline_bind_point(graphics).color_attachments(&colours)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        let views: Vec<_> = targets.iter().map(|target| target.view).collect();
        let [width, height] = scene.size;
        // SAFETY: see the head of the file.
        let (pass, frame) = unsafe {
            let pass = self.device.device.create_render_pass(&info, None).map_err(failed("no pass"))?;
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(pass)
                .attachments(&views)
                .width(width)
                .height(height)
                .layers(1);
            (pass, self.device.device.create_framebuffer(&info, None).map_err(failed("no frame"))?)
        };
        self.later(move |device| unsafe {
            device.destroy_framebuffer(frame, None);
            device.destroy_render_pass(pass, None);
        });
        Ok((pass, frame))
    }

    pub(super) fn graphics(
        &self,
        scene: &Scene<'_>,
        stages: &[vk::PipelineShaderStageCreateInfo<'_>],
        layout: vk::PipelineLayout,
        pass: vk::RenderPass,
    ) -> Result<vk::Pipeline, String> {
        let (buffers, attributes) = layout_of(scene);
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&buffers)
            .vertex_attribute_descriptions(&attributes);
        let draws = scene.stages.iter().any(|stage| stage.stage == vk::ShaderStageFlags::FRAGMENT);
        let topology =
            if draws { vk::PrimitiveTopology::TRIANGLE_LIST } else { vk::PrimitiveTopology::POINT_LIST };
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let [width, height] = scene.size;
        let viewports = [vk::Viewport {
            width: width as f32,
            height: height as f32,
            max_depth: 1.0,
            ..Default::default()
        }];
        let scissors = [vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() }];
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(!draws)
            .front_face(vk::FrontFace::CLOCKWISE)
            .line_width(1.0);
        let several = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples(scene));
        let keep = vk::PipelineColorBlendAttachmentState {
            color_write_mask: vk::ColorComponentFlags::RGBA,
            ..Default::default()
        };
        let blends = vec![keep; scene.targets.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&several)
            .color_blend_state(&blend)
            .layout(layout)
            .render_pass(pass)];
        // SAFETY: see the head of the file.
        let made =
            unsafe { self.device.device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        Ok(made.map_err(|(_, error)| failed("no pipeline")(error))?[0])
    }

    pub(super) fn vertex_buffers(&mut self, scene: &Scene<'_>) -> Result<Vec<vk::Buffer>, String> {
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let one = |(_, _, rows): &(u32, bool, Vec<[u32; 4]>)| Ok(self.buffer(usage, &rows.concat())?.buffer);
        scene.attributes.iter().map(one).collect()
    }
}

/// A buffer for each attribute, with four words for each vertex.
fn layout_of(
    scene: &Scene<'_>,
) -> (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>) {
    let one = |((location, is_integer, _), n): (&(u32, bool, Vec<[u32; 4]>), u32)| {
        let buffer = vk::VertexInputBindingDescription::default().binding(n).stride(4 * TEXEL as u32);
        let attribute = vk::VertexInputAttributeDescription::default().location(*location).binding(n);
        (buffer, attribute.format(format(*is_integer)))
    };
    scene.attributes.iter().zip(0..).map(one).unzip()
}
