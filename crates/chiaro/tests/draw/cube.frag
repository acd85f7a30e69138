#version 300 es
precision highp float;
in vec3 v_normal;
in vec2 v_uv;
uniform sampler2D t;
uniform vec3 light;
out vec4 colour;

void main() {
    float lit = 0.25 + 0.75 * max(dot(normalize(v_normal), light), 0.0);
    vec2 edge = abs(fract(v_uv * 4.0) - 0.5);
    float width = fwidth(v_uv.x) * 4.0;
    float line = smoothstep(0.5 - width, 0.5, max(edge.x, edge.y));
    colour = vec4(mix(texture(t, v_uv).rgb * lit, vec3(1.0), line * 0.5), 1.0);
}
