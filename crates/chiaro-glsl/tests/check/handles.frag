#version 450
#extension GL_ARB_bindless_texture : require
layout(std140, binding = 0) uniform Material { uvec2 diffuse; uvec2 image; } material;
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;
void main() {
    colour = texture(sampler2D(material.diffuse), place) + imageLoad(image2D(material.image), ivec2(1));
}
--- expect
Uniform block Material material binding=0
In place location=0
Out colour location=0
