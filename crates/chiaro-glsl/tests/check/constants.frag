#version 460
const int n = 3 + 4 * 2;
int wrapped = 2147483647 + 1;
int shifted = (n << 2) | 1;
uint bits = ~0u >> 4;
float root = sqrt(2.0);
float mixed = mix(1.0, 3.0, 0.25) + n;
vec3 swizzled = vec4(1, 2, 3, 4).wzx;
mat2 product = mat2(1, 2, 3, 4) * mat2(2.0);
vec2 column = mat2(1, 2, 3, 4)[1];
vec2 transformed = mat2(1, 2, 3, 4) * vec2(1, 10);
float determined = determinant(mat3(2.0));
int truncated = int(-1.75);
uint packed = packUnorm4x8(vec4(0, 1, 0.5, 1));
bool equal = vec2(1, 2) == vec2(1, 2);
double wide = 1.0lf / 3.0lf;
const float table[] = float[](1.0, 2.0, 4.0);
float third = table[2] + table.length();
struct S { int a; vec2 b; };
const S s = S(7, vec2(1, 2));
float member = s.b.y + s.a;
int chosen = n > 10 ? 1 : 2;
float angle = degrees(acos(-1.0));
out vec4 colour;
void main() { colour = vec4(table[int(colour.x)]); }
--- expect
Private wrapped = -2147483648 (not used)
Private shifted = 45 (not used)
Private bits = 0xfffffff (not used)
Private root = 1.4142135 (not used)
Private mixed = 12.5 (not used)
Private swizzled = 4.0 3.0 1.0 (not used)
Private product = 2.0 4.0 6.0 8.0 (not used)
Private column = 3.0 4.0 (not used)
Private transformed = 31.0 42.0 (not used)
Private determined = 8.0 (not used)
Private truncated = -1 (not used)
Private packed = 0xff80ff00 (not used)
Private equal = 0x1 (not used)
Private wide = 0.3333333333333333 (not used)
Private table Known(3) = 0x3f800000 0x40000000 0x40800000
Private third = 7.0 (not used)
Private member = 9.0 (not used)
Private chosen = 1 (not used)
Private angle = 180.0 (not used)
Out colour
