#version 450
// The same source for both flavours: VULKAN is defined where the block is spelled out.
struct In { float a; vec2 b[3]; bool c; mat3 m; };
#ifdef VULKAN
layout(std140, binding = 1) uniform Uniforms {
  float scale; bool flag; bvec3 flags; vec3 arr[4]; mat4 ms[2]; mat2 m2; In whole; In ins[2]; int i;
};
#else
layout(location = 0) uniform float scale;
layout(location = 1) uniform bool flag;
layout(location = 2) uniform bvec3 flags;
layout(location = 3) uniform vec3 arr[4];
layout(location = 7) uniform mat4 ms[2];
layout(location = 9) uniform mat2 m2;
layout(location = 10) uniform In whole;
layout(location = 20) uniform In ins[2];
layout(location = 40) uniform int i;
#endif
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Out { float o[]; };
void main() {
  uint k = gl_GlobalInvocationID.x;
  float s = scale * float(k);
  if (flag) s += 1.0;
  if (flags[k % 3u]) s += 2.0;
  s += arr[k % 4u].y + arr[3].z;
  s += (ms[k % 2u] * vec4(1.0, 2.0, 3.0, s)).z + ms[1][k % 4u].x;
  s += (m2 * vec2(s, 1.0)).y;
  In w = whole;
  s += w.a + w.b[k % 3u].x + (w.c ? 4.0 : 0.0) + w.m[2].y;
  In v = ins[k % 2u];
  s += v.a + v.b[1].y + (v.c ? 8.0 : 0.0) + v.m[k % 3u].z + ins[1].m[1][k % 3u];
  o[k] = s + float(i);
}
