#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_structured_descriptor_heap : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint start = 64;
layout(push_constant) uniform Push { uint offset; } push;
layout(descriptor_heap, descriptor_stride = 512) buffer Data { mat4 model; float values[]; } data[];
layout(descriptor_heap, r32ui) uniform uimage2D counts[];
layout(descriptor_heap) uniform texture2D textures[];
layout(descriptor_heap) readonly buffer Input { uint value; } inputs[];
layout(buffer_type, std140) uniform Colours { vec4 colour; };
struct Material { vec4 factor; Colours colours; };
layout(heap_offset = push.offset, row_major) resourceheap Scene {
    uint count;
    mat3 place;
    layout(rgba32f, descriptor_size = 32) image2D images[2];
    layout(buffer_reference) buffer { uint data; } tail;
    Material materials[];
} scene;
layout(heap_offset = start) samplerheap Samplers { sampler linear; } samplers;
uint add(layout(r32ui) uimage2D image) { return imageAtomicAdd(image, ivec2(0), 1u); }
void main() {
    uint n = scene.count + inputs[1].value + add(counts[push.offset]);
    data[n].values[data[n].values.length() - 1] = scene.materials[n].colours.colour.x * scene.place[0].y;
    scene.tail.data = n;
    vec4 texel = textureLod(sampler2D(textures[n], samplers.linear), vec2(0.5), 0.0);
    imageStore(scene.images[0], ivec2(1), texel);
    imageStore(scene.images[1], ivec2(0), scene.materials[2].factor);
}
--- expect
PushConstant block Push push
Buffer block Data data Known(1)
Uniform counts Known(1)
Uniform textures Known(1)
Buffer block Input inputs Known(2)
Heap(Resources) block Scene scene
Heap(Samplers) block Samplers samplers
