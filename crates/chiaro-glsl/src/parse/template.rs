//! Types with others in angle brackets: `tensorARM<int, 2>`.

use super::{Parsed, Parser};
use crate::ast::{ExprId, Template, TemplateType, TypeName};
use crate::token::Kind;

impl Parser<'_> {
    /// The type behind its first word. Without brackets there are no arguments, which checking
    /// tells of.
    pub(super) fn template(&mut self, template: Template) -> Parsed<TypeName> {
        let mut found = TemplateType { template, element: None, args: Vec::new() };
        if self.is(b'<') {
            self.advance();
            if self.starts_type() {
                found.element = Some(self.nested(Self::type_spec)?.name);
            } else {
                found.args.push(self.template_argument()?);
            }
            while self.accept(b',') {
                found.args.push(self.template_argument()?);
            }
            self.expect(b'>')?;
        }
        Ok(TypeName::Template(Box::new(found)))
    }

    /// A number: what compares needs parentheses.
    fn template_argument(&mut self) -> Parsed<ExprId> {
        if !matches!(self.kind(), Kind::End) {
            self.nested(Self::sum)
        } else {
            Err(self.expected("a number"))
        }
    }
}
