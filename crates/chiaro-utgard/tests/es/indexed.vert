#version 300 es
// Components and elements that are stored by computed indices.
uniform int where;
uniform int count;
in vec4 a;
in float x;
out vec4 v;
out vec3 lines[3];
void main() {
    vec4 c = a;
    c[where & 3] = x;
    vec3 rows[4];
    for (int i = 0; i < 4; i++) rows[i] = a.xyz * float(i);
    for (int i = 0; i < min(count, 4); i++) {
        rows[i][where % 3 < 0 ? 0 : where % 3] += x;
        rows[(i + where) & 3].y = c[i];
    }
    v = c + vec4(rows[count & 3], 1.0);
    for (int i = 0; i < 3; i++) lines[i] = vec3(0.0);
    lines[clamp(where, 0, 2)] = rows[1];
    lines[2].x += v.x;
    gl_Position = a;
}
