#version 450
layout(constant_id = 0) const float start = 1.0;
const vec2 v0 = vec2(start);
const vec2 v1 = (v0 + v0) * (v0 - v0) + (v0 / v0) * (v0 + v0);
const vec2 v2 = (v1 + v1) * (v1 - v1) + (v1 / v1) * (v1 + v1);
const vec2 v3 = (v2 + v2) * (v2 - v2) + (v2 / v2) * (v2 + v2);
const vec2 v4 = (v3 + v3) * (v3 - v3) + (v3 / v3) * (v3 + v3);
float deep[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]
          [1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];
void main() {}
--- expect
error: too many steps lead from the specialisation constants to this value
 --> limits.frag:6:17
  |
6 | const vec2 v3 = (v2 + v2) * (v2 - v2) + (v2 / v2) * (v2 + v2);
  |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

error: arrays and structures are nested more than 64 deep
 --> limits.frag:8:1
  |
8 | float deep[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1]
  | ^^^^^

