//! Inputs and outputs with an element for each vertex or primitive: their sizes, and who may
//! write which element.

use super::checker::Checker;
use crate::arrayed;
use crate::hir::{self, Builtin, ExprId, ExprKind};
use crate::qualifier::{Layout, Storage};
use crate::source::Stage;
use crate::token::At;
use crate::ty::{Length, Ty, Type};
use spirv::BuiltIn;

impl Checker<'_> {
    /// Elements of such an array, once the source has said how many.
    pub(super) fn arrayed_elements(&self, storage: Storage, layout: &Layout) -> Option<u32> {
        let unknown = self.stage == Stage::Geometry && !self.declared_primitives[0];
        arrayed::elements(self.stage, storage, layout, &self.modes).filter(|_| !unknown)
    }

    /// The type of a variable whose size the primitive gives.
    pub(super) fn sized_by_primitive(&mut self, ty: Ty, storage: Storage, layout: &Layout) -> Ty {
        let Type::Array(element, Length::Unsized) = *self.ty(ty) else { return ty };
        match self.arrayed_elements(storage, layout) {
            Some(n) if arrayed::is_arrayed(self.stage, storage, layout) => {
                self.types.intern(Type::Array(element, Length::Known(n)))
            }
            _ => ty,
        }
    }

    /// What comes by vertex is an array of as many elements as there are vertices.
    pub(super) fn check_arrayed(&mut self) {
        let mut faults: Vec<(At, String)> = Vec::new();
        for global in &self.globals {
            // What passes through stands as the vertices have it. [GL_NV_geometry_shader_passthrough]
            let concerns = !self.modes.passthrough;
            let Some(at) = global.at.filter(|_| concerns && self.is_arrayed(global)) else { continue };
            let expected = self.arrayed_elements(global.storage, &global.layout);
            match (*self.types.get(global.ty), expected) {
                (Type::Array(_, Length::Known(n)), Some(expected)) if n != expected && !self.may_differ() => {
                    faults.push((at, format!("there are {expected} vertices or primitives, not {n}")));
                }
                (Type::Array(..), _) => {}
                _ => {
                    let stage = self.stage.name();
                    faults.push((at, format!("a {stage} shader has this by vertex: it must be an array")));
                }
            }
        }
        for (at, message) in faults {
            self.error(at, message).help.push("write `[]` behind the name".into());
        }
    }

    /// Whether a variable has an element for each vertex or primitive.
    pub(super) fn is_arrayed(&self, global: &hir::Global) -> bool {
        let single = matches!(global.builtin, Some(Builtin::Known(_)));
        !single && arrayed::is_arrayed(self.stage, global.storage, &global.layout)
    }

    /// Sizes of a mesh may be smaller than what it makes at most.
    fn may_differ(&self) -> bool {
        self.stage == Stage::Mesh
    }

    /// Whether a place is an output of another vertex, which an invocation of a tessellation
    /// control shader may read and not write. [GLSL 4.60, 4.3.6]
    pub(super) fn is_of_other_vertex(&self, mut place: ExprId) -> bool {
        if self.stage != Stage::TessControl {
            return false;
        }
        let mut index = None;
        loop {
            match &self.at(place).kind {
                ExprKind::Index(base, by) => (place, index) = (*base, Some(*by)),
                ExprKind::Swizzle(base, _) | ExprKind::Member(base, _) => place = *base,
                ExprKind::Global(id) => {
                    let global = self.global(*id);
                    let by_vertex = global.storage == Storage::Out && self.is_arrayed(global);
                    return by_vertex && !index.is_some_and(|index| self.is_own_number(index));
                }
                _ => return false,
            }
        }
    }

    /// Whether an index is `gl_InvocationID`.
    fn is_own_number(&self, mut index: ExprId) -> bool {
        while let ExprKind::Convert(of) = self.at(index).kind {
            index = of;
        }
        match self.at(index).kind {
            ExprKind::Global(id) => self.global(id).builtin == Some(Builtin::Known(BuiltIn::InvocationId)),
            _ => false,
        }
    }

    /// Members of the language's own blocks that nothing names, from the last on, are not there:
    /// an output that is never written would have no value.
    pub(super) fn trim_blocks(&mut self) {
        for n in 0..self.globals.len() {
            let global = &self.globals[n];
            let own = global.at.is_none() && !global.layout.per_task;
            let Some(block) = global.block.as_ref().filter(|_| own) else { continue };
            let used = arrayed::named_members(&self.exprs, hir::GlobalId(n as u32))
                .max()
                .map_or(1, |largest| largest as usize + 1);
            if used >= block.members.len() {
                continue;
            }
            let mut ty = global.ty;
            while let Type::Array(element, _) = *self.types.get(ty) {
                ty = element;
            }
            if let Type::Struct(id) = *self.types.get(ty) {
                self.types.structs[id.0 as usize].members.truncate(used);
            }
            if let Some(block) = &mut self.globals[n].block {
                block.members.truncate(used);
                block.builtins.truncate(used);
            }
        }
    }
}
