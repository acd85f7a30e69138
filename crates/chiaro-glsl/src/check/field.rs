//! What stands behind a dot: members, components, `length()`.

use super::checker::Checker;
use crate::ast;
use crate::builtin::When;
use crate::hir::{ExprId, ExprKind};
use crate::token::{At, Symbol};
use crate::ty::{Length, Ty, Type};

/// Letters for components; one swizzle takes them of one set.
const SETS: [&[u8; 4]; 3] = [b"xyzw", b"rgba", b"stpq"];

impl<'a> Checker<'a> {
    /// `a.x`
    pub(super) fn field(&mut self, base: ast::ExprId, name: Symbol, name_at: At, at: At) -> ExprId {
        let base = self.part_of(base);
        let ty = self.ty_of(base);
        match *self.ty(ty) {
            Type::Error => self.wrong(at),
            Type::Struct(id) => {
                let members = &self.types.structure(id).members;
                match members.iter().position(|member| member.name == name) {
                    Some(n) => self.member(base, n as u32, at),
                    None => self.no_member(id, name, name_at),
                }
            }
            Type::Reference(_) | Type::Opaque(crate::ty::Opaque::Buffer(_)) => {
                let Some(block) = self.deref(base, at) else { return self.wrong(at) };
                let Type::Struct(id) = *self.ty(self.ty_of(block)) else { return self.wrong(at) };
                let members = &self.types.structure(id).members;
                match members.iter().position(|member| member.name == name) {
                    Some(n) => self.member(block, n as u32, at),
                    None => self.no_member(id, name, name_at),
                }
            }
            Type::Vector(..) => self.swizzle(base, name, name_at, at),
            Type::Scalar(_) => {
                const SCALARS: When = When::since(0, 420).or(&["GL_ARB_shading_language_420pack"]);
                self.require(name_at, "a swizzle of a scalar", SCALARS);
                self.swizzle(base, name, name_at, at)
            }
            _ => {
                let message = format!("`{}` has no member `{}`", self.name_of(ty), self.text(name));
                let matrix = matches!(self.ty(ty), Type::Matrix { .. });
                let error = self.error(name_at, message);
                if matrix {
                    error.help.push("take a column first, as in `m[0].x`".into());
                }
                self.wrong(at)
            }
        }
    }

    /// Member number n of a structure.
    pub(super) fn member(&mut self, base: ExprId, n: u32, at: At) -> ExprId {
        let Type::Struct(id) = *self.ty(self.ty_of(base)) else { return self.wrong(at) };
        let members = &self.types.structure(id).members;
        let Some(member) = members.get(n as usize) else { return self.wrong(at) };
        let (ty, precision) = (member.ty, member.precision);
        let before: usize = members[..n as usize].iter().map(|member| self.scalars(member.ty)).sum();
        let count = self.scalars(ty);
        if let Some(part) = self.bits(base).and_then(|bits| bits.get(before..before + count)).map(Box::from) {
            return self.push(ExprKind::Constant(part), ty, precision, at);
        }
        self.push(ExprKind::Member(base, n), ty, precision, at)
    }

    fn no_member(&mut self, id: crate::ty::StructId, name: Symbol, at: At) -> ExprId {
        let structure = self.types.structure(id);
        let word = self.text(name);
        let names = structure.members.iter().map(|member| self.text(member.name));
        let meant = chiaro_diag::did_you_mean(word, names).map(str::to_owned);
        let message = format!("`{}` has no member `{word}`", self.text(structure.name));
        let last = self.tokens.span(At { first: at.last, last: at.last });
        // The member alone is another, not what it is of.
        self.error(at, message).mean_at(last, meant);
        self.wrong(at)
    }

    /// `v.xyz`
    fn swizzle(&mut self, base: ExprId, name: Symbol, name_at: At, at: At) -> ExprId {
        let Some(shape) = self.numeric(self.ty_of(base)) else { return self.wrong(at) };
        let letters = self.text(name).as_bytes();
        let Some((which, count)) = components(letters) else {
            let message = match letters.len() {
                1..=4 => format!(
                    "`{}` names no components: use letters of one of xyzw, rgba, stpq",
                    self.text(name)
                ),
                _ => format!("`{}` has no member `{}`", self.name_of(self.ty_of(base)), self.text(name)),
            };
            self.error(name_at, message);
            return self.wrong(at);
        };
        if let Some(&letter) = letters.iter().zip(which).find(|&(_, n)| n >= shape.rows).map(|found| found.0)
        {
            let found = self.name_of(self.ty_of(base));
            self.error(name_at, format!("`{found}` has no component `{}`", letter as char));
            return self.wrong(at);
        }
        self.pick(base, which, count, at)
    }

    /// Components of a vector or scalar by their numbers.
    pub(super) fn pick(&mut self, base: ExprId, which: [u8; 4], count: u8, at: At) -> ExprId {
        let Some(shape) = self.numeric(self.ty_of(base)) else { return self.wrong(at) };
        let ty = self.vector(shape.scalar, count);
        let precision = self.at(base).precision;
        if let Some(bits) = self.bits(base) {
            let picked: Box<[u64]> = which[..usize::from(count)]
                .iter()
                .map(|&n| bits.get(usize::from(n)).copied().unwrap_or_default())
                .collect();
            return self.push(ExprKind::Constant(picked), ty, precision, at);
        }
        if shape.is_scalar() && count == 1 {
            return base;
        }
        // `gl_WorkGroupSize.x`, where specialisation may set it.
        if let (ExprKind::Construct(parts), 1) = (&self.at(base).kind, count)
            && parts.len() == usize::from(shape.rows)
            && let Some(&part) = parts.get(usize::from(which[0]))
            && matches!(self.at(part).kind, ExprKind::Spec(_) | ExprKind::Constant(_))
            && self.ty_of(part) == ty
        {
            return part;
        }
        self.push(ExprKind::Swizzle(base, which), ty, precision, at)
    }

    /// `a.length()`
    pub(super) fn method(
        &mut self,
        base: ast::ExprId,
        name: Symbol,
        args: &'a [ast::ExprId],
        at: At,
    ) -> ExprId {
        let base = self.part_of(base);
        let ty = self.ty_of(base);
        if ty == self.known.error {
            return self.wrong(at);
        }
        if self.is_wide_length(name) {
            let length = self.length(base, ty, args, at);
            return if self.is_error(length) { length } else { self.widen_length(length) };
        }
        if self.text(name) != "length" {
            let message = format!(
                "`{}` has no method `{}`: there is only `length()`",
                self.name_of(ty),
                self.text(name)
            );
            self.error(at, message);
            return self.wrong(at);
        }
        self.length(base, ty, args, at)
    }

    fn length(&mut self, base: ExprId, ty: Ty, args: &'a [ast::ExprId], at: At) -> ExprId {
        if !args.is_empty() {
            self.error(at, "`length()` takes no arguments");
        }
        const ARRAYS: When = When::since(300, 120).or(&["GL_3DL_array_objects"]);
        const VECTORS: When = When::since(0, 420).or(&["GL_ARB_shading_language_420pack"]);
        let int = self.known.int;
        let count = match *self.ty(ty) {
            Type::Array(_, Length::Known(n)) => {
                self.require(at, "`length()`", ARRAYS);
                n
            }
            Type::Array(_, Length::Spec(n, _)) => {
                let spec = crate::hir::SpecId(n);
                let ty = self.specs.get(n as usize).map_or(int, |spec| spec.ty);
                let count = self.push(ExprKind::Spec(spec), ty, None, at);
                let to = self.numeric(int).unwrap_or(crate::numeric::Num {
                    scalar: crate::ty::Scalar::Int,
                    columns: 1,
                    rows: 1,
                });
                return self.convert_scalars(count, to);
            }
            Type::Array(_, Length::Unsized) => {
                if matches!(self.at(base).kind, ExprKind::Member(..)) && !self.is_behind_reference(base) {
                    return self.push(ExprKind::Length(base), int, None, at);
                }
                self.error(at, "the size of this array is not known here");
                return self.wrong(at);
            }
            Type::Coop(_, id) => {
                let coop = self.types.coop(id).clone();
                return self.coop_length(base, &coop, at);
            }
            Type::Vector(_, n) | Type::Matrix { columns: n, .. } => {
                self.require(at, "`length()` of a vector or matrix", VECTORS);
                u32::from(n)
            }
            _ => {
                let message = format!("`{}` has no `length()`", self.name_of(ty));
                self.error(at, message);
                return self.wrong(at);
            }
        };
        self.constant([u64::from(count)], int, at)
    }
}

/// The components that letters name, if all are of one set.
fn components(letters: &[u8]) -> Option<([u8; 4], u8)> {
    if letters.is_empty() || letters.len() > 4 {
        return None;
    }
    let set = SETS.iter().find(|set| set.contains(&letters[0]))?;
    let mut which = [0; 4];
    for (slot, letter) in which.iter_mut().zip(letters) {
        *slot = set.iter().position(|known| known == letter)? as u8;
    }
    Some((which, letters.len() as u8))
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn letters_are_of_one_set() {
        assert_eq!(components(b"zyx"), Some(([2, 1, 0, 0], 3)));
        assert_eq!(components(b"q"), Some(([3, 0, 0, 0], 1)));
        assert_eq!(components(b"xg"), None);
        assert_eq!(components(b"xyzwx"), None);
    }
}
