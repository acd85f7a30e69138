//! Colours of a render target in the tilebuffer, for whoever looks at pictures (spec 16.4).

use chiaro_num::F16;
use chiaro_sim::mapped;

use super::format::Format;
use super::graphic::operand::Graphic;
use super::pixels::Pixels;
use super::program::Program;
use crate::operand::modifier::FORMATS;

/// Where a target stands in a sample, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Colour {
    format: Format,
    offset: usize,
    mask: u8,
}

impl Colour {
    /// A target of so many components, by the name of its format in the tilebuffer.
    #[must_use]
    pub fn new(format: &str, offset: usize, components: usize) -> Option<Colour> {
        let format = Format::of(FORMATS.number(format).into())?;
        Some(Colour { format, offset, mask: ((1u16 << components.min(4)) - 1) as u8 })
    }

    /// What the first store of a program is for.
    #[must_use]
    pub fn first(program: &Program) -> Option<Colour> {
        program.steps.iter().find_map(|step| match step.graphic {
            Some(Graphic::Tile(tile)) if !tile.loads => {
                Some(Colour { format: tile.format, offset: tile.offset, mask: tile.mask })
            }
            _ => None,
        })
    }
}

impl Colour {
    /// What comes back of a colour that is stored.
    #[must_use]
    pub fn rounded(self, colour: [f32; 4]) -> [f32; 4] {
        let place = Colour { offset: 0, ..self };
        let mut pixels = Pixels::default();
        pixels.set_colour(place, 0, 0, colour);
        pixels.colour(place, 0, 0).unwrap_or(colour)
    }
}

impl Pixels {
    /// The colour of a sample; components that a target does not have are 0, 0, 0, 1.
    pub fn colour(&mut self, of: Colour, lane: usize, sample: usize) -> Option<[f32; 4]> {
        let (elements, bytes) = (of.format.elements(of.mask), of.format.bytes());
        let mut colour = [0.0, 0.0, 0.0, 1.0];
        for (n, element) in elements.iter().enumerate() {
            let found = self.bytes_of(lane, sample, of.offset + element * bytes, bytes)?;
            let raw = mapped::number(found) as u32;
            let component = if of.format.packed().is_some() { n } else { *element };
            let bits = match of.format {
                Format::Half => (F16.decode(raw) as f32).to_bits(),
                format => format.load(raw, component, true),
            };
            colour[component] = f32::from_bits(bits);
        }
        Some(colour)
    }

    /// Makes a sample hold a colour, as near as its format comes.
    pub fn set_colour(&mut self, of: Colour, lane: usize, sample: usize, colour: [f32; 4]) {
        let (elements, bytes) = (of.format.elements(of.mask), of.format.bytes());
        let registers = colour.map(f32::to_bits);
        if of.format.packed().is_some() {
            let word = of.format.pack(registers, true);
            if let Some(room) = self.bytes_of(lane, sample, of.offset, bytes) {
                mapped::put(word.into(), room);
            }
            return;
        }
        for element in elements.iter() {
            let value = of.format.store(registers[*element], *element, true);
            if let Some(room) = self.bytes_of(lane, sample, of.offset + element * bytes, bytes) {
                mapped::put(value.into(), room);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Colour, Pixels};

    /// What a target can hold comes back, and is where it was put; what it lacks is 0, 0, 0, 1.
    #[test]
    fn colours_come_back() {
        let colour = [1.0, 0.2, 0.0, 1.0 / 3.0];
        for (format, components, expected) in [
            ("u8norm", 4, [1.0, 0.2, 0.0, 85.0 / 255.0]),
            ("rgb10a2", 4, [1.0, 205.0 / 1023.0, 0.0, 1.0 / 3.0]),
            ("i32", 2, [1.0, 0.2, 0.0, 1.0]),
            ("f16", 1, [1.0, 0.0, 0.0, 1.0]),
        ] {
            let mut pixels = Pixels { samples: 2, tile: vec![0; 64 * 2 * 32], ..Pixels::default() };
            let place = Colour::new(format, 8, components).expect("a format");
            pixels.set_colour(place, 3, 1, colour);
            assert_eq!(pixels.colour(place, 3, 1), Some(expected), "{format}");
            let other = pixels.colour(place, 3, 0).expect("inside");
            assert_eq!(other[..3], [0.0; 3], "{format}: the other sample is as it was");
        }
    }
}
