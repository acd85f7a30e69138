#version 100
uniform mat4 mvp;
uniform mat4 bones[16];
attribute vec3 position; attribute vec4 ids; attribute vec4 weights; attribute vec4 color;
varying vec4 v_color;
void main(){
  vec4 p=vec4(position,1.0);
  vec4 s = vec4(0.0);
  for(int i=0;i<4;i++) s += (bones[int(ids[i])]*p)*weights[i];
  gl_Position = mvp*s;
  v_color=color;
}
