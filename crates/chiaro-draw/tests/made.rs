//! What the rasteriser makes of random primitives, as numbers that are written down: which fragments there are, and what
//! is painted. `CHIARO_BLESS=1` rewrites `made.txt`.

use std::fmt::Write;
use std::path::Path;

use chiaro_cases::{Cases, digest};
use chiaro_draw::{Call, Compare, Cull, Fragment, Shaded, Topology, draw};

const TOPOLOGIES: [Topology; 6] = [
    Topology::Points,
    Topology::Lines,
    Topology::LineStrip,
    Topology::Triangles,
    Topology::TriangleStrip,
    Topology::TriangleFan,
];

/// Numbers from -1.5 to 1.5 in steps that meet pixels' borders and middles.
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % 49) as f32 / 16.0 - 1.5
    }
}

/// Some vertices lie behind the viewer.
fn positions(seed: u64) -> Vec<[f32; 4]> {
    let mut draw = Draw(seed);
    let mut one = || [draw.number(), draw.number(), draw.number() * 0.8, 1.0 + draw.number() * 0.8];
    (0..9).map(|_| one()).collect()
}

fn shade(quads: &[Fragment], seen: &mut String) -> Vec<Shaded> {
    let one = |fragment: &Fragment| {
        let _ = write!(seen, "{fragment:?}");
        let [x, y] = fragment.pixel;
        let [a, b, c] = fragment.middle.perspective.map(|weight| weight as f32);
        Shaded {
            depths: (x % 5 == 4).then_some([0.5; 4]),
            live: if (x + y) % 7 == 6 { 0 } else { u32::MAX },
            ..Shaded::of([a, b, c, fragment.point[0]])
        }
    };
    quads.iter().map(one).collect()
}

#[test]
fn primitives_become_what_is_written_down() {
    let mut out = "# call: fragments, picture\n".to_owned();
    let sizes = [1.0, 3.5, 0.0, 6.0, 2.0, 1.0, 20.0, 0.5, 4.0];
    for seed in 0..12_u64 {
        let positions = positions(seed);
        for topology in TOPOLOGIES {
            for samples in [1, 4] {
                let n = seed as usize + samples as usize;
                let call = Call {
                    positions: &positions,
                    point_sizes: if seed % 2 == 0 { &sizes } else { &[] },
                    indices: if seed % 3 == 0 { &[0, 1, 2, 2, 1, 4, 8, 7, 7, 3, 5] } else { &[] },
                    topology,
                    size: [13, 9],
                    samples,
                    ordered: seed % 2 == 1,
                    cull: [Cull::None, Cull::Back, Cull::Front][n % 3],
                    clockwise: seed % 4 == 1,
                    depth: Compare::NAMES[n % 8].1,
                    clear: [0.25, 0.5, 0.75, 1.0],
                };
                let mut seen = String::new();
                let made = draw(&call, |quads, _| Ok::<_, ()>(shade(quads, &mut seen))).expect("a picture");
                let rows: Vec<_> = made.rows().collect();
                let painted = digest(&format!("{rows:?} {:?}", made.size()));
                let _ = writeln!(out, "{seed} {topology:?} {samples}: {} {painted}", digest(&seen));
            }
        }
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made.txt"), Some(&out));
    cases.finish();
}
