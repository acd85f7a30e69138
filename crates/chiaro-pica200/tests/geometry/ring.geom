// A strip that goes on from turn to turn of a loop: the loop is unrolled.
#version 150
layout(points) in;
layout(triangle_strip, max_vertices = 12) out;

out vec4 v_color;

uniform vec4 spokes[6];

void main() {
    vec4 middle = gl_in[0].gl_Position;
    for (int i = 0; i < 6; i++) {
        v_color = vec4(float(i) * 0.125, 1.0, 0.5, 1.0);
        gl_Position = middle + spokes[i];
        EmitVertex();
        gl_Position = middle + spokes[i] * 0.5;
        EmitVertex();
    }
}
