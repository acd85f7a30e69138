#version 450
#extension GL_KHR_memory_scope_semantics : enable
#extension GL_KHR_cooperative_matrix : enable
#extension GL_NV_cooperative_matrix2 : enable
#extension GL_NV_cooperative_vector : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_buffer_reference : enable
#extension GL_EXT_long_vector : enable
layout(local_size_x = 64) in;
layout(constant_id = 0) const int SIDE = 8;
const int TWICE = SIDE * 2;
layout(binding = 0) coherent buffer Data { float16_t halves[]; } data;
layout(binding = 1) buffer Bytes { int8_t bytes[]; };
layout(binding = 2, std430) buffer Open { float first; vector<float, SIDE> open; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Half { float16_t h; };
shared uvec4 tile[64];
const coopmat<float, gl_ScopeSubgroup, TWICE, 8, gl_MatrixUseAccumulator> ONES =
    coopmat<float, gl_ScopeSubgroup, TWICE, 8, gl_MatrixUseAccumulator>(1);
float16_t sum(const in float16_t a, const in float16_t b) { return a + b; }
float16_t relu(const in uint row, const in uint column, const in float16_t x, const in float16_t least) {
    return max(x, least);
}
float16_t decode(const in Half b, const in uint block[2], const in uint within[2]) { return b.h; }
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> negated(
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m) { return -m; }
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c[2];
    coopMatLoad(a, data.halves, 16u, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(b, tile, 1, 2, gl_CooperativeMatrixLayoutColumnMajor);
    a = negated(a) * float16_t(2) + a / a;
    a *= float16_t(3);
    a[1] = a[0];
    c[1] = coopMatMulAdd(a, b, c[0], gl_MatrixOperandsSaturatingAccumulation);
    coopMatStore(c[1], data.halves, uint(a.length()), 32, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, TWICE, 8, gl_MatrixUseAccumulator> d = ONES + ONES;
    coopmat<int8_t, gl_ScopeSubgroup, SIDE + 1, 8, gl_MatrixUseA> e =
        coopmat<int8_t, gl_ScopeSubgroup, SIDE + 1, 8, gl_MatrixUseA>(int8_t(1));
    a = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(c[0]);
    coopMatTransposeNV(b, c[0]);
    coopMatReduceNV(c[0], c[1], gl_CooperativeMatrixReduceRowNV, sum);
    coopMatPerElementNV(c[0], c[1], relu, float16_t(0));
    coopMatPerElementNV(c[0], c[1], relu, c[1]);
    tensorLayoutNV<2> layoutOf = createTensorLayoutNV(2);
    layoutOf = setTensorLayoutDimensionNV(layoutOf, 256, 512);
    layoutOf = sliceTensorLayoutNV(layoutOf, 0, 16, 0, 16);
    tensorViewNV<2, true, 1, 0> view = createTensorViewNV(2, true, 1, 0);
    coopMatLoadTensorNV(a, data.halves, 0, layoutOf, view, decode);
    coopMatStoreTensorNV(a, data.halves, 0, layoutOf);
    coopvecNV<float, 5> v = coopvecNV<float, 5>(vec3(1), vec3(2));
    coopvecNV<int8_t, 20> bytes20;
    coopvecNV<int, 20> product;
    coopVecLoadNV(bytes20, bytes, 16);
    coopVecMatMulAddNV(product, bytes20, gl_ComponentTypeSignedInt8NV, bytes, 0, gl_ComponentTypeSignedInt8NV,
        bytes, 400, gl_ComponentTypeSignedInt32NV, 20, 20, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 20);
    coopVecOuterProductAccumulateNV(v, v, data.halves, 0, 64, 2, gl_ComponentTypeFloat16NV);
    v = max(v * 2.0, tanh(v));
    v[4] += float(v.length());
    open = open * open + vector<float, SIDE>(first);
    vector<float, 1> single = vector<float, 1>(open[0]);
    vector<float, 1000> many = vector<float, 1000>(single[0]);
}
--- expect
Buffer block Data data binding=0
Buffer block Bytes binding=1
Buffer block Open binding=2
Shared tile Known(64)
