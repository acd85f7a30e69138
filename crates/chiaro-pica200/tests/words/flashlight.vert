#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec3 axis; uniform float cutoff; uniform vec3 tint; uniform vec3 amb;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 l = light - position;
    float inv = inversesqrt(dot(l, l));
    l *= inv;
    float d = max(dot(normal, l), 0.0);
    float s = dot(l, axis) > cutoff ? 1.0 : 0.0;
    v_color = vec4(amb + tint * d * s, 1.0);
}
