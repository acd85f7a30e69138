#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Data { float all[]; };
#ifdef VULKAN
layout(push_constant) uniform Push { float factor; };
#endif
void main() { all[gl_GlobalInvocationID.x] *= factor; }
