//! `spirv_instruction(...)` and the like: words of SPIR-V in the source.
//! [GL_EXT_spirv_intrinsics]

use super::{Parsed, Parser};
use crate::ast::{Item, QualifierKind, SpirvArg, SpirvArgs, SpirvWord};
use crate::keyword::Meaning;
use crate::token::{Kind, Symbol};

impl Parser<'_> {
    /// A qualifier whose word stands next.
    pub(super) fn spirv_qualifier(&mut self, word: SpirvWord) -> Parsed<QualifierKind> {
        self.advance();
        let bare = matches!(word, SpirvWord::ByReference | SpirvWord::Literal);
        let args = if bare { SpirvArgs::default() } else { self.spirv_args()? };
        Ok(QualifierKind::Spirv(word, Box::new(args)))
    }

    /// `spirv_execution_mode(...);`, if it stands next.
    pub(super) fn spirv_mode(&mut self) -> Option<Parsed<Item>> {
        let Some(Meaning::Spirv(word @ (SpirvWord::Mode | SpirvWord::ModeId))) = self.keyword() else {
            return None;
        };
        let first = self.at;
        self.advance();
        Some(self.spirv_args().and_then(|args| {
            self.semicolon()?;
            Ok(Item::SpirvMode(word, Box::new(args), self.since(first)))
        }))
    }

    /// `(extensions = ["a"], capabilities = [1], set = "b", id = 2, 3, "c")`
    pub(super) fn spirv_args(&mut self) -> Parsed<SpirvArgs> {
        self.expect(b'(')?;
        let mut args = SpirvArgs::default();
        if self.accept(b')') {
            return Ok(args);
        }
        loop {
            self.spirv_arg(&mut args)?;
            if !self.accept(b',') {
                self.expect(b')')?;
                return Ok(args);
            }
        }
    }

    fn spirv_arg(&mut self, args: &mut SpirvArgs) -> Parsed<()> {
        let name = match self.kind() {
            Kind::Word(name) if self.is_at(1, b'=') => name,
            Kind::Text(text) => {
                self.advance();
                args.list.push(SpirvArg::Text(text));
                return Ok(());
            }
            _ if self.starts_type() && !self.is_at(1, b'(') => {
                let spec = self.nested(Self::type_spec)?;
                args.list.push(SpirvArg::Type(Box::new(spec)));
                return Ok(());
            }
            _ => {
                args.list.push(SpirvArg::Value(self.nested(Self::conditional)?));
                return Ok(());
            }
        };
        let what = self.symbols.text(name).to_owned();
        self.advance();
        self.advance();
        match what.as_str() {
            "extensions" => self.in_brackets(|this| {
                let text = this.quoted()?;
                args.extensions.push(text);
                Ok(())
            }),
            "capabilities" => self.in_brackets(|this| {
                args.capabilities.push(this.nested(Self::conditional)?);
                Ok(())
            }),
            "set" => {
                args.set = Some(self.quoted()?);
                Ok(())
            }
            "id" => {
                args.id = Some(self.nested(Self::conditional)?);
                Ok(())
            }
            _ => Err(self.expected("`extensions`, `capabilities`, `set` or `id` before this `=`")),
        }
    }

    fn quoted(&mut self) -> Parsed<Symbol> {
        let Kind::Text(text) = self.kind() else { return Err(self.expected("a text in quotes")) };
        self.advance();
        Ok(text)
    }

    fn in_brackets(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.expect(b'[')?;
        loop {
            item(self)?;
            if !self.accept(b',') {
                return self.expect(b']');
            }
        }
    }
}
