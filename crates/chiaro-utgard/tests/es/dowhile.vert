#version 300 es
// do-while and while, with what is counted read behind them.
uniform float step_;
uniform int most;
in vec4 a;
out vec3 v;
void main() {
    int i = 0;
    float x = clamp(a.x, -4.0, 4.0);
    do {
        x = x * 0.5 + step_;
        i++;
    } while (abs(x) > 0.25 && i < clamp(most, 1, 9));
    float y = 1.0;
    while (i > 0) { y *= 1.25; i -= 2; if (y > 3.0) break; }
    v = vec3(x, y, float(i));
    gl_Position = a;
}
