#version 330 core
// Four bones for each vertex, instances with a colour of their own, desktop 3.30.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 bones;
layout(location = 3) in vec4 weights;
layout(location = 4) in mat4 instance;
layout(location = 8) in vec4 tint;
uniform mat4 viewProjection;
uniform mat4x3 palette[48];
out Surface { vec3 normal; flat vec4 tint; } surface;

void main() {
    mat4x3 skin = palette[bones.x] * weights.x + palette[bones.y] * weights.y
        + palette[bones.z] * weights.z + palette[bones.w] * weights.w;
    vec4 world = instance * vec4(skin * vec4(position, 1.0), 1.0);
    surface.normal = mat3(instance) * (mat3(skin) * normal);
    surface.tint = tint;
    gl_Position = viewProjection * world;
}
