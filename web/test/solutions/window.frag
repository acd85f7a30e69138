#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(std140, binding = 0) uniform Look { vec4 tint; };

void main() {
    vec2 far = abs(uv - 0.5);
    float inside = max(far.x, far.y) < 0.25 ? uv.x : 0.0;
    colour = vec4(0.0, 0.0, 0.0, 1.0);
    if (max(far.x, far.y) < 0.25) colour = tint * uv.x;
}
