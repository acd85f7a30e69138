#version 400
// Samplers passed on: whole, out of arrays and out of structures; each sampling function.
uniform sampler2D one;
uniform sampler2D many[3];
uniform struct Material { sampler2D tex; vec4 tint; samplerCube sky; } material, two[2];
uniform sampler2DShadow shadow;
uniform sampler3D volume;
uniform sampler2DArray layers;
uniform int index;
uniform float levels[4] = float[](1.0, 2.0, 3.0, 4.0);
in vec3 at;
flat in int which;
layout(location = 0) out vec4 color;
layout(location = 1) out ivec2 sizes;

vec4 plain(sampler2D s, vec2 p) { return texture(s, p); }
vec4 deep(sampler2D s, float f) { return plain(s, at.xy * f); }
vec4 shaded(Material m) { return texture(m.tex, at.xy) * m.tint + texture(m.sky, at); }
vec4 of_array(sampler2D s[3], int i) { return texture(s[i], at.xy); }

void main() {
    vec4 c = plain(one, at.xy) + deep(one, 2.0) + deep(many[1], 1.0) + plain(many[index], at.yx) + plain(material.tex, at.xz);
    c += plain(two[1].tex, at.xy) + shaded(material) + shaded(two[0]) + of_array(many, index);
    c += textureProj(one, at) + textureProj(one, vec4(at, 1.0)) + textureLod(one, at.xy, 1.5) + textureGrad(one, at.xy, dFdx(at.xy), dFdy(at.xy));
    c += texture(one, at.xy, 0.5) + textureOffset(one, at.xy, ivec2(1, -1)) + texelFetch(one, ivec2(at.xy), 1) + textureProjLod(one, at, 2.0);
    c.x += texture(shadow, at) + textureProj(shadow, vec4(at, 1.0)) + textureLod(shadow, at, 0.0) + textureOffset(shadow, at, ivec2(1));
    c += texture(volume, at) + texture(layers, at) + texelFetch(layers, ivec3(at), 0) * levels[which & 3];
    color = c + fwidth(at.x);
    sizes = textureSize(one, 0) + textureSize(shadow, 1) + textureSize(layers, 0).xy;
    if (at.z < 0.0) discard;
}
