#version 100
uniform mat4 mvp; uniform float time; uniform float amp;
attribute vec3 position; attribute vec4 color; varying vec4 v_color;
void main(){
  vec3 p=position; p.y += sin(p.x*2.0+time)*amp;
  gl_Position = mvp*vec4(p,1.0); v_color=color;
}
