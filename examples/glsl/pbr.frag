#version 300 es
// Metal and roughness, several lights, OpenGL ES 3.
precision highp float;
precision mediump sampler2DShadow;
const int LIGHTS = 4;
const float PI = 3.141592653589793;

struct Light { vec3 position; float range; vec3 colour; float strength; };

layout(std140) uniform Scene {
    mat4 shadowMatrix;
    Light lights[LIGHTS];
    vec4 cameraAndCount;
};
uniform sampler2D albedoMap, normalMap, surfaceMap;
uniform sampler2DShadow shadowMap;
uniform samplerCube environment;

in vec3 vPosition;
in vec3 vNormal;
in vec4 vTangent;
in vec2 vTexcoord;
layout(location = 0) out vec4 colour;

float distribution(float nh, float a) {
    float a2 = a * a, d = nh * nh * (a2 - 1.0) + 1.0;
    return a2 / max(PI * d * d, 1e-4);
}

float visibility(float nv, float nl, float a) {
    float k = (a + 1.0) * (a + 1.0) / 8.0;
    return 0.25 / ((nv * (1.0 - k) + k) * (nl * (1.0 - k) + k));
}

vec3 fresnel(float cosine, vec3 f0) { return f0 + (1.0 - f0) * pow(1.0 - cosine, 5.0); }

float shadow(vec3 position) {
    vec4 p = shadowMatrix * vec4(position, 1.0);
    float sum = 0.0;
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
            sum += textureOffset(shadowMap, p.xyz / p.w, ivec2(0));
    return sum / 9.0;
}

void main() {
    vec4 albedo = texture(albedoMap, vTexcoord);
    vec3 surface = texture(surfaceMap, vTexcoord).rgb;
    float rough = clamp(surface.g, 0.04, 1.0), metal = surface.b;
    vec3 n = normalize(vNormal), t = normalize(vTangent.xyz);
    mat3 frame = mat3(t, cross(n, t) * vTangent.w, n);
    n = normalize(frame * (texture(normalMap, vTexcoord).xyz * 2.0 - 1.0));
    vec3 v = normalize(cameraAndCount.xyz - vPosition);
    vec3 f0 = mix(vec3(0.04), albedo.rgb, metal);
    float nv = max(dot(n, v), 1e-3);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < LIGHTS && i < int(cameraAndCount.w); ++i) {
        Light light = lights[i];
        vec3 to = light.position - vPosition;
        float distance2 = dot(to, to);
        vec3 l = to * inversesqrt(distance2), h = normalize(l + v);
        float nl = max(dot(n, l), 0.0);
        float fade = clamp(1.0 - distance2 / (light.range * light.range), 0.0, 1.0);
        vec3 f = fresnel(max(dot(h, v), 0.0), f0);
        vec3 specular = f * distribution(max(dot(n, h), 0.0), rough * rough) * visibility(nv, nl, rough);
        vec3 diffuse = (1.0 - f) * (1.0 - metal) * albedo.rgb / PI;
        sum += (diffuse + specular) * light.colour * light.strength * nl * fade * fade;
    }
    sum *= shadow(vPosition);
    sum += fresnel(nv, f0) * textureLod(environment, reflect(-v, n), rough * 6.0).rgb;
    colour = vec4(sum / (sum + 1.0), albedo.a);
}
