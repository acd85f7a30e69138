//! Textures that are sampled, and targets that are drawn to.

// See `device.rs`: every call of Vulkan is unsafe. Handles live as long as the `Made` that has them.
#![allow(unsafe_code)]

use ash::vk;
use chiaro_sim::texture::{Addressing, Compare, Filter, Mip, Sampler, Texel, Texture};

use super::{Buffer, Copied, Made, Scene, TEXEL, Target, failed, format, samples};

impl Made<'_> {
    /// A sampler, which compares if that is asked for. Least levels begin with the first one.
    pub(super) fn sampler(&mut self, given: &Sampler, compares: bool) -> Result<vk::Sampler, String> {
        let [u, v, w] = given.addressing.map(addressing);
        let [least, most] = given.levels.map(|level| level.clamp(0.0, vk::LOD_CLAMP_NONE));
        let linear = given.mip == Mip::Linear;
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter(given.magnify))
            .min_filter(filter(given.minify))
            .mipmap_mode(if linear { vk::SamplerMipmapMode::LINEAR } else { vk::SamplerMipmapMode::NEAREST })
            .address_mode_u(u)
            .address_mode_v(v)
            .address_mode_w(w)
            .mip_lod_bias(given.bias)
            .min_lod(least)
            .max_lod(most)
            .border_color(border(given.border))
            .compare_enable(compares)
            .compare_op(compare(given.compare));
        // SAFETY: see the head of the file.
        let sampler =
            unsafe { self.device.device.create_sampler(&info, None) }.map_err(failed("no sampler"))?;
        self.later(move |device| unsafe { device.destroy_sampler(sampler, None) });
        Ok(sampler)
    }

    /// An image with all its levels, filled.
    pub(super) fn texture(
        &mut self,
        texture: &Texture,
        shape: vk::ImageViewType,
        compares: bool,
        commands: vk::CommandBuffer,
    ) -> Result<vk::ImageView, String> {
        use vk::ImageViewType as View;
        let is_3d = shape == View::TYPE_3D;
        let kind = match shape {
            View::TYPE_1D | View::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            View::TYPE_3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        };
        let (format, aspect, words) = match compares {
            true => (vk::Format::D32_SFLOAT, vk::ImageAspectFlags::DEPTH, 1),
            false => (vk::Format::R32G32B32A32_SFLOAT, vk::ImageAspectFlags::COLOR, TEXEL),
        };
        let levels = 1 + texture.smaller.len() as u32;
        let [width, height, depth] = texture.size;
        let layers = match kind {
            vk::ImageType::TYPE_3D => 1,
            vk::ImageType::TYPE_1D => height,
            _ => depth,
        };
        let rows = if kind == vk::ImageType::TYPE_1D { 1 } else { height };
        let cube = matches!(shape, View::CUBE | View::CUBE_ARRAY);
        let flags = if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() };
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(kind)
            .format(format)
            .extent(vk::Extent3D { width, height: rows, depth: if is_3d { depth } else { 1 } })
            .mip_levels(levels)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST);
        let image = self.image(&info)?;
        let range = vk::ImageSubresourceRange {
            aspect_mask: aspect,
            level_count: levels,
            layer_count: layers,
            ..Default::default()
        };
        self.general(commands, image, range);
        for level in 0..levels {
            let own = texture.level(level as usize);
            let texels = own.texels.iter().flat_map(|texel| texel[..words].iter().map(|bits| *bits as u32));
            let layers = vk::ImageSubresourceLayers {
                aspect_mask: aspect,
                mip_level: level,
                base_array_layer: 0,
                layer_count: layers,
            };
            let [width, height, depth] = own.size;
            let height = if kind == vk::ImageType::TYPE_1D { 1 } else { height };
            let extent = vk::Extent3D { width, height, depth: if is_3d { depth } else { 1 } };
            self.fill(commands, image, (layers, extent), &texels.collect::<Vec<_>>())?;
        }
        self.view(image, shape, format, range)
    }

    /// Brings words into a level of an image.
    fn fill(
        &mut self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        (layers, extent): (vk::ImageSubresourceLayers, vk::Extent3D),
        words: &[u32],
    ) -> Result<(), String> {
        let staging = self.buffer(vk::BufferUsageFlags::TRANSFER_SRC, words)?;
        let copy =
            vk::BufferImageCopy { image_subresource: layers, image_extent: extent, ..Default::default() };
        let to = vk::ImageLayout::GENERAL;
        // SAFETY: the buffer has a texel for each of the level.
        unsafe { self.device.device.cmd_copy_buffer_to_image(commands, staging.buffer, image, to, &[copy]) };
        Ok(())
    }

    pub(super) fn image(&mut self, info: &vk::ImageCreateInfo<'_>) -> Result<vk::Image, String> {
        // SAFETY: see the head of the file.
        let (image, needs) = unsafe {
            let image = self.device.device.create_image(info, None).map_err(failed("no image"))?;
            (image, self.device.device.get_image_memory_requirements(image))
        };
        self.later(move |device| unsafe { device.destroy_image(image, None) });
        let memory = self.memory(needs, false)?;
        // SAFETY: the memory is as large as the image asks for.
        unsafe { self.device.device.bind_image_memory(image, memory, 0) }
            .map_err(failed("binding an image"))?;
        Ok(image)
    }

    pub(super) fn view(
        &mut self,
        image: vk::Image,
        shape: vk::ImageViewType,
        format: vk::Format,
        range: vk::ImageSubresourceRange,
    ) -> Result<vk::ImageView, String> {
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(shape)
            .format(format)
            .subresource_range(range);
        // SAFETY: see the head of the file.
        let view = unsafe { self.device.device.create_image_view(&info, None) }.map_err(failed("no view"))?;
        self.later(move |device| unsafe { device.destroy_image_view(view, None) });
        Ok(view)
    }

    /// Brings an image into the layout that all commands here use.
    pub(super) fn general(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        range: vk::ImageSubresourceRange,
    ) {
        let barrier = vk::ImageMemoryBarrier::default()
            .image(image)
            .new_layout(vk::ImageLayout::GENERAL)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)
            .subresource_range(range);
        let (all, none) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::DependencyFlags::empty());
        // SAFETY: see the head of the file.
        unsafe { self.device.device.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[barrier]) };
    }

    /// An image that is stored to, filled, with the buffer that it is copied to at the end.
    pub(super) fn stored(
        &mut self,
        of: (vk::Format, [u32; 3], bool),
        words: &[u32],
        commands: vk::CommandBuffer,
    ) -> Result<(vk::ImageView, Buffer), String> {
        let (view, image, region) = self.filled(of, words, commands)?;
        let copy = self.buffer(vk::BufferUsageFlags::TRANSFER_DST, words)?;
        self.copies.push(Copied { image, region, buffer: copy.buffer });
        Ok((view, copy))
    }

    /// An image of one level, filled: its format, its size with its layers, whether it has several. All that a format
    /// with storage can be used for, it can; what lies where, for who copies it.
    pub(super) fn filled(
        &mut self,
        (format, [width, height, layers], is_arrayed): (vk::Format, [u32; 3], bool),
        words: &[u32],
        commands: vk::CommandBuffer,
    ) -> Result<(vk::ImageView, vk::Image, vk::BufferImageCopy), String> {
        let extent = vk::Extent3D { width, height, depth: 1 };
        let mut usage = vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::TRANSFER_SRC;
        if self.device.has(format, vk::FormatFeatureFlags::STORAGE_IMAGE) {
            usage |= vk::ImageUsageFlags::STORAGE;
        }
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(extent)
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let image = self.image(&info)?;
        let aspect_mask = vk::ImageAspectFlags::COLOR;
        let range = vk::ImageSubresourceRange {
            aspect_mask,
            level_count: 1,
            layer_count: layers,
            ..Default::default()
        };
        let all = vk::ImageSubresourceLayers { aspect_mask, layer_count: layers, ..Default::default() };
        self.general(commands, image, range);
        self.fill(commands, image, (all, extent), words)?;
        let region =
            vk::BufferImageCopy { image_subresource: all, image_extent: extent, ..Default::default() };
        let shape = if is_arrayed { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D };
        Ok((self.view(image, shape, format, range)?, image, region))
    }

    /// A view of a buffer as a row of texels.
    pub(super) fn row(&mut self, buffer: vk::Buffer) -> Result<vk::BufferView, String> {
        let info = vk::BufferViewCreateInfo::default()
            .buffer(buffer)
            .format(vk::Format::R32G32B32A32_SFLOAT)
            .range(vk::WHOLE_SIZE);
        // SAFETY: see the head of the file.
        let view =
            unsafe { self.device.device.create_buffer_view(&info, None) }.map_err(failed("no view"))?;
        self.later(move |device| unsafe { device.destroy_buffer_view(view, None) });
        Ok(view)
    }

    pub(super) fn targets(&mut self, scene: &Scene<'_>) -> Result<Vec<Target>, String> {
        let [width, height] = scene.size;
        let range = vk::ImageSubresourceRange {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            level_count: 1,
            layer_count: 1,
            ..Default::default()
        };
        let mut all = Vec::new();
        for &is_integer in &scene.targets {
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(format(is_integer))
                .extent(vk::Extent3D { width, height, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(samples(scene))
                .usage(
                    vk::ImageUsageFlags::COLOR_ATTACHMENT
                        | vk::ImageUsageFlags::TRANSFER_SRC
                        | vk::ImageUsageFlags::SAMPLED,
                );
            let image = self.image(&info)?;
            let view = self.view(image, vk::ImageViewType::TYPE_2D, format(is_integer), range)?;
            let words = vec![0; TEXEL * (width * height) as usize];
            all.push(Target { image, view, copy: self.buffer(vk::BufferUsageFlags::TRANSFER_DST, &words)? });
        }
        Ok(all)
    }
}

fn filter(filter: Filter) -> vk::Filter {
    if filter == Filter::Linear { vk::Filter::LINEAR } else { vk::Filter::NEAREST }
}

fn addressing(addressing: Addressing) -> vk::SamplerAddressMode {
    match addressing {
        Addressing::Repeat => vk::SamplerAddressMode::REPEAT,
        Addressing::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
        Addressing::MirrorOnce => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
        Addressing::Clamp => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        Addressing::Border => vk::SamplerAddressMode::CLAMP_TO_BORDER,
    }
}

/// The nearest of the three that every driver has.
fn border([red, _, _, alpha]: Texel) -> vk::BorderColor {
    match (red, alpha) {
        (0, 0) => vk::BorderColor::FLOAT_TRANSPARENT_BLACK,
        (0, _) => vk::BorderColor::FLOAT_OPAQUE_BLACK,
        _ => vk::BorderColor::FLOAT_OPAQUE_WHITE,
    }
}

fn compare(compare: Compare) -> vk::CompareOp {
    match compare {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}
