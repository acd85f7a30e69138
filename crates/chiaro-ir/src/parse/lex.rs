//! Text into tokens.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A word with its dotted details: `fadd`, `sample.proj.level`.
    Word,
    /// Begins with a digit, or a sign before a digit or `inf`.
    Number,
    /// In quotes.
    Text,
    /// `->`.
    Arrow,
    /// A single character of any other kind.
    Mark(u8),
    /// Behind the last token.
    End,
}

/// A token: a run of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it is the first of its line: where an instruction ends.
    pub(super) first: bool,
}

/// The tokens of a text, an [`End`](Kind::End) last. Text past 4 GiB is not read.
pub(super) fn lex(text: &str) -> Vec<Token> {
    let text = &text[..text.floor_char_boundary(u32::MAX as usize)];
    let bytes = text.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 4 + 1);
    let (mut at, mut first) = (0, true);
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\n' => first = true,
            b' ' | b'\t' | b'\r' => {}
            b';' => at += line_rest(&bytes[at..]) - 1,
            _ => {
                let (kind, len) = token(&text[at..]);
                let (start, end) = (at as u32, (at + len) as u32);
                tokens.push(Token { kind, start, end, first });
                first = false;
                at += len - 1;
            }
        }
        at += 1;
    }
    let end = bytes.len() as u32;
    tokens.push(Token { kind: Kind::End, start: end, end, first: true });
    tokens
}

/// Bytes up to the end of the line.
fn line_rest(bytes: &[u8]) -> usize {
    bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len())
}

/// The kind and length of the token at the start of a text, which is not empty.
fn token(text: &str) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let second = bytes.get(1).copied().unwrap_or(0);
    match bytes[0] {
        b'-' if second == b'>' => (Kind::Arrow, 2),
        b'-' if second.is_ascii_digit() => (Kind::Number, 1 + number_len(&bytes[1..])),
        b'-' if text[1..].starts_with("inf") => (Kind::Number, 4),
        b'0'..=b'9' => (Kind::Number, number_len(bytes)),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => (Kind::Word, word_len(bytes)),
        b'"' => (Kind::Text, text_len(bytes)),
        b if b.is_ascii() => (Kind::Mark(b), 1),
        _ => (Kind::Mark(b'?'), text.chars().next().map_or(1, char::len_utf8)),
    }
}

fn word_len(bytes: &[u8]) -> usize {
    let in_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'.';
    bytes.iter().position(|&b| !in_word(b)).unwrap_or(bytes.len())
}

/// Digits and letters, a point, and a sign behind an exponent's `e`.
fn number_len(bytes: &[u8]) -> usize {
    let hex = bytes.starts_with(b"0x");
    let mut len = 0;
    while let Some(&b) = bytes.get(len) {
        let exponent = len > 0 && !hex && matches!(bytes[len - 1], b'e' | b'E');
        if !(b.is_ascii_alphanumeric() || b == b'.' || exponent && matches!(b, b'+' | b'-')) {
            break;
        }
        len += 1;
    }
    len
}

/// Up to the closing quote, or to the end of the line.
fn text_len(bytes: &[u8]) -> usize {
    let mut len = 1;
    while let Some(&b) = bytes.get(len) {
        match b {
            b'"' => return len + 1,
            b'\n' => return len,
            b'\\' => len += 2,
            _ => len += 1,
        }
    }
    bytes.len()
}

/// What is between quotes, with `\"`, `\\` and `\u{..}` replaced.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match rest.next()? {
            c @ ('"' | '\\') => out.push(c),
            'u' => {
                let (digits, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                out.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                rest = after.chars();
            }
            _ => return None,
        }
    }
    Some(out)
}
