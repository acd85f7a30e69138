#version 330
#define ONE 1
#define TWO (ONE + ONE)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CALL MAX
#define EMPTY
#define NOTHING() nothing
#define JOIN(a, b) a##b
#define JOIN2(a, b) JOIN(a, b)
#define SELF SELF + 1
#define PING PONG ping
#define PONG PING pong
#define f(x) x * g
#define g(x) f(x)
#define LONG a \
  b
TWO;
MAX(1, MAX(2, 3));
CALL(x[0, 1], (y, z));
MAX
(
 a,
 // a comment
 b)
;
MAX + EMPTY 2; NOTHING(); NOTHING;
JOIN(x, 1) JOIN(, y) JOIN(z,) JOIN(,) JOIN2(ONE, ONE) JOIN(ONE, ONE) JOIN(1, .5) JOIN(<, <=);
SELF; PING; PONG; f(2)(9); LONG
__LINE__ __FILE__ __VERSION__ GL_core_profile GL_ES
#undef ONE
ONE
#line 100
__LINE__
#line 200 5
__LINE__ __FILE__
id\
ent 1\
2
--- expect
version 330 Core
( 1 + 1 ) ;
( ( 1 ) > ( ( ( 2 ) > ( 3 ) ? ( 2 ) : ( 3 ) ) ) ? ( 1 ) : ( ( ( 2 ) > ( 3 ) ? ( 2 ) : ( 3 ) ) ) ) ;
;
( (
a
) > (
b
) ? (
a
) : (
b
) )
;
MAX + 2 ; nothing ; NOTHING ;
x1 y z 11 ONEONE 1.5 <<= ;
SELF + 1 ; PING pong ping ; PONG ping pong ; 2 * 9 * g ; a b
29 0 330 1 GL_ES
ONE
100
200 5
ident
12
error: macro `MAX` takes 2 arguments and gets 3
  --> macros.frag:19:1
   |
19 | CALL(x[0, 1], (y, z));
   | ^^^^
   |
note: defined here
  --> macros.frag:4:9
   |
 4 | #define MAX(a, b) ((a) > (b) ? (a) : (b))
   |         ^^^

