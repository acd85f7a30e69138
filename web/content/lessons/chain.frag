#version 310 es
precision highp float;
in float x;
uniform vec4 k;
out vec4 colour;

void main() {
    float y = k.x + x * (k.y + x * (k.z + x * (k.w + x * (k.x + x * (k.y + x * (k.z + x * k.w))))));
    colour = vec4(y, y, y, 1.0);
}
