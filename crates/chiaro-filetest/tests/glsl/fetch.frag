#version 300 es
#extension GL_EXT_shader_framebuffer_fetch : require
precision mediump float;
highp float exact(highp float a, highp float b) { return a * b + a; }
in highp vec2 p;
layout(location = 0) inout vec4 color;
layout(location = 1) out uvec2 bits;
layout(std140) uniform Globals { lowp vec4 tint; mediump mat3 m[2]; bool on; } g;
void main() {
    if (g.on) color = color * g.tint + vec4(g.m[1] * vec3(p, 1.0), exact(p.x, p.y));
    bits = floatBitsToUint(p);
}
