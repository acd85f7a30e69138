// Strips behind a condition, an interface block, and an output that is written once for all.
#version 150
layout(lines_adjacency) in;
layout(triangle_strip, max_vertices = 7) out;

in Given {
    vec2 where;
    float weight;
} given[];
out vec4 v_color;

uniform float least;

void main() {
    v_color = vec4(given[1].weight, given[2].weight, 0.0, 1.0);
    if (given[0].weight > least) {
        for (int i = 0; i < 3; i++) {
            gl_Position = gl_in[i].gl_Position;
            EmitVertex();
        }
        EndPrimitive();
    }
    for (int i = 0; i < 4; i++) {
        gl_Position = vec4(given[i].where, gl_in[i].gl_Position.zw);
        EmitVertex();
    }
}
