#version 120
varying vec3 normal;
void main()
{
    normal = gl_NormalMatrix * gl_Normal;
    gl_FrontColor = gl_Color * gl_LightSource[0].diffuse + gl_FrontMaterial.ambient;
    gl_TexCoord[1] = gl_TextureMatrix[0] * gl_MultiTexCoord0;
    gl_FogFragCoord = gl_Fog.density * 2;
    gl_Position = ftransform();
}
--- expect
Out normal
Uniform gl_NormalMatrix
In gl_Normal
Out gl_FrontColor
In gl_Color
Uniform gl_LightSource Known(8)
Uniform gl_FrontMaterial
Out gl_TexCoord Known(2)
Uniform gl_TextureMatrix Known(8)
In gl_MultiTexCoord0
Out gl_FogFragCoord
Uniform gl_Fog
Out gl_Position
Uniform gl_ModelViewProjectionMatrix
In gl_Vertex
