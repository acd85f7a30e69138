// error: which vertex of its strip this is depends on the way that leads here
#version 150
layout(points) in;
layout(triangle_strip, max_vertices = 9) out;
uniform bool more;
void main() {
    gl_Position = gl_in[0].gl_Position;
    if (more) EmitVertex();
    EmitVertex();
}
