#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x=64) in;
layout(std430, binding=0) buffer A { float total; float least; float most; float d[]; };
layout(binding=1, r32f) uniform image2D im;
shared float s;
void main(){
  uint i = gl_LocalInvocationIndex;
  if (i == 0u) s = 0.0;
  barrier();
  float x = float(i)*0.5 - 7.0;
  d[i] = atomicAdd(d[64u + i % 5u], x);
  atomicAdd(total, x);
  atomicAdd(s, 1.0);
  imageAtomicAdd(im, ivec2(i % 3u, 0), x);
  barrier();
  if (i == 3u) d[70] = s;
}
