//! A random texture with its sampler, and what a kernel asks of it.

use std::fmt;

use ash::vk;
use chiaro_isa::Rng;
use chiaro_sim::texture::{Addressing, Compare, Dim, Filter, Mip, Sampler, Texture};

use super::Nudge;
use crate::rays::between;

/// Invocations of a kernel, each with four vectors.
pub(super) const LANES: usize = 64;
pub(super) const WORDS: usize = 16;

/// How far coordinates may be off, in texels, and levels: those that are given, and those of gradients.
const OFF: f64 = 1.0 / 512.0;
const LEVEL_OFF: [f64; 2] = [0.02, 0.34];
/// Texels and references are multiples of one of so many, so that some are equal.
const STEPS: usize = 64;

/// How a texture is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Plain,
    Level,
    Gradients,
    Gather,
    Fetch,
}

/// A kind of texture of GLSL.
struct Shape {
    name: &'static str,
    dim: Dim,
    arrayed: bool,
    compares: bool,
    view: vk::ImageViewType,
    forms: &'static [Form],
}

const fn kind(
    name: &'static str,
    (dim, arrayed, compares): (Dim, bool, bool),
    view: vk::ImageViewType,
    forms: &'static [Form],
) -> Shape {
    Shape { name, dim, arrayed, compares, view, forms }
}

use Form::{Fetch, Gather, Gradients, Level, Plain};
use vk::ImageViewType as View;

static KINDS: [Shape; 13] = [
    kind("sampler1D", (Dim::D1, false, false), View::TYPE_1D, &[Plain, Level, Gradients, Fetch]),
    kind("sampler1DArray", (Dim::D1, true, false), View::TYPE_1D_ARRAY, &[Plain, Level, Gradients, Fetch]),
    kind("sampler2D", (Dim::D2, false, false), View::TYPE_2D, &[Plain, Level, Gradients, Gather, Fetch]),
    kind(
        "sampler2DArray",
        (Dim::D2, true, false),
        View::TYPE_2D_ARRAY,
        &[Plain, Level, Gradients, Gather, Fetch],
    ),
    kind("sampler3D", (Dim::D3, false, false), View::TYPE_3D, &[Plain, Level, Gradients, Fetch]),
    kind("samplerCube", (Dim::Cube, false, false), View::CUBE, &[Plain, Level, Gradients, Gather]),
    kind("samplerCubeArray", (Dim::Cube, true, false), View::CUBE_ARRAY, &[Plain, Level, Gradients, Gather]),
    kind("sampler1DShadow", (Dim::D1, false, true), View::TYPE_1D, &[Plain, Level, Gradients]),
    kind("sampler1DArrayShadow", (Dim::D1, true, true), View::TYPE_1D_ARRAY, &[Plain, Level, Gradients]),
    kind("sampler2DShadow", (Dim::D2, false, true), View::TYPE_2D, &[Plain, Level, Gradients, Gather]),
    kind("sampler2DArrayShadow", (Dim::D2, true, true), View::TYPE_2D_ARRAY, &[Plain, Gradients, Gather]),
    kind("samplerCubeShadow", (Dim::Cube, false, true), View::CUBE, &[Plain, Gradients, Gather]),
    kind("samplerCubeArrayShadow", (Dim::Cube, true, true), View::CUBE_ARRAY, &[Plain, Gather]),
];

impl Shape {
    /// Numbers that say where, without a layer.
    fn coordinates(&self) -> usize {
        match self.dim {
            Dim::D1 => 1,
            Dim::D2 | Dim::Rect => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}

/// A texture, a sampler, a kernel.
pub(super) struct Case {
    shape: &'static Shape,
    form: Form,
    offset: Option<[i32; 3]>,
    /// The component that is gathered.
    component: usize,
    pub(super) texture: Texture,
    pub(super) sampler: Sampler,
    /// For each lane a coordinate, reference and level, and two gradients.
    pub(super) given: Vec<u32>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { texture, sampler, .. } = self;
        let [width, height, depth] = texture.size;
        let levels = 1 + texture.smaller.len();
        write!(
            f,
            "{} of a {width} x {height} x {depth} {} with {levels} levels, {sampler:?}",
            self.call(),
            self.shape.name
        )
    }
}

impl Case {
    /// The case of a seed: kinds and forms in turns, the rest at random.
    pub(super) fn of(seed: u64) -> Case {
        let mut rng = Rng(seed);
        let shape = &KINDS[seed as usize % KINDS.len()];
        let form = shape.forms[seed as usize / KINDS.len() % shape.forms.len()];
        let texture = texture(shape, &mut rng);
        let sampler = sampler(&mut rng);
        let can_move = shape.dim != Dim::Cube && form != Form::Fetch;
        let offset =
            (can_move && rng.below(3) == 0).then(|| std::array::from_fn(|_| rng.below(8) as i32 - 4));
        let component = rng.below(4);
        let mut case = Case { shape, form, offset, component, texture, sampler, given: Vec::new() };
        for _ in 0..LANES {
            let lane = case.draw(&mut rng);
            case.given.extend(lane.map(f32::to_bits));
        }
        case
    }

    pub(super) fn view(&self) -> vk::ImageViewType {
        self.shape.view
    }

    pub(super) fn compares(&self) -> bool {
        self.shape.compares
    }

    /// What a lane is given, for people.
    pub(super) fn lane(&self, n: usize) -> String {
        let words = self.given[n * WORDS..][..WORDS].iter().map(|&word| f32::from_bits(word));
        format!("{:?}", words.collect::<Vec<_>>())
    }

    /// The kernel.
    pub(super) fn source(&self) -> String {
        format!(
            "#version 450
layout(local_size_x = {LANES}) in;
layout(binding = 0) uniform {} t;
layout(std430, binding = 1) readonly buffer Given {{ vec4 v[]; }} given;
layout(std430, binding = 2) buffer Found {{ vec4 v[]; }} found;
void main() {{
    uint n = gl_LocalInvocationID.x;
    vec4 at = given.v[4 * n], more = given.v[4 * n + 1], dx = given.v[4 * n + 2], dy = given.v[4 * n + 3];
    found.v[n] = vec4({});
}}
",
            self.shape.name,
            self.call()
        )
    }

    /// The call of the built-in function.
    fn call(&self) -> String {
        let Shape { arrayed, compares, .. } = *self.shape;
        let axes = self.shape.coordinates();
        let letters = |n: usize| &"xyzw"[..n];
        let plain = format!("at.{}", letters(axes + usize::from(arrayed)));
        let place = match axes + usize::from(arrayed) {
            _ if !compares => plain.clone(),
            1 => "vec3(at.x, 0.0, more.x)".to_owned(),
            2 => format!("vec3({plain}, more.x)"),
            3 => format!("vec4({plain}, more.x)"),
            _ => format!("{plain}, more.x"),
        };
        let (name, offset) = match self.offset {
            Some([x, _, _]) if axes == 1 => ("Offset", format!(", {x}")),
            Some(all) => {
                let list: Vec<String> = all[..axes].iter().map(i32::to_string).collect();
                ("Offset", format!(", ivec{axes}({})", list.join(", ")))
            }
            None => ("", String::new()),
        };
        let changes = [("dx", axes), ("dy", axes)].map(|(name, axes)| format!(", {name}.{}", letters(axes)));
        match self.form {
            Form::Plain => format!("texture{name}(t, {place}{offset})"),
            Form::Level => format!("textureLod{name}(t, {place}, more.y{offset})"),
            Form::Gradients => format!("textureGrad{name}(t, {place}{}{offset})", changes.concat()),
            Form::Gather if compares => format!("textureGather{name}(t, {plain}, more.x{offset})"),
            Form::Gather => format!("textureGather{name}(t, {plain}{offset}, {})", self.component),
            Form::Fetch => {
                let count = axes + usize::from(arrayed);
                let kind = if count == 1 { "int".to_owned() } else { format!("ivec{count}") };
                format!("texelFetch(t, {kind}({plain}), int(more.y))")
            }
        }
    }

    /// What a lane is given.
    fn draw(&self, rng: &mut Rng) -> [f32; WORDS] {
        let mut lane = [0.0; WORDS];
        let (levels, axes) = (1 + self.texture.smaller.len(), self.shape.coordinates());
        let level = match self.form {
            Form::Fetch => rng.below(levels) as f32,
            _ => between(rng, -1.0, levels as f32 + 0.5),
        };
        let size = self.texture.level(level.max(0.0) as usize).size;
        for (at, &size) in lane[..axes].iter_mut().zip(&size) {
            *at = match self.form {
                Form::Fetch => rng.below(size as usize) as f32,
                _ if self.shape.dim == Dim::Cube => between(rng, -1.0, 1.0),
                _ => between(rng, -1.6, 2.6),
            };
        }
        if self.shape.arrayed {
            let layers = match self.shape.dim {
                Dim::D1 => size[1],
                Dim::Cube => size[2] / 6,
                _ => size[2],
            };
            let within = if self.form == Form::Fetch { 0.0 } else { between(rng, -0.4, 0.4) };
            lane[axes] = rng.below(layers as usize) as f32 + within;
        }
        lane[4] = rng.below(STEPS + 1) as f32 / STEPS as f32;
        lane[5] = level;
        // Along the axes, where all ways to measure a pixel agree; on cubes so little that the first level is magnified.
        let most = if self.shape.dim == Dim::Cube { 1e-4 } else { 0.6 };
        for axis in 0..axes.min(2) {
            lane[8 + 5 * axis] = between(rng, -most, most);
        }
        lane
    }

    /// What rounding may do to coordinates and levels.
    pub(super) fn nudges(&self) -> Vec<Nudge> {
        if self.form == Form::Fetch {
            return vec![Nudge::default()];
        }
        let axes = self.shape.coordinates();
        let levels = LEVEL_OFF[usize::from(self.form == Form::Gradients)];
        let mut all = vec![Nudge::default()];
        // Behind a whole level the filter may be another.
        let near = Some(levels);
        let steps = [(-levels, None), (0.0, None), (levels, None), (0.0, near), (1e-6, near), (-1e-6, near)];
        for (level, to_whole) in steps {
            for corner in 0..1u32 << axes {
                let off = |axis: usize| {
                    let sign = if corner >> axis & 1 == 1 { 1.0 } else { -1.0 };
                    if axis < axes {
                        sign * OFF / f64::from(self.texture.size[axis.min(1)].max(1))
                    } else {
                        0.0
                    }
                };
                all.push(Nudge { at: std::array::from_fn(off), level, to_whole });
            }
        }
        all
    }
}

/// A texture with some of its levels.
fn texture(shape: &Shape, rng: &mut Rng) -> Texture {
    let mut side = |most: usize| 1 + rng.below(most) as u32;
    let [width, height, depth, layers] = [side(13), side(9), side(5), side(4)];
    let size = match (shape.dim, shape.arrayed) {
        // Layers of lines stand in the place of rows.
        (Dim::D1, arrayed) => [width, if arrayed { layers } else { 1 }, 1],
        (Dim::D3, _) => [width, height, depth],
        (Dim::Cube, arrayed) => [width, width, if arrayed { 6 * layers.min(2) } else { 6 }],
        (_, arrayed) => [width, height, if arrayed { layers } else { 1 }],
    };
    let is_deep = shape.dim == Dim::D3;
    let is_flat = shape.dim == Dim::D1;
    let largest = match shape.dim {
        Dim::D1 => size[0],
        Dim::D3 => size[0].max(size[1]).max(size[2]),
        _ => size[0].max(size[1]),
    };
    let levels = 1 + rng.below(1 + largest.ilog2() as usize);
    let mut level = |n: usize| {
        let half = |side: u32| (side >> n).max(1);
        let height = if is_flat { size[1] } else { half(size[1]) };
        let size = [half(size[0]), height, if is_deep { half(size[2]) } else { size[2] }];
        let count = size.iter().product::<u32>() as usize;
        let mut texel =
            || std::array::from_fn(|_| (rng.below(STEPS + 1) as f32 / STEPS as f32).to_bits().into());
        Texture { size, texels: (0..count).map(|_| texel()).collect(), smaller: Vec::new() }
    };
    let first = level(0);
    Texture { smaller: (1..levels).map(level).collect(), ..first }
}

/// A sampler, of those that every driver has.
fn sampler(rng: &mut Rng) -> Sampler {
    let one = 1f32.to_bits().into();
    let filters = [Filter::Nearest, Filter::Linear];
    let addressing = [
        Addressing::Repeat,
        Addressing::Mirror,
        Addressing::MirrorOnce,
        Addressing::Clamp,
        Addressing::Border,
    ];
    let compare = [
        Compare::Never,
        Compare::Less,
        Compare::Equal,
        Compare::LessEqual,
        Compare::Greater,
        Compare::NotEqual,
        Compare::GreaterEqual,
        Compare::Always,
    ];
    Sampler {
        magnify: filters[rng.below(2)],
        minify: filters[rng.below(2)],
        mip: [Mip::Nearest, Mip::Linear][rng.below(2)],
        addressing: std::array::from_fn(|_| addressing[rng.below(5)]),
        border: [[0; 4], [0, 0, 0, one], [one; 4]][rng.below(3)],
        compare: compare[rng.below(8)],
        levels: [[0.0, 0.7][rng.below(2)], [1000.0, 1.3][rng.below(2)]],
        bias: [0.0, 0.6][rng.below(2)],
        ..Sampler::default()
    }
}
