//! Fragments: where they are, what covers them, what varyings are interpolated from, their part of the
//! tilebuffer (spec 9.4 to 9.6, 16.4).

pub use chiaro_sim::texture::Compare;

use crate::regs::LANES;

/// Lanes of a SIMD-group.
const ALL: usize = LANES as usize;
/// Pixels along each side of the square that coefficients count from (spec 9.5).
const CORNER: u32 = 32;
/// Where samples are in a pixel, in sixteenths, a byte each: x in the low nibble (spec 25.2).
const POSITIONS: [(u8, u32); 3] = [(1, 0x88), (2, 0x44cc), (4, 0xeaa2_6e26)];

/// Where so many samples are, a byte each.
#[must_use]
pub fn positions(samples: u8) -> u32 {
    POSITIONS.iter().find(|(n, _)| *n == samples).map_or(POSITIONS[0].1, |(_, bits)| *bits)
}

/// A value over the plane: A x + B y + C.
pub type Plane = [f32; 3];

/// The fragments of a SIMD-group, four in a row a quad.
#[derive(Clone, PartialEq, Debug)]
pub struct Pixels {
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// Column and row of each pixel.
    pub places: [[u32; 2]; ALL],
    /// Whether the program runs once for each sample: those that a lane shades stand in r1l (spec 14.3).
    pub by_sample: bool,
    /// Layer of the framebuffer.
    pub layer: u32,
    /// Lanes whose primitive is seen from behind.
    pub back: u32,
    /// Samples that the primitive covers; a lane without any is a helper.
    pub covered: [u8; ALL],
    /// By coefficient register and lane.
    pub coefficients: Vec<[Plane; ALL]>,
    /// Depth of the primitive.
    pub depth_plane: [Plane; ALL],
    /// How samples are tested: the new depth against the old one.
    pub compare: Compare,
    /// Depths before and behind, by lane and sample.
    pub depths: [[f32; 4]; ALL],
    /// Depth and stencil that a program gave, by lane.
    pub depth: [Option<f32>; ALL],
    /// The stencil of it.
    pub stencil: [Option<u16>; ALL],
    /// Bytes of a sample in the tilebuffer.
    pub sample_bytes: usize,
    /// The tilebuffer: pixel by pixel, sample by sample.
    pub tile: Vec<u8>,
    /// Samples that have not been killed.
    pub live: [u8; ALL],
    /// Samples that were killed or tested.
    pub decided: [u8; ALL],
    /// Samples that passed their test: what occlusion queries count.
    pub passed: u64,
}

impl Default for Pixels {
    /// Pixels in a row of quads, all covered, with 64 bytes a sample.
    fn default() -> Pixels {
        let place = |lane: usize| [2 * (lane / 4) + lane % 2, lane / 2 % 2].map(|n| n as u32);
        Pixels {
            samples: 1,
            places: std::array::from_fn(place),
            by_sample: false,
            layer: 0,
            back: 0,
            covered: [1; ALL],
            coefficients: Vec::new(),
            depth_plane: [[0.0; 3]; ALL],
            compare: Compare::Always,
            depths: [[1.0; 4]; ALL],
            depth: [None; ALL],
            stencil: [None; ALL],
            sample_bytes: 64,
            tile: vec![0; 64 * ALL],
            live: [1; ALL],
            decided: [0; ALL],
            passed: 0,
        }
    }
}

impl Pixels {
    /// All samples as a mask.
    #[must_use]
    pub fn all(&self) -> u8 {
        ((1u16 << self.samples) - 1) as u8
    }

    /// Back to what was before the program, but for the tilebuffer.
    pub fn reset(&mut self) {
        self.live = self.covered;
        self.decided = [0; ALL];
        (self.depth, self.stencil) = ([None; ALL], [None; ALL]);
    }

    /// Lanes that no sample is covered of.
    #[must_use]
    pub fn helpers(&self) -> u32 {
        (0..ALL).fold(0, |all, lane| all | u32::from(self.covered[lane] == 0) << lane)
    }

    /// Where the middle of a pixel is, counted from the corner of its square.
    fn middle(&self, lane: usize) -> [f32; 2] {
        self.places[lane].map(|n| (n % CORNER) as f32 + 0.5)
    }

    /// Where a sample is.
    fn sample(&self, lane: usize, sample: u32) -> [f32; 2] {
        let bits = positions(self.samples) >> (8 * sample.min(3));
        let [x, y] = self.places[lane].map(|n| (n % CORNER) as f32);
        [x + (bits & 15) as f32 / 16.0, y + (bits >> 4 & 15) as f32 / 16.0]
    }

    /// Where a varying is taken: in the middle, at a sample, or within what is covered [the middle if it is
    /// all covered, or the first sample that is].
    pub(super) fn place(&self, lane: usize, at: At) -> [f32; 2] {
        let covered = self.covered[lane] & self.all();
        match at {
            At::Middle => self.middle(lane),
            At::Sample(sample) => self.sample(lane, sample),
            At::Centroid if covered == self.all() || covered == 0 => self.middle(lane),
            At::Centroid => self.sample(lane, covered.trailing_zeros()),
        }
    }

    /// A coefficient register of a lane.
    pub(super) fn plane(&self, register: usize, lane: usize) -> Option<Plane> {
        self.coefficients.get(register).map(|planes| planes[lane])
    }

    /// Where a sample's bytes are in the tilebuffer.
    pub fn bytes_of(&mut self, lane: usize, sample: usize, offset: usize, bytes: usize) -> Option<&mut [u8]> {
        let inside = offset + bytes <= self.sample_bytes;
        let first = (lane * usize::from(self.samples) + sample) * self.sample_bytes + offset;
        self.tile.get_mut(first..first + bytes).filter(|_| inside)
    }

    /// Decides on samples: those of both masks are tested, others of the first are killed. `depth` is what
    /// the program gave. Samples that were decided already.
    pub(super) fn decide(&mut self, lane: usize, target: u8, tested: u8, depth: Option<f32>) -> u8 {
        let all = self.all();
        let again = self.decided[lane] & target & all;
        self.live[lane] &= !(target & !tested);
        self.decided[lane] |= target & all;
        let due = target & tested & self.live[lane];
        for sample in (0..self.samples).filter(|n| due >> n & 1 == 1) {
            self.test(lane, sample.into(), depth);
        }
        again
    }

    fn test(&mut self, lane: usize, sample: usize, depth: Option<f32>) {
        let [x, y] = self.sample(lane, sample as u32);
        let [a, b, c] = self.depth_plane[lane];
        let depth = depth.unwrap_or(a * x + b * y + c);
        if self.compare.holds(depth.into(), self.depths[lane][sample].into()) {
            self.depths[lane][sample] = depth;
            self.passed += 1;
        } else {
            self.live[lane] &= !(1 << sample);
        }
    }

    /// Tests all samples before the program runs.
    pub(super) fn early(&mut self) {
        for lane in 0..ALL {
            let covered = self.covered[lane];
            self.decide(lane, covered, covered, None);
        }
    }
}

/// Where a varying is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum At {
    Middle,
    Sample(u32),
    Centroid,
}

/// A value over the plane at a place. Nobody says in which order the sums are made.
pub(super) fn at([a, b, c]: Plane, [x, y]: [f32; 2]) -> f32 {
    a.mul_add(x, b.mul_add(y, c))
}

#[cfg(test)]
mod tests {
    use super::{At, Pixels};

    /// In sixteenths of a pixel (spec 25.2), counted from the corner of a square of 32 (spec 9.5).
    #[test]
    fn samples_have_their_places() {
        let of = |samples, sample| {
            let mut pixels = Pixels { samples, ..Pixels::default() };
            pixels.places[0] = [33, 64];
            pixels.place(0, At::Sample(sample)).map(|at| at * 16.0)
        };
        assert_eq!(of(1, 0), [24.0, 8.0]);
        assert_eq!([0, 1].map(|n| of(2, n)), [[28.0, 12.0], [20.0, 4.0]]);
        assert_eq!([0, 1, 2, 3].map(|n| of(4, n)), [[22.0, 2.0], [30.0, 6.0], [18.0, 10.0], [26.0, 14.0]]);
    }

    #[test]
    fn bytes_of_a_sample_are_its_own() {
        let mut pixels =
            Pixels { samples: 2, sample_bytes: 8, tile: vec![0; 8 * 2 * 32], ..Pixels::default() };
        for (n, (lane, sample)) in [(0, 0), (0, 1), (1, 0), (31, 1)].into_iter().enumerate() {
            pixels.bytes_of(lane, sample, 4, 4).expect("inside")[0] = n as u8 + 1;
        }
        assert_eq!([4, 12, 20, 63 * 8 + 4].map(|at| pixels.tile[at]), [1, 2, 3, 4]);
        assert!(pixels.bytes_of(0, 0, 5, 4).is_none(), "what follows is another sample's");
    }
}
