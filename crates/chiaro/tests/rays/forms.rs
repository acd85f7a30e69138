//! Stages that are called and stages that are written out, in words of the machine: what they leave is known.

use chiaro::trace::kernel::Form;
use chiaro_trace::{Instance, Record, Scene};

use super::program::{Program, scene};

/// What a program leaves, whatever its form and the size of waves; the contracts of its functions are proven.
fn left(program: &Program, scene: &Scene, size: [u32; 3], floats: usize) -> Vec<f32> {
    let all = [(Form::Called, 32), (Form::Called, 64), (Form::Inlined, 32)];
    let mut all = all.map(|(form, wave)| (form, wave, program.words(form, scene, (size, floats, wave))));
    for (form, wave, words) in &all {
        // The search has its stack of nodes in the frame, where it is reached by numbers.
        let open = words.unproved.iter().filter(|why| !why.contains("address nobody knows"));
        let open: Vec<&String> = open.collect();
        assert!(open.is_empty(), "{form:?}, {wave}: {open:?}");
        assert!(*form == Form::Called || words.functions == 0);
        assert_eq!(words.traps, []);
    }
    let [(.., first), (.., second), (.., third)] = &mut all;
    assert_eq!((&first.floats, &first.floats), (&second.floats, &third.floats));
    std::mem::take(&mut first.floats)
}

const TRACE: &str = "layout(location = 0) rayPayloadEXT float seen;
    void main() {
        seen = -1.0;
        traceRayEXT(world, FLAGS, 0xff, 0, 0, 0, vec3(0.25, -0.5, 0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0, 0);
        words[0] = seen;
    }";
const MISS: &str = "layout(location = 0) rayPayloadInEXT float seen; void main() { seen = gl_RayTmaxEXT; }";

fn tracing(flags: &str) -> Program {
    Program::new(&TRACE.replace("FLAGS", flags)).miss(MISS)
}

#[test]
fn intersection_stages_keep_what_they_have_reported() {
    let scene = scene(vec![Instance { mesh: 1, ..Instance::default() }]);
    let inside = "hitAttributeEXT vec3 said;
        void main() {
            said = vec3(1.0); words[1] = float(reportIntersectionEXT(200.0, 1));
            said = vec3(2.0, 4.0, 8.0); words[2] = float(reportIntersectionEXT(2.25, 5));
            words[3] = gl_RayTmaxEXT;
            said = vec3(3.0); words[4] = float(reportIntersectionEXT(2.4, 6));
        }";
    let closest = "layout(location = 0) rayPayloadInEXT float seen; hitAttributeEXT vec3 said;
        void main() { seen = gl_HitTEXT; words[5] = float(gl_HitKindEXT); words[6] = said.x + said.y + said.z; }";
    let run = |any: &str, floats| left(&tracing("0").hit([closest, any, inside]), &scene, [1, 1, 1], floats);
    assert_eq!(run("", 7), [2.25, 0.0, 1.0, 100.0, 0.0, 5.0, 14.0]);
    let any = "layout(location = 0) rayPayloadInEXT float seen; hitAttributeEXT vec3 said;
        void main() { seen += said.x; words[7] = seen; if (gl_HitKindEXT == 5) ignoreIntersectionEXT; }";
    assert_eq!(run(any, 8), [2.4, 0.0, 0.0, 100.0, 1.0, 6.0, 9.0, 4.0]);
    assert_eq!(run("void main() { terminateRayEXT; }", 7), [2.25, 0.0, 0.0, 0.0, 0.0, 5.0, 14.0]);
}

#[test]
fn records_choose_functions_and_what_they_find() {
    let trace = TRACE.replace("FLAGS", "gl_RayFlagsOpaqueEXT").replace("0xff, 0, 0, 0,", "0xff, 1, 2, 0,");
    let mut program = Program::new(&trace).miss(MISS);
    let own = "layout(shaderRecordEXT) buffer Data { float own; };
        layout(location = 0) rayPayloadInEXT float seen; void main() { seen = own + 0.5; }";
    for n in 0..8 {
        let text =
            format!("layout(location = 0) rayPayloadInEXT float seen; void main() {{ seen = {n}.0; }}");
        program = program.hit([if n == 6 { own } else { &text }, "", ""]);
    }
    // The instance's 3, the ray's 1, and twice the geometry's 1.
    let scene = scene(vec![Instance { offset: 3, ..Instance::default() }]);
    let group = program.table.hit[6].group;
    for n in [3, 5, 6, 7] {
        program.table.hit[n] = Record { group, data: (n as f32 * 10.0).to_le_bytes().to_vec() };
    }
    assert_eq!(left(&program, &scene, [1, 1, 1], 1), [60.5]);
    program.table.hit[6].group = None;
    assert_eq!(left(&program, &scene, [1, 1, 1], 1), [-1.0]);
}

#[test]
fn stages_that_call_themselves_keep_their_own() {
    let closest = "layout(location = 0) rayPayloadInEXT float seen; layout(location = 1) rayPayloadEXT float next;
        float own = 5.0;
        void main() {
            float depth = seen;
            next = depth + 1.0;
            own += depth;
            if (depth < 6.0)
                traceRayEXT(world, gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, vec3(0.0, 0.5, 0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0, 1);
            // Twice what is within, and what has been kept over it.
            seen = next * 2.0 + own;
        }";
    let mut program = Program::new(&TRACE.replace("FLAGS", "gl_RayFlagsOpaqueEXT").replace("-1.0", "0.0"));
    program = program.miss(MISS).hit([closest, "", ""]);
    program.depth = 7;
    let expected = (0..7).rev().fold(7.0, |within, depth| within * 2.0 + 5.0 + depth as f32);
    assert_eq!(left(&program, &scene(vec![Instance::default()]), [3, 1, 1], 1), [expected]);
}

/// A program in which a stage finds something of another type at the same place.
#[test]
fn payloads_of_one_size_reach_stages_that_declare_another_type() {
    let miss = "layout(location = 0) rayPayloadInEXT uint seen; void main() { seen = floatBitsToUint(4.5); }";
    let program = Program::new(&TRACE.replace("FLAGS", "0")).miss(miss).hit(["void main() {}", "", ""]);
    let nothing = scene(vec![Instance { mask: 0, ..Instance::default() }]);
    let words = program.words(Form::Called, &nothing, ([1, 1, 1], 1, 32));
    assert_eq!(words.floats, [4.5]);
}

/// Numbers that a stage computes lead from one callable to the next, as far as there are any.
#[test]
fn callables_nest_as_deep_as_they_want() {
    let raygen = "layout(location = 0) callableDataEXT uvec2 data;
        void main() {
            data = uvec2(gl_LaunchIDEXT.x, 0);
            executeCallableEXT(gl_LaunchIDEXT.x & 7u, 0);
            words[gl_LaunchIDEXT.x] = float(data.y);
        }";
    let mut program = Program::new(raygen);
    for n in 0..8 {
        program = program.callable(&format!(
            "layout(location = 0) callableDataInEXT uvec2 data; layout(location = 1) callableDataEXT uvec2 other;
            void main() {{
                other = uvec2(data.x, 0);
                uint next = {n}u + 1u + (data.x >> 3 & 1u);
                if (next < 8u) executeCallableEXT(next, 1);
                data.y = other.y * 2u + {n}u + 1u;
            }}"
        ));
    }
    let nothing = scene(Vec::new());
    let expected = program.launch(&nothing, [16, 1, 1], 16).expect("it runs").0;
    let words = program.words(Form::Called, &nothing, ([16, 1, 1], 16, 32));
    assert_eq!(words.floats, expected);
    assert!(words.unproved.is_empty(), "{:?}", words.unproved);
}

#[test]
fn addresses_lead_to_memory() {
    let raygen = "layout(buffer_reference, std430) buffer Numbers { vec2 head; float rest[]; };
        void main() {
            uint n = gl_LaunchIDEXT.x;
            Numbers at = Numbers(uint64_t(1) << 32);
            words[4 * n] = at.head.x + at.head.y;
            words[4 * n + 1] = at.rest[n + 2];
            Numbers further = Numbers(uint64_t(at) + 16 * n + 8);
            words[4 * n + 2] = further.head.x - further.rest[n];
            further.rest[6] = float(n) + 0.5;
            words[4 * n + 3] = further.rest[6];
        }";
    let (program, nothing) = (Program::new(raygen), scene(Vec::new()));
    let expected = program.launch(&nothing, [2, 1, 1], 8).expect("it runs").0;
    assert_eq!(expected, [10.0, 40.0, -20.0, 0.5, 10.0, 50.0, -30.0, 1.5]);
    assert_eq!(left(&program, &nothing, [2, 1, 1], 8), expected);
}
