//! Hit objects: what a ray has hit, which shading may wait for.

use chiaro_words::write::Id;
use spirv::Op;

use crate::hir::ExprId;
use crate::intrinsic::Companion;
use crate::ty::{HitObject, Opaque, Type};

use super::emitter::Emitter;
use super::needs;

impl Emitter<'_> {
    /// The type of hit objects.
    pub(super) fn hit_object_ty(&mut self, which: HitObject) -> Id {
        let (need, op) = match which {
            HitObject::Ext => (needs::REORDER, Op::TypeHitObjectEXT),
            HitObject::Nv => (needs::REORDER_NV, Op::TypeHitObjectNV),
        };
        self.need(need);
        self.out.ty(op, &[])
    }

    /// A function of a hit object; the first argument is its place. A ray query among the others
    /// is a place too, and so is what goes with the object.
    pub(super) fn hit_object(&mut self, op: Op, companion: Companion, args: &[ExprId], ty: &Type) -> Id {
        self.need(needs::of_instruction(op));
        let with = companion.place(args.len());
        let mut operands = Vec::with_capacity(args.len());
        for (n, &arg) in args.iter().enumerate() {
            let handle = self.what(self.program.exprs[arg.0 as usize].ty);
            operands.push(match handle {
                _ if with == Some(n) => self.place(arg).base,
                Type::Opaque(Opaque::HitObject(_) | Opaque::RayQuery) => {
                    let place = self.place(arg);
                    self.pointer(&place)
                }
                _ => self.value(arg),
            });
        }
        if companion == Companion::PayloadAfterHint {
            let hint = operands.len().saturating_sub(3);
            operands[hint..].rotate_right(1);
        }
        if *ty == Type::Void {
            self.effect(op, &operands);
            return 0;
        }
        let ty = self.plain_ty(ty);
        self.op(op, ty, &operands)
    }
}
