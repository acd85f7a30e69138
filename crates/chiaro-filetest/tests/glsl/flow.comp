#version 450
// Loops of all kinds, switches, short circuits and choices.
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Result { uint ok[]; };
uint n = 0u;
void expect(bool b) { ok[n++] = b ? 1u : 0u; }
int calls = 0;
bool call(bool b) { ++calls; return b; }

int pick(int x) {
    int r = 0;
    switch (x) {
        case 1: r += 1;
        case 2: r += 10; break;
        default: r += 1000;
        case 3: case 4: r += 100; if (x == 4) break; r += 5;
    }
    return r;
}

int find(int wanted) {
    for (int i = 0; i < 10; ++i) {
        switch (i % 3) {
            case 0: continue;
            case 1: if (i == wanted) return i * 100; break;
            case 2: if (i == wanted) return i; continue;
        }
        if (i > 7) break;
    }
    return -1;
}

void main() {
    expect(pick(1) == 11 && pick(2) == 10 && pick(3) == 105 && pick(4) == 100 && pick(9) == 1105);
    expect(find(4) == 400 && find(5) == 5 && find(3) == -1 && find(8) == 8);
    int s = 0;
    for (int i = 0, j = 10; i < j; ++i, --j) { if (i == 2) continue; s += j; }
    expect(s == 10 + 9 + 7 + 6);
    s = 0;
    int i = 0;
    do { if (i == 3) { i += 2; continue; } s += i; ++i; } while (i < 8);
    expect(s == 0 + 1 + 2 + 5 + 6 + 7);
    i = 5;
    s = 0;
    while (bool more = i > 0) { s += more ? i : 100; --i; }
    expect(s == 15);
    s = 0;
    for (;;) { if (++s > 4) break; for (int k = 0; k < 3; ++k) { if (k == 1) break; ++s; } }
    expect(s == 5);
    while (true) { do { s = 77; break; } while (call(true)); break; }
    expect(s == 77 && calls == 0);
    expect(!(call(false) && call(true)) && calls == 1);
    expect((call(true) || call(false)) && calls == 2);
    expect(((call(false) || call(true)) && call(true)) && calls == 5);
    int t = call(true) ? (call(false) ? 1 : 2) : 3;
    expect(t == 2 && calls == 7);
    vec2 v = t > 1 ? vec2(1.0, 2.0) : vec2(3.0);
    expect(v == vec2(1.0, 2.0));
    mat2 m = t > 5 ? mat2(1.0) : mat2(2.0);
    expect(m == mat2(2.0));
    float d[2] = t == 2 ? float[](1.0, 2.0) : float[](3.0, 4.0);
    expect(d[1] == 2.0);
    expect((calls = 3, calls + 1) == 4);
    expect((true ^^ false) && !(true ^^ true));
    switch (t) { default: s = 1; }
    expect(s == 1);
    switch (t) { case 7: s = 9; }
    expect(s == 1);
    { int s = 5; expect(s == 5); }
    expect(s == 1);
    if (s == 2) expect(false); else if (s == 1) expect(true); else expect(false);
}
