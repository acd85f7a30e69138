#version 460
#extension GL_EXT_shader_tile_image : require
layout(location = 0) tileImageEXT attachmentEXT colours[2];
layout(location = 2) tileImageEXT highp iattachmentEXT numbers;
tileImageEXT attachmentEXT nowhere;
layout(location = 1) tileImageEXT attachmentEXT twice;
layout(location = 5) tileImageEXT sampler2D wrong;
uniform attachmentEXT loose;
layout(location = 2) out vec4 result;
void main() {
    result = colorAttachmentReadEXT(colours[1]) + colorAttachmentReadEXT(colours[0], 1);
}
--- expect
error: what is `tileImageEXT` is an `attachmentEXT`
 --> tile_images.frag:7:45
  |
7 | layout(location = 5) tileImageEXT sampler2D wrong;
  |                                             ^^^^^

error: an attachment is `tileImageEXT`, no uniform
 --> tile_images.frag:8:23
  |
8 | uniform attachmentEXT loose;
  |                       ^^^^^

error: an attachment needs its `location`
 --> tile_images.frag:5:28
  |
5 | tileImageEXT attachmentEXT nowhere;
  |                            ^^^^^^^

error: `twice` shares a location with a variable before it
 --> tile_images.frag:6:49
  |
6 | layout(location = 1) tileImageEXT attachmentEXT twice;
  |                                                 ^^^^^

error: `numbers` is of other numbers than the output of its location
 --> tile_images.frag:4:56
  |
4 | layout(location = 2) tileImageEXT highp iattachmentEXT numbers;
  |                                                        ^^^^^^^

