#version 120
// The fragments that belong to fixed.vert.
uniform sampler2D base;
uniform sampler2DRect overlay;
varying float fog;

void main() {
    vec4 c = gl_Color * texture2D(base, gl_TexCoord[0].st);
    c += texture2DRect(overlay, gl_FragCoord.xy);
    gl_FragColor = mix(gl_Fog.color, c, fog);
}
