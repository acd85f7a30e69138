#version 310 es
// Adreno 3xx has half registers: mediump is computed in
// 16 bits, where the option says so (-m mediump=half). Say
// highp instead and look at Report and Occupancy.
//
// (rpt1) and (ss) are flags of an instruction: it is done
// once more, or waits for a unit that is slow, as the one
// for sines.
precision mediump float;
in highp vec2 uv;
uniform float time;
out vec4 colour;

void main() {
    vec2 at = uv * 6.0 - 3.0;
    float wave = sin(at.x + time) * cos(at.y - time);
    vec3 tint = mix(vec3(0.08, 0.25, 0.3), vec3(0.95, 0.85, 0.6), 0.5 + 0.5 * wave);
    colour = vec4(tint * tint, 1.0);
}
