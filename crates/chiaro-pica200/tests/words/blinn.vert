#version 100
uniform mat4 mv; uniform mat4 pr; uniform vec3 ldir; uniform vec4 amb, dif, spc; uniform float shin;
attribute vec3 position; attribute vec3 normal; varying vec4 v_color;
void main(){
  vec4 e = mv*vec4(position,1.0);
  gl_Position = pr*e;
  vec3 n = normalize((mv*vec4(normal,0.0)).xyz);
  vec3 v = normalize(-e.xyz);
  vec3 h = normalize(ldir+v);
  float d = max(dot(n,ldir),0.0);
  float s = pow(max(dot(n,h),0.0),shin);
  v_color = vec4((amb+dif*d+spc*s).rgb, dif.a);
}
