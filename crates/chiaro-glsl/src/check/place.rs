//! Places: what an assignment may write.

use super::checker::Checker;
use super::state::Parts;
use crate::hir::{ExprId, ExprKind};
use crate::qualifier::Storage;
use crate::ty::{Opaque, Type};

impl Checker<'_> {
    /// Reports an error if an expression cannot be written; `what` begins the message.
    pub(super) fn must_be_place(&mut self, id: ExprId, what: &str) -> bool {
        if self.is_error(id) {
            return false;
        }
        let other = self.is_of_other_vertex(id);
        let reason = match self.writable(id) {
            Ok(()) if other => Err("an invocation writes its own vertex alone, `[gl_InvocationID]`".into()),
            found => found,
        };
        let Err(reason) = reason else {
            if let Some(global) = self.root(id) {
                let at = self.at(id).at;
                self.facts[global.0 as usize].written.get_or_insert(at);
            }
            return true;
        };
        let at = self.at(id).at;
        self.error(at, format!("{what}: {reason}"));
        false
    }

    /// Whether an expression can be written; if not, why.
    fn writable(&self, mut id: ExprId) -> Result<(), String> {
        if self.has_opaque(self.ty_of(id)) {
            return Err("it is of opaque type".into());
        }
        loop {
            let expr = self.at(id);
            match &expr.kind {
                ExprKind::Swizzle(base, which) => {
                    let count = self.numeric(expr.ty).map_or(1, |shape| usize::from(shape.rows));
                    let which = &which[..count.min(4)];
                    if (1..which.len()).any(|n| which[..n].contains(&which[n])) {
                        return Err("a component is named twice".into());
                    }
                    id = *base;
                }
                ExprKind::Deref(address) => return self.writable_behind(*address),
                ExprKind::Index(base, _) => id = *base,
                ExprKind::Member(base, n) => {
                    if let ExprKind::Global(global) = self.block_of(*base)
                        && let Some(block) = &self.global(global).block
                        && block.members.get(*n as usize).is_some_and(|member| member.read_only)
                    {
                        return Err("the member is `readonly`".into());
                    }
                    id = *base;
                }
                ExprKind::Local(local) => {
                    let body = self.body.as_ref();
                    let reason =
                        body.and_then(|body| body.read_only.get(local.0 as usize).copied().flatten());
                    return reason.map_or(Ok(()), |reason| {
                        Err(self.cannot(self.local(*local).map(|l| l.name), reason))
                    });
                }
                ExprKind::Global(global) => {
                    let reason = self.facts[global.0 as usize].read_only;
                    let global = self.global(*global);
                    if global.storage == Storage::Buffer && global.layout.read_only {
                        return Err("the block is `readonly`".into());
                    }
                    let name = match &global.block {
                        Some(block) => block.name,
                        None => global.name,
                    };
                    return reason.map_or(Ok(()), |reason| Err(self.cannot(Some(name), reason)));
                }
                _ => return Err("it is not a variable".into()),
            }
        }
    }

    /// Whether what stands at an address, or behind a descriptor, can be written.
    fn writable_behind(&self, address: ExprId) -> Result<(), String> {
        match *self.ty(self.ty_of(address)) {
            Type::Opaque(Opaque::Buffer(id)) if self.types.reference(id).held == Some(Storage::Uniform) => {
                Err("it lies in a uniform buffer".into())
            }
            _ => Ok(()),
        }
    }

    fn cannot(&self, name: Option<crate::token::Symbol>, reason: &str) -> String {
        match name.map(|name| self.text(name)) {
            Some(name) if !name.is_empty() => format!("`{name}` is {reason}, which cannot be written"),
            _ => format!("it is {reason}, which cannot be written"),
        }
    }

    /// The variable that a block's member is taken of, past an index of instances.
    fn block_of(&self, id: ExprId) -> ExprKind {
        match &self.at(id).kind {
            ExprKind::Global(global) => ExprKind::Global(*global),
            ExprKind::Index(base, _) => match &self.at(*base).kind {
                ExprKind::Global(global) => ExprKind::Global(*global),
                _ => ExprKind::Constant(Box::default()),
            },
            _ => ExprKind::Constant(Box::default()),
        }
    }

    /// The global that a place starts from.
    pub(super) fn root(&self, mut id: ExprId) -> Option<crate::hir::GlobalId> {
        loop {
            match &self.at(id).kind {
                ExprKind::Global(global) => return Some(*global),
                ExprKind::Swizzle(base, _) | ExprKind::Index(base, _) | ExprKind::Member(base, _) => {
                    id = *base;
                }
                _ => return None,
            }
        }
    }

    /// Whether an expression is memory of which only its device knows how long it is: an array
    /// that goes on to the end of its buffer, or a block with one.
    pub(super) fn is_open(&self, id: ExprId) -> bool {
        self.has(self.ty_of(id), Parts::OPEN)
            && (self.is_behind_reference(id)
                || self.root(id).is_some_and(|global| self.global(global).storage == Storage::Buffer))
    }

    /// Whether a place lies in a buffer or in shared memory, as atomic functions need it.
    pub(super) fn is_memory(&self, id: ExprId) -> bool {
        self.is_behind_reference(id)
            || self.root(id).is_some_and(|global| {
                matches!(
                    self.global(global).storage,
                    Storage::Buffer | Storage::Shared | Storage::TaskPayload
                )
            })
    }

    /// Reports an error where something is read that is `writeonly`.
    pub(super) fn must_be_readable(&mut self, id: ExprId) {
        let Some(global) = self.root(id) else { return };
        let global = self.global(global);
        if global.storage != Storage::Buffer {
            return;
        }
        let mut hidden = global.layout.write_only;
        if let (Some(block), ExprKind::Member(_, n)) = (&global.block, &self.at(self.outer_member(id)).kind) {
            hidden |= block.members.get(*n as usize).is_some_and(|member| member.write_only);
        }
        if hidden && !matches!(self.ty(self.ty_of(id)), Type::Error) {
            let at = self.at(id).at;
            self.error(at, "this is `writeonly` and cannot be read");
        }
    }

    /// The member of a block that a place lies in.
    fn outer_member(&self, mut id: ExprId) -> ExprId {
        let mut member = id;
        loop {
            match &self.at(id).kind {
                ExprKind::Member(base, _) => {
                    member = id;
                    id = *base;
                }
                ExprKind::Swizzle(base, _) | ExprKind::Index(base, _) => id = *base,
                _ => return member,
            }
        }
    }
}
