#version 330
out vec4 colour;
int loop(int n);
int loop(int n) { return n > 0 ? loop(n - 1) : 0; }
float missing();
float sometimes(float a) { if (a > 0.0) return 1.0; }
float left(float a) { for (;;) { if (a > 0.0) break; else a += 1.0; } }
float never(float a) { for (;;) { if (a > 0.0) return a; else a += 1.0; } }
void main()
{
    int i = 0;
    switch (i) {
        i = 2;
        case 0:
        case 1: i = 1;
        case 1: break;
        case 1.5: break;
        case i: break;
        default: { case 3: break; }
        default: break;
    }
    switch (1.0) { case 0: break; }
    for (int i = 0; i < 2; i++) { int i = 2; }
    while (1) { }
    do { continue; } while (i < 2);
    i = missing() > sometimes(1.0) ? 1 : 2;
    colour = vec4(i);
    gl_FragColor = vec4(1.0);
}
--- expect
error: a label can only stand directly in the braces of a `switch`
  --> flow.frag:19:20
   |
19 |         default: { case 3: break; }
   |                    ^^^^

warning: `sometimes` may end without returning a value
 --> flow.frag:6:7
  |
6 | float sometimes(float a) { if (a > 0.0) return 1.0; }
  |       ^^^^^^^^^

error: `left` returns no value
 --> flow.frag:7:7
  |
7 | float left(float a) { for (;;) { if (a > 0.0) break; else a += 1.0; } }
  |       ^^^^

error: a statement before the first label of a `switch`
  --> flow.frag:13:9
   |
13 |         i = 2;
   |         ^^^^^^

error: `case 1` stands twice in one `switch`
  --> flow.frag:16:9
   |
16 |         case 1: break;
   |         ^^^^^^^

error: wrong type of label: expected `int`, found `float`
  --> flow.frag:17:14
   |
17 |         case 1.5: break;
   |              ^^^

error: a label must be a constant expression
  --> flow.frag:18:14
   |
18 |         case i: break;
   |              ^

error: `default` stands twice in one `switch`
  --> flow.frag:20:9
   |
20 |         default: break;
   |         ^^^^^^^^

error: `switch` takes an integer, found `float`
  --> flow.frag:22:13
   |
22 |     switch (1.0) { case 0: break; }
   |             ^^^

error: `i` is declared already
  --> flow.frag:23:39
   |
23 |     for (int i = 0; i < 2; i++) { int i = 2; }
   |                                       ^
   |
note: here for the first time
  --> flow.frag:23:14
   |
23 |     for (int i = 0; i < 2; i++) { int i = 2; }
   |              ^

error: the condition of a loop must be `bool`, found `int`
  --> flow.frag:24:12
   |
24 |     while (1) { }
   |            ^
   |
   = help: compare it, as in `x != 0`

error: `loop` calls itself, which no GLSL function may
 --> flow.frag:4:34
  |
4 | int loop(int n) { return n > 0 ? loop(n - 1) : 0; }
  |                                  ^^^^
  |
note: it is here
 --> flow.frag:3:5
  |
3 | int loop(int n);
  |     ^^^^

error: `gl_FragColor`, `gl_FragData` and outputs of your own cannot be written together
  --> flow.frag:28:5
   |
28 |     gl_FragColor = vec4(1.0);
   |     ^^^^^^^^^^^^
   |
note: another is written here
  --> flow.frag:27:5
   |
27 |     colour = vec4(i);
   |     ^^^^^^

error: `missing` is called but has no body
  --> flow.frag:26:9
   |
26 |     i = missing() > sometimes(1.0) ? 1 : 2;
   |         ^^^^^^^
   |
note: it is declared here
  --> flow.frag:5:7
   |
 5 | float missing();
   |       ^^^^^^^

