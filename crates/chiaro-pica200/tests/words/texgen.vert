#version 100
uniform mat4 mv; uniform mat4 pr;
attribute vec3 position; attribute vec3 normal; varying vec2 v_tex;
void main(){
  vec4 e = mv*vec4(position,1.0);
  gl_Position = pr*e;
  vec3 n = normalize(mat3(mv[0].xyz,mv[1].xyz,mv[2].xyz)*normal);
  vec3 u = normalize(e.xyz);
  vec3 r = reflect(u,n);
  float m = 2.0*sqrt(r.x*r.x+r.y*r.y+(r.z+1.0)*(r.z+1.0));
  v_tex = r.xy/m+0.5;
}
