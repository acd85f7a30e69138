//! Depth, samples, and the picture that they make.

/// Which fragments pass: the new depth compared with the old one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Compare {
    Never,
    #[default]
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

impl Compare {
    /// Names of all of them, as scenes write them.
    pub const NAMES: [(&'static str, Compare); 8] = [
        ("never", Compare::Never),
        ("less", Compare::Less),
        ("equal", Compare::Equal),
        ("less-equal", Compare::LessEqual),
        ("greater", Compare::Greater),
        ("not-equal", Compare::NotEqual),
        ("greater-equal", Compare::GreaterEqual),
        ("always", Compare::Always),
    ];

    fn holds(self, new: f32, old: f32) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => new < old,
            Compare::Equal => new == old,
            Compare::LessEqual => new <= old,
            Compare::Greater => new > old,
            Compare::NotEqual => new != old,
            Compare::GreaterEqual => new >= old,
            Compare::Always => true,
        }
    }
}

/// Colour and depth of every sample.
#[derive(Clone, PartialEq, Debug)]
pub struct Pixels {
    size: [u32; 2],
    samples: usize,
    colours: Vec<[f32; 4]>,
    depths: Vec<f32>,
    depth: Compare,
}

impl Pixels {
    pub(crate) fn new(size: [u32; 2], samples: u32, depth: Compare, clear: [f32; 4]) -> Pixels {
        let samples = samples.max(1) as usize;
        let count = size[0] as usize * size[1] as usize * samples;
        // What counts as farthest is what everything passes.
        let far = if matches!(depth, Compare::Greater | Compare::GreaterEqual) { 0.0 } else { 1.0 };
        Pixels { size, samples, colours: vec![clear; count], depths: vec![far; count], depth }
    }

    /// Writes the samples of a pixel that are covered and pass.
    pub(crate) fn put(&mut self, pixel: [u32; 2], covered: u32, depths: &[f32], colours: &[[f32; 4]]) {
        let first = self.first(pixel);
        for (sample, (depth, colour)) in depths.iter().zip(colours).enumerate().take(self.samples) {
            let at = first + sample;
            let passes = self.depth.holds(*depth, self.depths[at]);
            if covered >> sample & 1 == 1 && passes {
                (self.colours[at], self.depths[at]) = (*colour, *depth);
            }
        }
    }

    /// The first sample of a pixel.
    fn first(&self, [x, y]: [u32; 2]) -> usize {
        (y as usize * self.size[0] as usize + x as usize) * self.samples
    }

    /// The colours of the samples of a pixel, counted from the lower left; none beyond the picture.
    #[must_use]
    pub fn at(&self, pixel: [u32; 2]) -> &[[f32; 4]] {
        let first = self.first(pixel);
        let inside = pixel[0] < self.size[0] && pixel[1] < self.size[1];
        self.colours.get(first..first + self.samples).filter(|_| inside).unwrap_or_default()
    }

    /// Width and height.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The rows of the picture from the top, samples of a pixel averaged.
    pub fn rows(&self) -> impl Iterator<Item = Vec<[f32; 4]>> + '_ {
        let [width, height] = self.size.map(|n| n as usize);
        let pixel = move |x: usize, y: usize| {
            let first = (y * width + x) * self.samples;
            let all = &self.colours[first..first + self.samples];
            std::array::from_fn(|i| all.iter().map(|c| c[i]).sum::<f32>() / self.samples as f32)
        };
        (0..height).rev().map(move |y| (0..width).map(|x| pixel(x, y)).collect())
    }
}
