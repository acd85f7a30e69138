#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(buffer_reference) buffer Node;
layout(buffer_reference, buffer_reference_align = 8) buffer Node { int value; Node next; };
layout(buffer_reference) buffer Open { int list[]; };
layout(buffer_reference) uniform Wrong { int a; };
layout(push_constant) uniform Start { Node first; Open open; };
const uint64_t SIZE = uint64_t(Node(uint64_t(0)) + 1);
const uint size_of_node = uint(SIZE);
int sized[size_of_node];
const Node fixed_address = Node(uint64_t(8));
void main() {
    Node n = first;
    n += 2;
    n[1].value = int(n - first);
    bool same = n == first.next;
    open.list.length();
    open + 1;
    n.missing = 1;
    Open o = first;
    float f = float(n);
    sized[0] = 1;
}
--- expect
error: `buffer_reference` does not fit here: this block does not take it
 --> references.comp:7:8
  |
7 | layout(buffer_reference) uniform Wrong { int a; };
  |        ^^^^^^^^^^^^^^^^

error: an address cannot be `const`
  --> references.comp:12:12
   |
12 | const Node fixed_address = Node(uint64_t(8));
   |            ^^^^^^^^^^^^^

error: the size of this array is not known here
  --> references.comp:18:5
   |
18 |     open.list.length();
   |     ^^^^^^^^^^^^^^^^^^

error: the size of `Open` is not known
  --> references.comp:19:5
   |
19 |     open + 1;
   |     ^^^^^^^^
   |
   = note: a block that ends with an open array has none

error: `Node` has no member `missing`
  --> references.comp:20:7
   |
20 |     n.missing = 1;
   |       ^^^^^^^

error: wrong type of initialiser: expected `Open`, found `Node`
  --> references.comp:21:14
   |
21 |     Open o = first;
   |              ^^^^^

error: `float` cannot be made from the address `Node`
  --> references.comp:22:15
   |
22 |     float f = float(n);
   |               ^^^^^^^^
   |
   = help: make a `uint64_t` of it first

