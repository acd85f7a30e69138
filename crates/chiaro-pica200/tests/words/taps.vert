#version 100
uniform mat4 mvp; uniform vec4 taps[3];
attribute vec3 position; varying vec4 v_color;
void main(){
  gl_Position = mvp*vec4(position,1.0);
  float w[3]; w[0]=0.25; w[1]=0.5; w[2]=0.25;
  vec4 c=vec4(0.0);
  for(int i=0;i<3;i++) c += taps[i]*w[i];
  v_color=c;
}
