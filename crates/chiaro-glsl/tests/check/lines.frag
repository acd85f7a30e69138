#version 330
out vec4 colour;
#line 100
void main() { colour = vec4(missing);
#line 7 3
    colour = vec4(lost);
}
--- expect
error: `missing` is not declared
   --> lines.frag:100:29
    |
100 | void main() { colour = vec4(missing);
    |                             ^^^^^^^

error: `lost` is not declared
 --> lines.frag (source 3):7:19
  |
7 |     colour = vec4(lost);
  |                   ^^^^

