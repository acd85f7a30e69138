//! Colours: tokens in the protocol's coding, five numbers each.

use lsp_types::{SemanticToken, SemanticTokenType};

use crate::outline::{Kind, Token};
use crate::{Document, Outline};

/// The types of tokens in the order of their numbers.
pub const TYPES: [SemanticTokenType; 13] = [
    SemanticTokenType::COMMENT,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::TYPE,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::MACRO,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::OPERATOR,
];

fn number(token: Token) -> u32 {
    match token {
        Token::Comment => 0,
        Token::Keyword => 1,
        Token::Type | Token::Name(Kind::Type | Kind::Block) => 2,
        Token::Number => 3,
        Token::Text => 4,
        Token::Directive | Token::Name(Kind::Macro) => 5,
        Token::Instruction | Token::Name(Kind::Function) => 6,
        Token::Name(Kind::Parameter) => 7,
        Token::Name(Kind::Variable | Kind::Register) => 8,
        Token::Name(Kind::Interface | Kind::Member) => 9,
        Token::Name(Kind::Constant) => 10,
        Token::Name(Kind::Label) => 11,
    }
}

/// The tokens of a document. One of several lines is one for each of them.
#[must_use]
pub fn tokens(document: &Document, outline: &Outline) -> Vec<SemanticToken> {
    let mut all = Vec::with_capacity(outline.tokens.len());
    // The line of the last token, and where in the text it begins.
    let (mut line, mut last) = (0, 0);
    for (at, token) in &outline.tokens {
        for part in document.line_of(at.start)..=document.line_of(at.end.saturating_sub(1)) {
            let first = document.line_start(part);
            let start = at.start.max(first);
            let end = at.end.min(first + document.line_text(part).len());
            if end <= start {
                continue;
            }
            let before = if part == line { last } else { first };
            let units =
                |from: usize, to: usize| document.units(document.text().get(from..to).unwrap_or_default());
            all.push(SemanticToken {
                delta_line: (part - line) as u32,
                delta_start: units(before, start),
                length: units(start, end),
                token_type: number(*token),
                token_modifiers_bitset: 0,
            });
            (line, last) = (part, start);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;
    use chiaro_glsl::source::Stage;

    #[test]
    fn tokens_count_from_the_one_before() {
        let text = "/* \u{1d11e}\n */ int a = 1;\n\nint b;";
        let document = Document::new("a.frag", Some(Language::Glsl(Stage::Fragment)), text);
        let all = tokens(&document, &Outline::of(&document));
        let shown: Vec<[u32; 3]> =
            all.iter().map(|one| [one.delta_line, one.delta_start, one.length]).collect();
        let wanted = [[0, 0, 5], [1, 0, 3], [0, 4, 3], [0, 4, 1], [0, 4, 1], [2, 0, 3], [0, 4, 1]];
        assert_eq!(shown, wanted);
    }
}
