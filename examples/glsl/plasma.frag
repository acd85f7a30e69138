#version 300 es
// An image function as it is written for web toys, with the wrapper that such pages put around it.
precision highp float;
uniform vec3 iResolution;
uniform float iTime;
uniform vec4 iMouse;
uniform sampler2D iChannel0;
out vec4 fragColor;

#define PI 3.14159265
#define rot(a) mat2(cos(a), sin(a), -sin(a), cos(a))

float hash(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }

float noise(vec2 p) {
    vec2 i = floor(p), f = fract(p);
    f *= f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x), mix(hash(i + vec2(0, 1)), hash(i + 1.0), f.x), f.y);
}

float fbm(vec2 p) {
    float sum = 0.0, scale = 0.5;
    for (int i = 0; i < 5; i++) {
        sum += scale * noise(p);
        p = rot(0.6) * p * 2.03;
        scale *= 0.5;
    }
    return sum;
}

void mainImage(out vec4 colour, in vec2 pixel) {
    vec2 uv = (2.0 * pixel - iResolution.xy) / iResolution.y;
    uv += 0.3 * (iMouse.xy / iResolution.xy - 0.5);
    vec2 q = vec2(fbm(uv + iTime * 0.1), fbm(uv + vec2(5.2, 1.3)));
    float f = fbm(uv + 2.0 * q);
    vec3 c = 0.5 + 0.5 * cos(2.0 * PI * (vec3(0.0, 0.33, 0.67) + f));
    c *= texture(iChannel0, uv * 0.5 + 0.5).rgb;
    colour = vec4(pow(c, vec3(1.0 / 2.2)), 1.0);
}

void main() { mainImage(fragColor, gl_FragCoord.xy); }
