//! Linked programs against the same state compiled in one piece: from the same inputs both leave the same words,
//! colours, samples and depths on the simulator.

use chiaro_agx::Agx;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_opt::Cx;
use chiaro_target::{
    Attributes, CompileOptions, Inputs, KeyText, Piece, Shader, SimulateOptions, Simulated, Target, Value,
    Work,
};
use serde_json::{Value as Json, json};

fn compiled(stage: Stage, body: &str, settings: &[(&str, &str)]) -> Result<Vec<u8>, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version 450\n{body}"));
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &Options::new(stage), &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    let read = chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V");
    let shader = Shader { module: &read.module, interface: &read.interface };
    let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let options = CompileOptions { settings, ..CompileOptions::default() };
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = Agx.compile(&[shader], &options, &sources, &mut cx);
    made.map(|made| made.container).map_err(|errors| errors[0].message.clone())
}

/// The linked program, and the one in one piece.
fn both(stage: Stage, body: &str, keys: &Json, settings: &[(&str, &str)]) -> [Vec<u8>; 2] {
    let main = compiled(stage, body, &[]).expect("the main part");
    let text = keys.to_string();
    let mut sources = SourceMap::new();
    let file = sources.add("keys", text.clone());
    let mut pieces = vec![Piece { role: None, name: "main".to_owned(), bytes: main }];
    let parts = Agx.parts(&pieces, KeyText { file, text: &text }, &[]);
    pieces.extend(parts.unwrap_or_else(|errors| panic!("{keys}: {}", errors[0].message)));
    let own: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let linked = Agx.link(&pieces, &own).unwrap_or_else(|errors| panic!("{keys}: {}", errors[0].message));
    let whole = compiled(stage, body, &[("parts", "off"), ("keys", &text)]);
    [linked.bytes, whole.unwrap_or_else(|why| panic!("{keys}: {why}"))]
}

fn run(container: &[u8], work: &Work, resources: &[(String, Value)]) -> Simulated {
    let inputs = Inputs { resources: resources.to_vec(), work: work.clone() };
    let options = SimulateOptions { shared: true, ..SimulateOptions::default() };
    let made =
        Agx.simulate(container, &inputs, &options).unwrap_or_else(|errors| panic!("{}", errors[0].message));
    if let Some(fault) = made.faults.first() {
        let listing =
            Agx.disassemble(container, &Default::default()).map(|made| made.text).unwrap_or_default();
        panic!("line {}: {}\n{listing}", fault.at, fault.cause);
    }
    made
}

/// Numbers from a seed, those of colours.
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    fn row(&mut self, count: usize) -> Value {
        Value::List((0..count).map(|_| Value::Number(self.number().into())).collect())
    }
}

fn fragments(samples: usize) -> Work {
    const COUNT: usize = 64;
    let mut draw = Draw(samples as u64);
    let mut column = |name: &str, of: &mut dyn FnMut(usize, &mut Draw) -> Value| {
        let values: Vec<Value> = (0..COUNT).map(|n| of(n, &mut draw)).collect();
        (name.to_owned(), values.into())
    };
    let place = |n: usize, depth: f32| {
        let (quad, corner) = (n / 4, n % 4);
        let [x, y] = [2 * quad + corner % 2, corner / 2].map(|n| n as f32 + 0.5);
        [x, y, depth, 1.0].into()
    };
    let mask = |n: usize| if n % 7 == 6 { 0 } else { (n as u64 * 5 + 1) | 1 };
    let columns = vec![
        column("covered", &mut |n, _| Value::Bits(mask(n) & ((1 << samples) - 1))),
        column("helper", &mut |n, _| Value::Bool(n % 7 == 6)),
        column("below", &mut |_, draw| draw.row(4 * samples)),
        column("gl_FragCoord", &mut |n, draw| place(n, draw.number())),
        column("varying0", &mut |_, draw| draw.row(4)),
        column("varying1", &mut |_, draw| draw.row(2)),
    ];
    Work::Fragments(Attributes { count: COUNT, columns })
}

/// A target of a format, with a function of blending for all components.
fn target(format: &str, mask: u8, blend: &str) -> Json {
    json!({ "i": 0, "format": format!("PIPE_FORMAT_{format}"), "loc": 0, "colormask": mask, "rgb": blend, "alpha": blend })
}

fn epilog(samples: u32, logic: &str, coverage: u32, target: Json) -> Json {
    json!({ "nr_samples": samples, "force_small_tile": 0, "logicop": logic, "alpha_to_coverage": coverage,
        "alpha_to_one": 0, "rts": [target] })
}

const PLAIN: &str = "add one zero";
const OVER: &str = "add src_alpha inv_src_alpha";

const INPUTS: &str = "layout(location = 0) in vec4 a; layout(location = 1) in vec2 b;
layout(location = 0) out vec4 colour;";

#[test]
fn epilogs_of_fragments() {
    let plain = format!("{INPUTS} void main() {{ colour = a + vec4(b, b) * 0.5; }}");
    let discards = format!("{INPUTS} void main() {{ if (a.x < 0.3) discard; colour = a * b.xyxy; }}");
    let depth = format!("{INPUTS} void main() {{ colour = a; gl_FragDepth = b.x * 0.5; }}");
    let loops = format!(
        "{INPUTS} void main() {{ colour = a; for (float x = 0.0; x < b.x; x += 0.2) colour *= 1.1; }}"
    );
    for (body, key) in [
        (&plain, epilog(1, "copy", 0, target("R8G8B8A8_UNORM", 15, PLAIN))),
        (&plain, epilog(1, "copy", 0, target("R16G16B16A16_FLOAT", 15, OVER))),
        (&plain, epilog(1, "copy", 0, target("R32G32_FLOAT", 1, OVER))),
        (&plain, epilog(1, "equiv", 0, target("R10G10B10A2_UNORM", 15, PLAIN))),
        (&plain, epilog(4, "copy", 0, target("R8G8B8A8_UNORM", 7, OVER))),
        (&plain, epilog(4, "copy", 1, target("R8G8B8A8_UNORM", 15, PLAIN))),
        (&discards, epilog(1, "copy", 0, target("R8G8B8A8_UNORM", 15, OVER))),
        (&discards, epilog(2, "copy", 1, target("R8G8B8A8_UNORM", 15, OVER))),
        (&depth, epilog(1, "copy", 0, target("R8G8B8A8_SRGB", 15, OVER))),
        (&loops, epilog(4, "copy", 0, target("R11G11B10_FLOAT", 15, OVER))),
    ] {
        let samples = key["nr_samples"].as_u64().expect("a number") as usize;
        same(body, &json!({ "epilog": key }), samples, &[]);
    }
}

/// What a path leaves undefined is some number: no part reads what no part has written.
#[test]
fn undefined_colours_are_linked_all_the_same() {
    let sum =
        "vec4 t; for (int n = 0; n < int(a.x * 9.0); n++) { t = a * b.x; if (t.x > b.y) break; } colour = t;";
    let early = "float s = a.x; for (int n = 0; n < 4; n++) { s += b.y; if (s < 0.1) return; } colour = a;";
    for body in [sum, early] {
        let body = format!("{INPUTS} void main() {{ {body} }}");
        let key = epilog(1, "copy", 0, target("R8G8B8A8_UNORM", 15, PLAIN));
        let _ = both(Stage::Fragment, &body, &json!({ "epilog": key }), &[]);
    }
}

/// Bits that are combined, also those of both sides turned over: parts do that in one instruction.
#[test]
fn epilogs_combine_bits() {
    let body = "layout(location = 0) in vec4 a; layout(location = 1) in vec2 b; layout(location = 0) out uvec4 colour;
        void main() { colour = uvec4(a * 65535.0) ^ uvec4(vec4(b, b) * 4095.0); }";
    for logic in ["and", "and_reverse", "and_inverted", "nand", "or_reverse", "nor", "xor", "equiv"] {
        let key = epilog(1, logic, 0, target("R16G16B16A16_UINT", 15, PLAIN));
        same(body, &json!({ "epilog": key }), 1, &[]);
    }
}

/// Runs both, of which the colours are not all the same.
fn same(body: &str, keys: &Json, samples: usize, settings: &[(&str, &str)]) {
    let work = fragments(samples);
    let [linked, whole] =
        both(Stage::Fragment, body, keys, settings).map(|container| run(&container, &work, &[]));
    assert_eq!(linked.outputs.len(), whole.outputs.len(), "{keys}");
    for (a, b) in linked.outputs.iter().zip(&whole.outputs) {
        assert!(a == b, "{}: {keys}: {:?}", a.name, a.bits.iter().zip(&b.bits).position(|(x, y)| x != y));
    }
    assert_eq!(linked.discarded, whole.discarded, "{keys}");
    let colours = linked.outputs.iter().find(|output| output.name == "colour").expect("a colour");
    let different: std::collections::HashSet<u64> = colours.bits.iter().copied().collect();
    assert!(different.len() > 50, "{keys}: {} values", different.len());
}

/// Samples that were tested before the shader runs: the epilog heeds what it discards, its mask, and coverage by alpha.
#[test]
fn epilogs_behind_early_tests() {
    let early = format!("layout(early_fragment_tests) in; {INPUTS}");
    let discards = format!("{early} void main() {{ if (a.x < 0.3) discard; colour = a * b.xyxy; }}");
    let masks = format!("{early} void main() {{ gl_SampleMask[0] = a.y > 0.4 ? 5 : 3; colour = a; }}");
    for body in [&discards, &masks] {
        for (samples, coverage) in [(1, 0), (2, 0), (4, 1)] {
            let key = epilog(samples, "copy", coverage, target("R8G8B8A8_UNORM", 15, OVER));
            same(body, &json!({ "epilog": key }), samples as usize, &[]);
        }
    }
}

#[test]
fn samples_are_shaded_one_by_one() {
    let body = "layout(location = 0) sample in vec4 a; layout(location = 1) in vec2 b;
        layout(location = 0) out vec4 colour; void main() { colour = a * b.x + float(gl_SampleID) * 0.1; }";
    for samples in [2, 4] {
        let keys = json!({ "epilog": epilog(samples, "copy", 0, target("R8G8B8A8_UNORM", 15, OVER)) });
        same(body, &keys, samples as usize, &[("samples", &samples.to_string())]);
    }
}

#[test]
fn prologs_of_fragments() {
    let body = format!("{INPUTS} void main() {{ colour = a + vec4(b, b) * 0.5; }}");
    for (mask, tests) in [(5, 1), (2, 1)] {
        let prolog = json!({ "api_sample_mask": mask, "cull_distance_size": 0, "statistics": 0, "polygon_stipple": 0,
            "run_zs_tests": tests });
        let epilog = epilog(4, "copy", 0, target("R8G8B8A8_UNORM", 15, OVER));
        same(&body, &json!({ "prolog": prolog, "epilog": epilog }), 4, &[]);
    }
}

#[test]
fn prologs_of_vertices() {
    let body =
        "layout(location = 0) in vec3 a; layout(location = 1) in vec4 b; layout(location = 2) in ivec2 c;
        layout(location = 0) out vec4 x; layout(location = 1) out vec2 y;
        void main() { gl_Position = vec4(a, 1.0); x = b * float(gl_VertexIndex); y = vec2(c) + a.xy; }";
    let attribute = |i: u32, mask: u32, stride: u32, format: &str| json!({ "i": i, "mask": mask, "stride": stride, "instanced": 0, "divisor": 0, "format": format!("PIPE_FORMAT_{format}") });
    let mut draw = Draw(5);
    let integers =
        |n: i64| Value::List(vec![Value::Number((n * 3 - 5) as f64), Value::Number((7 - n) as f64)]);
    let columns = vec![
        ("attribute0".to_owned(), (0..40).map(|_| draw.row(3)).collect::<Vec<_>>().into()),
        ("attribute1".to_owned(), (0..40).map(|_| draw.row(4)).collect::<Vec<_>>().into()),
        ("attribute2".to_owned(), (0..40).map(integers).collect::<Vec<_>>().into()),
    ];
    let work = Work::Vertices(Attributes { count: 40, columns });
    for (formats, robustness) in [
        (["R32G32B32_FLOAT", "R8G8B8A8_UNORM", "R16G16_SINT"], 0),
        (["R16G16B16A16_FLOAT", "R10G10B10A2_SNORM", "R8G8_SINT"], 2),
        (["R16G16B16_SNORM", "B8G8R8A8_UNORM", "R32G32_SINT"], 3),
    ] {
        let [a, b, c] = formats;
        let keys = json!({ "prolog": {
            "hw": 1, "index_size": 0, "adjacency": 0, "robustness": robustness, "soft_fault": 0,
            "attribs": [attribute(0, 7, 24, a), attribute(1, 15, 8, b), attribute(2, 3, 16, c)],
        } });
        let [linked, whole] =
            both(Stage::Vertex, body, &keys, &[]).map(|container| run(&container, &work, &[]));
        assert_eq!(linked.outputs, whole.outputs, "{formats:?}");
        let values: std::collections::HashSet<u64> =
            linked.outputs.iter().flat_map(|o| o.bits.clone()).collect();
        assert!(values.len() > 100, "{formats:?}: {}", values.len());
    }
}

/// Vertices that threads of a grid compute, with a prolog that does: every output is that of the hardware's.
#[test]
fn vertices_in_software_leave_what_those_of_the_hardware_do() {
    let body = "layout(location = 0) in vec3 a; layout(location = 1) in vec4 b;
        layout(location = 0) out vec4 x; layout(location = 2) out vec2 y;
        void main() { gl_Position = vec4(a, 1.0); x = b * float(gl_VertexIndex); y = a.xy; }";
    let mut draw = Draw(7);
    let columns = vec![
        ("attribute0".to_owned(), (0..40).map(|_| draw.row(3)).collect::<Vec<_>>().into()),
        ("attribute1".to_owned(), (0..40).map(|_| draw.row(4)).collect::<Vec<_>>().into()),
    ];
    let work = Work::Vertices(Attributes { count: 40, columns });
    let attribute = |i: u32, mask: u32, stride: u32, format: &str| json!({ "i": i, "mask": mask, "stride": stride, "instanced": 0, "divisor": 0, "format": format!("PIPE_FORMAT_{format}") });
    let outputs = |hw: u32, settings: &[(&str, &str)]| {
        let main = compiled(Stage::Vertex, body, settings).expect("the main part");
        let key = json!({ "prolog": { "hw": hw, "index_size": 0, "adjacency": 0, "robustness": 2, "soft_fault": 0,
            "attribs": [attribute(0, 7, 24, "R32G32B32_FLOAT"), attribute(1, 15, 8, "R16G16B16A16_UNORM")] } });
        let text = key.to_string();
        let file = SourceMap::new().add("keys", text.clone());
        let mut pieces = vec![Piece { role: None, name: "main".to_owned(), bytes: main.clone() }];
        pieces.extend(Agx.parts(&pieces, KeyText { file, text: &text }, &[]).expect("a prolog"));
        let linked = Agx.link(&pieces, &[]).unwrap_or_else(|errors| panic!("{}", errors[0].message));
        [main, linked.bytes].map(|container| {
            let mut found: Vec<(String, Vec<u64>)> = run(&container, &work, &[])
                .outputs
                .into_iter()
                .map(|output| (output.name, output.bits))
                .collect();
            found.sort();
            found
        })
    };
    let (hardware, software) = (outputs(1, &[]), outputs(0, &[("vertex", "software")]));
    assert_eq!(hardware, software);
    assert_eq!(software[0].len(), 3);
}

/// What a prolog loads in one go is handed over part by part, over the edges of branches, too.
#[test]
fn attributes_go_over_edges() {
    let body = "layout(location = 0) in vec4 a; layout(location = 1) in float b;
        void main() { if (b > 0.5) { gl_Position = vec4(1.0, 2.0, 3.0, 4.0); return; } gl_Position = a; }";
    let attribute = |i: u32, format: &str| json!({ "i": i, "mask": 15, "stride": 16, "instanced": 0, "divisor": 0, "format": format!("PIPE_FORMAT_{format}") });
    let keys = json!({ "prolog": { "hw": 1, "index_size": 0, "adjacency": 0, "robustness": 0, "soft_fault": 0,
        "attribs": [attribute(0, "R10G10B10A2_UNORM"), attribute(1, "R32_FLOAT")] } });
    let mut draw = Draw(9);
    let columns = vec![
        ("attribute0".to_owned(), (0..20).map(|_| draw.row(4)).collect::<Vec<_>>().into()),
        ("attribute1".to_owned(), (0..20).map(|_| draw.row(1)).collect::<Vec<_>>().into()),
    ];
    let work = Work::Vertices(Attributes { count: 20, columns });
    let [linked, whole] = both(Stage::Vertex, body, &keys, &[]).map(|container| run(&container, &work, &[]));
    assert_eq!(linked.outputs, whole.outputs);
}

/// A key with more attributes than the main part reads has its uniforms where those of the main part are.
#[test]
fn attributes_that_nobody_reads_are_told() {
    let body = "layout(location = 0) in vec4 a; layout(binding = 0) uniform U { vec4 k; };
        void main() { gl_Position = a * k; }";
    let attribute = |i: u32| json!({ "i": i, "mask": 15, "stride": 16, "instanced": 0, "divisor": 0, "format": "PIPE_FORMAT_R32G32B32A32_FLOAT" });
    let link = |last: u32| {
        let attributes: Vec<Json> = (0..=last).map(attribute).collect();
        let key = json!({ "prolog": { "hw": 1, "index_size": 0, "adjacency": 0, "robustness": 0, "soft_fault": 0,
            "attribs": attributes } });
        let text = key.to_string();
        let file = SourceMap::new().add("keys", text.clone());
        let main = compiled(Stage::Vertex, body, &[]).expect("the main part");
        let mut pieces = vec![Piece { role: None, name: "main".to_owned(), bytes: main }];
        pieces.extend(Agx.parts(&pieces, KeyText { file, text: &text }, &[]).expect("a prolog"));
        Agx.link(&pieces, &[]).map(|_| ()).map_err(|errors| errors[0].message.clone())
    };
    assert_eq!(link(0), Ok(()));
    let wanted = "the prolog fetches attributes up to 2, with uniforms where the main part has `U` in half";
    let told = link(2).expect_err("they do not go together");
    assert!(told.starts_with(wanted), "{told}");
}

#[test]
fn pieces_without_keys_are_refused() {
    let body = format!("{INPUTS} void main() {{ colour = a; }}");
    let refused =
        |settings: &[(&str, &str)]| compiled(Stage::Fragment, &body, settings).expect_err("refused");
    assert!(refused(&[("parts", "off")]).contains("needs the keys"));
    assert!(refused(&[("keys", "{}")]).contains("in one piece"));
    assert!(refused(&[("parts", "off"), ("keys", "{")]).contains("no JSON"));
    assert!(refused(&[("parts", "off"), ("keys", "{\"epilogue\": {}}")]).contains("prolog, epilog"));
    assert!(refused(&[("parts", "none")]).contains("on or off"));
}

/// 64-bit floats are refused with the lines that ask for them.
#[test]
fn doubles_are_refused_by_line() {
    let body = "layout(local_size_x = 64) in; layout(std430, binding = 0) buffer A { double a[]; };
layout(std430, binding = 1) buffer B { float b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    b[i] = 2.0;
    b[i + 1u] = float(a[i] * 2.0lf);
}";
    let mut sources = SourceMap::new();
    let file = sources.add("fp64.comp", format!("#version 450\n{body}"));
    let options = Options::new(Stage::Compute);
    let (words, _) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.expect("it is GLSL");
    let read = chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V");
    let shader = Shader { module: &read.module, interface: &read.interface };
    let made = Agx.compile(&[shader], &CompileOptions::default(), &sources, &mut Cx::default());
    let errors = made.expect_err("there are no doubles");
    assert!(errors[0].message.contains("64 bits"), "{}", errors[0].message);
    let lines: Vec<u32> =
        errors.iter().map(|error| sources.locate(error.span.expect("a place")).start.line).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| *line == 7), "{lines:?}");
}
