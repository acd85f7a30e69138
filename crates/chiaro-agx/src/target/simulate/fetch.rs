//! Attributes by name as a driver has them in memory, for programs that fetch them (spec 14.2, 17).

use chiaro_num::{Encoding, F16};
use chiaro_target::{Attributes, Kind as Scalar, Value};

use super::bind::Bound;
use crate::abi::channels::Format;
use crate::abi::key::{Attribute, VertexProlog};
use crate::abi::uniforms::Vertex;
use crate::machine::{Colour, Pixels};

/// Bytes of an attribute's buffer at most: strides come from keys, numbers of vertices from people.
const MOST: usize = 1 << 28;
/// One as a number of 16 fraction bits.
const FIXED: f64 = 65536.0;

/// Puts the attributes that a prolog fetches into memory; what is left is given in registers.
///
/// # Errors
/// Values that are no numbers, formats that they cannot be brought into.
pub(super) fn attributes(
    key: &VertexProlog,
    given: &Attributes,
    bound: &mut Bound,
) -> Result<Attributes, String> {
    let mut left = given.clone();
    let count = key.attribs.iter().map(|attribute| attribute.i as u16 + 1).max().unwrap_or(0);
    let abi = Vertex::new(count, key.hw == 0)?;
    for attribute in &key.attribs {
        let name = format!("attribute{}", attribute.i);
        let Some(at) = left.columns.iter().position(|(known, _)| *known == name) else { continue };
        let (_, column) = left.columns.remove(at);
        let bytes = buffer(attribute, &name, &column.some_values(0, given.count))?;
        let last = given.count.saturating_sub(1) as u32;
        let n = attribute.i as u16;
        bound.fetched((abi.base(n), abi.clamp(n)), last, &name, bytes)?;
    }
    Ok(left)
}

/// The elements of an attribute, a stride apart.
fn buffer(attribute: &Attribute, name: &str, values: &[Value]) -> Result<Vec<u8>, String> {
    let element = Element::named(&attribute.format)
        .ok_or_else(|| format!("`{name}`: `{}` is no format of numbers", attribute.format))?;
    let (stride, size) = (attribute.stride as usize, element.format.bytes as usize);
    let total = stride.saturating_mul(values.len().saturating_sub(1)) + size;
    if total > MOST {
        return Err(format!(
            "`{name}` takes {total} bytes, a stride of {stride} for {} vertices; {MOST} are possible",
            values.len()
        ));
    }
    let mut bytes = vec![0; total];
    for (n, value) in values.iter().enumerate() {
        let words = value.words(name, element.scalar())?;
        bytes[n * stride..][..size].copy_from_slice(&element.packed(&words)[..size]);
    }
    Ok(bytes)
}

/// What numbers become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Scaled,
    Fixed,
    Float,
}

/// An element of an attribute.
struct Element {
    format: Format,
    kind: Kind,
}

impl Element {
    /// By Mesa's name, with channels of one kind.
    fn named(name: &str) -> Option<Element> {
        let (channels, kind) = name.trim_start_matches("PIPE_FORMAT_").rsplit_once('_')?;
        let kind = match kind {
            "UNORM" => Kind::Unorm,
            "SNORM" => Kind::Snorm,
            "UINT" => Kind::Uint,
            "SINT" => Kind::Sint,
            "USCALED" | "SSCALED" => Kind::Scaled,
            "FIXED" => Kind::Fixed,
            "FLOAT" => Kind::Float,
            _ => return None,
        };
        let format = Format::named(&format!("{channels}_UNORM")).filter(|format| !format.is_block())?;
        Some(Element { format, kind })
    }

    /// How values of the host are read.
    fn scalar(&self) -> Scalar {
        match self.kind {
            Kind::Uint => Scalar::Uint(32),
            Kind::Sint => Scalar::Int(32),
            _ => Scalar::Float(32),
        }
    }

    /// The bytes of an element; components that are not given are 0, 0, 0, 1.
    fn packed(&self, words: &[u32]) -> [u8; 16] {
        let is_integer = matches!(self.kind, Kind::Uint | Kind::Sint);
        let one = if is_integer { 1 } else { 1f32.to_bits() };
        let fill = [0, 0, 0, one];
        let words: [u32; 4] = std::array::from_fn(|n| words.get(n).copied().unwrap_or(fill[n]));
        if self.kind == Kind::Float && self.format.widths[0] == 11 {
            return small_floats(words);
        }
        let (mut bits, mut at) = (0u128, 0);
        for channel in 0..4u8 {
            let width = u32::from(self.format.widths[usize::from(channel)]);
            let component = self.format.swizzle.iter().position(|from| *from == Some(channel));
            if let (Some(component), 1..) = (component, width) {
                let own = self.number(words[component], width) & (u32::MAX >> (32 - width));
                bits |= u128::from(own) << at;
            }
            at += width;
        }
        bits.to_le_bytes()
    }

    /// A number in so many bits.
    fn number(&self, word: u32, width: u32) -> u32 {
        let x = f64::from(f32::from_bits(word));
        let ones = f64::from(u32::MAX >> (32 - width));
        let half = f64::from(u32::MAX >> (32 - width) >> 1);
        match self.kind {
            Kind::Unorm => (x.clamp(0.0, 1.0) * ones).round_ties_even() as u32,
            Kind::Snorm => (x.clamp(-1.0, 1.0) * half).round_ties_even() as i32 as u32,
            Kind::Uint | Kind::Sint => word,
            Kind::Scaled => x.round_ties_even() as i64 as u32,
            Kind::Fixed => (x * FIXED).round_ties_even() as i64 as u32,
            Kind::Float if width == 16 => F16.encode(x, Encoding::default()),
            Kind::Float => word,
        }
    }
}

/// Floats of 11, 11 and 10 bits, as the machine stores them.
fn small_floats(words: [u32; 4]) -> [u8; 16] {
    let mut pixels = Pixels::default();
    if let Some(place) = Colour::new("rg11b10f", 0, 3) {
        pixels.set_colour(place, 0, 0, words.map(f32::from_bits));
    }
    std::array::from_fn(|n| if n < 4 { pixels.tile[n] } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(format: &str, values: &[f64]) -> Vec<u8> {
        let attribute = Attribute { stride: 4, format: format.to_owned(), ..Attribute::default() };
        let value = Value::List(values.iter().map(|n| Value::Number(*n)).collect());
        buffer(&attribute, "a", &[value.clone(), value]).expect(format)
    }

    #[test]
    fn elements_stand_as_their_formats_say() {
        assert_eq!(
            packed("PIPE_FORMAT_R8G8B8A8_UNORM", &[1.0, 0.0, 0.2]),
            [255, 0, 51, 255, 255, 0, 51, 255]
        );
        assert_eq!(packed("PIPE_FORMAT_B8G8R8A8_UNORM", &[1.0, 0.0, 0.2])[..4], [51, 0, 255, 255]);
        assert_eq!(packed("PIPE_FORMAT_R10G10B10A2_SNORM", &[-1.0, 1.0, 0.0])[..4], {
            (513u32 | 511 << 10 | 1 << 30).to_le_bytes()
        });
        assert_eq!(packed("PIPE_FORMAT_R16_FLOAT", &[1.0])[..2], [0, 0x3c]);
        assert_eq!(packed("PIPE_FORMAT_R8G8_SINT", &[-1.0, 3.0])[..2], [255, 3]);
        assert_eq!(packed("PIPE_FORMAT_R16G16_SSCALED", &[-2.0, 3.0])[..4], [254, 255, 3, 0]);
        assert_eq!(packed("PIPE_FORMAT_R32_FIXED", &[0.5])[..4], [0, 128, 0, 0]);
        assert_eq!(packed("PIPE_FORMAT_R11G11B10_FLOAT", &[1.0])[..4], [0xc0, 3, 0, 0]);
    }

    #[test]
    fn buffers_have_an_end() {
        let format = "PIPE_FORMAT_R32_FLOAT".to_owned();
        let attribute = Attribute { stride: 0xffff, format, ..Attribute::default() };
        let why = buffer(&attribute, "a", &vec![Value::Number(0.0); 5000]).expect_err("it is too large");
        assert!(why.contains("a stride of 65535 for 5000 vertices"), "{why}");
    }

    #[test]
    fn formats_of_several_kinds_are_refused() {
        let attribute =
            Attribute { format: "PIPE_FORMAT_R10SG10SB10SA2U_NORM".to_owned(), ..Attribute::default() };
        assert!(buffer(&attribute, "a", &[]).is_err_and(|why| why.contains("no format of numbers")));
    }
}
