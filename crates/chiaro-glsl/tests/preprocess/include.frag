#version 450
#extension GL_GOOGLE_include_directive : require
#include "one"
#include <two> // comment
#include "absent"
#include three
#include "self"
end
--- expect
version 450 Core
one_of_include 7 two_of_include 7
end
extension GL_GOOGLE_include_directive Require from token 0
extension GL_GOOGLE_cpp_style_line_directive Require from token 0
error: cannot find `absent`
 --> include.frag:5:10
  |
5 | #include "absent"
  |          ^^^^^^^^

error: `#include` needs a name in quotes or angle brackets
 --> include.frag:6:10
  |
6 | #include three
  |          ^^^^^

error: includes are more than 64 deep
 --> self:1:10
  |
1 | #include "self"
  |          ^^^^^^
  |
  = note: does a file include itself?

