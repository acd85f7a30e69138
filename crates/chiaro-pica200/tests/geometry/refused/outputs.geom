// error: the shader has 8 outputs, 7 are there
#version 150
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
out vec4 a, b, c, d, e, f, g;
void main() {
    gl_Position = gl_in[0].gl_Position;
    a = b = c = d = e = f = g = gl_Position.wzyx;
    EmitVertex();
}
