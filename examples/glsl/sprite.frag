// A textured sprite with a cut-out edge, OpenGL ES 2.
#ifdef GL_ES
precision mediump float;
#endif
varying vec2 v_texcoord;
varying lowp vec4 v_color;
uniform sampler2D u_texture;
uniform float u_cut;

void main() {
    vec4 texel = texture2D(u_texture, v_texcoord);
    if (texel.a < u_cut) discard;
    gl_FragColor = texel * v_color;
}
