//! Channel formats of descriptors, and the formats of APIs by Mesa's names (spec 23.3).

/// A channel format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channels {
    /// As descriptors have it.
    pub code: u8,
    /// The name.
    pub name: &'static str,
    /// Bytes of a texel, or of a block.
    pub bytes: u8,
    /// Width and height of a block in texels.
    pub block: (u8, u8),
}

const fn plain(code: u8, name: &'static str, bytes: u8) -> Channels {
    Channels { code, name, bytes, block: (1, 1) }
}

const fn block(code: u8, name: &'static str, bytes: u8, width: u8, height: u8) -> Channels {
    Channels { code, name, bytes, block: (width, height) }
}

/// Every one that is known.
pub static CHANNELS: [Channels; 47] = [
    plain(0x00, "R8", 1),
    plain(0x09, "R16", 2),
    plain(0x0a, "R8G8", 2),
    plain(0x0b, "R5G6B5", 2),
    plain(0x0c, "R4G4B4A4", 2),
    plain(0x0d, "A1R5G5B5", 2),
    plain(0x0e, "R5G5B5A1", 2),
    plain(0x21, "R32", 4),
    plain(0x23, "R16G16", 4),
    plain(0x25, "R11G11B10", 4),
    plain(0x26, "R10G10B10A2", 4),
    plain(0x27, "R9G9B9E5", 4),
    plain(0x28, "R8G8B8A8", 4),
    plain(0x31, "R32G32", 8),
    plain(0x32, "R16G16B16A16", 8),
    // Not of the hardware: it marks buffers of three words a texel (spec 23.8).
    plain(0x36, "R32G32B32_emulated", 12),
    plain(0x38, "R32G32B32A32", 16),
    block(0x58, "ETC2_RGB8", 8, 4, 4),
    block(0x59, "ETC2_RGBA8", 16, 4, 4),
    block(0x5a, "ETC2_RGB8A1", 8, 4, 4),
    block(0x5b, "EAC_R11", 8, 4, 4),
    block(0x5c, "EAC_RG11", 16, 4, 4),
    block(0x60, "ASTC_4x4", 16, 4, 4),
    block(0x61, "ASTC_5x4", 16, 5, 4),
    block(0x62, "ASTC_5x5", 16, 5, 5),
    block(0x63, "ASTC_6x5", 16, 6, 5),
    block(0x64, "ASTC_6x6", 16, 6, 6),
    block(0x65, "ASTC_8x5", 16, 8, 5),
    block(0x66, "ASTC_8x6", 16, 8, 6),
    block(0x67, "ASTC_8x8", 16, 8, 8),
    block(0x68, "ASTC_10x5", 16, 10, 5),
    block(0x69, "ASTC_10x6", 16, 10, 6),
    block(0x6a, "ASTC_10x8", 16, 10, 8),
    block(0x6b, "ASTC_10x10", 16, 10, 10),
    block(0x6c, "ASTC_12x10", 16, 12, 10),
    block(0x6d, "ASTC_12x12", 16, 12, 12),
    block(0x74, "BC1", 8, 4, 4),
    block(0x75, "BC2", 16, 4, 4),
    block(0x76, "BC3", 16, 4, 4),
    block(0x77, "BC4", 8, 4, 4),
    block(0x78, "BC5", 16, 4, 4),
    block(0x79, "BC6H", 16, 4, 4),
    block(0x7a, "BC6H_UFLOAT", 16, 4, 4),
    block(0x7b, "BC7", 16, 4, 4),
    block(0x40, "GBGR_422", 4, 2, 1),
    block(0x41, "BGRG_422", 4, 2, 1),
    block(0x50, "PVRTC_2bpp", 8, 8, 4),
];

/// What the bits of a component are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A fraction without a sign; whether colours are on sRGB's curve.
    Unorm {
        /// Colours, not the fourth component.
        srgb: bool,
    },
    /// A fraction with a sign.
    Snorm,
    /// An integer without a sign.
    Uint,
    /// An integer with a sign.
    Sint,
    /// A float.
    Float,
}

/// A format of an API.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// Bits of each channel of memory, from the lowest on; of a block format those that a border
    /// colour has.
    pub widths: [u8; 4],
    /// What they are.
    pub kind: Kind,
    /// Which channel of memory each component is; `None` for a constant.
    pub swizzle: [Option<u8>; 4],
    /// Bytes of a texel or block.
    pub bytes: u32,
    /// Width and height of a block in texels.
    pub block: (u32, u32),
    /// Depth or stencil.
    pub depth_stencil: bool,
}

/// Block formats by the names that Mesa has for them: channels, components, width in a border colour.
const BLOCKS: [(&str, &str, usize, u8); 15] = [
    ("DXT1_RGBA", "BC1", 4, 8),
    ("DXT1_RGB", "BC1", 3, 8),
    ("DXT3_RGBA", "BC2", 4, 8),
    ("DXT5_RGBA", "BC3", 4, 8),
    ("RGTC1", "BC4", 1, 14),
    ("RGTC2", "BC5", 2, 14),
    ("BPTC_RGB_UFLOAT", "BC6H_UFLOAT", 3, 16),
    ("BPTC_RGB_FLOAT", "BC6H", 3, 16),
    ("BPTC_RGBA", "BC7", 4, 8),
    ("ETC2_RGB8A1", "ETC2_RGB8A1", 4, 8),
    ("ETC2_RGBA8", "ETC2_RGBA8", 4, 8),
    ("ETC2_RGB8", "ETC2_RGB8", 3, 8),
    ("ETC2_RG11", "EAC_RG11", 2, 11),
    ("ETC2_R11", "EAC_R11", 1, 11),
    ("ASTC", "", 4, 8),
];

impl Format {
    /// The format of Mesa's name, such as `B8G8R8A8_SRGB`; `None` for names of others.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Self::blocks(name).or_else(|| Self::plain(name))
    }

    fn blocks(name: &str) -> Option<Format> {
        // In the names of sRGB formats the letter stands before the components.
        let srgb = name.contains("SRGB");
        let spelled = name.replace("SRGBA", "RGBA").replace("SRGB", "RGB");
        let (_, channels, count, width) = *BLOCKS.iter().find(|row| spelled.starts_with(row.0))?;
        let channels = if channels.is_empty() { name.trim_end_matches("_SRGB") } else { channels };
        let channels = CHANNELS.iter().find(|row| row.name == channels)?;
        let kind = match () {
            () if name.contains("SNORM") => Kind::Snorm,
            () if name.contains("FLOAT") => Kind::Float,
            () => Kind::Unorm { srgb },
        };
        let swizzle = std::array::from_fn(|n| (n < count).then_some(n as u8));
        let block = (channels.block.0.into(), channels.block.1.into());
        let bytes = channels.bytes.into();
        Some(Format { widths: [width; 4], kind, swizzle, bytes, block, depth_stencil: false })
    }

    fn plain(name: &str) -> Option<Format> {
        let (channels, kind) = name.rsplit_once('_')?;
        let kind = match kind {
            "UNORM" => Kind::Unorm { srgb: false },
            "SRGB" => Kind::Unorm { srgb: true },
            "SNORM" => Kind::Snorm,
            "UINT" => Kind::Uint,
            "SINT" => Kind::Sint,
            "FLOAT" => Kind::Float,
            _ => return None,
        };
        let (mut widths, mut letters, mut rest) = ([0; 4], [' '; 4], channels);
        let (mut count, mut bits) = (0, 0u32);
        while let Some(letter) = rest.chars().next() {
            let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
            let width: u8 = rest.get(1..=digits)?.parse().ok()?;
            // What is named X is not there but for its room.
            *widths.get_mut(count)? = if letter == 'X' { 0 } else { width };
            letters[count] = letter;
            bits += u32::from(width);
            (count, rest) = (count + 1, &rest[1 + digits..]);
        }
        let component = |wanted: char| {
            let shares = |letter: char| match letter {
                'L' => wanted != 'A',
                'I' | 'Z' | 'S' => true,
                other => other == wanted,
            };
            letters.iter().position(|letter| shares(*letter)).map(|n| n as u8)
        };
        let swizzle = ['R', 'G', 'B', 'A'].map(component);
        let depth_stencil = matches!(letters[0], 'Z' | 'S');
        (bits > 0 && bits.is_multiple_of(8)).then_some(Format {
            widths,
            kind,
            swizzle,
            bytes: bits / 8,
            block: (1, 1),
            depth_stencil,
        })
    }

    /// Whether texels come in blocks.
    #[must_use]
    pub fn is_block(&self) -> bool {
        self.block != (1, 1)
    }
}
