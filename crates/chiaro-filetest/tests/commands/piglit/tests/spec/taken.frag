/* [config]
 * expect_result: pass
 * glsl_version: 1.10
 * [end config]
 */
void main() { gl_FragColor = vec4(1.0); }
