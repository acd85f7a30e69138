//! Ray queries and stages of rays (`stages.txt`) on the interpreter: what they find, and what they tell of it. The scene is two walls and a box, with
//! numbers that can be seen from it.

use std::fmt::Write;

use chiaro_ir::interp::{Counts, Interpreter, NoImages, Stages, World};
use chiaro_ir::rays::query as q;
use chiaro_ir::{Added, Module, parse, verify};
use chiaro_trace::{Affine, Geometry, Group, Instance, Mesh, Pipeline, Record, Scene, Shape, Table};

/// Two walls across z = 1 and z = 3 from -1 to 1, the far one first, and a box between them; twice as large and 4 further
/// back, where instance 1 is the walls and 2 is the box. Nothing is opaque.
fn scene() -> Scene {
    let wall = |z: f32| {
        let [a, b, c, d] = [[-1.0, -1.0, z], [1.0, -1.0, z], [1.0, 1.0, z], [-1.0, 1.0, z]];
        Geometry { shape: Shape::Triangles(vec![[a, b, c], [a, c, d]]), opaque: false }
    };
    let walls = Mesh { geometries: vec![wall(3.0), wall(1.0)], ..Mesh::default() };
    let inside = Shape::Boxes(vec![[[-1.0, -1.0, 2.0], [1.0, 1.0, 2.5]]]);
    let boxed = Mesh { geometries: vec![Geometry { shape: inside, opaque: false }], ..Mesh::default() };
    let transform = Affine([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 4.0]]);
    let near = Instance { mask: 0, ..Instance::default() };
    let walls_there = Instance { transform, custom_index: 77, offset: 5, mask: 1, ..Instance::default() };
    let box_there = Instance { mesh: 1, transform, mask: 2, ..Instance::default() };
    Scene::new(vec![walls, boxed], vec![vec![near, walls_there, box_there]]).expect("it is sound").0
}

/// A question: its number, whether it is of the hit that was taken, or of the candidate, or of the ray; the type of its
/// answer, and the element of it that is looked at.
type Question = (u16, &'static str, &'static str, Option<u32>);

const TAKEN: &str = ", 1";
const CANDIDATE: &str = ", 0";
const RAY: &str = "";

/// A kernel that does something with the query `@q`, and asks.
fn kernel(steps: &str, questions: &[Question]) -> Module {
    let mut globals =
        "global @world: handle acceleration set(0) binding(0)\nglobal @q: private ray_query\n".to_owned();
    let (mut names, mut body) =
        ("@world, @q".to_owned(), format!("  %0: acceleration = load @world\n{steps}"));
    for (n, &(code, of, ty, element)) in questions.iter().enumerate() {
        let part = if element.is_some() { "vec3<f32>" } else { ty };
        let _ = writeln!(globals, "global @r{n}: storage {part} set(1) binding({n})");
        let _ = write!(names, ", @r{n}");
        let value = 100 + 2 * n;
        let _ = writeln!(body, "  %{value}: {ty} = ray_query.{code} @q{of}");
        let stored = match element {
            Some(element) => {
                let _ = writeln!(body, "  %{}: vec3<f32> = extract.{element} %{value}", value + 1);
                value + 1
            }
            None => value,
        };
        let _ = writeln!(body, "  store @r{n}, %{stored}");
    }
    let text = format!(
        "{globals}entry compute \"main\" = @main interface({names})\nfn @main() {{\n{body}  return\n}}\n"
    );
    let module = parse(&text, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}\n{text}"));
    assert_eq!(verify(&module), Ok(()), "{text}");
    module
}

/// The answers to some questions, as numbers, and how many queries were begun.
fn answers(steps: &str, questions: &[Question]) -> (Vec<Vec<f32>>, u64) {
    let (module, scene) = (kernel(steps, questions), scene());
    let mut interpreter = Interpreter::new(&module, &module.entries[0]);
    let places: Vec<_> =
        (0..questions.len() as u32).map(|n| interpreter.bound(1, n).expect("it is there")).collect();
    for (&place, &(_, _, ty, _)) in places.iter().zip(questions) {
        let count = if ty.contains("vec3") {
            3
        } else if ty.contains("vec2") {
            2
        } else {
            1
        };
        interpreter.set(place, vec![0xff; 4 * count]);
    }
    interpreter.world = Some(World { scene: &scene, structures: Default::default(), stages: None });
    let report = interpreter.dispatch([1; 3], &mut NoImages).expect("it runs");
    let shown = |(&place, &(_, _, ty, _)): (_, &Question)| {
        let words = interpreter.bytes(place).expect("it was set").as_chunks::<4>().0.iter();
        let number = |word: u32| if ty.contains("f32") { f32::from_bits(word) } else { word as f32 };
        words.map(|word| number(u32::from_le_bytes(*word))).collect()
    };
    (places.iter().zip(questions).map(shown).collect(), report.rays.queries)
}

/// Along z from in front of all, past nothing nearer than a half.
fn begun(mask: u8) -> String {
    let (origin, direction) = ("vec3<f32>({0.25, -0.5, 0.0})", "vec3<f32>({0.0, 0.0, 1.0})");
    format!("  ray_query.{} @q, %0, 2, {mask}, {origin}, 0.5, {direction}, 100.0\n", q::BEGIN)
}

/// A step of a query that says whether there is another candidate, which nobody asks.
fn proceed(n: usize) -> String {
    format!("  %{n}: bool = ray_query.{} @q\n", q::PROCEED)
}

#[test]
fn a_triangle_that_is_taken_is_told() {
    let confirm = format!("  ray_query.{} @q\n", q::CONFIRM);
    let steps = [begun(1), proceed(1), confirm.clone(), proceed(2), confirm, proceed(3)].concat();
    let matrix = "array<vec3<f32>, 4>";
    // The wall at z = 1 stands at 6: (0.125, -0.25) in it is a + 0.1875 (b - a) + 0.375 (c - a).
    let told: &[(Question, &[f32])] = &[
        ((q::KIND, TAKEN, "i32", None), &[1.0]),
        ((q::DISTANCE, TAKEN, "f32", None), &[6.0]),
        ((q::CUSTOM_INDEX, TAKEN, "i32", None), &[77.0]),
        ((q::INSTANCE, TAKEN, "i32", None), &[1.0]),
        ((q::RECORD, TAKEN, "i32", None), &[5.0]),
        ((q::GEOMETRY, TAKEN, "i32", None), &[1.0]),
        ((q::PRIMITIVE, TAKEN, "i32", None), &[0.0]),
        ((q::SHARES, TAKEN, "vec2<f32>", None), &[0.1875, 0.375]),
        ((q::OBJECT_DIRECTION, TAKEN, "vec3<f32>", None), &[0.0, 0.0, 0.5]),
        ((q::OBJECT_ORIGIN, TAKEN, "vec3<f32>", None), &[0.125, -0.25, -2.0]),
        ((q::TO_WORLD, TAKEN, matrix, Some(3)), &[0.0, 0.0, 4.0]),
        ((q::TO_OBJECT, TAKEN, matrix, Some(3)), &[0.0, 0.0, -2.0]),
        ((q::CORNERS, TAKEN, "array<vec3<f32>, 3>", Some(2)), &[1.0, 1.0, 1.0]),
        ((q::LEAST, RAY, "f32", None), &[0.5]),
        ((q::FLAGS, RAY, "i32", None), &[2.0]),
        ((q::ORIGIN, RAY, "vec3<f32>", None), &[0.25, -0.5, 0.0]),
        ((q::DIRECTION, RAY, "vec3<f32>", None), &[0.0, 0.0, 1.0]),
    ];
    let questions: Vec<Question> = told.iter().map(|(question, _)| *question).collect();
    let (found, begun) = answers(&steps, &questions);
    for ((question, wanted), found) in told.iter().zip(found) {
        assert_eq!(found, *wanted, "{question:?}");
    }
    assert_eq!(begun, 1);
}

/// Candidates are 0 for triangles and 1 for boxes; what is taken is 0 for nothing, 1 for triangles, 2 for hits in boxes.
/// [SPV_KHR_ray_query]
#[test]
fn candidates_and_what_is_taken_are_told_apart() {
    let kinds: [Question; 4] = [
        (q::KIND, CANDIDATE, "i32", None),
        (q::KIND, TAKEN, "i32", None),
        (q::DISTANCE, TAKEN, "f32", None),
        (q::DISTANCE, CANDIDATE, "f32", None),
    ];
    let generate = |at: &str| format!("  ray_query.{} @q, {at}\n", q::GENERATE);
    let confirm = format!("  ray_query.{} @q\n", q::CONFIRM);
    let end = format!("  ray_query.{} @q\n", q::END);
    for (steps, [candidate, taken], distance) in [
        (proceed(1) + &confirm, [0.0; 2], 0.0),
        (begun(1), [0.0; 2], 0.0),
        (begun(4) + &proceed(1) + &confirm, [0.0; 2], 0.0),
        (begun(1) + &proceed(1), [0.0; 2], 0.0),
        (begun(1) + &proceed(1) + &confirm, [0.0, 1.0], 10.0),
        (begun(2) + &proceed(1), [1.0, 0.0], 0.0),
        (begun(2) + &proceed(1) + &generate("8.5"), [1.0, 2.0], 8.5),
        (begun(2) + &proceed(1) + &generate("8.5") + &generate("8.75"), [1.0, 2.0], 8.5),
        (begun(2) + &proceed(1) + &generate("0.25"), [1.0, 0.0], 0.0),
        // What has ended goes on to nothing.
        (begun(1) + &end + &proceed(1) + &confirm, [0.0; 2], 0.0),
    ] {
        let (found, _) = answers(&steps, &kinds[..3]);
        assert_eq!(found, [[candidate], [taken], [distance]], "{steps}");
    }
    let (found, _) = answers(&(begun(1) + &proceed(1)), &kinds[3..]);
    assert_eq!(found, [[10.0]]);
}

/// What the launch of a stage leaves in the buffer, and what rays did.
fn launched(stage: usize, size: [u32; 3]) -> (Vec<f32>, Counts) {
    let text = include_str!("stages.txt").split_once("\n\n").expect("a head").1;
    let module = parse(text, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(verify(&module), Ok(()));
    let part = |n: usize| {
        let is_own = |g: &usize| module.globals[*g].name.starts_with(&format!("s{n}"));
        let own: Vec<usize> = (0..module.globals.len()).filter(is_own).collect();
        let globals = own[0] as u32..own[own.len() - 1] as u32 + 1;
        Added { globals, functions: 0..module.functions.len() as u32, entries: n..n + 1 }
    };
    let (pipeline, scene) = (pipeline(stage), scene());
    assert_eq!(pipeline.check(), []);
    let mut interpreter = Interpreter::new(&module, &module.entries[0]);
    let out = interpreter.bound(0, 1).expect("it is there");
    interpreter.set(out, vec![0; 256 * 4]);
    let stages = Some(Stages { pipeline: &pipeline, parts: (0..module.entries.len()).map(part).collect() });
    interpreter.world = Some(World { scene: &scene, structures: Default::default(), stages });
    let report = interpreter.trace(size, &mut NoImages).unwrap_or_else(|fault| panic!("{fault}"));
    let words = interpreter.bytes(out).expect("it was set").as_chunks::<4>().0.iter();
    (words.map(|word| f32::from_le_bytes(*word)).collect(), report.rays)
}

/// The stages of the module with one that is launched. Records go by instance and geometry: 0 is the box's, 5 and 6 are
/// the walls'.
fn pipeline(launched: usize) -> Pipeline {
    use chiaro_trace::Kind as K;
    let record = |group, data: f32| Record { group: Some(group), data: data.to_le_bytes().to_vec() };
    let none = Record { group: None, data: Vec::new() };
    let hit = (0..8).map(|n| match n {
        0 => record(3, 0.0),
        5 | 6 => record(2, n as f32 + 0.5),
        _ => none.clone(),
    });
    Pipeline {
        stages: vec![
            K::RayGeneration,
            K::Miss,
            K::ClosestHit,
            K::AnyHit,
            K::Intersection,
            K::ClosestHit,
            K::Callable,
            K::RayGeneration,
        ],
        names: Vec::new(),
        groups: vec![
            Group::General(launched),
            Group::General(1),
            Group::Triangles { closest: Some(2), any: Some(3) },
            Group::Procedural { closest: Some(5), any: None, intersection: 4 },
            Group::General(6),
        ],
        table: Table {
            raygen: record(0, 0.0),
            miss: vec![record(1, 0.0)],
            hit: hit.collect(),
            callable: vec![record(4, 0.0)],
        },
        depth: 1,
    }
}

#[test]
fn stages_are_called_and_told_what_they_ask() {
    let (seen, counts) = launched(0, [1; 3]);
    // A wall, the box, nothing; what the callable made.
    assert_eq!(seen[..4], [6.0, 8.5, 100.0, 6.0]);
    // The wall at z = 1 stands at 6 and is seen from behind. Its record is the second.
    assert_eq!(seen[10..15], [0.1875, 0.375, 6.5, 0.5, 255.0]);
    assert_eq!(seen[15..20], [1.0, 77.0, -0.5, 1.0, 0.0]);
    // Both walls are asked about, by stages whose variables begin anew.
    assert_eq!(seen[20..22], [16.0, 1.0]);
    // Neither what is too far nor what is behind another counts; the stage's distance stays.
    assert_eq!(seen[22..26], [0.0, 1.0, 0.0, 100.0]);
    assert_eq!(seen[26..28], [8.0, 5.0]);
    let wanted = Counts {
        rays: 3,
        intersection: 1,
        any_hit: 2,
        closest_hit: 2,
        miss: 1,
        callable: 1,
        depth: 1,
        ..Counts::default()
    };
    assert_eq!(counts, wanted);
}

/// x counts fastest, also where more are launched than run together.
#[test]
fn launches_are_numbered() {
    let (seen, _) = launched(7, [2, 3, 30]);
    let ids = (0..30).flat_map(|z| (0..3).flat_map(move |y| (0..2).map(move |x| x + 100 * y + 1000 * z)));
    assert_eq!(seen[..180], ids.map(|id| id as f32).collect::<Vec<_>>());
    assert_eq!(seen[200..203], [2.0, 3.0, 30.0]);
}
