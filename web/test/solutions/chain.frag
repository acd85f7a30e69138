#version 310 es
precision highp float;
in float x;
uniform vec4 k;
out vec4 colour;

void main() {
    float x2 = x * x;
    float y = ((k.x + x * k.y) + x2 * (k.z + x * k.w)) * (1.0 + x2 * x2);
    colour = vec4(y, y, y, 1.0);
}
