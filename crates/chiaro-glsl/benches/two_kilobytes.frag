#version 300 es
precision highp float;

struct Light { vec3 position; vec3 color; float radius; };

uniform sampler2D albedoMap;
uniform sampler2D normalMap;
uniform samplerCube environment;
uniform Light lights[4];
uniform vec3 eye;
uniform float metallic;
uniform float roughness;

in vec3 worldPosition;
in vec3 worldNormal;
in vec4 worldTangent;
in vec2 texCoord;
layout(location = 0) out vec4 fragColor;

const float PI = 3.14159265359;

float distribution(vec3 n, vec3 h, float a) {
    float a2 = a * a;
    float nh = max(dot(n, h), 0.0);
    float d = nh * nh * (a2 - 1.0) + 1.0;
    return a2 / (PI * d * d);
}

float geometry(float nv, float nl, float k) {
    return nv / (nv * (1.0 - k) + k) * nl / (nl * (1.0 - k) + k);
}

vec3 fresnel(float c, vec3 f0) {
    return f0 + (1.0 - f0) * pow(clamp(1.0 - c, 0.0, 1.0), 5.0);
}

void main() {
    vec4 albedo = texture(albedoMap, texCoord);
    if (albedo.a < 0.5) discard;
    vec3 n = normalize(worldNormal), t = normalize(worldTangent.xyz);
    vec3 b = cross(n, t) * worldTangent.w;
    n = normalize(mat3(t, b, n) * (texture(normalMap, texCoord).xyz * 2.0 - 1.0));
    vec3 v = normalize(eye - worldPosition);
    vec3 f0 = mix(vec3(0.04), albedo.rgb, metallic), sum = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        vec3 to = lights[i].position - worldPosition;
        float distance = length(to);
        if (distance > lights[i].radius) continue;
        vec3 l = to / distance, h = normalize(v + l);
        float nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 0.001);
        vec3 f = fresnel(max(dot(h, v), 0.0), f0);
        float k = (roughness + 1.0) * (roughness + 1.0) / 8.0;
        vec3 specular = f * distribution(n, h, roughness * roughness) * geometry(nv, nl, k) / (4.0 * nv * nl + 0.001);
        sum += ((1.0 - f) * (1.0 - metallic) * albedo.rgb / PI + specular) * lights[i].color * nl / (distance * distance);
    }
    vec3 r = reflect(-v, n);
    sum += textureLod(environment, r, roughness * 6.0).rgb * f0;
    sum = sum / (sum + 1.0);
    fragColor = vec4(pow(sum, vec3(1.0 / 2.2)), albedo.a);
}
