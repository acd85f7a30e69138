//! The two shaders of images, for which no driver's outputs are stored: their sources say what
//! comes of each texel (`image_invert.comp`, `image_resample.comp`).

use chiaro_num::{Encoding, F16};
use chiaro_rdna::machine::linear_image;
use chiaro_sim::mapped::{Mapped, Range};

use super::Driven;
use super::launch::SET_ADDRESS;
use crate::suite::Miss;

/// Width and height of all images.
const SIZE: u32 = 16;
/// Bytes from row to row.
const ROW: usize = 256;
const FIRST: u64 = 0x7_0000_0000;
const SECOND: u64 = 0x8_0000_0000;
/// Formats: four bytes as fractions, four half floats; the type of a plane.
const BYTES: u32 = 56;
const HALVES: u32 = 71;
const PLANE: u32 = 9;

/// Workgroups that cover the images.
pub(super) const GROUPS: [u32; 3] = [2, 2, 1];

/// Push constants: a texel's size, twice, and the first level.
pub(super) fn push() -> Vec<u8> {
    let texel = 1.0 / SIZE as f32;
    [texel, texel, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The byte of a channel before the run.
fn channel(x: usize, y: usize, n: usize) -> u8 {
    (x * 37 + y * 91 + n * 57 + x * y) as u8
}

/// Maps both images, and writes their descriptors to the set.
pub(super) fn map(memory: &mut Mapped, driven: &Driven) -> Result<(), Miss> {
    let mut source = vec![0; ROW * SIZE as usize];
    for (at, byte) in source.iter_mut().enumerate().filter(|(at, _)| at % ROW < 4 * SIZE as usize) {
        *byte = channel(at % ROW / 4, at / ROW, at % 4);
    }
    let resample = driven.name == "image_resample";
    let format = if resample { HALVES } else { BYTES };
    let plane = |base, format| linear_image(base, format, [SIZE, SIZE, 1], PLANE);
    // Linear filters, places outside are those at the edge.
    let sampler = [0b010_010_010, 0xfff << 12, 1 << 20 | 1 << 22, 0];
    let bindings = driven.row["set"]["bindings"].as_array().ok_or("the row has no bindings")?;
    for binding in bindings {
        let at = SET_ADDRESS + binding["offset"].as_u64().unwrap_or(0);
        let reads = matches!(binding["binding"].as_u64(), Some(13 | 15));
        let words = if reads { plane(FIRST, BYTES) } else { plane(SECOND, format) };
        put(memory, at, &words);
        if binding["type"] == "combined_image_sampler" {
            put(memory, at + 80, &sampler);
        }
    }
    for (name, base, bytes) in [("source", FIRST, source), ("result", SECOND, vec![0; ROW * SIZE as usize])] {
        let range = Range { name: name.to_owned(), base, bytes };
        memory.map(range).map_err(|other| format!("memory lies over {other}"))?;
    }
    Ok(())
}

fn put(memory: &mut Mapped, at: u64, words: &[u32]) {
    for (n, word) in (0..).zip(words) {
        memory.store(at + 4 * n, 4, (*word).into());
    }
}

/// Compares what the run left with what the source says.
pub(super) fn check(memory: &Mapped, driven: &Driven) -> Result<(), Miss> {
    let bytes = &memory.named("result").ok_or("there is no result")?.bytes;
    for y in 0..SIZE as usize {
        for x in 0..SIZE as usize {
            for n in 0..4 {
                let (found, wanted, allowed) = match driven.name.as_str() {
                    "image_resample" => {
                        let at = y * ROW + x * 8 + n * 2;
                        let half = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
                        (F16.decode(half.into()), resampled(x, y, n), 2.0 / 1024.0)
                    }
                    _ => {
                        let before = channel(x, y, n);
                        let wanted = if n < 3 { 255 - before } else { before };
                        (bytes[y * ROW + x * 4 + n].into(), wanted.into(), 0.0)
                    }
                };
                if (found - wanted).abs() > allowed {
                    return Err(format!("texel {x}, {y}, channel {n} is {found}, not {wanted}").into());
                }
            }
        }
    }
    Ok(())
}

/// The mean of four places a quarter of a texel around the centre, each filtered.
fn resampled(x: usize, y: usize, n: usize) -> f64 {
    let texel = |x: i64, y: i64| {
        let inside = |at: i64| at.clamp(0, i64::from(SIZE) - 1) as usize;
        f64::from(channel(inside(x), inside(y), n)) / 255.0
    };
    let filtered = |x: f64, y: f64| {
        let (left, upper) = ((x - 0.5).floor(), (y - 0.5).floor());
        let (a, b) = (x - 0.5 - left, y - 0.5 - upper);
        let at = |dx: i64, dy: i64| texel(left as i64 + dx, upper as i64 + dy);
        (1.0 - b) * ((1.0 - a) * at(0, 0) + a * at(1, 0)) + b * ((1.0 - a) * at(0, 1) + a * at(1, 1))
    };
    let centre = |at: usize| at as f64 + 0.5;
    let places = [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)];
    let sum: f64 = places.iter().map(|(dx, dy)| filtered(centre(x) + dx, centre(y) + dy)).sum();
    F16.decode(F16.encode(sum / 4.0, Encoding::default()))
}
