// [config]
// expect_result: fail
// glsl_version: 1.20
// [end config]
void main() { gl_FragColor = vec4(1.0); }
