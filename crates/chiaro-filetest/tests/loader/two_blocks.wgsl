// find a c0 1
// find a.color c0 1
// find b.color c1 1
// find b.scale c2 1
// find b c1 2
// miss color
// out position o0
// out color o1 color
struct A { color: vec4<f32> } struct B { color: vec4<f32>, scale: f32 }
@group(0) @binding(0) var<uniform> a: A; @group(0) @binding(1) var<uniform> b: B;
struct Out { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }
@vertex fn main(@location(0) p: vec4<f32>) -> Out { return Out(p * b.scale, a.color + b.color); }
