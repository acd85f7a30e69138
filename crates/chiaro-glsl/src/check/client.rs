//! Rules of whoever takes the words as they are: OpenGL and Vulkan, which know places by their
//! numbers alone, and old versions of SPIR-V. [GL_ARB_gl_spirv, GL_KHR_vulkan_glsl]

use spirv::{BuiltIn, Op};

use super::checker::Checker;
use super::state::Qualifiers;
use crate::builtin::functions::Row;
use crate::builtin::variable::Variable;
use crate::hir::{self, Builtin};
use crate::intrinsic::Intrinsic;
use crate::qualifier::Storage;
use crate::source::{Client, Profile};
use crate::token::At;
use crate::ty::{Access, Dim, Opaque, Type};

/// The minor version of SPIR-V that has the operations of subgroups.
const SUBGROUPS: u8 = 3;

impl Checker<'_> {
    /// Which versions of the language OpenGL takes as SPIR-V.
    pub(super) fn check_client_version(&mut self, at: Option<chiaro_diag::Span>) {
        if self.client != Client::OpenGl {
            return;
        }
        let message = if self.version.profile == Profile::Compatibility {
            "OpenGL takes no SPIR-V of the compatibility profile"
        } else if !self.at_least(310, 330) {
            "OpenGL takes SPIR-V of `#version 330`, `#version 310 es` or later"
        } else {
            return;
        };
        self.failed = true;
        self.out.push(chiaro_diag::Diagnostic::error(at, message));
    }

    /// What OpenGL has to be reported of a block.
    pub(super) fn check_client_block(&mut self, all: &Qualifiers, storage: Storage, at: At) {
        if self.client != Client::OpenGl {
            return;
        }
        if let Some(word) = ["shared", "packed"].into_iter().find(|word| all.numbers.has(word)) {
            self.error(at, format!("a `{word}` block is laid out by the driver, which SPIR-V cannot say"))
                .help
                .push("use `std140` or `std430`".into());
        }
        if all.numbers.push_constant {
            self.error(at, "`push_constant` is Vulkan's");
        } else if matches!(storage, Storage::Uniform | Storage::Buffer) && all.layout.binding.is_none() {
            self.error(at, "a block needs its binding in SPIR-V for OpenGL")
                .help
                .push("write `layout(binding = 0)`".into());
        }
    }

    /// What OpenGL has to be reported of variables, and what only Vulkan has.
    pub(super) fn check_client_globals(&mut self) {
        if self.client == Client::Any {
            return;
        }
        for n in 0..self.globals.len() {
            let global = &self.globals[n];
            let Some(at) = global.at.filter(|_| global.builtin.is_none()) else { continue };
            if self.client != Client::OpenGl {
                self.check_vulkan_global(n, at);
            } else if global.layout.set.is_some() {
                self.error(at, "sets are Vulkan's").help.push("`binding` alone tells a place".into());
            } else if global.storage == Storage::Uniform && global.block.is_none() {
                self.check_client_uniform(n, at);
            }
        }
    }

    /// What Vulkan has to be reported of a variable, and what it does not have.
    fn check_vulkan_global(&mut self, global: usize, at: At) {
        let global = &self.globals[global];
        let members = global.block.as_ref().map_or(&[][..], |block| &block.members);
        let builtins = global.block.as_ref().is_some_and(|block| block.builtins.iter().any(Option::is_some));
        let report = global.layout.location.is_some()
            || !members.is_empty() && members.iter().all(|member| member.location.is_some());
        if matches!(global.storage, Storage::In | Storage::Out) && !report && !builtins {
            self.error(at, "an input or output needs its location in SPIR-V")
                .help
                .push("write `layout(location = 0)`".into());
        } else if *self.ty(self.innermost(global.ty)) == Type::Opaque(Opaque::AtomicCounter) {
            self.error(at, "Vulkan has no atomic counters").help.push("use a number in a `buffer`".into());
        }
    }

    fn check_client_uniform(&mut self, global: usize, at: At) {
        let hir::Global { ty, ref layout, .. } = self.globals[global];
        let (location, binding) = (layout.location, layout.binding);
        match *self.ty(self.innermost(ty)) {
            Type::Opaque(Opaque::AtomicCounter) if binding.is_none() => {
                self.error(at, "an atomic counter needs its binding in SPIR-V for OpenGL");
            }
            Type::Opaque(
                Opaque::Sampler { .. }
                | Opaque::Texture { access: Access::Texture, .. }
                | Opaque::Texture { dim: Dim::Subpass, .. },
            ) => {
                let name = self.name_of(ty);
                self.error(at, format!("`{name}` is Vulkan's"))
                    .help
                    .push("use `sampler2D` and its like".into());
            }
            Type::Opaque(_) => {}
            _ if location.is_none() => {
                self.error(at, "a uniform needs its location in SPIR-V for OpenGL")
                    .help
                    .push("write `layout(location = 0)`, or put it into a block".into());
            }
            _ => {}
        }
    }

    /// Functions that a client does not have.
    pub(super) fn check_client_function(&mut self, row: &'static Row, at: At) {
        let grouped = |op: Op| {
            (Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32).contains(&(op as u32))
        };
        match (self.client, row.what) {
            (Client::OpenGl, Intrinsic::Noise) => {
                self.error(at, format!("SPIR-V for OpenGL has no `{}`", row.name));
            }
            (Client::Vulkan { minor }, Intrinsic::Subgroup(op, _))
                if minor < SUBGROUPS && (grouped(op) || op == Op::GroupNonUniformPartitionEXT) =>
            {
                self.error(
                    at,
                    format!("`{}` needs SPIR-V 1.{SUBGROUPS}, version 1.{minor} is asked for", row.name),
                );
            }
            _ => {}
        }
    }

    /// Variables that a client does not have.
    pub(super) fn check_client_variable(&mut self, row: &'static Variable, at: At) {
        let vulkan = matches!(row.builtin, Builtin::Known(BuiltIn::VertexIndex | BuiltIn::InstanceIndex));
        if self.client == Client::OpenGl && vulkan {
            let other = if row.name == "gl_VertexIndex" { "gl_VertexID" } else { "gl_InstanceID" };
            self.error(at, format!("`{}` is Vulkan's", row.name)).help.push(format!("use `{other}`"));
        }
    }
}
