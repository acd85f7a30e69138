#version 450
layout(location = 0) flat out dvec3 three;
layout(location = 1, component = 2) flat out double beside;
layout(location = 2) flat out dvec3 both[2];
layout(location = 3, component = 2) flat out double first;
layout(location = 5, component = 2) flat out double second;
layout(location = 6) flat out dvec3 other;
layout(location = 6, component = 2) flat out double within;
layout(location = 8) flat out dvec3 last;
layout(location = 9) flat out double over;
layout(location = 10) flat out dvec4 four;
layout(location = 11, component = 2) flat out double under;
layout(location = 12, component = 2) flat out dvec3 late;
void main() { gl_Position = vec4(0.0); }
--- expect
error: `within` shares a location with a variable before it
 --> wide_slots.vert:8:53
  |
8 | layout(location = 6, component = 2) flat out double within;
  |                                                     ^^^^^^

error: `over` shares a location with a variable before it
  --> wide_slots.vert:10:38
   |
10 | layout(location = 9) flat out double over;
   |                                      ^^^^

error: `under` shares a location with a variable before it
  --> wide_slots.vert:12:54
   |
12 | layout(location = 11, component = 2) flat out double under;
   |                                                      ^^^^^

error: 6 components from 2 on do not fit into one location
  --> wide_slots.vert:13:53
   |
13 | layout(location = 12, component = 2) flat out dvec3 late;
   |                                                     ^^^^

