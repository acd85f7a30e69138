//! The textures of `a3xx/shader_io.jsonl`, as the head of that file describes them.

use chiaro_ir::interp::Handle;
use chiaro_ir::{Dim, ImageType, Module, Ty, Type};
use chiaro_sim::texture::{Sampler, Texture};

/// Texels of each direction of the first level.
const SIZE: u32 = 8;
/// Cubes of an array.
const CUBES: u32 = 3;

/// The image type of a variable, arrays taken off, and how many elements there are.
pub(crate) fn image_of(module: &Module, ty: Ty) -> Option<(ImageType, u32)> {
    match module.types.get(ty) {
        Type::Image(image) | Type::SampledImage(image) => Some((*image, 1)),
        Type::Array(elem, count, _) => image_of(module, *elem).map(|(image, n)| (image, n * count)),
        _ => None,
    }
}

/// The texture of a unit with all its levels, and its sampler: nearest, repeated.
pub(crate) fn make(unit: u32, image: &ImageType) -> (Texture, Sampler) {
    let levels = (0..=SIZE.ilog2()).map(|level| one_level(unit, image, level));
    let mut levels = levels.collect::<Vec<_>>().into_iter();
    let first = levels.next().unwrap_or_default();
    (Texture { smaller: levels.collect(), ..first }, Sampler::default())
}

fn one_level(unit: u32, image: &ImageType, level: u32) -> Texture {
    let side = SIZE >> level;
    let height = if image.dim == Dim::D1 { 1 } else { side };
    let depth = match image.dim {
        Dim::D3 => side,
        Dim::Cube if image.arrayed => 6 * CUBES,
        Dim::Cube => 6,
        _ if image.arrayed => SIZE,
        _ => 1,
    };
    let texel = |z: u32, y: u32, x: u32| {
        std::array::from_fn(|channel| {
            let value = 0.137 * f64::from(x)
                + 0.371 * f64::from(y)
                + 0.713 * f64::from(z)
                + 0.193 * f64::from(level)
                + 0.291 * f64::from(unit)
                + 0.117 * channel as f64
                + 0.05;
            // Depth has one channel: the others read as 0 and 1.
            match (image.depth, channel) {
                (true, 1 | 2) => 0,
                (true, 3) => 1.0f32.to_bits().into(),
                _ => u64::from((value.fract() as f32).to_bits()),
            }
        })
    };
    let places = (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..side).map(move |x| (z, y, x))));
    Texture {
        size: [side, height, depth],
        texels: places.map(|(z, y, x)| texel(z, y, x)).collect(),
        smaller: Vec::new(),
    }
}

/// The handle of an element of a variable.
pub(crate) fn handle(global: chiaro_ir::GlobalRef, element: u32) -> Handle {
    Handle { global, element }
}
