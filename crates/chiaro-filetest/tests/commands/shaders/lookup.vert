#version 100
attribute vec4 place;
uniform sampler2D picture;
void main() { gl_Position = texture2D(picture, place.xy); }
