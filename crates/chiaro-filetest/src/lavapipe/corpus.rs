//! `chiaro-filetest golden FOLDER`: the stages of AGX's corpus on lavapipe, as rows of `lavapipe_corpus.jsonl`.
//!
//! Kernels whose threads do not meet run one thread behind the other, so that what one leaves is what the next reads.
//! Vertices end in a geometry shader of ours that writes down what it gets; fragments begin behind a vertex shader of ours,
//! whose triangle has a plane for each component of each varying.

use std::fmt::Write as _;
use std::path::Path;

use ash::vk;
use chiaro_ir::{Dim, ImageType, Module, Space};
use chiaro_sim::texture::Sampler;
use serde_json::{Value as Json, json};

use super::draw::{Left, Resource, Scene, Stage, run, run_behind};
use super::{Device, Kind};
use crate::agx::golden::images::{Given, Images};
use crate::agx::golden::samples::has_samples;
use crate::agx::golden::{DEPTH, Golden, PIXELS, TEXTURES, texture, textures};
use crate::stages::Shader;

/// What each kernel is given.
const KERNELS: &str = include_str!("kernels.tsv");
/// Vertices of a row.
const VERTICES: usize = 16;
/// Words of a uniform block, more than any has.
const BLOCK: usize = 512;
/// Bindings of blocks begin here, below those of textures.
const BLOCKS: u32 = 8;
/// Samples of pixels that have several.
const SAMPLES: u32 = 4;
/// Where the geometry shader of ours writes.
const CAPTURE: u32 = 31;

/// Numbers in the blocks of stages of graphics that choose something.
const CHOSEN: [(&str, u32, usize, u32); 1] = [("switch_mat", 1, 0, 2)];
/// Stages that are not among the rows, and why.
const LEFT_OUT: [(&str, &str, &str); 4] = [
    ("tex_gather_lod", "frag", "level 1.5 is as near to 1 as to 2, and Vulkan lets either be taken"),
    ("sg_reduce", "comp", "a subgroup of lavapipe has 8 lanes, one of AGX 32"),
    ("sg_quad", "comp", "a subgroup of lavapipe has 8 lanes, one of AGX 32"),
    ("sg_cluster", "comp", "a subgroup of lavapipe has 8 lanes, one of AGX 32"),
];

/// All rows with their head.
///
/// # Errors
/// A corpus that cannot be read.
pub fn rows(device: &Device, folder: &Path) -> Result<String, String> {
    let path = folder.join("agx/corpus_src.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (mut made, mut refused) = (String::new(), String::new());
    let mut count = 0;
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let object: Json = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let name = object["name"].as_str().unwrap_or_default();
        for stage in ["vert", "frag", "comp"] {
            let Some(source) = object[stage].as_str() else { continue };
            let left_out = LEFT_OUT.iter().find(|row| (row.0, row.1) == (name, stage));
            let row = match left_out {
                Some((.., why)) => Err((*why).to_owned()),
                None => row(device, name, stage, source),
            };
            match row {
                Ok(row) => {
                    count += 1;
                    let _ = writeln!(made, "{row}");
                }
                Err(why) => {
                    let _ = writeln!(refused, "# without a row: {name}.{stage}: {}", why.replace('\n', " "));
                }
            }
        }
    }
    Ok(head(device, count) + &refused + &made)
}

fn head(device: &Device, count: usize) -> String {
    let [width, height] = PIXELS;
    format!(
        "# {count} stages of agx/corpus_src.jsonl on lavapipe ({}), made by `chiaro-filetest golden FOLDER` (feature lavapipe)\n\
         # source: as it was compiled; blocks have their binding plus {BLOCKS}, textures theirs plus {TEXTURES}, since a set has one row of bindings; a kernel whose threads do not meet has workgroups of one, run one behind the other\n\
         # buffers: binding, words and init as in rdna/lavapipe_outputs.jsonl; init h: halves (h%2001)/1000-1 of bits 0 and 11 on; init x: hex\n\
         # attributes: four words for each vertex, by location; planes: [by column, by row, at the corner] of each component of a varying, by location; a fragment lies at column + 0.5, row + 0.5 of {width} x {height} pixels, depth {DEPTH:?}, W 1\n\
         # textures: unit = binding - {TEXTURES} + element; texels and samplers as in a3xx/shader_io.jsonl\n\
         # images: 16 x 16 texels, 3 layers or 4 samples; texel x, y of layer or sample z has ((37 (x + 7 y) + 11 component + 5 z) mod 64) / 64, integers 5 x + 3 y + z and 0; rows of 256 texels\n\
         # samples: of a pixel; out has four words for each, at Vulkan's standard places\n\
         # out: buffers that changed, and images, texels one behind the other; what vertices leave by location or built-in; four words for each pixel, 7.25e37 (7e5a2bf8) where the fragment is discarded\n",
        device.name()
    )
}

/// A row with its results.
fn row(device: &Device, name: &str, stage: &str, source: &str) -> Result<Json, String> {
    let source = apart(source);
    let mut row = match stage {
        "comp" => kernel(name, &source)?,
        _ => graphics(name, stage, &source)?,
    };
    let golden = Golden::of(&row).map_err(|miss| format!("{miss:?}"))?;
    let shader = golden.shader()?;
    let words = shader.vulkan()?;
    let images = Images::of(&shader.module)?;
    let images = images.map(|images| images.given(&shader.module)).unwrap_or_default();
    let resources = resources(&golden, &shader.module, &images);
    let out = match stage {
        "comp" => dispatch(device, &golden, &words, (resources, &images))?,
        "vert" => vertices(device, &golden, &shader.module, (&words, resources))?,
        _ => fragments(device, &golden, &shader.module, (&words, resources))?,
    };
    row["out"] = out;
    Ok(row)
}

/// The source with bindings of blocks and of textures that no buffer has.
fn apart(source: &str) -> String {
    let mut made = String::new();
    let mut rest = source;
    while let Some((before, behind)) = rest.split_once("binding=") {
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let number: u32 = behind[..digits].parse().unwrap_or(0);
        let what = behind.split([';', '{']).next().unwrap_or_default();
        let is_block = behind[what.len()..].starts_with('{');
        let more = match (what.contains("buffer") && is_block, is_block) {
            (true, _) => 0,
            (false, true) => BLOCKS,
            (false, false) => TEXTURES,
        };
        let _ = write!(made, "{before}binding={}", number + more);
        rest = &behind[digits..];
    }
    made + rest
}

/// A kernel with what it is given. Threads that do not meet are workgroups of their own.
fn kernel(name: &str, source: &str) -> Result<Json, String> {
    let mut rows = KERNELS.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t'));
    let mut columns = rows
        .find_map(|mut row| (row.next() == Some(name)).then_some(row))
        .ok_or("no line says what it is given")?;
    let [Some(meets), Some(groups), Some(buffers)] = [columns.next(), columns.next(), columns.next()] else {
        return Err("its line is short".to_owned());
    };
    let groups: Vec<u32> = groups.split(',').filter_map(|n| n.parse().ok()).collect();
    let buffers = buffers.split(' ').filter(|text| *text != "-");
    let buffers = buffers.map(buffer).collect::<Result<Vec<_>, _>>()?;
    let source = if meets == "meets" { source.to_owned() } else { alone(source) };
    Ok(json!({ "name": name, "stage": "comp", "source": source, "groups": groups, "buffers": buffers }))
}

/// The source with workgroups of one.
fn alone(source: &str) -> String {
    let Some((before, behind)) = source.split_once("layout(local_size_x=") else { return source.to_owned() };
    let rest = behind.split_once(')').map_or("", |(_, rest)| rest);
    format!("{before}layout(local_size_x=1,local_size_y=1,local_size_z=1){rest}")
}

/// `0:256:f` or `0:256:u:100`, with `@1=5` for words that are chosen.
fn buffer(text: &str) -> Result<Json, String> {
    let mut chosen = text.split('@');
    let mut fields = chosen.next().unwrap_or_default().split(':');
    let mut number = |what: &str| {
        let text = fields.next().ok_or_else(|| format!("`{text}` has no {what}"))?;
        text.parse::<u32>().map_err(|_| format!("`{text}` is no number"))
    };
    let (binding, words) = (number("binding")?, number("words")?);
    let init = fields.next().ok_or_else(|| format!("`{text}` does not say what is in it"))?;
    let param = fields.next().and_then(|n| n.parse().ok()).unwrap_or(0u32);
    let row = json!({ "binding": binding, "words": words, "init": init, "param": param });
    let chosen: Vec<(usize, u32)> = chosen
        .filter_map(|one| {
            let (at, word) = one.split_once('=')?;
            Some((at.parse().ok()?, word_of(word)?))
        })
        .collect();
    if chosen.is_empty() {
        return Ok(row);
    }
    let mut made = crate::compute::buffer(&row).map_err(|miss| format!("{miss:?}"))?.words;
    for (at, word) in chosen {
        *made.get_mut(at).ok_or("a chosen word is outside")? = word;
    }
    Ok(json!({ "binding": binding, "words": words, "init": "x", "hex": hex(&made) }))
}

fn word_of(text: &str) -> Option<u32> {
    match text.contains('.') {
        true => Some(text.parse::<f32>().ok()?.to_bits()),
        false => text.parse().ok(),
    }
}

fn hex(words: &[u32]) -> String {
    words.iter().fold(String::new(), |mut all, word| {
        let _ = write!(all, "{word:08x}");
        all
    })
}

/// Vertices or fragments with what they are given, by what they read.
fn graphics(name: &str, stage: &str, source: &str) -> Result<Json, String> {
    let module = Shader::of_text(format!("{name}.{stage}"), source.to_owned())?.module;
    let mut buffers = Vec::new();
    for global in module.globals.iter().filter(|g| matches!(g.space, Space::Uniform | Space::Storage)) {
        let binding = global.binding.binding.unwrap_or(0);
        let words = if global.space == Space::Storage { 4 } else { BLOCK };
        let chosen = CHOSEN.iter().filter(|row| row.0 == name && row.1 + BLOCKS == binding);
        let chosen: String = chosen.map(|(.., at, word)| format!("@{at}={word}")).collect();
        let init = if global.space == Space::Storage { "c:0" } else { "f" };
        buffers.push(buffer(&format!("{binding}:{words}:{init}{chosen}"))?);
    }
    let inputs = module.globals.iter().filter(|g| g.space == Space::Input);
    let inputs: Vec<(u32, usize, bool)> = inputs
        .filter_map(|g| {
            let count = usize::from(module.types.components(g.ty));
            Some((g.binding.location?, count, module.types.is_float(g.ty)))
        })
        .collect();
    let mut row = json!({ "name": name, "stage": stage, "source": source, "buffers": buffers });
    if stage == "frag" && has_samples(&module) {
        row["samples"] = SAMPLES.into();
    }
    for (location, count, is_float) in inputs {
        let place = location.to_string();
        match stage {
            "vert" => row["attributes"][place] = hex(&attribute(location, is_float)).into(),
            _ => row["planes"][place] = (0..count).map(|n| plane(location, n)).collect::<Vec<_>>().into(),
        }
    }
    Ok(row)
}

/// Numbers of an attribute: floats from -1 to 1, small integers.
fn attribute(location: u32, is_float: bool) -> Vec<u32> {
    let (init, param) = if is_float { ("f", 0) } else { ("u", 16) };
    let row = json!({ "binding": location, "words": 4 * VERTICES, "init": init, "param": param });
    crate::compute::buffer(&row).map(|buffer| buffer.words).unwrap_or_default()
}

/// A plane of numbers so small that sums are exact, positive for the first components.
fn plane(location: u32, component: usize) -> Json {
    let n = (4 * location) as usize + component;
    let parts = [(n + 1) as f32 / 64.0, (5.0 - (n % 8) as f32) / 32.0, (n % 5 + 1) as f32 / 8.0];
    parts.map(f64::from).to_vec().into()
}

fn resources(golden: &Golden, module: &Module, images: &[Given]) -> Vec<(u32, Resource)> {
    let kind = |binding: u32| if binding >= BLOCKS { Kind::Uniform } else { Kind::Storage };
    let buffers = golden.buffers.iter();
    let buffers = buffers.map(|b| (b.binding, Resource::Buffer(kind(b.binding), b.words.clone())));
    let textures = textures(module).into_iter().map(|(global, unit, ty)| {
        let binding = module.global(global).binding.binding.unwrap_or(TEXTURES);
        (
            binding,
            Resource::Texture {
                texture: texture(unit, &ty).0,
                shape: shape(&ty),
                compares: ty.depth,
                sampler: Sampler::default(),
            },
        )
    });
    let images: Vec<_> = images.iter().map(|given| (given.binding, image(given))).collect();
    let textures = textures.filter(|(binding, _)| !images.iter().any(|(other, _)| other == binding));
    buffers.chain(textures.collect::<Vec<_>>()).chain(images).collect()
}

fn image(given: &Given) -> Resource {
    let words = given.words.clone();
    match given.ty {
        ImageType { multisampled: true, .. } => Resource::Drawn,
        ImageType { dim: Dim::Buffer, storage, .. } => Resource::Row(storage, words),
        ImageType { arrayed, format, .. } => Resource::Image(format_of(format), given.size, arrayed, words),
    }
}

/// A format by SPIR-V's number.
fn format_of(number: u8) -> vk::Format {
    match number {
        2 => vk::Format::R16G16B16A16_SFLOAT,
        4 => vk::Format::R8G8B8A8_UNORM,
        24 => vk::Format::R32_SINT,
        33 => vk::Format::R32_UINT,
        _ => vk::Format::R32G32B32A32_SFLOAT,
    }
}

fn shape(ty: &ImageType) -> vk::ImageViewType {
    match (ty.dim, ty.arrayed) {
        (Dim::D1, false) => vk::ImageViewType::TYPE_1D,
        (Dim::D1, true) => vk::ImageViewType::TYPE_1D_ARRAY,
        (Dim::D3, _) => vk::ImageViewType::TYPE_3D,
        (Dim::Cube, false) => vk::ImageViewType::CUBE,
        (Dim::Cube, true) => vk::ImageViewType::CUBE_ARRAY,
        (_, true) => vk::ImageViewType::TYPE_2D_ARRAY,
        (_, false) => vk::ImageViewType::TYPE_2D,
    }
}

/// Buffers that are not as they were.
fn changed(golden: &Golden, left: &Left) -> Json {
    let mut out = json!({});
    for (before, after) in golden.buffers.iter().zip(&left.buffers) {
        if before.words != *after {
            out[format!("buffer {}", before.binding)] = hex(after).into();
        }
    }
    out
}

fn dispatch(
    device: &Device,
    golden: &Golden,
    words: &[u32],
    (resources, images): (Vec<(u32, Resource)>, &[Given]),
) -> Result<Json, String> {
    let stages = vec![Stage { stage: vk::ShaderStageFlags::COMPUTE, words }];
    let one_by_one = golden.source.contains("local_size_x=1,");
    let scene = Scene { groups: golden.groups, one_by_one, ..Scene::of(stages, resources) };
    let left = match images.iter().find(|given| given.ty.multisampled) {
        Some(given) => run_behind_filled(device, given, &scene)?,
        None => run(device, &scene)?,
    };
    let mut out = changed(golden, &left);
    for ((binding, resource), after) in scene.resources.iter().zip(&left.buffers).skip(golden.buffers.len()) {
        if resource.words() != after.as_slice() {
            out[format!("image {binding}")] = hex(after).into();
        }
    }
    if out.as_object().is_none_or(serde_json::Map::is_empty) {
        Err("it changes nothing".to_owned())
    } else {
        Ok(out)
    }
}

/// A triangle over all pixels.
const ALL: &str = "#version 450\nvoid main() { gl_Position = vec4(vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), \
     vec2(-1.0, 3.0))[gl_VertexIndex], 0.5, 1.0); }\n";

/// Draws an image of several samples, each a texel of a buffer, and runs what reads it.
fn run_behind_filled(device: &Device, given: &Given, kernel: &Scene<'_>) -> Result<Left, String> {
    let [width, height, _] = given.size;
    let text = format!(
        "#version 450\nlayout(std430, binding = 0) readonly buffer A {{ vec4 texels[]; }};\n\
         layout(location = 0) out vec4 o;\nvoid main() {{ ivec2 p = ivec2(gl_FragCoord.xy); \
         o = texels[(gl_SampleID * {height} + p.y) * {width} + p.x]; }}\n"
    );
    let vertex = Shader::of_text("all.vert".to_owned(), ALL.to_owned())?.vulkan()?;
    let fragment = Shader::of_text("fill.frag".to_owned(), text)?.vulkan()?;
    let stages = vec![
        Stage { stage: vk::ShaderStageFlags::VERTEX, words: &vertex },
        Stage { stage: vk::ShaderStageFlags::FRAGMENT, words: &fragment },
    ];
    let resources = vec![(0, Resource::Buffer(Kind::Storage, given.words.clone()))];
    let size = [width, height];
    let drawn =
        Scene { vertices: 3, size, targets: vec![false], samples: SAMPLES, ..Scene::of(stages, resources) };
    run_behind(device, &drawn, kernel)
}

/// Draws into a target of several samples, and reads each of them.
fn samples(device: &Device, drawn: &Scene<'_>) -> Result<Vec<u32>, String> {
    let [width, height] = drawn.size;
    let text = format!(
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) uniform sampler2DMS s;\n\
         layout(std430, binding = 1) buffer B {{ uvec4 words[]; }};\nvoid main() {{ ivec2 p = ivec2(gl_WorkGroupID.xy); \
         for (int k = 0; k < {SAMPLES}; k++) \
         words[(p.y * {width} + p.x) * {SAMPLES} + k] = floatBitsToUint(texelFetch(s, p, k)); }}\n"
    );
    let words = Shader::of_text("read.comp".to_owned(), text)?.vulkan()?;
    let stages = vec![Stage { stage: vk::ShaderStageFlags::COMPUTE, words: &words }];
    let room = vec![0; 4 * (SAMPLES * width * height) as usize];
    let resources = vec![(0, Resource::Drawn), (1, Resource::Buffer(Kind::Storage, room))];
    let kernel = Scene { groups: [width, height, 1], ..Scene::of(stages, resources) };
    let left = run_behind(device, drawn, &kernel)?;
    left.buffers.into_iter().nth(1).ok_or_else(|| "nothing was read".to_owned())
}

/// What vertices leave, as a geometry shader sees it.
fn vertices(
    device: &Device,
    golden: &Golden,
    module: &Module,
    (words, mut resources): (&[u32], Vec<(u32, Resource)>),
) -> Result<Json, String> {
    let captured = captured(module, &golden.source);
    let each: usize = captured.iter().map(|one| one.count).sum();
    let text = capture(&captured, each);
    let geometry = Shader::of_text("capture.geom".to_owned(), text)?.vulkan()?;
    resources.push((CAPTURE, Resource::Buffer(Kind::Storage, vec![0; each * VERTICES])));
    let last = resources.len() - 1;
    let stages = vec![
        Stage { stage: vk::ShaderStageFlags::VERTEX, words },
        Stage { stage: vk::ShaderStageFlags::GEOMETRY, words: &geometry },
    ];
    let attributes = golden.attributes.iter().map(|(location, rows)| {
        let is_integer = module.globals.iter().any(|g| {
            g.space == Space::Input && g.binding.location == Some(*location) && !module.types.is_float(g.ty)
        });
        (*location, is_integer, rows.clone())
    });
    let attributes = attributes.collect();
    let left = run(device, &Scene { attributes, vertices: VERTICES as u32, ..Scene::of(stages, resources) })?;
    let mut out = json!({});
    let mut first = 0;
    for one in captured {
        let rows = left.buffers[last].chunks(each).flat_map(|row| row[first..first + one.count].to_vec());
        out[one.name] = hex(&rows.collect::<Vec<_>>()).into();
        first += one.count;
    }
    Ok(out)
}

/// Something that a vertex leaves: what it is called in rows and in GLSL, and its words.
struct Captured {
    name: String,
    /// Declaration, if it needs one.
    declared: String,
    /// Its words, as unsigned integers.
    words: Vec<String>,
    count: usize,
}

fn captured(module: &Module, source: &str) -> Vec<Captured> {
    let float = |text: String| format!("floatBitsToUint({text})");
    let built_in = |number: u32, words: Vec<String>| Captured {
        name: format!("builtin {number}"),
        declared: String::new(),
        count: words.len(),
        words: words.into_iter().map(float).collect(),
    };
    let mut all = vec![built_in(0, "xyzw".chars().map(|c| format!("gl_in[0].gl_Position.{c}")).collect())];
    if source.contains("gl_PointSize") {
        all.push(built_in(1, vec!["gl_in[0].gl_PointSize".to_owned()]));
    }
    if source.contains("gl_ClipDistance") {
        all.push(built_in(3, (0..2).map(|n| format!("gl_in[0].gl_ClipDistance[{n}]")).collect()));
    }
    for global in module.globals.iter().filter(|g| g.space == Space::Output) {
        let Some(location) = global.binding.location else { continue };
        let count = usize::from(module.types.components(global.ty));
        let ty = if count == 1 { "float".to_owned() } else { format!("vec{count}") };
        let part =
            |c: char| if count == 1 { format!("v{location}[0]") } else { format!("v{location}[0].{c}") };
        all.push(Captured {
            name: format!("location {location}"),
            declared: format!("layout(location={location}) in {ty} v{location}[];\n"),
            words: "xyzw".chars().take(count).map(|c| float(part(c))).collect(),
            count,
        });
    }
    all
}

fn capture(all: &[Captured], each: usize) -> String {
    let declared: String = all.iter().map(|one| one.declared.as_str()).collect();
    let words = all.iter().flat_map(|one| &one.words).enumerate();
    let stores = words.map(|(n, word)| format!("    words[at + {n}u] = {word};\n")).collect::<String>();
    format!(
        "#version 450\nlayout(points) in;\nlayout(points, max_vertices = 1) out;\n{declared}\
         layout(std430, binding = {CAPTURE}) buffer Capture {{ uint words[]; }};\n\
         void main() {{\n    uint at = uint(gl_PrimitiveIDIn) * {each}u;\n{stores}}}\n"
    )
}

/// What fragments leave in targets and buffers.
fn fragments(
    device: &Device,
    golden: &Golden,
    module: &Module,
    (words, resources): (&[u32], Vec<(u32, Resource)>),
) -> Result<Json, String> {
    let vertex = Shader::of_text("planes.vert".to_owned(), planes(golden, module))?.vulkan()?;
    let stages = vec![
        Stage { stage: vk::ShaderStageFlags::VERTEX, words: &vertex },
        Stage { stage: vk::ShaderStageFlags::FRAGMENT, words },
    ];
    let outputs = module.globals.iter().filter(|g| g.space == Space::Output);
    let mut targets: Vec<(u32, bool)> =
        outputs.filter_map(|g| Some((g.binding.location?, !module.types.is_float(g.ty)))).collect();
    targets.sort_unstable();
    let size = PIXELS.map(|n| n as u32);
    let integers = targets.iter().map(|(_, is_integer)| *is_integer).collect();
    let drawn = Scene { vertices: 3, size, targets: integers, ..Scene::of(stages, resources) };
    if golden.samples > 1 {
        let drawn = Scene { samples: golden.samples as u32, ..drawn };
        return Ok(json!({ "location 0": hex(&samples(device, &drawn)?) }));
    }
    let left = run(device, &drawn)?;
    let mut out = changed(golden, &left);
    for ((location, _), pixels) in targets.iter().zip(&left.targets) {
        out[format!("location {location}")] = hex(&pixels.concat()).into();
    }
    Ok(out)
}

/// A vertex shader whose triangle covers all pixels, with the planes of varyings.
fn planes(golden: &Golden, module: &Module) -> String {
    let [width, height] = PIXELS.map(|n| n as f32);
    // The corners of the triangle, in pixels.
    let corners = [[0.0, 0.0], [2.0 * width, 0.0], [0.0, 2.0 * height]];
    let at = |plane: &[f32; 3], [x, y]: [f32; 2]| plane[0] * x + plane[1] * y + plane[2];
    let (mut declared, mut given) = (String::new(), String::new());
    for (location, planes) in &golden.planes {
        let input =
            module.globals.iter().find(|g| g.space == Space::Input && g.binding.location == Some(*location));
        let count = input.map_or(planes.len(), |g| usize::from(module.types.components(g.ty)));
        let ty = if count == 1 { "float".to_owned() } else { format!("vec{count}") };
        let corner = |corner: [f32; 2]| {
            let numbers: Vec<String> =
                planes.iter().map(|plane| format!("{:?}", at(plane, corner))).collect();
            format!("{ty}({})", numbers.join(", "))
        };
        let _ = writeln!(declared, "layout(location={location}) out {ty} v{location};");
        let _ =
            writeln!(given, "    v{location} = {ty}[]({})[gl_VertexIndex];", corners.map(corner).join(", "));
    }
    let depths = corners.map(|corner| format!("{:?}", at(&DEPTH, corner))).join(", ");
    format!(
        "#version 450\n{declared}void main() {{\n    float z = float[]({depths})[gl_VertexIndex];\n    \
         gl_Position = vec4(vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0))[gl_VertexIndex], z, 1.0);\n{given}}}\n"
    )
}
