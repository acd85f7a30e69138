//! The tilebuffer: where render targets stand in a sample, and how large tiles are (spec 16.4).

/// How many bytes there are (spec 21).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Most bytes of a tile: stated for G13G alone [Mesa].
    pub tile: u32,
    /// Most bytes of a sample: a limit of drivers.
    pub sample: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { tile: 32767, sample: 64 }
    }
}

/// Render targets that there may be.
pub const MOST_TARGETS: usize = 8;
/// Pixels of the smallest tile.
const FEWEST_PIXELS: u32 = 256;

/// How a target's components stand in the tilebuffer: the format of `ld_tile` and `st_tile`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Physical {
    /// The name of the format.
    pub format: &'static str,
    /// Bytes of a component; of all together if they are packed.
    pub bytes: u32,
    /// Components; one if they are packed.
    pub components: u32,
}

impl Physical {
    /// Components, also of packed formats.
    #[must_use]
    pub fn channels(&self) -> u32 {
        match self.format {
            "rg11b10f" => 3,
            "rgb10a2" | "srgba8" | "rgb9e5" => 4,
            _ => self.components,
        }
    }
}

/// Where a render target stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// Byte offset in the sample; `None` if there was no room, so that it is spilled to memory.
    pub offset: Option<u32>,
    /// How it stands there.
    pub physical: Physical,
}

/// A layout.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Where each target stands; `None` where there is no target.
    pub targets: Vec<Option<Target>>,
    /// Samples of a pixel.
    pub samples: u32,
    /// Bytes of a sample.
    pub sample_bytes: u32,
    /// Width and height of a tile.
    pub tile: (u32, u32),
}

/// Tiles, the largest first, with their code in a [`Shared`](super::usc::Usc::Shared) word.
const TILES: [(u32, u32, u32); 3] = [(32, 32, 0x2f), (32, 16, 0x3f), (16, 16, 0x36)];

/// How a format stands in the tilebuffer, by names such as `R8G8B8A8_UNORM` or `B5G6R5_UNORM`: the
/// bits of its channels, in their order, then the type. `None` if it cannot be rendered to.
pub fn physical(name: &str) -> Option<Physical> {
    let (channels, kind) = name.rsplit_once('_')?;
    let widths = widths(channels)?;
    let components = widths.len() as u32;
    let packed = |format, bytes| Some(Physical { format, bytes, components: 1 });
    let array = |format, bytes| Some(Physical { format, bytes, components });
    match (&widths[..], kind) {
        ([11, 11, 10], "FLOAT") => packed("rg11b10f", 4),
        ([9, 9, 9, 5], "FLOAT") => packed("rgb9e5", 4),
        ([10, 10, 10, 2], "UNORM") => packed("rgb10a2", 4),
        ([10, 10, 10, 2], "UINT") => array("i16", 2),
        ([5, 6, 5] | [5, 5, 5, 1] | [4, 4, 4, 4], "UNORM") => array("f16", 2),
        ([8, ..], "UNORM") => array("u8norm", 1),
        ([8, ..], "SNORM") => array("s8norm", 1),
        ([8, ..], "SRGB") => packed("srgba8", 4),
        ([8, ..], "UINT" | "SINT") => array("i8", 1),
        ([16, ..], "UNORM") => array("u16norm", 2),
        ([16, ..], "SNORM") => array("s16norm", 2),
        ([16, ..], "FLOAT") => array("f16", 2),
        ([16, ..], "UINT" | "SINT") => array("i16", 2),
        ([32, ..], "UINT" | "SINT" | "FLOAT") => array("i32", 4),
        _ => None,
    }
}

/// The bits of the channels of `R8G8B8X8`; those of 8, 16 and 32 bits are all of one width.
fn widths(channels: &str) -> Option<Vec<u32>> {
    let mut widths = Vec::new();
    let mut rest = channels;
    while let Some(behind) = rest.strip_prefix(['R', 'G', 'B', 'A', 'X', 'E']) {
        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
        widths.push(behind[..digits].parse().ok()?);
        rest = &behind[digits..];
    }
    let array = matches!(widths.first(), Some(8 | 16 | 32));
    let alike = widths.iter().all(|w| Some(w) == widths.first());
    (rest.is_empty() && (1..=4).contains(&widths.len()) && (!array || alike)).then_some(widths)
}

impl Limits {
    /// Bytes that there are for the targets of a sample.
    #[must_use]
    pub fn room(self, samples: u32) -> u32 {
        (self.tile / (FEWEST_PIXELS * samples.max(1))).min(self.sample)
    }
}

impl Layout {
    /// Places targets in order, each where its components are aligned; those for which there is no room
    /// are spilled.
    ///
    /// # Errors
    /// More targets than there may be, or another number of samples.
    pub fn new(targets: &[Option<Physical>], samples: u32) -> Result<Layout, String> {
        Layout::within(targets, samples, Limits::default())
    }

    /// The same where there are more bytes, or fewer.
    ///
    /// # Errors
    /// As [`new`](Layout::new).
    pub fn within(targets: &[Option<Physical>], samples: u32, limits: Limits) -> Result<Layout, String> {
        if targets.len() > MOST_TARGETS {
            return Err(format!("{} render targets, {MOST_TARGETS} allowed", targets.len()));
        }
        if !matches!(samples, 1 | 2 | 4) {
            return Err(format!("{samples} samples; there may be 1, 2 or 4"));
        }
        let most = limits.room(samples);
        let mut end = 0u32;
        let mut place = |physical: Physical| {
            let start = end.next_multiple_of(physical.bytes);
            let behind = start + physical.bytes * physical.components;
            let fits = behind.next_multiple_of(8) <= most;
            // A target that is spilled leaves the place aligned for it [measured: tilebuffer.tsv].
            end = if fits { behind } else { start };
            Target { offset: fits.then_some(start), physical }
        };
        let targets = targets.iter().map(|target| target.map(&mut place)).collect();
        let sample_bytes = end.max(1).next_multiple_of(8);
        let whole = |(w, h, _): &(u32, u32, u32)| sample_bytes * samples * w * h <= limits.tile;
        let (width, height, _) = TILES.into_iter().find(whole).unwrap_or(TILES[2]);
        Ok(Layout { targets, samples, sample_bytes, tile: (width, height) })
    }

    /// Bytes of a sample, if there were room for all its targets.
    #[must_use]
    pub fn wanted(&self) -> u32 {
        let all: Vec<_> = self.targets.iter().map(|target| target.map(|target| target.physical)).collect();
        let endless = Limits { tile: u32::MAX, sample: u32::MAX };
        Layout::within(&all, self.samples, endless).map_or(0, |layout| layout.sample_bytes)
    }

    /// Bytes that there are for the targets of a sample.
    #[must_use]
    pub fn room(samples: u32) -> u32 {
        Limits::default().room(samples)
    }

    /// The text of its [`Shared`](super::usc::Usc::Shared) word.
    pub fn shared(&self) -> String {
        let (width, height) = self.tile;
        let code = TILES.into_iter().find(|(w, h, _)| (*w, *h) == self.tile).map_or(0, |tile| tile.2);
        let bytes = self.sample_bytes * self.samples * width * height;
        let (samples, stride) = (self.samples, self.sample_bytes / 8);
        format!("shared uses=1 layout={code:#x} samples={samples} stride8={stride} bytes={bytes}")
    }
}
