#version 310 es
// The PICA200 of the 3DS: every source may be swizzled and
// negated for nothing, every result masked. A rotation by a
// quarter turn is no instruction at all.
//
// But an instruction reads one uniform only: scale + offset
// needs two, so one is moved to a register first. Watch the
// mov disappear when you write scale + position instead.
uniform vec4 scale;
uniform vec4 offset;
in vec4 position;
out vec4 color;

void main() {
    vec4 turned = vec4(-position.y, position.xzw);
    color = turned.wzyx * 0.5;
    gl_Position = turned * (scale + offset);
}
