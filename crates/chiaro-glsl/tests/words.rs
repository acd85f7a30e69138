//! What the checker finds right becomes words, in OpenGL's flavour and in Vulkan's: the sources
//! of `tests/check` that have no error.

#[allow(dead_code, reason = "only the options are of use here")]
use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_glsl::compile;

use crate::data;

#[test]
fn right_sources_become_words_of_both_flavours() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut written = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (name, text) = (path.to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap());
        let text = text.split("--- expect").next().unwrap_or_default();
        let mut sources = SourceMap::new();
        let file = sources.add(name.as_str(), text);
        let options = data::options(&name, text);
        let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
        if found.iter().any(|report| report.severity == chiaro_diag::Severity::Error) {
            continue;
        }
        let module = module.unwrap_or_else(|| panic!("{name}: no words"));
        if let Err(error) = chiaro_words::vulkanize(&module) {
            panic!("{name}: {}", error.message);
        }
        written += 1;
    }
    assert!(written > 0);
}

/// What is longer than an instruction is reported, not cut off.
#[test]
fn arrays_longer_than_an_instruction_are_refused() {
    let bodies = [
        "float a[70000]; result = float(a == a);",
        "Flags flags = whole; result = float(flags.all[3]);",
        "result = float(zeros.a.a.a == zeros.b.b.b);",
    ];
    let structures: String = (1..40).map(|n| format!("struct S{n} {{ S{} a, b; }};\n", n - 1)).collect();
    for body in bodies {
        let text = format!(
            "#version 450\n#extension GL_EXT_null_initializer : require\n\
             struct Flags {{ bool all[70000]; }};\nstruct S0 {{ float x; }};\n{structures}\
             layout(binding = 0) uniform Block {{ Flags whole; }};\nconst S39 zeros = {{}};\n\
             layout(location = 0) out float result;\nvoid main() {{ {body} }}\n",
        );
        let mut sources = SourceMap::new();
        let file = sources.add("long.frag", text.as_str());
        let options = data::options("long.frag", &text);
        let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
        assert!(module.is_none(), "{body}");
        assert!(found[0].message.contains("too many parts"), "{body}: {}", found[0].message);
    }
}

/// Operands of hit objects in SPIR-V's order, where it is another than the language's.
#[test]
fn payloads_stand_before_hints() {
    let text = "#version 460\n#extension GL_EXT_ray_tracing : require\n\
        #extension GL_EXT_shader_invocation_reorder : require\n\
        layout(location = 4) rayPayloadEXT vec4 colour;\nhitObjectEXT hit;\n\
        void main() { hitObjectReorderExecuteEXT(hit, 1u, 2u, 4); hitObjectExecuteShaderEXT(hit, 4); }\n";
    let mut sources = SourceMap::new();
    let file = sources.add("hit.rgen", text);
    let options = data::options("hit.rgen", text);
    let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = module.unwrap_or_else(|| panic!("{found:?}")).words;
    let operands = |op| {
        let all = chiaro_words::instructions(&words).filter_map(Result::ok);
        all.filter(|inst| inst.op == op).map(|inst| inst.operands.to_vec()).next().unwrap()
    };
    let [hit, payload, hint, bits] = *operands(spirv::Op::HitObjectReorderExecuteShaderEXT) else { panic!() };
    assert_eq!(operands(spirv::Op::HitObjectExecuteShaderEXT), [hit, payload]);
    let value = |id| {
        let all = chiaro_words::instructions(&words).filter_map(Result::ok);
        all.filter(|inst| inst.op == spirv::Op::Constant && inst.operands[1] == id)
            .map(|i| i.operands[2])
            .next()
    };
    assert_eq!([value(hint), value(bits)], [Some(1), Some(2)]);
}

/// A source without `#version` is an old one, which its author may not know.
#[test]
fn a_missing_version_is_noted_where_a_newer_one_would_help() {
    let text = "out vec4 colour;\nvoid main() { colour = vec4(1.0); }\n";
    let noted = |text: &str| {
        let mut sources = SourceMap::new();
        let file = sources.add("old.frag", text);
        let options = data::options("old.frag", text);
        let (_, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
        found.iter().filter(|d| d.notes.iter().any(|note| note.contains("without `#version`"))).count()
    };
    assert_eq!(noted(text), 1);
    assert_eq!(noted(&format!("#version 110\n{text}")), 0);
}

/// Stages of a program share blocks and samplers by name and nothing else: each number of Vulkan
/// stands for one thing in all of them.
#[test]
fn stages_of_a_program_have_one_table_of_bindings() {
    use chiaro_words::vulkanize::{Bindings, vulkanize_stage};
    use spirv::{Decoration, Op};
    let vertex = "#version 450\nuniform mat4 world;\nuniform Shared { vec4 tint; };\nuniform Own { vec4 shift; };\n\
        layout(location = 0) in vec4 place;\nvoid main() { gl_Position = world * (place + shift) * tint; }\n";
    let fragment = "#version 450\nuniform float level;\nuniform sampler2D image;\nuniform Shared { vec4 tint; };\n\
        layout(binding = 1) uniform Given { vec4 more; };\nlayout(location = 0) out vec4 colour;\n\
        void main() { colour = texture(image, vec2(level)) * tint + more; }\n";
    let mut sources = SourceMap::new();
    let stages = [("a.vert", vertex), ("a.frag", fragment)]
        .map(|(name, text)| (sources.add(name, text), data::options(name, text)));
    let (modules, found) = chiaro_glsl::compile_program(&stages, false, &mut sources, &mut |_, _, _| None);
    assert_eq!(modules.len(), 2, "{found:?}");
    let mut bindings = Bindings::of(&modules);
    let numbers = |words: &[u32]| -> Vec<u32> {
        let all = chiaro_words::instructions(words).filter_map(Result::ok);
        let bound = |inst: &chiaro_words::Instruction<'_>| {
            inst.op == Op::Decorate && inst.operands[1] == Decoration::Binding as u32
        };
        let mut list: Vec<u32> = all.filter(bound).map(|inst| inst.operands[2]).collect();
        list.sort_unstable();
        list
    };
    let made: Vec<Vec<u32>> = modules
        .iter()
        .map(|module| numbers(&vulkanize_stage(module, &mut bindings).unwrap().words))
        .collect();
    // The loose uniforms of each stage, `Shared` and what only one has; 1 is given.
    assert_eq!(made, [vec![0, 2, 3], vec![1, 2, 4, 5]]);
}

/// The capabilities of a source's words for Vulkan, in the order of their numbers.
fn capabilities(name: &str, text: &str) -> Vec<spirv::Capability> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let options = data::options(name, text);
    let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
    let module = module.unwrap_or_else(|| panic!("{name}: {found:?}"));
    let words = chiaro_words::vulkanize(&module).unwrap().words;
    let all = chiaro_words::instructions(&words).map_while(Result::ok);
    let all = all.filter(|inst| inst.op == spirv::Op::Capability);
    let mut list: Vec<_> = all.filter_map(|inst| spirv::Capability::from_u32(inst.operands[0])).collect();
    list.sort_by_key(|&capability| capability as u32);
    list
}

/// Numbers of 16 and 8 bits, distances, tessellation: what is used is asked for, and nothing else.
#[test]
fn capabilities_are_those_that_are_used() {
    use spirv::Capability as C;
    let storage = "#version 450\n#extension GL_EXT_shader_16bit_storage : require\n\
        #extension GL_EXT_shader_8bit_storage : require\nlayout(local_size_x = 1) in;\n";
    let small = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n\
        layout(local_size_x = 1) in;\n";
    let halves = "layout(binding = 0) buffer B { float16_t h[]; } b;\n";
    let cases: [(&str, String, &[C]); 9] = [
        (
            "moved.comp",
            format!("{storage}{halves}void main() {{ b.h[0] = float16_t(float(b.h[1]) * 2.0); }}"),
            &[C::Shader, C::StorageBuffer16BitAccess],
        ),
        (
            "computed.comp",
            format!("{small}{halves}void main() {{ b.h[0] = b.h[1] * b.h[2]; }}"),
            &[C::Shader, C::Float16, C::StorageBuffer16BitAccess],
        ),
        (
            "uniform.comp",
            format!(
                "{storage}layout(binding = 1) uniform U {{ uint8_t c; int16_t s; }} u;\n\
                 layout(binding = 0) buffer B {{ int n; }} b;\n\
                 void main() {{ b.n = int(u.c) + int(u.s); }}"
            ),
            &[C::Shader, C::UniformAndStorageBuffer16BitAccess, C::UniformAndStorageBuffer8BitAccess],
        ),
        (
            "pushed.comp",
            format!(
                "{storage}layout(push_constant) uniform P {{ int16_t s; uint8_t c; }} p;\n\
                 layout(binding = 0) buffer B {{ int n; }} b;\n\
                 void main() {{ b.n = int(p.s) + int(p.c); }}"
            ),
            &[C::Shader, C::StoragePushConstant16, C::StoragePushConstant8],
        ),
        (
            "crossing.vert",
            "#version 450\n#extension GL_EXT_shader_16bit_storage : require\n\
             layout(location = 0) in f16vec4 v;\nvoid main() { gl_Position = vec4(v); }"
                .to_owned(),
            &[C::Shader, C::StorageInputOutput16],
        ),
        (
            "local.comp",
            format!(
                "{small}layout(binding = 0) buffer B {{ int n; }} b;\n\
                 void main() {{ int8_t x = int8_t(b.n); b.n = int(x * x); }}"
            ),
            &[C::Shader, C::Int8],
        ),
        (
            "unused_distances.vert",
            "#version 450\nout gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; float gl_CullDistance[1]; };\n\
             void main() { gl_Position = vec4(0.0); }"
                .to_owned(),
            &[C::Shader],
        ),
        (
            "used_distances.vert",
            "#version 450\nout gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[1]; };\n\
             void main() { gl_Position = vec4(0.0); gl_ClipDistance[0] = 1.0; }"
                .to_owned(),
            &[C::Shader, C::ClipDistance],
        ),
        (
            "patch.tese",
            "#version 450\nlayout(triangles) in;\nvoid main() { gl_Position = gl_in[0].gl_Position; }".to_owned(),
            &[C::Shader, C::Tessellation],
        ),
    ];
    for (name, text, expected) in cases {
        assert_eq!(capabilities(name, &text), expected, "{name}");
    }
}

/// OpenGL takes SPIR-V 1.0, where storage buffers are blocks of the uniform class.
#[test]
fn opengl_gets_words_of_the_first_version() {
    use spirv::{Decoration, Op, StorageClass};
    let text = "#version 450\nlayout(local_size_x = 1) in;\n\
        layout(binding = 0) buffer B { float x[]; } b;\nlayout(location = 0) uniform float k;\n\
        void main() { b.x[0] *= k; }\n";
    let mut sources = SourceMap::new();
    let file = sources.add("a.comp", text);
    let options = data::options("a.comp", text);
    let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = chiaro_words::openglize(&module.unwrap_or_else(|| panic!("{found:?}"))).unwrap().words;
    assert_eq!(words[1], 0x0001_0000);
    let all: Vec<_> = chiaro_words::instructions(&words).map(Result::unwrap).collect();
    let has =
        |op: Op, at: usize, word: u32| all.iter().any(|i| i.op == op && i.operands.get(at) == Some(&word));
    assert!(has(Op::Decorate, 1, Decoration::BufferBlock as u32));
    assert!(!has(Op::Variable, 2, StorageClass::StorageBuffer as u32));
    let rays = "#version 460\n#extension GL_EXT_ray_tracing : require\nvoid main() {}\n";
    let file = sources.add("a.rgen", rays);
    let (module, _) = compile(file, &mut sources, &data::options("a.rgen", rays), &mut |_, _, _| None);
    let error = chiaro_words::openglize(&module.unwrap()).unwrap_err();
    assert!(error.message.contains("1.4"), "{}", error.message);
}

/// Stages without derivatives sample the base level: SPIR-V has no level of a rectangle, so its
/// coordinates are said not to change.
#[test]
fn samples_of_stages_without_derivatives_are_explicit() {
    use spirv::{ImageOperands as Mask, Op};
    let cases = [
        ("sampler2DRect", "texture(s, vec2(1.0)).x", Op::ImageSampleExplicitLod, Mask::GRAD),
        ("sampler2DRect", "textureProj(s, vec3(1.0)).x", Op::ImageSampleProjExplicitLod, Mask::GRAD),
        ("sampler2DRectShadow", "texture(s, vec3(1.0))", Op::ImageSampleDrefExplicitLod, Mask::GRAD),
        ("sampler2D", "texture(s, vec2(1.0)).x", Op::ImageSampleExplicitLod, Mask::LOD),
        ("samplerCubeShadow", "texture(s, vec4(1.0))", Op::ImageSampleDrefExplicitLod, Mask::LOD),
    ];
    for (sampler, call, op, mask) in cases {
        let text = format!(
            "#version 450\nlayout(binding = 0) uniform {sampler} s;\nvoid main() {{ gl_Position = vec4({call}); }}\n"
        );
        let mut sources = SourceMap::new();
        let file = sources.add("a.vert", text.as_str());
        let options = data::options("a.vert", &text);
        let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
        let words = module.unwrap_or_else(|| panic!("{found:?}")).words;
        let sample = chiaro_words::instructions(&words).map(Result::unwrap).find(|inst| inst.op == op);
        let operands = sample.unwrap_or_else(|| panic!("{call}: no {op:?}")).operands;
        // Result type, result, image, coordinate, then the reference of a comparison.
        let at = if sampler.ends_with("Shadow") { 5 } else { 4 };
        assert_eq!(operands[at], mask.bits(), "{sampler}: {call}");
    }
}

/// The width of handles is said right behind the memory model, in both flavours.
#[test]
fn widths_of_handles_stand_before_the_entry_point() {
    use spirv::Op;
    let text = "#version 450\n#extension GL_ARB_bindless_texture : require\n\
        layout(binding = 0) uniform B { uvec2 handle; } b;\nlayout(location = 0) out vec4 colour;\n\
        void main() { colour = texture(sampler2D(b.handle), vec2(0.5)); }\n";
    let mut sources = SourceMap::new();
    let file = sources.add("a.frag", text);
    let (module, found) = compile(file, &mut sources, &data::options("a.frag", text), &mut |_, _, _| None);
    let module = module.unwrap_or_else(|| panic!("{found:?}"));
    let vulkan = chiaro_words::vulkanize(&module).unwrap();
    let opengl = chiaro_words::openglize(&module).unwrap();
    for words in [&module.words, &vulkan.words, &opengl.words] {
        let ops: Vec<Op> = chiaro_words::instructions(words).map(|inst| inst.unwrap().op).collect();
        let at = ops.iter().position(|&op| op == Op::SamplerImageAddressingModeNV).unwrap();
        assert_eq!(ops[at - 1..=at + 1], [Op::MemoryModel, Op::SamplerImageAddressingModeNV, Op::EntryPoint]);
    }
}

/// Instructions of a module: opcode and operands.
fn instructions(name: &str, text: &str) -> Vec<(u16, Vec<u32>)> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let (module, found) = compile(file, &mut sources, &data::options(name, text), &mut |_, _, _| None);
    let words = module.unwrap_or_else(|| panic!("{found:?}")).words;
    let (mut all, mut at) = (Vec::new(), 5);
    while at < words.len() {
        let length = (words[at] >> 16).max(1) as usize;
        all.push((words[at] as u16, words[at + 1..at + length].to_vec()));
        at += length;
    }
    all
}

#[test]
fn a_pragma_makes_all_outputs_invariant() {
    const DECORATE: u16 = 71;
    const INVARIANT: u32 = 18;
    let source = "out vec4 color;\nvoid main() { color = gl_Position = vec4(1.0); }\n";
    let invariant = |pragma: &str| {
        let all = instructions("all.vert", &format!("#version 330\n{pragma}\n{source}"));
        all.iter().filter(|(op, args)| *op == DECORATE && args.get(1) == Some(&INVARIANT)).count()
    };
    assert_eq!(invariant(""), 0);
    assert!(invariant("#pragma STDGL invariant(all)") > 0);
}

#[test]
fn a_vector_takes_a_matrix_column_by_column() {
    const EXTRACT: u16 = 81;
    let text = "#version 330\nuniform mat3x2 m;\nuniform mat2 n;\nout vec4 color;\nvoid main() { color = vec4(n) + vec4(m); }\n";
    let parts: Vec<Vec<u32>> = instructions("columns.frag", text)
        .into_iter()
        .filter(|(op, args)| *op == EXTRACT && args.len() == 5)
        .map(|(_, args)| args[3..].to_vec())
        .collect();
    assert_eq!(parts, [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0], [0, 1], [1, 0], [1, 1]]);
}

#[test]
fn what_is_empty_at_the_start_is_null() {
    const VARIABLE: u16 = 59;
    let text = |init: &str| {
        format!(
            "#version 450\n#extension GL_EXT_null_initializer : require\nfloat list[3]{init};\n\
             layout(location = 0) out float result;\nvoid main() {{ result = list[int(gl_FragCoord.x)]; }}\n"
        )
    };
    let given = |init: &str| {
        let all = instructions("null.frag", &text(init));
        all.iter().filter(|(op, args)| *op == VARIABLE && args.len() == 4).count()
    };
    assert_eq!([given(""), given(" = {}")], [0, 1]);
}

/// All components of a matrix in their order, column by column. [GLSL 4.60, 5.4.2]
#[test]
fn a_vector_of_a_matrix_takes_its_columns() {
    let text = "#version 450\nlayout(location = 0) in mat2 m;\nvoid main() { gl_Position = vec4(m); }\n";
    let mut sources = SourceMap::new();
    let file = sources.add("columns.vert", text);
    let options = data::options("columns.vert", text);
    let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = module.unwrap_or_else(|| panic!("{found:?}")).words;
    let all = || chiaro_words::instructions(&words).map_while(Result::ok);
    let of = |op| all().filter(move |inst| inst.op == op);
    let whole = of(spirv::Op::CompositeConstruct).last().unwrap();
    let place = |id: &u32| {
        let part = of(spirv::Op::CompositeExtract).find(|inst| inst.operands[1] == *id).unwrap();
        part.operands[3..].to_vec()
    };
    let places: Vec<Vec<u32>> = whole.operands[2..].iter().map(place).collect();
    assert_eq!(places, [[0, 0], [0, 1], [1, 0], [1, 1]]);
}

/// What a block is marked with is asked for, though nothing else of the extension is used.
#[test]
fn marks_ask_for_what_they_belong_to() {
    use spirv::Capability as C;
    let relative = "#version 450\n#extension GL_NV_viewport_array2 : require\n\
        layout(viewport_relative) out highp int gl_Layer;\nvoid main() { gl_Layer = 1; }\n";
    assert!(capabilities("relative.vert", relative).contains(&C::ShaderViewportMaskNV));
    for (extension, mark, wanted) in [
        ("GL_EXT_shader_invocation_reorder", "hitobjectshaderrecordext", C::ShaderInvocationReorderEXT),
        ("GL_NV_shader_invocation_reorder", "hitobjectshaderrecordnv", C::ShaderInvocationReorderNV),
    ] {
        let text = format!(
            "#version 460\n#extension GL_EXT_ray_tracing : require\n\
             #extension GL_EXT_buffer_reference_uvec2 : require\n#extension {extension} : require\n\
             layout(buffer_reference, {mark}, std430) buffer Record {{ uint material; }};\n\
             layout(binding = 0) buffer Seen {{ uvec2 at; uint seen; }};\n\
             void main() {{ seen = Record(at).material; }}\n"
        );
        assert!(capabilities("marks.rgen", &text).contains(&wanted), "{mark}");
    }
}
