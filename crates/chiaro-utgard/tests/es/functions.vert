#version 300 es
// Functions of all kinds, ldexp by hand, packing of angles.
uniform float time;
uniform vec2 wind;
in vec4 a;
in vec2 b;
out vec4 v;
out vec4 w;
float wave(float x, float p) { return sin(x) * cos(p) + exp2(-abs(x)) * sqrt(abs(p) + 0.5); }
void main() {
    float s = wave(clamp(a.x, -3.0, 3.0), clamp(a.y + time * 0.01, -3.0, 3.0));
    float angle = atan(clamp(b.y, -9.0, 9.0) + 10.0, clamp(b.x, -9.0, 9.0) + 10.0);
    v = vec4(s, angle, smoothstep(-2.0, 2.0, a.z), pow(abs(a.w) * 0.1 + 0.5, 1.5));
    w = vec4(fract(a.x * 0.37 + 0.01), mod(a.y, 3.7), sign(b.x), step(wind.x, b.y));
    vec3 n = normalize(vec3(b, 2.0));
    w.xyz += reflect(n, vec3(0.0, 0.6, 0.8)) + refract(n, vec3(0.0, 1.0, 0.0), 0.5).zxy;
    gl_Position = vec4(a.xyz, 2.0 + faceforward(n, vec3(wind, 1.0), n).z * 0.1);
}
