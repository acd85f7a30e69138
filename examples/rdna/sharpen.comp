#version 450
// Makes edges of an image clearer: each texel moves away from the mean of its neighbours.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) readonly uniform image2D source;
layout(binding = 1, rgba8) writeonly uniform image2D target;

void main() {
    ivec2 size = imageSize(target), place = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(place, size))) return;
    vec4 sum = vec4(0.0);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            sum += imageLoad(source, clamp(place + ivec2(x, y), ivec2(0), size - 1));
        }
    }
    vec4 own = imageLoad(source, place);
    imageStore(target, place, own + (own - sum / 9.0));
}
