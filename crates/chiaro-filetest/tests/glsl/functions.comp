#version 450
// Functions of the language, as far as their results are exact.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Result { uint ok[]; };
uint n = 0u;
void expect(bool b) { ok[n++] = b ? 1u : 0u; }
bool near(float a, float b) { return abs(a - b) < 1e-5; }

void main() {
    float whole; int power;
    expect(modf(-2.75, whole) == -0.75 && whole == -2.0);
    expect(frexp(12.0, power) == 0.75 && power == 4 && ldexp(0.75, 4) == 12.0);
    uint carry, high, low; int ihigh, ilow;
    expect(uaddCarry(4294967295u, 2u, carry) == 1u && carry == 1u);
    expect(usubBorrow(1u, 2u, carry) == 4294967295u && carry == 1u);
    umulExtended(4294967295u, 4294967295u, high, low);
    expect(high == 4294967294u && low == 1u);
    imulExtended(-2, 3, ihigh, ilow);
    expect(ihigh == -1 && ilow == -6);
    expect(bitfieldExtract(-16, 4, 4) == -1 && bitfieldExtract(240u, 4, 4) == 15u && bitfieldInsert(0, 5, 8, 4) == 1280);
    expect(bitfieldReverse(1u) == 2147483648u && bitCount(255) == 8 && findLSB(8u) == 3 && findMSB(-1) == -1 && findMSB(16u) == 4);
    expect(floatBitsToInt(1.0) == 1065353216 && uintBitsToFloat(1073741824u) == 2.0);
    expect(packUnorm4x8(vec4(0.0, 1.0, 0.0, 1.0)) == 4278255360u && unpackHalf2x16(packHalf2x16(vec2(1.5, -2.0))) == vec2(1.5, -2.0));
    expect(unpackSnorm2x16(2147418113u).x > 0.0 && unpackDouble2x32(packDouble2x32(uvec2(1u, 2u))) == uvec2(1u, 2u));
    expect(abs(-3) == 3 && sign(-2.0) == -1.0 && floor(-1.5) == -2.0 && ceil(-1.5) == -1.0 && trunc(-1.5) == -1.0 && roundEven(2.5) == 2.0 && fract(-0.25) == 0.75);
    expect(mod(-1.0, 3.0) == 2.0 && mod(vec2(5.0, -5.0), 3.0) == vec2(2.0, 1.0));
    expect(min(vec3(1.0, 5.0, 2.0), 2.0) == vec3(1.0, 2.0, 2.0) && max(ivec2(1, 5), 3) == ivec2(3, 5) && clamp(7u, 1u, 4u) == 4u && clamp(vec2(-1.0, 0.5), 0.0, 1.0) == vec2(0.0, 0.5));
    expect(mix(vec2(0.0, 10.0), vec2(10.0, 20.0), 0.5) == vec2(5.0, 15.0) && mix(vec2(1.0), vec2(2.0), bvec2(true, false)) == vec2(2.0, 1.0));
    expect(step(0.5, vec2(0.25, 0.5)) == vec2(0.0, 1.0) && smoothstep(0.0, 2.0, 1.0) == 0.5);
    expect(isinf(1.0 / 0.0) && fma(2.0, 3.0, 1.0) == 7.0);
    expect(length(vec2(3.0, 4.0)) == 5.0 && length(-2.0) == 2.0 && distance(vec2(1.0), vec2(4.0, 5.0)) == 5.0 && dot(vec3(1.0, 2.0, 3.0), vec3(2.0)) == 12.0 && dot(2.0, 3.0) == 6.0);
    expect(cross(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0)) == vec3(0.0, 0.0, 1.0) && normalize(vec2(0.0, 5.0)) == vec2(0.0, 1.0));
    expect(reflect(vec2(1.0, -1.0), vec2(0.0, 1.0)) == vec2(1.0) && faceforward(vec2(1.0), vec2(0.0, 1.0), vec2(0.0, 1.0)) == vec2(-1.0) && refract(vec2(0.0, -1.0), vec2(0.0, 1.0), 0.5) == vec2(0.0, -1.0));
    expect(near(sin(radians(30.0)), 0.5) && near(degrees(atan(1.0, 1.0)), 45.0) && near(pow(2.0, 0.5) * sqrt(2.0), 2.0) && near(exp2(log2(5.0)), 5.0) && near(exp(1.0), 2.7182818) && near(inversesqrt(4.0), 0.5));
    expect(near(asinh(sinh(0.5)), 0.5) && near(acosh(cosh(0.5)), 0.5) && near(atanh(tanh(0.5)), 0.5) && near(acos(0.0), 1.5707963) && near(asin(1.0), 1.5707963) && near(tan(0.5), 0.5463025));
}
