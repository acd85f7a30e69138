#version 100
// Measured by `chiaro gate --project examples/gate/chiaro.toml`.
attribute vec4 position;
attribute vec3 normal;
uniform mat4 camera;
uniform vec3 light;
varying vec4 color;

void main() {
    gl_Position = camera * position;
    color = vec4(max(dot(normal, light), 0.0));
#ifdef FOG
    color *= gl_Position.w;
#endif
}
