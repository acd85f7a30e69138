precision highp float;
vec4 unpack_mix_color(vec4 packed_colors, float t) { return packed_colors * t; }
float unpack_mix_vec2(vec2 packed_value, float t) { return mix(packed_value.x, packed_value.y, t); }
