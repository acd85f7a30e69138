// Arrays of structures, indexed by what is counted; a structure as a result.
struct Light { vec3 direction; vec4 colour; float power; bool on; };
struct Surface { vec3 normal; vec3 shine[2]; };
uniform Light lights[4];
uniform int lightCount;
attribute vec4 position;
attribute vec3 normal;
varying vec4 colour;
Surface surface(vec3 n) {
    Surface s;
    s.normal = n / max(length(n), 0.25);
    s.shine[0] = vec3(0.1);
    s.shine[1] = s.normal * 0.5;
    return s;
}
void main() {
    Surface s = surface(normal);
    vec4 c = vec4(s.shine[0], 1.0);
    for (int i = 0; i < 4; i++) {
        if (i >= lightCount) break;
        Light l = lights[i];
        if (!l.on) continue;
        c += l.power * l.colour * max(dot(s.normal, l.direction), 0.0);
        c.xyz += s.shine[1] * l.power;
    }
    colour = c;
    gl_Position = position;
}
