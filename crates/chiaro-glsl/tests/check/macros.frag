#version 330
#define HALF(x) ((x) * 0.5)
#define SCALE(v) HALF(v) + vec3(1.0)
out vec4 colour;
in vec2 uv;
void main()
{
    colour = vec4(SCALE(uv), 1.0);
}
--- expect
error: `+` does not take `vec2` and `vec3`
 --> macros.frag:8:19
  |
8 |     colour = vec4(SCALE(uv), 1.0);
  |                   ^^^^^
  |
note: in this expansion of macro `HALF`
 --> macros.frag:2:17
  |
2 | #define HALF(x) ((x) * 0.5)
  |                 ^
note: in this expansion of macro `SCALE`
 --> macros.frag:3:18
  |
3 | #define SCALE(v) HALF(v) + vec3(1.0)
  |                  ^^^^

