// A textured sprite, OpenGL ES 2.
attribute vec2 a_position;
attribute vec2 a_texcoord;
attribute vec4 a_color;
uniform mat4 u_projection;
uniform vec2 u_origin;
uniform float u_angle;
varying vec2 v_texcoord;
varying lowp vec4 v_color;

void main() {
    float s = sin(u_angle), c = cos(u_angle);
    vec2 p = mat2(c, s, -s, c) * a_position + u_origin;
    gl_Position = u_projection * vec4(p, 0.0, 1.0);
    v_texcoord = a_texcoord;
    v_color = a_color;
}
