//! Words of cooperative types: which instructions with which literals.

#[allow(dead_code, reason = "only the options are of use here")]
use chiaro_diag::SourceMap;
use chiaro_glsl::compile;
use spirv::{Capability, MemoryModel, Op};

use crate::data;

/// The instructions of a source with these lines in `main`.
fn words(declared: &str, body: &str) -> Vec<(Op, Vec<u32>)> {
    let text = format!(
        "#version 450\n\
         #extension GL_KHR_memory_scope_semantics : enable\n\
         #extension GL_KHR_cooperative_matrix : enable\n\
         #extension GL_NV_cooperative_vector : enable\n\
         #extension GL_EXT_shader_explicit_arithmetic_types : enable\n\
         layout(local_size_x = 64) in;\n\
         {declared}\nvoid main() {{ {body} }}\n"
    );
    let mut sources = SourceMap::new();
    let file = sources.add("cooperative.comp", text.as_str());
    let options = data::options("cooperative.comp", &text);
    let (module, found) = compile(file, &mut sources, &options, &mut |_, _, _| None);
    let module = module.unwrap_or_else(|| panic!("{}", found[0].message));
    let mut rest = &module.words[5..];
    let mut all = Vec::new();
    while let Some(&first) = rest.first() {
        let (one, more) = rest.split_at((first >> 16) as usize);
        all.push((chiaro_words::newer::of_number(first as u16).unwrap(), one[1..].to_vec()));
        rest = more;
    }
    all
}

/// The operands of the only instruction with an opcode.
fn only(words: &[(Op, Vec<u32>)], op: Op) -> &[u32] {
    let mut found = words.iter().filter(|one| one.0 == op);
    let first = found.next().unwrap_or_else(|| panic!("no {op:?}"));
    assert!(found.next().is_none(), "more than one {op:?}");
    &first.1
}

const MATRICES: &str = "layout(binding = 0) coherent buffer Data { float16_t x[]; };\n\
    layout(binding = 1) buffer Own { float16_t y[]; };\n\
    layout(constant_id = 0) const int N = 8;";

#[test]
fn matrices_are_made_of_constants_and_specialised_numbers() {
    let body = "coopmat<float16_t, gl_ScopeSubgroup, 16, N, gl_MatrixUseA> a; a[0] = a[1];";
    let words = words(MATRICES, body);
    let spec = only(&words, Op::SpecConstant)[1];
    let matrix = only(&words, Op::TypeCooperativeMatrixKHR);
    assert_eq!((matrix.len(), matrix[4]), (6, spec));
    assert_eq!(only(&words, Op::MemoryModel)[1], MemoryModel::Vulkan as u32);
    let capable = |c: Capability| words.contains(&(Op::Capability, vec![c as u32]));
    assert!(capable(Capability::CooperativeMatrixKHR) && capable(Capability::VulkanMemoryModel));
}

#[test]
fn what_is_coherent_is_said_of_each_access() {
    let matrix = "coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> a;";
    let load = |name: &str| {
        let body = format!("{matrix} coopMatLoad(a, {name}, 0, 16, gl_CooperativeMatrixLayoutRowMajor);");
        let words = words(MATRICES, &body);
        assert!(!words.iter().any(|(op, operands)| *op == Op::MemberDecorate && operands[2] == 23));
        only(&words, Op::CooperativeMatrixLoadKHR)[5..].to_vec()
    };
    // Non-private and made visible, to the queue family.
    assert_eq!(load("x")[0], 0x30);
    assert_eq!(load("x").len(), 2);
    assert!(load("y").is_empty());
}

#[test]
fn signed_factors_are_flagged() {
    let body = "coopmat<int8_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA> a;\
        coopmat<uint8_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseB> b;\
        coopmat<int, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> c; c = coopMatMulAdd(a, b, c);";
    // A, C and the result.
    assert_eq!(only(&words(MATRICES, body), Op::CooperativeMatrixMulAddKHR)[5..], [1 | 4 | 8]);
}

#[test]
fn one_scalar_fills_a_matrix_and_each_component_of_a_vector() {
    let matrix = words(
        "",
        "coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA> m = \
        coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA>(2.0); m = m * 3.0;",
    );
    let filled = matrix.iter().filter(|one| one.0 == Op::ConstantComposite && one.1.len() == 3);
    assert_eq!(filled.count(), 1);
    assert_eq!(only(&matrix, Op::MatrixTimesScalar).len(), 4);
    let vector = words("", "coopvecNV<float, 5> v = coopvecNV<float, 5>(2.0); v = v * 3.0;");
    assert!(vector.iter().any(|one| one.0 == Op::ConstantComposite && one.1.len() == 7));
    assert_eq!(only(&vector, Op::VectorTimesScalar).len(), 4);
    let large = words("", "coopvecNV<float, 100> v = coopvecNV<float, 100>(2.0); v = v + v;");
    assert_eq!(only(&large, Op::ConstantCompositeReplicateEXT).len(), 3);
}

#[test]
fn products_of_vectors_have_their_operands_in_order() {
    let body = "coopvecNV<int8_t, 4> v; coopvecNV<int, 8> r;\
        coopVecMatMulNV(r, v, 3, bytes, 16, 3, 8, 4, 1, true, 64);";
    let words = words("layout(binding = 0) buffer Bytes { int8_t bytes[]; };", body);
    let product = only(&words, Op::CooperativeVectorMatrixMulNV);
    // Type, result, ten operands, flags: vector and result are signed.
    assert_eq!((product.len(), product[12]), (13, 2 | 8));
    let value = |id: u32| words.iter().find(|one| one.0 == Op::Constant && one.1[1] == id).unwrap().1[2];
    assert_eq!([5, 7, 8, 11].map(|n| value(product[n])), [16, 8, 4, 64]);
}
