// error: the vertex program hands on no `gl_PointSize`
#version 150
layout(points) in;
layout(triangle_strip, max_vertices = 3) out;
void main() { gl_Position = gl_in[0].gl_Position * gl_in[0].gl_PointSize; EmitVertex(); }
