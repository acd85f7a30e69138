// error: the shader has 8 outputs, 7 are there
#version 150
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
out vec4 quat, color, uv0, uv0w, uv1, uv2, view;
void main() {
    gl_Position = gl_in[0].gl_Position;
    quat = color = uv0 = uv0w = uv1 = uv2 = view = gl_Position.wzyx;
    EmitVertex();
}
