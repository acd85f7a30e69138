// error: the PICA200 runs a geometry program once for each primitive
#version 400
layout(points, invocations = 2) in;
layout(triangle_strip, max_vertices = 3) out;
void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); }
