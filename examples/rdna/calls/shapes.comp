#version 450
// A library: functions without a kernel, compiled with `--library`. `field.comp` calls them.

float box(vec3 p, vec3 size) {
    vec3 q = abs(p) - size;
    return length(max(q, 0.0)) + min(max(q.x, max(q.y, q.z)), 0.0);
}

// How far a point is from a box with a ball cut out of it.
float shape(vec3 p, float radius) {
    return max(box(p, vec3(1.0, 0.75, 0.5)), radius - length(p));
}

// Turns a point by a quarter around z, and counts the turns.
void turn(inout vec3 p, inout uint turns) {
    p = vec3(-p.y, p.x, p.z);
    turns += 1u;
}
