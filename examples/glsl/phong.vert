#version 300 es
// One light per vertex, as GLES 3 programs have it.

uniform mat4 modelview;
uniform mat4 projection;
uniform vec4 light_position;
uniform vec4 light_color;
uniform vec4 ambient;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;

out vec4 color;
out vec2 texcoord0;

void main() {
    vec4 here = modelview * vec4(position, 1.0);
    vec3 facing = normalize(mat3(modelview) * normal);
    vec3 way = normalize(light_position.xyz - here.xyz);
    gl_Position = projection * here;
    color = vec4(ambient.rgb + light_color.rgb * max(dot(facing, way), 0.0), 1.0);
    texcoord0 = uv;
}
