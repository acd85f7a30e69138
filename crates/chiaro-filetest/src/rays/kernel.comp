#version 460
#extension GL_EXT_ray_query : require
#extension GL_EXT_ray_tracing_position_fetch : require
// One ray for each invocation. `Asked` is what `Asked::words` writes, a row of `found` what `found.rs` reads.

layout(local_size_x = 64) in;

struct Asked { vec3 origin; float least; vec3 direction; float most; uint flags, mask, rule, salt; };

layout(binding = 0) uniform accelerationStructureEXT world;
layout(std430, binding = 1) readonly buffer Given { Asked rays[]; } given;
// For each geometry where its boxes begin, then the corners of boxes.
layout(std430, binding = 2) readonly buffer Boxes { uint words[]; } boxes;
layout(std430, binding = 3) buffer Found { uint words[]; } found;

const uint ROW = 52u;

// What is taken of the candidates that are triangles: `Rule`.
const uint ALL = 0u, EVEN = 1u, CHECKED = 2u, NONE = 3u, FRONT = 4u, END = 5u;

Asked ray;
rayQueryEXT q;
// Candidates that were counted, and what tells them apart; whether the box of the last hit within one is opaque.
uint count = 0u, sum = 0u, opaque = 0u;

// A number that tells primitives apart; of several the sum, since their order is the implementation's.
void tally(uint instance, uint geometry, uint primitive, uint side) {
    uint word = instance * 1000003u + geometry * 8191u + primitive * 17u + side + 1u;
    word = (word ^ word >> 15) * 0x2c1b3c6du;
    sum += word ^ word >> 13;
    count++;
}

vec3 corner(uint first) {
    return vec3(uintBitsToFloat(boxes.words[first]), uintBitsToFloat(boxes.words[first + 1u]),
                uintBitsToFloat(boxes.words[first + 2u]));
}

// Where a ray is nearest to the middle of a box; -1 if it is not well within there: the API lets boxes be a little larger.
float nearest(uint geometry, uint primitive, vec3 origin, vec3 direction) {
    uint first = boxes.words[geometry] + 6u * primitive;
    vec3 least = corner(first), most = corner(first + 3u);
    vec3 middle = (least + most) * 0.5;
    float t = dot(middle - origin, direction) / dot(direction, direction);
    vec3 off = abs(origin + t * direction - middle);
    return all(lessThan(off, (most - least) * 0.484375)) ? t : -1.0;
}

// Takes the triangle that is the candidate, if the rule says so; whether it does.
bool takes_triangle(uint instance, uint geometry, uint primitive, bool even) {
    bool front = rayQueryGetIntersectionFrontFaceEXT(q, false);
    vec2 shares = rayQueryGetIntersectionBarycentricsEXT(q, false);
    float t = rayQueryGetIntersectionTEXT(q, false);
    // What is asked about is within the range of the ray; a count says if it is not.
    if (!(t > ray.least && t < ray.most)) count += 1000u;
    bool takes = true;
    if (ray.rule == EVEN || ray.rule == END) takes = even;
    if (ray.rule == CHECKED) takes = fract(4.0 * shares.x) < 0.5 != fract(4.0 * shares.y) < 0.5;
    if (ray.rule == FRONT) takes = front == even;
    if (ray.rule == NONE) {
        tally(instance, geometry, primitive, uint(front));
        return false;
    }
    if (takes) rayQueryConfirmIntersectionEXT(q);
    return takes;
}

// The same with a hit within the box that is the candidate.
bool takes_box(uint instance, uint geometry, uint primitive, bool even) {
    uint of = rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, false) + geometry;
    vec3 origin = rayQueryGetIntersectionObjectRayOriginEXT(q, false);
    float t = nearest(of, primitive, origin, rayQueryGetIntersectionObjectRayDirectionEXT(q, false));
    bool is_opaque = rayQueryGetIntersectionCandidateAABBOpaqueEXT(q);
    float limit = ray.most;
    if (rayQueryGetIntersectionTypeEXT(q, true) != gl_RayQueryCommittedIntersectionNoneEXT)
        limit = rayQueryGetIntersectionTEXT(q, true);
    if (!(t >= 0.0 && t >= ray.least && t <= limit)) return false;
    if (ray.rule == NONE) {
        tally(instance, geometry, primitive, 2u + uint(is_opaque));
        return false;
    }
    if (!even && ray.rule != ALL) return false;
    rayQueryGenerateIntersectionEXT(q, t);
    opaque = uint(is_opaque);
    return true;
}

void search() {
    rayQueryInitializeEXT(q, world, ray.flags, ray.mask, ray.origin, ray.least, ray.direction, ray.most);
    while (rayQueryProceedEXT(q)) {
        uint instance = uint(rayQueryGetIntersectionInstanceIdEXT(q, false));
        uint geometry = uint(rayQueryGetIntersectionGeometryIndexEXT(q, false));
        uint primitive = uint(rayQueryGetIntersectionPrimitiveIndexEXT(q, false));
        bool even = ((primitive ^ ray.salt) & 1u) == 0u;
        bool is_box = rayQueryGetIntersectionTypeEXT(q, false) == gl_RayQueryCandidateIntersectionAABBEXT;
        bool taken = is_box ? takes_box(instance, geometry, primitive, even)
                            : takes_triangle(instance, geometry, primitive, even);
        if (taken && ray.rule == END) rayQueryTerminateEXT(q);
    }
}

uint at;

void put(uint word) { found.words[at++] = word; }
void put(float number) { put(floatBitsToUint(number)); }
void put(vec3 v) { put(v.x); put(v.y); put(v.z); }
void put(mat4x3 m) { put(m[0]); put(m[1]); put(m[2]); put(m[3]); }

// What the query tells of the hit.
void put_hit(bool is_triangle) {
    put(uint(rayQueryGetIntersectionInstanceIdEXT(q, true)));
    put(uint(rayQueryGetIntersectionGeometryIndexEXT(q, true)));
    put(uint(rayQueryGetIntersectionPrimitiveIndexEXT(q, true)));
    put(uint(rayQueryGetIntersectionInstanceCustomIndexEXT(q, true)));
    put(rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT(q, true));
    put(is_triangle ? uint(rayQueryGetIntersectionFrontFaceEXT(q, true)) : 2u + opaque);
    put(rayQueryGetIntersectionTEXT(q, true));
    vec2 shares = is_triangle ? rayQueryGetIntersectionBarycentricsEXT(q, true) : vec2(0.0);
    put(shares.x);
    put(shares.y);
    put(rayQueryGetIntersectionObjectRayOriginEXT(q, true));
    put(rayQueryGetIntersectionObjectRayDirectionEXT(q, true));
    put(rayQueryGetIntersectionObjectToWorldEXT(q, true));
    put(rayQueryGetIntersectionWorldToObjectEXT(q, true));
    // Lavapipe of Mesa 25.0 looks corners up by primitive alone: those of other geometries it does not find.
    if (!is_triangle || rayQueryGetIntersectionGeometryIndexEXT(q, true) != 0) return;
    vec3 corners[3];
    rayQueryGetIntersectionTriangleVertexPositionsEXT(q, true, corners);
    put(corners[0]);
    put(corners[1]);
    put(corners[2]);
}

void main() {
    uint n = gl_GlobalInvocationID.x;
    if (n >= uint(given.rays.length())) return;
    ray = given.rays[n];
    search();
    uint kind = rayQueryGetIntersectionTypeEXT(q, true);
    at = n * ROW;
    put(kind);
    put(count);
    put(sum);
    put(uint(rayQueryGetRayFlagsEXT(q) == ray.flags && rayQueryGetRayTMinEXT(q) == ray.least
             && rayQueryGetWorldRayOriginEXT(q) == ray.origin && rayQueryGetWorldRayDirectionEXT(q) == ray.direction));
    if (kind != gl_RayQueryCommittedIntersectionNoneEXT) put_hit(kind == gl_RayQueryCommittedIntersectionTriangleEXT);
}
