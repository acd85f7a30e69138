#version 100
uniform mat4 mvp; uniform vec4 k;
attribute vec3 position; attribute vec4 color; varying vec4 v_color;
void main(){
  gl_Position = mvp*vec4(position,1.0);
  vec4 c=color;
  for(float i=0.0;i<5.0;i+=1.0) c = c*k+i*0.1;
  v_color=c;
}
