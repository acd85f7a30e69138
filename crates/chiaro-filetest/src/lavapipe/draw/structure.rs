//! Acceleration structures: one for each mesh, and one of the instances.

// See `draw.rs`: handles live as long as the `Made` that has them.
#![allow(unsafe_code)]

use ash::vk;
use chiaro_trace::{Geometry, Instance, Mesh, Shape};

use super::{Buffer, Made, failed};

/// What addresses of scratch memory are multiples of, at least.
const ALIGNED: u64 = 256;

/// What a structure is built of.
struct Parts {
    level: vk::AccelerationStructureTypeKHR,
    geometries: Vec<vk::AccelerationStructureGeometryKHR<'static>>,
    /// Primitives of each.
    counts: Vec<u32>,
}

impl Made<'_> {
    /// Builds the structure of instances and puts it into a set.
    pub(super) fn structure(
        &mut self,
        (meshes, instances): (&[Mesh], &[Instance]),
        write: vk::WriteDescriptorSet<'_>,
        commands: vk::CommandBuffer,
    ) -> Result<Buffer, String> {
        let built: Result<Vec<u64>, String> = meshes.iter().map(|mesh| self.mesh(mesh, commands)).collect();
        let built = built?;
        let words: Vec<u32> = instances.iter().flat_map(|i| instance_words(i, built[i.mesh])).collect();
        let (_, address) = self.addressed(&words)?;
        let data = vk::AccelerationStructureGeometryInstancesDataKHR::default().data(at(address));
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::INSTANCES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { instances: data });
        let parts = Parts {
            level: vk::AccelerationStructureTypeKHR::TOP_LEVEL,
            geometries: vec![geometry],
            counts: vec![instances.len() as u32],
        };
        let (structure, buffer) = self.built(&parts, commands)?;
        let list = [structure];
        let mut info =
            vk::WriteDescriptorSetAccelerationStructureKHR::default().acceleration_structures(&list);
        let write =
            write.descriptor_type(vk::DescriptorType::ACCELERATION_STRUCTURE_KHR).push_next(&mut info);
        let write = vk::WriteDescriptorSet { descriptor_count: 1, ..write };
        // SAFETY: the set has this binding, and is in no use.
        unsafe { self.device.device.update_descriptor_sets(&[write], &[]) };
        Ok(buffer)
    }

    /// Builds a mesh; answers its address, 0 of one that has nothing: instances of it are inactive then.
    fn mesh(&mut self, mesh: &Mesh, commands: vk::CommandBuffer) -> Result<u64, String> {
        if mesh.geometries.is_empty() {
            return Ok(0);
        }
        let made: Result<Vec<_>, String> = mesh.geometries.iter().map(|part| self.geometry(part)).collect();
        let parts = Parts {
            level: vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL,
            geometries: made?,
            counts: mesh.geometries.iter().map(|part| part.shape.len() as u32).collect(),
        };
        let (structure, _) = self.built(&parts, commands)?;
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(structure);
        // SAFETY: see the head of the file.
        Ok(unsafe { self.device.rays()?.get_acceleration_structure_device_address(&info) })
    }

    fn geometry(&mut self, part: &Geometry) -> Result<vk::AccelerationStructureGeometryKHR<'static>, String> {
        let once = vk::GeometryFlagsKHR::NO_DUPLICATE_ANY_HIT_INVOCATION;
        let opaque = if part.opaque { vk::GeometryFlagsKHR::OPAQUE } else { vk::GeometryFlagsKHR::empty() };
        let made = vk::AccelerationStructureGeometryKHR::default().flags(once | opaque);
        let bits =
            |corners: &[[f32; 3]]| corners.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        Ok(match &part.shape {
            Shape::Triangles(all) => made
                .geometry_type(vk::GeometryTypeKHR::TRIANGLES)
                .geometry(vk::AccelerationStructureGeometryDataKHR { triangles: self.triangles(all)? }),
            Shape::Boxes(all) => {
                let (_, address) = self.addressed(&bits(all.as_flattened()))?;
                let data =
                    vk::AccelerationStructureGeometryAabbsDataKHR::default().data(at(address)).stride(24);
                made.geometry_type(vk::GeometryTypeKHR::AABBS)
                    .geometry(vk::AccelerationStructureGeometryDataKHR { aabbs: data })
            }
        })
    }

    /// Triangles by numbers of their corners, the last first, in the mirror: a transform turns them back, without
    /// rounding. What the driver tells of them is what it makes of that.
    fn triangles(
        &mut self,
        all: &[[[f32; 3]; 3]],
    ) -> Result<vk::AccelerationStructureGeometryTrianglesDataKHR<'static>, String> {
        let corners = all.as_flattened();
        let mirrored = corners.iter().rev().flat_map(|[x, y, z]| [z * 0.5, x - 8.0, -y].map(f32::to_bits));
        let (_, vertices) = self.addressed(&mirrored.collect::<Vec<_>>())?;
        let numbers: Vec<u32> = (0..corners.len() as u32).rev().collect();
        let (_, numbers) = self.addressed(&numbers)?;
        let back = [[0.0, 1.0, 0.0, 8.0], [0.0, 0.0, -1.0, 0.0], [2.0, 0.0, 0.0, 0.0f32]];
        let (_, back) = self.addressed(back.map(|row| row.map(f32::to_bits)).as_flattened())?;
        Ok(vk::AccelerationStructureGeometryTrianglesDataKHR::default()
            .vertex_format(vk::Format::R32G32B32_SFLOAT)
            .vertex_data(at(vertices))
            .vertex_stride(12)
            .max_vertex(corners.len() as u32 - 1)
            .index_type(vk::IndexType::UINT32)
            .index_data(at(numbers))
            .transform_data(at(back)))
    }

    /// Builds a structure behind all that was built before.
    fn built(
        &mut self,
        parts: &Parts,
        commands: vk::CommandBuffer,
    ) -> Result<(vk::AccelerationStructureKHR, Buffer), String> {
        let rays = self.device.rays()?;
        let access = vk::BuildAccelerationStructureFlagsKHR::ALLOW_DATA_ACCESS;
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::default()
            .ty(parts.level)
            .flags(access)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .geometries(&parts.geometries);
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let on_device = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        // SAFETY: there is a count for each geometry.
        unsafe { rays.get_acceleration_structure_build_sizes(on_device, &info, &parts.counts, &mut sizes) };
        let words = |bytes: u64| vec![0; (bytes + ALIGNED).div_ceil(4) as usize];
        let (buffer, _) = self.addressed(&words(sizes.acceleration_structure_size))?;
        let (_, scratch) = self.addressed(&words(sizes.build_scratch_size))?;
        let create = vk::AccelerationStructureCreateInfoKHR::default()
            .buffer(buffer.buffer)
            .size(sizes.acceleration_structure_size)
            .ty(parts.level);
        // SAFETY: the buffer has room for the structure.
        let structure = unsafe { rays.create_acceleration_structure(&create, None) };
        let structure = structure.map_err(failed("no acceleration structure"))?;
        let destroyer = rays.clone();
        // SAFETY: see the head of the file.
        self.later(move |_| unsafe { destroyer.destroy_acceleration_structure(structure, None) });
        let scratch = vk::DeviceOrHostAddressKHR { device_address: scratch.next_multiple_of(ALIGNED) };
        info = info.dst_acceleration_structure(structure).scratch_data(scratch);
        let range =
            |&count: &u32| vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(count);
        let ranges: Vec<_> = parts.counts.iter().map(range).collect();
        self.wait(commands);
        // SAFETY: the commands are being recorded; scratch memory is large enough, aligned, and in no other use.
        unsafe { rays.cmd_build_acceleration_structures(commands, &[info], &[&ranges]) };
        self.wait(commands);
        Ok((structure, buffer))
    }

    /// A buffer for all that structures need, with its address.
    fn addressed(&mut self, words: &[u32]) -> Result<(Buffer, u64), String> {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        let buffer = self.buffer(usage, words)?;
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
        // SAFETY: the buffer has memory, and a use that allows its address.
        Ok((buffer, unsafe { self.device.device.get_buffer_device_address(&info) }))
    }
}

fn at(device_address: u64) -> vk::DeviceOrHostAddressConstKHR {
    vk::DeviceOrHostAddressConstKHR { device_address }
}

/// An instance as the API lays it out: transform, custom index and mask, record and flags, address.
fn instance_words(instance: &Instance, address: u64) -> Vec<u32> {
    let mut words: Vec<u32> = instance.transform.0.as_flattened().iter().map(|x| x.to_bits()).collect();
    words.push(instance.custom_index | u32::from(instance.mask) << 24);
    words.push(instance.offset | u32::from(instance.flags) << 24);
    words.extend([address as u32, (address >> 32) as u32]);
    words
}
