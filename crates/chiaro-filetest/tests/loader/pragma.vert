#version 330
// out position o0 gl_Position
// out texcoord2 o1 weird
// out color o2 vColor
#pragma chiaro output.weird=texcoord2
#pragma chiaro output.other=none
in vec4 p; out vec4 weird; out vec4 other; out vec4 vColor;
void main() { gl_Position = p; weird = p.yzwx; other = p; vColor = p.zwxy; }
