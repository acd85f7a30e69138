#version 450
layout(vertices = 3) out;
layout(location = 0) in vec3 n[];
layout(location = 0) out vec3 on[];
layout(location = 1) patch out vec4 pc;
layout(binding=0) uniform U { float level; } u;
void main() {
  if (gl_InvocationID == 0) { gl_TessLevelInner[0] = u.level; gl_TessLevelOuter[0] = 1.0; gl_TessLevelOuter[1]=2.0; gl_TessLevelOuter[2]=3.0; pc = vec4(gl_PatchVerticesIn); }
  on[gl_InvocationID] = n[gl_InvocationID];
  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
  barrier();
}
