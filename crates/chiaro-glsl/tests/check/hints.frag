#version 450
layout(location = 0) in vec3 place;
layout(location = 0) out vec4 colour;
layout(binding = 0) uniform Block { mat4 world; };
void main() {
    float3 a = float3(1.0);
    colour = vec4(lerp(0.0, 1.0, 0.5), saturate(2.0), frac(1.5), 1.0);
    colour = world * place;
    colour = mul(world, colour);
    mat3 basis = mat3(1.0);
    colour.xyz = basis * colour;
}
--- expect
error: unknown type `float3`
 --> hints.frag:6:5
  |
6 |     float3 a = float3(1.0);
  |     ^^^^^^
  |
  = help: GLSL calls it `vec3`

error: there is no function `lerp`
 --> hints.frag:7:19
  |
7 |     colour = vec4(lerp(0.0, 1.0, 0.5), saturate(2.0), frac(1.5), 1.0);
  |                   ^^^^
  |
  = help: GLSL has `mix(a, b, t)` for it

error: there is no function `saturate`
 --> hints.frag:7:40
  |
7 |     colour = vec4(lerp(0.0, 1.0, 0.5), saturate(2.0), frac(1.5), 1.0);
  |                                        ^^^^^^^^
  |
  = help: GLSL has `clamp(x, 0.0, 1.0)` for it

error: there is no function `frac`
 --> hints.frag:7:55
  |
7 |     colour = vec4(lerp(0.0, 1.0, 0.5), saturate(2.0), frac(1.5), 1.0);
  |                                                       ^^^^
  |
  = help: GLSL has `fract(x)` for it

error: `*` does not take `mat4` and `vec3`
 --> hints.frag:8:14
  |
8 |     colour = world * place;
  |              ^^^^^^^^^^^^^
  |
  = help: write `vec4(v, 1.0)` for a position, `vec4(v, 0.0)` or `mat3(m) * v` for a direction

error: there is no function `mul`
 --> hints.frag:9:14
  |
9 |     colour = mul(world, colour);
  |              ^^^
  |
  = help: GLSL has the operator `*` for it

error: `*` does not take `mat3` and `vec4`
  --> hints.frag:11:18
   |
11 |     colour.xyz = basis * colour;
   |                  ^^^^^^^^^^^^^^
   |
   = help: take 3 components: `.xyz`

