#version 450
layout(triangles, invocations = 2) in;
layout(line_strip, max_vertices = 6) out;
layout(location = 0) in vec3 normal[];
layout(location = 0) out float along;

void main() {
    for (int i = 0; i < gl_in.length(); i++) {
        gl_Position = gl_in[i].gl_Position;
        along = 0.0;
        EmitVertex();
        gl_Position += vec4(normal[i] * 0.1 * float(gl_InvocationID + 1), 0.0);
        along = 1.0;
        gl_PrimitiveID = gl_PrimitiveIDIn;
        EmitVertex();
        EndPrimitive();
    }
}
