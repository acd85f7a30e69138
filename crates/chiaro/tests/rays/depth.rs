//! Rays and callables that go deeper within each other than there is room for: who says so, and that nothing else happens.

use chiaro::trace::kernel::Form;
use chiaro_ir::rays::trap;
use chiaro_trace::Instance;

use super::program::{Program, scene};

const RAYGEN: &str = "layout(location = 0) rayPayloadEXT float seen;
    void main() {
        uint n = gl_LaunchIDEXT.x;
        seen = n < 2u ? 0.0 : 10.0;
        traceRayEXT(world, gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, vec3(0.25, -0.5, 0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0, 0);
        words[n] = seen;
    }";
const CLOSEST: &str = "layout(location = 0) rayPayloadInEXT float seen; layout(location = 1) rayPayloadEXT float next;
    void main() {
        float own = seen;
        next = seen + 1.0;
        if (own < 4.0)
            traceRayEXT(world, gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, vec3(0.25, -0.5, 0.0), 0.0, vec3(0.0, 0.0, 1.0), 100.0, 1);
        seen = next + own * 100.0;
    }";
const MISS: &str = "layout(location = 0) rayPayloadInEXT float seen; void main() { seen = -1.0; }";

/// Launches 0 and 1 trace five rays within each other, others one.
fn tower(depth: u32) -> Program {
    let mut program = Program::new(RAYGEN).miss(MISS).hit([CLOSEST, "", ""]);
    program.depth = depth;
    program
}

#[test]
fn rays_beyond_the_depth_are_traps_and_no_calls() {
    let scene = scene(vec![Instance::default()]);
    let size = ([4, 1, 1], 4, 32);
    let deep = tower(5).words(Form::Called, &scene, size);
    assert!(deep.traps.is_empty(), "{:?}", deep.traps);
    assert_eq!(deep.floats, tower(5).launch(&scene, size.0, 4).expect("it runs").0);
    let why = tower(4).launch(&scene, size.0, 4).expect_err("it is too deep");
    let hits = " > stage2".repeat(4);
    assert!(why.contains("5 deep, and the pipeline allows 4"), "{why}");
    assert!(why.ends_with(&format!("(launch 0 0 0: stage0{hits})")), "{why}");
    for wave in [32, 64] {
        let words = tower(4).words(Form::Called, &scene, (size.0, 4, wave));
        // Whose fifth ray is missing sees what it would have handed over.
        let seen = 4.0 + 300.0 + 200.0 + 100.0;
        assert_eq!(words.floats, [seen, seen, 1011.0, 1011.0]);
        let [found] = &words.traps[..] else { panic!("{:?}", words.traps) };
        let stages: Vec<&str> =
            found.chain.iter().map(|name| name.split('.').next().unwrap_or(name)).collect();
        assert_eq!(found.number, trap::RAYS);
        assert_eq!(stages.iter().filter(|name| **name == "stage2").count(), 4, "{stages:?}");
        assert_eq!(words.unproved.iter().filter(|why| !why.contains("address nobody knows")).count(), 0);
    }
    let words = tower(4).words(Form::Inlined, &scene, size);
    assert_eq!(words.floats, [604.0, 604.0, 1011.0, 1011.0]);
    let [found] = &words.traps[..] else { panic!("{:?}", words.traps) };
    assert_eq!((found.number, found.chain.len()), (trap::RAYS, 1));
}

/// A callable that calls itself as often as it is told.
const CALLABLE: &str =
    "layout(location = 0) callableDataInEXT uvec2 data; layout(location = 1) callableDataEXT uvec2 other;
    void main() {
        other = uvec2(data.x - 1u, 0);
        if (data.x > 1u) executeCallableEXT(data.x & 0u, 1);
        data.y = other.y + 1u;
    }";

#[test]
fn callables_beyond_the_stack_are_traps_and_no_calls() {
    let raygen = "layout(location = 0) callableDataEXT uvec2 data;
        void main() {
            data = uvec2(gl_LaunchIDEXT.x, 0);
            executeCallableEXT(gl_LaunchIDEXT.x & 0u, 0);
            words[gl_LaunchIDEXT.x] = float(data.y);
        }";
    let program = |depth| {
        let mut program = Program::new(raygen).callable(CALLABLE);
        program.depth = depth;
        program
    };
    let nothing = scene(Vec::new());
    let words = program(3).words(Form::Called, &nothing, ([8, 1, 1], 8, 32));
    assert_eq!(words.floats, [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0]);
    let [found] = &words.traps[..] else { panic!("{:?}", words.traps) };
    assert_eq!((found.number, found.chain.len()), (trap::CALLABLES, 4), "{found:?}");
    let words = program(7).words(Form::Called, &nothing, ([8, 1, 1], 8, 64));
    assert_eq!(words.floats, [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    assert!(words.traps.is_empty() && words.unproved.is_empty(), "{:?}", words.unproved);
}
