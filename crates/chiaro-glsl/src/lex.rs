//! Bytes to lexemes: where words, numbers and punctuation begin and end.
//!
//! Nothing is allocated and nothing is judged here: numbers are only cut out (they may stand in
//! a group that is skipped), and what no token starts with is [`Lexeme::Other`], a text in quotes
//! among it. Comments are
//! blanks. The text has been [spliced](crate::preprocess), so a line end always ends a line.

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lexeme {
    /// An identifier or keyword.
    Word,
    /// A digit, or a dot and a digit, and all that may belong to a number (C's "preprocessing
    /// number").
    Number,
    /// The longest punctuation that fits; zeros behind.
    Punct([u8; 3]),
    /// The end of a line.
    Newline,
    /// A run of bytes that no token of the language has.
    Other,
    /// A text in quotes, on one line.
    Text,
    /// The end of the text.
    End,
}

/// Reads a text from front to back.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    /// Start of the last lexeme.
    pub(crate) start: usize,
    /// The end of the last lexeme.
    pub(crate) at: usize,
    /// Where a comment starts that has no end.
    pub(crate) open_comment: Option<usize>,
}

/// What a byte may be part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Newline,
    Letter,
    Digit,
    Punct,
    Slash,
    Dot,
    Quote,
    Other,
}

/// The class of each byte.
static CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b' ' | b'\t' | 0x0b | 0x0c => Class::Blank,
            b'\n' | b'\r' => Class::Newline,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'/' => Class::Slash,
            b'"' => Class::Quote,
            b'.' => Class::Dot,
            b'+' | b'-' | b'*' | b'%' | b'<' | b'>' | b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'^'
            | b'|' | b'&' | b'~' | b'=' | b'!' | b':' | b';' | b',' | b'?' | b'#' => Class::Punct,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
};

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Lexer<'a> {
        // Editors of one system put a mark of the encoding first; it means nothing.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { text: text.as_bytes(), start: at, at, open_comment: None }
    }

    /// The next lexeme, in `start..at`. At the end of the text, [`Lexeme::End`] for ever.
    pub(crate) fn next(&mut self) -> Lexeme {
        loop {
            self.start = self.at;
            let Some(&byte) = self.text.get(self.at) else { return Lexeme::End };
            self.at += 1;
            match CLASSES[byte as usize] {
                Class::Blank => self.skip(Class::Blank),
                Class::Slash if self.comment() => {}
                Class::Newline => return self.newline(byte),
                Class::Letter => return self.word(),
                Class::Digit => return self.number(),
                Class::Dot if self.peek().is_ascii_digit() => return self.number(),
                Class::Quote if self.string() => return Lexeme::Text,
                Class::Quote => return Lexeme::Other,
                Class::Other => {
                    self.skip(Class::Other);
                    return Lexeme::Other;
                }
                Class::Punct | Class::Slash | Class::Dot => return self.punct(byte),
            }
        }
    }

    /// Goes behind the second quote, if there is one in this line; a backslash hides one.
    fn string(&mut self) -> bool {
        let mut at = self.at;
        while let Some(&byte) = self.text.get(at) {
            at += 1;
            match byte {
                b'"' => {
                    self.at = at;
                    return true;
                }
                b'\n' | b'\r' => return false,
                b'\\' if !matches!(self.text.get(at), None | Some(b'\n' | b'\r')) => at += 1,
                _ => {}
            }
        }
        false
    }

    /// Goes to the end of the line without looking at what is there; comments count as text.
    /// Gives where the text ends.
    pub(crate) fn rest_of_line(&mut self) -> usize {
        let rest = &self.text[self.at..];
        self.at += rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        self.at
    }

    /// The byte behind the last lexeme; 0 at the end.
    pub(crate) fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn skip(&mut self, class: Class) {
        while self.text.get(self.at).is_some_and(|&b| CLASSES[b as usize] == class) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> Lexeme {
        while let Some(&byte) = self.text.get(self.at)
            && matches!(CLASSES[byte as usize], Class::Letter | Class::Digit)
        {
            self.at += 1;
        }
        Lexeme::Word
    }

    /// `1.5e-3f`, also `0x1e` and nonsense such as `1.2.3x`, which is one wrong number.
    fn number(&mut self) -> Lexeme {
        let hex = self.text[self.start] == b'0' && matches!(self.peek(), b'x' | b'X');
        let mut dotted = self.text[self.start] == b'.';
        while let Some(&byte) = self.text.get(self.at) {
            // A second dot before a letter takes components, and so does one behind a suffix:
            // `0.5.xx`, `0u.xx`.
            let letter = self.text.get(self.at + 1).is_some_and(u8::is_ascii_alphabetic);
            let ended = dotted || self.text[self.at - 1].is_ascii_alphabetic();
            if byte == b'.' && ended && letter {
                break;
            }
            dotted |= byte == b'.';
            let exponent =
                !hex && matches!(byte, b'+' | b'-') && matches!(self.text[self.at - 1], b'e' | b'E');
            if !exponent && !matches!(CLASSES[byte as usize], Class::Letter | Class::Digit | Class::Dot) {
                break;
            }
            self.at += 1;
        }
        Lexeme::Number
    }

    fn newline(&mut self, byte: u8) -> Lexeme {
        if byte == b'\r' && self.peek() == b'\n' {
            self.at += 1;
        }
        Lexeme::Newline
    }

    /// Skips a comment whose first slash has been read; whether there is one.
    fn comment(&mut self) -> bool {
        match self.peek() {
            b'/' => {
                self.rest_of_line();
                true
            }
            b'*' => {
                let body = self.at + 1;
                match self.text[body..].windows(2).position(|two| two == b"*/") {
                    Some(length) => self.at = body + length + 2,
                    None => {
                        self.open_comment = Some(self.start);
                        self.at = self.text.len();
                    }
                }
                true
            }
            _ => false,
        }
    }

    fn punct(&mut self, first: u8) -> Lexeme {
        let second = self.peek();
        let third = self.text.get(self.at + 1).copied().unwrap_or(0);
        let length = match (first, second) {
            (b'<', b'<') | (b'>', b'>') => 2 + usize::from(third == b'='),
            (b'+', b'+') | (b'-', b'-') | (b'&', b'&') | (b'|', b'|') | (b'^', b'^') | (b'#', b'#') => 2,
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'=' | b'!' | b'<' | b'>', b'=') => 2,
            _ => 1,
        };
        self.at = self.start + length;
        Lexeme::Punct([first, if length > 1 { second } else { 0 }, if length > 2 { third } else { 0 }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        let mut lexer = Lexer::new(text);
        let mut found = Vec::new();
        while lexer.next() != Lexeme::End {
            found.push(&text[lexer.start..lexer.at]);
        }
        found
    }

    #[test]
    fn the_longest_token_wins() {
        assert_eq!(pieces("a>>=b<<c<=d++ +e"), ["a", ">>=", "b", "<<", "c", "<=", "d", "++", "+", "e"]);
        assert_eq!(pieces("x^^y^=z##w"), ["x", "^^", "y", "^=", "z", "##", "w"]);
        assert_eq!(
            pieces("v.x .5 1.e+3f 0x1e+1 1e5"),
            ["v", ".", "x", ".5", "1.e+3f", "0x1e", "+", "1", "1e5"]
        );
    }

    #[test]
    fn comments_are_blanks_and_line_ends_are_not() {
        assert_eq!(pieces("a//b\nc/*\n*/d\r\ne/f"), ["a", "\n", "c", "d", "\r\n", "e", "/", "f"]);
        let mut lexer = Lexer::new("a /* b");
        assert_eq!((lexer.next(), lexer.next(), lexer.open_comment), (Lexeme::Word, Lexeme::End, Some(2)));
    }

    #[test]
    fn foreign_bytes_are_one_lexeme() {
        assert_eq!(pieces("a @$ é\"b"), ["a", "@$", "é", "\"", "b"]);
        assert_eq!(pieces("a\"b \\\" c\"d"), ["a", "\"b \\\" c\"", "d"]);
    }
}
