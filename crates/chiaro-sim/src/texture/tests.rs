//! Addressing, filtering, comparing, gathering, levels and faces on small images.

use super::*;

const SHAPE: Shape = Shape { dim: Dim::D2, arrayed: false };

fn two_by_two() -> Texture {
    let texels = [1.0, 2.0, 3.0, 4.0].map(|x| [bits(x), 0, 0, 0]).to_vec();
    Texture { size: [2, 2, 1], texels, ..Texture::default() }
}

fn lookup(x: f64, y: f64) -> Lookup {
    Lookup {
        at: [x, y, 0.0, 0.0],
        reference: None,
        level: Level::Biased(0.0),
        gradients: [[0.0; 3]; 2],
        offset: [0; 3],
        gather: None,
    }
}

fn sampled(sampler: Sampler, lookup: Lookup) -> [f64; 4] {
    two_by_two().sample(&sampler, SHAPE, &lookup).map(float)
}

#[test]
fn coordinates_outside_are_addressed() {
    let at = |addressing, x| {
        let sampler = Sampler { addressing: [addressing; 3], ..Sampler::default() };
        sampled(sampler, lookup(x, 0.25))[0]
    };
    assert_eq!([-0.25, 0.25, 0.75, 1.25, 1.75].map(|x| at(Addressing::Repeat, x)), [2.0, 1.0, 2.0, 1.0, 2.0]);
    assert_eq!([-0.25, 0.25, 0.75, 1.25, 1.75].map(|x| at(Addressing::Mirror, x)), [1.0, 1.0, 2.0, 2.0, 1.0]);
    assert_eq!([-9.0, 0.25, 9.0].map(|x| at(Addressing::Clamp, x)), [1.0, 1.0, 2.0]);
    assert_eq!([-0.25, 0.25, 1.25].map(|x| at(Addressing::Border, x)), [0.0, 1.0, 0.0]);
    assert_eq!(at(Addressing::Clamp, f64::NAN), 1.0);
}

#[test]
fn neighbours_are_weighed() {
    let sampler = Sampler { addressing: [Addressing::Clamp; 3], ..Sampler::filtered(Filter::Linear) };
    assert_eq!(sampled(sampler, lookup(0.5, 0.5))[0], 2.5);
    assert_eq!(sampled(sampler, lookup(0.375, 0.25))[0], 1.25);
    assert_eq!(sampled(sampler, lookup(0.0, 0.0))[0], 1.0);
}

#[test]
fn references_are_compared_before_weighing() {
    let sampler = Sampler::filtered(Filter::Linear);
    let compared = |x, y| sampled(sampler, Lookup { reference: Some(2.5), ..lookup(x, y) })[0];
    assert_eq!(compared(0.5, 0.5), 0.5);
    assert_eq!(compared(0.5, 0.25), 0.0);
}

#[test]
fn gathers_begin_below_on_the_left() {
    let gathered = Lookup { gather: Some(0), ..lookup(0.5, 0.5) };
    assert_eq!(sampled(Sampler::default(), gathered), [3.0, 4.0, 2.0, 1.0]);
}

#[test]
fn the_nearest_level_is_taken() {
    let at = |lookup: Lookup| float(two_levels().sample(&Sampler::default(), SHAPE, &lookup)[0]);
    let given = |level| at(Lookup { level: Level::Given(level), ..lookup(0.25, 0.25) });
    assert_eq!([-1.0, 0.5, 0.51, 7.0].map(given), [1.0, 1.0, 9.0, 9.0]);
    // One texel for each pixel is the first level, two are the second.
    let changing = |x| at(Lookup { gradients: [[x, 0.0, 0.0], [0.0; 3]], ..lookup(0.25, 0.25) });
    assert_eq!([0.0, 0.5, 1.0].map(changing), [1.0, 1.0, 9.0]);
}

#[test]
fn cubes_have_faces() {
    let texels = (0..6).map(|face| [bits(f64::from(face)), 0, 0, 0]).collect();
    let texture = Texture { size: [1, 1, 6], texels, ..Texture::default() };
    let shape = Shape { dim: Dim::Cube, ..SHAPE };
    let directions = [[2.0, 1.0, 0.0, 0.0], [0.0, -3.0, 1.0, 0.0], [0.5, 0.1, -4.0, 0.0]];
    let found = directions.map(|at| {
        let lookup = Lookup { at, ..lookup(0.0, 0.0) };
        float(texture.sample(&Sampler::default(), shape, &lookup)[0])
    });
    assert_eq!(found, [0.0, 3.0, 5.0]);
}

/// A level of one value over another of four.
fn two_levels() -> Texture {
    let small = Texture { size: [1; 3], texels: vec![[bits(9.0), 0, 0, 0]], smaller: Vec::new() };
    Texture { smaller: vec![small], ..two_by_two() }
}

#[test]
fn levels_are_weighed_limited_and_biased() {
    let linear = Sampler { mip: Mip::Linear, ..Sampler::default() };
    let at = |sampler: Sampler, level| {
        let lookup = Lookup { level: Level::Given(level), ..lookup(0.25, 0.25) };
        float(two_levels().sample(&sampler, SHAPE, &lookup)[0])
    };
    assert_eq!([0.0, 0.25, 1.0, 3.0].map(|level| at(linear, level)), [1.0, 3.0, 9.0, 9.0]);
    assert_eq!(at(Sampler { bias: 0.5, ..linear }, 0.0), 5.0);
    assert_eq!(at(Sampler { levels: [0.5, 1.0], ..linear }, -3.0), 5.0);
    assert_eq!(at(Sampler { levels: [0.0, 0.25], ..linear }, 7.0), 3.0);
    assert_eq!(at(Sampler { mip: Mip::None, ..linear }, 7.0), 1.0);
}

#[test]
fn magnified_and_minified_texels_have_filters_of_their_own() {
    let sampler = Sampler { magnify: Filter::Linear, ..Sampler::default() };
    let at = |level| {
        let lookup = Lookup { level: Level::Given(level), ..lookup(0.5, 0.5) };
        float(two_by_two().sample(&sampler, SHAPE, &lookup)[0])
    };
    assert_eq!([0.0, 0.1].map(at), [2.5, 4.0]);
}

#[test]
fn a_stretched_pixel_takes_several_samples() {
    let texels = (0..8).map(|x| [bits(f64::from(x)), 0, 0, 0]).collect();
    let small = Texture { size: [4, 1, 1], texels: vec![[bits(100.0), 0, 0, 0]; 4], ..Texture::default() };
    let texture = Texture { size: [8, 1, 1], texels, smaller: vec![small] };
    let wide = Lookup { gradients: [[0.25, 0.0, 0.0], [0.0, 1.0, 0.0]], ..lookup(0.5, 0.5) };
    let at = |sampler| float(texture.sample(&sampler, SHAPE, &wide)[0]);
    let plain = Sampler::filtered(Filter::Linear);
    assert_eq!(at(plain), 100.0);
    // Two samples at a third of the pixel's length from its middle, in the first level.
    assert!((at(Sampler { anisotropy: 16.0, ..plain }) - 3.5).abs() < 1e-6);
}

/// A sample by the API's formulas, written out for images of two dimensions that repeat, with linear filters: so many
/// samples along the longer axis of the pixel as that is longer, each of the two levels about what one of them covers.
/// [Vulkan, "Scale Factor Operation", "Texel Anisotropic Filtering", N for the ratio]
fn stretched(texture: &Texture, [s, t]: [f64; 2], [dx, dy]: [[f64; 2]; 2], most: f64) -> f64 {
    let [w, h, _] = texture.size.map(f64::from);
    let [long, across] = [dx, dy].map(|[ds, dt]| (ds * w).hypot(dt * h));
    let (axis, long, across) = if long >= across { (dx, long, across) } else { (dy, across, long) };
    let n = (long / across).min(most).ceil();
    let level = (long / n).log2().clamp(0.0, texture.smaller.len() as f64);
    let bilinear = |level: &Texture, s: f64, t: f64| {
        let [w, h, _] = level.size.map(i64::from);
        let (u, v) = (s * w as f64 - 0.5, t * h as f64 - 0.5);
        let texel = |x: i64, y: i64| float(level.texels[(y.rem_euclid(h) * w + x.rem_euclid(w)) as usize][0]);
        let row = |y: i64| {
            let (x, alpha) = (u.floor() as i64, u - u.floor());
            texel(x, y) * (1.0 - alpha) + texel(x + 1, y) * alpha
        };
        let (y, beta) = (v.floor() as i64, v - v.floor());
        row(y) * (1.0 - beta) + row(y + 1) * beta
    };
    let mixed = |s: f64, t: f64| {
        let (high, delta) = (level.floor() as usize, level.fract());
        bilinear(texture.level(high), s, t) * (1.0 - delta) + bilinear(texture.level(high + 1), s, t) * delta
    };
    let along = (1..=n as u32).map(|i| f64::from(i) / (n + 1.0) - 0.5);
    along.map(|step| mixed(s + step * axis[0], t + step * axis[1])).sum::<f64>() / n
}

#[test]
fn stretched_pixels_follow_the_formulas() {
    let mut state = 1u64;
    let mut random = |most: f64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1u64 << 24) as f64 * most
    };
    let mut level = |w: u32, h: u32| {
        let texels = (0..w * h).map(|_| [bits(random(1.0)), 0, 0, 0]).collect();
        Texture { size: [w, h, 1], texels, ..Texture::default() }
    };
    let smaller = vec![level(8, 4), level(4, 2), level(2, 1), level(1, 1)];
    let texture = Texture { smaller, ..level(16, 8) };
    for n in 0..1000 {
        let most = [1.0, 2.0, 4.0, 7.0, 16.0][n % 5];
        let mut change = |n: f64| [random(n) - n / 2.0, random(n) - n / 2.0];
        let [dx, dy] = if n % 2 == 0 { [change(1.0), change(0.1)] } else { [change(0.03), change(0.7)] };
        let (s, t) = (random(4.0) - 2.0, random(4.0) - 2.0);
        let sampler =
            Sampler { mip: Mip::Linear, anisotropy: most as f32, ..Sampler::filtered(Filter::Linear) };
        let gradients = [dx, dy].map(|[ds, dt]| [ds, dt, 0.0]);
        let found = texture.sample(&sampler, SHAPE, &Lookup { gradients, ..lookup(s, t) });
        let expected = stretched(&texture, [s, t], [dx, dy], most);
        assert!((float(found[0]) - expected).abs() < 1e-6, "{n}: {} for {expected}", float(found[0]));
    }
}

#[test]
fn every_comparison_has_its_own_truth() {
    use Compare::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
    let all = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always];
    let truths = |reference| {
        all.map(|compare| {
            let lookup = Lookup { reference: Some(reference), ..lookup(0.25, 0.25) };
            sampled(Sampler { compare, ..Sampler::default() }, lookup)[0] as u8
        })
    };
    assert_eq!(truths(0.5), [0, 1, 0, 1, 0, 1, 0, 1]);
    assert_eq!(truths(1.0), [0, 0, 1, 1, 0, 0, 1, 1]);
    assert_eq!(truths(2.0), [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn edges_of_cubes_are_seamless() {
    let texels = (0..24).map(|n| [bits(f64::from(n / 4)), 0, 0, 0]).collect();
    let texture = Texture { size: [2, 2, 6], texels, ..Texture::default() };
    let shape = Shape { dim: Dim::Cube, ..SHAPE };
    let at = |sampler: Sampler, at: [f64; 4]| {
        float(texture.sample(&sampler, shape, &Lookup { at, ..lookup(0.0, 0.0) })[0])
    };
    let seamless = Sampler::filtered(Filter::Linear);
    let apart = Sampler { faces_apart: true, ..seamless };
    // The edge between +x (0) and +z (4), and the corner with +y (2).
    assert_eq!(at(seamless, [1.0, 0.0, 1.0, 0.0]), 2.0);
    assert_eq!(at(apart, [1.0, 0.0, 1.0, 0.0]), 4.0);
    assert_eq!(at(seamless, [1.0, 1.0, 1.0, 0.0]), 2.0);
}
