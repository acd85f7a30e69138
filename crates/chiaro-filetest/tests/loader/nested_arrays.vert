#version 330
// find mids c0 10
// find mids[1] c5 5
// find mids[1].parts c5 4
// find mids[1].parts[1] c7 2
// find mids[1].parts[1].v[0] c7 1
// find mids[0].own c4 1
// out position o0 gl_Position
struct In { vec4 v[2]; }; struct Mid { In parts[2]; vec4 own; }; uniform Mid mids[2]; in vec4 p;
void main() { gl_Position = p + mids[1].parts[1].v[0] + mids[0].own; }
