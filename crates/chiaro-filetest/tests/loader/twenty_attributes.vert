// find a3 v0 1
// find a17 v1 1
// miss a0
// out position o0 gl_Position
// out color o1 v_color
attribute vec4 a0;
attribute vec4 a1;
attribute vec4 a2;
attribute vec4 a3;
attribute vec4 a4;
attribute vec4 a5;
attribute vec4 a6;
attribute vec4 a7;
attribute vec4 a8;
attribute vec4 a9;
attribute vec4 a10;
attribute vec4 a11;
attribute vec4 a12;
attribute vec4 a13;
attribute vec4 a14;
attribute vec4 a15;
attribute vec4 a16;
attribute vec4 a17;
attribute vec4 a18;
attribute vec4 a19;
varying vec4 v_color;
void main() {
    gl_Position = a3;
    v_color = a17;
}
