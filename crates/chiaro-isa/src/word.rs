//! An instruction word of up to 192 bits, and sets of bits inside it.
//!
//! Five targets need 8 to 160 bits (RDNA's image instructions with separate
//! addresses are the longest), nearly all of them at most 64. So a word is three
//! 64-bit limbs, and a piece of a [`Bits`] never crosses a limb: reading a field
//! is a shift and a mask.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not, RangeInclusive};

/// How many bits a [`Word`] holds.
pub const WORD_BITS: u8 = 192;

/// How many bytes a [`Word`] holds.
pub const WORD_BYTES: usize = WORD_BITS as usize / 8;

/// An instruction, read little-endian; bit 0 is the least significant of limb 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Word(pub [u64; 3]);

impl Word {
    /// No bit set.
    pub const ZERO: Word = Word([0; 3]);

    /// The first bytes of an instruction stream; what is missing reads as zero.
    #[inline]
    pub fn load(bytes: &[u8]) -> Word {
        match bytes.first_chunk::<WORD_BYTES>() {
            Some(whole) => Word(std::array::from_fn(|i| limb(&whole[i * 8..i * 8 + 8]))),
            None => Word::load_tail(bytes),
        }
    }

    #[cold]
    fn load_tail(bytes: &[u8]) -> Word {
        let mut padded = [0; WORD_BYTES];
        padded[..bytes.len()].copy_from_slice(bytes);
        Word::load(&padded)
    }

    /// All bytes, little-endian; the caller takes as many as the instruction has.
    pub fn to_bytes(self) -> [u8; WORD_BYTES] {
        let mut out = [0; WORD_BYTES];
        for (chunk, limb) in out.chunks_exact_mut(8).zip(self.0) {
            chunk.copy_from_slice(&limb.to_le_bytes());
        }
        out
    }

    /// The lowest `bytes` bytes set, for masking a word to an instruction's length.
    #[inline]
    pub const fn low_bytes(bytes: u8) -> Word {
        if bytes as usize > WORD_BYTES { LOW_BYTES[WORD_BYTES] } else { LOW_BYTES[bytes as usize] }
    }

    /// One bit.
    #[inline]
    pub const fn bit(self, n: u8) -> bool {
        self.0[n as usize / 64] >> (n % 64) & 1 == 1
    }

    /// The word with one bit set.
    #[must_use]
    pub const fn with_bit(mut self, n: u8) -> Word {
        self.0[n as usize / 64] |= 1 << (n % 64);
        self
    }

    /// How many bits are set.
    pub const fn count_ones(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()
    }

    /// Whether no bit is set.
    #[inline]
    pub const fn is_zero(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] == 0
    }
}

/// By length: its bytes set.
static LOW_BYTES: [Word; WORD_BYTES + 1] = {
    let mut all = [Word::ZERO; WORD_BYTES + 1];
    let mut bytes = 1;
    while bytes <= WORD_BYTES {
        all[bytes] = all[bytes - 1];
        all[bytes].0[(bytes - 1) / 8] |= 0xff << ((bytes - 1) % 8 * 8);
        bytes += 1;
    }
    all
};

/// Bytes as words of 32 bits, little-endian, the lowest first; what the last one misses is zero.
pub fn dwords(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let part = |chunk: &[u8]| chunk.iter().rev().fold(0, |dword, byte| dword << 8 | u32::from(*byte));
    bytes.chunks(4).map(move |chunk| chunk.try_into().map_or_else(|_| part(chunk), u32::from_le_bytes))
}

#[inline]
fn limb(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("a limb is eight bytes"))
}

impl From<u64> for Word {
    fn from(low: u64) -> Word {
        Word([low, 0, 0])
    }
}

impl From<u128> for Word {
    fn from(low: u128) -> Word {
        Word([low as u64, (low >> 64) as u64, 0])
    }
}

impl BitAnd for Word {
    type Output = Word;
    #[inline]
    fn bitand(self, o: Word) -> Word {
        Word([self.0[0] & o.0[0], self.0[1] & o.0[1], self.0[2] & o.0[2]])
    }
}

impl BitOr for Word {
    type Output = Word;
    #[inline]
    fn bitor(self, o: Word) -> Word {
        Word([self.0[0] | o.0[0], self.0[1] | o.0[1], self.0[2] | o.0[2]])
    }
}

impl BitOrAssign for Word {
    #[inline]
    fn bitor_assign(&mut self, o: Word) {
        *self = *self | o;
    }
}

impl Not for Word {
    type Output = Word;
    #[inline]
    fn not(self) -> Word {
        Word([!self.0[0], !self.0[1], !self.0[2]])
    }
}

/// Hexadecimal, most significant digit first, without leading zero limbs.
impl fmt::LowerHex for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [low, 0, 0] => fmt::LowerHex::fmt(&low, f),
            [low, mid, 0] => write!(f, "{:x}", u128::from(mid) << 64 | u128::from(low)),
            [low, mid, high] => write!(f, "{high:x}{mid:016x}{low:016x}"),
        }
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:#x}")
    }
}

/// How many pieces a scattered field may have, after cutting at limb borders.
const PIECES: usize = 6;

/// Bits of a word, written as the manuals write them: inclusive ranges, the most
/// significant piece first. At most 64 bits in total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bits {
    pieces: [Piece; PIECES],
    count: u8,
    width: u8,
    /// The limb that holds all pieces, or [`SPREAD`]. Nearly every field lies in one
    /// limb, and is then read and written without touching the others.
    limb: u8,
    mask: Word,
}

/// [`Bits::limb`] of a field with pieces in several limbs.
const SPREAD: u8 = 3;

/// `len` bits (1 to 64) from bit `lo` (0 to 63) of a limb, which are those of the
/// value from bit `shift` (0 to 63) on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    limb: u8,
    lo: u8,
    len: u8,
    shift: u8,
}

const NO_PIECE: Piece = Piece { limb: 0, lo: 0, len: 1, shift: 0 };

/// A single bit.
pub const fn bit(n: u8) -> Bits {
    split([n..=n])
}

/// A contiguous field, `lo..=hi`.
pub const fn at(range: RangeInclusive<u8>) -> Bits {
    split([range])
}

/// A scattered field, the most significant piece first.
///
/// # Panics
/// At compile time, where used in a `static`, if a range runs backwards, lies
/// outside the word, or the field has more pieces or bits than fit.
pub const fn split<const N: usize>(ranges: [RangeInclusive<u8>; N]) -> Bits {
    let mut bits = Bits::NONE;
    let mut i = 0;
    while i < N {
        let (lo, hi) = (*ranges[i].start(), *ranges[i].end());
        assert!(lo <= hi, "a bit range runs from the lower to the higher bit");
        assert!(hi < WORD_BITS, "a bit range lies inside the word");
        let border = hi / 64 * 64;
        bits = if lo < border { bits.with(border, hi).with(lo, border - 1) } else { bits.with(lo, hi) };
        i += 1;
    }
    bits
}

impl Bits {
    /// The empty set: an operand that takes no bits.
    pub const NONE: Bits = Bits { pieces: [NO_PIECE; PIECES], count: 0, width: 0, limb: 0, mask: Word::ZERO };

    /// The bits that are set in `mask`, for masks of few runs: what a layout leaves over.
    ///
    /// # Panics
    /// At compile time, where used in a `static`, if the runs are more than a field may have.
    pub const fn of(mask: Word) -> Bits {
        let mut bits = Bits::NONE;
        let mut n = WORD_BITS;
        while n > 0 {
            n -= 1;
            if !mask.bit(n) {
                continue;
            }
            let top = n;
            while n > top / 64 * 64 && mask.bit(n - 1) {
                n -= 1;
            }
            bits = bits.with(n, top);
        }
        bits
    }

    const fn with(mut self, lo: u8, hi: u8) -> Bits {
        let len = hi - lo + 1;
        assert!((self.count as usize) < PIECES, "a field has too many pieces");
        assert!(self.width + len <= 64, "a field is wider than 64 bits");
        assert!(lo / 64 == hi / 64, "a piece spans more than two limbs");
        let piece = Piece { limb: lo / 64, lo: lo % 64, len, shift: 0 };
        let mut above = 0;
        while above < self.count as usize {
            self.pieces[above].shift += len;
            above += 1;
        }
        self.limb = if self.count == 0 || self.limb == piece.limb { piece.limb } else { SPREAD };
        self.mask.0[piece.limb as usize] |= low_bits(len) << piece.lo;
        self.pieces[self.count as usize] = piece;
        self.count += 1;
        self.width += len;
        self
    }

    /// How many bits.
    #[inline]
    pub const fn width(&self) -> u8 {
        self.width
    }

    /// The bits set, the others clear.
    #[inline]
    pub const fn mask(&self) -> Word {
        self.mask
    }

    /// The field's value, right-aligned.
    #[inline]
    pub fn gather(&self, word: &Word) -> u64 {
        if self.limb == SPREAD {
            return self.pieces().iter().fold(0, |raw, p| raw | p.gather(word.0[usize::from(p.limb)]));
        }
        let limb = word.0[usize::from(self.limb)];
        match self.pieces() {
            [p] => limb >> p.lo & p.mask(),
            // Most of the others, without a loop.
            [p, q] => p.gather(limb) | q.gather(limb),
            [p, q, r] => p.gather(limb) | q.gather(limb) | r.gather(limb),
            pieces => pieces.iter().fold(0, |raw, p| raw | p.gather(limb)),
        }
    }

    /// The word that holds `raw` in this field; bits above the width are ignored.
    #[inline]
    pub fn scatter(&self, raw: u64) -> Word {
        let mut word = Word::ZERO;
        self.put(raw, &mut word);
        word
    }

    /// Adds the bits of `raw` to the field.
    #[inline]
    pub(crate) fn put(&self, raw: u64, word: &mut Word) {
        if self.limb == SPREAD {
            return self.pieces().iter().for_each(|p| word.0[usize::from(p.limb)] |= p.scatter(raw));
        }
        word.0[usize::from(self.limb)] |= match self.pieces() {
            [p] => (raw & p.mask()) << p.lo,
            // Most of the others, without a loop.
            [p, q] => p.scatter(raw) | q.scatter(raw),
            [p, q, r] => p.scatter(raw) | q.scatter(raw) | r.scatter(raw),
            pieces => pieces.iter().fold(0, |limb, p| limb | p.scatter(raw)),
        };
    }

    /// Sets every bit of the field.
    #[inline]
    pub(crate) fn fill(&self, word: &mut Word) {
        match self.limb {
            SPREAD => *word |= self.mask,
            limb => word.0[usize::from(limb)] |= self.mask.0[usize::from(limb)],
        }
    }

    /// Whether a bit of the field is set.
    #[inline]
    pub(crate) fn any(&self, word: &Word) -> bool {
        match self.limb {
            SPREAD => !(*word & self.mask).is_zero(),
            limb => word.0[usize::from(limb)] & self.mask.0[usize::from(limb)] != 0,
        }
    }

    /// Whether two fields share a bit.
    pub fn overlaps(&self, other: &Bits) -> bool {
        other.any(&self.mask)
    }

    #[inline]
    fn pieces(&self) -> &[Piece] {
        &self.pieces[..self.count as usize]
    }

    /// The pieces as inclusive ranges, the most significant first.
    pub fn ranges(&self) -> impl Iterator<Item = RangeInclusive<u8>> + '_ {
        self.pieces().iter().map(|p| {
            let lo = p.limb * 64 + p.lo;
            lo..=lo + (p.len - 1)
        })
    }

    /// Where `width` bits of the field's value are, from its bit `low` on.
    #[must_use]
    pub fn part(&self, low: u8, width: u8) -> Bits {
        let within = |p: &Piece| {
            let (from, to) = (p.shift.max(low), (p.shift + p.len).min(low + width));
            (from < to).then(|| (p.limb * 64 + p.lo + from - p.shift, to - from))
        };
        let pieces = self.pieces().iter().filter_map(within);
        pieces.fold(Bits::NONE, |bits, (first, len)| bits.with(first, first + len - 1))
    }

    /// Where those bits of the field's value are that are set in `which`, in their order.
    pub(crate) fn chosen(&self, which: u64) -> Bits {
        let mut bits = Bits::NONE;
        for p in self.pieces() {
            let mut left = which >> p.shift & p.mask();
            while left != 0 {
                let top = 63 - left.leading_zeros() as u8;
                let len = (left << (63 - top)).leading_ones() as u8;
                let first = p.limb * 64 + p.lo + (top + 1 - len);
                bits = bits.with(first, first + (len - 1));
                left &= low_bits(top + 1 - len);
            }
        }
        bits
    }

    /// All of them, if they stand side by side.
    pub(crate) fn run(&self) -> Option<Run> {
        match self.pieces() {
            [p] => Some(Run { limb: p.limb, lo: p.lo, mask: p.mask() }),
            _ => None,
        }
    }

    /// All of them, if they are no more than 16 in a few pieces of one limb.
    pub(crate) fn near(&self) -> Option<Near> {
        let pieces = self.pieces();
        let fits = self.limb != SPREAD && pieces.len() <= NEAR && self.width <= 16;
        let mut near = Near { limb: self.limb, takes: [(0, 0); NEAR] };
        for (take, piece) in near.takes.iter_mut().zip(pieces) {
            *take = ((64 + piece.lo - piece.shift) % 64, (piece.mask() << piece.shift) as u16);
        }
        fits.then_some(near)
    }

    /// The highest bit, or `None` if the set is empty.
    pub fn top(&self) -> Option<u8> {
        self.ranges().map(|r| *r.end()).max()
    }
}

/// Bits side by side in one limb, ready to be read.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    limb: u8,
    lo: u8,
    mask: u64,
}

impl Run {
    #[inline]
    pub(crate) fn gather(self, word: &Word) -> u64 {
        self.limb(word) >> (self.lo & 63) & self.mask
    }

    /// The limb that they are in.
    #[inline]
    pub(crate) fn limb(self, word: &Word) -> u64 {
        word.0.get(usize::from(self.limb)).copied().unwrap_or(0)
    }

    /// Whether the other limbs of a word are zero.
    pub(crate) fn holds(self, word: &Word) -> bool {
        others_are_zero(self.limb, word)
    }
}

/// Pieces that a [`Near`] has room for.
const NEAR: usize = 4;

/// A few pieces of one limb, ready to be read without a loop.
#[derive(Clone, Copy)]
pub(crate) struct Near {
    limb: u8,
    /// Rotation to the right, and the bits of the value that are then in place.
    takes: [(u8, u16); NEAR],
}

impl Near {
    #[inline]
    pub(crate) fn gather(&self, word: &Word) -> u64 {
        let limb = self.limb(word);
        let [a, b, c, d] = self.takes.map(|(turn, mask)| limb.rotate_right(turn.into()) & u64::from(mask));
        a | b | c | d
    }

    /// The limb that they are in.
    #[inline]
    pub(crate) fn limb(&self, word: &Word) -> u64 {
        word.0.get(usize::from(self.limb)).copied().unwrap_or(0)
    }

    /// Whether the other limbs of a word are zero.
    pub(crate) fn holds(&self, word: &Word) -> bool {
        others_are_zero(self.limb, word)
    }
}

fn others_are_zero(limb: u8, word: &Word) -> bool {
    word.0.iter().enumerate().all(|(n, bits)| n == usize::from(limb) || *bits == 0)
}

impl Piece {
    /// As many low bits as the piece has.
    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.len)
    }

    /// What the piece of a limb gives the value.
    #[inline]
    fn gather(&self, limb: u64) -> u64 {
        (limb >> self.lo & self.mask()) << self.shift
    }

    /// What the value gives the piece of a limb.
    #[inline]
    fn scatter(&self, raw: u64) -> u64 {
        (raw >> self.shift & self.mask()) << self.lo
    }
}

/// As manuals print it: `25:21,35:32`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, r) in self.ranges().enumerate() {
            let sep = if i > 0 { "," } else { "" };
            match r.start() == r.end() {
                true => write!(f, "{sep}{}", r.start())?,
                false => write!(f, "{sep}{}:{}", r.end(), r.start())?,
            }
        }
        Ok(())
    }
}

/// The lowest `width` bits set.
#[inline]
pub(crate) const fn low_bits(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_at_limbs_and_read_back() {
        let bits = split([60..=70, 3..=5, 128..=140]);
        assert_eq!(bits.width(), 27);
        let word = bits.scatter(0x5a5_a5a5);
        assert_eq!(bits.gather(&word), 0x5a5_a5a5 & low_bits(27));
        assert!((word & !bits.mask()).is_zero());
        assert_eq!(at(0..=63).gather(&at(0..=63).scatter(u64::MAX)), u64::MAX);
    }

    #[test]
    fn a_bit_in_any_limb_is_not_nothing() {
        for bits in [&[0, 64][..], &[0, 128], &[64, 128], &[0, 64, 128], &[191]] {
            let word = bits.iter().fold(Word::ZERO, |word, bit| word.with_bit(*bit));
            assert!(!word.is_zero(), "{bits:?}");
        }
        assert!(Word::ZERO.is_zero());
    }

    #[test]
    fn a_part_of_a_field_has_its_own_places() {
        let bits = split([60..=65, 3..=5]);
        assert_eq!(bits.part(0, 3), at(3..=5));
        assert_eq!(bits.part(2, 3).to_string(), "61:60,5");
        assert_eq!(bits.part(6, 3), at(63..=65));
        assert_eq!(bits.part(9, 2), Bits::NONE);
    }

    #[test]
    fn chosen_bits_keep_their_order() {
        let bits = split([43..=43, 52..=52, 0..=15]);
        assert_eq!(bits.chosen(0x1_78ff), split([52..=52, 11..=14, 0..=7]));
        assert_eq!(bits.chosen(u64::MAX), bits);
        assert_eq!(split([63..=66]).chosen(0b1001), split([66..=66, 63..=63]));
        assert_eq!(at(0..=63).chosen(1 << 63 | 1), split([63..=63, 0..=0]));
        assert_eq!(bits.chosen(0), Bits::NONE);
    }

    #[test]
    fn the_lowest_bits_of_a_scattered_field() {
        let bits = split([61..=61, 64..=95, 32..=40]);
        assert_eq!(bits.part(0, 9), at(32..=40));
        assert_eq!(bits.part(0, 12), split([64..=66, 32..=40]));
        assert_eq!(bits.part(0, 64), bits);
    }

    #[test]
    fn a_short_stream_reads_as_zero_beyond_its_end() {
        assert_eq!(Word::load(&[1, 2]), Word::from(0x0201u64));
        assert_eq!(Word::low_bytes(20).0, [u64::MAX, u64::MAX, 0xffff_ffff]);
        assert_eq!(Word::low_bytes(8).0, [u64::MAX, 0, 0]);
    }
}
