//! What stands before the functions, in Vulkan's words.

use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op};

use chiaro_diag::Diagnostic;

use crate::instruction::{Instruction, instructions};

use super::{Pass, broken};

impl Pass<'_> {
    /// Everything before the functions, without what is about loose variables.
    pub(super) fn copy_head(&mut self) -> Result<(), Box<Diagnostic>> {
        for (i, inst) in instructions(&self.module.words).enumerate() {
            let inst = inst.map_err(broken)?;
            if inst.op == Op::Function {
                break;
            }
            self.out.at(self.module.spans.get(i).copied().flatten());
            match inst.op {
                Op::Capability if is_of_opengl(inst.word(0)) => {
                    return Err(self.error("Vulkan has no rectangle textures (`sampler2DRect`)"));
                }
                Op::EntryPoint => self.entry_point(&inst),
                Op::ExecutionMode => self.execution_mode(&inst),
                Op::Decorate => self.decorate(&inst),
                Op::MemberDecorate if inst.word(2) == Decoration::BuiltIn as u32 => {
                    let mut operands = inst.operands.to_vec();
                    operands[3.min(inst.operands.len())..]
                        .iter_mut()
                        .for_each(|word| self.modern_builtin(word));
                    self.out.copy(inst.op, &operands);
                }
                Op::Name | Op::DecorateId | Op::DecorateString if self.is_gone(inst.word(0)) => {}
                Op::MemberName | Op::MemberDecorate if self.is_gone(inst.word(0)) => {}
                op if op.is_type() && self.is_gone(inst.word(0)) => {}
                Op::Variable if self.is_gone(inst.word(1)) => {}
                _ => self.out.copy(inst.op, inst.operands),
            }
        }
        self.out.at(None);
        Ok(())
    }

    /// From version 1.4 on, entry points list all variables, the loose ones among them.
    fn entry_point(&mut self, inst: &Instruction<'_>) {
        self.is_vertex |= inst.word(0) == ExecutionModel::Vertex as u32;
        let name = crate::write::encode(&inst.text(2)).len();
        let (head, variables) = inst.operands.split_at((2 + name).min(inst.operands.len()));
        let mut operands = head.to_vec();
        operands.extend(variables.iter().filter(|&&v| !self.is_gone(v)));
        if variables.iter().any(|&v| self.is_gone(v)) {
            operands.extend(self.block);
            operands.extend(self.splits.iter().map(|s| s.id));
        }
        self.out.copy(inst.op, &operands);
    }

    fn execution_mode(&mut self, inst: &Instruction<'_>) {
        let mut operands = inst.operands.to_vec();
        if inst.word(1) == ExecutionMode::OriginLowerLeft as u32 {
            operands[1] = ExecutionMode::OriginUpperLeft as u32;
        }
        self.out.copy(inst.op, &operands);
    }

    fn decorate(&mut self, inst: &Instruction<'_>) {
        let (id, decoration) = (inst.word(0), Decoration::from_u32(inst.word(1)));
        let is_replaced = match decoration {
            Some(Decoration::Binding | Decoration::DescriptorSet) => self.sets.contains_key(&id),
            // Only OpenGL has locations of uniforms; the interface keeps them.
            Some(Decoration::Location) => self.samplers.contains(&id),
            _ => false,
        };
        if is_replaced || self.is_gone(id) {
            return;
        }
        let mut operands = inst.operands.to_vec();
        if decoration == Some(Decoration::BuiltIn) {
            operands[2..].iter_mut().for_each(|word| self.modern_builtin(word));
        }
        self.out.copy(inst.op, &operands);
    }

    /// OpenGL's numbers of vertices and instances are Vulkan's under other names; the instances
    /// that rays hit are others.
    fn modern_builtin(&self, word: &mut u32) {
        *word = match BuiltIn::from_u32(*word) {
            Some(BuiltIn::VertexId) => BuiltIn::VertexIndex as u32,
            Some(BuiltIn::InstanceId) if self.is_vertex => BuiltIn::InstanceIndex as u32,
            _ => *word,
        };
    }
}

/// Whether a capability is one that Vulkan does not have and OpenGL has.
fn is_of_opengl(capability: u32) -> bool {
    [Capability::SampledRect as u32, Capability::ImageRect as u32].contains(&capability)
}
