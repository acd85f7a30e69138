#version 450
layout(local_size_x = 32) in;
layout(binding = 0) uniform sampler2DShadow map;
layout(binding = 1) uniform samplerCubeArrayShadow rooms;
layout(binding = 2) uniform sampler2DMS samples;
layout(binding = 3) uniform sampler2DMSArray layered;
layout(binding = 4) uniform samplerCubeArray sky;
layout(binding = 5) uniform sampler1DArray lines;
layout(std430, binding = 6) buffer A { vec4 place[32]; };
layout(std430, binding = 7) buffer B { vec4 light[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 p = place[i % 32u];
    ivec2 at = ivec2(i & 7u, i % 7u);
    float lit = textureLod(map, p.xyz, 0.0) + texture(rooms, vec4(p.xyz, float(i & 1u)), p.w);
    vec4 four = textureGather(map, p.xy, p.z);
    vec4 sum = vec4(0.0);
    for (int s = 0; s < 4; s++) {
        sum += texelFetch(samples, at, s) + texelFetch(layered, ivec3(at, i & 1u), s);
    }
    vec4 far = textureLod(sky, vec4(p.xyz, 1.0), 0.0) + textureLod(lines, vec2(p.x, 2.0), 0.0);
    light[i] = four * lit + sum + far;
}
