//! Messages to the host: `debugPrintfEXT` and `abortEXT`, which alone take a text in quotes.

use super::checker::Checker;
use super::state::Parts;
use crate::ast::{self, ExprKind as Written};
use crate::hir::{ExprId, ExprKind};
use crate::intrinsic::Intrinsic;
use crate::token::{At, Symbol};

impl<'a> Checker<'a> {
    /// The function of a message that a name means here, if it does.
    pub(super) fn message_function(&self, name: Symbol) -> Option<fn(Symbol) -> Intrinsic> {
        match self.text(name) {
            "debugPrintfEXT" if self.enabled.has("GL_EXT_debug_printf") => Some(Intrinsic::Print),
            "abortEXT" if self.enabled.has("GL_EXT_abort") => Some(Intrinsic::Abort),
            _ => None,
        }
    }

    /// `debugPrintfEXT("%d", n)`: the text first, then values.
    pub(super) fn message(
        &mut self,
        function: fn(Symbol) -> Intrinsic,
        name_at: At,
        args: &'a [ast::ExprId],
        at: At,
    ) -> ExprId {
        let void = self.known.void;
        let (text, values) = match args.split_first() {
            None if function(Symbol(0)) == Intrinsic::Abort(Symbol(0)) => (self.nameless(), args),
            None => {
                self.error(at, "a message needs a text");
                return self.wrong(at);
            }
            Some((&first, values)) => {
                let written = &self.ast.exprs[first.0 as usize];
                match written.kind {
                    // Brackets leave no trace but their place.
                    Written::Text(text) if written.at.first == name_at.last + 2 => (text, values),
                    _ => {
                        let first_at = written.at;
                        self.error(first_at, "the first argument must be a text in quotes");
                        return self.wrong(at);
                    }
                }
            }
        };
        let values: Vec<ExprId> = values.iter().map(|&value| self.expr(value)).collect();
        let sound: Vec<bool> = values.iter().map(|&value| self.check_message_value(value)).collect();
        if sound.contains(&false) {
            return self.wrong(at);
        }
        self.push(ExprKind::Intrinsic(function(text), values), void, None, at)
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
