//! The words of the language: what each means, and in which versions and extensions it is a
//! keyword, reserved, or a name like any other.
//!
//! The rows are in [`types`] and below; [`WORDS`] is all of them, and a word's symbol is its row
//! plus one. Facts from the keyword sections of the specifications and their extensions.

mod types;
mod word;

use crate::ast::SpirvWord;
use crate::qualifier::{HeapKind, RayStorage};
use crate::ty::HitObject;
use types::TYPES;
use word::{GPU_SHADER4, word};
pub(crate) use word::{Meaning, Simple, Status, Word};

/// All words; those of types first.
pub(crate) static WORDS: [Word; TYPES.len() + OTHERS.len()] = {
    let mut words = [OTHERS[0]; TYPES.len() + OTHERS.len()];
    let mut row = 0;
    while row < words.len() {
        words[row] = if row < TYPES.len() { TYPES[row] } else { OTHERS[row - TYPES.len()] };
        row += 1;
    }
    words
};

/// The word of a symbol, if it is one.
pub(crate) fn word_of(symbol: crate::token::Symbol) -> Option<&'static Word> {
    WORDS.get((symbol.0 as usize).wrapping_sub(1))
}

const SPIRV: &[&str] = &["GL_EXT_spirv_intrinsics"];

const SAMPLE: &[&str] = &["GL_ARB_gpu_shader5", "GL_OES_shader_multisample_interpolation"];
const TESSELLATION: &[&str] =
    &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"];
const MEMORY: &[&str] = &[
    "GL_ARB_shader_image_load_store",
    "GL_EXT_shader_image_load_store",
    "GL_ARB_shader_storage_buffer_object",
];
const SCOPES: &[&str] = &["GL_KHR_memory_scope_semantics"];
const HEAPS: &[&str] = &["GL_EXT_structured_descriptor_heap"];
/// Queries share the words of payloads with shaders that trace, as glslang has it.
const RAYS: &[&str] = &["GL_EXT_ray_tracing", "GL_EXT_ray_query"];
const RAYS_NV: &[&str] = &["GL_NV_ray_tracing"];
const REORDER: &[&str] = &["GL_EXT_shader_invocation_reorder"];
const REORDER_NV: &[&str] = &["GL_NV_shader_invocation_reorder"];
const LAYOUT: &[&str] = &[
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_explicit_uniform_location",
    "GL_ARB_uniform_buffer_object",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_fragment_coord_conventions",
    "GL_ARB_separate_shader_objects",
    "GL_EXT_separate_shader_objects",
    "GL_ARB_conservative_depth",
    "GL_AMD_conservative_depth",
    "GL_ARB_shading_language_420pack",
    "GL_ARB_shader_image_load_store",
    "GL_ARB_compute_shader",
    "GL_EXT_shader_framebuffer_fetch_non_coherent",
];

/// Words that are no types.
#[rustfmt::skip]
const OTHERS: &[Word] = &[
    word("const", Meaning::Qualifier(Simple::Const)).since(100, 110),
    word("in", Meaning::Qualifier(Simple::In)).since(100, 110),
    word("out", Meaning::Qualifier(Simple::Out)).since(100, 110),
    word("inout", Meaning::Qualifier(Simple::Inout)).since(100, 110),
    word("uniform", Meaning::Qualifier(Simple::Uniform)).since(100, 110),
    word("attribute", Meaning::Qualifier(Simple::Attribute)).since(100, 110).until(300, 420),
    word("varying", Meaning::Qualifier(Simple::Varying)).since(100, 110).until(300, 420),
    word("buffer", Meaning::Qualifier(Simple::Buffer)).since(310, 430).with(&["GL_ARB_shader_storage_buffer_object"]),
    word("shared", Meaning::Qualifier(Simple::Shared)).since(310, 430).with(&["GL_ARB_compute_shader"]),
    word("centroid", Meaning::Qualifier(Simple::Centroid)).since(300, 120).with(GPU_SHADER4),
    word("sample", Meaning::Qualifier(Simple::Sample)).since(320, 400).reserved(300, 0).with(SAMPLE),
    word("patch", Meaning::Qualifier(Simple::Patch)).since(320, 400).reserved(300, 0).with(TESSELLATION),
    word("smooth", Meaning::Qualifier(Simple::Smooth)).since(300, 130),
    word("flat", Meaning::Qualifier(Simple::Flat)).since(300, 130).reserved(100, 0).with(GPU_SHADER4),
    word("noperspective", Meaning::Qualifier(Simple::NoPerspective)).since(0, 130).reserved(300, 0).with(&["GL_EXT_gpu_shader4", "GL_NV_shader_noperspective_interpolation"]),
    word("invariant", Meaning::Qualifier(Simple::Invariant)).since(100, 120),
    word("precise", Meaning::Qualifier(Simple::Precise)).since(320, 400).reserved(310, 0).with(&["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"]),
    word("coherent", Meaning::Qualifier(Simple::Coherent)).since(310, 420).reserved(300, 130).with(MEMORY),
    word("volatile", Meaning::Qualifier(Simple::Volatile)).since(310, 420).reserved(100, 110).with(MEMORY),
    word("restrict", Meaning::Qualifier(Simple::Restrict)).since(310, 420).reserved(300, 130).with(MEMORY),
    word("readonly", Meaning::Qualifier(Simple::ReadOnly)).since(310, 420).reserved(300, 130).with(MEMORY),
    word("writeonly", Meaning::Qualifier(Simple::WriteOnly)).since(310, 420).reserved(300, 130).with(MEMORY),
    word("nonuniformEXT", Meaning::Qualifier(Simple::NonUniform)).with(&["GL_EXT_nonuniform_qualifier"]).soft(),
    word("rayPayloadEXT", Meaning::Qualifier(Simple::Ray(RayStorage::Payload))).with(RAYS),
    word("rayPayloadInEXT", Meaning::Qualifier(Simple::Ray(RayStorage::PayloadIn))).with(RAYS),
    word("hitAttributeEXT", Meaning::Qualifier(Simple::Ray(RayStorage::HitAttribute))).with(RAYS),
    word("callableDataEXT", Meaning::Qualifier(Simple::Ray(RayStorage::Callable))).with(RAYS),
    word("callableDataInEXT", Meaning::Qualifier(Simple::Ray(RayStorage::CallableIn))).with(RAYS),
    word("rayPayloadNV", Meaning::Qualifier(Simple::Ray(RayStorage::Payload))).with(RAYS_NV),
    word("rayPayloadInNV", Meaning::Qualifier(Simple::Ray(RayStorage::PayloadIn))).with(RAYS_NV),
    word("hitAttributeNV", Meaning::Qualifier(Simple::Ray(RayStorage::HitAttribute))).with(RAYS_NV),
    word("callableDataNV", Meaning::Qualifier(Simple::Ray(RayStorage::Callable))).with(RAYS_NV),
    word("callableDataInNV", Meaning::Qualifier(Simple::Ray(RayStorage::CallableIn))).with(RAYS_NV),
    word("hitObjectAttributeEXT", Meaning::Qualifier(Simple::Ray(RayStorage::HitObjectAttribute(HitObject::Ext)))).with(REORDER),
    word("hitObjectAttributeNV", Meaning::Qualifier(Simple::Ray(RayStorage::HitObjectAttribute(HitObject::Nv)))).with(REORDER_NV),
    word("pervertexEXT", Meaning::Qualifier(Simple::PerVertex)).with(&["GL_EXT_fragment_shader_barycentric"]),
    word("pervertexNV", Meaning::Qualifier(Simple::PerVertex)).with(&["GL_NV_fragment_shader_barycentric"]),
    word("__explicitInterpAMD", Meaning::Qualifier(Simple::Explicit)).with(&["GL_AMD_shader_explicit_vertex_parameter"]),
    word("perprimitiveNV", Meaning::Qualifier(Simple::PerPrimitive)).with(&["GL_NV_mesh_shader"]),
    word("perprimitiveEXT", Meaning::Qualifier(Simple::PerPrimitive)).with(&["GL_EXT_mesh_shader"]),
    word("taskNV", Meaning::Qualifier(Simple::PerTask)).with(&["GL_NV_mesh_shader"]),
    word("taskPayloadSharedEXT", Meaning::Qualifier(Simple::TaskPayload)).with(&["GL_EXT_mesh_shader"]),
    word("tileImageEXT", Meaning::Qualifier(Simple::TileImage)).with(&["GL_EXT_shader_tile_image"]),
    word("devicecoherent", Meaning::Qualifier(Simple::Coherent)).with(SCOPES),
    word("queuefamilycoherent", Meaning::Qualifier(Simple::Coherent)).with(SCOPES),
    word("workgroupcoherent", Meaning::Qualifier(Simple::Coherent)).with(SCOPES),
    word("subgroupcoherent", Meaning::Qualifier(Simple::Coherent)).with(SCOPES),
    word("shadercallcoherent", Meaning::Qualifier(Simple::Coherent)).with(&["GL_EXT_ray_tracing"]),
    word("resourceheap", Meaning::Qualifier(Simple::Heap(HeapKind::Resources))).with(HEAPS),
    word("samplerheap", Meaning::Qualifier(Simple::Heap(HeapKind::Samplers))).with(HEAPS),
    word("nonprivate", Meaning::Qualifier(Simple::NonTemporal)).with(SCOPES),
    word("nontemporal", Meaning::Qualifier(Simple::NonTemporal)).with(&["GL_EXT_nontemporal_keyword"]),
    word("spirv_instruction", Meaning::Spirv(SpirvWord::Instruction)).with(SPIRV),
    word("spirv_type", Meaning::SpirvType).with(SPIRV),
    word("spirv_literal", Meaning::Spirv(SpirvWord::Literal)).with(SPIRV),
    word("spirv_by_reference", Meaning::Spirv(SpirvWord::ByReference)).with(SPIRV),
    word("spirv_decorate", Meaning::Spirv(SpirvWord::Decorate)).with(SPIRV),
    word("spirv_decorate_string", Meaning::Spirv(SpirvWord::DecorateString)).with(SPIRV),
    word("spirv_decorate_id", Meaning::Spirv(SpirvWord::DecorateId)).with(SPIRV),
    word("spirv_storage_class", Meaning::Spirv(SpirvWord::StorageClass)).with(SPIRV),
    word("spirv_execution_mode", Meaning::Spirv(SpirvWord::Mode)).with(SPIRV),
    word("spirv_execution_mode_id", Meaning::Spirv(SpirvWord::ModeId)).with(SPIRV),
    word("lowp", Meaning::Qualifier(Simple::Low)).since(100, 130).reserved(0, 120),
    word("mediump", Meaning::Qualifier(Simple::Medium)).since(100, 130).reserved(0, 120),
    word("highp", Meaning::Qualifier(Simple::High)).since(100, 130).reserved(0, 120),
    word("subroutine", Meaning::Subroutine).since(0, 400).reserved(300, 0).with(&["GL_ARB_shader_subroutine"]),
    word("layout", Meaning::Layout).since(300, 140).with(LAYOUT),
    word("precision", Meaning::Precision).since(100, 130).reserved(0, 120),
    word("struct", Meaning::Struct).since(100, 110),
    word("if", Meaning::If).since(100, 110),
    word("else", Meaning::Else).since(100, 110),
    word("for", Meaning::For).since(100, 110),
    word("while", Meaning::While).since(100, 110),
    word("do", Meaning::Do).since(100, 110),
    word("break", Meaning::Break).since(100, 110),
    word("continue", Meaning::Continue).since(100, 110),
    word("return", Meaning::Return).since(100, 110),
    word("discard", Meaning::Discard).since(100, 110),
    word("switch", Meaning::Switch).since(300, 130).reserved(100, 110).with(GPU_SHADER4),
    word("case", Meaning::Case).since(300, 130).reserved(100, 110).with(GPU_SHADER4),
    word("default", Meaning::Default).since(300, 130).reserved(100, 110).with(GPU_SHADER4),
    word("true", Meaning::Bool(true)).since(100, 110),
    word("false", Meaning::Bool(false)).since(100, 110),
    word("terminateInvocation", Meaning::Discard).with(&["GL_EXT_terminate_invocation"]),
    word("ignoreIntersectionEXT", Meaning::EndOfRay).with(RAYS),
    word("terminateRayEXT", Meaning::EndOfRay).with(RAYS),
    word("demote", Meaning::Demote).with(&["GL_EXT_demote_to_helper_invocation"]),
    word("asm", Meaning::Reserved).reserved(100, 110),
    word("class", Meaning::Reserved).reserved(100, 110),
    word("union", Meaning::Reserved).reserved(100, 110),
    word("enum", Meaning::Reserved).reserved(100, 110),
    word("typedef", Meaning::Reserved).reserved(100, 110),
    word("template", Meaning::Reserved).reserved(100, 110),
    word("this", Meaning::Reserved).reserved(100, 110),
    word("goto", Meaning::Reserved).reserved(100, 110),
    word("inline", Meaning::Reserved).reserved(100, 110),
    word("noinline", Meaning::Reserved).reserved(100, 110),
    word("public", Meaning::Reserved).reserved(100, 110),
    word("static", Meaning::Reserved).reserved(100, 110),
    word("extern", Meaning::Reserved).reserved(100, 110),
    word("external", Meaning::Reserved).reserved(100, 110),
    word("interface", Meaning::Reserved).reserved(100, 110),
    word("long", Meaning::Reserved).reserved(100, 110),
    word("short", Meaning::Reserved).reserved(100, 110),
    word("half", Meaning::Reserved).reserved(100, 110),
    word("fixed", Meaning::Reserved).reserved(100, 110),
    word("input", Meaning::Reserved).reserved(100, 110),
    word("output", Meaning::Reserved).reserved(100, 110),
    word("hvec2", Meaning::Reserved).reserved(100, 110),
    word("hvec3", Meaning::Reserved).reserved(100, 110),
    word("hvec4", Meaning::Reserved).reserved(100, 110),
    word("fvec2", Meaning::Reserved).reserved(100, 110),
    word("fvec3", Meaning::Reserved).reserved(100, 110),
    word("fvec4", Meaning::Reserved).reserved(100, 110),
    word("sampler3DRect", Meaning::Reserved).reserved(100, 110),
    word("sizeof", Meaning::Reserved).reserved(100, 110),
    word("cast", Meaning::Reserved).reserved(100, 110),
    word("namespace", Meaning::Reserved).reserved(100, 110),
    word("using", Meaning::Reserved).reserved(100, 110),
    word("unsigned", Meaning::Unsigned).reserved(100, 110).with(GPU_SHADER4),
    word("packed", Meaning::Reserved).reserved(100, 110).until(300, 140),
    word("common", Meaning::Reserved).reserved(300, 130),
    word("partition", Meaning::Reserved).reserved(300, 130),
    word("active", Meaning::Reserved).reserved(300, 130),
    word("filter", Meaning::Reserved).reserved(300, 130),
    word("row_major", Meaning::Reserved).reserved(0, 130).until(0, 140),
    word("superp", Meaning::Reserved).reserved(100, 130),
    word("resource", Meaning::Reserved).reserved(300, 420),
    word("image1DShadow", Meaning::Reserved).reserved(300, 130),
    word("image2DShadow", Meaning::Reserved).reserved(300, 130),
    word("image1DArrayShadow", Meaning::Reserved).reserved(300, 130),
    word("image2DArrayShadow", Meaning::Reserved).reserved(300, 130),
];
