// find color c0 1
// find in.color v1 1
// out position o0
// out color o1 vColor
@group(0) @binding(0) var<uniform> color: vec4<f32>;
struct In { @location(0) position: vec4<f32>, @location(1) color: vec4<f32> }
struct Out { @builtin(position) position: vec4<f32>, @location(0) vColor: vec4<f32> }
fn tint() -> vec4<f32> { return color; }
@vertex fn main(in_: In) -> Out { return Out(in_.position, in_.color * tint()); }
