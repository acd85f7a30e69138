//! Pictures in files and in JSON: PNG to texels and back.

use std::path::Path;

use chiaro::{Image, draw::Pixels};
use chiaro_sim::texture::{Addressing, Compare, Dim, Filter, Mip, Sampler, Shape};
use serde_json::{Map, Value as Json};

use crate::input::{self, Inputs};

/// Opens an image that another file names.
pub type OpenImage<'a> = dyn FnMut(&str) -> Result<Image, String> + 'a;

/// Opens images beside a file, which count as inputs.
pub fn opener(beside: &Path, inputs: &mut Inputs) -> impl FnMut(&str) -> Result<Image, String> {
    let folder = beside.parent().map(Path::to_owned).unwrap_or_default();
    move |name| {
        let path = folder.join(name);
        let bytes = inputs.read(&path).map_err(|error| error.message)?;
        decode(&bytes).map_err(|why| format!("`{}` is no PNG that can be read: {why}", path.display()))
    }
}

/// The texels of a PNG, its upper row first.
pub fn decode(bytes: &[u8]) -> Result<Image, String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
    let size = reader.output_buffer_size().ok_or("it is too large")?;
    if size as u64 > input::LARGEST * 4 {
        return Err("it is too large".to_owned());
    }
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(|e| e.to_string())?;
    let channels = info.color_type.samples();
    let texel = |c: &[u8]| {
        let [r, g, b, a] = match *c {
            [l] => [l, l, l, 255],
            [l, a] => [l, l, l, a],
            [r, g, b] => [r, g, b, 255],
            [r, g, b, a, ..] => [r, g, b, a],
            [] => [0; 4],
        };
        [r, g, b, a].map(|v| f32::from(v) / 255.0)
    };
    let texels = data[..info.buffer_size()].chunks_exact(channels).map(texel).collect();
    Ok(Image { size: [info.width, info.height, 1], texels, ..Image::default() })
}

/// A picture as PNG, eight bits a channel.
pub fn encode(pixels: &Pixels) -> Result<Vec<u8>, String> {
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    let rows = pixels.rows().flatten().flat_map(|pixel| pixel.map(byte));
    encode_bytes(pixels.size(), &rows.collect::<Vec<u8>>())
}

/// Differences as PNG: black where there is none, brighter than they are so that they are seen.
pub fn encode_difference(size: [u32; 2], rows: &[Vec<f32>]) -> Result<Vec<u8>, String> {
    let pixel = |d: &f32| match *d {
        0.0 => [0, 0, 0, 255],
        d if d.is_nan() => [255, 0, 255, 255],
        // A difference below a step of eight bits is blue, others go from red to yellow.
        d if d < 0.5 / 255.0 => [0, 0, 96, 255],
        d => [255, (d.min(1.0).sqrt() * 255.0) as u8, 0, 255],
    };
    encode_bytes(size, &rows.iter().flatten().flat_map(pixel).collect::<Vec<u8>>())
}

/// Texels row by row as PNG, eight bits a channel and opaque: rays leave alpha to nobody.
pub fn encode_opaque(size: [u32; 2], texels: &[[f32; 4]]) -> Result<Vec<u8>, String> {
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    let all = texels.iter().flat_map(|[r, g, b, _]| [byte(*r), byte(*g), byte(*b), 255]);
    encode_bytes(size, &all.collect::<Vec<u8>>())
}

fn encode_bytes([width, height]: [u32; 2], data: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(data).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// Keys of an image.
const KEYS: [&str; 10] =
    ["file", "size", "texels", "kind", "levels", "filter", "mip", "wrap", "compare", "anisotropy"];

/// An image with its sampler, from JSON.
///
/// # Errors
/// A sentence that names the place.
pub fn from_json(json: &Json, place: &str, open: &mut OpenImage<'_>) -> Result<Image, String> {
    let given = json.as_object().ok_or_else(|| format!("`{place}` must be an object"))?;
    if let Some(key) = given.keys().find(|key| !KEYS.contains(&key.as_str())) {
        return Err(format!("`{place}` has `{key}`, but only {} are known", KEYS.join(", ")));
    }
    let mut image = match given.get("file").and_then(Json::as_str) {
        Some(file) => open(file).map_err(|why| format!("`{place}.file`: {why}"))?,
        None => texels(given, place)?,
    };
    image.shape = shape(given, place)?;
    if image.shape.dim == Dim::Cube && image.size[2] == 1 && image.size[1] == image.size[0] * 6 {
        // Six faces one below the other.
        image.size = [image.size[0], image.size[0], 6];
    }
    image.sampler = sampler(given, place)?;
    match given.get("levels") {
        Some(Json::Bool(true)) => image.add_levels(),
        None | Some(Json::Bool(false)) => {}
        Some(_) => return Err(format!("`{place}.levels` is true or false")),
    }
    Ok(image)
}

fn texels(given: &Map<String, Json>, place: &str) -> Result<Image, String> {
    let number = |v: &Json| v.as_f64().ok_or_else(|| format!("`{place}` has `{v}` where a number belongs"));
    let list = |key: &str| given.get(key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let mut size = [1; 3];
    for (to, from) in size.iter_mut().zip(list("size")) {
        *to = number(from)? as u32;
    }
    let mut texels = Vec::new();
    for texel in list("texels") {
        let channels =
            texel.as_array().ok_or_else(|| format!("`{place}.texels` has one list for each texel"))?;
        let mut full = [0.0, 0.0, 0.0, 1.0];
        for (to, from) in full.iter_mut().zip(channels) {
            *to = number(from)? as f32;
        }
        texels.push(full);
    }
    let wanted = size.iter().fold(1_u64, |all, n| all.saturating_mul(u64::from(*n)));
    if texels.is_empty() || wanted != texels.len() as u64 {
        return Err(format!("`{place}` has {} texels, its size asks for {wanted}", texels.len()));
    }
    Ok(Image { size, texels, ..Image::default() })
}

/// One of some names; the first if there is none.
fn choice<T: Copy>(
    given: &Map<String, Json>,
    place: &str,
    key: &str,
    names: &[(&str, T)],
) -> Result<T, String> {
    let Some(value) = given.get(key) else { return Ok(names[0].1) };
    let found = names.iter().find(|(name, _)| value.as_str() == Some(*name));
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("`{place}.{key}` cannot be {value}; it is one of {}", known.join(", "))
    })
}

fn shape(given: &Map<String, Json>, place: &str) -> Result<Shape, String> {
    let plain = |dim| Shape { dim, arrayed: false };
    let kinds = [
        ("2d", plain(Dim::D2)),
        ("1d", plain(Dim::D1)),
        ("3d", plain(Dim::D3)),
        ("cube", plain(Dim::Cube)),
        ("2d-array", Shape { dim: Dim::D2, arrayed: true }),
    ];
    choice(given, place, "kind", &kinds)
}

fn sampler(given: &Map<String, Json>, place: &str) -> Result<Sampler, String> {
    let filters = [("nearest", Filter::Nearest), ("linear", Filter::Linear)];
    let filter = choice(given, place, "filter", &filters)?;
    let mips = [("nearest", Mip::Nearest), ("linear", Mip::Linear), ("none", Mip::None)];
    let wraps = [
        ("repeat", Addressing::Repeat),
        ("clamp", Addressing::Clamp),
        ("mirror", Addressing::Mirror),
        ("mirror-once", Addressing::MirrorOnce),
        ("border", Addressing::Border),
    ];
    let compares = [
        ("less-equal", Compare::LessEqual),
        ("never", Compare::Never),
        ("less", Compare::Less),
        ("equal", Compare::Equal),
        ("greater", Compare::Greater),
        ("not-equal", Compare::NotEqual),
        ("greater-equal", Compare::GreaterEqual),
        ("always", Compare::Always),
    ];
    let anisotropy = match given.get("anisotropy") {
        None => 1.0,
        Some(n) => {
            n.as_f64().filter(|n| *n >= 1.0).ok_or_else(|| format!("`{place}.anisotropy` is 1 or more"))?
        }
    };
    Ok(Sampler {
        mip: choice(given, place, "mip", &mips)?,
        addressing: [choice(given, place, "wrap", &wraps)?; 3],
        compare: choice(given, place, "compare", &compares)?,
        anisotropy: anisotropy as f32,
        ..Sampler::filtered(filter)
    })
}
