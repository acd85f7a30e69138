#version 460
#extension GL_ARM_tensors : require
layout(set = 0, binding = 0) uniform tensorARM<int, 2> table;
layout(set = 0, binding = 1) readonly uniform tensorARM<float, 3> input_values;
uniform tensorARM wrong;
tensorARM<int, 1> loose;
uniform tensorARM<int, 0> flat_tensor;
uint size_of(readonly tensorARM<float, 3> t) { return tensorSizeARM(t, 2); }
void main() {
    int element;
    tensorReadARM(table, uint[](1, 2), element, gl_TensorOperandsOutOfBoundsValueARM, 7);
    tensorReadARM(table, uint[](1), element);
    tensorWriteARM(input_values, uint[](1, 2, 3), 1.0);
    tensorWriteARM(table, uint[](1, 2), 1.0);
    uint n = size_of(input_values) + tensorSizeARM(table, 2);
    tensorReadARM(table, uint[](1, 2), element, gl_TensorOperandsOutOfBoundsValueARM);
}
--- expect
error: a type in angle brackets has to follow
 --> tensors.comp:5:9
  |
5 | uniform tensorARM wrong;
  |         ^^^^^^^^^

error: `loose` is of opaque type: it must be a `uniform`
 --> tensors.comp:6:19
  |
6 | tensorARM<int, 1> loose;
  |                   ^^^^^

error: the rank of a tensor is a constant from 1 to 32
 --> tensors.comp:7:24
  |
7 | uniform tensorARM<int, 0> flat_tensor;
  |                        ^

error: the coordinates are `uint[2]`, found `uint[1]`
  --> tensors.comp:12:26
   |
12 |     tensorReadARM(table, uint[](1), element);
   |                          ^^^^^^^^^

error: the tensor is `readonly` and cannot be written
  --> tensors.comp:13:5
   |
13 |     tensorWriteARM(input_values, uint[](1, 2, 3), 1.0);
   |     ^^^^^^^^^^^^^^

error: the tensor has elements of `int`, the data is `float`
  --> tensors.comp:14:41
   |
14 |     tensorWriteARM(table, uint[](1, 2), 1.0);
   |                                         ^^^

error: the tensor has dimensions 0 to 1, not 2
  --> tensors.comp:15:59
   |
15 |     uint n = size_of(input_values) + tensorSizeARM(table, 2);
   |                                                           ^

error: a value of type `int` for what lies outside has to follow
  --> tensors.comp:16:49
   |
16 |     tensorReadARM(table, uint[](1, 2), element, gl_TensorOperandsOutOfBoundsValueARM);
   |                                                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

