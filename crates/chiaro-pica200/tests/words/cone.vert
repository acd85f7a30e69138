#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec3 axis; uniform float cutoff; uniform vec3 tint;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 l = normalize(light - position);
    float c = dot(-l, axis);
    float d = max(dot(normal, l), 0.0);
    d = c < cutoff ? 0.0 : d;
    v_color = vec4(tint * d, 1.0);
}
