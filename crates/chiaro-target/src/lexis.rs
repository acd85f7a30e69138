//! How the languages of assemblers look, as far as editors have to know before anything is assembled.

/// What can be seen of a language line by line.
#[derive(Debug)]
pub struct Lexis {
    /// What begins a comment that ends with its line.
    pub comments: &'static [&'static str],
    /// What stands between several instructions on one line.
    pub separator: Option<char>,
    /// Directives as they are written, `.proc name`. Where `name` stands, something is named.
    pub directives: &'static [&'static str],
}

impl Lexis {
    /// The line up to its comment. Quotes protect what stands between them.
    #[must_use]
    pub fn code<'a>(&self, line: &'a str) -> &'a str {
        let mut quoted = false;
        for (at, character) in line.char_indices() {
            quoted ^= character == '"';
            if !quoted && self.comments.iter().any(|comment| line[at..].starts_with(comment)) {
                return &line[..at];
            }
        }
        line
    }

    /// How the directive of a word is written: the word with its point.
    pub fn directive(&self, word: &str) -> impl Iterator<Item = &'static str> {
        let named = move |usage: &&&str| first_word(usage).eq_ignore_ascii_case(word);
        self.directives.iter().filter(named).copied()
    }
}

/// The directive itself in how it is written.
#[must_use]
pub fn first_word(usage: &str) -> &str {
    let end = usage.char_indices().skip(1).find(|(_, c)| !(c.is_ascii_alphanumeric() || *c == '_'));
    &usage[..end.map_or(usage.len(), |(at, _)| at)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_code_but_not_within_quotes() {
        let lexis = Lexis { comments: &["//", "#"], separator: None, directives: &["@const(cN.x) v"] };
        assert_eq!(lexis.code("mov a, b // c"), "mov a, b ");
        assert_eq!(lexis.code(".symbol \"a#b\" # c"), ".symbol \"a#b\" ");
        assert_eq!(lexis.code("x / y"), "x / y");
        assert_eq!(lexis.directive("@const").count(), 1);
        assert_eq!(lexis.directive("@cons").count(), 0);
    }
}
