#version 450
layout(push_constant) uniform Push { vec4 tint; };
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) uniform samplerCube around;
layout(location = 0) in vec3 direction;
layout(location = 1) flat in uint kind;
layout(location = 2) noperspective in vec2 place;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 depth;
void main() {
    if (gl_FrontFacing && gl_FragCoord.x > 10.0) discard;
    vec4 sum = texture(around, direction) + textureLod(picture, place, float(kind));
    depth = vec4(gl_FragCoord.yzw, float(gl_SampleMaskIn[0]));
    colour = sum * tint + vec4(dFdx(place), fwidth(direction.xy));
}
