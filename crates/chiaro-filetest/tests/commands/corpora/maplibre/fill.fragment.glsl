#pragma maplibre: define highp vec4 color
out vec4 result;
void main() {
    #pragma maplibre: initialize highp vec4 color
    result = color * projected(1.0);
}
