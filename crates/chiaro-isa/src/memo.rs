//! Texts that are made when they are first asked for: of all that a field could say, a program says
//! little, and so wide fields cost nothing in advance.

use crate::out::Short;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Texts by number. Clones share what is made.
///
/// A text is two halves of eight bytes. The last byte of the second one is 0 until the text is made,
/// [`NONE`] if there is none to keep, else one more than its length.
#[derive(Clone)]
pub(crate) struct Memo(Arc<[[AtomicU64; 2]]>);

/// Where the last byte of the second half is.
const LAST: u32 = 56;
/// The second half where the kind is to be asked: it knows whether the bits are invalid.
const NONE: u64 = 0xff << LAST;

impl Memo {
    /// For numbers of so many bits.
    pub(crate) fn new(bits: u32) -> Memo {
        Memo((0..1u32 << bits).map(|_| [const { AtomicU64::new(0) }; 2]).collect())
    }

    /// The text of a number; `None` if the number is too large, or no text was made of it.
    #[inline]
    pub(crate) fn get(&self, n: u64, make: impl FnOnce() -> Option<Short>) -> Option<Short> {
        let [low, high] = self.0.get(n as usize)?;
        // The second half is written last.
        match high.load(Ordering::Acquire) {
            0 => self.make(n, make()),
            NONE => None,
            more => Some(Short::of_halves(low.load(Ordering::Relaxed), more - (1 << LAST))),
        }
    }

    #[cold]
    fn make(&self, n: u64, text: Option<Short>) -> Option<Short> {
        let [low, high] = &self.0[n as usize];
        let (first, second) = text.map_or((0, NONE), |text| {
            let (first, second) = text.halves();
            (first, second + (1 << LAST))
        });
        low.store(first, Ordering::Relaxed);
        high.store(second, Ordering::Release);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_made_once() {
        let memo = Memo::new(2);
        let again = memo.clone();
        for text in ["", "fifteen bytes..", "v1"] {
            let n = text.len() as u64 % 4;
            assert_eq!(memo.get(n, || Short::new(text)), Short::new(text));
            assert_eq!(again.get(n, || None), Short::new(text), "made already");
        }
        assert_eq!(memo.get(1, || None), None);
        assert_eq!(memo.get(1, || Short::new("late")), None, "that there is none is kept");
        assert_eq!(memo.get(4, || Short::new("x")), None, "no such number");
    }
}
