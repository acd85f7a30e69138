#version 450 core
// A texture with a tint; what is transparent is discarded.
layout(binding = 0) uniform sampler2D image;
layout(std140, binding = 1) uniform Tint { vec4 tint; };
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;

void main() {
    vec4 texel = texture(image, place);
    if (texel.a < 0.5) {
        discard;
    }
    colour = texel * tint;
}
