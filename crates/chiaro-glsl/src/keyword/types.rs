//! Words that name types.

use super::word::{GPU_SHADER4, Meaning, Word, word};
use crate::ast::{Elements, Template};
use crate::small::Small;
use crate::ty::Dim::{Buffer, Cube, D1, D2, D3, Rect, Subpass, Tile};
use crate::ty::Scalar::{Bool, Double, Float, Float16, Int, Int8, Int16, Int64, Uint, Uint8, Uint16, Uint64};
use crate::ty::{Access, CoopKind, Dim, HitObject, Opaque, Scalar};

const fn number(scalar: Scalar, columns: u8, rows: u8) -> Meaning {
    Meaning::Number(scalar, columns, rows)
}

const fn small(small: Small, rows: u8) -> Meaning {
    Meaning::Number(Scalar::Small(small), 1, rows)
}

const fn coop(kind: CoopKind, elements: Option<Elements>) -> Meaning {
    Meaning::Template(Template::Coop(kind, elements))
}

const fn texture(scalar: Scalar, dim: Dim, arrayed: bool, multisampled: bool, access: Access) -> Meaning {
    let (shadow, external) = (false, false);
    Meaning::Opaque(Opaque::Texture { scalar, dim, arrayed, multisampled, shadow, access, external })
}

const fn sampled(scalar: Scalar, dim: Dim, arrayed: bool, multisampled: bool) -> Meaning {
    texture(scalar, dim, arrayed, multisampled, Access::Sampled)
}

const fn storage(scalar: Scalar, dim: Dim, arrayed: bool, multisampled: bool) -> Meaning {
    texture(scalar, dim, arrayed, multisampled, Access::Storage)
}

const fn separate(scalar: Scalar, dim: Dim, arrayed: bool, multisampled: bool) -> Meaning {
    texture(scalar, dim, arrayed, multisampled, Access::Texture)
}

const fn shadow(dim: Dim, arrayed: bool) -> Meaning {
    let (scalar, access, external) = (Float, Access::Sampled, false);
    let (multisampled, shadow) = (false, true);
    Meaning::Opaque(Opaque::Texture { scalar, dim, arrayed, multisampled, shadow, access, external })
}

const EXTERNAL: Meaning = Meaning::Opaque(Opaque::Texture {
    scalar: Float,
    dim: D2,
    arrayed: false,
    multisampled: false,
    shadow: false,
    access: Access::Sampled,
    external: true,
});

const FP64: &[&str] = &["GL_ARB_gpu_shader_fp64"];
const FLOAT16: &[&str] = &[
    "GL_AMD_gpu_shader_half_float",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
    "GL_EXT_shader_16bit_storage",
];
const FLOAT32: &[&str] =
    &["GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_shader_explicit_arithmetic_types_float32"];
const FLOAT64: &[&str] =
    &["GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_shader_explicit_arithmetic_types_float64"];
const INT8: &[&str] = &[
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int8",
    "GL_EXT_shader_8bit_storage",
];
const INT16: &[&str] = &[
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_16bit_storage",
];
const INT32: &[&str] =
    &["GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_shader_explicit_arithmetic_types_int32"];
const INT64: &[&str] = &[
    "GL_ARB_gpu_shader_int64",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
];
const TEXTURE_ARRAY: &[&str] = &["GL_EXT_texture_array", "GL_EXT_gpu_shader4"];
const RECTANGLE: &[&str] = &["GL_ARB_texture_rectangle", "GL_EXT_gpu_shader4"];
const BUFFER: &[&str] =
    &["GL_EXT_gpu_shader4", "GL_ARB_texture_buffer_object", "GL_EXT_texture_buffer", "GL_OES_texture_buffer"];
const MULTISAMPLE: &[&str] = &["GL_ARB_texture_multisample", "GL_OES_texture_storage_multisample_2d_array"];
const CUBE_ARRAY: &[&str] =
    &["GL_ARB_texture_cube_map_array", "GL_EXT_texture_cube_map_array", "GL_OES_texture_cube_map_array"];
const IMAGES: &[&str] = &["GL_ARB_shader_image_load_store", "GL_EXT_shader_image_load_store"];
const IMAGE_BUFFER: &[&str] =
    &["GL_ARB_shader_image_load_store", "GL_EXT_texture_buffer", "GL_OES_texture_buffer"];
const IMAGE_CUBE_ARRAY: &[&str] =
    &["GL_ARB_shader_image_load_store", "GL_EXT_texture_cube_map_array", "GL_OES_texture_cube_map_array"];

const LONG_VECTORS: &[&str] = &["GL_EXT_long_vector"];
const TILES: &[&str] = &["GL_EXT_shader_tile_image"];
const IMAGES64: &[&str] = &["GL_EXT_shader_image_int64"];
const INTEGER_MATRICES: &[&str] = &["GL_NV_integer_cooperative_matrix"];
const TENSORS: &[&str] = &["GL_ARM_tensors"];
const RAYS: &[&str] = &["GL_EXT_ray_query", "GL_EXT_ray_tracing"];

/// All of them.
#[rustfmt::skip]
pub(super) const TYPES: &[Word] = &[
    word("void", Meaning::Void).since(100, 110),
    word("vector", Meaning::Template(crate::ast::Template::Vector)).with(LONG_VECTORS),
    word("coopmat", coop(CoopKind::Matrix, None)).with(&["GL_KHR_cooperative_matrix"]),
    word("fcoopmatNV", coop(CoopKind::MatrixNv, Some(Elements::Floats))).with(&["GL_NV_cooperative_matrix"]),
    word("icoopmatNV", coop(CoopKind::MatrixNv, Some(Elements::Signed))).with(INTEGER_MATRICES),
    word("ucoopmatNV", coop(CoopKind::MatrixNv, Some(Elements::Unsigned))).with(INTEGER_MATRICES),
    word("coopvecNV", coop(CoopKind::Vector, None)).with(&["GL_NV_cooperative_vector"]),
    word("tensorLayoutNV", coop(CoopKind::Layout, None)).with(&["GL_NV_cooperative_matrix2"]),
    word("tensorViewNV", coop(CoopKind::View, None)).with(&["GL_NV_cooperative_matrix2"]),
    word("tensorARM", Meaning::Template(crate::ast::Template::Tensor)).with(TENSORS),
    word("float", number(Float, 1, 1)).since(100, 110),
    word("vec2", number(Float, 1, 2)).since(100, 110),
    word("vec3", number(Float, 1, 3)).since(100, 110),
    word("vec4", number(Float, 1, 4)).since(100, 110),
    word("bool", number(Bool, 1, 1)).since(100, 110),
    word("bvec2", number(Bool, 1, 2)).since(100, 110),
    word("bvec3", number(Bool, 1, 3)).since(100, 110),
    word("bvec4", number(Bool, 1, 4)).since(100, 110),
    word("int", number(Int, 1, 1)).since(100, 110),
    word("ivec2", number(Int, 1, 2)).since(100, 110),
    word("ivec3", number(Int, 1, 3)).since(100, 110),
    word("ivec4", number(Int, 1, 4)).since(100, 110),
    word("mat2", number(Float, 2, 2)).since(100, 110),
    word("mat3", number(Float, 3, 3)).since(100, 110),
    word("mat4", number(Float, 4, 4)).since(100, 110),
    word("mat2x2", number(Float, 2, 2)).since(300, 120),
    word("mat2x3", number(Float, 2, 3)).since(300, 120),
    word("mat2x4", number(Float, 2, 4)).since(300, 120),
    word("mat3x2", number(Float, 3, 2)).since(300, 120),
    word("mat3x3", number(Float, 3, 3)).since(300, 120),
    word("mat3x4", number(Float, 3, 4)).since(300, 120),
    word("mat4x2", number(Float, 4, 2)).since(300, 120),
    word("mat4x3", number(Float, 4, 3)).since(300, 120),
    word("mat4x4", number(Float, 4, 4)).since(300, 120),
    word("uint", number(Uint, 1, 1)).since(300, 130),
    word("uvec2", number(Uint, 1, 2)).since(300, 130).with(GPU_SHADER4),
    word("uvec3", number(Uint, 1, 3)).since(300, 130).with(GPU_SHADER4),
    word("uvec4", number(Uint, 1, 4)).since(300, 130).with(GPU_SHADER4),
    word("double", number(Double, 1, 1)).since(0, 400).reserved(100, 110).with(FP64),
    word("dvec2", number(Double, 1, 2)).since(0, 400).reserved(100, 110).with(FP64),
    word("dvec3", number(Double, 1, 3)).since(0, 400).reserved(100, 110).with(FP64),
    word("dvec4", number(Double, 1, 4)).since(0, 400).reserved(100, 110).with(FP64),
    word("dmat2", number(Double, 2, 2)).since(0, 400).with(FP64),
    word("dmat3", number(Double, 3, 3)).since(0, 400).with(FP64),
    word("dmat4", number(Double, 4, 4)).since(0, 400).with(FP64),
    word("dmat2x2", number(Double, 2, 2)).since(0, 400).with(FP64),
    word("dmat2x3", number(Double, 2, 3)).since(0, 400).with(FP64),
    word("dmat2x4", number(Double, 2, 4)).since(0, 400).with(FP64),
    word("dmat3x2", number(Double, 3, 2)).since(0, 400).with(FP64),
    word("dmat3x3", number(Double, 3, 3)).since(0, 400).with(FP64),
    word("dmat3x4", number(Double, 3, 4)).since(0, 400).with(FP64),
    word("dmat4x2", number(Double, 4, 2)).since(0, 400).with(FP64),
    word("dmat4x3", number(Double, 4, 3)).since(0, 400).with(FP64),
    word("dmat4x4", number(Double, 4, 4)).since(0, 400).with(FP64),
    word("float16_t", number(Float16, 1, 1)).with(FLOAT16),
    word("f16vec2", number(Float16, 1, 2)).with(FLOAT16),
    word("f16vec3", number(Float16, 1, 3)).with(FLOAT16),
    word("f16vec4", number(Float16, 1, 4)).with(FLOAT16),
    word("int8_t", number(Int8, 1, 1)).with(INT8),
    word("i8vec2", number(Int8, 1, 2)).with(INT8),
    word("i8vec3", number(Int8, 1, 3)).with(INT8),
    word("i8vec4", number(Int8, 1, 4)).with(INT8),
    word("uint8_t", number(Uint8, 1, 1)).with(INT8),
    word("u8vec2", number(Uint8, 1, 2)).with(INT8),
    word("u8vec3", number(Uint8, 1, 3)).with(INT8),
    word("u8vec4", number(Uint8, 1, 4)).with(INT8),
    word("int16_t", number(Int16, 1, 1)).with(INT16),
    word("i16vec2", number(Int16, 1, 2)).with(INT16),
    word("i16vec3", number(Int16, 1, 3)).with(INT16),
    word("i16vec4", number(Int16, 1, 4)).with(INT16),
    word("uint16_t", number(Uint16, 1, 1)).with(INT16),
    word("u16vec2", number(Uint16, 1, 2)).with(INT16),
    word("u16vec3", number(Uint16, 1, 3)).with(INT16),
    word("u16vec4", number(Uint16, 1, 4)).with(INT16),
    word("int32_t", number(Int, 1, 1)).with(INT32),
    word("i32vec2", number(Int, 1, 2)).with(INT32),
    word("i32vec3", number(Int, 1, 3)).with(INT32),
    word("i32vec4", number(Int, 1, 4)).with(INT32),
    word("uint32_t", number(Uint, 1, 1)).with(INT32),
    word("u32vec2", number(Uint, 1, 2)).with(INT32),
    word("u32vec3", number(Uint, 1, 3)).with(INT32),
    word("u32vec4", number(Uint, 1, 4)).with(INT32),
    word("int64_t", number(Int64, 1, 1)).with(INT64),
    word("i64vec2", number(Int64, 1, 2)).with(INT64),
    word("i64vec3", number(Int64, 1, 3)).with(INT64),
    word("i64vec4", number(Int64, 1, 4)).with(INT64),
    word("uint64_t", number(Uint64, 1, 1)).with(INT64),
    word("u64vec2", number(Uint64, 1, 2)).with(INT64),
    word("u64vec3", number(Uint64, 1, 3)).with(INT64),
    word("u64vec4", number(Uint64, 1, 4)).with(INT64),
    word("float32_t", number(Float, 1, 1)).with(FLOAT32),
    word("f32vec2", number(Float, 1, 2)).with(FLOAT32),
    word("f32vec3", number(Float, 1, 3)).with(FLOAT32),
    word("f32vec4", number(Float, 1, 4)).with(FLOAT32),
    word("float64_t", number(Double, 1, 1)).with(FLOAT64),
    word("f64vec2", number(Double, 1, 2)).with(FLOAT64),
    word("f64vec3", number(Double, 1, 3)).with(FLOAT64),
    word("f64vec4", number(Double, 1, 4)).with(FLOAT64),
    word("bfloat16_t", small(Small::Brain, 1)).with(Small::Brain.extensions()),
    word("bf16vec2", small(Small::Brain, 2)).with(Small::Brain.extensions()),
    word("bf16vec3", small(Small::Brain, 3)).with(Small::Brain.extensions()),
    word("bf16vec4", small(Small::Brain, 4)).with(Small::Brain.extensions()),
    word("floate5m2_t", small(Small::E5M2, 1)).with(Small::E5M2.extensions()),
    word("fe5m2vec2", small(Small::E5M2, 2)).with(Small::E5M2.extensions()),
    word("fe5m2vec3", small(Small::E5M2, 3)).with(Small::E5M2.extensions()),
    word("fe5m2vec4", small(Small::E5M2, 4)).with(Small::E5M2.extensions()),
    word("floate4m3_t", small(Small::E4M3, 1)).with(Small::E4M3.extensions()),
    word("fe4m3vec2", small(Small::E4M3, 2)).with(Small::E4M3.extensions()),
    word("fe4m3vec3", small(Small::E4M3, 3)).with(Small::E4M3.extensions()),
    word("fe4m3vec4", small(Small::E4M3, 4)).with(Small::E4M3.extensions()),
    word("floate3m2_t", small(Small::E3M2, 1)).with(Small::E3M2.extensions()),
    word("fe3m2vec2", small(Small::E3M2, 2)).with(Small::E3M2.extensions()),
    word("fe3m2vec3", small(Small::E3M2, 3)).with(Small::E3M2.extensions()),
    word("fe3m2vec4", small(Small::E3M2, 4)).with(Small::E3M2.extensions()),
    word("floate2m3_t", small(Small::E2M3, 1)).with(Small::E2M3.extensions()),
    word("fe2m3vec2", small(Small::E2M3, 2)).with(Small::E2M3.extensions()),
    word("fe2m3vec3", small(Small::E2M3, 3)).with(Small::E2M3.extensions()),
    word("fe2m3vec4", small(Small::E2M3, 4)).with(Small::E2M3.extensions()),
    word("floate2m1_t", small(Small::E2M1, 1)).with(Small::E2M1.extensions()),
    word("fe2m1vec2", small(Small::E2M1, 2)).with(Small::E2M1.extensions()),
    word("fe2m1vec3", small(Small::E2M1, 3)).with(Small::E2M1.extensions()),
    word("fe2m1vec4", small(Small::E2M1, 4)).with(Small::E2M1.extensions()),
    word("floatmxint8_t", small(Small::MxInt8, 1)).with(Small::MxInt8.extensions()),
    word("fmxint8vec2", small(Small::MxInt8, 2)).with(Small::MxInt8.extensions()),
    word("fmxint8vec3", small(Small::MxInt8, 3)).with(Small::MxInt8.extensions()),
    word("fmxint8vec4", small(Small::MxInt8, 4)).with(Small::MxInt8.extensions()),
    word("floatue8m0_t", small(Small::Ue8M0, 1)).with(Small::Ue8M0.extensions()),
    word("fue8m0vec2", small(Small::Ue8M0, 2)).with(Small::Ue8M0.extensions()),
    word("fue8m0vec3", small(Small::Ue8M0, 3)).with(Small::Ue8M0.extensions()),
    word("fue8m0vec4", small(Small::Ue8M0, 4)).with(Small::Ue8M0.extensions()),
    word("f16mat2", number(Float16, 2, 2)).with(FLOAT16),
    word("f16mat3", number(Float16, 3, 3)).with(FLOAT16),
    word("f16mat4", number(Float16, 4, 4)).with(FLOAT16),
    word("f16mat2x2", number(Float16, 2, 2)).with(FLOAT16),
    word("f16mat2x3", number(Float16, 2, 3)).with(FLOAT16),
    word("f16mat2x4", number(Float16, 2, 4)).with(FLOAT16),
    word("f16mat3x2", number(Float16, 3, 2)).with(FLOAT16),
    word("f16mat3x3", number(Float16, 3, 3)).with(FLOAT16),
    word("f16mat3x4", number(Float16, 3, 4)).with(FLOAT16),
    word("f16mat4x2", number(Float16, 4, 2)).with(FLOAT16),
    word("f16mat4x3", number(Float16, 4, 3)).with(FLOAT16),
    word("f16mat4x4", number(Float16, 4, 4)).with(FLOAT16),
    word("f32mat2", number(Float, 2, 2)).with(FLOAT32),
    word("f32mat2x2", number(Float, 2, 2)).with(FLOAT32),
    word("f32mat2x3", number(Float, 2, 3)).with(FLOAT32),
    word("f32mat2x4", number(Float, 2, 4)).with(FLOAT32),
    word("f32mat3", number(Float, 3, 3)).with(FLOAT32),
    word("f32mat3x2", number(Float, 3, 2)).with(FLOAT32),
    word("f32mat3x3", number(Float, 3, 3)).with(FLOAT32),
    word("f32mat3x4", number(Float, 3, 4)).with(FLOAT32),
    word("f32mat4", number(Float, 4, 4)).with(FLOAT32),
    word("f32mat4x2", number(Float, 4, 2)).with(FLOAT32),
    word("f32mat4x3", number(Float, 4, 3)).with(FLOAT32),
    word("f32mat4x4", number(Float, 4, 4)).with(FLOAT32),
    word("f64mat2", number(Double, 2, 2)).with(FLOAT64),
    word("f64mat2x2", number(Double, 2, 2)).with(FLOAT64),
    word("f64mat2x3", number(Double, 2, 3)).with(FLOAT64),
    word("f64mat2x4", number(Double, 2, 4)).with(FLOAT64),
    word("f64mat3", number(Double, 3, 3)).with(FLOAT64),
    word("f64mat3x2", number(Double, 3, 2)).with(FLOAT64),
    word("f64mat3x3", number(Double, 3, 3)).with(FLOAT64),
    word("f64mat3x4", number(Double, 3, 4)).with(FLOAT64),
    word("f64mat4", number(Double, 4, 4)).with(FLOAT64),
    word("f64mat4x2", number(Double, 4, 2)).with(FLOAT64),
    word("f64mat4x3", number(Double, 4, 3)).with(FLOAT64),
    word("f64mat4x4", number(Double, 4, 4)).with(FLOAT64),
    word("sampler1D", sampled(Float, D1, false, false)).since(0, 110).reserved(100, 0),
    word("isampler1D", sampled(Int, D1, false, false)).since(0, 130).reserved(300, 0).with(GPU_SHADER4),
    word("usampler1D", sampled(Uint, D1, false, false)).since(0, 130).reserved(300, 0).with(GPU_SHADER4),
    word("sampler2D", sampled(Float, D2, false, false)).since(100, 110),
    word("isampler2D", sampled(Int, D2, false, false)).since(300, 130).with(GPU_SHADER4),
    word("usampler2D", sampled(Uint, D2, false, false)).since(300, 130).with(GPU_SHADER4),
    word("sampler3D", sampled(Float, D3, false, false)).since(300, 110).reserved(100, 0).with(&["GL_OES_texture_3D"]),
    word("isampler3D", sampled(Int, D3, false, false)).since(300, 130).with(GPU_SHADER4),
    word("usampler3D", sampled(Uint, D3, false, false)).since(300, 130).with(GPU_SHADER4),
    word("samplerCube", sampled(Float, Cube, false, false)).since(100, 110),
    word("isamplerCube", sampled(Int, Cube, false, false)).since(300, 130).with(GPU_SHADER4),
    word("usamplerCube", sampled(Uint, Cube, false, false)).since(300, 130).with(GPU_SHADER4),
    word("sampler1DArray", sampled(Float, D1, true, false)).since(0, 130).reserved(300, 0).with(TEXTURE_ARRAY),
    word("isampler1DArray", sampled(Int, D1, true, false)).since(0, 130).reserved(300, 0).with(GPU_SHADER4),
    word("usampler1DArray", sampled(Uint, D1, true, false)).since(0, 130).reserved(300, 0).with(GPU_SHADER4),
    word("sampler2DArray", sampled(Float, D2, true, false)).since(300, 130).with(TEXTURE_ARRAY),
    word("isampler2DArray", sampled(Int, D2, true, false)).since(300, 130).with(GPU_SHADER4),
    word("usampler2DArray", sampled(Uint, D2, true, false)).since(300, 130).with(GPU_SHADER4),
    word("sampler2DRect", sampled(Float, Rect, false, false)).since(0, 140).reserved(100, 110).with(RECTANGLE),
    word("isampler2DRect", sampled(Int, Rect, false, false)).since(0, 140).reserved(300, 130).with(GPU_SHADER4),
    word("usampler2DRect", sampled(Uint, Rect, false, false)).since(0, 140).reserved(300, 130).with(GPU_SHADER4),
    word("samplerBuffer", sampled(Float, Buffer, false, false)).since(320, 140).reserved(300, 130).with(BUFFER),
    word("isamplerBuffer", sampled(Int, Buffer, false, false)).since(320, 140).reserved(300, 130).with(BUFFER),
    word("usamplerBuffer", sampled(Uint, Buffer, false, false)).since(320, 140).reserved(300, 130).with(BUFFER),
    word("sampler2DMS", sampled(Float, D2, false, true)).since(310, 150).reserved(300, 130).with(MULTISAMPLE),
    word("isampler2DMS", sampled(Int, D2, false, true)).since(310, 150).reserved(300, 130).with(MULTISAMPLE),
    word("usampler2DMS", sampled(Uint, D2, false, true)).since(310, 150).reserved(300, 130).with(MULTISAMPLE),
    word("sampler2DMSArray", sampled(Float, D2, true, true)).since(320, 150).reserved(300, 130).with(MULTISAMPLE),
    word("isampler2DMSArray", sampled(Int, D2, true, true)).since(320, 150).reserved(300, 130).with(MULTISAMPLE),
    word("usampler2DMSArray", sampled(Uint, D2, true, true)).since(320, 150).reserved(300, 130).with(MULTISAMPLE),
    word("samplerCubeArray", sampled(Float, Cube, true, false)).since(320, 400).reserved(310, 130).with(CUBE_ARRAY),
    word("isamplerCubeArray", sampled(Int, Cube, true, false)).since(320, 400).reserved(310, 130).with(CUBE_ARRAY),
    word("usamplerCubeArray", sampled(Uint, Cube, true, false)).since(320, 400).reserved(310, 130).with(CUBE_ARRAY),
    word("sampler1DShadow", shadow(D1, false)).since(0, 110).reserved(100, 0),
    word("sampler2DShadow", shadow(D2, false)).since(300, 110).reserved(100, 0).with(&["GL_EXT_shadow_samplers"]),
    word("samplerCubeShadow", shadow(Cube, false)).since(300, 130).with(GPU_SHADER4),
    word("sampler1DArrayShadow", shadow(D1, true)).since(0, 130).reserved(300, 0).with(TEXTURE_ARRAY),
    word("sampler2DArrayShadow", shadow(D2, true)).since(300, 130).with(TEXTURE_ARRAY),
    word("sampler2DRectShadow", shadow(Rect, false)).since(0, 140).reserved(100, 110).with(RECTANGLE),
    word("samplerCubeArrayShadow", shadow(Cube, true)).since(320, 400).reserved(310, 130).with(CUBE_ARRAY),
    word("samplerExternalOES", EXTERNAL).with(&["GL_OES_EGL_image_external", "GL_OES_EGL_image_external_essl3"]),
    word("image1D", storage(Float, D1, false, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("iimage1D", storage(Int, D1, false, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("uimage1D", storage(Uint, D1, false, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("image2D", storage(Float, D2, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("iimage2D", storage(Int, D2, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("uimage2D", storage(Uint, D2, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("image3D", storage(Float, D3, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("iimage3D", storage(Int, D3, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("uimage3D", storage(Uint, D3, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("imageCube", storage(Float, Cube, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("iimageCube", storage(Int, Cube, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("uimageCube", storage(Uint, Cube, false, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("image1DArray", storage(Float, D1, true, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("iimage1DArray", storage(Int, D1, true, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("uimage1DArray", storage(Uint, D1, true, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("image2DArray", storage(Float, D2, true, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("iimage2DArray", storage(Int, D2, true, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("uimage2DArray", storage(Uint, D2, true, false)).since(310, 420).reserved(300, 130).with(IMAGES),
    word("image2DRect", storage(Float, Rect, false, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("iimage2DRect", storage(Int, Rect, false, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("uimage2DRect", storage(Uint, Rect, false, false)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("imageBuffer", storage(Float, Buffer, false, false)).since(320, 420).reserved(300, 130).with(IMAGE_BUFFER),
    word("iimageBuffer", storage(Int, Buffer, false, false)).since(320, 420).reserved(300, 130).with(IMAGE_BUFFER),
    word("uimageBuffer", storage(Uint, Buffer, false, false)).since(320, 420).reserved(300, 130).with(IMAGE_BUFFER),
    word("image2DMS", storage(Float, D2, false, true)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("iimage2DMS", storage(Int, D2, false, true)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("uimage2DMS", storage(Uint, D2, false, true)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("image2DMSArray", storage(Float, D2, true, true)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("iimage2DMSArray", storage(Int, D2, true, true)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("uimage2DMSArray", storage(Uint, D2, true, true)).since(0, 420).reserved(300, 130).with(IMAGES),
    word("imageCubeArray", storage(Float, Cube, true, false)).since(320, 420).reserved(310, 130).with(IMAGE_CUBE_ARRAY),
    word("iimageCubeArray", storage(Int, Cube, true, false)).since(320, 420).reserved(310, 130).with(IMAGE_CUBE_ARRAY),
    word("uimageCubeArray", storage(Uint, Cube, true, false)).since(320, 420).reserved(310, 130).with(IMAGE_CUBE_ARRAY),
    word("texture1D", separate(Float, D1, false, false)).since(310, 140).soft(),
    word("itexture1D", separate(Int, D1, false, false)).since(310, 140).soft(),
    word("utexture1D", separate(Uint, D1, false, false)).since(310, 140).soft(),
    word("texture2D", separate(Float, D2, false, false)).since(310, 140).soft(),
    word("itexture2D", separate(Int, D2, false, false)).since(310, 140).soft(),
    word("utexture2D", separate(Uint, D2, false, false)).since(310, 140).soft(),
    word("texture3D", separate(Float, D3, false, false)).since(310, 140).soft(),
    word("itexture3D", separate(Int, D3, false, false)).since(310, 140).soft(),
    word("utexture3D", separate(Uint, D3, false, false)).since(310, 140).soft(),
    word("textureCube", separate(Float, Cube, false, false)).since(310, 140).soft(),
    word("itextureCube", separate(Int, Cube, false, false)).since(310, 140).soft(),
    word("utextureCube", separate(Uint, Cube, false, false)).since(310, 140).soft(),
    word("texture1DArray", separate(Float, D1, true, false)).since(310, 140).soft(),
    word("itexture1DArray", separate(Int, D1, true, false)).since(310, 140).soft(),
    word("utexture1DArray", separate(Uint, D1, true, false)).since(310, 140).soft(),
    word("texture2DArray", separate(Float, D2, true, false)).since(310, 140).soft(),
    word("itexture2DArray", separate(Int, D2, true, false)).since(310, 140).soft(),
    word("utexture2DArray", separate(Uint, D2, true, false)).since(310, 140).soft(),
    word("texture2DRect", separate(Float, Rect, false, false)).since(310, 140).soft(),
    word("itexture2DRect", separate(Int, Rect, false, false)).since(310, 140).soft(),
    word("utexture2DRect", separate(Uint, Rect, false, false)).since(310, 140).soft(),
    word("textureBuffer", separate(Float, Buffer, false, false)).since(310, 140).soft(),
    word("itextureBuffer", separate(Int, Buffer, false, false)).since(310, 140).soft(),
    word("utextureBuffer", separate(Uint, Buffer, false, false)).since(310, 140).soft(),
    word("texture2DMS", separate(Float, D2, false, true)).since(310, 140).soft(),
    word("itexture2DMS", separate(Int, D2, false, true)).since(310, 140).soft(),
    word("utexture2DMS", separate(Uint, D2, false, true)).since(310, 140).soft(),
    word("texture2DMSArray", separate(Float, D2, true, true)).since(310, 140).soft(),
    word("itexture2DMSArray", separate(Int, D2, true, true)).since(310, 140).soft(),
    word("utexture2DMSArray", separate(Uint, D2, true, true)).since(310, 140).soft(),
    word("textureCubeArray", separate(Float, Cube, true, false)).since(310, 140).soft(),
    word("itextureCubeArray", separate(Int, Cube, true, false)).since(310, 140).soft(),
    word("utextureCubeArray", separate(Uint, Cube, true, false)).since(310, 140).soft(),
    word("subpassInput", storage(Float, Subpass, false, false)).since(310, 140).soft(),
    word("subpassInputMS", storage(Float, Subpass, false, true)).since(310, 140).soft(),
    word("isubpassInput", storage(Int, Subpass, false, false)).since(310, 140).soft(),
    word("isubpassInputMS", storage(Int, Subpass, false, true)).since(310, 140).soft(),
    word("usubpassInput", storage(Uint, Subpass, false, false)).since(310, 140).soft(),
    word("usubpassInputMS", storage(Uint, Subpass, false, true)).since(310, 140).soft(),
word("i64image1D", storage(Int64, D1, false, false)).with(IMAGES64),
    word("i64image2D", storage(Int64, D2, false, false)).with(IMAGES64),
    word("i64image3D", storage(Int64, D3, false, false)).with(IMAGES64),
    word("i64image2DRect", storage(Int64, Rect, false, false)).with(IMAGES64),
    word("i64imageCube", storage(Int64, Cube, false, false)).with(IMAGES64),
    word("i64imageBuffer", storage(Int64, Buffer, false, false)).with(IMAGES64),
    word("i64image1DArray", storage(Int64, D1, true, false)).with(IMAGES64),
    word("i64image2DArray", storage(Int64, D2, true, false)).with(IMAGES64),
    word("i64imageCubeArray", storage(Int64, Cube, true, false)).with(IMAGES64),
    word("i64image2DMS", storage(Int64, D2, false, true)).with(IMAGES64),
    word("i64image2DMSArray", storage(Int64, D2, true, true)).with(IMAGES64),
    word("u64image1D", storage(Uint64, D1, false, false)).with(IMAGES64),
    word("u64image2D", storage(Uint64, D2, false, false)).with(IMAGES64),
    word("u64image3D", storage(Uint64, D3, false, false)).with(IMAGES64),
    word("u64image2DRect", storage(Uint64, Rect, false, false)).with(IMAGES64),
    word("u64imageCube", storage(Uint64, Cube, false, false)).with(IMAGES64),
    word("u64imageBuffer", storage(Uint64, Buffer, false, false)).with(IMAGES64),
    word("u64image1DArray", storage(Uint64, D1, true, false)).with(IMAGES64),
    word("u64image2DArray", storage(Uint64, D2, true, false)).with(IMAGES64),
    word("u64imageCubeArray", storage(Uint64, Cube, true, false)).with(IMAGES64),
    word("u64image2DMS", storage(Uint64, D2, false, true)).with(IMAGES64),
    word("u64image2DMSArray", storage(Uint64, D2, true, true)).with(IMAGES64),
    word("attachmentEXT", storage(Float, Tile, false, false)).with(TILES),
    word("iattachmentEXT", storage(Int, Tile, false, false)).with(TILES),
    word("uattachmentEXT", storage(Uint, Tile, false, false)).with(TILES),
    word("sampler", Meaning::Opaque(Opaque::Sampler { shadow: false })).since(310, 140).soft(),
    word("samplerShadow", Meaning::Opaque(Opaque::Sampler { shadow: true })).since(310, 140).soft(),
    word("accelerationStructureEXT", Meaning::Opaque(Opaque::AccelerationStructure)).with(RAYS),
    word("accelerationStructureNV", Meaning::Opaque(Opaque::AccelerationStructure)).with(&["GL_NV_ray_tracing"]),
    word("rayQueryEXT", Meaning::Opaque(Opaque::RayQuery)).with(&["GL_EXT_ray_query"]),
    word("hitObjectEXT", Meaning::Opaque(Opaque::HitObject(HitObject::Ext))).with(&["GL_EXT_shader_invocation_reorder"]),
    word("hitObjectNV", Meaning::Opaque(Opaque::HitObject(HitObject::Nv))).with(&["GL_NV_shader_invocation_reorder"]),
    word("atomic_uint", Meaning::Opaque(Opaque::AtomicCounter)).since(310, 420).reserved(300, 0).with(&["GL_ARB_shader_atomic_counters"]),
];
