//! A driver, and one dispatch on it.

// Every call of Vulkan is unsafe. What the calls ask for is shown where they stand; common to
// all: handles come from the same device and live in `Objects` until the dispatch is over.
#![allow(unsafe_code)]

use std::ffi::CStr;

use ash::khr::acceleration_structure::Device as Rays;
use ash::vk;

use super::objects::{Objects, failed};

/// Nanoseconds that a dispatch may take.
const PATIENCE: u64 = 60_000_000_000;

/// A running driver.
pub struct Device {
    // Dropped last: it holds the loader's library.
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(super) device: ash::Device,
    physical: vk::PhysicalDevice,
    pub(super) queue: vk::Queue,
    pub(super) family: u32,
    pub(super) memory: u32,
    /// Functions for acceleration structures, if the driver has all that ray queries need.
    rays: Option<Rays>,
    name: String,
}

/// What to run.
pub struct Dispatch<'a> {
    /// SPIR-V, which must be valid: drivers crash on what is not.
    pub words: &'a [u32],
    /// The entry point.
    pub entry: &'a CStr,
    /// Workgroups.
    pub groups: [u32; 3],
    /// Push constants.
    pub push: &'a [u8],
    /// Buffers of set 0.
    pub buffers: Vec<Bound>,
}

/// A buffer of a dispatch.
pub struct Bound {
    /// Its binding.
    pub binding: u32,
    /// Storage or uniform.
    pub kind: Kind,
    /// What it holds before the run.
    pub words: Vec<u32>,
}

/// Kinds of buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Read and written.
    Storage,
    /// Read only.
    Uniform,
}

impl Kind {
    pub(super) fn descriptor(self) -> vk::DescriptorType {
        match self {
            Kind::Storage => vk::DescriptorType::STORAGE_BUFFER,
            Kind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
        }
    }
}

impl Device {
    /// Finds lavapipe and opens it.
    ///
    /// # Errors
    /// What is missing, for a message that tests were skipped.
    pub fn open() -> Result<Device, String> {
        // SAFETY: the loader is a library made for being loaded; it is kept in `_entry`.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| format!("there is no Vulkan loader ({e})"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_2);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the structures outlive the call.
        let instance =
            unsafe { entry.create_instance(&info, None) }.map_err(failed("no instance of Vulkan"))?;
        // SAFETY: the instance is alive.
        let all = unsafe { instance.enumerate_physical_devices() }.map_err(failed("no devices"))?;
        let named = all.iter().map(|&d| (d, name_of(&instance, d)));
        let Some((physical, name)) = named.into_iter().find(|(_, name)| name.contains("llvmpipe")) else {
            // SAFETY: nothing was made from the instance.
            unsafe { instance.destroy_instance(None) };
            return Err("there is no lavapipe among the Vulkan drivers".to_owned());
        };
        let family = compute_family(&instance, physical);
        let memory = host_memory(&instance, physical);
        let has_rays = has_rays(&instance, physical);
        let device = make_device(&instance, physical, family, has_rays)?;
        let rays = has_rays.then(|| Rays::new(&instance, &device));
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { device.get_device_queue(family, 0) };
        Ok(Device { _entry: entry, instance, device, physical, queue, family, memory, rays, name })
    }

    /// The driver's name with its versions.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What builds acceleration structures.
    pub(super) fn rays(&self) -> Result<&Rays, String> {
        self.rays.as_ref().ok_or_else(|| format!("{} has no ray queries", self.name))
    }

    /// Whether images of a format can be used so.
    pub(super) fn has(&self, format: vk::Format, use_as: vk::FormatFeatureFlags) -> bool {
        // SAFETY: the device is one of the instance's.
        let found = unsafe { self.instance.get_physical_device_format_properties(self.physical, format) };
        found.optimal_tiling_features.contains(use_as)
    }

    /// Runs a module to its end; answers the words of all buffers after it.
    ///
    /// # Errors
    /// What the driver refuses, or a run that does not end in a minute.
    pub fn run(&self, dispatch: &Dispatch<'_>) -> Result<Vec<Vec<u32>>, String> {
        let mut objects = Objects::new(&self.device);
        for buffer in &dispatch.buffers {
            objects.buffer(buffer.kind.descriptor(), &buffer.words, self.memory)?;
        }
        let bindings: Vec<_> = dispatch.buffers.iter().map(|b| (b.binding, b.kind.descriptor())).collect();
        objects.pipeline(dispatch.words, dispatch.entry, &bindings, dispatch.push.len())?;
        let set = objects.descriptors(&bindings)?;
        let commands = objects.commands(self.family)?;
        self.record(&objects, commands, set, dispatch).map_err(failed("recording"))?;
        self.submit(&objects, commands)?;
        let sizes = dispatch.buffers.iter().map(|b| b.words.len());
        sizes.enumerate().map(|(i, count)| objects.words(i, count)).collect()
    }

    fn record(
        &self,
        objects: &Objects<'_>,
        commands: vk::CommandBuffer,
        set: vk::DescriptorSet,
        dispatch: &Dispatch<'_>,
    ) -> Result<(), vk::Result> {
        let (d, [x, y, z]) = (&self.device, dispatch.groups);
        let once = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
        let point = vk::PipelineBindPoint::COMPUTE;
        // SAFETY: the buffer is new, all handles are of this device, and the push constants are
        // inside the range that the layout was made with.
        unsafe {
            d.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default().flags(once))?;
            d.cmd_bind_pipeline(commands, point, objects.pipeline);
            d.cmd_bind_descriptor_sets(commands, point, objects.layout, 0, &[set], &[]);
            if !dispatch.push.is_empty() {
                d.cmd_push_constants(
                    commands,
                    objects.layout,
                    vk::ShaderStageFlags::COMPUTE,
                    0,
                    dispatch.push,
                );
            }
            d.cmd_dispatch(commands, x, y, z);
            d.end_command_buffer(commands)
        }
    }

    fn submit(&self, objects: &Objects<'_>, commands: vk::CommandBuffer) -> Result<(), String> {
        let commands = [commands];
        let info = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: the commands are recorded; they are waited for before anything is destroyed,
        // also where the time is over.
        unsafe {
            self.device.queue_submit(self.queue, &info, objects.fence).map_err(failed("submitting"))?;
            self.device.wait_for_fences(&[objects.fence], true, PATIENCE).map_err(|error| {
                let _ = self.device.device_wait_idle();
                failed("waiting")(error)
            })
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the objects of each dispatch are gone; the device goes before its instance.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn name_of(instance: &ash::Instance, device: vk::PhysicalDevice) -> String {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the device is one of the instance's.
    unsafe { instance.get_physical_device_properties2(device, &mut all) };
    let name = all.properties.device_name_as_c_str().map(|n| n.to_string_lossy().into_owned());
    let version = driver.driver_info_as_c_str().map(|v| v.to_string_lossy().into_owned());
    format!("{}, {}", name.unwrap_or_default(), version.unwrap_or_default())
}

fn compute_family(instance: &ash::Instance, device: vk::PhysicalDevice) -> u32 {
    // SAFETY: the device is one of the instance's.
    let families = unsafe { instance.get_physical_device_queue_family_properties(device) };
    families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::COMPUTE)).unwrap_or(0) as u32
}

/// Memory that the host sees without flushing; every driver has it.
fn host_memory(instance: &ash::Instance, device: vk::PhysicalDevice) -> u32 {
    // SAFETY: the device is one of the instance's.
    let memory = unsafe { instance.get_physical_device_memory_properties(device) };
    let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
    let types = memory.memory_types_as_slice();
    types.iter().position(|t| t.property_flags.contains(wanted)).unwrap_or(0) as u32
}

/// Extensions for ray queries that tell corners.
const RAYS: [&CStr; 4] = [
    vk::KHR_ACCELERATION_STRUCTURE_NAME,
    vk::KHR_DEFERRED_HOST_OPERATIONS_NAME,
    vk::KHR_RAY_QUERY_NAME,
    vk::KHR_RAY_TRACING_POSITION_FETCH_NAME,
];

/// Whether a driver has them all.
fn has_rays(instance: &ash::Instance, device: vk::PhysicalDevice) -> bool {
    // SAFETY: the device is one of the instance's.
    let all = unsafe { instance.enumerate_device_extension_properties(device) }.unwrap_or_default();
    RAYS.iter().all(|name| all.iter().any(|has| has.extension_name_as_c_str() == Ok(name)))
}

/// A device with all features that the driver has, robust access among them, mirrored edges, and rays where it has them.
fn make_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
    family: u32,
    has_rays: bool,
) -> Result<ash::Device, String> {
    // SAFETY: the device is one of the instance's.
    let features = unsafe { instance.get_physical_device_features(physical) };
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
    let rays = RAYS.iter().filter(|_| has_rays);
    let extensions = [vk::KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_NAME].into_iter().chain(rays.copied());
    let extensions: Vec<_> = extensions.map(CStr::as_ptr).collect();
    let mut addresses = vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true);
    let mut structures =
        vk::PhysicalDeviceAccelerationStructureFeaturesKHR::default().acceleration_structure(true);
    let mut queries = vk::PhysicalDeviceRayQueryFeaturesKHR::default().ray_query(true);
    let mut corners =
        vk::PhysicalDeviceRayTracingPositionFetchFeaturesKHR::default().ray_tracing_position_fetch(true);
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_features(&features)
        .enabled_extension_names(&extensions);
    if has_rays {
        info = info.push_next(&mut addresses).push_next(&mut structures);
        info = info.push_next(&mut queries).push_next(&mut corners);
    }
    // SAFETY: the structures outlive the call and ask only for what the driver has.
    unsafe { instance.create_device(physical, &info, None) }.map_err(failed("no device"))
}
