//! Buffers of texels, and resources that lanes find by indices of their own: on the simulator as by the interpreter, or as
//! the source says.

use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::compile::finish::object;
use chiaro_rdna::container::note::{self, Item};
use chiaro_rdna::listing;
use chiaro_rdna::verify::launch::{Given, How, View, run};
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::Failure;

use crate::common::kernel;
use crate::common::resources::{HEAD, built, holds, source};

#[test]
fn texels_are_loaded_and_stored() {
    holds("b.d[i] = imageLoad(words, int(i)).x + texelFetch(table, int(i & 31u)).z;");
    holds("imageStore(words, int(i & 63u), uvec4(b.d[i & 63u] * 3u));");
    holds("vec4 c = texelFetch(colors, int(b.d[i] & 63u)); b.d[i] = uint(c.x > c.y) + 2u * uint(c.w > 0.5);");
    holds("if (i < 96u) imageStore(floats, int(i), vec4(float(i), 2.0, -1.5, float(b.d[i])));");
    holds("if (i < 96u) imageStore(bytes, int(i), vec4(float(i & 3u) / 3.0, 0.0, 1.0, 1.0));");
    holds("uvec4 t = texelFetch(table, 5); b.d[i] = t.x + t.y * i;");
}

#[test]
fn texels_beyond_the_end_are_zero_and_stay() {
    holds("b.d[i] = imageLoad(words, int(i) - 16).x + texelFetch(table, int(i * 3u)).w;");
    holds("imageStore(words, int(i) - 16, uvec4(7u));");
}

#[test]
fn buffers_say_how_many_texels_they_have() {
    holds("b.d[i] = uint(imageSize(words)) * 1000u + uint(textureSize(table));");
    holds("b.d[i] = uint(imageSize(lists[nonuniformEXT(i & 3u)])) + i;");
}

#[test]
fn lanes_find_buffers_by_their_own_indices() {
    holds("b.d[i] = parts[nonuniformEXT(b.d[i] & 3u)].d[i & 31u];");
    holds("parts[nonuniformEXT(i & 3u)].d[i >> 2] = b.d[i];");
    holds("atomicAdd(parts[nonuniformEXT(b.d[i] & 3u)].d[3], i);");
    holds("b.d[i] = facts[nonuniformEXT(i % 3u)].d[b.d[i] & 7u].y;");
    holds(
        "if ((b.d[i] & 1u) == 1u) b.d[i] = parts[nonuniformEXT((b.d[i] >> 1) & 3u)].d[5]; else b.d[i] = 77u;",
    );
    holds(
        "uint s = 0u; for (uint k = 0u; k < (b.d[i] & 7u); k++) s += parts[nonuniformEXT((k + i) & 3u)].d[k]; b.d[i] = s;",
    );
    holds("b.d[i] = parts[nonuniformEXT(parts[nonuniformEXT(i & 3u)].d[0] & 3u)].d[i & 31u];");
    // The same for all lanes.
    holds("b.d[i] = parts[gl_WorkGroupID.x & 3u].d[i & 31u] + parts[2].d[i & 31u];");
}

/// Accesses by one index take their turns together: a number is read from the first lane once.
#[test]
fn neighbours_take_their_turns_together() {
    let turns = |body: &str| {
        let compiled = built(&source(body), 32, Abi::Vulkan).expect("a kernel");
        listing::code(&compiled.code, 32, 0).matches("v_readfirstlane_b32").count()
    };
    let both = "uint k = b.d[i] & 3u; uint x = parts[nonuniformEXT(k)].d[i & 31u] * 3u; parts[nonuniformEXT(k)].d[i & 31u] = x + 1u; b.d[i] = x ^ parts[nonuniformEXT(k)].d[7];";
    assert_eq!(turns(both), 1);
    let apart = "uint x = parts[nonuniformEXT(b.d[i] & 3u)].d[i & 31u]; b.d[i] = x + parts[nonuniformEXT(i & 3u)].d[5];";
    assert_eq!(turns(apart), 2);
    gives(
        "uint k = b.d[i] & 3u; uint x = open[nonuniformEXT(k)].d[i & 31u] * 3u; b.d[i] = x + open[nonuniformEXT(k)].d[x & 31u];",
        |i, d| {
            let x = ((d & 3) * 32 + (i & 31)) * 3;
            x + (d & 3) * 32 + (x & 31)
        },
    );
}

#[test]
fn lanes_find_texels_by_their_own_indices() {
    holds("b.d[i] = texelFetch(tables[nonuniformEXT(b.d[i] & 3u)], int(i & 63u)).y;");
    holds("imageStore(lists[nonuniformEXT(i & 3u)], int(i >> 2), uvec4(b.d[i]));");
    holds(
        "b.d[i] = imageLoad(lists[nonuniformEXT(i & 3u)], int(i & 63u)).x + texelFetch(tables[nonuniformEXT(b.d[i] & 3u)], 3).x;",
    );
}

#[test]
fn what_is_uniform_takes_no_turns() {
    let turns = |body: &str| {
        let compiled = built(&source(body), 32, Abi::Vulkan).expect("a kernel");
        listing::code(&compiled.code, 32, 0).contains("v_readfirstlane_b32")
    };
    assert!(!turns("b.d[i] = parts[gl_WorkGroupID.x & 3u].d[i & 31u];"));
    assert!(turns("b.d[i] = parts[nonuniformEXT(i & 3u)].d[i & 31u];"));
}

/// Runs a kernel on buffers and images of words, of which each has a number that is its place.
fn ran(body: &str, (wave, abi): (u8, Abi), seed: impl Fn(usize) -> u32) -> Vec<Vec<u32>> {
    let compiled = built(&source(body), wave, abi).unwrap_or_else(|why| panic!("{body}: {why}"));
    let resources = &compiled.interface.resources;
    let size = |name: &str| match name {
        "b" => 128,
        "words" => 64,
        "pictures" | "planes" | "grids" | "lists" => 4 * 64,
        "open" | "parts" => 4 * 32,
        _ => 0,
    };
    let view = |name: &str| match name {
        "words" | "lists" => View::Texels(20),
        "grids" => View::Image(20, [64, 1, 1], 9),
        "pictures" | "planes" => View::Image(22, [64, 1, 1], 9),
        _ => View::Bytes,
    };
    let word = |name: &str, n: usize| match name {
        "b" => seed(n),
        "pictures" | "planes" => (n as f32).to_bits(),
        _ => n as u32,
    };
    let bytes = resources.iter().map(|bound| {
        let name = bound.name.as_str();
        (0..size(name)).flat_map(|n| word(name, n).to_le_bytes()).collect()
    });
    let given = Given {
        groups: [1; 3],
        bytes: bytes.collect(),
        views: resources.iter().map(|bound| view(&bound.name)).collect(),
    };
    let after = run(&compiled, &given, How::default()).unwrap_or_else(|why| panic!("{body}: {why}"));
    after.iter().map(|bytes| chiaro_isa::dwords(bytes).collect()).collect()
}

fn gives(body: &str, expected: impl Fn(u32, u32) -> u32) {
    gives_under(Abi::Vulkan, body, expected);
}

fn gives_under(abi: Abi, body: &str, expected: impl Fn(u32, u32) -> u32) {
    let seed = |n: usize| (n as u32).wrapping_mul(2_654_435_761) >> 20;
    for wave in [32, 64] {
        let after = ran(body, (wave, abi), seed);
        let wanted: Vec<u32> = (0..128).map(|i| expected(i, seed(i as usize))).collect();
        assert_eq!(after[0], wanted, "{body}, waves of {wave}");
    }
}

#[test]
fn lanes_find_images_by_their_own_indices() {
    gives("b.d[i] = imageLoad(grids[nonuniformEXT(b.d[i] & 3u)], ivec2(i & 63u, 0)).x;", |i, d| {
        (d & 3) * 64 + (i & 63)
    });
    gives(
        "b.d[i] = uint(textureLod(pictures[nonuniformEXT(b.d[i] & 3u)], vec2((float(i & 63u) + 0.5) / 64.0, 0.5), 0.0).x);",
        |i, d| (d & 3) * 64 + (i & 63),
    );
    gives(
        "b.d[i] = uint(textureLod(sampler2D(planes[nonuniformEXT(b.d[i] & 3u)], filters[nonuniformEXT((b.d[i] >> 2) & 3u)]), vec2((float(i & 63u) + 0.5) / 64.0, 0.5), 0.0).x);",
        |i, d| (d & 3) * 64 + (i & 63),
    );
    gives(
        "b.d[i] = uint(textureSize(pictures[nonuniformEXT(b.d[i] & 3u)], 0).x) + (b.d[i] & 3u);",
        |_, d| 64 + (d & 3),
    );
    gives(
        "if ((i & 1u) == 0u) b.d[i] = imageLoad(grids[nonuniformEXT(b.d[i] & 3u)], ivec2(7, 0)).x;",
        |i, d| {
            if i & 1 == 0 { (d & 3) * 64 + 7 } else { d }
        },
    );
}

#[test]
fn arrays_without_a_size_are_indexed() {
    gives("b.d[i] = open[nonuniformEXT(b.d[i] & 3u)].d[i & 31u];", |i, d| (d & 3) * 32 + (i & 31));
}

/// Lanes add to a texel one after the other; beyond the end nothing happens, and what was there is 0.
#[test]
fn texels_are_changed_by_all_lanes() {
    for wave in [32, 64] {
        let after = ran("imageAtomicAdd(words, int(i & 63u) + 32, 5u);", (wave, Abi::Vulkan), |_| 0);
        let wanted: Vec<u32> = (0..64).map(|n| if n >= 32 { n + 10 } else { n }).collect();
        assert_eq!(after[0], wanted, "waves of {wave}");
    }
    gives("b.d[i] = imageAtomicExchange(words, int(i), i + 1u);", |i, _| if i < 64 { i } else { 0 });
    gives(
        "b.d[i] = imageAtomicCompSwap(words, int(i), i & 62u, 9u) + imageLoad(words, int(i)).x * 100u;",
        |i, _| match i {
            64.. => 0,
            _ if i % 2 == 0 => i + 900,
            _ => i + i * 100,
        },
    );
    gives("b.d[i] = imageAtomicAdd(lists[nonuniformEXT(i & 3u)], int(i >> 2), 7u);", |i, _| {
        (i & 3) * 64 + (i >> 2)
    });
}

/// Arguments of a kernel: an address for each element.
#[test]
fn arrays_of_buffers_are_arguments() {
    let holds = |body: &str, expected: fn(u32, u32) -> u32| gives_under(Abi::Hsa, body, expected);
    holds("b.d[i] = parts[nonuniformEXT(b.d[i] & 3u)].d[i & 31u];", |i, d| (d & 3) * 32 + (i & 31));
    holds("b.d[i] = parts[2].d[i & 31u] + parts[gl_WorkGroupID.x + 1u].d[3];", |i, _| 64 + (i & 31) + 35);
}

/// Two variables of one binding are one resource, with one place in its set.
#[test]
fn variables_of_one_binding_are_one_resource() {
    let text = "#version 450
        layout(local_size_x = 64) in;
        layout(std430, binding = 0) buffer A { uint a[]; };
        layout(std430, binding = 0) buffer V { uvec4 v[]; };
        layout(std430, binding = 1) buffer R { uint r[]; };
        void main() { uint i = gl_GlobalInvocationID.x; r[i] = a[i] + v[i >> 2].y; }";
    let compiled = built(&kernel::read(text), 32, Abi::Vulkan).expect("a kernel");
    let offsets: Vec<u32> = compiled.interface.resources.iter().map(|bound| bound.offset).collect();
    assert_eq!(offsets, [0, 16]);
}

#[test]
fn what_arguments_of_kernels_cannot_be_is_refused() {
    let why =
        built(&source("b.d[i] = open[i & 3u].d[0];"), 32, Abi::Hsa).expect_err("nobody counts its elements");
    assert!(why.contains("`open` is an array without a size"), "{why}");
}

/// Under HSA an image is the address of its descriptor, that of its sampler beside it.
#[test]
fn images_are_arguments() {
    let holds = |body: &str, expected: fn(u32, u32) -> u32| gives_under(Abi::Hsa, body, expected);
    holds("b.d[i] = imageLoad(words, int(i)).x;", |i, _| if i < 64 { i } else { 0 });
    holds("b.d[i] = imageLoad(grids[nonuniformEXT(b.d[i] & 3u)], ivec2(i & 63u, 0)).x;", |i, d| {
        (d & 3) * 64 + (i & 63)
    });
    holds(
        "b.d[i] = uint(textureLod(pictures[nonuniformEXT(b.d[i] & 3u)], vec2((float(i & 63u) + 0.5) / 64.0, 0.5), 0.0).x);",
        |i, d| (d & 3) * 64 + (i & 63),
    );
    holds(
        "b.d[i] = uint(textureLod(sampler2D(planes[gl_WorkGroupID.x + 2u], filters[1]), vec2((float(i & 63u) + 0.5) / 64.0, 0.5), 0.0).x);",
        |i, _| 2 * 64 + (i & 63),
    );
}

/// Where a texel is found, one step and more beside it, of each of four offsets.
#[test]
fn gathers_have_four_offsets() {
    let place = |i: u32, by: i32| 64 + ((i & 63) as i32 + by).clamp(0, 63) as u32;
    gives(
        "vec4 t = textureGatherOffsets(pictures[1], vec2((float(i & 63u) + 1.0) / 64.0, 0.5), \
         ivec2[4](ivec2(0, 0), ivec2(3, 0), ivec2(-2, 0), ivec2(1, 0))); \
         b.d[i] = uint(t.x) + uint(t.y) * 256u + (uint(t.z) << 16) + (uint(t.w) << 24);",
        |i, _| place(i, 0) + place(i, 3) * 256 + (place(i, -2) << 16) + (place(i, 1) << 24),
    );
}

/// Cubes take changes of a place on a face, two for each direction; what is projected is so with what it is compared to.
#[test]
fn samples_have_their_instructions() {
    let head = "layout(binding = 20) uniform samplerCube around; layout(binding = 21) uniform samplerCubeArray skies; \
         layout(binding = 22) uniform sampler2DShadow shade; layout(binding = 23) uniform sampler2DMS many; \
         layout(binding = 24) uniform sampler2D flat2; layout(binding = 25) uniform sampler2DArray stack; ";
    let text = |body: &str, quads: &str| {
        let text = HEAD.replace("layout(local_size_x = 128) in;", quads);
        let module = kernel::read(&format!(
            "{text} {head} void main() {{ uint i = gl_GlobalInvocationID.x; vec3 p = vec3(float(i), 2.0, float(b.d[i])); {body} }}"
        ));
        let compiled = built(&module, 64, Abi::Vulkan).unwrap_or_else(|why| panic!("{body}: {why}"));
        listing::code(&compiled.code, 64, 0)
    };
    let plain = "layout(local_size_x = 128) in;";
    let quads = "layout(local_size_x = 16, local_size_y = 8) in;";
    let linear = "layout(local_size_x = 128) in; layout(derivative_group_linearNV) in;";
    for (body, mode, wanted) in [
        ("b.d[i] = uint(textureGrad(around, p, p * 0.1, p.zyx).x);", plain, "image_sample_d "),
        ("b.d[i] = uint(textureGrad(skies, vec4(p, 1.0), p * 0.1, p.zyx).x);", plain, "image_sample_d "),
        ("b.d[i] = uint(textureProjLod(shade, vec4(p, 2.0), 1.0));", plain, "image_sample_c_l "),
        ("b.d[i] = uint(textureSamples(many));", plain, "s_bfe_u32"),
        ("b.d[i] = uint(texture(flat2, p.xy).x);", plain, "image_sample_lz "),
        ("b.d[i] = uint(texture(flat2, p.xy).x);", linear, "image_sample "),
        ("b.d[i] = uint(texture(flat2, p.xy, 0.5).x);", linear, "image_sample_b "),
        ("b.d[i] = uint(texture(shade, p, 0.5));", linear, "image_sample_c_b "),
        ("b.d[i] = uint(textureQueryLod(around, p).y);", linear, "image_get_lod "),
        ("b.d[i] = uint(imageLoad(grids[1], ivec2(gl_LocalInvocationID.xy)).x);", quads, "image_load "),
    ] {
        let text = text(body, mode);
        assert!(text.contains(wanted), "{body}: no `{wanted}` in\n{text}");
    }
    // The layer has its place, though the question has none.
    for (image, coordinates) in [("flat2", 2), ("stack", 3)] {
        let text = text(&format!("b.d[i] = uint(textureQueryLod({image}, p.xy).y);"), linear);
        let asked = text.lines().find(|line| line.contains("image_get_lod")).expect("it asks");
        let (_, rest) = asked.split_once("], ").expect("a result");
        let number = |text: &str| text.parse::<usize>().expect("a register");
        let count = match rest.strip_prefix("v[").and_then(|run| run.split_once(']')?.0.split_once(':')) {
            Some((first, last)) => number(last) - number(first) + 1,
            None => rest.split(']').next().unwrap_or_default().matches('v').count(),
        };
        assert_eq!(count, coordinates, "{asked}");
    }
}

/// Images are compared with the source: what is loaded and stored by coordinates, and one colour that is sampled.
#[test]
fn images_are_proved() {
    let module = |body: &str| {
        kernel::read(&format!(
            "#version 450
            layout(local_size_x = 8, local_size_y = 8) in;
            layout(binding = 0, rgba8) uniform readonly image2D from;
            layout(binding = 1, rgba8) uniform image2D to;
            layout(binding = 2, r32ui) uniform uimage3D counts;
            layout(binding = 3) uniform sampler2D picture;
            layout(binding = 4, rgba32f) uniform writeonly imageCube faces;
            void main() {{ ivec2 p = ivec2(gl_GlobalInvocationID.xy); {body} }}"
        ))
    };
    let proof = |source: &str, words: &str, (wave, abi): (u8, Abi)| {
        let source = module(source);
        let compiled = built(&module(words), wave, abi).expect("a kernel");
        verify(&Words { source: &source, entry: &source.entries[0], compiled }, 1)
    };
    for (body, other) in [
        ("imageStore(to, p, 1.0 - imageLoad(from, p).yxzw);", "imageStore(to, p, 1.0 - imageLoad(from, p));"),
        (
            "imageStore(to, p, texture(picture, vec2(p) / 9.0));",
            "imageStore(to, p, texture(picture, vec2(p) / 9.0).yxzw);",
        ),
        (
            "imageStore(counts, ivec3(p & 3, 2), imageLoad(counts, ivec3(p & 3, 1)) + 1u);",
            "imageStore(counts, ivec3(p & 3, 2), imageLoad(counts, ivec3(p & 3, 0)) + 1u);",
        ),
        (
            "imageStore(faces, ivec3(p & 7, 5), vec4(p, 3, 4));",
            "imageStore(faces, ivec3(p & 7, 4), vec4(p, 3, 4));",
        ),
    ] {
        for choice in [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa), (64, Abi::Hsa)] {
            proof(body, body, choice).unwrap_or_else(|why| panic!("{body}, {choice:?}: {why}"));
            // How far floats may be off nobody knows of texels: what differs is in doubt.
            let told = proof(body, other, choice).expect_err(other);
            let is_float = !body.contains("counts");
            assert_eq!(matches!(told, Failure::Untested { .. }), is_float, "{other}: {told}");
        }
    }
}

/// Where arguments are addresses, an array of buffers is as many arguments; one buffer is one.
#[test]
fn arrays_of_buffers_are_an_argument_for_each() {
    let named = |abi: Abi| -> Vec<String> {
        let compiled = built(&source("b.d[i] = parts[i & 3u].d[1];"), 32, abi).expect("a kernel");
        let note = note::read(&object(&compiled, "main").note.expect("a note")).expect("it was written here");
        let Some(Item::List(kernels)) = note.get("amdhsa.kernels") else { panic!("{note:?}") };
        let Some(Item::List(all)) = kernels[0].get(".args") else { panic!("{note:?}") };
        let name = |argument: &Item| match argument.get(".name") {
            Some(Item::Text(name)) => name.clone(),
            other => panic!("{other:?}"),
        };
        all.iter().map(name).collect()
    };
    assert_eq!(named(Abi::Hsa), ["b", "parts[0]", "parts[1]", "parts[2]", "parts[3]"]);
    assert_eq!(named(Abi::Vulkan), ["b", "parts"]);
}
