// Scales a list of numbers, one invocation each.
struct Settings { factor: f32 }
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read_write> values: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if id.x < arrayLength(&values) {
    values[id.x] = values[id.x] * settings.factor;
  }
}
