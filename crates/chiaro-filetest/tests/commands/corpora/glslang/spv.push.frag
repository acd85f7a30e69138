#version 450
#ifndef VULKAN
#error Vulkan
#endif
layout(push_constant) uniform Push { vec4 tint; };
layout(location = 0) out vec4 colour;
void main() { colour = tint; }
