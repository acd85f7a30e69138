#version 450
layout(location = 0) out vec4 colour;
void main() {
    float a = 1.0
    colour = vec4(a);
    colour *= 2.0
}
--- expect
error: expected `;`, found `colour`
 --> semicolon.frag:4:15
  |
4 |     float a = 1.0
  |               ^^^ `;` is missing behind this

error: expected `;`, found `}`
 --> semicolon.frag:6:15
  |
6 |     colour *= 2.0
  |               ^^^ `;` is missing behind this

