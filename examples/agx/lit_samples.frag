#version 450
layout(location = 0) sample in vec3 shown_normal;
layout(location = 1) sample in vec2 shown_place;
layout(set = 0, binding = 0) uniform Scene { mat4 camera; vec4 light; };
layout(set = 0, binding = 1) uniform sampler2D surface;
layout(location = 0) out vec4 colour;

void main() {
    float lit = max(dot(normalize(shown_normal), light.xyz), 0.0);
    vec4 texel = texture(surface, shown_place);
    colour = vec4(texel.rgb * lit, texel.a * light.w);
}
