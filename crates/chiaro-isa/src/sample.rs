//! Random valid instructions, for tests and for `chiaro sample`.

use crate::cx::Cx;
use crate::isa::{Inst, Isa};
use crate::word::Word;

/// A small generator of our own (splitmix64), so that a seed means the same everywhere.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 random bits.
    #[allow(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (u128::from(self.next()) * n as u128 >> 64) as usize
    }

    /// A random word.
    pub fn word(&mut self) -> Word {
        Word([self.next(), self.next(), self.next()])
    }
}

/// How often a sample is tried before the form counts as impossible.
const TRIES: usize = 2_000;

impl Isa {
    /// A word of this form whose operands are all valid, break no rule, and encode
    /// back to it. `None` if none was found: then the form's kinds contradict each
    /// other.
    pub fn sample(&self, form: u16, rng: &mut Rng) -> Option<Inst> {
        let cx = self.cx();
        (0..TRIES).find_map(|_| self.attempt(form, rng, &cx))
    }

    fn attempt(&self, form: u16, rng: &mut Rng, cx: &Cx) -> Option<Inst> {
        let (mask, value) = self.pattern(form);
        let format = self.forms[form as usize].format;
        let mut word = value | rng.word() & self.claimed(form) & !mask;
        let mut settled = mask;
        for field in format.fields {
            let open = field.bits.mask() & !mask;
            let before = word;
            // Sparse kinds (a few names in many bits) get several throws of their own.
            for _ in 0..32 {
                if field.kind.decode(field.bits.gather(&word), cx).is_some() {
                    break;
                }
                word = word & !open | rng.word() & open;
            }
            // Where other fields leave an operand no room but to be absent, it is zero.
            if field.kind.decode(field.bits.gather(&word), cx).is_none() {
                word = before & !(open & !settled);
            }
            settled |= field.bits.mask();
        }
        let length = format.length.of(&word);
        let inst = Inst { word: word & Word::low_bytes(length), form, length };
        let values = self.values(&inst, cx).all()?;
        // A long instruction whose long part is zero comes back short: that one is taken.
        let again = self.encode(form, &values, cx).ok()?;
        let decoded = self.decode_word(&again.word, again.length as usize).ok()?;
        (decoded == again && self.values(&again, cx).all()? == values).then_some(again)
    }
}
