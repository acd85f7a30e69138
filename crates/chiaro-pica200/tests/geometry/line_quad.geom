// A wide line: a line becomes two triangles.
#version 150
layout(lines) in;
layout(triangle_strip, max_vertices = 4) out;

in vec4 color[];
out vec4 v_color;

// Half of the width: negative in x, positive in y, 0 in z and w.
uniform vec4 width;

void corner(vec4 position, vec4 shade) {
    gl_Position = position;
    v_color = shade;
    EmitVertex();
}

void main() {
    vec4 from = gl_in[0].gl_Position, to = gl_in[1].gl_Position;
    vec4 along = to - from;
    vec4 across = along.yxxx * width * inversesqrt(dot(along.xy, along.xy));
    corner(from - across, color[0]);
    corner(from + across, color[0]);
    corner(to - across, color[1]);
    corner(to + across, color[1]);
    EndPrimitive();
}
