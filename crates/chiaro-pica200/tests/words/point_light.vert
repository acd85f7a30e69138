#version 100
uniform mat4 mvp; uniform vec3 light; uniform vec4 color; uniform float range;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    vec3 d = light - position;
    float falloff = max(1.0 - dot(d, d) * range, 0.0);
    v_color = vec4(color.rgb * (max(dot(normal, normalize(d)), 0.0) * falloff), 1.0);
}
