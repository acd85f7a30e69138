//! Buffers of texels, as the interpreter asks for them and as descriptors say it.

use chiaro_ir::interp::{Handle, Images, Request, Texel};
use chiaro_ir::{Dim, GlobalRef, ImageType, Module};
use chiaro_isa::Rng;

use crate::machine::{Format, typed_buffer};

/// Texels of a buffer.
const TEXELS: usize = 96;

/// Numbers of formats: SPIR-V's, and the machine's (spec section 8.3).
const FORMATS: [(u8, u32); 15] = [
    (1, 77),
    (2, 71),
    (3, 22),
    (4, 56),
    (6, 64),
    (7, 29),
    (9, 13),
    (21, 76),
    (24, 21),
    (25, 63),
    (30, 75),
    (31, 69),
    (32, 60),
    (33, 20),
    (35, 62),
];

/// The format of the texels of a variable's type; of an array of them that of its elements.
pub(super) fn format_of(module: &Module, g: GlobalRef) -> Option<u32> {
    let image = module.types.image(module.global(g).ty).filter(|image| image.dim == Dim::Buffer)?;
    // Who does not say it gets four words.
    let whole = match (module.types.is_float(image.component), image.signed) {
        (true, _) => 77,
        (false, true) => 76,
        (false, false) => 75,
    };
    match image.format {
        0 => Some(whole),
        own => FORMATS.iter().find(|(number, _)| *number == own).map(|(_, format)| *format),
    }
}

/// Random bytes of so many buffers of a format: of words numbers that shaders have.
pub(super) fn contents(rng: &mut Rng, format: u32, count: usize) -> Vec<u8> {
    let Some(format) = Format::of(format) else { return Vec::new() };
    let word = |rng: &mut Rng| {
        let bits = rng.next();
        match format.is_integer() {
            true => bits as u32 & 0xff,
            false => ((bits >> 40) as f32 / (1 << 22) as f32 - 2.0).to_bits(),
        }
    };
    (0..TEXELS * count).flat_map(|_| format.write(std::array::from_fn(|_| word(rng)))).collect()
}

/// The descriptor of a buffer at an address.
pub(super) fn descriptor(base: u64, format: u32, bytes: usize) -> [u32; 4] {
    let size = Format::of(format).map_or(4, Format::bytes);
    typed_buffer(base, format, size as u32, (bytes / size) as u32)
}

/// A variable's buffers, one behind the other.
#[derive(Clone, Debug)]
pub(super) struct Buffers {
    pub(super) global: GlobalRef,
    pub(super) format: u32,
    pub(super) count: usize,
    pub(super) bytes: Vec<u8>,
}

/// What a shader has of them.
#[derive(Clone, Debug)]
pub struct Texels(pub(super) Vec<Buffers>);

impl Texels {
    /// The format of a texel and its bytes; nothing beyond the end.
    fn texel(&mut self, handle: Handle, at: i32) -> Option<(Format, &mut [u8])> {
        let own = self.0.iter_mut().find(|own| own.global == handle.global)?;
        let format = Format::of(own.format)?;
        let (size, whole) = (format.bytes(), own.bytes.len() / own.count.max(1));
        let place = usize::try_from(at).ok().filter(|at| (at + 1) * size <= whole)? * size;
        let first = handle.element as usize * whole + place;
        Some((format, own.bytes.get_mut(first..first + size)?))
    }
}

impl Images for Texels {
    fn sample(&mut self, _: &Request, _: &ImageType) -> Texel {
        [0; 4]
    }

    fn read(&mut self, image: Handle, _: &ImageType, at: [i32; 4], _: i32) -> Texel {
        let texel = self.texel(image, at[0]).map_or([0; 4], |(format, bytes)| format.read(bytes));
        texel.map(u64::from)
    }

    fn write(&mut self, image: Handle, _: &ImageType, at: [i32; 4], texel: Texel) {
        if let Some((format, bytes)) = self.texel(image, at[0]) {
            bytes.copy_from_slice(&format.write(texel.map(|component| component as u32)));
        }
    }

    fn size(&mut self, image: Handle, _: &ImageType, _: u32) -> [u32; 3] {
        let own = self.0.iter().find(|own| own.global == image.global);
        let count = own.and_then(|own| {
            let size = Format::of(own.format)?.bytes();
            Some(own.bytes.len() / own.count.max(1) / size)
        });
        [count.unwrap_or(0) as u32, 1, 1]
    }
}
