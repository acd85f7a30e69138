#version 450
// Apple's AGX does not branch for short ifs: lanes are
// switched off by a stack of masks. Look for if_fcmp,
// else_exec and pop_exec, and go through them in Step.
//
// Registers have halves (r0l, r0h), constants wait in
// uniform registers. The colour stays in r4 to r7: an
// epilog, which the driver adds, writes it to the tile.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;

void main() {
    vec2 at = uv * 2.0 - 1.0;
    float far = dot(at, at);
    colour = vec4(0.06, 0.08, 0.1, 1.0);
    if (far < 0.7) {
        colour = vec4(0.95, 0.75, 0.4, 1.0) * (1.0 - far * 0.8);
        if (at.y > 0.3) colour = vec4(sqrt(colour.rgb), at.x);
    }
}
