//! The OpenGL flavour as OpenGL takes it: SPIR-V 1.0, where storage buffers are blocks of the
//! uniform class. [GL_ARB_gl_spirv; SPIR-V 1.0, 3.20]

use std::collections::HashSet;

use chiaro_diag::Diagnostic;
use spirv::{Capability, Decoration, Op, StorageClass};

use crate::instruction::{HEADER, Instruction, Malformed, instructions};
use crate::module::Module;
use crate::write::{Builder, Id};

/// The version that OpenGL takes.
const VERSION: u32 = 0x0001_0000;
/// The first version that is refused: its modules are not those of 1.0 with other names.
const NEWER: u32 = 0x0001_0400;

/// An extension that only names what is renamed here.
const STORAGE_BUFFERS: &str = "SPV_KHR_storage_buffer_storage_class";

/// The module as OpenGL takes it.
///
/// # Errors
/// Words that cannot be read, and what no SPIR-V 1.0 has: rays, meshes, subgroups.
pub fn openglize(module: &Module) -> Result<Module, Box<Diagnostic>> {
    let version = module.words.get(1).copied().unwrap_or(0);
    if version >= NEWER {
        let what = format!("OpenGL takes SPIR-V 1.0, and this needs 1.{}", version >> 8 & 0xff);
        return Err(Box::new(Diagnostic::error(None, what).note("rays, meshes and their like are Vulkan's")));
    }
    let blocks = storage_blocks(&module.words)?;
    let bound = module.words.get(HEADER - 2).copied().unwrap_or(1);
    let mut out = Builder::resume(VERSION, bound);
    for (i, inst) in instructions(&module.words).enumerate() {
        let inst = inst.map_err(broken)?;
        out.at(module.spans.get(i).copied().flatten());
        let mut operands = inst.operands.to_vec();
        match inst.op {
            Op::Capability if is_newer(inst.word(0)) => return Err(subgroups()),
            Op::Extension if inst.text(0) == STORAGE_BUFFERS => continue,
            Op::TypePointer => rename_class(&mut operands[1..2]),
            Op::Variable => rename_class(&mut operands[2..3]),
            Op::Decorate if is_storage_block(&inst, &blocks) => operands[1] = Decoration::BufferBlock as u32,
            _ => {}
        }
        out.copy(inst.op, &operands);
    }
    let too_long = |e: crate::write::TooLong| Box::new(Diagnostic::error(e.span, e.to_string()));
    let made = out.finish().map_err(too_long)?;
    Ok(Module { interface: module.interface.clone(), ..made })
}

fn broken(error: Malformed) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(None, format!("the words are no module: {error}")))
}

fn subgroups() -> Box<Diagnostic> {
    let error = Diagnostic::error(None, "OpenGL takes SPIR-V 1.0, which has no functions of subgroups");
    Box::new(error.help("compile for Vulkan, or use the votes of `GL_ARB_shader_group_vote` in GLSL text"))
}

/// Whether a capability came with a later version.
fn is_newer(capability: u32) -> bool {
    (Capability::GroupNonUniform as u32..=Capability::GroupNonUniformQuad as u32).contains(&capability)
}

fn rename_class(class: &mut [u32]) {
    for class in class.iter_mut().filter(|class| **class == StorageClass::StorageBuffer as u32) {
        *class = StorageClass::Uniform as u32;
    }
}

fn is_storage_block(inst: &Instruction<'_>, blocks: &HashSet<Id>) -> bool {
    inst.word(1) == Decoration::Block as u32 && blocks.contains(&inst.word(0))
}

/// Structures that storage buffers are of, through arrays.
fn storage_blocks(words: &[u32]) -> Result<HashSet<Id>, Box<Diagnostic>> {
    let (mut elements, mut blocks) = (std::collections::HashMap::new(), HashSet::new());
    for inst in instructions(words) {
        let inst = inst.map_err(broken)?;
        match inst.op {
            Op::TypeArray | Op::TypeRuntimeArray => drop(elements.insert(inst.word(0), inst.word(1))),
            Op::TypePointer if inst.word(1) == StorageClass::StorageBuffer as u32 => {
                let mut ty = inst.word(2);
                while let Some(&element) = elements.get(&ty) {
                    ty = element;
                }
                blocks.insert(ty);
            }
            Op::Function => break,
            _ => {}
        }
    }
    Ok(blocks)
}
