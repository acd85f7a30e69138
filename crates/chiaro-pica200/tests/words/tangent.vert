#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec3 eye;
attribute vec3 position; attribute vec3 normal; attribute vec4 tangent; attribute vec2 uv;
varying vec3 v_light; varying vec2 v_tex;
void main() {
    vec3 b = cross(normal, tangent.xyz) * tangent.w;
    vec3 l = light - position;
    v_light = vec3(dot(l, tangent.xyz), dot(l, b), dot(l, normal));
    v_tex = uv;
    gl_Position = mvp * vec4(position, 1.0);
}
