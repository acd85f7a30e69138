#version 120
uniform sampler2D tex;
uniform sampler2DShadow map;
varying vec4 light;
invariant varying vec2 uv;
void main() {
    vec4 c = gl_Color * texture2D(tex, gl_TexCoord[0].st) + texture2DProj(tex, gl_TexCoord[1].xyw);
    c *= shadow2D(map, vec3(uv, 0.5)).r;
    c.rgb = mix(gl_Fog.color.rgb, c.rgb, clamp((gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale, 0.0, 1.0));
    if (c.a < 0.1) discard;
    gl_FragData[0] = c + light;
    gl_FragData[1] = gl_FragCoord;
    gl_FragDepth = gl_FragCoord.z;
}
