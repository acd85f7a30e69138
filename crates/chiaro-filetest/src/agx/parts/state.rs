//! A state of the machine that a part of a key can start in, drawn from a seed: registers, uniforms, memory,
//! pixels. What means something to the part has values that it can tell apart.

use std::sync::Arc;

use chiaro_agx::abi::channels::{Format, Kind};
use chiaro_agx::abi::key::{FragmentEpilog, FragmentProlog, Key, VertexProlog};
use chiaro_agx::abi::tilebuffer::{Layout, physical};
use chiaro_agx::abi::uniforms::Vertex;
use chiaro_agx::machine::{Compare, Config, Group, Launch, Pixels, Program, SimdGroup};
use chiaro_num::{Encoding, F16};
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::{LANES, Lanes};

use super::spill::{self, Spilled};

/// Where memory lies: the driver's root table, what it points to, the state of input assembly, and attributes.
const ROOT: u64 = 0x1_0000;
const COUNTER: u64 = 0x2_0000;
const STIPPLE: u64 = 0x3_0000;
const ASSEMBLY: u64 = 0x4_0000;
const INDICES: u64 = 0x5_0000;
const HEAP: u64 = 0x6_0000;
const ATTRIBUTES: u64 = 0x1000_0000;
const EACH: u64 = 0x100_0000;
/// Elements that attributes have.
const ELEMENTS: u64 = 24;

/// SplitMix64.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.bits() % n.max(1)
    }

    /// A float that a colour may be, some of them out of range.
    fn colour(&mut self) -> f64 {
        match self.below(8) {
            0 => 0.0,
            1 => 1.0,
            _ => (self.below(1 << 20) as f64 / f64::from(1 << 20)) * 1.5 - 0.25,
        }
    }

    /// An integer: small ones, large ones, negative ones.
    fn integer(&mut self) -> u32 {
        let n = self.bits() as u32;
        match n & 3 {
            0 => n >> 24,
            1 => n >> 16,
            2 => (n as i32 >> 22) as u32,
            _ => n,
        }
    }
}

/// A state.
pub(crate) struct State {
    words: Vec<[u32; LANES]>,
    uniforms: Vec<(u16, u16)>,
    pixels: Option<Pixels>,
    memory: Vec<Range>,
    launch: (Launch, [u32; 3]),
    soft_fault: bool,
}

/// What stands behind a part that leaves the program open.
const STOP: [u8; 2] = [0x88, 0];

impl State {
    /// One for a part of a key.
    pub(crate) fn of(key: &Key, seed: u64) -> State {
        let mut draw = Draw(seed);
        let words = (0..128).map(|_| std::array::from_fn(|_| draw.bits() as u32)).collect();
        let uniforms = (0..256).map(|half| (half, draw.bits() as u16)).collect();
        let launch = (Launch::default(), [0; 3]);
        let mut state =
            State { words, uniforms, pixels: None, memory: Vec::new(), launch, soft_fault: false };
        match key {
            Key::FragmentEpilog(key) => state.epilog(key, &mut draw),
            Key::FragmentProlog(key) => state.fragment(key, &mut draw),
            Key::VertexProlog(key) => state.vertex(key, &mut draw),
        }
        state
    }

    /// Runs code from here.
    pub(crate) fn run(&self, code: &[u8]) -> Result<(SimdGroup, Mapped), String> {
        let config = Config { soft_fault: self.soft_fault, ..Config::default() };
        let program = Arc::new(Program::new(&[code, &STOP].concat(), 0, &config));
        let (launch, place) = &self.launch;
        let mut group = Group::new(&program, &config, launch, 0);
        group.enter(launch, *place);
        let simd = &mut group.simdgroups[0];
        (0..).zip(&self.words).for_each(|(n, lanes)| simd.set_word(n, Lanes(*lanes)));
        self.uniforms.iter().for_each(|(half, value)| simd.set_uniform(*half, *value));
        self.pixels.iter().for_each(|pixels| simd.shade(pixels.clone()));
        let mut memory = Mapped::default();
        for range in &self.memory {
            let copy = Range { name: range.name.clone(), base: range.base, bytes: range.bytes.clone() };
            memory.map(copy).map_err(|_| "memory overlaps")?;
        }
        match group.run(&mut memory).faults.first() {
            Some(fault) => Err(fault.to_string()),
            None => Ok((group.simdgroups.remove(0), memory)),
        }
    }

    fn half(&mut self, half: u16, value: impl FnMut(usize) -> u16) {
        let mut value = value;
        for lane in 0..LANES {
            let (word, shift) = (&mut self.words[usize::from(half / 2)][lane], 16 * u32::from(half & 1));
            *word = *word & !(0xffff << shift) | u32::from(value(lane)) << shift;
        }
    }

    fn uniform(&mut self, half: u16, bits: u64, halves: u16) {
        for n in 0..halves {
            self.uniforms[usize::from(half + n)].1 = (bits >> (16 * n)) as u16;
        }
    }

    fn map(&mut self, name: &str, base: u64, bytes: Vec<u8>) {
        self.memory.push(Range { name: name.to_owned(), base, bytes });
    }

    /// Colours in the registers of their locations, depth and stencil, what targets hold.
    fn epilog(&mut self, key: &FragmentEpilog, draw: &mut Draw) {
        let format = |target: &chiaro_agx::abi::key::Target| {
            target.format.trim_start_matches("PIPE_FORMAT_").to_owned()
        };
        for location in 0..8u16 {
            let of = |target: &&chiaro_agx::abi::key::Target| target.loc == Some(location as u8);
            let kind =
                key.rts.iter().find(of).and_then(|target| Format::named(&format(target))).map(|f| f.kind);
            let is_integer = matches!(kind, Some(Kind::Uint | Kind::Sint));
            // Coverage is made of a float.
            let covers = |n: u16| key.alpha_to_coverage == 1 && location == 0 && n == 3;
            let wide = key.link.size_32 >> location & 1 == 1;
            for n in 0..4 {
                let half = 8 + 8 * location + if wide { 2 * n } else { n };
                for lane in 0..LANES {
                    let bits = match (is_integer && !covers(n), wide) {
                        // Bits beyond the target have no meaning under a logical operation.
                        (true, _) if key.logicop != 0 => draw.integer() & 0xff,
                        (true, _) => draw.integer(),
                        (false, true) => (draw.colour() as f32).to_bits(),
                        (false, false) => F16.encode(draw.colour(), Encoding::default()),
                    };
                    if wide {
                        self.words[usize::from(half / 2)][lane] = bits;
                    } else {
                        let (word, shift) =
                            (&mut self.words[usize::from(half / 2)][lane], 16 * u32::from(half & 1));
                        *word = *word & !(0xffff << shift) | (bits & 0xffff) << shift;
                    }
                }
            }
        }
        (0..LANES)
            .for_each(|lane| self.words[2][lane] = (draw.below(1 << 20) as f32 / (1 << 20) as f32).to_bits());
        for n in 0..4 {
            let bits = (draw.colour() as f32).to_bits();
            self.uniform(4 + 2 * n, bits.into(), 2);
        }
        let samples = key.nr_samples.max(1) as u8;
        if key.link.sample_shading == 1 {
            let mask = 1 << draw.below(samples.into());
            self.half(0, |_| 0);
            self.half(2, |_| mask);
        }
        let mut pixels = fragments(samples, draw);
        fill_tile(key, &mut pixels, draw);
        // Of one sample Mesa stores what has failed its test, too.
        let tests_early = key.link.write_z + key.link.write_s == 0;
        if samples == 1 && tests_early && spill::is_spilled(key) {
            pixels.compare = Compare::Always;
        }
        self.pixels = Some(pixels);
        if let Some(Spilled { heap, images }) = spill::spilled(key, &mut || draw.bits()) {
            self.uniform(0, HEAP, 4);
            self.map("heap", HEAP, heap);
            images.into_iter().for_each(|(base, bytes)| self.map(spill::TARGET, base, bytes));
        }
    }

    /// Planes that cull or not, a stipple, a counter.
    fn fragment(&mut self, key: &FragmentProlog, draw: &mut Draw) {
        let mut pixels = fragments(4, draw);
        for plane in 0..256 {
            let _ = plane;
            pixels.coefficients.push(std::array::from_fn(|_| match draw.below(8) {
                0 => [0.0; 3],
                1 => [0.0, 0.0, 1.0],
                2 => [0.0, -0.5, 0.0],
                _ => std::array::from_fn(|_| draw.colour() as f32),
            }));
        }
        let _ = key;
        self.pixels = Some(pixels);
        self.uniform(12, ROOT, 4);
        let mut root = vec![0; 1024];
        root[512..520].copy_from_slice(&COUNTER.to_le_bytes());
        root[592..600].copy_from_slice(&STIPPLE.to_le_bytes());
        self.map("root", ROOT, root);
        self.map("counter", COUNTER, vec![7; 8]);
        let pattern = (0..128).map(|_| draw.bits() as u8).collect();
        self.map("stipple", STIPPLE, pattern);
    }

    /// Attributes and their clamps, numbers of vertices within them and beyond.
    fn vertex(&mut self, key: &VertexProlog, draw: &mut Draw) {
        self.soft_fault = key.soft_fault == 1;
        let count = key.attribs.iter().map(|attribute| attribute.i as u16 + 1).max().unwrap_or(0);
        let Ok(abi) = Vertex::new(count, key.hw == 0) else { return };
        for n in 0..count {
            let base = ATTRIBUTES + EACH * u64::from(n);
            self.uniform(4 * n, base, 4);
            self.uniform(4 * count + 2 * n, draw.below(ELEMENTS), 2);
            let stride = key.attribs.iter().find(|a| a.i == u64::from(n)).map_or(0, |a| a.stride);
            let bytes = (0..(4 * ELEMENTS * stride + 64).div_ceil(8))
                .flat_map(|_| draw.bits().to_le_bytes())
                .collect();
            self.map("attribute", base, bytes);
        }
        self.uniform(abi.base_vertex(), draw.below(4), 2);
        self.uniform(abi.base_instance(), draw.below(4), 2);
        for lane in 0..LANES {
            self.words[5][lane] = draw.below(ELEMENTS) as u32;
            self.words[6][lane] = draw.below(ELEMENTS) as u32;
        }
        if key.hw == 0 {
            self.launch = (Launch { groups: [1, 8, 1], ..Launch::default() }, [0, draw.below(8) as u32, 0]);
        }
        if key.hw == 0 || key.adjacency > 0 {
            self.assembly(6 * count + 8, key.index_size.max(1) as usize, draw);
        }
    }

    /// The state of input assembly and its indices.
    fn assembly(&mut self, half: u16, size: usize, draw: &mut Draw) {
        self.uniform(half, ASSEMBLY, 4);
        let mut state = INDICES.to_le_bytes().to_vec();
        state.extend_from_slice(&(16 + draw.below(8) as u32).to_le_bytes());
        state.extend_from_slice(&32u32.to_le_bytes());
        self.map("assembly", ASSEMBLY, state);
        let index = (0..64).flat_map(|_| draw.below(ELEMENTS - 4).to_le_bytes()[..size].to_vec());
        self.map("indices", INDICES, index.collect());
    }
}

/// What targets hold before, as far as they have room.
fn fill_tile(key: &FragmentEpilog, pixels: &mut Pixels, draw: &mut Draw) {
    let format =
        |target: &chiaro_agx::abi::key::Target| target.format.trim_start_matches("PIPE_FORMAT_").to_owned();
    let samples = key.nr_samples.max(1) as u8;
    let mut all = vec![None; 8];
    key.rts.iter().for_each(|target| all[target.i as usize] = physical(&format(target)));
    if let Ok(layout) = Layout::new(&all, samples.into()) {
        for (n, target) in layout.targets.iter().enumerate() {
            let Some((offset, target)) = target.and_then(|t| Some((t.offset? as usize, t.physical))) else {
                continue;
            };
            let name = key.rts.iter().find(|t| t.i as usize == n).map(&format).unwrap_or_default();
            for (lane, sample) in (0..LANES).flat_map(|lane| (0..samples).map(move |s| (lane, s))) {
                let bytes = texel(&name, target.format, (target.bytes * target.components) as usize, draw);
                if let Some(room) = pixels.bytes_of(lane, sample.into(), offset, bytes.len()) {
                    room.copy_from_slice(&bytes);
                }
            }
        }
    }
}

/// Quads of which some samples are covered, and a test that some of them fail.
fn fragments(samples: u8, draw: &mut Draw) -> Pixels {
    let all = (1u16 << samples) - 1;
    let mut pixels = Pixels {
        samples,
        compare: Compare::Less,
        depth_plane: [[0.0, 0.0, 0.5]; LANES],
        tile: vec![0; 64 * usize::from(samples) * LANES],
        ..Pixels::default()
    };
    for lane in 0..LANES {
        pixels.covered[lane] = draw.bits() as u8 & all as u8;
        pixels.depths[lane] = std::array::from_fn(|_| draw.below(1 << 16) as f32 / 65536.0);
    }
    pixels
}

/// Bytes that a target of a format may hold: no float is none, no fraction has two forms.
fn texel(name: &str, format: &str, bytes: usize, draw: &mut Draw) -> Vec<u8> {
    let fraction = name.ends_with("UNORM");
    let half = |draw: &mut Draw| {
        let colour = if fraction { draw.colour().clamp(0.0, 1.0) } else { draw.colour() };
        (F16.encode(colour, Encoding::default()) as u16).to_le_bytes()
    };
    match format {
        "f16" => (0..bytes / 2).flat_map(|_| half(draw)).collect(),
        "i32" if name.ends_with("FLOAT") => {
            (0..bytes / 4).flat_map(|_| (draw.colour() as f32).to_le_bytes()).collect()
        }
        "rg11b10f" => {
            let part =
                |draw: &mut Draw, bits: u32| (14 << bits | draw.below(1 << bits) as u32) & ((32 << bits) - 1);
            (part(draw, 6) | part(draw, 6) << 11 | part(draw, 5) << 22).to_le_bytes().to_vec()
        }
        "rgb9e5" => (draw.bits() as u32 >> 5 | 15 << 27).to_le_bytes().to_vec(),
        "s8norm" => (0..bytes).map(|_| (draw.below(255) as i16 - 127) as u8).collect(),
        "s16norm" => {
            (0..bytes / 2).flat_map(|_| ((draw.below(65535) as i32 - 32767) as u16).to_le_bytes()).collect()
        }
        _ => (0..bytes).map(|_| draw.bits() as u8).collect(),
    }
}
