#version 100
attribute vec4 a_position;
attribute mediump vec2 a_uv;
uniform mat4 u_mvp;
uniform lowp vec4 u_tint[2];
varying mediump vec2 v_uv;
varying lowp vec4 v_tint;
const float half_pi = 3.14159265 / 2.0;
struct Light { vec3 direction; lowp float power; };
uniform Light light;
float lit(in Light l, inout vec3 n) { n = normalize(n); return max(dot(l.direction, n), 0.0) * l.power; }
void main()
{
    vec3 n = a_position.xyz;
    v_uv.yx = a_uv;
    for (int i = 0; i < 2; i++) v_tint += u_tint[i];
    v_tint *= lit(light, n) * half_pi;
    gl_Position = u_mvp * a_position;
    gl_PointSize = float(gl_MaxDrawBuffers);
}
--- expect
In a_position High
In a_uv Medium
Uniform u_mvp High
Uniform u_tint Low Known(2)
Out v_uv Medium
Out v_tint Low
Uniform light
Out gl_Position High
Out gl_PointSize High
