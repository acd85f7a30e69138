attribute vec3 position;
uniform mat4 ModelViewProjectionMatrix;
varying HIGHP_OR_DEFAULT vec4 Color;
void main() {
    Color = MaterialDiffuse * dot(position, LightSourcePosition.xyz);
    gl_Position = ModelViewProjectionMatrix * vec4(position, 1.0);
}
