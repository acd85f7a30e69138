//! glslang's own tests: rejected is what its expected output has an error for.

use std::io;
use std::path::Path;

use super::{Case, file_name, files, read};
use crate::glsl::source::{Source, stage_of};
use chiaro_glsl::source::Client;

pub(super) fn cases(folder: &Path) -> io::Result<Vec<Case>> {
    let all = files(folder)?;
    let mut cases = Vec::new();
    for path in &all {
        let name = file_name(path);
        let Some(stage) = stage_of(&name).filter(|_| !name.starts_with("hlsl.")) else { continue };
        let Some(folder) = path.parent() else { continue };
        let expected = folder.join("baseResults").join(format!("{name}.out"));
        let Ok(expected) = read(&expected) else { continue };
        let Some(accept) = accepts(&name, &expected) else { continue };
        let text = read(path)?;
        if is_hlsl(&text) {
            continue;
        }
        let mut source = Source::new(name.clone(), stage, text);
        source.folder = Some(folder.to_owned());
        source.client = client_of(&name);
        source.whole = is_linked(&name);
        // [glslang, Test/runtests]
        if name == "include.system.vert" {
            source.folders.push(folder.join("inc2"));
        }
        // Tests for Vulkan are known by their names.
        if name.starts_with("spv.") || name.contains("vk.") || name.contains("vulkan") {
            source.defines.push(("VULKAN".to_owned(), "100".to_owned()));
        }
        cases.push(Case { source, accept });
    }
    Ok(cases)
}

/// Tests of what Vulkan refuses in SPIR-V as it is. Most others for Vulkan have places numbered by
/// an option. [glslang, gtests/Spv.FromFile.cpp: `CompileVulkanToSpirvTest`; Test/runtests: `-V`]
const FOR_VULKAN: [&str; 6] = [
    "spv.noLocation.vert",
    "spv.atomicCounter.comp",
    "spv.intrinsicsFakeEnable.vert",
    // Broadcasts from anywhere came with SPIR-V 1.5.
    "spv.subgroupBallotNeg.comp",
    "glsl.450.subgroupBallotNeg.comp",
    "glsl.es320.subgroupBallotNeg.comp",
];

/// The client that a test asks for by its options: OpenGL's SPIR-V, or a version of Vulkan.
/// [glslang, gtests/Spv.FromFile.cpp: `OpenGLSemantics`; Test/runtests: `-G`]
fn client_of(name: &str) -> Client {
    if name.starts_with("glspv.") || name == "spv.looseUniformNoLoc.vert" {
        Client::OpenGl
    } else if name.starts_with("spv.vulkan100.") || FOR_VULKAN.contains(&name) {
        Client::Vulkan { minor: 0 }
    } else {
        Client::Any
    }
}

/// Whether a test links its source, so that nothing may be missing in it.
/// [glslang, gtests/Link.FromFile.cpp]
fn is_linked(name: &str) -> bool {
    name == "missingBodies.vert"
}

/// Whether a text is HLSL, which some tests are in without saying so in their names: it has no
/// version, and words that GLSL does not have.
fn is_hlsl(text: &str) -> bool {
    const WORDS: [&str; 6] = ["SamplerState", "cbuffer ", "Texture2D", "RWTexture", "SV_", "SubpassInput"];
    !text.contains("#version") && WORDS.iter().any(|word| text.contains(word))
}

/// Whether an expected output says that its source was taken; `None` for outputs that are
/// about several sources, about preprocessing alone or about
/// options of the command.
fn accepts(name: &str, expected: &str) -> Option<bool> {
    let stages = ["vert", "frag", "comp", "geom", "tesc", "tese"];
    let names =
        |line: &str| stages.iter().any(|end| line.ends_with(&format!(".{end}")) && !line.contains(' '));
    if name.starts_with("preprocess") || name.starts_with("glsl.-") || expected.lines().skip(1).any(names) {
        return None;
    }
    // A source may lack `main` if nobody links it.
    let counts = |line: &&str| line.starts_with("ERROR:") && !line.contains("Missing entry point");
    Some(!expected.lines().any(|line| counts(&line)))
}
