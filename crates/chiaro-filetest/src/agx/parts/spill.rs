//! Render targets without room in the tilebuffer: images in memory with their descriptors in the heap (spec 14.4, 23.11).

use chiaro_agx::abi::channels::Format;
use chiaro_agx::abi::descriptor::{PBE, TEXTURE};
use chiaro_agx::abi::image::{Image, Layout as Texels, Tiling};
use chiaro_agx::abi::key::{FragmentEpilog, Target};
use chiaro_agx::abi::tilebuffer::{Layout, physical};

/// The name of their memory.
pub(super) const TARGET: &str = "target";
/// Where the first of them lies, and how far apart they are.
const IMAGES: u64 = 0x4000_0000;
const EACH: u64 = 0x10_0000;
/// Width and height: some pixels of a SIMD-group lie outside.
const SIZE: [u32; 2] = [13, 2];
/// Texels of a row of samples, as the descriptor for stores has them (spec 23.11).
const ROW: u64 = 16384;
/// Bytes of both descriptors of a target.
const DESCRIPTORS: usize = 48;

/// Descriptors of the heap from that of target 0 on, and images by their addresses.
pub(crate) struct Spilled {
    pub(crate) heap: Vec<u8>,
    pub(crate) images: Vec<(u64, Vec<u8>)>,
}

fn targets(key: &FragmentEpilog) -> Vec<&Target> {
    let name = |target: &Target| target.format.trim_start_matches("PIPE_FORMAT_").to_owned();
    let mut all = vec![None; 8];
    key.rts.iter().for_each(|target| all[target.i as usize] = physical(&name(target)));
    let Ok(layout) = Layout::new(&all, key.nr_samples.max(1) as u32) else { return Vec::new() };
    let is_spilled =
        |target: &&Target| layout.targets[target.i as usize].is_some_and(|place| place.offset.is_none());
    key.rts.iter().filter(is_spilled).collect()
}

/// Whether a target of a key has no room.
pub(super) fn is_spilled(key: &FragmentEpilog) -> bool {
    !targets(key).is_empty()
}

/// Those of a key, of texels that are drawn; `None` if all have room.
pub(crate) fn spilled(key: &FragmentEpilog, draw: &mut dyn FnMut() -> u64) -> Option<Spilled> {
    let targets = targets(key);
    if targets.is_empty() {
        return None;
    }
    let mut made = Spilled { heap: vec![0; 8 * DESCRIPTORS], images: Vec::new() };
    for target in targets {
        let base = IMAGES + EACH * target.i;
        let name = target.format.trim_start_matches("PIPE_FORMAT_");
        let format = Format::named(name)?;
        let samples = key.nr_samples.max(1) as u32;
        let [width, height] = SIZE;
        let image = Image {
            format,
            tiling: Tiling::Twiddled,
            size: [width, height, 1],
            mipmapped: false,
            is_3d: false,
            samples,
            writeable: true,
            renderable: true,
        };
        let layout = image.layout().ok()?;
        let both = descriptors(&layout, name, base);
        let at = DESCRIPTORS * target.i as usize;
        made.heap.get_mut(at..at + DESCRIPTORS)?.copy_from_slice(&both);
        let bytes = (0..layout.size.div_ceil(8)).flat_map(|_| draw().to_le_bytes());
        made.images.push((base, bytes.collect()));
    }
    Some(made)
}

/// To read it, and to store to it: samples are texels of rows there.
fn descriptors(layout: &Texels, name: &str, base: u64) -> Vec<u8> {
    let (channels, kind) = name.rsplit_once('_').unwrap_or((name, "UNORM"));
    let (channels, swizzle) = match channels {
        "B5G6R5" => ("R5G6B5", "B,G,R,A"),
        "B5G5R5A1" => ("R5G5B5A1", "B,G,R,A"),
        channels => (channels, "R,G,B,A"),
    };
    let ([width, height, _], samples) = (layout.image.size, layout.image.samples);
    let (own, kind) = (layout.levels[0], kind.to_lowercase());
    let same = format!("channels={channels} type={kind} swizzle={swizzle}");
    let several = if samples > 1 { format!(" samples={samples}") } else { String::new() };
    let dimension = if samples > 1 { "2d_array_ms" } else { "2d_array" };
    let texture = format!(
        "dimension={dimension} layout=twiddled {same}{several} width={width} height={height} depth=1 \
         address={base:#x} page_aligned_layers=1"
    );
    let tiles = format!(
        "tile_width_sw={} tile_height_sw={} layer_stride_sw={} sample_count_log2_sw={}",
        own.tile.0,
        own.tile.1,
        layout.layer_stride,
        samples.trailing_zeros(),
    );
    let bytes = u64::from(layout.image.format.bytes);
    let stored = match samples {
        1 => format!(
            "dimension=2d_array layout=twiddled {same} width={width} height={height} buffer={base:#x} level=0 levels=1 \
             layers=1 page_aligned_layers=1 level_offset_sw=0 {tiles}"
        ),
        _ => format!(
            "dimension=2d layout=linear {same} width={ROW} height={} buffer={base:#x} stride={} \
             aligned_width_msaa_sw={} {tiles}",
            (layout.size / bytes).div_ceil(ROW),
            ROW * bytes - 4,
            u64::from(width).next_multiple_of(own.tile.0),
        ),
    };
    [TEXTURE.pack(&texture).expect("legal"), PBE.pack(&stored).expect("legal")].concat()
}
