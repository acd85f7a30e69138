#version 450
#extension GL_EXT_nonuniform_qualifier : require
// As many descriptors as the host binds, where indices are no constants; else as many as are named.
layout(set = 0, binding = 0) uniform sampler2D textures[];
layout(set = 1, binding = 0) uniform Block { vec4 tint; } blocks[];
layout(set = 2, binding = 0) buffer Values { float value[]; } values[];
layout(set = 3, binding = 0) uniform sampler2D few[];
layout(location = 0) flat in int which;
layout(location = 0) out vec4 colour;
void main() {
    colour = texture(textures[nonuniformEXT(which)], vec2(0.5)) * blocks[which].tint;
    colour += texture(textures[3], vec2(0.5)) * values[which].value[which];
    colour += texture(few[2], vec2(0.5));
}
--- expect
Uniform textures binding=0 Unsized
Uniform block Block blocks binding=0 Unsized
Buffer block Values values binding=0 Unsized
Uniform few binding=0 Known(3)
In which location=0
Out colour location=0
