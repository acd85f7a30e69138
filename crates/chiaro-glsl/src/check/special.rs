//! Calls of functions whose parameters no form describes: each is checked by the rule of its row.

use super::call::Call;
use super::checker::Checker;
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Intrinsic, Special};
use crate::token::{At, Symbol};

impl<'a> Checker<'a> {
    /// The rule of a function of the language, unless the source has functions of that name.
    pub(super) fn special(&mut self, name: Symbol, own: Option<u32>) -> Option<Special> {
        let rule = |row: &&crate::builtin::functions::Row| match row.what {
            Intrinsic::Special(special) => Some(special),
            _ => None,
        };
        if own.is_some() { None } else { self.rows(name).iter().find_map(rule) }
    }

    /// Calls one that reads its arguments itself.
    pub(super) fn call_written(&mut self, special: Special, call: &Call<'a>) -> ExprId {
        match special {
            Special::Cooperative(rule) => self.cooperative_call(rule, call),
            message => self.message(message, call),
        }
    }

    /// Calls one of values; `None` if the rule is for other types, so that forms may fit.
    pub(super) fn call_special(
        &mut self,
        special: Special,
        args: &[ExprId],
        call: &Call<'a>,
    ) -> Option<ExprId> {
        match (special, args) {
            (Special::Nonuniform, &[value]) => Some(self.nonuniform(value, call.at)),
            (Special::Tensor(what), _) => self.tensor_call(what, args, call),
            (Special::Footprint(how), _) => self.footprint_call(how, args, call),
            (Special::Rearrange(op), _) => Some(self.rearrange_call(op, args, call)),
            (Special::SaturatedMatrix, _) => self.saturated_matrices(args, call.at),
            _ => None,
        }
    }

    /// `nonuniformEXT(index)`: an index that differs between invocations, which a constant does not.
    fn nonuniform(&mut self, value: ExprId, at: At) -> ExprId {
        let ty = self.ty_of(value);
        if matches!(self.at(value).kind, ExprKind::Constant(_)) {
            return value;
        }
        if self.numeric(ty).is_none() {
            self.nonuniform.insert(value);
            return value;
        }
        let precision = self.at(value).precision;
        let marked = self.push(ExprKind::Convert(value), ty, precision, at);
        self.nonuniform.insert(marked);
        marked
    }
}
