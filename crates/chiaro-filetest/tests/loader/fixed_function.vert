#version 120
// out position o0 gl_Position
// out color o1 gl_FrontColor
// out texcoord0 o2 gl_TexCoord[0]
// out texcoord2 o3 gl_TexCoord[2]
void main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; gl_TexCoord[0] = gl_MultiTexCoord0; gl_TexCoord[2] = gl_MultiTexCoord1; }
