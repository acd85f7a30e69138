#version 300 es
// find modelViewProjection c0 4
// find tint c4 1
// out position o0 gl_Position
// out color o1 fragColor
uniform highp mat4 modelViewProjection; uniform mediump vec4 tint; in vec4 vertex; out mediump vec4 fragColor;
void main() { gl_Position = modelViewProjection * vertex; fragColor = tint; }
