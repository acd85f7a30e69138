//! Addressing, filtering, comparing, gathering, reading and writing on a 2 by 2 image.

use super::*;
use crate::{GlobalRef, Sampling, Ty};

const IMAGE: Handle = Handle { global: GlobalRef(0), element: 0 };
const SAMPLER: Handle = Handle { global: GlobalRef(1), element: 0 };

fn two_by_two(sampler: Sampler) -> TextureStore {
    let texels = [1.0, 2.0, 3.0, 4.0].map(|x| [arith::bits(x, 32), 0, 0, 0]).to_vec();
    let mut store = TextureStore::default();
    store.textures.insert(IMAGE, Texture { size: [2, 2, 1], texels, ..Texture::default() });
    store.samplers.insert(SAMPLER, sampler);
    store
}

const TYPE: ImageType = ImageType {
    component: Ty(0),
    signed: false,
    dim: Dim::D2,
    arrayed: false,
    multisampled: false,
    depth: false,
    storage: false,
    format: 0,
};

fn request(x: f64, y: f64, how: Sampling) -> Request {
    Request {
        image: IMAGE,
        sampler: SAMPLER,
        how,
        at: [x, y, 0.0, 0.0],
        reference: 2.5,
        level: 0.0,
        gradients: [[0.0; 3]; 2],
        offset: [0; 3],
        component: 0,
    }
}

fn sampled(sampler: Sampler, x: f64, y: f64, how: Sampling) -> [f64; 4] {
    two_by_two(sampler).sample(&request(x, y, how), &TYPE).map(|t| arith::float(t, 32))
}

#[test]
fn coordinates_outside_are_addressed() {
    let at = |addressing, x| {
        let sampler = Sampler { addressing: [addressing; 3], ..Sampler::default() };
        sampled(sampler, x, 0.25, Sampling::default())[0]
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
    assert_eq!(sampled(sampler, 0.5, 0.5, Sampling::default())[0], 2.5);
    assert_eq!(sampled(sampler, 0.375, 0.25, Sampling::default())[0], 1.25);
    assert_eq!(sampled(sampler, 0.0, 0.0, Sampling::default())[0], 1.0);
}

#[test]
fn references_are_compared_before_weighing() {
    let sampler = Sampler { linear: true, ..Sampler::default() };
    let how = Sampling { reference: true, ..Sampling::default() };
    assert_eq!(sampled(sampler, 0.5, 0.5, how)[0], 0.5);
    assert_eq!(sampled(sampler, 0.5, 0.25, how)[0], 0.0);
}

#[test]
fn gathers_begin_below_on_the_left() {
    let how = Sampling { gather: true, ..Sampling::default() };
    assert_eq!(sampled(Sampler::default(), 0.5, 0.5, how), [3.0, 4.0, 2.0, 1.0]);
}

#[test]
fn texels_are_read_and_written_within() {
    let mut store = two_by_two(Sampler::default());
    store.write(IMAGE, &TYPE, [1, 0, 0, 0], [7, 8, 9, 10]);
    store.write(IMAGE, &TYPE, [2, 0, 0, 0], [1; 4]);
    assert_eq!(store.read(IMAGE, &TYPE, [1, 0, 0, 0], 0), [7, 8, 9, 10]);
    assert_eq!(store.read(IMAGE, &TYPE, [0, -1, 0, 0], 0), [0; 4]);
    assert_eq!(store.size(IMAGE, &TYPE, 0), [2, 2, 1]);
    assert_eq!(store.read(SAMPLER, &TYPE, [0; 4], 0), [0; 4]);
}

#[test]
fn the_nearest_level_is_taken() {
    let mut store = two_by_two(Sampler::default());
    let small = Texture { size: [1; 3], texels: vec![[arith::bits(9.0, 32), 0, 0, 0]], smaller: Vec::new() };
    store.textures.get_mut(&IMAGE).unwrap().smaller.push(small);
    let at = |store: &mut TextureStore, how: Sampling, level: f64, change: f64| {
        let gradients = [[change, 0.0, 0.0], [0.0; 3]];
        let request = Request { level, gradients, ..request(0.25, 0.25, how) };
        arith::float(store.sample(&request, &TYPE)[0], 32)
    };
    let given = Sampling { level: true, ..Sampling::default() };
    assert_eq!([-1.0, 0.5, 0.51, 7.0].map(|l| at(&mut store, given, l, 0.0)), [1.0, 1.0, 9.0, 9.0]);
    // One texel for each pixel is the first level, two are the second.
    let implicit = Sampling::default();
    assert_eq!([0.0, 0.5, 1.0].map(|c| at(&mut store, implicit, 0.0, c)), [1.0, 1.0, 9.0]);
    assert_eq!(store.read(IMAGE, &TYPE, [0; 4], 1)[0], arith::bits(9.0, 32));
    assert_eq!(store.counts(IMAGE, &TYPE), [2, 1]);
}

#[test]
fn cubes_have_faces() {
    let mut store = TextureStore::default();
    let texels = (0..6).map(|face| [arith::bits(f64::from(face), 32), 0, 0, 0]).collect();
    store.textures.insert(IMAGE, Texture { size: [1, 1, 6], texels, ..Texture::default() });
    let ty = ImageType { dim: Dim::Cube, ..TYPE };
    let at = |at: [f64; 4]| Request { at, ..request(0.0, 0.0, Sampling::default()) };
    let directions = [[2.0, 1.0, 0.0, 0.0], [0.0, -3.0, 1.0, 0.0], [0.5, 0.1, -4.0, 0.0]];
    let found = directions.map(|d| arith::float(store.sample(&at(d), &ty)[0], 32));
    assert_eq!(found, [0.0, 3.0, 5.0]);
}
