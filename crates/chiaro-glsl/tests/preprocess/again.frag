#version 330
#define SAME(a) (a + 1)
#define SAME(a) (a + 1)
#define OTHER(a) (a + 1)
#define OTHER(a) (a + 2)
#define PARAMETER(a) (a)
#define PARAMETER(b) (b)
#define LONGER 1
#define LONGER 1 2
SAME(2)
--- expect
version 330 Core
( 2 + 1 )
error: `OTHER` is defined already, and otherwise
 --> again.frag:5:9
  |
5 | #define OTHER(a) (a + 2)
  |         ^^^^^
  |
  = help: put `#undef OTHER` before it
note: first here
 --> again.frag:4:9
  |
4 | #define OTHER(a) (a + 1)
  |         ^^^^^

error: `PARAMETER` is defined already, and otherwise
 --> again.frag:7:9
  |
7 | #define PARAMETER(b) (b)
  |         ^^^^^^^^^
  |
  = help: put `#undef PARAMETER` before it
note: first here
 --> again.frag:6:9
  |
6 | #define PARAMETER(a) (a)
  |         ^^^^^^^^^

error: `LONGER` is defined already, and otherwise
 --> again.frag:9:9
  |
9 | #define LONGER 1 2
  |         ^^^^^^
  |
  = help: put `#undef LONGER` before it
note: first here
 --> again.frag:8:9
  |
8 | #define LONGER 1
  |         ^^^^^^

