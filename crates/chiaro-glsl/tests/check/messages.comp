#version 450
#extension GL_EXT_abort : require
#extension GL_EXT_debug_printf : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { vec3 place; bool flag; float rest[]; };
struct Mixed { float a; bool b; };

void main() {
    Mixed mixed = Mixed(1.0, true);
    debugPrintfEXT("at %v3f", place);
    abortEXT("flag %d\n", flag);
    abortEXT();
    debugPrintfEXT();
    abortEXT(("bracketed"));
    abortEXT(place);
    abortEXT("mixed", mixed);
    abortEXT("open", rest);
    abortEXT("text", "text");
    float x = "text";
}
--- expect
error: a message needs a text
  --> messages.comp:13:5
   |
13 |     debugPrintfEXT();
   |     ^^^^^^^^^^^^^^^^

error: the first argument must be a text in quotes
  --> messages.comp:14:15
   |
14 |     abortEXT(("bracketed"));
   |               ^^^^^^^^^^^

error: the first argument must be a text in quotes
  --> messages.comp:15:14
   |
15 |     abortEXT(place);
   |              ^^^^^

error: an array or structure that goes with a message cannot hold a `bool`
  --> messages.comp:16:23
   |
16 |     abortEXT("mixed", mixed);
   |                       ^^^^^

error: an array that goes on to the end of its buffer has no value as a whole
  --> messages.comp:17:22
   |
17 |     abortEXT("open", rest);
   |                      ^^^^
   |
   = help: take an element of it, or its `length()`

error: a text can only be an argument of what takes one
  --> messages.comp:18:22
   |
18 |     abortEXT("text", "text");
   |                      ^^^^^^

error: a text can only be an argument of what takes one
  --> messages.comp:19:15
   |
19 |     float x = "text";
   |               ^^^^^^

