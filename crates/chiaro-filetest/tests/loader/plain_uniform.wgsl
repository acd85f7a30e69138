// find mvp c0 4
// find position v0 1
// out position o0
@group(0) @binding(0) var<uniform> mvp: mat4x4<f32>;
@vertex fn main(@location(0) position: vec4<f32>) -> @builtin(position) vec4<f32> { return mvp * position; }
