// [config]
// expect_result: fail
// glsl_version: 3.00 es
// require_extensions: GL_OES_standard_derivatives
// [end config]
void main() { gl_Position = 1.0; }
