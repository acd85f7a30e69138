#version 100
uniform mat4 mvp; uniform vec4 near_color, far_color, mid_color; uniform vec2 limits;
attribute vec3 position; varying vec4 v_color;
void main() {
    gl_Position = mvp * vec4(position, 1.0);
    float d = position.y;
    if (d > limits.x && d < limits.y) v_color = mid_color; else v_color = far_color;
}
