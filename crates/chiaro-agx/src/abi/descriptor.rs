//! Descriptors of textures, images and samplers: bits to fields and back (spec 23.4 to 23.6).
//!
//! A descriptor is a table of fields. Some bits mean different things in different layouts: a field says
//! when it is there. The text has the names of the specification: `dimension=2d layout=linear width=64`;
//! what is not named is 0, or 1 where one less is stored.

use super::channels::CHANNELS;

/// How a field holds its value.
#[derive(Clone, Copy, Debug)]
enum Coding {
    /// One of a list; an empty name has no meaning.
    Name(&'static [&'static str]),
    /// The value.
    Value,
    /// One less than the value.
    LessOne,
    /// The value without so many low bits, which are zero.
    Shift(u8),
    /// The same of an address.
    Address(u8),
    /// The logarithm of a power of two.
    Power,
    /// A level of detail: 6 bits of fraction, from 0 to 14.
    Level,
    /// The code of a channel format.
    Channels,
    /// Four sources of components, so many bits each.
    Swizzle(u8),
}

/// When a field is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum When {
    Always,
    /// Rows one behind the other.
    Linear,
    /// Any other layout.
    Tiled,
    /// Linear, with layers.
    LinearLayers,
    /// With metadata of a compressed image.
    Compressed,
    /// Bits that only code looks at, where the hardware does not.
    Software,
}

/// A field: name, lowest bit, width.
type Field = (&'static str, u8, u8, Coding, When);

/// A kind of descriptor.
#[derive(Debug)]
pub struct Descriptor {
    /// What it is called.
    pub name: &'static str,
    /// Its size.
    pub bytes: usize,
    fields: &'static [Field],
}

const DIMENSIONS: &[&str] =
    &["1d", "1d_array", "2d", "2d_array", "2d_ms", "3d", "cube", "cube_array", "2d_array_ms"];
const LAYOUTS: &[&str] = &["linear", "null", "twiddled", "compressed"];
const TYPES: &[&str] = &["unorm", "snorm", "uint", "sint", "float", "xr"];
const SAMPLES: &[&str] = &["2", "4"];
/// Sources of components: those of memory, and two constants.
const SOURCES: [&str; 6] = ["R", "G", "B", "A", "1", "0"];

use Coding::{Address, Channels, LessOne, Level, Name, Power, Shift, Swizzle, Value};
use When::{Always, Compressed, Linear, LinearLayers, Software, Tiled};

/// Bytes of the descriptor of a texture or an image (spec 23.4).
pub const TEXTURE_BYTES: usize = 24;

/// A texture, as `texture_sample` and `texture_load` read it.
pub static TEXTURE: Descriptor = Descriptor {
    name: "Texture",
    bytes: TEXTURE_BYTES,
    fields: &[
        ("dimension", 0, 4, Name(DIMENSIONS), Always),
        ("layout", 4, 2, Name(LAYOUTS), Always),
        ("channels", 6, 7, Channels, Always),
        ("type", 13, 3, Name(TYPES), Always),
        ("swizzle", 16, 12, Swizzle(3), Always),
        ("width", 28, 14, LessOne, Always),
        ("height", 42, 14, LessOne, Always),
        ("first_level", 56, 4, Value, Always),
        ("last_level", 60, 4, Value, Always),
        ("samples", 64, 1, Name(SAMPLES), Always),
        ("address", 66, 36, Address(4), Always),
        ("unk_mipmapped", 102, 1, Value, Always),
        ("compressed_1", 103, 1, Value, Always),
        ("null", 105, 1, Value, Always),
        ("compression", 106, 2, Value, Always),
        ("srgb", 108, 1, Value, Always),
        ("srgb_2_channel", 109, 1, Value, Always),
        // The flags lie over the two highest bits that the XML gives the stride.
        ("stride", 110, 16, Shift(4), Linear),
        ("depth", 110, 14, LessOne, Tiled),
        ("page_aligned_layers", 126, 1, Value, Tiled),
        ("extended", 127, 1, Value, Always),
        ("acceleration_buffer", 128, 64, Address(4), Compressed),
        ("depth_linear", 128, 11, LessOne, LinearLayers),
        ("layer_stride_linear", 139, 27, Shift(7), LinearLayers),
        ("buffer_size_sw", 128, 32, Value, Software),
        ("buffer_offset_sw", 160, 32, Value, Software),
    ],
};

/// An image, as `image_write` writes it.
pub static PBE: Descriptor = Descriptor {
    name: "PBE",
    bytes: TEXTURE_BYTES,
    fields: &[
        ("dimension", 0, 4, Name(DIMENSIONS), Always),
        ("layout", 4, 2, Name(LAYOUTS), Always),
        ("channels", 6, 7, Channels, Always),
        ("type", 13, 3, Name(TYPES), Always),
        ("swizzle", 16, 8, Swizzle(2), Always),
        ("width", 24, 14, LessOne, Always),
        ("height", 38, 14, LessOne, Always),
        ("unk_52", 52, 1, Value, Always),
        ("rotate_90", 53, 1, Value, Always),
        ("flip_vertical", 54, 1, Value, Always),
        ("samples", 56, 1, Name(SAMPLES), Always),
        ("unk_mipmapped", 58, 1, Value, Always),
        ("compressed_1", 59, 1, Value, Always),
        ("buffer", 64, 36, Address(4), Always),
        ("level", 100, 4, Value, Always),
        ("stride", 104, 21, Value, Linear),
        ("levels", 104, 4, LessOne, Tiled),
        ("layers", 108, 14, LessOne, Tiled),
        ("page_aligned_layers", 124, 1, Value, Tiled),
        ("srgb", 125, 1, Value, Always),
        ("extended", 127, 1, Value, Always),
        ("acceleration_buffer", 128, 64, Address(4), Compressed),
        ("depth_linear", 128, 11, LessOne, LinearLayers),
        ("layer_stride_linear", 139, 27, Shift(7), LinearLayers),
        // Which of these the first bits hold only the shape of the image says.
        ("level_offset_sw", 128, 27, Shift(7), Software),
        ("aligned_width_msaa_sw", 128, 15, Value, Software),
        ("buffer_offset_sw", 128, 32, Value, Software),
        ("tile_width_sw", 155, 3, Power, Software),
        ("tile_height_sw", 158, 3, Power, Software),
        ("layer_stride_sw", 161, 27, Shift(7), Software),
        ("sample_count_log2_sw", 188, 2, Value, Software),
    ],
};

const FILTERS: &[&str] = &["nearest", "linear", "bicubic"];
const WRAPS: &[&str] =
    &["clamp_to_edge", "repeat", "mirrored_repeat", "clamp_to_border", "clamp_gl", "mirrored_clamp_to_edge"];
const COMPARISONS: &[&str] =
    &["lequal", "gequal", "less", "greater", "equal", "not_equal", "always", "never"];

/// A sampler, without its border colour.
pub static SAMPLER: Descriptor = Descriptor {
    name: "Sampler",
    bytes: 8,
    fields: &[
        ("minimum_lod", 0, 10, Level, Always),
        ("maximum_lod", 10, 10, Level, Always),
        ("maximum_anisotropy", 20, 3, Power, Always),
        ("magnify", 23, 2, Name(FILTERS), Always),
        ("minify", 25, 2, Name(FILTERS), Always),
        ("mip_filter", 27, 2, Name(&["none", "nearest", "linear"]), Always),
        ("wrap_s", 29, 3, Name(WRAPS), Always),
        ("wrap_t", 32, 3, Name(WRAPS), Always),
        ("wrap_r", 35, 3, Name(WRAPS), Always),
        ("pixel_coordinates", 38, 1, Value, Always),
        ("compare_func", 39, 3, Name(COMPARISONS), Always),
        ("compare_enable", 42, 1, Value, Always),
        (
            "border_colour",
            55,
            2,
            Name(&["transparent_black", "opaque_black", "opaque_white", "custom"]),
            Always,
        ),
        ("seamful_cube_maps", 57, 1, Value, Always),
    ],
};

/// All of them.
pub static DESCRIPTORS: [&Descriptor; 3] = [&TEXTURE, &PBE, &SAMPLER];

/// The greatest level of detail of a sampler, and its steps.
const MOST_LEVEL: f64 = 14.0;
const LEVEL_STEPS: f64 = 64.0;

impl Descriptor {
    /// The bytes of fields.
    ///
    /// # Errors
    /// A sentence about the field or value that is not known, or does not fit.
    pub fn pack(&self, text: &str) -> Result<Vec<u8>, String> {
        let mut bits = Bits::default();
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is no name=value"))?;
            let field = self.fields.iter().find(|field| field.0 == name).ok_or_else(|| self.unknown(name))?;
            let raw = field.3.encode(value).map_err(|why| format!("`{name}` {why}, not `{value}`"))?;
            if field.2 < 64 && raw >> field.2 != 0 {
                return Err(format!("`{name}` has {} bits, `{value}` does not fit", field.2));
            }
            bits.set(field.1, field.2, raw);
        }
        Ok(bits.bytes()[..self.bytes].to_vec())
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.fields.iter().map(|field| field.0).collect();
        format!("a {} has no field `{name}`; it has {}", self.name, known.join(", "))
    }

    /// The fields of bytes, those that are there in its layout.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn unpack(&self, bytes: &[u8]) -> Result<String, String> {
        let bits = self.bits(bytes)?;
        let there = self.fields.iter().filter(|field| self.has(&bits, field.4));
        let text = |field: &Field| format!("{}={}", field.0, field.3.text(bits.get(field.1, field.2)));
        Ok(there.map(text).collect::<Vec<_>>().join(" "))
    }

    /// The bits of a field as they are stored; `None` where there is no such field.
    ///
    /// # Errors
    /// Too few bytes.
    pub fn raw(&self, bytes: &[u8], name: &str) -> Result<Option<u64>, String> {
        let bits = self.bits(bytes)?;
        let field = self.fields.iter().find(|field| field.0 == name);
        Ok(field.map(|field| bits.get(field.1, field.2)))
    }

    fn bits(&self, bytes: &[u8]) -> Result<Bits, String> {
        match bytes.get(..self.bytes) {
            Some(own) => Ok(Bits::of(own)),
            None => Err(format!("a {} has {} bytes, {} are given", self.name, self.bytes, bytes.len())),
        }
    }

    /// Whether fields of a kind are there.
    fn has(&self, bits: &Bits, when: When) -> bool {
        let raw = |name: &str| {
            self.fields.iter().find(|field| field.0 == name).map_or(0, |field| bits.get(field.1, field.2))
        };
        let (linear, extended) = (raw("layout") == 0, raw("extended") == 1);
        match when {
            Always => true,
            Linear => linear,
            Tiled => !linear,
            LinearLayers => linear && extended,
            Compressed => raw("compressed_1") == 1,
            Software => !extended && raw("compressed_1") == 0,
        }
    }
}

impl Coding {
    fn encode(self, text: &str) -> Result<u64, String> {
        let number = || parse(text).ok_or_else(|| "takes a number".to_owned());
        match self {
            Name(names) => {
                let place = names.iter().position(|name| *name == text && !name.is_empty());
                place.map(|n| n as u64).ok_or_else(|| format!("takes {}", names.join(", ")))
            }
            Value => number(),
            LessOne => number()?.checked_sub(1).ok_or_else(|| "is 1 or more".to_owned()),
            Shift(bits) | Address(bits) => match number()? {
                n if n & ((1 << bits) - 1) == 0 => Ok(n >> bits),
                _ => Err(format!("is a multiple of {}", 1 << bits)),
            },
            Power => match number()? {
                n if n.is_power_of_two() => Ok(n.trailing_zeros().into()),
                _ => Err("is a power of two".to_owned()),
            },
            Level => {
                let x: f32 = text.parse().map_err(|_| "takes a number".to_owned())?;
                Ok((f64::from(x).clamp(0.0, MOST_LEVEL) * LEVEL_STEPS) as u64)
            }
            Channels => {
                let found = CHANNELS.iter().find(|row| row.name == text);
                found.map(|row| row.code.into()).ok_or_else(|| "takes a channel format".to_owned())
            }
            Swizzle(bits) => swizzle(text, bits),
        }
    }

    fn text(self, raw: u64) -> String {
        match self {
            Name(names) => names.get(raw as usize).map_or_else(|| raw.to_string(), |name| (*name).to_owned()),
            Value => raw.to_string(),
            LessOne => (raw + 1).to_string(),
            Shift(bits) => (raw << bits).to_string(),
            Address(bits) => format!("{:#x}", raw << bits),
            Power => (1u64 << raw).to_string(),
            Level => (raw as f64 / LEVEL_STEPS).to_string(),
            Channels => {
                let found = CHANNELS.iter().find(|row| u64::from(row.code) == raw);
                found.map_or_else(|| raw.to_string(), |row| row.name.to_owned())
            }
            Swizzle(bits) => {
                let source = |n: u64| {
                    let code = raw >> (n * u64::from(bits)) & ((1 << bits) - 1);
                    SOURCES.get(code as usize).map_or_else(|| code.to_string(), |name| (*name).to_owned())
                };
                (0..4).map(source).collect::<Vec<_>>().join(",")
            }
        }
    }
}

/// Four names of sources with commas between.
fn swizzle(text: &str, bits: u8) -> Result<u64, String> {
    let wrong = || format!("takes four of {}", SOURCES[..SOURCES.len().min(1 << bits)].join(", "));
    let codes: Option<Vec<usize>> =
        text.split(',').map(|name| SOURCES.iter().position(|known| *known == name)).collect();
    let codes = codes.filter(|all| all.len() == 4 && all.iter().all(|code| code >> bits == 0));
    let codes = codes.ok_or_else(wrong)?;
    Ok(codes.iter().rev().fold(0, |all, code| all << bits | *code as u64))
}

fn parse(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// 192 bits, the lowest first.
#[derive(Clone, Copy, Debug, Default)]
struct Bits([u64; 3]);

impl Bits {
    fn of(bytes: &[u8]) -> Bits {
        let mut bits = Bits::default();
        for (n, byte) in bytes.iter().take(24).enumerate() {
            bits.0[n / 8] |= u64::from(*byte) << (8 * (n % 8));
        }
        bits
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn get(&self, low: u8, width: u8) -> u64 {
        let (word, shift) = (usize::from(low / 64), u32::from(low % 64));
        let high = self.0.get(word + 1).copied().unwrap_or(0);
        let both = u128::from(self.0[word]) | u128::from(high) << 64;
        (both >> shift) as u64 & (u64::MAX >> (64 - width.clamp(1, 64)))
    }

    fn set(&mut self, low: u8, width: u8, value: u64) {
        let (word, shift) = (usize::from(low / 64), u32::from(low % 64));
        let mask = u128::from(u64::MAX >> (64 - width.clamp(1, 64))) << shift;
        let value = u128::from(value) << shift;
        for (n, to) in self.0[word..].iter_mut().take(2).enumerate() {
            let part = |wide: u128| (wide >> (64 * n)) as u64;
            *to = *to & !part(mask) | part(value) & part(mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_descriptor_cannot_hold_is_told() {
        let wrong = [
            ("width=16385", "`width` has 14 bits, `16385` does not fit"),
            ("width=0", "`width` is 1 or more, not `0`"),
            ("address=0x12", "`address` is a multiple of 16, not `0x12`"),
            ("layout=square", "`layout` takes linear, null, twiddled, compressed, not `square`"),
            ("swizzle=R,G,B", "`swizzle` takes four of R, G, B, A, 1, 0, not `R,G,B`"),
            ("colour=1", "a Texture has no field `colour`; it has dimension"),
            ("width", "`width` is no name=value"),
        ];
        for (text, why) in wrong {
            let error = TEXTURE.pack(text).expect_err(text);
            assert!(error.starts_with(why), "{text}: {error}");
        }
        assert!(PBE.pack("swizzle=R,G,B,1").is_err_and(|e| e.contains("takes four of R, G, B, A")));
        assert!(SAMPLER.unpack(&[0; 7]).is_err_and(|e| e == "a Sampler has 8 bytes, 7 are given"));
    }

    /// A field takes the bits of its number and leaves all others, also where it goes on in the next word.
    #[test]
    fn fields_are_set_beside_others() {
        for (low, width) in (0..128).flat_map(|low| [1, 7, 33, 64].map(|width| (low, width))) {
            for (mut bits, number) in [(Bits([0; 3]), u64::MAX), (Bits([u64::MAX; 3]), 0)] {
                bits.set(low, width, number);
                let ones: u32 = bits.0.iter().map(|word| word.count_ones()).sum();
                let field = u32::from(width);
                assert_eq!(ones, if number == 0 { 192 - field } else { field }, "{low}, {width}");
                assert_eq!(bits.get(low, width), number >> (64 - width), "{low}, {width}");
            }
        }
    }

    /// What was packed comes back, whatever bits it was made of. A level above 14 is cut to that.
    #[test]
    fn fields_come_back() {
        let mut state = 1u64;
        for descriptor in DESCRIPTORS {
            for _ in 0..1000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let bytes: Vec<u8> = (0..24).map(|n| state.rotate_left(n * 7) as u8).collect();
                let Ok(text) = descriptor.unpack(&bytes) else { continue };
                // Codes without a name are numbers, which nothing takes.
                if let Ok(packed) = descriptor.pack(&text) {
                    let again = descriptor.unpack(&packed).expect("long enough");
                    assert_eq!(descriptor.pack(&again), Ok(packed), "{again}");
                }
            }
        }
    }
}
