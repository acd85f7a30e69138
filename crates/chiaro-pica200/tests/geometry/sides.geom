// Vertices that a uniform numbers, so that they are in c registers.
#version 150
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;

in vec3 normal[];
out vec4 v_color;

uniform int first;

void main() {
    for (int i = 0; i < 3; i++) {
        int from = first == i ? 0 : i;
        gl_Position = gl_in[from].gl_Position;
        v_color = vec4(normal[from], 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
