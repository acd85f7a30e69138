#version 330
// find bones c0 12
// find bones[3] c9 3
// find bones[3].rows c9 3
// find bones[3].rows[2] c11 1
// find bones[0].rows[0] c0 1
// find n v1 1
// out position o0 gl_Position
struct Bone { vec4 rows[3]; }; uniform Bone bones[4]; in vec4 p; in float n;
void main() { int i = int(n); gl_Position = vec4(dot(bones[i].rows[0], p), dot(bones[i].rows[1], p), dot(bones[i].rows[2], p), 1.0); }
