#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Counts { int n; int all[]; };
layout(std430, binding = 1) buffer Named { int n; int all[]; } named;
layout(buffer_reference, std430) buffer Node { int n; int all[]; };
layout(binding = 2) uniform Heads { Node head; };

void main() {
    n = all.length() + all[1] + named.all.length() + named.all[n] + head.all[2];
    all, n;
    n = (n, all)[1];
    n = (true ? all : all)[0];
    for (;; all) break;
    named;
    named = named;
    (named.all, 1);
    head.all;
    int grown[];
    grown[3] = 1;
    n = (n, grown)[9];
}
--- expect
error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:11:5
   |
11 |     all, n;
   |     ^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:12:13
   |
12 |     n = (n, all)[1];
   |             ^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:13:17
   |
13 |     n = (true ? all : all)[0];
   |                 ^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:13:23
   |
13 |     n = (true ? all : all)[0];
   |                       ^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:14:13
   |
14 |     for (;; all) break;
   |             ^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:15:5
   |
15 |     named;
   |     ^^^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:16:5
   |
16 |     named = named;
   |     ^^^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:16:13
   |
16 |     named = named;
   |             ^^^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:17:6
   |
17 |     (named.all, 1);
   |      ^^^^^^^^^
   |
   = help: take an element of it, or its `length()`

error: an array that goes on to the end of its buffer has no value as a whole
  --> open_arrays.comp:18:5
   |
18 |     head.all;
   |     ^^^^^^^^
   |
   = help: take an element of it, or its `length()`

error: an array is the result of an operator only if its size is known
  --> open_arrays.comp:21:10
   |
21 |     n = (n, grown)[9];
   |          ^^^^^^^^

