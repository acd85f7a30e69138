#version 330
#if 1 + 2 * 3 == 7
yes 0
#else
no 0
#endif
#if 10 - 4 - 3 == 3
yes 1
#else
no 1
#endif
#if 100 / 10 / 5 == 2
yes 2
#else
no 2
#endif
#if 17 % 5 * 2 == 4
yes 3
#else
no 3
#endif
#if 1 << 2 + 1 == 8
yes 4
#else
no 4
#endif
#if 64 >> 2 >> 1 == 8
yes 5
#else
no 5
#endif
#if 1 << 3 < 9
yes 6
#else
no 6
#endif
#if 3 < 4 == 1
yes 7
#else
no 7
#endif
#if 5 & 3 == 3
yes 8
#else
no 8
#endif
#if (5 & 3) == 1
yes 9
#else
no 9
#endif
#if 6 ^ 3 & 1
yes 10
#else
no 10
#endif
#if (6 ^ 3 & 1) == 7
yes 11
#else
no 11
#endif
#if 4 | 2 ^ 2
yes 12
#else
no 12
#endif
#if (4 | 2 ^ 2) == 4
yes 13
#else
no 13
#endif
#if (1 | 6 & 4) == 5
yes 14
#else
no 14
#endif
#if 0 && 0 || 1
yes 15
#else
no 15
#endif
#if 1 || 0 && 0
yes 16
#else
no 16
#endif
#if !(1 || 0) == 0
yes 17
#else
no 17
#endif
#if !0 + 1 == 2
yes 18
#else
no 18
#endif
#if -3 + 5 == 2
yes 19
#else
no 19
#endif
#if - -3 == 3
yes 20
#else
no 20
#endif
#if ~0 == -1
yes 21
#else
no 21
#endif
#if ~1 & 3
yes 22
#else
no 22
#endif
#if (~1 & 3) == 2
yes 23
#else
no 23
#endif
#if 2 * -3 == -6
yes 24
#else
no 24
#endif
#if 1 || 1 / 0
yes 25
#else
no 25
#endif
#if 0 && 1 / 0 || 1
yes 26
#else
no 26
#endif
#if 0x10 + 010 == 24
yes 27
#else
no 27
#endif
#if 1 - 2 < 0
yes 28
#else
no 28
#endif
#if -7 / 2 == -3
yes 29
#else
no 29
#endif
#if -7 % 2 == -1
yes 30
#else
no 30
#endif
#if 1 != 2 == 1
yes 31
#else
no 31
#endif
#if 3 > 2 > 1 == 0 && 1
yes 32
#else
no 32
#endif
--- expect
version 330 Core
yes 0
yes 1
yes 2
yes 3
yes 4
yes 5
yes 6
yes 7
yes 8
yes 9
yes 10
yes 11
yes 12
yes 13
yes 14
yes 15
yes 16
yes 17
yes 18
yes 19
yes 20
yes 21
yes 22
yes 23
yes 24
yes 25
yes 26
yes 27
yes 28
yes 29
yes 30
yes 31
yes 32
