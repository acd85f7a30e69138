// find mvp c0 4
// miss image
// miss fade
// miss table
// out position o0
// out texcoord0 o1 uv
struct V { @builtin(position) position: vec4<f32>, @location(0) uv: vec2<f32> }
@group(0) @binding(0) var<uniform> mvp: mat4x4<f32>;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(1) @binding(1) var how: sampler;
@group(1) @binding(2) var<uniform> fade: vec4<f32>;
@group(1) @binding(3) var<storage, read> table: array<vec4<f32>>;
@vertex fn vs(@location(0) p: vec4<f32>, @location(1) uv: vec2<f32>) -> V { return V(mvp * p, uv); }
@fragment fn fs(v: V) -> @location(0) vec4<f32> { return textureSample(image, how, v.uv) * fade + table[1]; }
