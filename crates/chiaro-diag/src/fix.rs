//! Edits that mend a source, as data: help texts, an editor's code actions and a page's quick fixes say the same.

use crate::Span;

/// A text in the place of another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// What is replaced; empty where something is put in.
    pub span: Span,
    /// What it is replaced by; empty where it is left out.
    pub with: String,
}

/// Edits that together are likely to mend a source.
///
/// Their places are those before any of them is made; they are in the order of the source and do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// One or more, all of one file.
    pub edits: Vec<Replacement>,
}

impl Fix {
    /// A text in the place of another.
    #[must_use]
    pub fn replace(span: Span, with: impl Into<String>) -> Fix {
        Fix { edits: vec![Replacement { span, with: with.into() }] }
    }

    /// A text in front of what stands at a place.
    #[must_use]
    pub fn before(span: Span, text: impl Into<String>) -> Fix {
        Fix::replace(span.start(), text)
    }

    /// A text behind what stands at a place.
    #[must_use]
    pub fn behind(span: Span, text: impl Into<String>) -> Fix {
        Fix::replace(span.end(), text)
    }

    /// Something called with what stands at a place: `float(` and `)` around it.
    #[must_use]
    pub fn call(span: Span, name: &str) -> Fix {
        let end = Replacement { span: span.end(), with: ")".to_owned() };
        Fix { edits: vec![Replacement { span: span.start(), with: format!("{name}(") }, end] }
    }

    /// From the first place to the last.
    ///
    /// # Panics
    /// It has no edits, which nothing here makes.
    #[must_use]
    pub fn span(&self) -> Span {
        self.edits[0].span.to(self.edits[self.edits.len() - 1].span)
    }

    /// What stands from the first place to the last afterwards, in a text that it was made for. `None` for another text.
    #[must_use]
    pub fn made_of(&self, text: &str) -> Option<String> {
        let mut at = self.span().start as usize;
        let mut made = String::new();
        for Replacement { span, with } in &self.edits {
            made.push_str(text.get(at..span.start as usize)?);
            made.push_str(with);
            at = span.end as usize;
        }
        Some(made)
    }

    /// What is done to a text, for people to choose from.
    #[must_use]
    pub fn title(&self, text: &str) -> String {
        let span = self.span();
        let old = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let new = self.made_of(text).unwrap_or_default();
        match (old, new.as_str()) {
            // Of several lines the first says what they are.
            ("", new) => format!("put in `{}`", new.trim().lines().next().unwrap_or_default()),
            (old, "") => format!("leave out `{}`", old.trim()),
            (_, new) if self.edits.len() > 1 => format!("write `{new}`"),
            (old, new) => format!("replace `{old}` by `{new}`"),
        }
    }
}

/// What to do: in words, and as edits of which any one does it, where that is mechanical.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Advice {
    /// A sentence without a full stop.
    pub words: String,
    /// Edits that do it.
    pub fixes: Vec<Fix>,
}

impl Advice {
    /// What only the author can do.
    #[must_use]
    pub fn words(words: impl Into<String>) -> Advice {
        Advice { words: words.into(), fixes: Vec::new() }
    }

    /// Adds an edit that does it.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<Option<Fix>>) -> Advice {
        self.fixes.extend(fix.into());
        self
    }

    /// The same with words in front.
    #[must_use]
    pub fn after(self, words: &str) -> Advice {
        Advice { words: format!("{words}{}", self.words), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    #[test]
    fn titles_say_what_is_done() {
        let text = "mvo r0, 1";
        let at = |start, end| FileId(0).span(start..end);
        assert_eq!(Fix::replace(at(0, 3), "mov").title(text), "replace `mvo` by `mov`");
        assert_eq!(Fix::replace(at(3, 6), "").title(text), "leave out `r0`");
        assert_eq!(Fix::before(at(0, 3), "nop\n").title(text), "put in `nop`");
        assert_eq!(Fix::behind(at(8, 9), ";").title(text), "put in `;`");
        assert_eq!(Fix::call(at(8, 9), "float").title(text), "write `float(1)`");
    }

    #[test]
    fn what_is_made_is_the_text_with_all_edits() {
        let text = "a * b";
        let at = |start, end| FileId(0).span(start..end);
        let swapped = Fix {
            edits: vec![
                Replacement { span: at(0, 1), with: "b".to_owned() },
                Replacement { span: at(4, 5), with: "a".to_owned() },
            ],
        };
        assert_eq!(swapped.made_of(text).as_deref(), Some("b * a"));
        assert_eq!(swapped.span(), at(0, 5));
        assert_eq!(swapped.made_of("é"), None, "it is of another text");
    }
}
