#version 120
// The fixed functions' names.
attribute vec3 tangent;
varying vec4 light;
uniform mat4 bones[8];
invariant varying vec2 uv;
void main() {
    gl_Position = ftransform();
    gl_FrontColor = gl_Color * gl_LightSource[0].diffuse + gl_FrontMaterial.ambient;
    gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0;
    light = vec4(gl_NormalMatrix * gl_Normal, dot(tangent, gl_Vertex.xyz)) + bones[3][1];
    uv = gl_MultiTexCoord1.st;
    gl_PointSize = gl_Point.size;
    gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;
}
