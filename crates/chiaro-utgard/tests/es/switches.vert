#version 300 es
// A switch with fallthrough and a default in the middle.
uniform int mode;
in vec4 a;
in int kind;
out vec4 v;
void main() {
    vec4 c = a;
    switch (mode) {
        case 3: c *= 2.0;
        case 1: c += vec4(1.0, 2.0, 3.0, 4.0); break;
        default: c = -c;
        case -2: c.xy = c.yx; break;
        case 7: { switch (kind) { case 0: c.x = 9.0; break; case 1: c.y = 8.0; default: c.z = 7.0; } }
    }
    v = c;
    gl_Position = vec4(a.xyz, 2.0);
}
