//! Stages of GLSL whose results are known: what is traced is two walls and a box along z.

use chiaro_trace::{Affine, Instance};

use super::program::{Program, scene};

const TRACE: &str = "layout(location = 0) rayPayloadEXT float seen;
void main() {
    seen = -1.0;
    traceRayEXT(world, FLAGS, 0xff, 0, 0, 0, vec3(0.25, -0.5, 0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0, 0);
    words[0] = seen;
}";
const MISS: &str = "layout(location = 0) rayPayloadInEXT float seen; void main() { seen = gl_RayTmaxEXT; }";
const DISTANCE: &str = "layout(location = 0) rayPayloadInEXT float seen; void main() { seen = gl_HitTEXT; }";

fn tracing(flags: &str) -> Program {
    Program::new(&TRACE.replace("FLAGS", flags)).miss(MISS)
}

#[test]
fn stages_are_told_of_ray_and_hit() {
    let closest = "layout(location = 0) rayPayloadInEXT float seen; hitAttributeEXT vec2 shares;
        void put(int at, vec3 v) { words[at] = v.x; words[at + 1] = v.y; words[at + 2] = v.z; }
        void main() {
            seen = gl_HitTEXT;
            words[1] = float(gl_PrimitiveID); words[2] = float(gl_InstanceID); words[3] = float(gl_InstanceCustomIndexEXT);
            words[4] = float(gl_GeometryIndexEXT); words[5] = float(gl_HitKindEXT); words[6] = gl_RayTminEXT;
            words[7] = shares.x; words[8] = shares.y; words[9] = float(gl_IncomingRayFlagsEXT);
            put(10, gl_WorldRayOriginEXT); put(13, gl_WorldRayDirectionEXT);
            put(16, gl_ObjectRayOriginEXT); put(19, gl_ObjectRayDirectionEXT);
            put(22, gl_ObjectToWorldEXT * vec4(gl_ObjectRayOriginEXT, 1.0));
            put(25, gl_WorldToObjectEXT[3]); put(28, gl_ObjectToWorldEXT[0]);
            put(31, gl_HitTriangleVertexPositionsEXT[2]); words[34] = float(gl_CullMaskEXT);
        }";
    let transform = Affine([[2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 2.0, 4.0]]);
    let second = Instance { transform, custom_index: 77, ..Instance::default() };
    let scene = scene(vec![Instance { mask: 0, ..Instance::default() }, second]);
    let seen = tracing("gl_RayFlagsOpaqueEXT").hit([closest, "", ""]).one(&scene, 35);
    // The wall at z = 1 stands at 6, and is seen from behind: its corners go with the clock.
    assert_eq!(seen[..7], [6.0, 0.0, 1.0, 77.0, 1.0, 255.0, 0.0]);
    // (0.125, -0.25) in the wall: a + 0.1875 (b - a) ..., with c at (1, 1).
    assert_eq!(seen[7..10], [0.1875, 0.375, 1.0]);
    assert_eq!(seen[10..16], [0.25, -0.5, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(seen[16..22], [0.125, -0.25, -2.0, 0.0, 0.0, 0.5]);
    assert_eq!(seen[22..25], [0.25, -0.5, 0.0]);
    assert_eq!(seen[25..31], [0.0, 0.0, -2.0, 2.0, 0.0, 0.0]);
    assert_eq!(seen[31..35], [1.0, 1.0, 1.0, 255.0]);
}

#[test]
fn a_ray_that_misses_keeps_its_distance_and_calls_the_record_of_its_number() {
    let scene = scene(vec![Instance { mask: 0, ..Instance::default() }]);
    assert_eq!(tracing("0").hit([DISTANCE, "", ""]).one(&scene, 1), [100.0]);
    let second = TRACE.replace("FLAGS", "0").replace("0, 0, 0, vec3(0.25", "0, 0, 1, vec3(0.25");
    let other = "layout(location = 0) rayPayloadInEXT float seen; void main() { seen = 7.0; }";
    assert_eq!(Program::new(&second).miss(MISS).miss(other).hit([DISTANCE, "", ""]).one(&scene, 1), [7.0]);
}

#[test]
fn any_hit_stages_are_asked_in_the_order_of_primitives_and_may_ignore_or_end() {
    let scene = scene(vec![Instance::default()]);
    let asked = |body: &str| {
        let any = format!("void main() {{ words[1] = words[1] * 10.0 + gl_HitTEXT; {body} }}");
        tracing("0").hit([DISTANCE, &any, ""]).one(&scene, 2)
    };
    // The wall at 3 comes first in the mesh.
    assert_eq!(asked(""), [1.0, 31.0]);
    assert_eq!(asked("if (gl_HitTEXT < 2.0) ignoreIntersectionEXT;"), [3.0, 31.0]);
    assert_eq!(asked("ignoreIntersectionEXT;"), [100.0, 31.0]);
    assert_eq!(asked("terminateRayEXT;"), [3.0, 3.0]);
}

#[test]
fn what_is_opaque_asks_nobody_and_flags_say_what_is_skipped() {
    let scene = scene(vec![Instance::default()]);
    let any = "void main() { words[1] += 1.0; }";
    let seen = |flags: &str| tracing(flags).hit([DISTANCE, any, ""]).one(&scene, 2);
    assert_eq!(seen("gl_RayFlagsOpaqueEXT"), [1.0, 0.0]);
    assert_eq!(seen("gl_RayFlagsCullNoOpaqueEXT"), [100.0, 0.0]);
    assert_eq!(seen("gl_RayFlagsCullBackFacingTrianglesEXT"), [100.0, 0.0]);
    assert_eq!(seen("gl_RayFlagsTerminateOnFirstHitEXT"), [3.0, 1.0]);
    assert_eq!(seen("gl_RayFlagsSkipClosestHitShaderEXT"), [-1.0, 2.0]);
}

#[test]
fn intersection_stages_report_what_is_in_range_and_hand_on_attributes() {
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
    let seen = tracing("0").hit([closest, "", inside]).one(&scene, 7);
    // The distance within the stage is that before: built-ins do not change while a stage runs.
    assert_eq!(seen, [2.25, 0.0, 1.0, 100.0, 0.0, 5.0, 14.0]);
    let any = "hitAttributeEXT vec3 said; void main() { words[7] += said.x; if (gl_HitKindEXT == 5) ignoreIntersectionEXT; }";
    let seen = tracing("0").hit([closest, any, inside]).one(&scene, 8);
    assert_eq!(seen, [2.4, 0.0, 0.0, 100.0, 1.0, 6.0, 9.0, 5.0]);
    let end = "void main() { terminateRayEXT; }";
    let seen = tracing("0").hit([closest, end, inside]).one(&scene, 7);
    // The stage ends where the ray does.
    assert_eq!(seen, [2.25, 0.0, 0.0, 0.0, 0.0, 5.0, 14.0]);
}

#[test]
fn records_go_by_instance_ray_and_geometry() {
    let trace = TRACE.replace("FLAGS", "gl_RayFlagsOpaqueEXT").replace("0xff, 0, 0, 0,", "0xff, 1, 2, 0,");
    let mut program = Program::new(&trace).miss(MISS);
    for n in 0..8 {
        let text =
            format!("layout(location = 0) rayPayloadInEXT float seen; void main() {{ seen = {n}.0; }}");
        program = program.hit([&text, "", ""]);
    }
    // The instance's 3, the ray's 1, and twice the geometry's 1.
    let scene = scene(vec![Instance { offset: 3, ..Instance::default() }]);
    assert_eq!(program.one(&scene, 1), [6.0]);
    program.table.hit[6].group = None;
    assert_eq!(program.one(&scene, 1), [-1.0]);
    program.table.hit.truncate(6);
    let why = program.launch(&scene, [1, 1, 1], 1).expect_err("the table is too short");
    assert!(why.starts_with("record 6 of the hit table is wanted, and there are 6"), "{why}");
}

#[test]
fn stages_that_call_themselves_have_variables_of_their_own() {
    let closest = "layout(location = 0) rayPayloadInEXT float seen; layout(location = 1) rayPayloadEXT float next;
        float own = 5.0;
        void main() {
            float depth = seen;
            next = depth + 1.0;
            own += depth;
            if (depth < 6.0)
                traceRayEXT(world, gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, vec3(0.0, 0.5, 0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0, 1);
            // Ten times what is within, and what has been kept over it.
            seen = next * 2.0 + own;
        }";
    let mut program = Program::new(&TRACE.replace("FLAGS", "gl_RayFlagsOpaqueEXT").replace("-1.0", "0.0"));
    program = program.miss(MISS).hit([closest, "", ""]);
    program.depth = 7;
    let scene = scene(vec![Instance::default()]);
    let expected = (0..7).rev().fold(7.0, |within, depth| within * 2.0 + 5.0 + depth as f32);
    let (seen, counts) = program.launch(&scene, [3, 1, 1], 1).expect("it is deep enough");
    assert_eq!((seen[0], counts.depth, counts.closest_hit), (expected, 7, 21));
    program.depth = 6;
    let why = program.launch(&scene, [3, 1, 1], 1).expect_err("it is not deep enough");
    assert!(why.starts_with("a ray is traced 7 deep, and the pipeline allows 6"), "{why}");
    assert!(why.contains("(launch 0 0 0: stage0 > stage2 > stage2 > stage2 > "), "{why}");
}

#[test]
fn callables_go_by_number_and_may_call_others() {
    let raygen = "layout(location = 0) callableDataEXT vec2 data;
        void main() {
            data = vec2(float(gl_LaunchIDEXT.x), 0.0);
            executeCallableEXT(gl_LaunchIDEXT.x & 1, 0);
            words[gl_LaunchIDEXT.x] = data.y;
        }";
    let first = "layout(location = 0) callableDataInEXT vec2 data; void main() { data.y = data.x * 10.0; }";
    let second =
        "layout(location = 0) callableDataInEXT vec2 data; layout(location = 1) callableDataEXT vec2 other;
        void main() { other.x = data.x + 100.0; executeCallableEXT(0, 1); data.y = other.y + 1.0; }";
    let program = Program::new(raygen).callable(first).callable(second);
    let scene = scene(Vec::new());
    let (seen, counts) = program.launch(&scene, [4, 1, 1], 4).expect("it runs");
    assert_eq!(seen, [0.0, 1011.0, 20.0, 1031.0]);
    assert_eq!(counts.callable, 6);
}

#[test]
fn queries_tell_what_rays_are_told() {
    let raygen = "void main() {
            rayQueryEXT q;
            rayQueryInitializeEXT(q, world, 0, 0xff, vec3(0.25, -0.5, 0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0);
            float asked = 0.0;
            while (rayQueryProceedEXT(q)) {
                asked = asked * 10.0 + 1.0 + float(rayQueryGetIntersectionTypeEXT(q, false));
                if (rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionAABBEXT)
                    rayQueryGenerateIntersectionEXT(q, 2.25);
                else if (rayQueryGetIntersectionTEXT(q, false) > 2.0)
                    rayQueryConfirmIntersectionEXT(q);
            }
            words[0] = asked;
            words[1] = float(rayQueryGetIntersectionTypeEXT(q, true));
            words[2] = rayQueryGetIntersectionTEXT(q, true);
            words[3] = float(rayQueryGetIntersectionInstanceIdEXT(q, true));
            words[4] = float(rayQueryGetIntersectionGeometryIndexEXT(q, true));
            words[5] = rayQueryGetRayTMinEXT(q);
            words[6] = rayQueryGetIntersectionObjectToWorldEXT(q, true)[3].x;
        }";
    let scene = scene(vec![Instance::default(), Instance { mesh: 1, ..Instance::default() }]);
    let (seen, counts) = Program::new(raygen).launch(&scene, [1, 1, 1], 7).expect("it runs");
    // Both walls, then the box in front of the one that was taken.
    assert_eq!(seen, [112.0, 2.0, 2.25, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!((counts.queries, counts.rays), (1, 0));
}

#[test]
fn both_sides_have_to_agree_on_what_is_handed_over() {
    let wide = "layout(location = 0) rayPayloadInEXT vec2 seen; void main() { seen = vec2(1.0); }";
    let scene = scene(vec![Instance::default()]);
    let why = tracing("0").hit([wide, "", ""]).launch(&scene, [1, 1, 1], 1).expect_err("sizes differ");
    assert!(why.contains("takes 8 bytes of payload, and every stage hands over others: 4"), "{why}");
    // Where something else of that size is handed over, too, only the run tells.
    let two = TRACE.replace("FLAGS", "0").replace(
        "void main() {",
        "layout(location = 1) rayPayloadEXT vec2 other; void main() { other = vec2(0.0);",
    );
    let program = Program::new(&two).miss(MISS).hit([wide, "", ""]);
    let why = program.launch(&scene, [1, 1, 1], 1).expect_err("sizes differ");
    assert!(why.contains("takes 8 bytes of payload, and is given 4"), "{why}");
    let large = "hitAttributeEXT float said[9]; void main() { reportIntersectionEXT(1.0, 0); }";
    let why = tracing("0").hit(["", "", large]).launch(&scene, [1, 1, 1], 1).expect_err("there is no room");
    assert!(why.contains("36 bytes"), "{why}");
}

#[test]
fn numbers_that_are_constant_are_held_against_the_table() {
    let scene = scene(vec![Instance::default()]);
    let third = TRACE.replace("FLAGS", "0").replace("0, 0, 0, vec3(0.25", "0, 0, 2, vec3(0.25");
    let why = Program::new(&third).miss(MISS).hit([DISTANCE, "", ""]).launch(&scene, [1, 1, 1], 1);
    assert_eq!(why.expect_err("no such record"), "`stage0` wants record 2 of the miss table, which has 1");
}
