#version 400
out vec4 colour;
float a(float x) { return x; }
float a(double x) { return 1.0; }
float b(float x, int y) { return 1.0; }
float b(int x, float y) { return 2.0; }
void c(out float x) { x = 1.0; }
void d(inout vec3 x) { x = vec3(1.0); }
void main()
{
    float r = a(1);
    r = b(1, 1);
    int i;
    c(i);
    c(1.0);
    d(colour.xyz);
    d(colour.xxy);
    r = textureLod(r, 1.0);
    r = max(1, 2.0) + clamp(3, 0.0, 1);
    r = dot(vec2(1.0), vec3(1.0));
    r = mix(1.0, 2.0);
}
--- expect
error: this call of `b` is ambiguous
  --> overloads.frag:12:9
   |
12 |     r = b(1, 1);
   |         ^
   |
   = note: it may mean `b(float, int)` or `b(int, float)`
   = help: convert an argument so that one fits exactly

error: no `c` takes (int)
  --> overloads.frag:14:5
   |
14 |     c(i);
   |     ^
   |
   = note: `c(out float)`: argument 1 is `int`, not `float`

error: this argument is written: it is not a variable
  --> overloads.frag:15:7
   |
15 |     c(1.0);
   |       ^^^

error: this argument is written: a component is named twice
  --> overloads.frag:17:7
   |
17 |     d(colour.xxy);
   |       ^^^^^^^^^^

error: no `textureLod` takes (float, float)
  --> overloads.frag:18:9
   |
18 |     r = textureLod(r, 1.0);
   |         ^^^^^^^^^^

error: no `dot` takes (vec2, vec3)
  --> overloads.frag:20:9
   |
20 |     r = dot(vec2(1.0), vec3(1.0));
   |         ^^^
   |
   = note: `dot(vec2, vec2)`: argument 2 is `vec3`, not `vec2`
   = note: `dot(dvec2, dvec2)`: argument 2 is `vec3`, not `dvec2`

error: no `mix` takes (float, float)
  --> overloads.frag:21:9
   |
21 |     r = mix(1.0, 2.0);
   |         ^^^
   |
   = note: `mix(float, float, float)` takes 3 arguments
   = note: `mix(float, float, bool)` takes 3 arguments
   = note: `mix(double, double, double)` takes 3 arguments
   = note: `mix(double, double, bool)` takes 3 arguments

