#version 450
layout(triangles, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec3 n[];
layout(location = 1) patch in vec4 pc;
layout(location = 0) out vec3 on;
void main() {
  on = gl_TessCoord.x * n[0] + gl_TessCoord.y * n[1] + gl_TessCoord.z * n[2];
  gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position + pc * gl_TessLevelOuter[0];
  gl_ClipDistance[0] = on.x;
}
