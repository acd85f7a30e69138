// A camera at `eye` that looks at `at`; the picture has its upper row first.
struct Camera { vec3 eye; vec3 at; float zoom; };

vec3 look(Camera c, vec2 pixel, vec2 size)
{
    vec3 ahead = normalize(c.at - c.eye);
    vec3 right = normalize(cross(ahead, vec3(0.0, 1.0, 0.0)));
    vec3 up = cross(right, ahead);
    vec2 p = (pixel + 0.5) / size * 2.0 - 1.0;
    return normalize(ahead * c.zoom + right * p.x * size.x / size.y - up * p.y);
}
