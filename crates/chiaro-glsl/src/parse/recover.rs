//! Where to go on after a fault.

use super::{Parsed, Parser};
use crate::keyword::Meaning;
use crate::token::{Kind, diagnose};

impl Parser<'_> {
    /// A semicolon. Where the next statement starts without it, it is reported and taken as there.
    pub(super) fn semicolon(&mut self) -> Parsed<()> {
        if self.accept(b';') {
            return Ok(());
        }
        let forgotten = self.is(b'}') || self.starts_something();
        let failed = self.missing_semicolon();
        if forgotten { Ok(()) } else { Err(failed) }
    }

    /// Whether the next token can only be the start of a statement or declaration.
    fn starts_something(&mut self) -> bool {
        match self.keyword() {
            None | Some(Meaning::Bool(_)) => false,
            Some(Meaning::Reserved) => false,
            // A type may be a constructor in the middle of an expression.
            Some(Meaning::Number(..)) => matches!(self.kind_at(1), Kind::Word(_)),
            Some(_) => true,
        }
    }

    /// Behind a faulty statement: after its semicolon or braces, or before the end of the block.
    /// `first` is where the statement started.
    pub(super) fn skip_statement(&mut self, first: usize) {
        let mut parentheses = 0u32;
        while !self.ended() {
            match self.kind() {
                Kind::Punct([b';', 0, 0]) if parentheses == 0 => return self.advance(),
                Kind::Punct([b'{', 0, 0]) => return self.skip_braces(),
                Kind::Punct([b'}', 0, 0]) => return,
                Kind::Punct([b'(', 0, 0]) => parentheses += 1,
                Kind::Punct([b')', 0, 0]) => parentheses = parentheses.saturating_sub(1),
                Kind::Word(_) if self.at > first && parentheses == 0 && self.starts_statement() => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn starts_statement(&mut self) -> bool {
        use Meaning::{Break, Continue, Discard, Do, For, If, Return, Switch, While};
        matches!(self.keyword(), Some(If | For | While | Do | Switch | Return | Break | Continue | Discard))
    }

    /// Behind a faulty declaration at the outermost level.
    pub(super) fn skip_item(&mut self, first: usize) {
        let mut parentheses = 0u32;
        while !self.ended() {
            match self.kind() {
                Kind::Punct([b';' | b'}', 0, 0]) => return self.advance(),
                Kind::Punct([b'{', 0, 0]) => {
                    self.skip_braces();
                    // `} name;` of a block.
                    if matches!(self.kind(), Kind::Word(_)) && self.is_at(1, b';') {
                        self.advance();
                        self.advance();
                    }
                    return;
                }
                Kind::Punct([b'(', 0, 0]) => parentheses += 1,
                Kind::Punct([b')', 0, 0]) => parentheses = parentheses.saturating_sub(1),
                Kind::Word(_) if self.at > first && parentheses == 0 && self.starts_item() => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn starts_item(&mut self) -> bool {
        use crate::keyword::Simple::{Attribute, Uniform, Varying};
        match self.keyword() {
            Some(Meaning::Void | Meaning::Struct | Meaning::Layout) => true,
            Some(Meaning::Qualifier(simple)) => matches!(simple, Attribute | Uniform | Varying),
            _ => false,
        }
    }

    /// Behind the brace that belongs to the next one.
    fn skip_braces(&mut self) {
        let mut depth = 0u32;
        while !self.ended() {
            match self.kind() {
                Kind::Punct([b'{', 0, 0]) => depth += 1,
                Kind::Punct([b'}', 0, 0]) => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return;
            }
        }
    }

    /// Before the comma or semicolon that ends a faulty initialiser.
    pub(super) fn skip_initializer(&mut self) {
        let mut depth = 0u32;
        while !self.ended() {
            match self.kind() {
                Kind::Punct([b',' | b';', 0, 0]) if depth == 0 => return,
                Kind::Punct([b'(' | b'[' | b'{', 0, 0]) => depth += 1,
                Kind::Punct([b')' | b']' | b'}', 0, 0]) if depth > 0 => depth -= 1,
                Kind::Punct([b'}' | b';', 0, 0]) => return,
                Kind::Word(_) if depth == 0 && self.starts_something() => return,
                _ => {}
            }
            self.advance();
        }
    }

    /// A brace that was opened at a token and never closed.
    pub(super) fn unclosed(&mut self, open: usize) -> super::Failed {
        let at = crate::token::At { first: open as u32, last: open as u32 };
        let report = diagnose(self.tokens, at, "this `{` has no `}`");
        self.fail(report)
    }
}
