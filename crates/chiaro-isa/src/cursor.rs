//! A line of assembler while it is read.

use crate::breach::Fault;

/// Reads a text from left to right. Kinds take from it what is theirs; when they
/// fail they say why with [`fail`](Cursor::fail), and the failure that got furthest
/// is the one that the user reads.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Where the word taken last begins.
    last: usize,
    fault: Option<Fault>,
    remarks: Vec<Fault>,
}

impl<'a> Cursor<'a> {
    /// At the start of `text`.
    pub fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0, last: 0, fault: None, remarks: Vec::new() }
    }

    /// Back to byte `at`, for another try; what was said so far is kept.
    pub fn rewind(&mut self, at: usize) {
        self.at = at.min(self.text.len());
    }

    /// Bytes read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// What is left.
    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next character, blanks included.
    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Whether only blanks are left.
    #[inline]
    pub fn at_end(&self) -> bool {
        self.text.as_bytes()[self.at..].iter().all(|&c| is_blank(c))
    }

    /// Skips blanks: what ASCII calls white space.
    #[inline]
    pub fn skip_blanks(&mut self) {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() && is_blank(bytes[self.at]) {
            self.at += 1;
        }
    }

    /// Takes `text` after blanks, if it is next.
    #[inline]
    pub fn eat(&mut self, text: &str) -> bool {
        let before = self.at;
        self.skip_blanks();
        let found = self.eat_here(text);
        if !found {
            self.at = before;
        }
        found
    }

    /// Takes `text` only directly where the cursor stands.
    #[inline]
    pub fn eat_here(&mut self, text: &str) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        let found = match text.as_bytes() {
            // Commas, mostly.
            [only] => rest.first() == Some(only),
            longer => rest.starts_with(longer),
        };
        if found {
            self.last = self.at;
            self.at += text.len();
        }
        found
    }

    /// As [`eat`](Self::eat), upper and lower case alike.
    pub fn eat_folded(&mut self, text: &str) -> bool {
        let before = self.at;
        self.skip_blanks();
        let found = self.rest().get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text));
        if found {
            self.last = self.at;
            self.at += text.len();
        } else {
            self.at = before;
        }
        found
    }

    /// A run of letters, digits, `_`, `$` and `.` after blanks.
    pub fn ident(&mut self) -> Option<&'a str> {
        self.take(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.'))
    }

    /// A decimal or `0x` number with an optional minus sign, after blanks.
    pub fn int(&mut self) -> Option<i64> {
        let before = self.at;
        let negative = self.eat("-");
        let digits = self.take(|c| c.is_ascii_alphanumeric());
        let n = digits.and_then(|d| match d.strip_prefix("0x").or_else(|| d.strip_prefix("0X")) {
            Some(hex) => u64::from_str_radix(hex, 16).ok().map(|n| n as i64),
            None => d.parse().ok(),
        });
        match n {
            Some(n) => Some(if negative { n.wrapping_neg() } else { n }),
            None => {
                self.at = before;
                None
            }
        }
    }

    /// A decimal number directly where the cursor stands; letters may follow, as in
    /// `r12h`. `None`, with nothing taken, if it is above 2^32.
    #[inline]
    pub fn digits(&mut self) -> Option<u32> {
        let before = self.at;
        let n = self.take_here(|c| c.is_ascii_digit()).and_then(|digits| digits.parse().ok());
        if n.is_none() {
            self.at = before;
        }
        n
    }

    /// The longest run after blanks whose bytes are all `part`; at least one.
    #[inline]
    pub fn take(&mut self, part: impl Fn(u8) -> bool) -> Option<&'a str> {
        let before = self.at;
        self.skip_blanks();
        match self.take_here(part) {
            Some(text) => Some(text),
            None => {
                self.at = before;
                None
            }
        }
    }

    /// As [`take`](Self::take), only directly where the cursor stands. `part` must
    /// hold for ASCII only, so that the text is cut between characters.
    #[inline]
    pub fn take_here(&mut self, part: impl Fn(u8) -> bool) -> Option<&'a str> {
        let length = self.bytes_here(part).len();
        (length > 0).then(|| &self.text[self.at - length..self.at])
    }

    /// As [`take_here`](Self::take_here), perhaps nothing, and as bytes: nobody has to ask whether they begin and end
    /// between characters.
    #[inline]
    pub fn bytes_here(&mut self, part: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().position(|&c| !(c.is_ascii() && part(c))).unwrap_or(rest.len());
        if length > 0 {
            self.last = self.at;
            self.at += length;
        }
        &rest[..length]
    }

    /// What is left, as bytes.
    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// A piece of the text, by its bytes; empty if it begins or ends within a character.
    pub fn piece(&self, range: std::ops::Range<usize>) -> &'a str {
        self.text.get(range).unwrap_or("")
    }

    /// The index of the longest of `names` that is next; blanks around a name do not
    /// count, and empty names never are.
    pub fn name_in(&mut self, names: &[&str]) -> Option<usize> {
        let before = self.at;
        self.skip_blanks();
        let rest = self.rest();
        let mut longest: Option<(usize, &str)> = None;
        let next = rest.bytes().next();
        // Most names begin with another letter: one look tells. Those that begin with a blank are trimmed.
        let may_be_next = |name: &str| name.bytes().next().is_some_and(|c| is_blank(c) || Some(c) == next);
        for (i, name) in names.iter().enumerate().filter(|(_, name)| may_be_next(name)) {
            let name = name.trim();
            if name.len() > longest.map_or(0, |(_, n)| n.len()) && rest.starts_with(name) {
                longest = Some((i, name));
            }
        }
        match longest {
            Some((i, name)) => {
                self.eat_here(name);
                Some(i)
            }
            None => {
                self.at = before;
                None
            }
        }
    }

    /// Says what is wrong with the text from here on; answers `None` for `?`.
    pub fn fail<T>(&mut self, why: &'static str) -> Option<T> {
        let blanks = self.rest().bytes().take_while(|&c| is_blank(c)).count();
        let start = self.at + blanks;
        let word = self.text[start..].find([',', ' ', '\t']).map_or(self.text.len(), |n| start + n);
        self.fail_at(start..word, why)
    }

    /// Says what is wrong with what was taken last, or with what is next if that was
    /// given back.
    pub fn fail_last<T>(&mut self, why: &'static str) -> Option<T> {
        if self.last < self.at { self.fail_at(self.last..self.at, why) } else { self.fail(why) }
    }

    /// Says what is wrong with a given range of the text.
    pub fn fail_at<T>(&mut self, range: std::ops::Range<usize>, why: &'static str) -> Option<T> {
        let fault = Fault { start: range.start as u32, end: range.end as u32, why };
        if self.fault.is_none_or(|f| fault.start >= f.start) {
            self.fault = Some(fault);
        }
        None
    }

    /// Something that is accepted, but likely not what was meant.
    pub fn remark(&mut self, range: std::ops::Range<usize>, why: &'static str) {
        self.remarks.push(Fault { start: range.start as u32, end: range.end as u32, why });
    }

    /// The failure that got furthest, if any.
    pub fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Everything that was remarked so far; the cursor keeps none of it.
    pub fn take_remarks(&mut self) -> Vec<Fault> {
        std::mem::take(&mut self.remarks)
    }
}

/// Blanks between the words of a line.
#[inline]
pub(crate) const fn is_blank(c: u8) -> bool {
    // Nearly all bytes are above all blanks.
    c <= b' ' && matches!(c, b' ' | b'\t'..=b'\r')
}
