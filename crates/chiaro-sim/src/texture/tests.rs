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
    let sampler = Sampler { linear: true, addressing: [Addressing::Clamp; 3], ..Sampler::default() };
    assert_eq!(sampled(sampler, lookup(0.5, 0.5))[0], 2.5);
    assert_eq!(sampled(sampler, lookup(0.375, 0.25))[0], 1.25);
    assert_eq!(sampled(sampler, lookup(0.0, 0.0))[0], 1.0);
}

#[test]
fn references_are_compared_before_weighing() {
    let sampler = Sampler { linear: true, ..Sampler::default() };
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
    let small = Texture { size: [1; 3], texels: vec![[bits(9.0), 0, 0, 0]], smaller: Vec::new() };
    let texture = Texture { smaller: vec![small], ..two_by_two() };
    let at = |lookup: Lookup| float(texture.sample(&Sampler::default(), SHAPE, &lookup)[0]);
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
