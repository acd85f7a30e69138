//! Lines that end with a backslash are joined with the next one, before anything else.
//!
//! ES 1.00 and desktop before 4.20 do not say so, but every driver joins them there too, and
//! many old shaders rely on it.

use std::borrow::Cow;

/// Where bytes were taken out: for each place, the offset in the joined text and how many bytes
/// are missing up to there. Ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Splices {
    gaps: Vec<(usize, usize)>,
}

impl Splices {
    /// The offset in the original text.
    pub(super) fn original(&self, joined: usize) -> usize {
        if self.gaps.is_empty() {
            return joined;
        }
        match self.gaps.partition_point(|&(at, _)| at <= joined) {
            0 => joined,
            n => joined + self.gaps[n - 1].1,
        }
    }
}

/// Joins lines. Most texts have nothing to join and are borrowed.
pub(super) fn splice(text: &str) -> (Cow<'_, str>, Splices) {
    let mut splices = Splices::default();
    let mut joined = String::new();
    let mut rest = text;
    let mut missing = 0;
    while let Some((before, end)) = next(rest) {
        joined.push_str(&rest[..before]);
        missing += end - before;
        splices.gaps.push((joined.len(), missing));
        rest = &rest[end..];
    }
    if missing == 0 {
        return (Cow::Borrowed(text), splices);
    }
    joined.push_str(rest);
    (Cow::Owned(joined), splices)
}

/// The first backslash before a line end, and where the next line starts.
fn next(text: &str) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = from + text[from..].find('\\')?;
        let length = match bytes[at + 1..] {
            [b'\r', b'\n', ..] => 3,
            [b'\n' | b'\r', ..] => 2,
            _ => 0,
        };
        if length > 0 {
            return Some((at, at + length));
        }
        from = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_the_original() {
        let (joined, splices) = splice("ab\\\ncd\\\r\nef\\x");
        assert_eq!(joined, "abcdef\\x");
        let back = |joined| splices.original(joined);
        assert_eq!([back(0), back(1), back(2), back(3), back(4), back(6)], [0, 1, 4, 5, 9, 11]);
        assert!(matches!(splice("no \\ end").0, Cow::Borrowed(_)));
    }
}
