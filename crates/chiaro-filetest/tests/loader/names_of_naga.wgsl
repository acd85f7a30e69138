// find uv c0 1
// find uv_1 c1 1
// find vec v0 1
// find float v1 1
// out position o0
// out texcoord0 o1 texture_
struct Out { @builtin(position) position: vec4<f32>, @location(0) texture_: vec2<f32> }
@group(0) @binding(0) var<uniform> uv: vec4<f32>;
@group(0) @binding(1) var<uniform> uv_1: vec4<f32>;
@vertex fn main(@location(0) vec: vec4<f32>, @location(1) float: vec2<f32>) -> Out { return Out(vec + uv_1, float * uv.xy); }
