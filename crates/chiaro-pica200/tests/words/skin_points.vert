#version 100
uniform mat4 mvp;
uniform mat4 bones[16];
attribute vec3 position; attribute vec2 ids; attribute vec2 weights; attribute vec4 color;
varying vec4 v_color;
void main(){
  vec4 p=vec4(position,1.0);
  vec4 s = (bones[int(ids.x)]*p)*weights.x + (bones[int(ids.y)]*p)*weights.y;
  gl_Position = mvp*s;
  v_color=color;
}
