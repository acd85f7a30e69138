attribute vec4 position;
uniform vec4 c;
varying float wave;

void main() {
    float x = position.x;
    float x2 = x * x, x4 = x2 * x2;
    wave = ((c.x + x * c.y) + x2 * (c.z + x * c.w)) * (1.0 + x4);
    gl_Position = position;
}
