#version 100
uniform mat4 mvp; uniform vec3 eye; uniform vec4 front; uniform vec4 back;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main(){
  gl_Position = mvp*vec4(position,1.0);
  float d = dot(normal, eye-position);
  if(d>0.0) v_color = front*d; else v_color = back*(-d);
}
