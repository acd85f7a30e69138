//! Every name that the tables of `src` have, used in every way that may be right, in every stage: what is said of the
//! wrong uses, and the words of the others, as numbers. `CHIARO_BLESS=1` rewrites `names.txt`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use chiaro_cases::{Cases, digest};
use chiaro_diag::SourceMap;
use chiaro_glsl::compile;
use chiaro_glsl::source::{Options, Stage};

const STAGES: [&str; 14] = [
    "vert", "tesc", "tese", "geom", "frag", "comp", "task", "mesh", "rgen", "rint", "rahit", "rchit",
    "rmiss", "rcall",
];

/// What functions are called with.
const ARGUMENTS: [&str; 16] = [
    "",
    "f",
    "v",
    "i",
    "m",
    "d",
    "f, f",
    "v, v",
    "u, u",
    "b, b",
    "v, v, v",
    "v, v, f",
    "s, p",
    "s, p, f",
    "s, p, p, p",
    "g, ip",
];
const VALUES: &str = "uniform sampler2D s;\nlayout(rgba32f) uniform image2D g;\n\
    float f; vec3 v; int i; uvec2 u; bvec3 b; mat3 m; double d; vec2 p; ivec2 ip;\n";

/// How often what is wrong is taken away.
const PHASES: usize = 4;
/// Sources are no longer than this many lines.
const LINES: usize = 800;

/// Words between quotation marks in the files below a place of `src` that begin in some way.
fn quoted(place: &str, begins: impl Fn(&str) -> bool + Copy) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(place)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            open.extend(entries.map(|entry| entry.expect("a file").path()));
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let is_name = |word: &&str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && begins(word)
        };
        found.extend(text.split('"').filter(is_name).map(str::to_owned));
    }
    found
}

/// Messages of a source, the lines that they are about, and a number of its words.
fn compiled(stage: &str, text: &str) -> (String, BTreeSet<u32>, String) {
    let mut sources = SourceMap::new();
    let file = sources.add("names", text);
    let options = Options::new(Stage::of_ending(stage).expect("a stage"));
    let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
    let lines = found.iter().filter_map(|d| d.span.map(|span| sources.position(file, span.start).line));
    let words = module.map_or_else(|| "none".to_owned(), |module| digest(&format!("{module:?}")));
    (format!("{found:?}"), lines.collect(), words)
}

/// What is said of some lines between a head and a foot, then of those of which nothing was said, and what becomes of
/// them.
fn tried(stage: &str, head: &str, lines: &[String], foot: &str) -> String {
    let first = head.lines().count() as u32 + 1;
    let (mut left, mut out) = (lines.to_vec(), String::new());
    // What one phase says hides what the next one would say.
    for _ in 0..PHASES {
        let text = format!("{head}{}\n{foot}", left.join("\n"));
        let (said, wrong, words) = compiled(stage, &text);
        out += &format!("{} {} {words}; ", digest(&said), left.len());
        let kept = (first..).zip(&left).filter(|(n, _)| !wrong.contains(n)).map(|(_, line)| line.clone());
        left = kept.collect();
        if wrong.is_empty() {
            break;
        }
    }
    out.trim_end_matches("; ").to_owned()
}

/// The newest version with every extension that it knows.
static HEAD: LazyLock<String> = LazyLock::new(|| {
    let all = quoted("extension.rs", |word| word.starts_with("GL_"));
    let more = quoted("extension", |word| word.starts_with("GL_"));
    // Those of groups are wrong wherever there are no groups.
    let names = all.union(&more).filter(|name| !name.ends_with("compute_shader_derivatives"));
    let lines: Vec<String> = names.map(|name| format!("#extension {name} : enable\n")).collect();
    let text = format!("#version 460\n{}void main() {{}}\n", lines.concat());
    let wrong: BTreeSet<u32> = STAGES.iter().flat_map(|stage| compiled(stage, &text).1).collect();
    let good = (2..).zip(&lines).filter(|(n, _)| !wrong.contains(n)).map(|(_, line)| line.as_str());
    "#version 460\n".to_owned() + &good.collect::<String>()
});

fn written(name: &str, text: &str) {
    assert!(text.lines().any(|line| !line.ends_with("none")), "{name}: nothing becomes words");
    let mut cases = Cases::new();
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/names").join(name);
    cases.file(&path, Some(text));
    cases.finish();
}

#[test]
fn variables_are_used_as_written_down() {
    let names = quoted("builtin", |word| word.starts_with("gl_"));
    let read = |(n, name): (usize, &String)| format!("{{ bool b{n} = {name} == {name}; }}");
    let written_to = |name: &String| format!("{{ {name} = {name}; }}");
    let lines: Vec<String> = names.iter().enumerate().map(read).chain(names.iter().map(written_to)).collect();
    let mut out = String::new();
    for stage in STAGES {
        let _ =
            writeln!(out, "{stage}: {}", tried(stage, &(HEAD.clone() + "void main() {\n"), &lines, "}\n"));
    }
    for (stage, version) in
        [("vert", "100"), ("frag", "100"), ("frag", "110"), ("vert", "130"), ("frag", "310 es")]
    {
        let head = format!("#version {version}\nvoid main() {{\n");
        let _ = writeln!(out, "{stage} {version}: {}", tried(stage, &head, &lines, "}\n"));
    }
    written("variables.txt", &out);
}

#[test]
fn variables_are_declared_again_as_written_down() {
    let mut out = String::new();
    for name in quoted("builtin", |word| word.starts_with("gl_") && !word.starts_with("gl_Max")) {
        let kinds = ["in", "out", "invariant", "centroid in"];
        let types = ["float", "vec4", "int", "uvec4"];
        let mut lines =
            vec![format!("invariant {name};"), format!("precise {name};"), format!("flat in vec4 {name};")];
        for kind in &kinds[..2] {
            for ty in types {
                lines
                    .extend(["", "[1]", "[8]", "[9]", "[]"].map(|size| format!("{kind} {ty} {name}{size};")));
            }
        }
        let both = ["vert", "frag"].map(|stage| {
            tried(
                stage,
                "#version 450\n#extension GL_NV_viewport_array2 : enable\n",
                &lines,
                "void main() {}\n",
            )
        });
        let _ = writeln!(out, "{name}: {}", both.join(", "));
    }
    written("declared.txt", &out);
}

#[test]
fn functions_are_called_as_written_down() {
    let names = quoted("builtin/functions", |word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    let call = |name: &String| ARGUMENTS.map(|arguments| format!("{{ {name}({arguments}); }}"));
    let lines: Vec<String> = names.iter().flat_map(call).collect();
    let mut out = String::new();
    for stage in ["frag", "comp", "rgen"] {
        for (n, lines) in lines.chunks(LINES).enumerate() {
            let head = HEAD.clone() + VALUES + "void main() {\n";
            let _ = writeln!(out, "{stage} {n}: {}", tried(stage, &head, lines, "}\n"));
        }
    }
    written("functions.txt", &out);
}

#[test]
fn layouts_are_used_as_written_down() {
    let is_word = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase());
    let mut out = String::new();
    for name in quoted("check/layout", is_word) {
        let mut lines = Vec::new();
        for value in [String::new(), " = 1".to_owned(), " = 3".to_owned()] {
            let layout = format!("layout({name}{value})");
            lines.extend(["in;", "out;", "uniform;", "buffer;"].map(|what| format!("{layout} {what}")));
            let n = lines.len();
            lines.extend(
                ["in vec4", "out vec4", "uniform vec4", "uniform sampler2D", "uniform image2D", "out int"]
                    .iter()
                    .enumerate()
                    .map(|(k, what)| format!("{layout} {what} x{n}_{k};")),
            );
            lines.push(format!("{layout} uniform B{n} {{ vec4 a{n}; }};"));
            lines.push(format!("{layout} buffer C{n} {{ layout({name}{value}) mat3 c{n}; }};"));
        }
        let all =
            ["vert", "geom", "frag", "comp"].map(|stage| tried(stage, &HEAD, &lines, "void main() {}\n"));
        let _ = writeln!(out, "{name}: {}", all.join(", "));
    }
    written("layouts.txt", &out);
}

#[test]
fn extensions_are_asked_for_as_written_down() {
    let all = quoted("extension", |word| word.starts_with("GL_"));
    let more = quoted("extension.rs", |word| word.starts_with("GL_"));
    let mut out = String::new();
    for name in all.union(&more) {
        let of = |(version, stage): (&str, &str)| {
            let lines =
                ["require", "enable", "warn", "disable"].map(|how| format!("#extension {name} : {how}"));
            tried(stage, &format!("#version {version}\n"), &lines, "void main() {}\n")
        };
        let cells = [("100", "frag"), ("110", "vert"), ("310 es", "comp"), ("460", "frag")].map(of);
        let _ = writeln!(out, "{name}: {}", cells.map(|cell| digest(&cell)).join(" "));
    }
    written("extensions.txt", &out);
}
