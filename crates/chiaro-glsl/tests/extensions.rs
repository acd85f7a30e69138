//! Words that extensions make: for each source the instructions of interest, in their order.

#[allow(dead_code, reason = "only the options are of use here")]
use chiaro_diag::SourceMap;
use chiaro_glsl::compile;
use chiaro_glsl::source::Client;
use chiaro_words::instructions;
use chiaro_words::newer;
use spirv::Op;

use crate::data;

const DERIVATIVES: [&str; 2] = ["GL_NV_compute_shader_derivatives", "GL_KHR_compute_shader_derivatives"];

/// Opcodes and operands of a source; its errors if it has some.
fn words(name: &str, text: &str, client: Client) -> Result<Vec<(Op, Vec<u32>)>, Vec<String>> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let options = chiaro_glsl::source::Options { client, ..data::options(name, text) };
    let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
    let Some(module) = module else { return Err(found.into_iter().map(|report| report.message).collect()) };
    let module = chiaro_words::vulkanize(&module).unwrap();
    Ok(instructions(&module.words).flatten().map(|inst| (inst.op, inst.operands.to_vec())).collect())
}

/// The instructions of some kinds, by their opcodes.
fn of(name: &str, text: &str, wanted: &[Op]) -> Vec<Op> {
    let all = words(name, text, Client::Any).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    all.into_iter().map(|(op, _)| op).filter(|op| wanted.contains(op)).collect()
}

#[test]
fn places_in_heaps_are_untyped_chains() {
    let text = "#version 460\n#extension GL_EXT_descriptor_heap : require\n\
        layout(descriptor_heap) uniform U { uint x; } ins[];\n\
        layout(descriptor_heap, r32ui) uniform uimage2D images[];\n\
        layout(descriptor_heap) buffer O { uint x; } outs[];\n\
        void main() { outs[8].x = ins[9].x + imageAtomicAdd(images[1], ivec2(0), 1u); }";
    use Op::{BufferPointerEXT, UntypedAccessChainKHR, UntypedImageTexelPointerEXT, UntypedVariableKHR};
    let wanted = [UntypedVariableKHR, UntypedAccessChainKHR, BufferPointerEXT, UntypedImageTexelPointerEXT];
    let found = of("heap.comp", text, &wanted);
    let through = [UntypedAccessChainKHR, BufferPointerEXT];
    let expected = [
        &[UntypedVariableKHR][..],
        &through,
        &[UntypedAccessChainKHR, UntypedImageTexelPointerEXT],
        &through,
    ];
    let mut counts = expected.concat();
    let mut found_sorted = found.clone();
    counts.sort_unstable();
    found_sorted.sort_unstable();
    assert_eq!(found_sorted, counts, "{found:?}");
}

/// The least and the greatest number of a subgroup, by the kind of numbers.
#[test]
fn numbers_of_a_subgroup_are_compared_by_their_kind() {
    use Op::{GroupFMax, GroupFMin, GroupSMax, GroupSMin, GroupUMax, GroupUMin};
    for (ty, expected) in
        [("int", [GroupSMin, GroupSMax]), ("uint", [GroupUMin, GroupUMax]), ("float", [GroupFMin, GroupFMax])]
    {
        let text = format!(
            "#version 450\n#extension GL_AMD_shader_ballot : require\nlayout(local_size_x = 32) in;\n\
             layout(std430, binding = 0) buffer B {{ {ty} d[]; }};\n\
             void main() {{ d[0] = minInvocationsAMD(d[1]); d[1] = maxInvocationsAMD(d[2]); }}"
        );
        let all = [GroupFMax, GroupFMin, GroupSMax, GroupSMin, GroupUMax, GroupUMin];
        assert_eq!(of("least.comp", &text, &all), expected, "{ty}");
    }
}

/// A pragma makes all indices of a stage wide, where its extension is on.
#[test]
fn a_pragma_makes_indices_wide() {
    let mode = |extension: &str, pragma: &str| {
        let text = format!("#version 460\n{extension}\n{pragma}\nvoid main() {{}}");
        let all = words("wide.comp", &text, Client::Any).unwrap_or_else(|errors| panic!("{errors:?}"));
        let wide = spirv::ExecutionMode::Shader64BitIndexingEXT as u32;
        all.iter().any(|(op, operands)| *op == Op::ExecutionMode && operands[1] == wide)
    };
    let (extension, pragma) =
        ("#extension GL_EXT_shader_64bit_indexing : enable", "#pragma shader_64bit_indexing");
    assert!(mode(extension, pragma));
    assert!(!mode(extension, "") && !mode("", pragma));
}

/// Sizes of descriptors are not known: where members lie is reported by constants that follow them.
#[test]
fn members_of_heaps_lie_behind_descriptors() {
    let text = "#version 460\n#extension GL_EXT_descriptor_heap : require\n\
        #extension GL_EXT_structured_descriptor_heap : require\n\
        layout(buffer_type) buffer Data { uint x; };\n\
        layout(heap_offset = 1024) resourceheap Heap { uint count; Data data; Data all[]; } heap;\n\
        void main() { heap.data.x = heap.all[3].x + heap.count; }";
    let all = words("heap.comp", text, Client::Any).unwrap();
    let offsets = all.iter().filter(|(op, _)| *op == Op::MemberDecorateIdEXT).count();
    assert_eq!(offsets, 3);
    assert!(all.iter().any(|(op, operands)| *op == Op::SpecConstantOp && operands[2] == Op::UMod as u32));
    let plain = text.replace("Data data; Data all[];", "uint data[2];").replace("heap.all[3].x", "1u");
    let all = words("heap.comp", &plain.replace("heap.data.x =", "uint y ="), Client::Any).unwrap();
    assert!(all.iter().all(|(op, _)| *op != Op::MemberDecorateIdEXT), "all is known here");
}

#[test]
fn functions_of_vendors_are_their_instructions() {
    let cases: [(&str, &str, &str, &[Op]); 6] = [
        (
            "a.frag",
            "GL_QCOM_image_processing3",
            "result = textureGatherV2OffsetQCOM(plane, vec2(0.5), ivec2(1), 2);",
            &[newer::IMAGE_GATHER],
        ),
        (
            "b.frag",
            "GL_AMD_texture_gather_bias_lod",
            "result = textureGatherLodOffsetAMD(plane, vec2(0.5), 1.0, ivec2(1), 2);",
            &[Op::ImageGather],
        ),
        (
            "c.frag",
            "GL_NV_shader_texture_footprint",
            "gl_TextureFootprint2DNV at; result = vec4(textureFootprintNV(plane, vec2(0.5), 1, true, at));",
            &[Op::ImageSampleFootprintNV],
        ),
        (
            "d.frag",
            "GL_AMD_shader_image_load_store_lod",
            "result = imageLoadLodAMD(image, ivec2(0), 3); imageStoreLodAMD(image, ivec2(0), 2, result);",
            &[Op::ImageRead, Op::ImageWrite],
        ),
        (
            "e.frag",
            "GL_EXT_texture_offset_non_const",
            "ivec2 at[4]; at[0] = ivec2(result.xy); result = textureGatherOffsets(plane, vec2(0.5), at);",
            &[Op::ImageGather; 4],
        ),
        (
            "f.frag",
            "GL_EXT_shader_tile_image",
            "result = colorAttachmentReadEXT(colour);",
            &[Op::ColorAttachmentReadEXT],
        ),
    ];
    for (name, extension, body, expected) in cases {
        let attachment =
            if name == "f.frag" { "layout(location = 0) tileImageEXT attachmentEXT colour;\n" } else { "" };
        let text = format!(
            "#version 450\n#extension {extension} : require\n{attachment}\
             layout(binding = 0) uniform sampler2D plane;\n\
             layout(binding = 1, rgba32f) uniform image2D image;\n\
             layout(location = 0) out vec4 result;\nvoid main() {{ {body} }}\n"
        );
        assert_eq!(of(name, &text, expected), expected, "{extension}");
    }
}

#[test]
fn clients_ask_for_places() {
    let cases = [
        ("#version 450\nuniform float x;\nvoid main() {}", Client::OpenGl, "a uniform needs its location"),
        (
            "#version 450\nuniform B { float x; };\nvoid main() {}",
            Client::OpenGl,
            "a block needs its binding",
        ),
        ("#version 150\nvoid main() {}", Client::OpenGl, "OpenGL takes SPIR-V of"),
        ("#version 450\nvoid main() { gl_VertexIndex; }", Client::OpenGl, "`gl_VertexIndex` is Vulkan's"),
        ("#version 450\nin vec4 v;\nvoid main() {}", Client::Vulkan { minor: 0 }, "an input or output needs"),
        (
            "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : require\n\
             void main() { subgroupAdd(1); }",
            Client::Vulkan { minor: 0 },
            "`subgroupAdd` needs SPIR-V 1.3",
        ),
    ];
    for (text, client, message) in cases {
        assert!(words("a.vert", text, Client::Any).is_ok(), "{text}");
        let errors = words("a.vert", text, client).unwrap_err();
        assert!(errors.iter().any(|error| error.starts_with(message)), "{text}: {errors:?}");
    }
    let defined = "#version 450\n#if GL_SPIRV == 100\n#error yes\n#endif\nvoid main() {}";
    assert!(
        words("a.vert", defined, Client::Any).is_ok() && words("a.vert", defined, Client::OpenGl).is_err()
    );
}

#[test]
fn what_differs_is_marked_from_the_index_to_the_image() {
    let text = "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n\
        layout(set = 0, binding = 0) uniform sampler2D pictures[8];\n\
        layout(set = 0, binding = 1) uniform texture2D parts[8];\n\
        layout(set = 0, binding = 2) uniform sampler s;\n\
        layout(set = 0, binding = 3) readonly buffer B { vec4 v; } rows[8];\n\
        layout(location = 0) flat nonuniformEXT in int named;\n\
        layout(location = 1) flat in int i;\n\
        layout(location = 0) out vec4 colour;\n\
        void main() {\n\
            colour = texture(pictures[nonuniformEXT(i + 1)], vec2(0.5));\n\
            colour += texture(sampler2D(parts[named], s), vec2(0.5));\n\
            colour += rows[nonuniformEXT(i)].v + texture(pictures[nonuniformEXT(3)], vec2(0.5));\n\
        }";
    let all = words("differs.frag", text, Client::Any).unwrap();
    let nonuniform = spirv::Decoration::NonUniform as u32;
    let decorated = all.iter().filter(|(op, words)| *op == Op::Decorate && words[1] == nonuniform);
    let marked: Vec<u32> = decorated.map(|(_, words)| words[0]).collect();
    let made = all.iter().filter(|(op, words)| {
        *op != Op::Decorate && !op.is_type() && words.get(1).is_some_and(|id| marked.contains(id))
    });
    let ops: Vec<Op> = made.map(|(op, _)| *op).collect();
    use Op::{AccessChain, IAdd, Load, SampledImage};
    let expected = [
        &[IAdd, AccessChain, Load][..],
        &[Load, AccessChain, Load, SampledImage],
        &[Load, AccessChain, Load],
    ];
    assert_eq!(ops, expected.concat());
    let capabilities = all.iter().filter(|(op, _)| *op == Op::Capability).map(|(_, words)| words[0]);
    let capabilities: Vec<u32> = capabilities.collect();
    use spirv::Capability as C;
    let announced = [
        C::ShaderNonUniform,
        C::SampledImageArrayNonUniformIndexing,
        C::StorageBufferArrayNonUniformIndexing,
    ];
    assert!(announced.iter().all(|&c| capabilities.contains(&(c as u32))), "{capabilities:?}");
}

/// What entry points ask for by a layout: the mode, and the capability that has to be declared for it.
#[test]
fn modes_declare_what_they_need() {
    use spirv::{Capability as C, ExecutionMode as M};
    const INTERLOCK: &str = "GL_ARB_fragment_shader_interlock";
    const QUADS: &str = "GL_EXT_shader_quad_control";
    let rows = [
        (
            INTERLOCK,
            "pixel_interlock_ordered",
            M::PixelInterlockOrderedEXT,
            C::FragmentShaderPixelInterlockEXT,
        ),
        (
            INTERLOCK,
            "sample_interlock_unordered",
            M::SampleInterlockUnorderedEXT,
            C::FragmentShaderSampleInterlockEXT,
        ),
        (
            "GL_ARB_post_depth_coverage",
            "post_depth_coverage",
            M::PostDepthCoverage,
            C::SampleMaskPostDepthCoverage,
        ),
        (QUADS, "full_quads", M::RequireFullQuadsKHR, C::QuadControlKHR),
        (QUADS, "quad_derivatives", M::QuadDerivativesKHR, C::QuadControlKHR),
        (
            DERIVATIVES[0],
            "derivative_group_quadsNV",
            M::DerivativeGroupQuadsKHR,
            C::ComputeDerivativeGroupQuadsKHR,
        ),
        (
            DERIVATIVES[0],
            "derivative_group_linearNV",
            M::DerivativeGroupLinearKHR,
            C::ComputeDerivativeGroupLinearKHR,
        ),
        (
            DERIVATIVES[1],
            "derivative_group_quadsKHR",
            M::DerivativeGroupQuadsKHR,
            C::ComputeDerivativeGroupQuadsKHR,
        ),
        (
            DERIVATIVES[1],
            "derivative_group_linearKHR",
            M::DerivativeGroupLinearKHR,
            C::ComputeDerivativeGroupLinearKHR,
        ),
    ];
    for (extension, layout, mode, capability) in rows {
        let (name, size) = match extension.contains("compute") {
            true => ("c.comp", "local_size_x = 4, local_size_y = 4, "),
            false => ("f.frag", ""),
        };
        let text = format!(
            "#version 450\n#extension {extension} : require\nlayout({size}{layout}) in;\nvoid main() {{}}"
        );
        let all = words(name, &text, Client::Any).unwrap_or_else(|errors| panic!("{layout}: {errors:?}"));
        let has = |op: Op, at: usize, n: u32| all.iter().any(|(o, w)| *o == op && w[at] == n);
        assert!(has(Op::ExecutionMode, 1, mode as u32), "{layout}");
        assert!(has(Op::Capability, 0, capability as u32), "{layout}");
    }
}

/// Groups in a line are of four: the product of all three sizes tells whether they come out even.
#[test]
fn groups_in_a_line_fill_the_workgroup() {
    let fits = |size: [u32; 3]| {
        let sizes: String =
            ["x", "y", "z"].iter().zip(size).map(|(axis, n)| format!("local_size_{axis} = {n}, ")).collect();
        let text = format!(
            "#version 450\n#extension {} : require\nlayout({sizes}derivative_group_linearKHR) in;\nvoid main() {{}}",
            DERIVATIVES[1]
        );
        words("c.comp", &text, Client::Any).is_ok()
    };
    for size in [[4, 3, 1], [1, 1, 4], [2, 1, 2], [1, 6, 2], [3, 5, 4]] {
        assert!(fits(size), "{size:?}");
    }
    for size in [[3, 1, 1], [1, 3, 1], [2, 1, 1], [3, 3, 2], [1, 1, 2]] {
        assert!(!fits(size), "{size:?}");
    }
}
