//! Descriptors, border colours, and images in memory.

use chiaro_agx::abi::border;
use chiaro_agx::abi::channels::Format;
use chiaro_agx::abi::descriptor::{DESCRIPTORS, Descriptor};
use chiaro_agx::abi::image::{Image, Layout, Tiling};

use super::{bytes, hex, same};
use crate::suite::{Miss, Row};

/// A row of any kind.
pub(super) fn row(row: &Row<'_>) -> Result<(), Miss> {
    let [kind, fields, result] = row.columns()?;
    let fields = Fields(fields);
    match kind {
        "Border" => same("the colour", &hex(&border(&fields)?), result),
        "Layout" => layout(&fields, result),
        "Texel" => texel(&fields, result),
        _ => {
            let descriptor = DESCRIPTORS.iter().find(|descriptor| descriptor.name == kind);
            packed(descriptor.ok_or_else(|| format!("there is no descriptor `{kind}`"))?, &fields, result)
        }
    }
}

/// `name=value` with blanks between.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.split(' ').filter_map(|word| word.split_once('='))
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.pairs().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// A number; 0 where the row does not name it.
    fn number(&self, name: &str) -> Result<u64, String> {
        let text = self.get(name).unwrap_or("0");
        text.parse().map_err(|_| format!("`{name}` is `{text}`, no number"))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        Ok(self.number(name)? != 0)
    }

    fn format(&self) -> Result<Format, String> {
        let name = self.get("format").unwrap_or_default();
        Format::named(name).ok_or_else(|| format!("`{name}` is no format"))
    }
}

/// Fields to bytes, bytes to fields, and those to bytes again. A level of detail comes back cut to its
/// steps.
fn packed(descriptor: &Descriptor, fields: &Fields<'_>, result: &str) -> Result<(), Miss> {
    same("the descriptor", &hex(&descriptor.pack(fields.0)?), result)?;
    let text = descriptor.unpack(&bytes(result)?)?;
    same("the descriptor of what was read", &hex(&descriptor.pack(&text)?), result)?;
    let read = Fields(&text);
    for (name, value) in fields.pairs().filter(|(name, _)| !name.ends_with("_lod")) {
        let found = read.get(name).ok_or_else(|| format!("`{name}` did not come back"))?;
        same(&format!("`{name}`"), found, value)?;
    }
    Ok(())
}

fn border(fields: &Fields<'_>) -> Result<Vec<u8>, String> {
    let text = fields.get("colour").unwrap_or_default();
    let words: Option<Vec<u32>> = text.split(',').map(|word| u32::from_str_radix(word, 16).ok()).collect();
    let colour = words.and_then(|words| words.try_into().ok());
    Ok(border::pack(&fields.format()?, colour.ok_or_else(|| format!("`{text}` is no colour"))?))
}

fn image(fields: &Fields<'_>) -> Result<Layout, String> {
    let tiling = match fields.get("tiling") {
        Some("linear") => Tiling::Linear,
        Some("twiddled_compressed") => Tiling::Compressed,
        _ => Tiling::Twiddled,
    };
    let size = |name: &str| fields.number(name).map(|n| n as u32);
    Image {
        format: fields.format()?,
        tiling,
        size: [size("width")?, size("height")?, size("depth")?],
        mipmapped: fields.flag("mipmapped")?,
        is_3d: fields.flag("mipmapped_z")?,
        samples: size("samples")?.max(1),
        writeable: fields.flag("writeable_image")?,
        renderable: fields.flag("renderable")?,
    }
    .layout()
}

fn list<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(",")
}

fn layout(fields: &Fields<'_>, result: &str) -> Result<(), Miss> {
    let layout = image(fields)?;
    let mut text = format!(
        "levels={} page_aligned_layers={} layer_stride={} size={}",
        layout.levels.len(),
        u8::from(layout.page_aligned_layers),
        layout.layer_stride,
        layout.size
    );
    if layout.linear_stride > 0 {
        text += &format!(" linear_stride={}", layout.linear_stride);
        return same("the layout", &text, result);
    }
    let offsets = list(layout.levels.iter().map(|level| level.offset).chain([layout.end]));
    let tiles = list(layout.levels.iter().map(|level| format!("{}x{}", level.tile.0, level.tile.1)));
    let strides = list(layout.levels.iter().map(|level| level.stride));
    text += &format!(" level_offsets={offsets} tiles={tiles} stride_el={strides}");
    if let Some(metadata) = &layout.metadata {
        text += &format!(
            " metadata_offset={} metadata_layer_stride={} metadata_level_offsets={}",
            metadata.offset,
            metadata.layer_stride,
            list(&metadata.levels)
        );
    }
    same("the layout", &text, result)
}

fn texel(fields: &Fields<'_>, result: &str) -> Result<(), Miss> {
    let place = [fields.number("x")?, fields.number("y")?, fields.number("z")?];
    let found = image(fields)?.texel(fields.number("level")? as usize, place, 0);
    same("the place", &found.map_or("none".to_owned(), |place| place.to_string()), result)
}
