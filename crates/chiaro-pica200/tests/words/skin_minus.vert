#version 100
uniform mat4 mvp;
uniform mat4 bones[16];
attribute vec4 position; attribute vec2 ids; attribute vec2 weights; attribute vec4 color;
varying vec4 v_color;
void main(){
  mat4 m = bones[int(ids.x)]*weights.x - bones[int(ids.y)]*weights.y;
  gl_Position = mvp*(m*position);
  v_color=color;
}
