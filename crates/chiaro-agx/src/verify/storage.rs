//! Storage images in memory: their formats, and both descriptors of each (spec 23.4, 23.5, 23.8).

use chiaro_ir::Dim;
use chiaro_ir::interp::Texel;
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_target::proof::texels::{Form, Spot};

use crate::abi::channels::Format;
use crate::abi::descriptor::{PBE, TEXTURE};
use crate::abi::image::{Image as Made, Layout, Tiling};
use crate::machine::Texels;

/// Channels and types by SPIR-V's numbers of formats, the first of which is that of none.
const FORMATS: [(&str, &str); 40] = [
    ("R32G32B32A32", "float"),
    ("R32G32B32A32", "float"),
    ("R16G16B16A16", "float"),
    ("R32", "float"),
    ("R8G8B8A8", "unorm"),
    ("R8G8B8A8", "snorm"),
    ("R32G32", "float"),
    ("R16G16", "float"),
    ("R11G11B10", "float"),
    ("R16", "float"),
    ("R16G16B16A16", "unorm"),
    ("R10G10B10A2", "unorm"),
    ("R16G16", "unorm"),
    ("R8G8", "unorm"),
    ("R16", "unorm"),
    ("R8", "unorm"),
    ("R16G16B16A16", "snorm"),
    ("R16G16", "snorm"),
    ("R8G8", "snorm"),
    ("R16", "snorm"),
    ("R8", "snorm"),
    ("R32G32B32A32", "sint"),
    ("R16G16B16A16", "sint"),
    ("R8G8B8A8", "sint"),
    ("R32", "sint"),
    ("R32G32", "sint"),
    ("R16G16", "sint"),
    ("R8G8", "sint"),
    ("R16", "sint"),
    ("R8", "sint"),
    ("R32G32B32A32", "uint"),
    ("R16G16B16A16", "uint"),
    ("R8G8B8A8", "uint"),
    ("R32", "uint"),
    ("R10G10B10A2", "uint"),
    ("R32G32", "uint"),
    ("R16G16", "uint"),
    ("R8G8", "uint"),
    ("R16", "uint"),
    ("R8", "uint"),
];

/// Texels of a row of a buffer: more than checked compilation gives, so that what lies behind them is mapped.
const ROW: u32 = 16384;

/// A storage image, or one of an array of them.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    form: Form,
    spot: Spot,
    bytes: usize,
    base: u64,
    texels: Texels,
    /// The descriptors: for loads, and for stores.
    pub(super) descriptors: [[u8; 24]; 2],
}

impl Storage {
    /// The image at an address. The spot says which it is.
    ///
    /// # Errors
    /// A format or a shape that it cannot have.
    pub(super) fn new(form: Form, spot: Spot, base: u64) -> Result<Storage, String> {
        let (channels, kind) = format(&form).ok_or("the format of a storage image is unknown")?;
        let name = format!("{channels}_{}", kind.to_uppercase());
        let format = Format::named(&name).ok_or_else(|| format!("there is no format {name}"))?;
        let swizzle = ["R", "G", "B", "A"].iter().zip(format.swizzle).zip(["0", "0", "0", "1"]);
        let swizzle: Vec<&str> =
            swizzle.map(|((own, channel), other)| if channel.is_some() { *own } else { other }).collect();
        let own = format!("channels={channels} type={kind}");
        let (texts, bytes) = match form.image.dim {
            Dim::Buffer => (buffer(&form, base, format.bytes), ROW * format.bytes),
            _ => {
                let layout = layout(&form, format)?;
                (image(&form, base, &layout), layout.size as u32)
            }
        };
        let [texture, stored] = texts;
        let wrong = |_| "a descriptor has 24 bytes".to_owned();
        let texture = TEXTURE.pack(&format!("{own} swizzle={} {texture}", swizzle.join(",")))?;
        let stored = PBE.pack(&format!("{own} swizzle=R,G,B,A {stored}"))?;
        let descriptors = [texture.try_into().map_err(wrong)?, stored.try_into().map_err(wrong)?];
        let texels = Texels::new(&descriptors[0], &descriptors[1])?;
        Ok(Storage { form, spot, bytes: bytes as usize, base, texels, descriptors })
    }

    /// What its format keeps of a texel.
    pub(super) fn kept(&self, texel: Texel) -> Texel {
        self.texels.kept(texel)
    }

    /// Maps it, with what its texels hold before.
    ///
    /// # Errors
    /// What lies there already.
    pub(super) fn map(&self, memory: &mut Mapped) -> Result<(), String> {
        self.map_bytes(memory, vec![0; self.bytes])?;
        for (spot, place) in self.spots() {
            self.texels.put(memory, place, spot.before(&self.form));
        }
        Ok(())
    }

    /// What its memory is called.
    pub(super) fn name(&self) -> String {
        format!("texels at {:#x}", self.base)
    }

    fn map_bytes(&self, memory: &mut Mapped, bytes: Vec<u8>) -> Result<(), String> {
        memory.map(Range { name: self.name(), base: self.base, bytes })
    }

    /// All of its texels in a copy of its memory.
    pub(super) fn left_in(&self, bytes: &[u8]) -> Vec<(Spot, Texel)> {
        let mut memory = Mapped::default();
        // Nothing else is there that it could lie over.
        let _ = self.map_bytes(&mut memory, bytes.to_vec());
        self.left(&memory).collect()
    }

    /// All of its texels.
    pub(super) fn left(&self, memory: &Mapped) -> impl Iterator<Item = (Spot, Texel)> {
        self.spots().filter_map(|(spot, place)| Some((spot, self.texels.texel(memory, place)?)))
    }

    /// Its texels with the coordinates that the machine has for them: layers of lines stand last, too.
    fn spots(&self) -> impl Iterator<Item = (Spot, [u32; 3])> {
        let is_lines = self.form.image.dim == Dim::D1;
        self.form.places().map(move |at| {
            let place = if is_lines { [at[0], 0, at[1]] } else { at };
            (Spot { at, ..self.spot }, place)
        })
    }
}

/// Channels and type of an image's texels; nothing of 64 bits, and of images with several samples.
fn format(form: &Form) -> Option<(&'static str, &'static str)> {
    match form.image.format {
        _ if form.image.multisampled => None,
        0 if !form.is_float => Some(("R32G32B32A32", if form.image.signed { "sint" } else { "uint" })),
        number => FORMATS.get(usize::from(number)).copied(),
    }
}

fn layout(form: &Form, format: Format) -> Result<Layout, String> {
    let [width, height, depth] = form.size();
    let is_line = form.image.dim == Dim::D1;
    let made = Made {
        format,
        tiling: Tiling::Twiddled,
        size: if is_line { [width, 1, height] } else { [width, height, depth] },
        mipmapped: false,
        is_3d: form.image.dim == Dim::D3,
        samples: 1,
        writeable: true,
        renderable: false,
    };
    made.layout()
}

/// What both descriptors of an image say of its places. Cubes are layers where they are stored to (spec 9.1).
fn image(form: &Form, base: u64, layout: &Layout) -> [String; 2] {
    let [width, height, depth] = layout.image.size;
    let dimension = match form.image.dim {
        Dim::D3 => "3d",
        Dim::Cube => "2d_array",
        _ if form.image.arrayed => "2d_array",
        _ => "2d",
    };
    let same = format!("dimension={dimension} layout=twiddled width={width} height={height}");
    let own = &layout.levels[0];
    [
        format!("{same} depth={depth} address={base:#x} page_aligned_layers=1"),
        format!(
            "{same} buffer={base:#x} level=0 levels=1 layers={depth} page_aligned_layers=1 level_offset_sw={} \
             tile_width_sw={} tile_height_sw={} layer_stride_sw={}",
            own.offset, own.tile.0, own.tile.1, layout.layer_stride
        ),
    ]
}

/// The same of a buffer: rows of texels, of which there is one (spec 23.8).
fn buffer(form: &Form, base: u64, texel: u32) -> [String; 2] {
    let (count, row) = (form.size()[0], ROW * texel);
    let same = format!("dimension=2d layout=linear width={ROW} height=1");
    [
        format!("{same} address={base:#x} stride={} buffer_size_sw={count}", row - 16),
        format!("{same} buffer={base:#x} stride={} buffer_offset_sw=0", row - 4),
    ]
}
