varying vec4 Color;
void main() { gl_FragColor = Color * TextureStepX; }
