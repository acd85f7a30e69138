//! Images of a source, as the interpreter has them, and as the machine does: descriptors and texels in memory,
//! numbered as the driver numbers them (spec 23.1).

use chiaro_agx::abi::channels::Format;
use chiaro_agx::abi::descriptor::{PBE, TEXTURE};
use chiaro_agx::abi::image::{Image as Shaped, Layout, Tiling};
use chiaro_agx::verify::image;
use chiaro_ir::interp::{Handle, Images, Request, Texel, TextureStore};
use chiaro_ir::{Dim, GlobalRef, ImageType, Module, Space};
use chiaro_num::{Encoding, F16};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::texture::{Filter, Mip, Sampler, Shape, Texture};
use chiaro_target::value::Image;

use crate::stages::texture::{image_of, make};

/// Where images lie.
const BASE: u64 = 0x30_0000_0000;
const APART: u64 = 0x100_0000;
/// Texels along each side of images that are stored to, and layers of arrays.
const SIDE: u32 = 16;
const LAYERS: u32 = 3;
/// Samples of images that have several.
const SAMPLES: u32 = 4;
/// Texels of a row of buffers (spec 23.8), and texels of a buffer.
const ROW: u32 = 16384;
const TEXELS: u32 = 256;

/// Images of the interpreter. Samples are layers.
#[derive(Clone, Default)]
pub(in crate::agx) struct Store(pub(in crate::agx) TextureStore);

impl Images for Store {
    fn sample(&mut self, request: &Request, ty: &ImageType) -> Texel {
        self.0.sample(request, ty)
    }

    fn read(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], level: i32) -> Texel {
        let at = if ty.multisampled { [at[0], at[1], level, 0] } else { at };
        self.0.read(image, ty, at, level)
    }

    fn write(&mut self, image: Handle, ty: &ImageType, at: [i32; 4], texel: Texel) {
        self.0.write(image, ty, at, texel);
    }

    fn size(&mut self, image: Handle, ty: &ImageType, level: u32) -> [u32; 3] {
        self.0.size(image, ty, level)
    }

    fn levels(&mut self, request: &Request, ty: &ImageType) -> [f64; 2] {
        self.0.levels(request, ty)
    }

    fn counts(&mut self, image: Handle, ty: &ImageType) -> [u32; 2] {
        self.0.counts(image, ty)
    }
}

/// Descriptors by the number of their state.
#[derive(Clone, Default)]
pub(in crate::agx) struct Bound {
    pub(in crate::agx) descriptors: Vec<[u8; 24]>,
    pub(super) samplers: Vec<[u8; 8]>,
}

/// An image that is stored to.
pub(in crate::agx) struct Stored {
    pub(in crate::agx) handle: Handle,
    pub(in crate::agx) name: &'static str,
    layout: Layout,
    base: u64,
}

/// All images of a module.
#[derive(Default)]
pub(in crate::agx) struct All {
    pub(in crate::agx) store: Store,
    pub(in crate::agx) bound: Bound,
    pub(in crate::agx) stored: Vec<Stored>,
    /// Variables with the first of their descriptors, and how many they are.
    pub(in crate::agx) variables: Vec<(GlobalRef, usize, usize)>,
}

impl All {
    /// Makes the images of a module and maps them.
    pub(in crate::agx) fn new(module: &Module, memory: &mut Mapped) -> Result<All, String> {
        let mut all = All::default();
        all.bound.samplers.push(image::FETCH);
        let mut images = Vec::new();
        for (n, global) in
            module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::UniformConstant)
        {
            let Some((ty, count)) = image_of(module, global.ty) else { continue };
            let binding = global.binding.binding.unwrap_or(0);
            match ty.storage {
                true => images.push((binding, GlobalRef(n as u32), ty)),
                false => all.sampled((GlobalRef(n as u32), binding, count), &ty, memory)?,
            }
        }
        images.sort_by_key(|(binding, ..)| *binding);
        for (_, global, ty) in images {
            all.image(module, global, &ty, memory)?;
        }
        Ok(all)
    }

    /// Where the next image lies.
    fn place(&self) -> u64 {
        BASE + (self.bound.descriptors.len() as u64) * APART
    }

    /// A descriptor in the state of a number.
    fn describe(&mut self, state: usize, bytes: Vec<u8>) -> Result<(), String> {
        let descriptors = &mut self.bound.descriptors;
        descriptors.resize(descriptors.len().max(state + 1), [0; 24]);
        descriptors[state] = bytes.try_into().map_err(|_| "a descriptor has 24 bytes")?;
        Ok(())
    }

    /// A variable that is sampled, with its sampler in the state behind that of fetches.
    fn sampled(
        &mut self,
        (global, binding, count): (GlobalRef, u32, u32),
        ty: &ImageType,
        memory: &mut Mapped,
    ) -> Result<(), String> {
        self.variables.push((global, binding as usize, count as usize));
        for element in 0..count {
            let (unit, handle) = (binding + element, Handle { global, element });
            let base = self.place();
            match ty {
                ImageType { dim: Dim::Buffer, .. } => {
                    let texture = self.row(handle, unit);
                    let bytes = floats(&texture.texels);
                    self.describe(unit as usize, TEXTURE.pack(&buffer("address", base, 16))?)?;
                    map(memory, base, bytes)?;
                }
                ImageType { multisampled: true, .. } => {
                    let bytes = self.multisampled(handle, ty, base, unit)?;
                    map(memory, base, bytes)?;
                }
                _ => {
                    let (texture, sampler) = self.plain(handle, ty, unit);
                    let made = image::of(&given(&texture, ty, sampler), base)?;
                    self.describe(unit as usize, made.texture.to_vec())?;
                    self.bound
                        .samplers
                        .resize(self.bound.samplers.len().max(unit as usize + 2), image::FETCH);
                    self.bound.samplers[unit as usize + 1] = made.sampler;
                    map(memory, base, made.bytes)?;
                }
            }
        }
        Ok(())
    }

    /// An image with all its levels, filtered linearly: what is sampled does not jump where a coordinate is rounded.
    fn plain(&mut self, handle: Handle, ty: &ImageType, unit: u32) -> (Texture, Sampler) {
        let (texture, sampler) = make(unit, ty);
        let (magnify, minify) = (Filter::Linear, Filter::Linear);
        let sampler = Sampler { magnify, minify, mip: Mip::Linear, levels: [0.0, 14.0], ..sampler };
        self.store.0.textures.insert(handle, texture.clone());
        self.store.0.samplers.insert(handle, sampler);
        (texture, sampler)
    }

    /// A row of texels, as buffers are.
    fn row(&mut self, handle: Handle, seed: u32) -> Texture {
        let texel = |x: u32| std::array::from_fn(|n| u64::from(number(x, n as u32, seed).to_bits()));
        let texture =
            Texture { size: [TEXELS, 1, 1], texels: (0..TEXELS).map(texel).collect(), smaller: Vec::new() };
        self.store.0.textures.insert(handle, texture.clone());
        texture
    }

    /// An image of several samples, in memory as the machine has it.
    fn multisampled(
        &mut self,
        handle: Handle,
        ty: &ImageType,
        base: u64,
        unit: u32,
    ) -> Result<Vec<u8>, String> {
        let layout = shaped("R32G32B32A32_FLOAT", [SIDE, SIDE, 1], SAMPLES, false)?.layout()?;
        let mut bytes = vec![0; layout.size as usize];
        let mut texels = Vec::new();
        for [x, y, sample] in places([SIDE, SIDE, SAMPLES]) {
            let texel: Texel =
                std::array::from_fn(|n| number(x + 7 * y, n as u32, sample + unit).to_bits().into());
            let at =
                layout.texel(0, [x.into(), y.into(), 0], sample.into()).ok_or("a texel is outside")? as usize;
            bytes[at..at + 16].copy_from_slice(&floats(&[texel]));
            texels.push(texel);
        }
        let dimension = if ty.arrayed { "2d_array_ms" } else { "2d_ms" };
        self.describe(
            unit as usize,
            TEXTURE.pack(&format!(
                "dimension={dimension} layout=twiddled channels=R32G32B32A32 type=float swizzle=R,G,B,A width={SIDE} \
                 height={SIDE} depth=1 samples={SAMPLES} address={base:#x}"
            ))?,
        )?;
        let texture = Texture { size: [SIDE, SIDE, SAMPLES], texels, smaller: Vec::new() };
        self.store.0.textures.insert(handle, texture);
        Ok(bytes)
    }

    /// An image that is stored to: a state for loads, one for stores.
    fn image(
        &mut self,
        module: &Module,
        global: GlobalRef,
        ty: &ImageType,
        memory: &mut Mapped,
    ) -> Result<(), String> {
        let (state, handle, base) =
            (self.bound.descriptors.len(), Handle { global, element: 0 }, self.place());
        let (name, channels, kind) = format_of(ty, module)?;
        self.variables.push((global, state, 2));
        if ty.dim == Dim::Buffer {
            let bytes = floats(&self.row(handle, 0).texels);
            self.describe(state, TEXTURE.pack(&buffer("address", base, 16))?)?;
            self.describe(state + 1, PBE.pack(&buffer("buffer", base, 4))?)?;
            let layout =
                Shaped { tiling: Tiling::Linear, ..shaped(name, [TEXELS, 1, 1], 1, false)? }.layout()?;
            self.stored.push(Stored { handle, name, layout, base });
            return map(memory, base, bytes);
        }
        let layers = if ty.arrayed { LAYERS } else { 1 };
        let layout = shaped(name, [SIDE, SIDE, layers], 1, true)?.layout()?;
        let mut bytes = vec![0; layout.size as usize];
        let mut texels = Vec::new();
        for [x, y, z] in places([SIDE, SIDE, layers]) {
            let texel: Texel = std::array::from_fn(|n| match kind {
                "float" | "unorm" => number(x + 7 * y, n as u32, z).to_bits().into(),
                _ => u64::from(x * 5 + y * 3 + z) & u64::from(n as u32 == 0).wrapping_neg(),
            });
            let own = encode(name, texel);
            let at = layout.texel(0, [x.into(), y.into(), z.into()], 0).ok_or("a texel is outside")? as usize;
            bytes[at..at + own.len()].copy_from_slice(&own);
            texels.push(texel);
        }
        let dimension = if ty.arrayed { "2d_array" } else { "2d" };
        let same = format!(
            "dimension={dimension} layout=twiddled channels={channels} type={kind} swizzle=R,G,B,A width={SIDE} height={SIDE}"
        );
        let (tile, _) = layout.levels[0].tile;
        let stride = layout.layer_stride;
        self.describe(
            state,
            TEXTURE.pack(&format!("{same} depth={layers} address={base:#x} page_aligned_layers=1"))?,
        )?;
        self.describe(
            state + 1,
            PBE.pack(&format!(
                "{same} buffer={base:#x} levels=1 layers={layers} page_aligned_layers=1 level_offset_sw=0 tile_width_sw={tile} \
                 tile_height_sw={} layer_stride_sw={stride}",
                layout.levels[0].tile.1
            ))?,
        )?;
        self.store
            .0
            .textures
            .insert(handle, Texture { size: [SIDE, SIDE, layers], texels, smaller: Vec::new() });
        self.stored.push(Stored { handle, name, layout, base });
        map(memory, base, bytes)
    }
}

impl Stored {
    /// The bytes of every texel: what a run of the source left, and what is in memory.
    pub(in crate::agx) fn texels<'a>(
        &'a self,
        store: &'a Store,
        memory: &'a Mapped,
    ) -> impl Iterator<Item = ([u32; 3], Vec<u8>, Vec<u8>)> + 'a {
        let size = store.0.textures.get(&self.handle).map_or([0; 3], |texture| texture.size);
        places(size).filter_map(move |place| {
            let texel = store.0.textures.get(&self.handle)?.level(0).texel(place.map(i64::from))?;
            let own = encode(self.name, texel);
            let at = self.layout.texel(0, place.map(u64::from), 0)?;
            let found = memory.get(self.base + at, own.len())?.to_vec();
            Some((place, own, found))
        })
    }
}

/// A number between 0 and 1 that small floats have as well.
fn number(at: u32, channel: u32, seed: u32) -> f32 {
    ((at * 37 + channel * 11 + seed * 5) % 64) as f32 / 64.0
}

fn places([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

fn floats(texels: &[Texel]) -> Vec<u8> {
    texels.iter().flatten().flat_map(|bits| (*bits as u32).to_le_bytes()).collect()
}

fn map(memory: &mut Mapped, base: u64, bytes: Vec<u8>) -> Result<(), String> {
    memory.map(Range { name: format!("{base:#x}"), base, bytes })
}

/// The descriptor of a buffer of 16-byte texels; rows are less by so many bytes.
fn buffer(address: &str, base: u64, less: u32) -> String {
    let stride = 16 * ROW - less;
    let size = if address == "address" { format!(" buffer_size_sw={TEXELS}") } else { String::new() };
    format!(
        "dimension=2d layout=linear channels=R32G32B32A32 type=float swizzle=R,G,B,A width={ROW} height=1 \
         {address}={base:#x} stride={stride}{size}"
    )
}

fn shaped(format: &str, size: [u32; 3], samples: u32, writeable: bool) -> Result<Shaped, String> {
    Ok(Shaped {
        format: Format::named(format).ok_or("the format is unknown")?,
        tiling: Tiling::Twiddled,
        size,
        mipmapped: false,
        is_3d: false,
        samples,
        writeable,
        renderable: false,
    })
}

/// A format of the source: name, channels, type.
fn format_of(ty: &ImageType, module: &Module) -> Result<(&'static str, &'static str, &'static str), String> {
    // SPIR-V's numbers of image formats.
    Ok(match ty.format {
        1 => ("R32G32B32A32_FLOAT", "R32G32B32A32", "float"),
        2 => ("R16G16B16A16_FLOAT", "R16G16B16A16", "float"),
        4 => ("R8G8B8A8_UNORM", "R8G8B8A8", "unorm"),
        24 => ("R32_SINT", "R32", "sint"),
        33 => ("R32_UINT", "R32", "uint"),
        other => {
            return Err(format!(
                "format {other} of {:?} is not among those of the units",
                module.types.get(ty.component)
            ));
        }
    })
}

/// A texel as memory has it.
fn encode(format: &str, texel: Texel) -> Vec<u8> {
    let float = |bits: u64| f32::from_bits(bits as u32);
    match format {
        "R16G16B16A16_FLOAT" => {
            let half = |bits: u64| F16.encode(float(bits).into(), Encoding::default()) as u16;
            texel.iter().flat_map(|bits| half(*bits).to_le_bytes()).collect()
        }
        "R8G8B8A8_UNORM" => {
            texel.iter().map(|bits| (float(*bits).clamp(0.0, 1.0) * 255.0).round_ties_even() as u8).collect()
        }
        "R32_SINT" | "R32_UINT" => (texel[0] as u32).to_le_bytes().to_vec(),
        _ => floats(&[texel]),
    }
}

/// An image as it is given to the target's own maker of textures.
fn given(texture: &Texture, ty: &ImageType, sampler: Sampler) -> Image {
    let colours = |texture: &Texture| {
        texture.texels.iter().map(|texel| texel.map(|bits| f32::from_bits(bits as u32))).collect::<Vec<_>>()
    };
    // The driver has no images of one dimension.
    let mut shape = Shape::from(ty);
    if ty.dim == Dim::D1 {
        shape.dim = chiaro_sim::texture::Dim::D2;
    }
    Image {
        shape,
        size: texture.size,
        texels: colours(texture),
        smaller: texture.smaller.iter().map(colours).collect(),
        sampler,
    }
}
