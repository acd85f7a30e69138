//! Atomic operations on images: compiled code on the simulator, with images of several shapes in memory as the
//! specification lays them out. Every texel of them is counted up as often as the shader asks for it, and no other
//! byte is touched.

use std::sync::Arc;

use chiaro_agx::abi::channels::Format;
use chiaro_agx::abi::descriptor::{PBE, TEXTURE};
use chiaro_agx::abi::image::{Image, Layout, Tiling};
use chiaro_agx::compile::{Compiled, Options as CompileOptions, compile};
use chiaro_agx::container::file::{HEAP, What};
use chiaro_agx::machine::{Config, Group, Launch, Program};
use chiaro_agx::verify::image;
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::interp::{Handle, Interpreter, TextureStore};
use chiaro_ir::{GlobalRef, Module, Space};
use chiaro_opt::Cx;
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_sim::texture::{Dim, Shape, Texture};
use chiaro_target::value::Image as Given;

const IMAGE: u64 = 0x10_0000_0000;
const HEAP_AT: u64 = 0x20_0000_0000;
const BUFFER: u64 = 0x30_0000_0000;

fn module(body: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version 450\n{body}"));
    let (words, errors) =
        chiaro_glsl::compile(file, &mut sources, &Options::new(Stage::Compute), &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}

fn compiled(body: &str) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = compile(&mut module(body), "main", CompileOptions::default(), &mut cx);
    made.map_err(|errors| errors[0].message.clone())
}

/// The texels of a row that the source leaves on the interpreter, by its own arithmetic.
fn interpreted(body: &str, row: &[u32]) -> Vec<u32> {
    let module = module(body);
    let is_image = |global: &chiaro_ir::Global| global.space == Space::UniformConstant;
    let global = GlobalRef(module.globals.iter().position(is_image).expect("an image") as u32);
    let image = Handle { global, element: 0 };
    let texels = row.iter().map(|n| [u64::from(*n), 0, 0, 0]).collect();
    let texture = Texture { size: [row.len() as u32, 1, 1], texels, smaller: Vec::new() };
    let mut images = TextureStore::default();
    images.textures.insert(image, texture);
    let ran = Interpreter::new(&module, &module.entries[0]).dispatch([1, 1, 1], &mut images);
    assert!(ran.is_ok_and(|report| report.faults.is_empty()), "{body}");
    images.textures[&image].texels.iter().map(|texel| texel[0] as u32).collect()
}

/// An image with 32 bits a texel.
fn layout(size: [u32; 3], is_3d: bool, mipmapped: bool, samples: u32) -> Layout {
    let format = Format::named("R32_UINT").expect("a format");
    let tiling = Tiling::Twiddled;
    let image = Image { format, tiling, size, mipmapped, is_3d, samples, writeable: true, renderable: false };
    image.layout().expect("a layout")
}

/// Both descriptors of a level of an image.
fn descriptors(layout: &Layout, dimension: &str, level: usize) -> Vec<u8> {
    let [width, height, depth] = layout.image.size;
    let same =
        format!("dimension={dimension} layout=twiddled channels=R32 type=uint width={width} height={height}");
    let own = &layout.levels[level];
    let samples = layout.image.samples;
    let first = match samples {
        1 => format!("level_offset_sw={}", own.offset),
        _ => format!("aligned_width_msaa_sw={}", u64::from(width).next_multiple_of(own.tile.0)),
    };
    let several = if samples > 1 { format!(" samples={samples}") } else { String::new() };
    let texture =
        format!("{same}{several} swizzle=R,G,B,A depth={depth} address={IMAGE:#x} page_aligned_layers=1");
    let stored = format!(
        "{same}{several} swizzle=R,G,B,A buffer={IMAGE:#x} level={level} levels={} layers={depth} page_aligned_layers=1 \
         {first} tile_width_sw={} tile_height_sw={} layer_stride_sw={} sample_count_log2_sw={}",
        layout.levels.len(),
        own.tile.0,
        own.tile.1,
        layout.layer_stride,
        samples.trailing_zeros(),
    );
    [TEXTURE.pack(&texture).expect("legal"), PBE.pack(&stored).expect("legal")].concat()
}

/// Runs threadgroups over an image; its bytes behind them, and those of the other buffer.
fn run(made: &Compiled, descriptors: &[u8], image: Vec<u8>, groups: [u32; 3]) -> (Vec<u8>, Vec<u8>) {
    let (file, config) = (&made.file, Config::default());
    let launch = Launch { size: file.size, groups };
    let program = Arc::new(Program::new(&file.code, 0, &config));
    let mut group = Group::new(&program, &config, &launch, 0);
    let mut memory = Mapped::default();
    for (name, base, bytes) in [
        ("image", IMAGE, image),
        ("heap", HEAP_AT, descriptors.to_vec()),
        ("buffer", BUFFER, vec![0; 1 << 14]),
    ] {
        memory.map(Range { name: name.to_owned(), base, bytes }).expect("room");
    }
    for held in file.uniforms.iter().filter(|held| held.what == What::Address) {
        let base = if held.set == HEAP { HEAP_AT } else { BUFFER };
        (0..4).for_each(|n| group.set_uniform(held.first + n, (base >> (16 * n)) as u16));
    }
    for (first, bytes) in &file.constants {
        let halves = bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
        (*first..).zip(halves).for_each(|(half, value)| group.set_uniform(half, value));
    }
    for (n, descriptor) in descriptors.chunks(24).enumerate() {
        group.states.textures[n] = descriptor.try_into().ok();
    }
    group.prepare_with(&file.preamble, 0, &config, &mut memory).expect("the preamble runs");
    for id in launch.each() {
        group.enter(&launch, id);
        let outcome = group.run(&mut memory);
        assert!(outcome.faults.is_empty(), "{}", outcome.faults[0].kind);
    }
    let bytes = |name: &str| memory.named(name).expect("mapped").bytes.clone();
    (bytes("image"), bytes("buffer"))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"))
}

/// Adds a number to every texel; all others are as they were.
#[test]
fn every_texel_is_found() {
    for (shape, place, size, dimension) in [
        ("uimage2D", "ivec2(i % 37u, i / 37u)", [37, 21, 1], "2d"),
        ("uimage2D", "ivec2(i % 128u, i / 128u)", [128, 70, 1], "2d"),
        ("uimage2DArray", "ivec3(i % 9u, i / 9u % 5u, i / 45u)", [9, 5, 3], "2d_array"),
        ("uimage3D", "ivec3(i % 6u, i / 6u % 7u, i / 42u)", [6, 7, 4], "3d"),
        ("uimageCube", "ivec3(i % 8u, i / 8u % 8u, i / 64u)", [8, 8, 6], "2d_array"),
    ] {
        let body = format!(
            "layout(local_size_x = 32) in; layout(r32ui, binding = 0) uniform {shape} a;
            layout(std430, binding = 1) buffer B {{ uint old[]; }};
            void main() {{ uint i = gl_GlobalInvocationID.x; if (i >= {}u) return;
                uint was = imageAtomicAdd(a, {place}, i + 1u); if (i < 4096u) old[i] = was; }}",
            size.iter().product::<u32>()
        );
        let made = compiled(&body).expect(shape);
        let layout = layout(size, dimension == "3d", false, 1);
        let before = vec![7; layout.size as usize];
        let count = size.iter().product::<u32>();
        let (after, old) =
            run(&made, &descriptors(&layout, dimension, 0), before, [count.div_ceil(32), 1, 1]);
        let mut expected = vec![7; layout.size as usize];
        for i in 0..count {
            let at = [i % size[0], i / size[0] % size[1], i / (size[0] * size[1])].map(u64::from);
            let place = layout.texel(0, at, 0).expect("inside") as usize;
            let value = word(&expected, place) + i + 1;
            expected[place..place + 4].copy_from_slice(&value.to_le_bytes());
        }
        assert!(after == expected, "{shape} {size:?}");
        assert!((0..count.min(4096) as usize).all(|n| word(&old, 4 * n) == 0x0707_0707), "{shape}");
    }
}

/// What descriptors say of images that are given: of a cube its layers are counted by six faces.
#[test]
fn descriptors_of_given_images() {
    for (dim, arrayed, size, levels, pieces) in [
        (Dim::D1, false, [9, 1, 1], 1, "dimension=1d width=9 height=1 depth=1 last_level=0 buffer_size_sw=9"),
        (Dim::D1, true, [9, 1, 4], 1, "dimension=1d_array depth=4"),
        (Dim::D2, false, [9, 5, 1], 1, "dimension=2d width=9 height=5 depth=1"),
        (Dim::D2, true, [9, 5, 12], 1, "dimension=2d_array depth=12"),
        (Dim::D3, false, [9, 5, 12], 1, "dimension=3d depth=12"),
        (Dim::Cube, false, [8, 8, 6], 1, "dimension=cube depth=1"),
        (Dim::Cube, true, [8, 8, 12], 1, "dimension=cube_array depth=2"),
        (Dim::D2, false, [8, 8, 1], 3, "dimension=2d last_level=2"),
    ] {
        let level =
            |n: u32| vec![[0.0; 4]; size.iter().map(|side| (side >> n).max(1)).product::<u32>() as usize];
        let smaller = (1..levels).map(level).collect();
        let shape = Shape { dim, arrayed };
        let given = Given { shape, size, texels: level(0), smaller, ..Given::default() };
        let made = image::of(&given, IMAGE).unwrap_or_else(|why| panic!("{given:?}: {why}"));
        let told = TEXTURE.unpack(&made.texture).expect("a descriptor");
        for piece in pieces.split(' ') {
            assert!(told.split_whitespace().any(|word| word == piece), "{piece}: {told}");
        }
    }
}

/// A level that is not the first.
#[test]
fn a_level_stands_where_its_descriptor_says() {
    let body = "layout(local_size_x = 32) in; layout(r32ui, binding = 0) uniform uimage2D a;
        void main() { uint i = gl_GlobalInvocationID.x; imageAtomicMax(a, ivec2(i % 16u, i / 16u), i + 1u); }";
    let made = compiled(body).expect("it compiles");
    let layout = layout([64, 64, 1], false, true, 1);
    let zeros = vec![0; layout.size as usize];
    let (after, _) = run(&made, &descriptors(&layout, "2d", 2), zeros, [8, 1, 1]);
    let at = |i: u64| layout.texel(2, [i % 16, i / 16, 0], 0).expect("inside") as usize;
    assert!((0..256).all(|i| word(&after, at(i)) == i as u32 + 1));
    assert_eq!(after.iter().filter(|byte| **byte != 0).count(), 256);
}

/// Samples of a texel stand one behind the other.
#[test]
fn samples_have_texels_of_their_own() {
    let body = "layout(local_size_x = 32) in; layout(r32ui, binding = 0) uniform uimage2DMS a;
        void main() { uint i = gl_GlobalInvocationID.x;
            imageAtomicOr(a, ivec2(i / 4u % 20u, i / 80u), int(i % 4u), i + 1u); }";
    let made = compiled(body).expect("it compiles");
    let layout = layout([20, 12, 1], false, false, 4);
    let zeros = vec![0; layout.size as usize];
    let (after, _) = run(&made, &descriptors(&layout, "2d_ms", 0), zeros, [30, 1, 1]);
    for i in 0..960 {
        let at = layout.texel(0, [i / 4 % 20, i / 80, 0], i % 4).expect("inside") as usize;
        assert_eq!(word(&after, at), i as u32 + 1, "{i}");
    }
}

/// All operations, of one texel by all lanes of a buffer image.
#[test]
fn operations_of_a_buffer() {
    for (call, start, expected) in [
        ("imageAtomicAdd(a, 3, 2u)", 1, 65),
        ("imageAtomicMin(a, 3, i + 5u)", 100, 5),
        ("imageAtomicMax(a, 3, i)", 4, 31),
        ("imageAtomicAnd(a, 3, ~(1u << i))", u32::MAX, 0),
        ("imageAtomicOr(a, 3, 1u << i)", 0, u32::MAX),
        ("imageAtomicXor(a, 3, 1u)", 6, 6),
        ("imageAtomicExchange(a, 3, i)", 6, 31),
        ("imageAtomicCompSwap(a, 3, i, i + 1u)", 0, 32),
    ] {
        let body = format!(
            "layout(local_size_x = 32) in; layout(r32ui, binding = 0) uniform uimageBuffer a;
            void main() {{ uint i = gl_GlobalInvocationID.x; {call}; }}"
        );
        let made = compiled(&body).expect(call);
        let same = "dimension=2d layout=linear channels=R32 type=uint swizzle=R,G,B,A width=16384 height=1";
        let both = [
            TEXTURE
                .pack(&format!("{same} address={IMAGE:#x} stride=65520 buffer_size_sw=16"))
                .expect("legal"),
            PBE.pack(&format!("{same} buffer={IMAGE:#x} stride=65532 buffer_offset_sw=2")).expect("legal"),
        ];
        let mut before = vec![0; 64];
        before[20..24].copy_from_slice(&start.to_le_bytes());
        let (after, _) = run(&made, &both.concat(), before, [1, 1, 1]);
        assert_eq!(word(&after, 20), expected, "{call}");
        assert_eq!(interpreted(&body, &[0, 0, 0, start, 0])[3], expected, "{call}, interpreted");
        assert!((0..16).all(|n| n == 5 || word(&after, 4 * n) == 0), "{call}");
    }
}

/// What the texture unit stores is behind a fence before an atomic operation, and the other way round.
#[test]
fn both_units_are_in_order() {
    let body = |rest: &str| {
        format!(
            "layout(local_size_x = 32) in; layout(r32ui, binding = 0) uniform uimage2D a;
            layout(std430, binding = 1) buffer B {{ uint old[]; }};
            void main() {{ ivec2 p = ivec2(gl_GlobalInvocationID.xy); {rest} }}"
        )
    };
    let barriers = |rest: &str| {
        let made = compiled(&body(rest)).expect(rest);
        let style = chiaro_agx::listing::Style::default();
        chiaro_agx::listing::code(&made.file.code, style).matches("memory_barrier").count()
    };
    assert_eq!(barriers("imageAtomicAdd(a, p, 1u);"), 0);
    assert_eq!(barriers("imageStore(a, p, uvec4(4u)); imageAtomicAdd(a, p, 1u);"), 11);
}

#[test]
fn texels_of_other_sizes_are_refused_with_the_operation() {
    let body = "#extension GL_EXT_shader_image_int64 : enable
        #extension GL_ARB_gpu_shader_int64 : enable
        layout(local_size_x = 32) in; layout(r64ui, binding = 0) uniform u64image2D a;
        void main() { imageAtomicAdd(a, ivec2(0), 1ul); }";
    let refused = compiled(body).expect_err("it has 64 bits");
    assert!(refused.contains("atomic"), "{refused}");
}
