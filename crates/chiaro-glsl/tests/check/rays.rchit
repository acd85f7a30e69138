#version 460
#extension GL_EXT_ray_tracing : require
#extension GL_EXT_ray_tracing_position_fetch : require
#extension GL_KHR_shader_subgroup_basic : require
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(location = 0) rayPayloadInEXT vec4 incoming;
layout(location = 1) rayPayloadEXT vec4 reflected;
layout(location = 0) callableDataEXT Light { vec3 direction; float strength; } light;
layout(shaderRecordEXT, std430) buffer Material { vec3 colour; float gloss; };
hitAttributeEXT vec2 weights;

void main() {
    vec3 corner = gl_HitTriangleVertexPositionsEXT[0];
    vec3 point = gl_ObjectToWorldEXT * vec4(corner * weights.x, 1.0);
    mat3x4 rows = gl_WorldToObject3x4EXT;
    light.direction = point;
    executeCallableEXT(0u, 0);
    traceRayEXT(scene, gl_RayFlagsOpaqueEXT, 0xff, 0, 0, 0, point, 0.01, light.direction, 100.0, 1);
    incoming = reflected * light.strength + vec4(colour, gloss) + rows[0] * gl_HitTEXT;
    incoming.w += float(gl_SubgroupSize + gl_InstanceCustomIndexEXT + gl_PrimitiveID);
}
--- expect
Uniform scene binding=0
Ray(PayloadIn) incoming location=0
Ray(Payload) reflected location=1
Ray(Callable) block Light light location=0
ShaderRecord block Material
Ray(HitAttribute) weights
In gl_HitTriangleVertexPositionsEXT Known(3)
In gl_ObjectToWorldEXT
In gl_WorldToObject3x4EXT
In gl_HitTEXT
In gl_SubgroupSize
In gl_InstanceCustomIndexEXT
In gl_PrimitiveID
