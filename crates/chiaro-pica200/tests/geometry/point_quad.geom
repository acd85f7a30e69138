// A particle: a point becomes a rectangle around it.
#version 150
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;

in vec4 color[];
out vec4 v_color;

// From the middle to the upper right and to the lower right corner.
uniform vec4 diagonals[2];

void corner(vec4 position) {
    gl_Position = position;
    v_color = color[0];
    EmitVertex();
}

void main() {
    vec4 middle = gl_in[0].gl_Position;
    corner(middle - diagonals[0]);
    corner(middle + diagonals[1]);
    corner(middle - diagonals[1]);
    corner(middle + diagonals[0]);
    EndPrimitive();
}
