//! Checked compilation of shaders that store to images and buffers: what they leave there is compared, and words that
//! leave something else are refused.

use chiaro_agx::compile::{Compiled, Options as Choices, compile};
use chiaro_agx::verify::{Compared, Failure, Words, verify};
use chiaro_diag::SourceMap;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_target::proof::kernel;

/// Invocations of each shader.
const INVOCATIONS: usize = 24;

/// A fragment shader with an image `a` of a format, and inputs: a place, numbers.
fn fragment(layout: &str, kind: &str, main: &str) -> Module {
    let body = format!(
        "layout({layout}binding = 0) uniform {kind} a; layout(location = 0) flat in ivec4 p;
        layout(location = 1) in vec4 v; layout(location = 0) out vec4 o; void main() {{ o = v; {main} }}"
    );
    load(Stage::Fragment, &body)
}

fn load(stage: Stage, body: &str) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add("shader", format!("#version 450\n{body}"));
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &Options::new(stage), &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{body}: {}", errors[0].message));
    chiaro_spirv::read_module(&words, &Default::default(), &mut sources).expect("SPIR-V").module
}

fn build(module: &Module) -> Compiled {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = compile(&mut module.clone(), "main", Choices::default(), &mut cx);
    made.unwrap_or_else(|errors| panic!("{}\n{}", errors[0].message, chiaro_ir::print(module)))
}

fn proved(module: &Module, compiled: &Compiled) -> Result<Compared, Failure> {
    let words = Words { source: module, entry: &module.entries[0], compiled: compiled.clone() };
    if words.entry.stage == chiaro_ir::Stage::Compute {
        return kernel::verify(&words, 1);
    }
    verify(&words, INVOCATIONS, 1)
}

fn is_right(module: &Module, what: &str) {
    let made = build(module);
    let compared = proved(module, &made).unwrap_or_else(|why| {
        panic!("{what}: {why}\n{}", chiaro_agx::listing::code(&made.file.code, Default::default()))
    });
    assert!(compared.conclusive > 0, "{what}");
}

/// Words of another shader are wrong, because of a texel.
fn is_refused(source: &Module, other: &Module, what: &str) {
    let told = proved(source, &build(other)).expect_err(what);
    let is_texel = matches!(&told, Failure::Meaning(wrong) if wrong.output.starts_with("a["));
    assert!(is_texel, "{what}: {told}");
}

/// Numbers are rounded, limited and cut as formats have them.
#[test]
fn stores_in_all_formats_are_compared() {
    let floats = [
        "rgba32f",
        "rgba16f",
        "rg32f",
        "rg16f",
        "r11f_g11f_b10f",
        "r32f",
        "r16f",
        "rgba16",
        "rgb10_a2",
        "rgba8",
        "rg16",
        "rg8",
        "r16",
        "r8",
        "rgba16_snorm",
        "rgba8_snorm",
        "rg16_snorm",
        "rg8_snorm",
        "r16_snorm",
        "r8_snorm",
    ];
    for format in floats {
        let place = "ivec2(p.x & 7, p.y & 3)";
        for value in ["vec4(0.25, 0.5, 1.0, 0.75) * float(p.z & 7)", "v * 0.3 + v.wzyx"] {
            let module =
                fragment(&format!("{format}, "), "image2D", &format!("imageStore(a, {place}, {value});"));
            is_right(&module, &format!("{format} of {value}"));
        }
    }
    for (letter, sizes) in [("u", "ui"), ("i", "i")] {
        for format in ["rgba32", "rgba16", "rgba8", "rg32", "rg16", "rg8", "r32", "r16", "r8"] {
            let main = format!("imageStore(a, ivec2(p.x & 7, p.y & 3), {letter}vec4(p * 3));");
            let layout = format!("{format}{sizes}, ");
            is_right(&fragment(&layout, &format!("{letter}image2D"), &main), &layout);
        }
    }
    is_right(&fragment("rgb10_a2ui, ", "uimage2D", "imageStore(a, ivec2(p.x & 7), uvec4(p));"), "rgb10_a2ui");
    is_right(&fragment("", "writeonly image2D", "imageStore(a, ivec2(p.x & 7), v);"), "no format");
}

/// Texels lie where the shape of the image says.
#[test]
fn stores_to_all_shapes_are_compared() {
    for (shape, place) in [
        ("image1D", "p.x & 7"),
        ("image1DArray", "ivec2(p.x & 7, p.y & 1)"),
        ("image2DArray", "ivec3(p.x & 3, p.y & 3, p.z & 1)"),
        ("image3D", "ivec3(p.x & 3, p.y & 1, p.z & 3)"),
        ("imageCube", "ivec3(p.x & 3, p.y & 3, p.z & 3)"),
        ("imageCubeArray", "ivec3(p.x & 3, p.y & 3, p.z & 7)"),
        ("imageBuffer", "p.x & 15"),
    ] {
        let main = format!(
            "vec4 old = imageLoad(a, {place}); imageStore(a, {place}, old * 0.5); o += old;
            o.x += float(imageSize(a){});",
            if matches!(shape, "image1D" | "imageBuffer") { "" } else { ".x" }
        );
        is_right(&fragment("rgba16f, ", shape, &main), shape);
        let counted = format!("o.x += float(imageAtomicAdd(a, {place}, 3u) & 255u);");
        is_right(&fragment("r32ui, ", &format!("u{shape}"), &counted), &format!("{shape}, counted"));
    }
}

/// Shaders read what they have written, count in texels, store in loops, before and behind a discard.
#[test]
fn what_shaders_leave_in_images_is_compared() {
    for main in [
        "ivec2 t = p.xy & 3; uint n = imageLoad(a, t).x; imageStore(a, t.yx, uvec4(n + 5u)); \
         o.x = float(imageLoad(a, t).x);",
        "uint n = imageAtomicAdd(a, p.xy & 3, uint(p.z)); o.x = float(n & 255u);",
        "uint n = imageAtomicCompSwap(a, p.xy & 3, uint(p.z & 1), 7u); imageAtomicMax(a, p.yx & 3, n * 2u);",
        "imageAtomicAdd(a, p.xy & 3, 2u); if (p.w < 0) discard; imageAtomicExchange(a, p.xy & 3, 9u);",
        "imageStore(a, p.xy & 3, uvec4(1u)); if (p.w < 0) discard; imageStore(a, p.zw & 3, uvec4(2u));",
        "for (int i = 0; i < 5; i++) { if (i == (p.w & 3)) continue; imageStore(a, ivec2(i, p.x & 3), uvec4(p)); }",
        "for (int i = 0; i < (p.w & 7); i++) imageAtomicAdd(a, ivec2(i & 1, 2), uint(i) + 1u);",
        "if (p.x > p.y) imageStore(a, ivec2(1), uvec4(p.z)); else imageStore(a, ivec2(2), uvec4(p.w));",
        "imageStore(a, ivec2(-1, 2), uvec4(4u)); imageStore(a, ivec2(3, 100), uvec4(4u)); o.x = float(imageLoad(a, p.zw).x);",
        "imageStore(a, ivec2(gl_FragCoord.xy), uvec4(p.x));",
    ] {
        is_right(&fragment("r32ui, ", "uimage2D", main), main);
    }
    let several = "layout(r32ui, binding = 0) uniform uimage2D a[3]; layout(rgba8, binding = 3) uniform image2D b;
        layout(binding = 4) uniform sampler2D c; layout(location = 0) flat in ivec4 p; layout(location = 1) in vec4 v;
        layout(location = 0) out vec4 o; void main() { o = texture(c, v.xy);
            imageStore(a[1], p.xy & 3, uvec4(p.x)); imageAtomicOr(a[2], p.xy & 3, 64u); imageStore(b, p.yz & 3, v); }";
    is_right(&load(Stage::Fragment, several), several);
}

/// Helpers by `demote` leave nothing behind it; in a loop that may come before.
#[test]
fn helpers_leave_nothing_in_images_and_buffers() {
    let shader = |main: &str| {
        let body = format!(
            "#extension GL_EXT_demote_to_helper_invocation : require
            layout(r32ui, binding = 0) uniform uimage2D a; layout(binding = 1) buffer B {{ uint n[8]; }} b;
            layout(location = 0) flat in ivec4 p; layout(location = 0) out vec4 o;
            void main() {{ o = vec4(1.0); {main} }}"
        );
        load(Stage::Fragment, &body)
    };
    for main in [
        "demote; imageStore(a, p.xy & 3, uvec4(1u)); b.n[p.z & 7] = 4u;",
        "imageAtomicAdd(a, p.xy & 3, 2u); if (p.w < 0) demote; o.x = float(imageAtomicAdd(a, p.yx & 3, 3u));",
        "if (p.w < 0) demote; atomicMax(b.n[p.x & 7], 200u); if (p.z < 0) b.n[1] = uint(p.x);",
        "for (int i = 0; i < 3; i++) { imageAtomicAdd(a, ivec2(i, p.x & 1), 1u); if ((p.z & 3) == i) demote; }",
        "for (int i = 0; i < (p.w & 7); i++) { imageAtomicAdd(a, ivec2(i & 1, p.x & 1), 1u); \
         if ((p.z & 3) == i) demote; }",
    ] {
        is_right(&shader(main), main);
    }
}

/// Vertices may store as well; each finds the texels that others have not written.
#[test]
fn what_vertices_leave_in_images_is_compared() {
    let body = |number: u32| {
        let body = format!(
            "layout(r32ui, binding = 0) uniform uimage2D a; layout(location = 0) in ivec4 p;
            void main() {{ gl_Position = vec4(float(imageAtomicAdd(a, p.xy & 3, {number}u)));
                imageStore(a, ivec2(4, p.z & 3), uvec4(p)); }}"
        );
        load(Stage::Vertex, &body)
    };
    is_right(&body(3), "vertices");
    is_refused(&body(3), &body(4), "another number");
}

/// A mask of samples that some paths leave undefined proves nothing there, and is compared elsewhere.
#[test]
fn masks_of_samples_may_be_undefined_on_a_path() {
    let body = |mask: u32| {
        let body = format!(
            "layout(location = 0) flat in ivec4 p; layout(location = 0) out vec4 o;
            void main() {{ o = vec4(1.0); if ((p.x & 3) > 0) gl_SampleMask[0] = {mask}; }}"
        );
        load(Stage::Fragment, &body)
    };
    is_right(&body(3), "a mask on a path");
    assert!(proved(&body(3), &build(&body(5))).is_err(), "another mask");
}

/// Changes across the quads of a kernel: fine ones where the source leaves it open.
#[test]
fn changes_across_quads_of_kernels_are_compared() {
    for group in ["quads", "linear"] {
        let module = |main: &str| {
            let body = format!(
                "#extension GL_NV_compute_shader_derivatives : require
                layout(local_size_x = 8, local_size_y = 4, derivative_group_{group}NV) in;
                layout(binding = 0) buffer B {{ vec4 v[]; }} b;
                void main() {{ uint n = gl_GlobalInvocationID.y % 8 * 8 + gl_GlobalInvocationID.x % 8;
                    float x = float(n * n) * 0.25; b.v[n] = {main}; }}"
            );
            load(Stage::Compute, &body)
        };
        let all = "vec4(dFdx(x), dFdyCoarse(x), dFdxFine(x), fwidth(x))";
        is_right(&module(all), group);
        let other = module("vec4(dFdx(x), dFdxCoarse(x), dFdxFine(x), fwidth(x))");
        assert!(proved(&module(all), &build(&other)).is_err(), "{group}");
    }
}

/// A texel that is another, or elsewhere, a store that is missing, and one too many.
#[test]
fn other_texels_are_refused() {
    let float = |main: &str| fragment("rgba8, ", "image2D", main);
    let count = |main: &str| fragment("r32ui, ", "uimage2D", main);
    let store = "imageStore(a, p.xy & 3, v);";
    for (source, words) in [
        (store, "imageStore(a, p.xy & 3, v.yxzw);"),
        (store, "imageStore(a, p.yx & 3, v);"),
        (store, "imageStore(a, p.xy & 3, v + 0.01);"),
        (store, ""),
        ("", store),
        (store, "imageStore(a, p.xy & 3, v); imageStore(a, ivec2(5, 5), v);"),
        (store, "if (p.z > 0) imageStore(a, p.xy & 3, v);"),
        (
            "imageStore(a, p.xy & 3, v); if (p.z > 0) discard;",
            "if (p.z > 0) discard; imageStore(a, p.xy & 3, v);",
        ),
        (
            "if (p.z > 0) discard; imageStore(a, p.xy & 3, v);",
            "imageStore(a, p.xy & 3, v); if (p.z > 0) discard;",
        ),
    ] {
        // Both have the image, so that states are the same.
        let [source, words] =
            [source, words].map(|main| float(&format!("o.x += imageLoad(a, ivec2(0)).x; {main}")));
        is_refused(&source, &words, &chiaro_ir::print(&words));
    }
    let add = "imageAtomicAdd(a, p.xy & 3, 3u);";
    for words in [
        "imageAtomicAdd(a, p.xy & 3, 4u);",
        "imageAtomicAdd(a, p.xy & 3, uint(-3));",
        "imageAtomicOr(a, p.xy & 3, 3u);",
    ] {
        is_refused(&count(add), &count(words), words);
    }
    is_refused(&count(&add.repeat(2)), &count(add), "once");
    is_refused(&count(add), &count(&add.repeat(2)), "twice");
}

/// An image of which the words have nothing at all.
#[test]
fn images_that_words_do_not_have_are_compared() {
    let stores = fragment("rgba8, ", "image2D", "imageStore(a, p.xy & 3, v);");
    is_refused(&stores, &fragment("rgba8, ", "image2D", ""), "no image");
}

fn with_buffer(main: &str) -> Module {
    let body = format!(
        "layout(std430, binding = 0) buffer B {{ uint n; vec3 f; uint open[]; }} b;
        layout(location = 0) flat in ivec4 p; layout(location = 1) in vec4 v; layout(location = 0) out vec4 o;
        void main() {{ o = v; {main} }}"
    );
    load(Stage::Fragment, &body)
}

/// Fragments have buffers of their own, as they have texels; helpers store nothing in them.
#[test]
fn what_shaders_leave_in_buffers_is_compared() {
    for main in [
        "b.n = uint(p.x); b.f = v.xyz * 2.0;",
        "b.open[p.x & 7] += uint(p.y); if (p.z < 0) discard; b.f.y = v.x + v.y;",
        "o.x = float(atomicAdd(b.n, 3u)); atomicMax(b.open[p.y & 3], uint(p.z) & 255u);",
        "for (int i = 0; i < (p.w & 7); i++) { b.open[i] = b.open[i + 1] + uint(i); atomicXor(b.n, 1u << i); }",
        "o.y += b.f.z + float(b.open.length());",
    ] {
        is_right(&with_buffer(main), main);
    }
    let store = "b.open[p.x & 7] = uint(p.y); if (p.z < 0) discard; b.f = v.xyz;";
    for words in [
        "b.open[p.x & 7] = uint(p.y); if (p.z < 0) discard;",
        "if (p.z < 0) discard; b.open[p.x & 7] = uint(p.y); b.f = v.xyz;",
        "b.open[p.x & 7] = uint(p.y); if (p.z < 0) discard; b.f = v.xzy;",
        "b.open[p.x & 7] = uint(p.y); if (p.z < 0) discard; b.f = v.xyz; atomicAdd(b.n, 1u);",
        "if (p.z < 0) discard;",
    ] {
        let told = proved(&with_buffer(store), &build(&with_buffer(words))).expect_err(words);
        let is_buffer = matches!(&told, Failure::Meaning(wrong) if wrong.output.contains("at byte"));
        assert!(is_buffer, "{words}: {told}");
    }
}

/// Each element of an array of buffers has an address of its own.
#[test]
fn arrays_of_buffers_are_compared() {
    let blocks = "layout(std140, binding = 0) uniform U { vec4 a; vec4 b; } u[3];
        layout(std430, binding = 4) buffer S { vec4 a; uint n; uint m[5]; } s[2];";
    let fragment = |main: &str| {
        let own = "layout(location = 0) flat in int p; layout(location = 0) out vec4 o;";
        load(Stage::Fragment, &format!("{blocks} {own} void main() {{ o = u[1].a + u[2].b; {main} }}"))
    };
    let kernel = |main: &str| {
        let own = "layout(local_size_x = 4) in;";
        load(
            Stage::Compute,
            &format!("{blocks} {own} void main() {{ uint p = gl_LocalInvocationID.x; {main} }}"),
        )
    };
    let store = "s[1].m[p & 3] = uint(p); if (p > 3) s[p & 1].n = 5u;";
    is_right(&fragment(&format!("{store} o += s[0].a;")), "a fragment");
    is_right(&kernel("s[1].m[p] = p; s[p & 1].m[4] = 6u; s[0].a = u[1].a + u[2].b;"), "a kernel");
    assert!(proved(&fragment(store), &build(&fragment("s[0].m[p & 3] = uint(p); s[1].n = 1u;"))).is_err());
    let other = kernel("s[0].m[p] = p; if (p > 8) s[1].n = 1u;");
    assert!(proved(&kernel("s[1].m[p] = p; if (p > 8) s[0].n = 1u;"), &build(&other)).is_err());
}

/// A kernel with an image `a` of a format, a texture and a buffer; `p` and `n` say which invocation it is.
fn kernel(layout: &str, kind: &str, main: &str) -> Module {
    let body = format!(
        "layout(local_size_x = 4, local_size_y = 2) in; layout({layout}binding = 0) uniform {kind} a;
        layout(binding = 1) uniform sampler2D t; layout(binding = 2) buffer B {{ vec4 v[]; }} b;
        void main() {{
            ivec2 p = ivec2(gl_GlobalInvocationID.xy); int n = (p.y & 7) * 8 + (p.x & 7);
            {main}
        }}"
    );
    load(Stage::Compute, &body)
}

/// All invocations of a dispatch have the same images.
#[test]
fn what_kernels_leave_in_images_is_compared() {
    for main in [
        "imageStore(a, p, b.v[n]);",
        "imageStore(a, p, imageLoad(a, p) * 0.5 + b.v[n] * 0.25);",
        "b.v[n] = imageLoad(a, p.yx) + texelFetch(t, ivec2(0), 0) + textureLod(t, vec2(0.3), 0.0);",
        "if (n > 9) imageStore(a, p, vec4(0.25)); b.v[n].xy = vec2(imageSize(a) + textureSize(t, 0));",
        "for (int i = 0; i < 3; i++) imageStore(a, ivec2(p.x, i), vec4(float(i)) * 0.25);",
    ] {
        for layout in ["rgba8, ", "rgba16f, ", "r32f, ", "rgba8_snorm, "] {
            is_right(&kernel(layout, "image2D", main), &format!("{layout}{main}"));
        }
    }
    for main in [
        "imageAtomicAdd(a, p & 3, 3u); imageAtomicXor(a, p & 1, uint(n));",
        "imageAtomicMax(a, ivec2(n & 3, 1), uint(n)); imageStore(a, ivec2(5), uvec4(7u));",
        "imageStore(a, p, uvec4(n)); b.v[n].x = float(imageLoad(a, p).x);",
    ] {
        is_right(&kernel("r32ui, ", "uimage2D", main), main);
    }
    for (shape, place) in [
        ("image2DArray", "ivec3(p & 3, n & 1)"),
        ("image3D", "ivec3(p.x & 3, p.y & 1, n & 3)"),
        ("imageCube", "ivec3(p & 3, n & 3)"),
        ("imageBuffer", "n & 15"),
    ] {
        let main = format!("imageAtomicAdd(a, {place}, 3u);");
        is_right(&kernel("r32ui, ", &format!("u{shape}"), &main), shape);
    }
    let several = "layout(local_size_x = 8) in; layout(r32ui, binding = 0) uniform uimage2D a[3];
        void main() { uint n = gl_GlobalInvocationID.x & 7u; imageStore(a[1], ivec2(n, 0), uvec4(n));
            imageAtomicOr(a[2], ivec2(n & 1u), 1u << n); }";
    is_right(&load(Stage::Compute, several), several);
}

/// The same for kernels as for fragments: colours, places, stores too few and too many.
#[test]
fn other_texels_of_kernels_are_refused() {
    let store = "imageStore(a, p, b.v[n] * 0.5);";
    let float = |main: &str| {
        let kept = format!("if (n < 0) imageStore(a, p, texelFetch(t, p, 0) + b.v[0]); {main}");
        kernel("rgba8, ", "image2D", &kept)
    };
    for words in [
        "imageStore(a, p, b.v[n].yxzw * 0.5);",
        "imageStore(a, p.yx, b.v[n] * 0.5);",
        "imageStore(a, p, b.v[n] * 0.5 + 0.01);",
        "if (n != 3) imageStore(a, p, b.v[n] * 0.5);",
        "imageStore(a, p, b.v[n] * 0.5); imageStore(a, ivec2(8, 5), vec4(1.0));",
        "",
    ] {
        is_refused(&float(store), &float(words), words);
    }
    is_refused(&float(""), &float(store), "a store too many");
    let count = |main: &str| kernel("r32ui, ", "uimage2D", main);
    let add = "imageAtomicAdd(a, p & 3, 3u);";
    is_refused(&count(add), &count("imageAtomicAdd(a, p & 3, 4u);"), "another number");
    is_refused(&count(add), &count("imageAtomicAdd(a, p.yx & 1, 3u);"), "another place");
}

/// What is stored with rounding is not known when it is read again: nothing is said of it.
#[test]
fn rounded_texels_of_kernels_that_are_read_again_prove_nothing() {
    let main = "imageStore(a, p, b.v[n] * 0.3 + b.v[n].wzyx); b.v[n] = imageLoad(a, p);";
    let module = kernel("rgba32f, ", "image2D", main);
    let told = proved(&module, &build(&module)).expect_err("it proves nothing");
    assert!(matches!(told, Failure::Untested { .. }), "{told}");
}
