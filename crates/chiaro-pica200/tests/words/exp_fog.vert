#version 100
uniform mat4 mvp; uniform vec4 fog; uniform float density;
attribute vec3 position; attribute vec4 color; varying vec4 v_color;
void main() {
    vec4 p = mvp * vec4(position, 1.0);
    gl_Position = p;
    float d = density * p.w;
    v_color = mix(fog, color, exp2(-d * d));
}
