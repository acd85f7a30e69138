// error: 6 vertices of 17 registers take 102 c registers, 96 are there
#version 150
layout(triangles_adjacency) in;
layout(triangle_strip, max_vertices = 3) out;
in vec4 a[], b[], c[], d[], e[], f[], g[], h[], i[], j[], k[], l[], m[], n[], o[], p[];
void main() {
    gl_Position = gl_in[0].gl_Position + a[0] + b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0] + i[0] + j[0]
        + k[0] + l[0] + m[0] + n[0] + o[0] + p[0];
    EmitVertex();
}
