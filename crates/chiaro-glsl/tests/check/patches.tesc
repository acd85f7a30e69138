#version 400
layout(vertices = 3) out;
in vec3 normal[];
out vec3 bent[];
patch out float weight;
in Block { vec2 uv; } from[];
out Block { vec2 uv; } to[];
void main() {
    bent[gl_InvocationID] = normal[gl_InvocationID];
    to[gl_InvocationID].uv = from[gl_InvocationID].uv;
    barrier();
    weight = bent[0].x + bent[1].x;
    gl_TessLevelOuter[0] = float(gl_PatchVerticesIn + gl_MaxPatchVertices);
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_PrimitiveID].gl_Position;
}
--- expect
In normal Known(32)
Out bent Known(3)
Out weight
In block Block from Known(32)
Out block Block to Known(3)
In gl_InvocationID
Out gl_TessLevelOuter Known(4)
In gl_PatchVerticesIn
Out block gl_PerVertex gl_out Known(3)
In block gl_PerVertex gl_in Known(32)
In gl_PrimitiveID
