#version 300 es
// Whole numbers: quotients, remainders, shifts, masks, of signed and unsigned ones.
uniform int n;
in ivec3 i;
in uint u;
in vec4 a;
flat out ivec4 made;
flat out uvec2 bits;
void main() {
    int d = n == 0 ? 7 : n;
    ivec3 k = clamp(i, -4000, 4000);
    made.x = k.x / d;
    made.y = k.y % (abs(d) + 1);
    made.z = (k.x << 2) + (k.y >> 3) - (k.z & 15);
    made.w = (k.x & 0x3c) | ((k.y & 3) << 6);
    uint w = u % 4096u;
    bits.x = (w ^ 0x155u) & 0xff0u;
    bits.y = (w & uint(k.z & 1023)) | (w >> 4u);
    gl_Position = a;
}
