// find lights c0 6
// find lights[2] c4 2
// find lights[2].color c5 1
// out position o0
// out color o1 vertexColor
struct Light { at: vec4<f32>, color: vec4<f32> }
@group(0) @binding(0) var<uniform> lights: array<Light, 3>;
struct Out { @builtin(position) position: vec4<f32>, @location(0) vertexColor: vec4<f32> }
@vertex fn main(@location(0) p: vec4<f32>) -> Out { return Out(p + lights[0].at, lights[2].color); }
