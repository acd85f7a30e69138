//! Numbers that a format of attributes holds, and what a prolog makes of them.

use chiaro_agx::abi::channels::Format;
use chiaro_ir::random::Rng;
use chiaro_num::F16;

/// Formats of floats.
pub(super) const FLOATS: [&str; 20] = [
    "R32_FLOAT",
    "R32G32_FLOAT",
    "R32G32B32_FLOAT",
    "R32G32B32A32_FLOAT",
    "R16_FLOAT",
    "R16G16_FLOAT",
    "R16G16B16A16_FLOAT",
    "R8_UNORM",
    "R8G8B8A8_UNORM",
    "B8G8R8A8_UNORM",
    "R16G16_SNORM",
    "R16G16B16A16_UNORM",
    "R10G10B10A2_UNORM",
    "R10G10B10A2_SNORM",
    "R8G8_SNORM",
    "R16G16_SSCALED",
    "R8G8B8A8_USCALED",
    "R32G32_FIXED",
    "R16G16B16_SNORM",
    "R11G11B10_FLOAT",
];
/// Formats of integers.
pub(super) const INTEGERS: [&str; 6] =
    ["R32_SINT", "R16_SINT", "R8_SINT", "R32G32_SINT", "R16G16B16A16_SINT", "R8G8B8A8_SINT"];
/// Integers are not larger than that.
const SMALL: usize = 12;

/// A format with its kind of numbers.
pub(super) struct Layout {
    format: Format,
    kind: String,
}

impl Layout {
    pub(super) fn named(name: &str) -> Option<Layout> {
        let (channels, kind) = name.trim_start_matches("PIPE_FORMAT_").rsplit_once('_')?;
        Some(Layout { format: Format::named(&format!("{channels}_UNORM"))?, kind: kind.to_owned() })
    }

    /// Bytes of an element.
    pub(super) fn bytes(&self) -> usize {
        self.format.bytes as usize
    }

    /// Bytes that elements are aligned to: those of a channel, or of all where several share a word.
    pub(super) fn aligned(&self) -> usize {
        let widths = self.format.widths.iter().filter(|width| **width > 0);
        let is_packed = widths.clone().any(|width| width % 8 != 0);
        let widest = widths.max().copied().unwrap_or(8);
        if is_packed { 4 } else { usize::from(widest) / 8 }
    }

    /// A number for a component that a prolog brings exactly; any that can be brought, if it need not be exact. `None`
    /// where the format has no such component: what is read there is 0, or 1 behind the third.
    pub(super) fn number(&self, component: usize, exact: bool, rng: &mut Rng) -> Option<f64> {
        let channel = self.format.swizzle.get(component).copied().flatten()?;
        let width = self.format.widths[usize::from(channel)];
        let part = rng.below(1 << 12) as f64 / f64::from(1 << 12);
        Some(match self.kind.as_str() {
            "UNORM" if exact => rng.below(2) as f64,
            "SNORM" if exact && width > 2 => rng.below(3) as f64 - 1.0,
            "SNORM" if exact => rng.below(2) as f64,
            "UNORM" => part,
            "SNORM" => 2.0 * part - 1.0,
            "USCALED" => rng.below(SMALL) as f64,
            "SINT" | "SSCALED" => rng.below(SMALL) as f64 - 4.0,
            "FIXED" => (rng.below(1 << 10) as f64 - 512.0) / 256.0,
            // Floats of 10 and 11 bits have no sign.
            _ if width < 16 => (rng.below(16) as f64 + 16.0) / 16.0,
            _ if width == 16 => F16.decode(0x3000 + rng.below(0x1400) as u32),
            _ => f64::from((8.0 * part - 4.0) as f32),
        })
    }
}
