#version 450
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e5m2 : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_float_e3m2 : require
#extension GL_EXT_float_e2m3 : require
#extension GL_EXT_float_e2m1 : require
#extension GL_EXT_float_mxint8 : require
#extension GL_EXT_long_vector : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
const bfloat16_t third = bfloat16_t(1.0 / 3.0);
const fe5m2vec2 pair = fe5m2vec2(1.85 * 32768.0, 1e9);
const floate4m3_t none = floate4m3_t(512);
const floate2m1_t largest = 10.fe2m1;
const floatmxint8_t lowest = floatmxint8_t(-100);
const float back = float(floate3m2_t(0.7));
layout(constant_id = 1) const floate2m3_t chosen = floate2m3_t(1.3);
shared bfloat16_t pool[10];
layout(scalar, binding = 0) buffer Store {
    bf16vec3 brain;
    fe5m2vec2 narrow;
    floatmxint8_t scaled;
} store;
struct S { floate4m3_t f; };
bfloat16_t twice(bfloat16_t x) { return bfloat16_t(2.0 * x); }
void main() {
    float f = pool[1];
    pool[0] = twice(bfloat16_t(f));
    bf16vec2 b = store.brain.xy;
    bfloat16_t d = dot(b, b);
    i16vec2 bits = bfloat16BitsToIntEXT(b);
    b = intBitsToBFloat16EXT(bits);
    bool which = bits.x > int16_t(0);
    b = which ? b : bf16vec2(d);
    floate5m2_t e = floate5m2_t(d);
    saturatedConvertEXT(e, f);
    saturatedConvertEXT(store.narrow, vec2(f));
    S s = S(floate4m3_t(int8_t(floate5m2BitsToIntEXT(e))));
    double wide = s.f;
    float16_t half_one = e;
    vector<floate2m1_t, 16> packed = unpackFloat16xfe2m1EXT(u32vec2(1u, 2u));
    u32vec2 words = packFloat16xfe2m1EXT(packed);
    store.scaled = floatmxint8_t(1.5);
    f += float(packed[3]) + float(store.scaled) + float(chosen);
}
--- expect
Shared pool Known(10)
Buffer block Store store binding=0
