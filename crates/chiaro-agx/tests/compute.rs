//! Compute shaders: compiled, written and read as containers, run by the simulator group by group.

use chiaro_agx::Agx;
use chiaro_agx::check::{self, Config, check};
use chiaro_agx::container::{Contents, open};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, Inputs, Shader, SimulateOptions, Target, Value, Work};

/// A container, or the first message.
fn compile(body: &str) -> Result<Vec<u8>, String> {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version 310 es\n{body}"));
    let options = Options::new(Stage::Compute);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    let read = chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V");
    let shader = Shader { module: &read.module, interface: &read.interface };
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = Agx.compile(&[shader], &CompileOptions::default(), &sources, &mut cx);
    made.map(|made| made.container).map_err(|errors| errors[0].message.clone())
}

/// A buffer that a program leaves behind, as words.
fn run(body: &str, groups: [u32; 3], given: &[(&str, Vec<u32>)], wanted: &str) -> Vec<u32> {
    let container = compile(body).unwrap_or_else(|why| panic!("{body}: {why}"));
    let Ok(Contents::File(file)) = open(&container) else { panic!("no file") };
    assert_eq!(file.write(), container);
    let config = Config { stage: check::Stage::Compute, ..Config::default() };
    assert_eq!(check(&file.code, &config), Vec::new(), "{body}");
    let bytes = |words: &[u32]| Value::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let resources = given.iter().map(|(name, words)| ((*name).to_owned(), bytes(words))).collect();
    let inputs = Inputs { resources, work: Work::Dispatch(groups) };
    let made = Agx.simulate(&container, &inputs, &SimulateOptions::default());
    let made = made.unwrap_or_else(|e| panic!("{}", e[0].message));
    let listing = chiaro_agx::listing::code(&file.code, Default::default());
    assert!(made.faults.is_empty(), "{body}: {:?}\n{listing}", made.faults);
    let left = made.resources.iter().find(|(name, _)| name == wanted);
    let Some((_, Value::Bytes(bytes))) = left else { panic!("no `{wanted}`") };
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
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

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let body = "layout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint d[]; } b;
        shared vec4 t[4096];
        void main() { t[gl_LocalInvocationID.x] = vec4(1.0); b.d[0] = uint(t[b.d[1]].x); }";
    let refused = compile(body).expect_err("it has too much memory");
    assert!(refused.contains("memory"), "{refused}");
    let body = "layout(local_size_x = 8) in; layout(std430, binding = 0) buffer B { uint d[]; } b;
        void main() { b.d[gl_LocalInvocationID.x] = 1u; }";
    let container = compile(body).expect("it compiles");
    let resources = vec![("c".to_owned(), Value::Bytes(vec![0; 32]))];
    let inputs = Inputs { resources, work: Work::Dispatch([1, 1, 1]) };
    let errors = Agx.simulate(&container, &inputs, &SimulateOptions::default()).expect_err("no such buffer");
    assert_eq!(errors[0].message, "the program has no `c`; there are b");
}
