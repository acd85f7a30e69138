//! What the keys of a fragment program's prolog and epilog mean, as arithmetic on the colours of samples: masks,
//! coverage by alpha, blending, logical operations, formats (spec 14.5, 18.1, 18.2).
//!
//! Nothing of the compiler is here, so that pictures of linked programs can be compared with it.

use chiaro_target::{Merge, Samples};

use crate::abi::channels::{Format, Kind};
use crate::abi::key::{Blend, FUNCTIONS, FragmentEpilog, FragmentProlog, LOGIC, Target, factor_of};
use crate::abi::tilebuffer::physical;
use crate::machine::Colour;

type Four = [f64; 4];

/// The state of a draw, as far as its first target goes.
pub struct State {
    epilog: FragmentEpilog,
    target: Target,
    format: Format,
    stored: Colour,
    /// Samples that the API keeps.
    mask: u32,
    constant: Four,
}

impl State {
    /// The state of keys with a blend constant. `None` where nothing is drawn to.
    #[must_use]
    pub fn new(epilog: FragmentEpilog, prolog: Option<&FragmentProlog>, constant: Four) -> Option<State> {
        let target = epilog.rts.iter().min_by_key(|target| target.i)?.clone();
        let name = target.format.trim_start_matches("PIPE_FORMAT_");
        let (format, place) = (Format::named(name)?, physical(name)?);
        let stored = Colour::new(place.format, 0, place.channels() as usize)?;
        let mask = prolog.map_or(u32::MAX, |key| key.api_sample_mask as u32);
        Some(State { epilog, target, format, stored, mask, constant })
    }

    /// Samples in front of the one that alpha reaches live.
    fn covers(&self, alpha: f64, sample: u32) -> bool {
        let count = self.samples();
        self.epilog.alpha_to_coverage == 0
            || f64::from(sample) < (alpha.clamp(0.0, 1.0) * f64::from(count)).floor()
    }

    /// What a sample holds behind a colour, or two.
    fn colour(&self, mut sources: [Four; 2], there: [f32; 4]) -> [f32; 4] {
        if self.epilog.alpha_to_one == 1 {
            sources.iter_mut().for_each(|source| source[3] = 1.0);
        }
        let source = sources[0];
        let old = there.map(f64::from);
        let logic = LOGIC[usize::from(self.epilog.logicop)];
        let is_logical = logic != "copy" && self.combines();
        let component = |n: usize| {
            if is_logical {
                self.combined(logic, source[n], there[n], n)
            } else if self.blends() {
                self.blended(sources, old, n) as f32
            } else {
                source[n] as f32
            }
        };
        let written: [f32; 4] = std::array::from_fn(component);
        let rounded = self.stored.rounded(written);
        std::array::from_fn(|n| if self.target.colormask >> n & 1 == 1 { rounded[n] } else { there[n] })
    }

    /// Whether colours are combined bit by bit.
    #[must_use]
    pub fn is_of_bits(&self) -> bool {
        self.epilog.logicop != 0 && self.combines()
    }

    /// Logical operations leave floats and colours on a curve alone.
    fn combines(&self) -> bool {
        !matches!(self.format.kind, Kind::Float | Kind::Unorm { srgb: true })
    }

    fn blends(&self) -> bool {
        self.epilog.logicop == 0 && !matches!(self.format.kind, Kind::Uint | Kind::Sint)
    }

    /// A channel of s F op d G.
    fn blended(&self, sources: [Four; 2], there: Four, channel: usize) -> f64 {
        let range = |x: f64| match self.format.kind {
            Kind::Unorm { .. } => x.clamp(0.0, 1.0),
            Kind::Snorm => x.clamp(-1.0, 1.0),
            _ => x,
        };
        let ([source, second], constant) =
            (sources.map(|source| source.map(range)), self.constant.map(range));
        let there = match self.format.swizzle[3] {
            Some(_) => there,
            None => [there[0], there[1], there[2], 1.0],
        };
        let Blend { function, factors } = if channel == 3 { self.target.alpha } else { self.target.rgb };
        // Factors are held to the range of the format, too: 1 - s of a negative s is 1.
        let factor = |factor| range(factor_of(factor, channel, [source, second, there, constant]));
        let [f, g] = factors.map(factor);
        let (s, d) = (source[channel], there[channel]);
        match FUNCTIONS[usize::from(function)] {
            "subtract" => s * f - d * g,
            "reverse_subtract" => d * g - s * f,
            "min" => s.min(d),
            "max" => s.max(d),
            _ => s * f + d * g,
        }
    }

    /// A channel of an operation on bits.
    fn combined(&self, logic: &str, source: f64, there: f32, channel: usize) -> f32 {
        let width = u32::from(self.format.widths[usize::from(self.format.swizzle[channel].unwrap_or(0))]);
        let ones = u32::MAX >> (32 - width.clamp(1, 32));
        let bits = |x: f64| match self.format.kind {
            Kind::Snorm => (x.clamp(-1.0, 1.0) * f64::from(ones >> 1)).round_ties_even() as i32 as u32 & ones,
            Kind::Unorm { .. } => (x.clamp(0.0, 1.0) * f64::from(ones)).round_ties_even() as u32,
            _ => (x as f32).to_bits() & ones,
        };
        let (s, d) = (bits(source), bits(there.into()));
        let made = match logic {
            "clear" => 0,
            "nor" => !(s | d),
            "and_inverted" => !s & d,
            "copy_inverted" => !s,
            "and_reverse" => s & !d,
            "invert" => !d,
            "xor" => s ^ d,
            "nand" => !(s & d),
            "and" => s & d,
            "equiv" => !(s ^ d),
            "noop" => d,
            "or_inverted" => !s | d,
            "or_reverse" => s | !d,
            "or" => s | d,
            "set" => ones,
            _ => s,
        } & ones;
        match self.format.kind {
            Kind::Snorm => {
                let unused = 32 - width;
                ((made << unused) as i32 >> unused) as f32 / (ones >> 1) as f32
            }
            Kind::Unorm { .. } => (f64::from(made) / f64::from(ones)) as f32,
            _ => f32::from_bits(made),
        }
    }
}

impl Merge for State {
    fn samples(&self) -> u32 {
        self.epilog.nr_samples.max(1) as u32
    }

    fn location(&self) -> Option<u32> {
        self.target.loc.map(u32::from)
    }

    fn merged(&self, samples: &Samples) -> Samples {
        let mut made = *samples;
        made.live &= self.mask;
        for sample in 0..self.samples() {
            let n = sample as usize;
            let source = samples.colours[n].map(f64::from);
            if !self.covers(source[3], sample) {
                made.live &= !(1 << sample);
            }
            if self.target.loc.is_some() {
                // The picture was cleared to what the format can hold.
                let there = self.stored.rounded(samples.there[n]);
                made.colours[n] = self.colour([source, samples.second[n].map(f64::from)], there);
            } else {
                made.colours[n] = samples.there[n];
            }
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::key::FACTORS;

    fn state(format: &str, rgb: Blend, logicop: u8) -> State {
        let target = Target {
            colormask: 15,
            format: format!("PIPE_FORMAT_{format}"),
            loc: Some(0),
            rgb,
            alpha: rgb,
            ..Target::default()
        };
        let epilog =
            FragmentEpilog { nr_samples: 1, logicop, rts: vec![target], ..FragmentEpilog::default() };
        State::new(epilog, None, [0.5, 0.5, 0.5, 0.75]).expect("a state")
    }

    fn index(all: &[&str], name: &str) -> u8 {
        all.iter().position(|known| *known == name).expect("a name") as u8
    }

    fn over(state: &State, colour: [f32; 4], there: [f32; 4]) -> [f32; 4] {
        let samples = Samples { colours: [colour; 4], second: [[0.25; 4]; 4], there: [there; 4], live: 1 };
        state.merged(&samples).colours[0]
    }

    #[test]
    fn a_half_covers_what_is_there_by_half() {
        let [over_it, rest] = ["src_alpha", "inv_src_alpha"].map(|name| index(&FACTORS, name));
        let blend = Blend { function: 0, factors: [over_it, rest] };
        let made = over(&state("R8G8B8A8_UNORM", blend, 0), [1.0, 0.0, 2.0, 0.5], [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(made.map(|x| (x * 255.0).round()), [128.0, 128.0, 128.0, 191.0]);
    }

    /// With a negative source the factor one minus the source would be more than 1.
    #[test]
    fn factors_of_signed_formats_are_1_at_most() {
        let [rest, none] = ["inv_src_color", "zero"].map(|name| index(&FACTORS, name));
        let blend = Blend { function: 0, factors: [rest, none] };
        let made = over(&state("R16G16B16A16_SNORM", blend, 0), [-0.5, 0.5, -1.0, 1.0], [0.0; 4]);
        assert_eq!(made.map(|x| (x * 100.0).round()), [-50.0, 25.0, -100.0, 0.0]);
    }

    /// A factor of the second colour, which a picture of floats keeps as it is.
    #[test]
    fn two_colours_are_blended() {
        let [second, rest] = ["src1_color", "inv_src1_alpha"].map(|name| index(&FACTORS, name));
        let blend = Blend { function: 0, factors: [second, rest] };
        let made = over(&state("R32G32B32A32_FLOAT", blend, 0), [1.0, 0.5, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(made, [0.25, 0.125, 0.75, 1.0]);
    }

    /// What was there before the first fragment is what the format holds of it.
    #[test]
    fn what_is_there_is_rounded_first() {
        let [none, whole] = ["zero", "one"].map(|name| index(&FACTORS, name));
        let blend = Blend { function: 0, factors: [none, whole] };
        let made = over(&state("R8G8B8A8_UNORM", blend, 0), [1.0; 4], [0.5, 0.2, 0.3, 1.0]);
        assert_eq!(made, [128.0, 51.0, 77.0, 255.0].map(|x: f32| x / 255.0));
    }

    #[test]
    fn bits_are_combined_in_the_width_of_the_channel() {
        let plain = Blend { function: 0, factors: [0, 1] };
        let state = state("R10G10B10A2_UNORM", plain, index(&LOGIC, "equiv"));
        let made = over(&state, [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(made, [0.0, 1.0, 0.0, 1.0]);
    }

    /// Both operands take all four pairs of bits, in formats that hold them in three ways.
    #[test]
    fn operations_on_bits_have_their_tables() {
        let results = [
            ("clear", 0x00),
            ("nor", 0xf1),
            ("and_inverted", 0x02),
            ("copy_inverted", 0xf3),
            ("and_reverse", 0x04),
            ("invert", 0xf5),
            ("xor", 0x06),
            ("nand", 0xf7),
            ("and", 0x08),
            ("equiv", 0xf9),
            ("noop", 0x0a),
            ("or_inverted", 0xfb),
            ("or_reverse", 0xfd),
            ("or", 0x0e),
            ("set", 0xff),
            ("copy", 0x0c),
        ];
        for format in ["R8G8B8A8_UNORM", "R8G8B8A8_SNORM", "R8G8B8A8_UINT"] {
            let number = |bits: u8| match format {
                "R8G8B8A8_UNORM" => f32::from(bits) / 255.0,
                "R8G8B8A8_SNORM" => f32::from(bits as i8) / 127.0,
                _ => f32::from_bits(bits.into()),
            };
            for (name, expected) in results {
                let state = state(format, Blend { function: 0, factors: [0, 1] }, index(&LOGIC, name));
                let made = over(&state, [number(0x0c); 4], [number(0x0a); 4]);
                assert_eq!(made, [number(expected); 4], "{name}, {format}");
            }
        }
        let inverted = state("R8G8B8A8_SNORM", Blend::default(), index(&LOGIC, "copy_inverted"));
        assert_eq!(over(&inverted, [-12.0 / 127.0; 4], [0.0; 4]), [11.0 / 127.0; 4]);
    }

    /// Floats are not combined, integers are not blended, and what combines does not blend.
    #[test]
    fn formats_combine_or_blend() {
        let half = Blend { function: 0, factors: [index(&FACTORS, "const_alpha"), index(&FACTORS, "zero")] };
        let invert = index(&LOGIC, "invert");
        let of = |format: &str, logic: u8| {
            let state = state(format, half, logic);
            (state.is_of_bits(), over(&state, [1.0; 4], [1.0; 4])[0])
        };
        assert_eq!(of("R32G32B32A32_FLOAT", 0), (false, 0.75));
        assert_eq!(of("R32G32B32A32_FLOAT", invert), (false, 1.0));
        assert_eq!(of("R8G8B8A8_SRGB", invert), (false, 1.0));
        assert_eq!(of("R8G8B8A8_UNORM", invert), (true, 0.0));
        assert_eq!(of("R32G32B32A32_UINT", 0), (false, 1.0));
    }

    #[test]
    fn functions_of_blending() {
        let factors = ["const_color", "src1_color"].map(|name| index(&FACTORS, name));
        for (name, expected) in
            [("add", 3.5), ("subtract", -0.5), ("reverse_subtract", 0.5), ("min", 3.0), ("max", 8.0)]
        {
            let rgb = Blend { function: index(&FUNCTIONS, name), factors };
            let mut state = state("R32G32B32A32_FLOAT", rgb, 0);
            state.target.alpha = Blend { function: index(&FUNCTIONS, "max"), factors };
            let made = over(&state, [3.0; 4], [8.0; 4]);
            assert_eq!((made[0], made[3]), (expected, 8.0), "{name}");
        }
    }

    /// Of a colour and of alpha.
    #[test]
    fn factors_of_blending() {
        let all =
            [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 0.25], [13.0, 14.0, 15.0, 16.0]];
        for (name, green, alpha) in [
            ("zero", 0.0, 0.0),
            ("one", 1.0, 1.0),
            ("src_color", 2.0, 4.0),
            ("src_alpha", 4.0, 4.0),
            ("src1_color", 6.0, 8.0),
            ("src1_alpha", 8.0, 8.0),
            ("dst_color", 10.0, 0.25),
            ("dst_alpha", 0.25, 0.25),
            ("const_color", 14.0, 16.0),
            ("const_alpha", 16.0, 16.0),
            ("inv_const_alpha", -15.0, -15.0),
            ("src_alpha_saturate", 0.75, 1.0),
        ] {
            let of = |channel| factor_of(index(&FACTORS, name), channel, all);
            assert_eq!((of(1), of(3)), (green, alpha), "{name}");
        }
    }

    #[test]
    fn a_target_has_the_location_of_its_output() {
        let mut state = state("R8G8B8A8_UNORM", Blend::default(), 0);
        state.target.loc = Some(2);
        assert_eq!(state.location(), Some(2));
    }

    #[test]
    fn samples_are_kept_as_alpha_and_the_mask_say() {
        let mut state = state("R8G8B8A8_UNORM", Blend { function: 0, factors: [0, 1] }, 0);
        (state.epilog.nr_samples, state.epilog.alpha_to_coverage, state.mask) = (4, 1, 0b1101);
        let none = [[0.0; 4]; 4];
        let samples = Samples { colours: [[0.0, 0.0, 0.0, 0.75]; 4], second: none, there: none, live: 15 };
        assert_eq!(state.merged(&samples).live, 0b0101);
    }
}
