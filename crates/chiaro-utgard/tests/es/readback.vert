#version 300 es
// Outputs that are read again, in loops and behind returns.
uniform int n;
in vec4 a;
out vec4 v;
out float f[3];
void main() {
    v = a;
    gl_Position = a;
    for (int i = 0; i < min(n, 6); i++) {
        v = v * 0.5 + a.yzwx;
        if (v.x > 5.0) { f[0] = v.y; f[1] = 1.0; f[2] = 0.0; return; }
    }
    gl_Position.xyz += v.xyz;
    f[0] = gl_Position.x;
    f[1] = f[0] * 2.0;
    f[n & 1] += 3.0;
    f[2] = f[1];
}
