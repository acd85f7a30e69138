#version 330
#define D0(x) D1(x##x)
#define D1(x) D2(x##x)
#define D2(x) D3(x##x)
#define D3(x) D4(x##x)
#define D4(x) D5(x##x)
#define D5(x) D6(x##x)
#define D6(x) D7(x##x)
#define D7(x) D8(x##x)
#define D8(x) D9(x##x)
#define D9(x) D10(x##x)
#define D10(x) D11(x##x)
#define D11(x) D12(x##x)
#define D12(x) D13(x##x)
#define D13(x) D14(x##x)
#define D14(x) D15(x##x)
#define D15(x) D16(x##x)
#define D16(x) D17(x##x)
#define D17(x) D18(x##x)
#define D18(x) D19(x##x)
#define D19(x) D20(x##x)
#define D20(x) D21(x##x)
#define D21(x) D22(x##x)
#define D22(x) D23(x##x)
#define D23(x) D24(x##x)
#define D24(x) D25(x##x)
#define D25(x) D26(x##x)
#define D26(x) D27(x##x)
#define D27(x) D28(x##x)
#define D28(x) D29(x##x)
#define D29(x) D30(x##x)
#define D30(x) D31(x##x)
#define D31(x) D32(x##x)
#define D32(x) D33(x##x)
#define D33(x) D34(x##x)
#define D34(x) D35(x##x)
#define D35(x) D36(x##x)
#define D36(x) D37(x##x)
#define D37(x) D38(x##x)
#define D38(x) D39(x##x)
#define D39(x) D40(x##x)
#define D40(x) x
D0(a)
after
--- expect
version 330 Core
after
error: `##` makes tokens that are too long together
  --> doubling.frag:43:4
   |
43 | D0(a)
   |    ^
   |
   = note: at most 4194304 bytes are made

