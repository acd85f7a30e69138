// find bones c0 12
// find bones[2] c8 4
// find n v1 1
// out position o0
@group(0) @binding(0) var<uniform> bones: array<mat4x4<f32>, 3>;
@vertex fn main(@location(0) p: vec4<f32>, @location(1) n: f32) -> @builtin(position) vec4<f32> { return bones[2] * p * n; }
