#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec3 tint;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 l = light - position;
    float d = length(l);
    float k = max(dot(normal, l / d), 0.0) / (d * d);
    v_color = vec4(tint * k, 1.0);
}
