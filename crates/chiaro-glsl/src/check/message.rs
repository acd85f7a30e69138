//! Messages to the host: `debugPrintfEXT` and `abortEXT`, which alone take a text in quotes.

use super::call::Call;
use super::checker::Checker;
use super::state::Parts;
use crate::ast::{self, ExprKind as Written};
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::{Intrinsic, Special};
use crate::token::Symbol;

impl<'a> Checker<'a> {
    /// `debugPrintfEXT("%d", n)`: the text first, then values.
    pub(super) fn message(&mut self, function: Special, call: &Call<'a>) -> ExprId {
        let Some((text, values)) = self.message_text(function, call) else { return self.wrong(call.at) };
        let values: Vec<ExprId> = values.iter().map(|&value| self.expr(value)).collect();
        let sound: Vec<bool> = values.iter().map(|&value| self.check_message_value(value)).collect();
        if sound.contains(&false) {
            return self.wrong(call.at);
        }
        let what = if function == Special::Abort { Intrinsic::Abort(text) } else { Intrinsic::Print(text) };
        self.push(ExprKind::Intrinsic(what, values), self.known.void, None, call.at)
    }

    /// The text of a message, and what goes with it.
    fn message_text(&mut self, function: Special, call: &Call<'a>) -> Option<(Symbol, &'a [ast::ExprId])> {
        let Some((&first, values)) = call.args.split_first() else {
            if function == Special::Abort {
                return Some((self.nameless(), call.args));
            }
            self.error(call.at, "a message needs a text");
            return None;
        };
        let written = &self.ast.exprs[first.0 as usize];
        match written.kind {
            // Brackets leave no trace but their place.
            Written::Text(text) if written.at.first == call.name_at.last + 2 => Some((text, values)),
            _ => {
                let first_at = written.at;
                self.error(first_at, "the first argument must be a text in quotes");
                None
            }
        }
    }

    /// Whether a value can go with a message: anything made of numbers, or a bool by itself.
    fn check_message_value(&mut self, value: ExprId) -> bool {
        if self.is_error(value) {
            return false;
        }
        self.must_be_readable(value);
        let (ty, at) = (self.ty_of(value), self.at(value).at);
        let mixed = self.has(ty, Parts::BOOL) && self.numeric(ty).is_none();
        let fault = if ty == self.known.void || self.has_opaque(ty) {
            "no value of this type goes with a message"
        } else if self.is_unsized(ty) {
            "an array goes with a message only if its size is known"
        } else if mixed {
            "an array or structure that goes with a message cannot hold a `bool`"
        } else {
            return true;
        };
        self.error(at, fault);
        false
    }
}
