#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba8, binding = 0) uniform writeonly image2D target;
layout(r32ui, binding = 1) uniform coherent uimage2D counts[2];
layout(rgba32f, binding = 2) uniform readonly image2DArray sources;
layout(binding = 3) uniform sampler2D tex;
layout(binding = 4) uniform usamplerBuffer words;
layout(push_constant) uniform Push { vec2 scale; int which; } push;
layout(constant_id = 3) const int rounds = 4;
layout(constant_id = 4) const bool fancy = false;
uint count(coherent uimage2D i, ivec2 p) { return imageAtomicAdd(i, p, 1u); }
void main() {
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(p, imageSize(target)))) return;
    vec4 c = imageLoad(sources, ivec3(p, 1)) + texture(tex, vec2(p) * push.scale) + textureGather(tex, vec2(p), 2);
    for (int i = 0; i < rounds; ++i) c += vec4(texelFetch(words, i)) * (fancy ? 2.0 : 1.0);
    uint old = imageAtomicMax(counts[0], p, 7u) + count(counts[1], p) + imageAtomicCompSwap(counts[push.which], p, 1u, 2u);
    imageStore(target, p, c * float(old));
    memoryBarrierImage();
}
