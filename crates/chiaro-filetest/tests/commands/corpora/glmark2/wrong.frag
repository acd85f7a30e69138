void main() { gl_FragColor = vec3(1.0); }
