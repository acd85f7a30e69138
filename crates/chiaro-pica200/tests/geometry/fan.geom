// A fan of as many vertices as a primitive has.
#version 150
layout(triangles_adjacency) in;
layout(triangle_strip, max_vertices = 12) out;

in vec4 color[];
out vec4 v_color;

uniform int primitive_vertices;

void emit(int i) {
    gl_Position = gl_in[i].gl_Position;
    v_color = color[i];
    EmitVertex();
}

void main() {
    for (int i = 2; i < primitive_vertices; i++) {
        emit(0);
        emit(i - 1);
        emit(i);
        EndPrimitive();
    }
}
