#version 330
// find model c0 4
// find view c4 4
// find projection c8 4
// out position o0 gl_Position
// out color o1 ourColor
// out texcoord0 o2 TexCoord
layout(location = 0) in vec3 aPos; layout(location = 1) in vec3 aColor; layout(location = 2) in vec2 aTexCoord;
out vec3 ourColor; out vec2 TexCoord; uniform mat4 model; uniform mat4 view; uniform mat4 projection;
void main() { gl_Position = projection * view * model * vec4(aPos, 1.0); ourColor = aColor; TexCoord = aTexCoord; }
