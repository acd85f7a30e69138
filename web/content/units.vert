// Mali-400's vertex processor: a word drives two
// multipliers, two adders, a unit for reciprocals and the
// like, and loads and stores, all at once. Results have no
// registers: a unit reads what another made one or two words
// before (^mul0, ^^add1), or it is lost.
//
// Words count, not operations: most of these divide the
// position by w and scale it to the screen, which the vertex
// program does itself on this machine.
attribute vec4 position;
uniform vec4 k;
varying float sum;

void main() {
    vec4 p = position * k;
    sum = p.x + p.y + p.z + p.w;
    gl_Position = position;
}
