// find position v0 1
// find color v1 1
// out position o0
// out color o1 color
struct Out { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }
@vertex fn main(@location(0) position: vec4<f32>, @location(1) color: vec4<f32>) -> Out { return Out(position, color); }
