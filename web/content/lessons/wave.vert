attribute vec4 position;
uniform vec4 c;
varying float wave;

void main() {
    float x = position.x;
    wave = c.x + x * (c.y + x * (c.z + x * (c.w + x * (c.x + x * (c.y + x * (c.z + x * c.w))))));
    gl_Position = position;
}
