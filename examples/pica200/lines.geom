#version 330

// Wide lines: each line becomes two triangles.
layout(lines) in;
layout(triangle_strip, max_vertices = 4) out;

in vec4 shade[];
out vec4 color;

// Half of the width in device coordinates, for a line that goes up and for one that goes right:
// negative in x, positive in y, 0 in z and w.
uniform vec4 width;

void side(vec4 middle, vec4 across) {
    gl_Position = middle - across * middle.w;
    EmitVertex();
    gl_Position = middle + across * middle.w;
    EmitVertex();
}

void main() {
    vec4 from = gl_in[0].gl_Position, to = gl_in[1].gl_Position;
    vec4 along = to / to.w - from / from.w;
    vec4 across = along.yxxx * width * inversesqrt(dot(along.xy, along.xy));
    color = shade[0];
    side(from, across);
    color = shade[1];
    side(to, across);
    EndPrimitive();
}
