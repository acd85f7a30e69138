#version 300 es
// Noise by a table of constants that is indexed, octave by octave.
uniform mat4 mvp;
uniform vec2 origin;
in vec2 cell;
out float height;
out vec3 normal;
const int hash[16] = int[16](7, 12, 3, 9, 0, 15, 4, 10, 1, 6, 13, 2, 8, 14, 5, 11);
float corner(ivec2 p) { return float(hash[(hash[p.x & 15] + p.y) & 15]) / 16.0; }
float noise(vec2 p) {
    vec2 f = floor(p);
    ivec2 i = ivec2(f);
    vec2 t = p - f;
    t = t * t * (3.0 - 2.0 * t);
    float low = mix(corner(i), corner(i + ivec2(1, 0)), t.x);
    float high = mix(corner(i + ivec2(0, 1)), corner(i + ivec2(1)), t.x);
    return mix(low, high, t.y);
}
void main() {
    vec2 p = clamp(cell + origin, -50.0, 50.0);
    float h = 0.0, size = 1.0;
    for (int octave = 0; octave < 2; octave++) {
        h += noise(p * 0.37) * size;
        p *= 2.0;
        size *= 0.5;
    }
    height = h;
    normal = vec3(-h, 1.0, h * 0.5);
    gl_Position = mvp * vec4(cell.x, h, cell.y, 1.0);
}
