#version 450
struct Light { sampler2D tex; vec4 color; bool on; mat3 m; };
layout(location=0) uniform Light lights[3];
layout(location=40) uniform float scale;
layout(location=41) uniform bool flag;
layout(location=42) uniform bvec3 flags;
layout(location=43) uniform vec3 arr[4];
layout(location=50) uniform mat4 ms[2];
layout(location=55) uniform sampler2D plain;
layout(location=56, binding=0) uniform sampler2D bound;
layout(location=60) uniform sampler2D aa[2][3];
layout(location=70) uniform mat2 m2;
layout(location=71) uniform dvec3 dv;
struct In { float a; vec2 b[3]; bool c; };
layout(location=80) uniform In whole;
layout(location=90) uniform int i;
layout(binding=0, std140) uniform Ubo { vec4 u; };
layout(location=0) in vec2 uv;
layout(location=1) in vec4 col;
layout(location=0) out vec4 o;
vec4 fetch(sampler2D s) { return texture(s, uv); }
void main() {
  In w = whole;
  vec4 c = texture(lights[1].tex, uv) * lights[1].color + lights[i].color.x;
  if (lights[2].on && flag || flags.y) c += vec4(arr[i], 1) * scale;
  c += texture(plain, uv) + texture(bound, uv) + texture(aa[1][2], uv) + fetch(aa[0][1]) + fetch(plain) + fetch(lights[0].tex);
  c += ms[1] * col + u; c.xy += m2 * uv; c.x += float(dv.y) + w.a + w.b[2].y + (w.c ? 1.0 : 0.0);
  c.xyz += lights[0].m * c.xyz + lights[i].m[1];
  c.y += gl_FragCoord.y;
  o = c;
}
