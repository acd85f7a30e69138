//! The shaders of the vectors: compiled, checked, run against their source, counted against Mesa.
//! What they compute is compared with a CPU renderer's results by `chiaro-filetest`.

use std::path::{Path, PathBuf};

use chiaro_ir::{Interface, Module};
use chiaro_opt::Cx;
use chiaro_utgard::compile::{Compiled, Options, compile};
use chiaro_utgard::verify::{Compared, Failure, verify};

use crate::common::rows_of;
use crate::common::source::read;

fn load(path: &Path) -> Result<Module, String> {
    read(path.display().to_string(), std::fs::read_to_string(path).expect("file"))
}

fn build(source: &Module, options: &Options) -> Result<Compiled, String> {
    build_and_compare(source, options, 8).map(|(made, _)| made)
}

fn build_and_compare(
    source: &Module,
    options: &Options,
    vertices: usize,
) -> Result<(Compiled, Compared), String> {
    let entry = source.entries[0].name.clone();
    let made = compile(&mut source.clone(), &Interface::default(), &entry, options, &mut Cx::default())
        .map_err(|e| e.message)?;
    match verify(source, &entry, &made, options, vertices, 1) {
        Ok(compared) => Ok((made, compared)),
        // Numbers made at random are beyond what some of the shaders are for: nothing is wrong.
        Err(Failure::Untested { conclusive, inconclusive, .. }) => {
            Ok((made, Compared { conclusive, inconclusive, ..Compared::default() }))
        }
        Err(failure) => Err(failure.to_string()),
    }
}

/// The larger set, or the sample of this crate.
fn folder() -> PathBuf {
    match std::env::var_os("CHIARO_VECTORS") {
        Some(dir) => Path::new(&dir).join("utgard-gp"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/compile"),
    }
}

#[test]
fn against_mesa() {
    let dir = folder();
    let effort = std::env::var("EFFORT").ok().and_then(|e| e.parse().ok()).unwrap_or(1);
    let options = Options { effort, ..Options::default() };
    let (mut ours, mut theirs, mut bad) = (0, 0, Vec::new());
    for row in rows_of(&dir.join("compile.jsonl")) {
        let name = row["name"].as_str().expect("name");
        let mesa = row["instructions"].as_u64().unwrap_or(0) as usize;
        let source = load(&dir.join("shaders").join(format!("{name}.vert")));
        let made = match source.and_then(|source| build(&source, &options)) {
            Ok(made) => made,
            Err(why) => {
                bad.push(format!("{name}: {why}"));
                continue;
            }
        };
        if mesa > 0 {
            (ours, theirs) = (ours + made.words.len(), theirs + mesa);
        }
        println!("{name}: {} of {mesa}, spills {}, blocks {:?}", made.words.len(), made.spills, made.blocks);
    }
    println!("ours {ours}, Mesa {theirs}");
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    // A guard against losing ground, not the aim.
    assert!(ours * 100 <= theirs * 82, "{ours} instructions, Mesa {theirs}");
}

/// Shaders of GLSL ES as people write them, one idea each.
#[test]
fn shaders_of_many_styles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/es");
    let entries = std::fs::read_dir(folder).expect("folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("file").path()).collect();
    files.sort();
    let mut bad = Vec::new();
    for path in &files {
        for effort in [0, 1] {
            let options = Options { effort, ..Options::default() };
            match load(path).and_then(|source| build_and_compare(&source, &options, 24)) {
                Ok((made, compared)) => {
                    println!("{}: {} instructions, {compared:?}", path.display(), made.words.len());
                    if compared.conclusive < 12 {
                        bad.push(format!("{}: {compared:?} proves little", path.display()));
                    }
                }
                Err(why) => bad.push(format!("{}, effort {effort}: {why}", path.display())),
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

fn build_text(text: &str) -> Result<Compiled, String> {
    build(&read("text.vert".into(), text.into())?, &Options::default())
}

#[test]
fn bits_of_floats_are_refused() {
    let new = |body: &str| format!("#version 300 es\nin vec4 a; uniform vec4 u; void main() {{ {body} }}");
    for body in ["gl_Position = a + float(floatBitsToInt(u.x));", "gl_Position = intBitsToFloat(ivec4(a));"] {
        let found = build_text(&new(body)).expect_err(body);
        assert!(found.contains("bits"), "{found}");
    }
    build_text(&new("gl_Position = a * float(int(uint(u.x)));")).expect("either sign is the same type");
}

#[test]
fn functions_of_constants_are_known() {
    use chiaro_utgard::compile::graph::{Graph, Op, Operand};
    let mut graph = Graph::default();
    for (op, x, expected) in
        [(Op::Rcp, -4.0, -0.25), (Op::Rsqrt, 0.25, 2.0), (Op::Exp2, -3.0, 0.125), (Op::Log2, 8.0, 3.0)]
    {
        let x: Operand = graph.number(x);
        let made = graph.function(op, x);
        assert_eq!(graph.constant(made), Some(expected), "{op:?}");
    }
}

/// A constant of either sign is one load, and nothing is multiplied with 0 unless the source wants it.
#[test]
fn constants_are_few() {
    use chiaro_utgard::compile::graph::{Graph, Op, Source};
    let mut graph = Graph::default();
    let x = graph.load(Source::Attribute(0, 0));
    let (two, minus) = (graph.number(2.0), graph.number(-2.0));
    assert_eq!((two.node, two.neg, minus.neg), (minus.node, false, true));
    let product = graph.mul(x, minus);
    assert_eq!((graph.get(product.node).op, product.neg), (Op::Mul(false), true));
    let stored = graph.plain(minus);
    assert_eq!(graph.get(stored.node).op, Op::Load(Source::Constant((-2.0_f32).to_bits())));
    let zero = graph.number(0.0);
    let nothing = graph.mul(x, zero);
    assert_eq!(graph.constant(nothing), Some(0.0));
    graph.set_exact(true);
    let exact = graph.mul(x, zero);
    assert_eq!(graph.get(exact.node).op, Op::Mul(false));
}

/// What a comparison gives by itself takes no select, and with it both multipliers.
#[test]
fn comparisons_are_no_selects() {
    use chiaro_utgard::compile::graph::{Graph, Op, Source};
    let mut graph = Graph::default();
    let [x, y] = [0, 1].map(|c| graph.load(Source::Attribute(0, c)));
    let [zero, half, one] = [0.0, 0.5, 1.0].map(|number| graph.number(number));
    let less = graph.make(Op::Lt, &[x, y]);
    assert_eq!(graph.select(less, one, zero), less);
    for (yes, no, op) in [
        (zero, one, Op::Ge),
        (half, zero, Op::Mul(false)),
        (zero, half, Op::Mul(false)),
        // Where x is infinite, a product with 0 is no number.
        (x, zero, Op::Select),
        (half, one, Op::Select),
    ] {
        let made = graph.select(less, yes, no);
        assert_eq!(graph.get(made.node).op, op);
    }
    let made = graph.select(x, one, zero);
    assert_eq!(graph.get(made.node).op, Op::Select, "x is no bool");
}

/// A sum and its opposite are one node where a product takes either, and two where nothing does.
#[test]
fn opposites_are_one() {
    use chiaro_utgard::compile::combine::signs::signs;
    use chiaro_utgard::compile::graph::{Graph, Op, Place, Source};
    for (is_free, sums) in [(true, 1), (false, 2)] {
        let mut graph = Graph::default();
        let [x, y] = [0, 1].map(|c| graph.load(Source::Attribute(0, c)));
        let sum = graph.add(x, y);
        let opposite = graph.plain(sum.negated());
        let other = if is_free { graph.mul(sum, x) } else { sum };
        graph.make(Op::Store(Place::Output(1, 0)), &[opposite]);
        graph.make(Op::Store(Place::Output(1, 1)), &[other]);
        let made = signs(&graph);
        assert_eq!(made.is_some(), is_free);
        let nodes = made.unwrap_or(graph).nodes().iter().filter(|data| data.op == Op::Add).count();
        assert_eq!(nodes, sums);
    }
}

/// Eight floats are two vec4, which two instructions load.
#[test]
fn scalar_uniforms_share_a_vec4() {
    let text = "attribute vec4 a; uniform float f0, f1, f2, f3, f4, f5, f6, f7; varying vec4 v;
        void main() { v = vec4(a.x * f0 + f1, a.y * f2 + f3, a.z * f4 + f5, a.w * f6 + f7); gl_Position = a; }";
    let made = build_text(text).expect("it fits");
    assert_eq!(made.abi.uniform_vec4, 2);
    assert!(made.words.len() <= 8, "{} instructions", made.words.len());
    let mixed =
        "uniform vec3 a; uniform vec2 b; uniform float c; uniform mat2 d; uniform float e; uniform vec2 f;
        void main() { gl_Position = vec4(a * c, e) + vec4(b, f) + vec4(d[0], d[1]); }";
    let made = build_text(mixed).expect("it fits");
    let places: Vec<_> = made.abi.uniforms.iter().map(|u| (u.name.as_str(), u.index, u.component)).collect();
    assert_eq!(places, [("a", 0, 0), ("b", 1, 0), ("c", 0, 3), ("d", 2, 0), ("e", 1, 2), ("f", 4, 0)]);
}

/// A loop with `break` is written out only where that is not much longer.
#[test]
fn loops_that_may_end_early_stay_loops() {
    let text = "attribute vec4 a; uniform float n; varying vec4 v; void main() { float s = 0.0;
        for (int i = 0; i < 16; i++) { if (float(i) >= n) break; s += sin(a.x * float(i)) * a.y; }
        v = vec4(s); gl_Position = a; }";
    let made = build_text(text).expect("it fits");
    assert!(made.words.len() < 64, "{} instructions", made.words.len());
}

/// An output that is written twice in a block, code that nothing reaches, and an empty end.
#[test]
fn stores_and_ends() {
    for body in [
        "v = a; for (int i = 0; i < 4; i++) { if (u.x < 9.0) v = -a; } v = u; gl_Position = a;",
        "for (int i = 0; i < 5; i++) { v = -a; if (true) { gl_Position = a; return; } v = a * float(i); }",
        "v = a; for (int i = 0; i < 5; i++) { if (u.x < 0.0) return; }",
        "for (int i = 0; i < 9; i++) { if (u.y < a[0]) return; if (u.z < float(i)) { v = u; return; } }",
    ] {
        let text = format!("attribute vec4 a; uniform vec4 u; varying vec4 v; void main() {{ {body} }}");
        assert!(build_text(&text).is_ok_and(|made| !made.words.is_empty()), "{body}");
    }
}
