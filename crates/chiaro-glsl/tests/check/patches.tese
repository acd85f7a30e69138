#version 400
layout(quads, fractional_even_spacing) in;
layout(cw, point_mode) in;
in vec3 bent[];
patch in float weight;
out vec3 normal;
void main() {
    normal = bent[0] * gl_TessCoord.x + bent[3] * weight;
    gl_Position = gl_in[1].gl_Position * gl_TessLevelInner[1];
}
--- expect
In bent Known(32)
In weight
Out normal
In gl_TessCoord
Out gl_Position
In block gl_PerVertex gl_in Known(32)
In gl_TessLevelInner Known(2)
