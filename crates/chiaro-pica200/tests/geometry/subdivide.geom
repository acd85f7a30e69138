// Subdivision: a triangle becomes four.
// mode: fixed
#version 150
layout(triangles) in;
layout(triangle_strip, max_vertices = 8) out;

in vec4 color[];
out vec4 v_color;

struct Vertex { vec4 position, shade; };

Vertex given(int i) { return Vertex(gl_in[i].gl_Position, color[i]); }

Vertex middle(Vertex a, Vertex b) {
    return Vertex((a.position + b.position) * 0.5, (a.shade + b.shade) * 0.5);
}

void emit(Vertex v) {
    gl_Position = v.position;
    v_color = v.shade;
    EmitVertex();
}

void main() {
    Vertex a = given(0), b = given(1), c = given(2);
    Vertex ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    emit(a);
    emit(ab);
    emit(ca);
    emit(bc);
    emit(c);
    EndPrimitive();
    emit(ab);
    emit(b);
    emit(bc);
    EndPrimitive();
}
