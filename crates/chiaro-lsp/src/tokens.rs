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
    let (mut all, mut line, mut character) = (Vec::with_capacity(outline.tokens.len()), 0, 0);
    for (at, token) in &outline.tokens {
        for part in document.line_of(at.start)..=document.line_of(at.end.saturating_sub(1)) {
            let start = at.start.max(document.line_start(part));
            let end = at.end.min(document.line_start(part) + document.line_text(part).len());
            if end <= start {
                continue;
            }
            let (from, to) = (document.position(start), document.position(end));
            let delta_start = if from.line == line { from.character - character } else { from.character };
            all.push(SemanticToken {
                delta_line: from.line - line,
                delta_start,
                length: to.character - from.character,
                token_type: number(*token),
                token_modifiers_bitset: 0,
            });
            (line, character) = (from.line, from.character);
        }
    }
    all
}
