#version 300 es
// Loops within loops, left and continued at several places.
uniform int rows;
uniform int columns;
uniform float table[9];
in vec4 a;
out float sum;
out float count;
void main() {
    float s = 0.0, n = 0.0;
    for (int i = 0; i < min(rows, 5); i++) {
        if (a.x > 100.0) break;
        for (int j = 0; j < min(columns, 6); j++) {
            if (j == i) continue;
            float t = table[(i * 3 + j) % 9];
            if (t < -1.0e3) { n = -1.0; break; }
            s += t * a.y;
            n += 1.0;
            if (n > 12.0) break;
        }
        if (n < 0.0) continue;
        s *= 0.5;
    }
    sum = s;
    count = n;
    gl_Position = a;
}
