#version 120
// Lighting and fog of the fixed pipeline, written out, desktop 1.20.
varying vec3 halfway;
varying float fog;

vec4 lit(int i, vec3 normal, vec3 eye) {
    vec3 to = gl_LightSource[i].position.xyz - eye * gl_LightSource[i].position.w;
    float d = length(to);
    float fade = 1.0 / (gl_LightSource[i].constantAttenuation + gl_LightSource[i].linearAttenuation * d
        + gl_LightSource[i].quadraticAttenuation * d * d);
    float diffuse = max(dot(normal, to / d), 0.0);
    return fade * (gl_FrontLightProduct[i].ambient + diffuse * gl_FrontLightProduct[i].diffuse);
}

void main() {
    vec4 eye = gl_ModelViewMatrix * gl_Vertex;
    vec3 normal = normalize(gl_NormalMatrix * gl_Normal);
    vec4 sum = gl_FrontLightModelProduct.sceneColor;
    for (int i = 0; i < 2; i++) sum += lit(i, normal, eye.xyz);
    gl_FrontColor = clamp(sum, 0.0, 1.0);
    halfway = normalize(gl_LightSource[0].halfVector.xyz);
    gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0;
    gl_FogFragCoord = -eye.z;
    fog = clamp((gl_Fog.end - gl_FogFragCoord) * gl_Fog.scale, 0.0, 1.0);
    gl_Position = ftransform();
}
