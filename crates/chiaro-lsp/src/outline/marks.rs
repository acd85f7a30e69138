//! Regions and colours that all languages have alike.

use std::ops::Range;

use super::{Outline, Token};
use crate::Document;
use crate::lex::{Lexeme, tokens};

/// Gives names the colour of what they stand for, in place of what their spelling looks like.
pub(super) fn colour(outline: &mut Outline) {
    let Outline { names, uses, tokens, .. } = outline;
    let mut all: Vec<(Range<usize>, Token)> =
        uses.iter().map(|(place, name)| (place.clone(), Token::Name(names[*name].kind))).collect();
    all.append(tokens);
    // The sort is stable: of what begins at one place the name comes first.
    all.sort_by_key(|(place, _)| place.start);
    let mut end = 0;
    all.retain(|(place, _)| {
        let is_free = place.start >= end && place.end > place.start;
        end = if is_free { place.end } else { end };
        is_free
    });
    *tokens = all;
}

/// Tokens and regions of a language like C; `word` says what a word of the language is.
pub(super) fn of_c(document: &Document, word: impl Fn(&str) -> Option<Token>) -> Outline {
    let text = document.text();
    let (mut outline, mut open) = (Outline::default(), Vec::new());
    for (lexeme, at) in tokens(text) {
        let token = match lexeme {
            Lexeme::Comment => Some(Token::Comment),
            Lexeme::Number => Some(Token::Number),
            Lexeme::Text => Some(Token::Text),
            Lexeme::Directive => Some(Token::Directive),
            Lexeme::Word => word(&text[at.clone()]),
            Lexeme::Mark(_) => None,
        };
        match lexeme {
            Lexeme::Comment => fold(document, &at, &mut outline),
            Lexeme::Mark(b'{') => open.push(at.start),
            Lexeme::Mark(b'}') => {
                if let Some(start) = open.pop() {
                    fold(document, &(start..at.start), &mut outline);
                }
            }
            Lexeme::Directive => conditional(text, &at, &mut open, document, &mut outline),
            _ => {}
        }
        outline.tokens.extend(token.map(|token| (at, token)));
    }
    outline
}

/// `#if` to `#endif` is a region like one of braces.
fn conditional(
    text: &str,
    at: &Range<usize>,
    open: &mut Vec<usize>,
    document: &Document,
    outline: &mut Outline,
) {
    match text[at.clone()].trim_start_matches(['#', ' ', '\t']) {
        "if" | "ifdef" | "ifndef" => open.push(at.start),
        "endif" => {
            if let Some(start) = open.pop() {
                fold(document, &(start..at.start), outline);
            }
        }
        _ => {}
    }
}

/// A region, if it has several lines.
pub(super) fn fold(document: &Document, bytes: &Range<usize>, outline: &mut Outline) {
    let (first, last) = (document.line_of(bytes.start), document.line_of(bytes.end));
    if last > first {
        outline.folds.push((first, last));
    }
}
