// [config]
// expect_result: pass
// glsl_version: 1.20
// require_extensions: GL_NO_such_thing
// [end config]
void main() { }
