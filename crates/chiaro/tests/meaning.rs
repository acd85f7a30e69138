//! What shaders mean on every target that has their stages: one list of shaders for all machines.

use chiaro::TARGETS;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::{Module, random};
use chiaro_opt::Cx;
use chiaro_spirv::Reading;
use chiaro_target::{
    CompileOptions, Failure, Inputs, Interface, Offer, Shader, SimulateOptions, Target, Value, Work,
};

/// Invocations of each shader.
const INVOCATIONS: usize = 24;

/// Name, stage, body: a shader each.
const SHADERS: &[(&str, Stage, &str)] = &[
    ("angles", Stage::Vertex, "in vec4 a; void main() { gl_Position = sin(a) + cos(a.wzyx * 8.0); }"),
    ("large integers", Stage::Vertex, "in ivec4 a; uniform uvec4 u; void main() { gl_Position = vec4(a) + vec4(u * 77777u); }"),
    (
        "quotients",
        Stage::Vertex,
        "in ivec4 a; uniform ivec2 u; void main() { gl_Position = vec4(a.xy / u, a.zw % u.yx); }",
    ),
    (
        "a component by number",
        Stage::Vertex,
        "in vec4 a; in int n; void main() { vec4 v = a; v[n & 3] = 2.0; gl_Position = v * a[(n + 1) & 3]; }",
    ),
    (
        "a local array by number",
        Stage::Vertex,
        "in vec4 a; in int n; void main() { vec3 v[4]; float s[5];
         for (int i = 0; i < 4; i++) { v[i] = a.xyz * float(i); s[i + 1] = a.w + float(i); }
         s[0] = 3.0; v[(n + 1) & 3].y = 4.0; gl_Position = vec4(v[n & 3], s[(n + 2) & 3]); }",
    ),
    (
        "a constant array by number",
        Stage::Vertex,
        "in int n; const float t[4] = float[4](1.0, 3.0, 5.0, 9.0); void main() { gl_Position = vec4(t[n & 3], t[(n + 1) & 3], 0.0, 1.0); }",
    ),
    (
        "a block in memory",
        Stage::Vertex,
        "in int n; layout(std140) uniform B { vec4 d[900]; }; void main() { gl_Position = d[n & 63] + d[(n & 7) * 7 + 800]; }",
    ),
    (
        "halves in words",
        Stage::Vertex,
        "in vec4 a; in uvec2 u; void main() { uint p = packHalf2x16(a.xy); gl_Position = vec4(unpackHalf2x16(p ^ (u.x & 1u)), unpackSnorm2x16(packSnorm2x16(a.zw))); }",
    ),
    (
        "matrices by number",
        Stage::Vertex,
        "in vec4 a; in int n; uniform mat4 m[4]; void main() { gl_Position = m[n & 3] * a + m[1][(n + 1) & 3]; }",
    ),
    (
        "loops that break and go on",
        Stage::Vertex,
        "in vec4 a; uniform int n; void main() { vec4 s = a;
         for (int i = 0; i < (n & 7); i++) { if (s.x > 2.0) { s.y += 1.0; continue; } s += a.yzwx * 0.5; if (s.w > 3.0) break; }
         gl_Position = s; }",
    ),
    (
        "a discard",
        Stage::Fragment,
        "in vec4 v; out vec4 o; void main() { if (v.x > 0.25) discard; o = v * 2.0; }",
    ),
    (
        "a place on the screen",
        Stage::Fragment,
        "out vec4 o; void main() { o = vec4(gl_FragCoord.xy * 0.5, gl_FrontFacing ? 1.0 : 2.0, gl_PointCoord.x); }",
    ),
    (
        "textures",
        Stage::Fragment,
        "in vec3 v; uniform sampler2D s; uniform samplerCube c; uniform sampler2DArray a; out vec4 o;
         void main() { o = texture(s, v.xy) + texture(c, v).wzyx * texture(a, v) + textureLod(s, v.yz, v.x); }",
    ),
    (
        "differences",
        Stage::Fragment,
        "in vec3 v; out vec4 o; void main() { o = vec4(dFdx(v.x) + v.y, dFdy(v.y), fwidth(v.z), v.z); }",
    ),
    (
        "several targets and a depth",
        Stage::Fragment,
        "in vec4 v; layout(location = 0) out vec4 o; layout(location = 1) out vec2 p;
         void main() { o = v; p = v.zw * 3.0; gl_FragDepth = clamp(v.x, 0.0, 1.0); }",
    ),
];

/// Shaders of which nothing is proved, and where: bits of rounded numbers have no bounds, and AGX computes sines and
/// powers in steps of its own, so that its words are not held to the bits of legal IR.
const UNPROVED: &[(&str, &str)] = &[("halves in words", "agx")];

/// A shader as the IR has it.
fn read(stage: Stage, text: &str) -> Reading {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", text.to_owned());
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &Options::new(stage), &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{text}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V")
}

/// Targets that compile a stage and can do something with what comes of it.
fn targets(stage: chiaro_ir::Stage, offer: Offer) -> impl Iterator<Item = &'static dyn Target> {
    let offers = move |target: &&dyn Target| {
        let about = target.about();
        let all = [Offer::Compile, offer];
        about.stages.contains(&stage) && all.iter().all(|offer| about.offers.contains(offer))
    };
    TARGETS.iter().filter(offers)
}

/// Compiles a shader and compares its code with the source.
fn proved(target: &dyn Target, shader: Shader<'_>, seed: u64) -> Result<(), Failure> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let proof = target.prove(shader, &CompileOptions::default(), &mut cx);
    let proof = proof.map_err(|errors| Failure::Stopped(errors[0].message.clone()))?;
    proof.verify(INVOCATIONS, seed).map_err(|why| match why {
        Failure::Untested { .. } => why,
        _ => Failure::Stopped(format!("{why}\n{}", proof.listing())),
    })?;
    Ok(())
}

#[test]
fn shaders_mean_what_their_source_does() {
    let head =
        "#version 300 es\nprecision highp float; precision highp int; precision highp sampler2DArray;\n";
    let mut bad = Vec::new();
    for target in targets(chiaro_ir::Stage::Fragment, Offer::Verify) {
        for (name, stage, body) in SHADERS {
            let read = read(*stage, &format!("{head}{body}"));
            let shader = Shader { module: &read.module, interface: &read.interface };
            let machine = target.about().name;
            let is_known = UNPROVED.contains(&(name, machine));
            match proved(target, shader, 1) {
                Err(Failure::Untested { .. }) if is_known => {}
                Ok(()) if !is_known => {}
                result => {
                    bad.push(format!("{name} on {machine}: {:?}", result.map_err(|why| why.to_string())));
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Targets whose `--verify` compares no buffers, so that it says nothing of kernels.
const NO_BUFFERS: &[&str] = &["a3xx", "agx"];

/// A kernel that shows much of what it does.
fn compute(seed: u64, size: u32) -> Module {
    random::module_with(
        seed,
        size,
        random::Features {
            variables: true,
            lively: true,
            subgroup: seed.is_multiple_of(3),
            ..Default::default()
        },
    )
}

/// As many random shaders as `CHIARO_SHADERS` says, from the seed `CHIARO_SEED` on.
#[test]
fn random_shaders_mean_what_their_source_does() {
    let given = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (count, first) = (given("CHIARO_SHADERS").unwrap_or(150), given("CHIARO_SEED").unwrap_or(0));
    let vertex: fn(u64, u32) -> Module = random::vertex::module;
    // Those of compute are hard on control flow, where the others are on arithmetic.
    let stages = [(chiaro_ir::Stage::Fragment, vertex), (chiaro_ir::Stage::Compute, compute)];
    let all =
        stages.map(|(stage, make)| targets(stage, Offer::Verify).map(move |target| (target, stage, make)));
    let is_compared = |target: &dyn Target, stage| {
        stage != chiaro_ir::Stage::Compute || !NO_BUFFERS.contains(&target.about().name)
    };
    let all = all.into_iter().flatten();
    for (target, stage, make) in all.filter(|(target, stage, _)| is_compared(*target, *stage)) {
        let (mut untested, mut bad) = (0, Vec::new());
        for seed in first..first + count {
            let module = make(seed, 4 + (seed % 40) as u32);
            match proved(target, Shader { module: &module, interface: &Interface::default() }, seed) {
                Ok(()) => {}
                Err(Failure::Untested { .. }) => untested += 1,
                // A limit of the machine, which says used and allowed.
                Err(Failure::Stopped(why)) if why.ends_with("are there") => untested += 1,
                Err(why) => bad.push(format!("{seed}: {why}")),
            }
        }
        let name = target.about().name;
        println!("{name}, {stage:?}: {untested} of {count} prove nothing, {} are wrong", bad.len());
        assert!(bad.is_empty(), "{name}, {stage:?}: {} of {count}\n{}", bad.len(), bad.join("\n"));
        assert!(untested * 10 <= count, "{name}, {stage:?}: {untested} of {count} prove nothing");
    }
}

/// The modes of a target's simulator; the only one has no name.
fn modes(target: &dyn Target) -> Vec<Option<String>> {
    let named: Vec<_> = target.about().modes.iter().map(|(mode, _)| Some((*mode).to_owned())).collect();
    if named.is_empty() { vec![None] } else { named }
}

/// Choices that give other code, by target.
const CHOICES: &[(&str, &str, &str)] = &[("rdna", "wave", "64"), ("rdna", "abi", "hsa")];

/// Options of a target: as it is, and with each of its choices.
fn options(target: &dyn Target) -> Vec<CompileOptions> {
    let own = CHOICES.iter().filter(|(name, ..)| *name == target.about().name);
    let with = |settings| CompileOptions { settings, ..CompileOptions::default() };
    let chosen = own.map(|(_, key, value)| with(vec![((*key).to_owned(), (*value).to_owned())]));
    [CompileOptions::default()].into_iter().chain(chosen).collect()
}

/// The words that a dispatch leaves in a buffer, the same on every machine and in each of its modes.
fn run(body: &str, groups: [u32; 3], given: &[(&str, Vec<u32>)], wanted: &str) -> Vec<u32> {
    let all: Vec<_> = targets(chiaro_ir::Stage::Compute, Offer::Simulate).collect();
    run_on(&all, body, groups, given, wanted)
}

/// The same on some machines.
fn run_on(
    targets: &[&dyn Target],
    body: &str,
    groups: [u32; 3],
    given: &[(&str, Vec<u32>)],
    wanted: &str,
) -> Vec<u32> {
    let read = read(Stage::Compute, &format!("#version 310 es\n{body}"));
    let shader = Shader { module: &read.module, interface: &read.interface };
    let bytes = |words: &[u32]| Value::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let resources = given.iter().map(|(name, words)| ((*name).to_owned(), bytes(words))).collect();
    let inputs = Inputs { resources, work: Work::Dispatch(groups) };
    let mut found: Vec<(String, Vec<u32>)> = Vec::new();
    let each = targets.iter().flat_map(|target| options(*target).into_iter().map(move |o| (target, o)));
    for (target, options) in each {
        let name = format!("{} {:?}", target.about().name, options.settings);
        let mut cx = Cx { verify: true, ..Cx::default() };
        let made = target.compile(&[shader], &options, &SourceMap::new(), &mut cx);
        let made = made.unwrap_or_else(|errors| panic!("{body} for {name}: {}", errors[0].message));
        assert_eq!(
            target.hazards(&made.container, &[]).expect("a container"),
            Vec::new(),
            "{body} for {name}"
        );
        for mode in modes(*target) {
            let options = SimulateOptions { mode: mode.clone(), ..SimulateOptions::default() };
            let ran = target.simulate(&made.container, &inputs, &options);
            let ran = ran.unwrap_or_else(|errors| panic!("{body} on {name}: {}", errors[0].message));
            assert!(ran.faults.is_empty(), "{body} on {name}: {:?}", ran.faults);
            let left = ran.resources.iter().find(|(resource, _)| resource == wanted);
            let Some((_, Value::Bytes(bytes))) = left else { panic!("no `{wanted}` on {name}") };
            let words = bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("a word")));
            found.push((format!("{name}, {mode:?}"), words.collect()));
        }
    }
    let (_, first) = found.first().cloned().expect("a machine with compute shaders");
    found.iter().for_each(|(name, words)| assert_eq!(*words, first, "{body} on {name}"));
    first
}

#[test]
fn every_invocation_knows_its_numbers() {
    let body = "layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;
        layout(std430, binding = 0) buffer B { uvec4 d[]; } b;
        void main() { uvec3 g = gl_GlobalInvocationID; uvec3 n = gl_NumWorkGroups * gl_WorkGroupSize;
          uint i = g.x + n.x * (g.y + n.y * g.z);
          b.d[i] = uvec4(g.x + 256u * g.y, g.z, gl_LocalInvocationIndex, gl_WorkGroupID.x + 16u * gl_WorkGroupID.y); }";
    let found = run(body, [3, 2, 1], &[("b", vec![0; 4 * 96])], "b");
    for (i, four) in found.chunks(4).enumerate() {
        let (x, y, z) = (i as u32 % 12, i as u32 / 12 % 4, i as u32 / 48);
        let local = x % 4 + 4 * (y % 2 + 2 * z);
        assert_eq!(four, [x + 256 * y, z, local, x / 4 + 16 * (y / 2)], "invocation {i}");
    }
}

#[test]
fn groups_share_memory_behind_barriers() {
    let body = "layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A { uint d[]; } a;
        layout(std430, binding = 1) buffer B { uint s[]; } b;
        shared uint t[64];
        void main() { uint i = gl_LocalInvocationID.x; t[i] = a.d[gl_GlobalInvocationID.x]; barrier();
          for (uint n = 32u; n > 0u; n >>= 1u) { if (i < n) t[i] += t[i + n]; barrier(); }
          if (i == 0u) b.s[gl_WorkGroupID.x] = t[0]; }";
    let numbers: Vec<u32> = (0..192).map(|n| n * n + 3).collect();
    let sums: Vec<u32> = numbers.chunks(64).map(|group| group.iter().sum()).collect();
    assert_eq!(run(body, [3, 1, 1], &[("a", numbers), ("b", vec![0; 3])], "b"), sums);
}

#[test]
fn atomics_update_buffers_and_local_memory() {
    let body = "layout(local_size_x = 32) in;
        layout(std430, binding = 0) buffer B { uint sum; uint least; int most; uint bits; uint last; uint swapped; uint local; } b;
        shared uint t;
        void main() { uint i = gl_GlobalInvocationID.x; if (gl_LocalInvocationID.x == 0u) t = 5u; barrier();
          atomicAdd(b.sum, i); atomicMin(b.least, i + 7u); atomicMax(b.most, int(i) - 50); atomicOr(b.bits, 1u << (i & 31u));
          atomicCompSwap(b.swapped, i, i + 1u); atomicAdd(t, 2u); barrier();
          if (gl_LocalInvocationID.x == 3u) { b.last = atomicExchange(t, 1u); b.local = t; } }";
    let start = vec![10, 1000, (-60i32) as u32, 0, 0, 9, 0];
    let found = run(body, [2, 1, 1], &[("b", start)], "b");
    assert_eq!(found, [10 + 2016, 7, 13, u32::MAX, 69, 64, 1]);
}

#[test]
fn lanes_leave_loops_one_by_one() {
    let body = "layout(local_size_x = 32) in;
        layout(std430, binding = 0) buffer B { uint d[]; } b;
        uint steps(uint n) { uint c = 0u;
          for (uint i = 0u; ; i++) {
            if (n == 1u) return c;
            if (i > 40u) break;
            c++;
            if ((n & 1u) == 0u) { n /= 2u; continue; }
            for (uint k = 0u; k < 3u; k++) { if (k == 2u) break; n += n / (k + 2u) * k + (1u - k) * (2u * n + 1u); if (n > 100000u) return 77u; }
          }
          return 99u; }
        void main() { uint i = gl_GlobalInvocationID.x; b.d[i] = steps(i + 1u); }";
    let steps = |mut n: u32| {
        for i in 0u32.. {
            if n == 1 {
                return i;
            }
            if i > 40 {
                break;
            }
            if n & 1 == 0 {
                n /= 2;
                continue;
            }
            for k in 0..2u32 {
                n = n + n / (k + 2) * k + (1 - k) * (2 * n + 1);
                if n > 100_000 {
                    return 77;
                }
            }
        }
        99
    };
    let wanted: Vec<u32> = (1..=64).map(steps).collect();
    assert_eq!(run(body, [2, 1, 1], &[("b", vec![0; 64])], "b"), wanted);
}

/// A chain of as many values as given, all of them alive at its end, of invocations and of the whole wave.
fn crowded(lanes: usize, wave: usize) -> String {
    let step = |of: &str, n: usize| {
        format!("uint {of}{} = ({of}{n} ^ ({of}{n} >> 3)) + {}u;\n", n + 1, 2 * (n % 40) + 1)
    };
    let chain = |of: &str, count: usize| (0..count).map(|n| step(of, n)).collect::<String>();
    let back = |of: &str, count: usize| -> String {
        (0..count).rev().map(|n| format!("y = (y << 1) ^ {of}{n};\n")).collect()
    };
    let (forward, uniform) = (chain("x", lanes), chain("u", wave));
    let (lanes, wave) = (back("x", lanes), back("u", wave));
    format!(
        "layout(local_size_x = 32) in;
        layout(std430, binding = 0) buffer A {{ uint d[]; }} a;
        layout(std430, binding = 1) buffer B {{ uint s[]; }} b;
        void main() {{ uint i = gl_GlobalInvocationID.x; uint x0 = a.d[i]; uint u0 = b.s[0]; uint y = 1u;
        {forward}{uniform} if ((i & 5u) != 1u) {{ {lanes} }} else {{ y = x0; }}
        {wave} a.d[i] = y; }}"
    )
}

#[test]
fn values_without_a_register_are_kept_elsewhere() {
    let step = |start: u32, count: usize| {
        let next = |x: &u32, n: usize| (x ^ (x >> 3)).wrapping_add(2 * (n % 40) as u32 + 1);
        let mut all = vec![start];
        (1..count).for_each(|n| all.push(next(&all[n - 1], n - 1)));
        all
    };
    let back = |all: &[u32], y: u32| all.iter().rev().fold(y, |y, x| (y << 1) ^ x);
    // A3xx has no room for so many instructions; tests of its own have fewer.
    let mut roomy: Vec<_> = targets(chiaro_ir::Stage::Compute, Offer::Simulate).collect();
    roomy.retain(|target| target.about().name != "a3xx");
    for (lanes, wave) in [(300, 2), (2, 150), (700, 200)] {
        let (a, b) = ((0..64).map(|n| n * 0x0101_0307).collect::<Vec<u32>>(), vec![77, 0]);
        let invocation = |i: usize| {
            let y = if i & 5 == 1 { a[i] } else { back(&step(a[i], lanes), 1) };
            back(&step(b[0], wave), y)
        };
        let wanted: Vec<u32> = (0..64).map(invocation).collect();
        let given = [("a", a.clone()), ("b", b)];
        assert_eq!(run_on(&roomy, &crowded(lanes, wave), [2, 1, 1], &given, "a"), wanted);
    }
}
