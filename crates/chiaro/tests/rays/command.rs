//! `chiaro trace`: pictures of the examples and of pipelines that others wrote, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use chiaro_cases::{Cases, digest};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder for the files of a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rays").join(name);
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn trace(scene: &Path, picture: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
    command.args(["trace", "--color", "never"]).arg(scene).arg("-o").arg(picture).args(more);
    command.output().expect("the command starts")
}

/// What a scene comes to: figures, and a number for the picture.
fn summary(scene: &Path, name: &str, more: &[&str]) -> String {
    let picture = folder("pictures").join(format!("{name}.png"));
    let out = trace(scene, &picture, more);
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{name}: {said}");
    let bytes = fs::read(&picture).expect("there is a picture");
    let (size, texels) = pixels(&bytes);
    let colours: std::collections::BTreeSet<&[u8]> = texels.chunks_exact(4).collect();
    let figures = String::from_utf8_lossy(&out.stdout);
    let text: String = texels.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{name}\n{figures}picture  {size:?}, {} colours, {}\n{said}", colours.len(), digest(&text))
}

fn pixels(bytes: &[u8]) -> ([u32; 2], Vec<u8>) {
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().expect("it is a PNG");
    let mut data = vec![0; reader.output_buffer_size().expect("it is small")];
    let info = reader.next_frame(&mut data).expect("it has a frame");
    ([info.width, info.height], data)
}

#[test]
fn examples_are_traced() {
    let examples = root().join("examples/rdna/rt");
    let mut names: Vec<String> = fs::read_dir(&examples)
        .expect("there are examples")
        .map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned())
        .filter(|name| examples.join(name).join("scene.json").exists())
        .collect();
    names.sort();
    let all: Vec<String> =
        names.iter().map(|name| summary(&examples.join(name).join("scene.json"), name, &[])).collect();
    let mut cases = Cases::new();
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rays/examples.txt");
    cases.file(&expected, Some(&all.join("\n")));
    cases.finish();
}

/// Pipelines of public collections, with scenes of our own. They stand beside the vectors.
#[test]
fn pipelines_of_others_are_traced() {
    let Some(vectors) = std::env::var_os("CHIARO_VECTORS") else {
        println!("skipped: CHIARO_VECTORS names no folder");
        return;
    };
    let stages = Path::new(&vectors).join("../raytracing");
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rays/others");
    let mut all = Vec::new();
    for name in OTHERS {
        let written = folder(name);
        let text = |file: &str| fs::read_to_string(scenes.join(file)).expect("there is a file of that name");
        fs::write(written.join("scene.json"), text(&format!("{name}.json"))).expect("it can be written");
        let pipeline = |file: &str, place: &Path| {
            let text = text(&format!("{name}.pipe.json")).replace("STAGES", &place.to_string_lossy());
            fs::write(written.join(file), text).expect("it can be written");
            written.join(file).to_string_lossy().into_owned()
        };
        let scene = written.join("scene.json");
        let own = pipeline("pipe.json", &stages.join(name));
        all.push(summary(&scene, name, &["--pipeline", &own]));
        let compared = match name {
            "raytracinggltf" => pipeline("ordered.json", &without_order(&stages.join(name), &written)),
            _ => own,
        };
        // Of 2,304 pixels a few may hang on rounding.
        for form in &FORMS {
            let more = [&["--pipeline", &compared, "--target", "rdna"], &form[..]].concat();
            let count = differing(&scene, name, &more);
            assert!(count <= 11, "{name}, {form:?}: {count}");
        }
    }
    let mut cases = Cases::new();
    cases.file(&scenes.join("figures.txt"), Some(&all.join("\n")));
    cases.finish();
}

/// The pipeline of another's stages, in a folder of its own.
pub(crate) fn other(name: &str, stages: &Path) -> PathBuf {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rays/others");
    let text = fs::read_to_string(scenes.join(format!("{name}.pipe.json"))).expect("there is such a file");
    let written = folder("others").join(format!("{name}.json"));
    fs::write(&written, text.replace("STAGES", &stages.to_string_lossy())).expect("it can be written");
    written
}

/// A copy of stages whose any-hit stage draws random numbers, one behind the other in the order in which it is asked, which
/// the API leaves open: a number stands for them.
fn without_order(stages: &Path, written: &Path) -> PathBuf {
    let copy = written.join("stages");
    fs::create_dir_all(&copy).expect("the folder can be made");
    for entry in fs::read_dir(stages).expect("it is a folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("it is a text");
        let text = text.replace("rnd(payloadIn.seed) > color.a", "0.5 > color.a");
        fs::write(copy.join(entry.file_name()), text).expect("it can be written");
    }
    copy
}

/// What becomes of stages, and the size of waves.
const FORMS: [[&str; 4]; 4] = [
    ["--stages", "inlined", "-m", "wave=32"],
    ["--stages", "inlined", "-m", "wave=64"],
    ["--stages", "called", "-m", "wave=32"],
    ["--stages", "called", "-m", "wave=64"],
];

pub(crate) const OTHERS: [&str; 10] = [
    "khr_ray_tracing_basic",
    "khr_ray_tracing_extended",
    "khr_ray_tracing_position_fetch",
    "raytracingbasic",
    "raytracingcallable",
    "raytracinggltf",
    "raytracingintersection",
    "raytracingpositionfetch",
    "raytracingreflections",
    "raytracingshadows",
];

/// An example with something replaced in its scene or pipeline: what is said, and the exit code.
fn refused(name: &str, case: usize, file: &str, from: &str, to: &str) -> String {
    let example = root().join("examples/rdna/rt");
    let written = folder(&format!("refused-{case}"));
    let inside = written.join(name);
    fs::create_dir_all(&inside).expect("the folder can be made");
    for place in [String::new(), format!("{name}/")] {
        for entry in fs::read_dir(example.join(&place)).expect("it is a folder").flatten() {
            if entry.path().is_file() {
                fs::copy(entry.path(), written.join(&place).join(entry.file_name())).expect("it is copied");
            }
        }
    }
    let text = fs::read_to_string(inside.join(file)).expect("the example has it");
    assert!(text.contains(from), "{file} of {name} has no `{from}`");
    fs::write(inside.join(file), text.replace(from, to)).expect("it can be written");
    let out = trace(&inside.join("scene.json"), &written.join("out.png"), &[]);
    let said = String::from_utf8_lossy(&out.stderr).replace(&*written.to_string_lossy(), "");
    format!("{}: {said}", out.status.code().unwrap_or(-1))
}

/// How many pixels differ on a target's simulator.
fn differing(scene: &Path, name: &str, more: &[&str]) -> usize {
    let picture = folder("words").join(format!("{name}.png"));
    let out = trace(scene, &picture, &[&["--compare"], more].concat());
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let line = said.lines().find(|line| line.ends_with("half a step of 8 bits")).expect("the line is there");
    line.split(' ').next().and_then(|count| count.parse().ok()).expect("it begins with a number")
}

/// Two places that trace double the copies of stages with every ray within a ray: that has an end, unless they are called.
#[test]
fn stages_that_double_are_called_and_refused_as_copies() {
    let written = folder("double");
    let _ = fs::remove_file(written.join("pipe.elf"));
    let stage = "#version 460
        #extension GL_EXT_ray_tracing : require
        layout(set = 0, binding = 0) uniform accelerationStructureEXT world;
        layout(location = 0) rayPayloadEXT vec3 next;
        layout(location = 1) rayPayloadInEXT vec3 seen;
        void main() {
            for (int i = 0; i < 1; ++i) seen = vec3(0.0);
            traceRayEXT(world, 0u, 0xff, 0, 0, 0, seen, 0.0, vec3(1.0), 9.0, 0);
            traceRayEXT(world, 0u, 0xff, 0, 0, 0, next, 0.0, vec3(1.0), 9.0, 0);
        }";
    let miss = "#version 460
        #extension GL_EXT_ray_tracing : require
        layout(location = 0) rayPayloadInEXT vec3 seen;
        void main() { seen = vec3(1.0); }";
    let pipeline = r#"{ "stages": { "camera": "camera.rgen", "hit": "hit.rchit", "sky": "sky.rmiss" },
        "groups": { "wall": { "closest_hit": "hit" } }, "depth": 31 }"#;
    let camera = stage.replace("layout(location = 1) rayPayloadInEXT vec3 seen;", "vec3 seen;");
    for (file, text) in
        [("hit.rchit", stage), ("camera.rgen", &camera), ("sky.rmiss", miss), ("pipe.json", pipeline)]
    {
        fs::write(written.join(file), text).expect("it can be written");
    }
    let compiled = |form: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
        command.args(["pipeline", "--color", "never"]).args(form).arg(written.join("pipe.json"));
        command.arg("-o").arg(written.join("pipe.elf")).output().expect("the command starts")
    };
    let out = compiled(&["--stages", "inlined"]);
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("more than 1024 copies") && said.contains("`--stages called`"), "{said}");
    assert!(!written.join("pipe.elf").exists());
    let out = compiled(&[]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(written.join("pipe.elf").exists());
}

/// All stages as one kernel, in words of the machine, and a tree in place of trying everything: called and written out.
#[test]
fn simulators_paint_what_the_interpreter_does() {
    let examples = root().join("examples/rdna/rt");
    for entry in fs::read_dir(&examples).expect("there are examples").flatten() {
        let (name, scene) =
            (entry.file_name().to_string_lossy().into_owned(), entry.path().join("scene.json"));
        // Six callables one within the other are more than are written out.
        let is_made = |form: &&[&str; 4]| scene.exists() && (name != "nested" || form[1] == "called");
        for form in FORMS.iter().filter(is_made) {
            let more = [&["--target", "rdna"], &form[..]].concat();
            assert_eq!(differing(&scene, &name, &more), 0, "{name}, {form:?}");
        }
    }
    let scene = examples.join("nested/scene.json");
    let picture = folder("pictures").join("missing.png");
    let said = |form: &str| {
        let out = trace(&scene, &picture, &["--target", "rdna", "--stages", form]);
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    let inlined = said("inlined");
    assert!(inlined.contains("stages may be missing") && inlined.contains("`--stages called`"), "{inlined}");
    assert_eq!(said("called"), "");
}

#[test]
fn a_pipeline_that_was_compiled_runs_from_its_file() {
    let example = root().join("examples/rdna/rt/mirrors");
    let program = folder("compiled").join("pipe.elf");
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
    let out = command.arg("pipeline").arg(example.join("pipe.json")).arg("-o").arg(&program).output();
    let out = out.expect("the command starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let program = program.to_string_lossy();
    assert_eq!(differing(&example.join("scene.json"), "compiled", &["--pipeline", &program]), 0);
}

/// A kernel that is no pipeline, and functions that stages call, which are no functions of a pipeline.
#[test]
fn what_is_no_pipeline_is_refused() {
    let scene = root().join("examples/rdna/rt/mirrors/scene.json");
    let (kernel, picture) = (folder("other").join("noise.elf"), folder("other").join("out.png"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
    command.args(["compile", "--target", "rdna"]).arg(root().join("examples/rdna/calls/noise.comp"));
    assert!(command.arg("-o").arg(&kernel).status().expect("the command starts").success());
    let said = |more: &[&str]| {
        let out = trace(&scene, &picture, more);
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, why) = said(&["--pipeline", &kernel.to_string_lossy()]);
    assert!(code == Some(1) && why.contains("is not made of a pipeline") && why.contains("help"), "{why}");
    let (code, why) = said(&["--target", "rdna", "-m", "callable=note"]);
    assert!(code == Some(2) && why.contains("the functions of a pipeline are its stages"), "{why}");
}

/// An example, a file of it, what is replaced in it by what, and what is said then.
const REFUSED: [[&str; 5]; 21] = [
    [
        "shadows",
        "pipe.json",
        "\"closest_hit\": \"hit\"",
        "\"closest_hit\": \"sky\"",
        "group 0: wants one of the kind closest-hit",
    ],
    ["shadows", "pipe.json", "\"closest_hit\": \"hit\"", "", "`groups.solid` names no stage"],
    [
        "shadows",
        "pipe.json",
        "[\"sky\", \"shadow\"]",
        "[\"sky\"]",
        "wants record 1 of the miss table, which has 1",
    ],
    [
        "shadows",
        "pipe.json",
        "\"depth\": 2",
        "\"depth\": 1",
        "a ray is traced 2 deep, and the pipeline allows 1",
    ],
    ["shadows", "pipe.json", "hit.rchit", "gone.rchit", "gone.rchit"],
    ["shadows", "pipe.json", "[\"solid\"]", "[\"liquid\"]", "`table.hit[0]` names the group `liquid`"],
    [
        "shadows",
        "shadow.rmiss",
        "bool lit;\n\nvoid main()\n{\n    lit = true;",
        "vec4 lit;\n\nvoid main()\n{\n    lit = vec4(1.0);",
        "takes 16 bytes of payload, and every stage hands over others",
    ],
    ["shadows", "scene.json", "\"mesh\": \"floor\"", "\"mesh\": \"roof\"", "`instances[0]` shows `roof`"],
    [
        "shadows",
        "scene.json",
        "[4, 0, -4]",
        "[4, \"nan\", -4]",
        "mesh `floor`, geometry 0, primitive 0: has a coordinate that is no number",
    ],
    [
        "shadows",
        "scene.json",
        "\"scale\": 0.7",
        "\"scale\": 0",
        "structure 0, instance 1: has a transform that makes it flat",
    ],
    [
        "shadows",
        "scene.json",
        "[0, 2, 1, 0, 3, 2]",
        "[0, 2, 9, 0, 3, 2]",
        "`meshes.floor.indices` has 9, and there are 4 vertices",
    ],
    ["shadows", "scene.json", "\"light\"", "\"lamp\"", "no stage has a buffer or uniform `lamp`"],
    ["shadows", "scene.json", "\"size\": [96, 64]", "\"size\": [96]", "`size` must be two or three numbers"],
    [
        "records",
        "pipe.json",
        "\"hit\": 64",
        "\"hit\": 48",
        "`strides.hit` is 48, which is no multiple of 32; take 64",
    ],
    [
        "records",
        "pipe.json",
        "\"hit\": 64",
        "\"hit\": 32",
        "`strides.hit` is 32, and a record takes 48; take 64",
    ],
    ["records", "pipe.json", "\"stripes\": 9", "\"spots\": 9", "has no member `spots`"],
    [
        "records",
        "scene.json",
        "\"offset\": 3",
        "\"offset\": 4",
        "record 4 of the hit table is wanted, and there are 4",
    ],
    [
        "instances",
        "scene.json",
        "{ \"mesh\": \"pyramid\", \"custom\": 0, \"mask\": 1,",
        "{ \"assembly\": \"pair\",",
        "the assembly `pair` holds itself: pair > pair",
    ],
    [
        "spheres",
        "pipe.json",
        ", \"intersection\": \"sphere\"",
        "",
        "a ray meets a box, and record 0 of the hit table is of a group for triangles",
    ],
    ["library", "pipe.json", "\"materials.json\"", "\"pipe.json\"", "is a library of itself"],
    ["library", "materials.json", "\"metal\"", "\"wood2\"", "names the group `metal`"],
];

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (n, [name, file, from, to, expected]) in REFUSED.into_iter().enumerate() {
        let said = refused(name, n, file, from, to);
        assert!(said.starts_with("1: "), "case {n}: {said}");
        assert!(said.contains(expected), "case {n}: {said}");
    }
}

/// The interpreter and the words of the machine say the same of a ray that is too deep.
#[test]
fn rays_that_are_too_deep_are_told_alike() {
    let written = folder("deep");
    let example = root().join("examples/rdna/rt/mirrors");
    for entry in fs::read_dir(example.join("..")).expect("it is a folder").flatten() {
        if entry.path().is_file() {
            fs::copy(entry.path(), written.join("..").join(entry.file_name())).expect("it is copied");
        }
    }
    for entry in fs::read_dir(&example).expect("it is a folder").flatten() {
        fs::copy(entry.path(), written.join(entry.file_name())).expect("it is copied");
    }
    let text = fs::read_to_string(written.join("pipe.json")).expect("it is a text");
    assert!(text.contains("\"depth\": 8"), "{text}");
    fs::write(written.join("pipe.json"), text.replace("\"depth\": 8", "\"depth\": 3"))
        .expect("it is written");
    let said = |more: &[&str]| {
        let out = trace(&written.join("scene.json"), &written.join("out.png"), more);
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, plain) = said(&[]);
    let message = "a ray is traced 4 deep, and the pipeline allows 3; raise its `depth`, or trace less";
    assert!(code == Some(1) && plain.contains(message) && plain.contains("camera > "), "{plain}");
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    for wave in ["wave=32", "wave=64"] {
        let called = said(&["--target", "rdna", "--stages", "called", "-m", wave]);
        assert_eq!((called.0, first(&called.1)), (Some(1), first(&plain)));
        let (code, inlined) = said(&["--target", "rdna", "--stages", "inlined", "-m", wave]);
        assert!(code == Some(1) && inlined.contains(message) && inlined.contains("launch "), "{inlined}");
        // Less room than the pipeline allows is what is told, with the chain that fills it.
        let (code, small) =
            said(&["--target", "rdna", "--stages", "called", "-m", wave, "-m", "recursion=2"]);
        let message =
            "a ray is traced 3 deep, and there is room for 2; make more by `-m recursion=N`, or trace less";
        let chain = "camera > mirror > mirror)";
        assert!(code == Some(1) && small.contains(message) && first(&small).ends_with(chain), "{small}");
    }
}

#[test]
fn what_is_odd_is_told_and_traced() {
    let said = refused("shadows", 100, "scene.json", "[0, 2, 1, 0, 3, 2]", "[0, 2, 1, 0, 3, 3]");
    assert!(
        said.starts_with("0: ") && said.contains("primitive 1: has no area, so it is never met"),
        "{said}"
    );
    let said = refused("shadows", 102, "scene.json", "[0, 2, 1, 0, 3, 2]", "[0, 2, 2, 0, 3, 3, 0, 2, 1]");
    assert!(said.contains("primitive 0: has no area, so it is never met (the first of 2)"), "{said}");
    assert_eq!(said.matches("has no area").count(), 1, "{said}");
    let said = refused("shadows", 101, "scene.json", "\"indices\": [0, 2, 1, 0, 3, 2]", "\"indices\": []");
    assert!(said.starts_with("0: ") && said.contains("mesh `floor`: is empty"), "{said}");
}
