//! Tokens of languages like C, for colours and for names that no tree knows.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lexeme {
    /// `// ...` or `/* ... */`.
    Comment,
    /// A name or keyword.
    Word,
    /// A number with its suffix.
    Number,
    /// A text in quotes.
    Text,
    /// `#define` and the like: the sharp and the word.
    Directive,
    /// One character of anything else.
    Mark(u8),
}

/// The tokens of a text, without blanks.
#[must_use]
pub fn tokens(text: &str) -> Vec<(Lexeme, Range<usize>)> {
    let bytes = text.as_bytes();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        let lexeme = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |length| at + length);
                Lexeme::Comment
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(bytes.len(), |length| at + length + 4);
                Lexeme::Comment
            }
            b'"' => {
                let length = text[at + 1..].find(['"', '\n']);
                at = length.map_or(bytes.len(), |length| at + length + 2);
                Lexeme::Text
            }
            b'#' => {
                at += 1 + length_of(&bytes[at + 1..], |b| b == b' ' || b == b'\t');
                at += length_of(&bytes[at..], is_word);
                Lexeme::Directive
            }
            byte if byte.is_ascii_digit() => {
                at += number(&bytes[at..]);
                Lexeme::Number
            }
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                at += number(&bytes[at..]);
                Lexeme::Number
            }
            byte if is_word(byte) => {
                at += length_of(&bytes[at..], is_word);
                Lexeme::Word
            }
            byte => {
                at += 1;
                Lexeme::Mark(byte)
            }
        };
        all.push((lexeme, start..at));
    }
    all
}

/// Whether a byte can be in a name. Those of other alphabets can: WGSL has them.
#[must_use]
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a text can be a name.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.bytes().all(is_word) && text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

fn length_of(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| fits(byte)).count()
}

fn number(bytes: &[u8]) -> usize {
    let is_hex = bytes.starts_with(b"0x") || bytes.starts_with(b"0X");
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let signed = !is_hex && at > 0 && matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || signed) {
            break;
        }
        at += 1;
    }
    at
}

/// The word at a byte of a text: the one that it is in, or that ends there.
#[must_use]
pub fn word_at(text: &str, byte: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let byte = byte.min(bytes.len());
    let start = byte - bytes[..byte].iter().rev().take_while(|&&b| is_word(b)).count();
    start..byte + length_of(&bytes[byte..], is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_ends() {
        let shown =
            |text: &str| tokens(text).into_iter().map(|(_, at)| text[at].to_owned()).collect::<Vec<_>>();
        assert_eq!(shown("a+=1.e-3f // b\n# if x"), ["a", "+", "=", "1.e-3f", "// b", "# if", "x"]);
        assert_eq!(shown("/* open"), ["/* open"]);
        assert_eq!(shown("\"open"), ["\"open"]);
        assert_eq!(shown("\"a\" é1"), ["\"a\"", "é1"]);
        assert_eq!(word_at("ab cd", 5), 3..5);
        assert_eq!(word_at("ab cd", 2), 0..2);
        assert!(is_name("a1") && !is_name("1a") && !is_name(""));
    }
}
