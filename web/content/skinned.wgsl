// A skinned mesh under two lights, for the vertex unit of the Nintendo 3DS.
//
// Every vertex follows two of sixteen bones. Three rows are enough for a bone, as its fourth
// one is always (0, 0, 0, 1).

struct Light {
    position: vec4<f32>,
    color: vec4<f32>,
}

struct Bone {
    rows: array<vec4<f32>, 3>,
}

struct Scene {
    projection: mat4x4<f32>,
    bones: array<Bone, 16>,
    lights: array<Light, 2>,
    ambient: vec4<f32>,
}

@group(0) @binding(0) var<uniform> scene: Scene;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) joints: vec2<f32>,
    @location(4) weights: vec2<f32>,
}

struct Output {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
    @location(1) texcoord0: vec2<f32>,
}

fn moved(bone: i32, point: vec4<f32>) -> vec3<f32> {
    return vec3<f32>(
        dot(scene.bones[bone].rows[0], point),
        dot(scene.bones[bone].rows[1], point),
        dot(scene.bones[bone].rows[2], point),
    );
}

fn lit(light: Light, point: vec3<f32>, normal: vec3<f32>) -> vec3<f32> {
    let way = light.position.xyz - point;
    let nearness = inverseSqrt(dot(way, way));
    return light.color.rgb * (max(dot(normal, way * nearness), 0.0) * nearness);
}

@vertex
fn main(vertex: Vertex) -> Output {
    let first = i32(vertex.joints.x);
    let second = i32(vertex.joints.y);
    let here = vec4<f32>(vertex.position, 1.0);
    let facing = vec4<f32>(vertex.normal, 0.0);
    let point = moved(first, here) * vertex.weights.x + moved(second, here) * vertex.weights.y;
    let normal = normalize(moved(first, facing) * vertex.weights.x + moved(second, facing) * vertex.weights.y);

    var output: Output;
    output.position = scene.projection * vec4<f32>(point, 1.0);
    let light = lit(scene.lights[0], point, normal) + lit(scene.lights[1], point, normal);
    output.color = vec4<f32>(min(scene.ambient.rgb + light, vec3<f32>(1.0)), 1.0);
    output.texcoord0 = vertex.uv;
    return output;
}
