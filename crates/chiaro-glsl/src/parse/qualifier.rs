//! Qualifiers, and what is in `layout(...)`.

use super::{Parsed, Parser};
use crate::ast::{LayoutId, Qualifier, QualifierKind};
use crate::keyword::{Meaning, Simple};
use crate::qualifier::Precision;
use crate::token::{At, Kind, Symbol, diagnose};

impl Parser<'_> {
    /// Whether a qualifier stands next.
    pub(super) fn starts_qualifier(&mut self) -> bool {
        matches!(
            self.keyword(),
            Some(Meaning::Qualifier(_) | Meaning::Layout | Meaning::Subroutine | Meaning::Spirv(_))
        )
    }

    /// All qualifiers up to the type or name.
    pub(super) fn qualifiers(&mut self) -> Parsed<Vec<Qualifier>> {
        let mut qualifiers = Vec::new();
        loop {
            let first = self.at;
            let kind = match self.keyword() {
                Some(Meaning::Qualifier(simple)) => {
                    self.advance();
                    kind_of(simple)
                }
                Some(Meaning::Layout) => QualifierKind::Layout(self.layout()?),
                Some(Meaning::Spirv(word)) => self.spirv_qualifier(word)?,
                Some(Meaning::Subroutine) => QualifierKind::Subroutine(self.subroutine()?),
                _ if self.misspelt_qualifier() => continue,
                _ => return Ok(qualifiers),
            };
            qualifiers.push(Qualifier { kind, at: self.since(first) });
        }
    }

    /// `unifrom vec3 a;`, `flat in` where `flat` is no keyword yet: a name with a keyword behind
    /// it can be nothing else. It is reported and left out.
    fn misspelt_qualifier(&mut self) -> bool {
        let Some(name) = self.name_at(0) else { return false };
        let known = self.names.is_type(name);
        let next = self.keyword_at(1).is_some_and(|next| {
            super::types::is_type(next) || matches!(next, Meaning::Qualifier(_) | Meaning::Layout)
        });
        if known || !next {
            return false;
        }
        let text = self.symbols.text(name);
        let word = self.status(name).map(|(word, _)| word);
        let report = match word.and_then(|word| self.needs(word)) {
            Some(needs) => self.needing(&format!("`{text}`"), needs),
            None => {
                let close = self.close_word(name, |meaning| {
                    matches!(meaning, Meaning::Qualifier(_) | Meaning::Layout | Meaning::Subroutine)
                });
                let mut report = diagnose(self.tokens, self.here(), format!("`{text}` is no qualifier"));
                report.mean(close.map(|word| word.text));
                if let Some((words, texts)) = successor(text) {
                    report.instead(words, texts);
                }
                report
            }
        };
        self.report(report);
        self.advance();
        true
    }

    /// `layout(location = 0, std140)`
    fn layout(&mut self) -> Parsed<Vec<LayoutId>> {
        self.advance();
        self.expect(b'(')?;
        let mut ids = Vec::new();
        loop {
            let first = self.at;
            // `shared` is a keyword elsewhere.
            let Kind::Word(name) = self.kind() else {
                return Err(self.expected("a layout qualifier"));
            };
            self.advance();
            let value = if self.accept(b'=') { Some(self.nested(Self::conditional)?) } else { None };
            ids.push(LayoutId { name, value, at: self.since(first) });
            if !self.accept(b',') {
                self.expect(b')')?;
                return Ok(ids);
            }
        }
    }

    /// `subroutine`, `subroutine(a, b)`
    fn subroutine(&mut self) -> Parsed<Vec<(Symbol, At)>> {
        self.advance();
        let mut names = Vec::new();
        if self.accept(b'(') {
            loop {
                names.push(self.name("the name of a subroutine type")?);
                if !self.accept(b',') {
                    break;
                }
            }
            self.expect(b')')?;
        }
        Ok(names)
    }
}

/// What took the place of a qualifier that was removed: what to say of it, and what to write.
fn successor(text: &str) -> Option<(&'static str, &'static [&'static str])> {
    match text {
        "attribute" => Some(("this version says `in`", &["in"])),
        "varying" => Some((
            "this version says `out` in the vertex shader and `in` in the fragment shader",
            &["out", "in"],
        )),
        _ => None,
    }
}

fn kind_of(simple: Simple) -> QualifierKind {
    match simple {
        Simple::Const => QualifierKind::Const,
        Simple::In => QualifierKind::In,
        Simple::Out => QualifierKind::Out,
        Simple::Inout => QualifierKind::Inout,
        Simple::Attribute => QualifierKind::Attribute,
        Simple::Varying => QualifierKind::Varying,
        Simple::Uniform => QualifierKind::Uniform,
        Simple::Buffer => QualifierKind::Buffer,
        Simple::Shared => QualifierKind::Shared,
        Simple::Centroid => QualifierKind::Centroid,
        Simple::Sample => QualifierKind::Sample,
        Simple::Patch => QualifierKind::Patch,
        Simple::Smooth => QualifierKind::Smooth,
        Simple::Flat => QualifierKind::Flat,
        Simple::NoPerspective => QualifierKind::NoPerspective,
        Simple::Invariant => QualifierKind::Invariant,
        Simple::Precise => QualifierKind::Precise,
        Simple::Coherent => QualifierKind::Coherent,
        Simple::Volatile => QualifierKind::Volatile,
        Simple::Restrict => QualifierKind::Restrict,
        Simple::ReadOnly => QualifierKind::ReadOnly,
        Simple::WriteOnly => QualifierKind::WriteOnly,
        Simple::NonUniform => QualifierKind::NonUniform,
        Simple::Ray(storage) => QualifierKind::Ray(storage),
        Simple::TileImage => QualifierKind::TileImage,
        Simple::Explicit => QualifierKind::Explicit,
        Simple::PerPrimitive => QualifierKind::PerPrimitive,
        Simple::PerTask => QualifierKind::PerTask,
        Simple::TaskPayload => QualifierKind::TaskPayload,
        Simple::Heap(kind) => QualifierKind::Heap(kind),
        Simple::PerVertex => QualifierKind::PerVertex,
        Simple::NonTemporal => QualifierKind::NonTemporal,
        Simple::Low => QualifierKind::Precision(Precision::Low),
        Simple::Medium => QualifierKind::Precision(Precision::Medium),
        Simple::High => QualifierKind::Precision(Precision::High),
    }
}
