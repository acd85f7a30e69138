#version 100
precision mediump float;

uniform sampler2D picture;
varying vec2 v_uv;

void main() {
    vec3 c = texture2D(picture, v_uv);
    float luma = dot(c, vec3(0.299, 0.587));
    gl_FragColor = vec4(vec3(lumma), 1u);
}
