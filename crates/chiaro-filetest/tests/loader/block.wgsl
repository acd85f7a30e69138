// find scene c0 7
// find scene.mvp c0 4
// find scene.tint c4 1
// find scene.lights c5 2
// find scene.lights[1] c6 1
// out position o0
// out color o1 color
struct Scene { mvp: mat4x4<f32>, tint: vec4<f32>, lights: array<vec4<f32>, 2> }
@group(0) @binding(0) var<uniform> scene: Scene;
struct Out { @builtin(position) position: vec4<f32>, @location(0) color: vec4<f32> }
@vertex fn main(@location(0) p: vec4<f32>) -> Out { return Out(scene.mvp * p, scene.tint + scene.lights[1]); }
