//! Scenes drawn: what covers what, what is interpolated, and that targets and the interpreter
//! paint the same.

use std::path::Path;

use chiaro::draw::{Compare, Cull, FragmentInterface, Interpreted, Mixing, Pixels, Scene, draw};
use chiaro::{Attributes, GlslOptions, GlslStage, LoadedModule, ModuleOptions, Topology, Value, load_glsl};
use chiaro_diag::SourceMap;

const VERTEX: &str = "#version 300 es
in vec4 position; in vec4 tint; flat out vec4 first; out vec4 v_tint;
void main() { gl_Position = position; gl_PointSize = 4.0; v_tint = tint; first = tint; }";

fn load(vertex: &str, fragment: &str) -> Vec<LoadedModule> {
    let mut sources = SourceMap::new();
    let files = [(vertex, GlslStage::Vertex), (fragment, GlslStage::Fragment)]
        .map(|(text, stage)| (sources.add("test", text), stage));
    let (glsl, options) = (GlslOptions::default(), ModuleOptions::default());
    load_glsl(&files, &glsl, &options, &mut sources, &mut |_, _, _| None).expect("both compile")
}

fn fragment(body: &str) -> String {
    format!(
        "#version 300 es\nprecision highp float;\nflat in vec4 first; in vec4 v_tint; out vec4 colour;\n\
         void main() {{ {body} }}"
    )
}

fn triangle(positions: &[[f32; 4]], tints: &[[f32; 4]]) -> Scene {
    let column =
        |name: &str, rows: &[[f32; 4]]| (name.to_owned(), rows.iter().map(|r| (*r).into()).collect());
    Scene {
        vertices: Attributes {
            count: positions.len(),
            columns: vec![column("position", positions), column("tint", tints)],
        },
        indices: Vec::new(),
        topology: Topology::Triangles,
        size: [8, 8],
        samples: 1,
        cull: Cull::None,
        clockwise: false,
        depth: Compare::Less,
        clear: [0.0; 4],
        resources: Vec::new(),
    }
}

fn painted(scene: &Scene, body: &str) -> Pixels {
    let all = load(VERTEX, &fragment(body));
    let stage = |n: usize| Interpreted::new(&all[n].module, &scene.resources).expect("an entry point");
    let interface = FragmentInterface::of(&all[1].module);
    draw(scene, &mut stage(0), &mut stage(1), &interface, &Mixing::default()).expect("a picture").pixels
}

fn rows(pixels: &Pixels) -> Vec<Vec<[f32; 4]>> {
    pixels.rows().collect()
}

const WHOLE: [[f32; 4]; 3] = [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

#[test]
fn two_triangles_share_an_edge_without_a_gap_or_overlap() {
    let square = [
        [-1.0, -1.0, 0.0, 1.0],
        [1.0, -1.0, 0.0, 1.0],
        [1.0, 1.0, 0.0, 1.0],
        [-1.0, -1.0, 0.0, 1.0],
        [1.0, 1.0, 0.0, 1.0],
        [-1.0, 1.0, 0.0, 1.0],
    ];
    let mut scene = triangle(&square, &[RED; 6]);
    scene.depth = Compare::Always;
    let one = rows(&painted(&scene, "colour = v_tint;"));
    assert!(one.iter().flatten().all(|p| *p == RED));
    // Each half alone: together they cover every pixel once.
    let covered = |indices: &[u32]| {
        let scene = Scene { indices: indices.to_vec(), ..scene.clone() };
        rows(&painted(&scene, "colour = v_tint;")).iter().flatten().filter(|p| **p == RED).count()
    };
    assert_eq!(covered(&[0, 1, 2]) + covered(&[3, 4, 5]), 64);
    // The centres on the diagonal belong to the half whose left edge it is.
    assert_eq!(covered(&[0, 1, 2]), 36);
}

#[test]
fn the_nearer_triangle_is_seen() {
    let at = |z: f32| WHOLE.map(|[x, y, _, w]| [x, y, z, w]);
    let both = [at(0.5), at(-0.5)].concat();
    let scene = triangle(&both, &[[RED; 3], [GREEN; 3]].concat());
    assert_eq!(rows(&painted(&scene, "colour = v_tint;"))[3][3], GREEN);
    let scene = Scene { depth: Compare::Greater, ..scene };
    assert_eq!(rows(&painted(&scene, "colour = v_tint;"))[3][3], RED);
}

#[test]
fn varyings_are_corrected_for_perspective() {
    // The right side is three times as far: its half of the way is a quarter of the picture.
    let far = |x: f32, y: f32| [x * 3.0, y * 3.0, 0.0, 3.0];
    let strip = [[-1.0, -1.0, 0.0, 1.0], far(1.0, -1.0), [-1.0, 1.0, 0.0, 1.0], far(1.0, 1.0)];
    let mut scene = triangle(&strip, &[[0.0; 4], [1.0; 4], [0.0; 4], [1.0; 4]]);
    scene.topology = Topology::TriangleStrip;
    let row = &rows(&painted(&scene, "colour = v_tint;"))[4];
    for (x, pixel) in row.iter().enumerate() {
        let t = (x as f32 + 0.5) / 8.0;
        let wanted = (t / 3.0) / ((1.0 - t) + t / 3.0);
        assert!((pixel[0] - wanted).abs() < 1e-5, "{x}: {} instead of {wanted}", pixel[0]);
    }
}

#[test]
fn flat_values_are_those_of_the_last_vertex() {
    let scene = triangle(&WHOLE, &[RED, RED, GREEN]);
    assert_eq!(rows(&painted(&scene, "colour = first;"))[0][0], GREEN);
}

#[test]
fn sides_are_told_apart_and_left_out() {
    let scene = triangle(&WHOLE, &[RED; 3]);
    let seen =
        |scene: &Scene| rows(&painted(scene, "colour = gl_FrontFacing ? vec4(1.0) : vec4(0.5);"))[4][4][0];
    assert_eq!(seen(&scene), 1.0);
    assert_eq!(seen(&Scene { clockwise: true, ..scene.clone() }), 0.5);
    assert_eq!(seen(&Scene { cull: Cull::Front, ..scene.clone() }), 0.0);
    assert_eq!(seen(&Scene { cull: Cull::Back, ..scene }), 1.0);
}

#[test]
fn fragments_know_their_place_and_may_end() {
    let scene = triangle(&WHOLE, &[RED; 3]);
    let picture = rows(&painted(&scene, "if (gl_FragCoord.x < 4.0) discard; colour = gl_FragCoord / 8.0;"));
    assert_eq!(picture[0][3], [0.0; 4]);
    assert_eq!(picture[0][5][..3], [5.5 / 8.0, 7.5 / 8.0, 0.5 / 8.0]);
}

#[test]
fn derivatives_are_those_of_the_quad_also_at_edges() {
    let scene = triangle(&WHOLE, &[[0.0; 4], [2.0; 4], [0.0; 4]]);
    let picture = rows(&painted(&scene, "colour = vec4(dFdx(v_tint.x) * 8.0, dFdy(v_tint.x), 0.0, 1.0);"));
    assert!(picture.iter().flatten().all(|p| (p[0] - 1.0).abs() < 1e-5 && p[1].abs() < 1e-5));
    // A single covered pixel still has neighbours.
    let small = [[-0.99, -0.99, 0.0, 1.0], [-0.72, -0.99, 0.0, 1.0], [-0.99, -0.72, 0.0, 1.0]];
    let scene = triangle(&small, &[[0.0; 4], [0.27; 4], [0.0; 4]]);
    let picture = rows(&painted(&scene, "colour = vec4(dFdx(v_tint.x) * 4.0);"));
    let seen: Vec<f32> = picture.iter().flatten().map(|p| p[0]).filter(|x| *x != 0.0).collect();
    assert!(seen.iter().all(|x| (x - 1.0).abs() < 0.02), "{seen:?}");
    assert_eq!(seen.len(), 1);
}

#[test]
fn points_and_lines() {
    let mut scene = triangle(&[[0.0, 0.0, 0.0, 1.0]], &[RED]);
    scene.topology = Topology::Points;
    let picture = rows(&painted(&scene, "colour = vec4(gl_PointCoord, 1.0, 1.0);"));
    assert_eq!(picture.iter().flatten().filter(|p| p[2] == 1.0).count(), 16);
    assert_eq!(picture[2][2][..2], [0.125, 0.125]);
    let mut scene = triangle(&[[-1.0, 0.05, 0.0, 1.0], [1.0, 0.05, 0.0, 1.0]], &[RED, RED]);
    scene.topology = Topology::Lines;
    let picture = rows(&painted(&scene, "colour = v_tint;"));
    assert!(picture[3].iter().all(|p| *p == RED));
    assert_eq!(picture.iter().flatten().filter(|p| **p == RED).count(), 8);
}

#[test]
fn samples_soften_edges() {
    let half = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [-1.0, 1.0, 0.0, 1.0]];
    let scene = Scene { samples: 4, ..triangle(&half, &[RED; 3]) };
    let shades: Vec<f32> =
        rows(&painted(&scene, "colour = v_tint;")).iter().flatten().map(|p| p[0]).collect();
    assert!(shades.iter().any(|s| *s > 0.0 && *s < 1.0));
    assert!(shades.contains(&1.0) && shades.contains(&0.0));
}

#[test]
fn what_lies_behind_the_viewer_is_cut_off() {
    let through = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [0.0, 4.0, 0.0, -1.0]];
    let picture = rows(&painted(&triangle(&through, &[RED; 3]), "colour = v_tint;"));
    let counts: Vec<usize> = picture.iter().map(|row| row.iter().filter(|p| **p == RED).count()).collect();
    assert_eq!(counts[7], 8);
    let nothing = triangle(&[[f32::NAN; 4], WHOLE[1], WHOLE[2]], &[RED; 3]);
    assert!(rows(&painted(&nothing, "colour = v_tint;")).iter().flatten().all(|p| p[3] == 0.0));
}

/// The scene that the documents show is there, and its programs compile.
#[test]
fn the_cube_can_be_loaded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/draw");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let all = load(&text("cube.vert"), &text("cube.frag"));
    let interface = FragmentInterface::of(&all[1].module);
    assert_ne!(interface, FragmentInterface::default());
    let _ = Value::Bool(true);
}
