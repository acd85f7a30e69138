#version 450
#extension GL_ARB_bindless_texture : require
struct Layer { sampler2D map; float weight; };
layout(std140, binding = 0) uniform Material {
    uvec2 diffuse; uvec2 image; sampler2D normal; Layer layers[2]; image2D target;
} material;
layout(std430, binding = 1) buffer Textures { sampler2D textures[]; };
layout(location = 0) in vec2 place;
layout(location = 1) flat in sampler2D given;
layout(location = 2) in samplerCube several[2];
layout(rgba8, bindless_image, location = 4) flat in image2D picture;
layout(location = 0) out vec4 colour;
void main() {
    colour = texture(sampler2D(material.diffuse), place) + imageLoad(image2D(material.image), ivec2(1));
    colour += texture(material.normal, place) + texture(material.layers[1].map, place);
    colour += texture(textures[int(place.x)], place) + imageLoad(material.target, ivec2(2));
    colour += texture(given, place) + texture(several[1], place.xyx) + imageLoad(picture, ivec2(3));
    colour += texture(sampler2D(ivec2(material.diffuse)), place);
    colour.xy += vec2(uvec2(material.normal));
}
--- expect
Uniform block Material material binding=0
Buffer block Textures binding=1
In place location=0
In given location=1
In several location=2 Known(2)
In picture location=4
Out colour location=0
