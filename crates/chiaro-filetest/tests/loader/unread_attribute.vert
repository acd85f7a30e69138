// find position v0 1
// find normal v1 1
// find color v2 1
// out position o0 gl_Position
// out color o1 v_color
attribute vec4 position;
attribute vec3 normal;
attribute vec4 color;
varying vec4 v_color;
void main() {
    gl_Position = position;
    v_color = color;
}
