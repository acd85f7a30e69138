// find p v4 1
// find c v2 1
// out position o0
// out texcoord1 o1 uv1
// out color o2 frag_color
struct Out { @location(3) uv1: vec2<f32>, @builtin(position) position: vec4<f32>, @location(0) frag_color: vec4<f32> }
@vertex fn main(@location(4) p: vec4<f32>, @location(2) c: vec4<f32>) -> Out { return Out(p.xy, p, c); }
