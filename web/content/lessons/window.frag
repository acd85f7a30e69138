#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
layout(std140, binding = 0) uniform Look { vec4 tint; };

void main() {
    colour = vec4(0.0, 0.0, 0.0, 1.0);
    if (uv.x > 0.25) {
        if (uv.x < 0.75) {
            if (uv.y > 0.25) {
                if (uv.y < 0.75) {
                    colour = tint * uv.x;
                }
            }
        }
    }
}
