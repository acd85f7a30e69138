//! A text buffer whose short writes are one fixed-size copy.
//!
//! Listings are made of texts of a few bytes; copying sixteen at once and
//! advancing by the true length is three times as fast as a `memcpy` call each.

/// Room that [`Out`] keeps behind its end, so that a short text is copied whole.
const SLACK: usize = 16;

/// Text under construction. All of it is UTF-8; what is pushed piecewise is ASCII.
#[derive(Default, Clone)]
pub struct Out {
    bytes: Vec<u8>,
    len: usize,
}

/// A text of up to 15 bytes, in two halves so that copies go through registers; the last byte says
/// how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Short {
    low: u64,
    high: u64,
}

/// How long a short text can be.
pub(crate) const LONGEST: usize = SLACK - 1;

impl Short {
    /// No text.
    pub const EMPTY: Short = Short { low: 0, high: 0 };

    /// `None` if the text is longer than 15 bytes.
    pub const fn new(text: &str) -> Option<Short> {
        if text.len() > LONGEST {
            return None;
        }
        let (mut bytes, mut n) = ([0; SLACK], 0);
        while n < text.len() {
            bytes[n] = text.as_bytes()[n];
            n += 1;
        }
        bytes[LONGEST] = n as u8;
        let all = u128::from_le_bytes(bytes);
        Some(Short::of_halves(all as u64, (all >> 64) as u64))
    }

    /// A text of the program itself.
    ///
    /// # Panics
    /// At compile time, where used in a constant, if it is longer than 15 bytes.
    pub const fn of(text: &str) -> Short {
        Short::new(text).expect("a short text has 15 bytes at most")
    }

    /// How many bytes.
    #[inline]
    fn len(self) -> usize {
        (self.high >> 56) as usize
    }

    /// Its bytes in two halves, the length last.
    pub(crate) const fn halves(self) -> (u64, u64) {
        (self.low, self.high)
    }

    /// The text of two [halves](Self::halves).
    #[inline]
    pub(crate) const fn of_halves(low: u64, high: u64) -> Short {
        Short { low, high }
    }
}

impl Out {
    /// No text yet, and room for so many bytes: a guess that saves copies, more is taken as it is needed.
    #[must_use]
    pub fn with_room(bytes: usize) -> Out {
        Out { bytes: vec![0; bytes + SLACK], len: 0 }
    }

    /// The text, without a copy.
    #[must_use]
    pub fn into_string(mut self) -> String {
        self.bytes.truncate(self.len);
        String::from_utf8(self.bytes).unwrap_or_default()
    }

    /// Forgets the text and keeps the room.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Forgets all but the first `len` bytes.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The text so far.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or("")
    }

    /// The text so far, as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// How many bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a short text.
    #[inline]
    pub fn push_short(&mut self, text: &Short) {
        if self.bytes.len() - self.len < SLACK {
            self.grow(SLACK);
        }
        if let Some(room) = self.bytes[self.len..].first_chunk_mut::<SLACK>() {
            let (low, high) = room.split_at_mut(SLACK / 2);
            low.copy_from_slice(&text.low.to_le_bytes());
            high.copy_from_slice(&text.high.to_le_bytes());
            self.len += text.len();
        }
    }

    /// Appends any text.
    #[inline]
    pub fn push_str(&mut self, text: &str) {
        self.reserve(text.len());
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text.as_bytes());
        self.len += text.len();
    }

    /// Appends one ASCII character; any other becomes `?`.
    #[inline]
    pub fn push(&mut self, c: char) {
        self.reserve(1);
        self.bytes[self.len] = if c.is_ascii() { c as u8 } else { b'?' };
        self.len += 1;
    }

    /// Appends a decimal number.
    #[inline]
    pub fn push_int(&mut self, n: i64) {
        if (0..10).contains(&n) {
            return self.push((b'0' + n as u8) as char);
        }
        self.push_long(n);
    }

    fn push_long(&mut self, n: i64) {
        if n < 0 {
            self.push('-');
        }
        let (mut buf, mut at, mut left) = ([0u8; 20], 20, n.unsigned_abs());
        while left > 0 {
            at -= 1;
            buf[at] = b'0' + (left % 10) as u8;
            left /= 10;
        }
        self.push_str(std::str::from_utf8(&buf[at..]).unwrap_or(""));
    }

    /// Appends at least `digits` hexadecimal digits, without a prefix.
    pub fn push_hex(&mut self, n: u64, digits: u32) {
        let needed = ((67 - (n | 1).leading_zeros()) / 4).max(digits);
        self.reserve(needed as usize);
        let room = &mut self.bytes[self.len..self.len + needed as usize];
        for (i, digit) in room.iter_mut().rev().enumerate() {
            let nibble = if i < 16 { n >> (4 * i) & 15 } else { 0 };
            *digit = b"0123456789abcdef"[nibble as usize];
        }
        self.len += needed as usize;
    }

    /// Fills with blanks up to `column`, counted from byte `from`.
    pub fn pad_to(&mut self, from: usize, column: usize) {
        while self.len < from + column {
            self.push(' ');
        }
    }

    #[inline]
    fn reserve(&mut self, more: usize) {
        if self.len + more + SLACK > self.bytes.len() {
            self.grow(more);
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let room = (self.bytes.len() * 2).max(self.len + more + SLACK).max(256);
        self.bytes.resize(room, 0);
    }
}

impl std::fmt::Write for Out {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts() {
        let mut out = Out::default();
        for n in [0, 7, 10, -3, i64::MIN, i64::MAX] {
            out.push_int(n);
            out.push(' ');
        }
        out.push_hex(0xabc, 8);
        out.push_hex(0, 1);
        out.push_hex(u64::MAX, 0);
        let numbers = "0 7 10 -3 -9223372036854775808 9223372036854775807 ";
        assert_eq!(out.as_str(), format!("{numbers}00000abc0ffffffffffffffff"));
    }

    #[test]
    fn the_room_is_a_guess() {
        for room in [0, 1, 1000] {
            let mut out = Out::with_room(room);
            (0..40).for_each(|_| out.push_short(&Short::of("fifteen bytes..")));
            assert_eq!(out.into_string(), "fifteen bytes..".repeat(40));
        }
        assert_eq!(Out::default().into_string(), "");
    }
}
