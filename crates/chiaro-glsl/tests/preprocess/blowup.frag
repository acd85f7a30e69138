#version 330
#define A0(x) x x x x x x x x x x x x x x x x
#define A1(x) A0(A0(A0(x)))
#define A2(x) A1(A1(A1(x)))
#if 0
#endif
#define n A2(A2(1))
#if n
#endif
--- expect
version 330 Core
error: macros expand to too many tokens
 --> blowup.frag:8:5
  |
8 | #if n
  |     ^ the limit is reached here

