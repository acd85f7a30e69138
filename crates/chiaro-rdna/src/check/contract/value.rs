//! What is known of a register or a dword of the frame: whose value it is.

use std::collections::BTreeMap;

/// What a scalar holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    /// This number.
    Number(u32),
    /// What a register held at entry, plus a number.
    Entry(u16, u32),
    /// The place in a lane's scratch so many bytes behind the stack pointer at entry.
    Frame(i32),
    /// What a vector register holds in the lowest lane that runs, since EXEC changed at this word.
    First(u16, u32),
    /// A half of the number that the comparison at this word has found in a pair of vector registers.
    Wanted(u32, u8),
    /// The number of the lowest lane that wants another function, by the comparison at this word.
    Lowest(u32),
    /// A half of what that lane wants.
    Next(u32, u8),
    /// A half of where the program counter was at this word.
    Here(u32, u8),
    /// A half of the address of one of these functions.
    Address(Functions, u8),
    /// Anything: a call left it there.
    Clobbered(u32),
    /// Anything: the instruction at this word computed it.
    Written(u32),
    /// Nobody knows, since this word.
    Unknown(u32),
}

/// Some of the functions whose contracts are known, a bit for each in their order; the last one stands for the number 0,
/// which is none of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Functions(u64);

impl Functions {
    /// No function: the number 0.
    pub(super) const NONE: Functions = Functions(1 << 63);

    /// The function of a number, as long as there is a bit for it.
    pub(super) fn one(number: usize) -> Option<Functions> {
        (number < 63).then(|| Functions(1 << number))
    }

    pub(super) fn or(self, other: Functions) -> Functions {
        Functions(self.0 | other.0)
    }

    /// The same where it is known that the number is not 0.
    pub(super) fn without_none(self) -> Functions {
        Functions(self.0 & !Functions::NONE.0)
    }

    pub(super) fn may_be_none(self) -> bool {
        self.0 & Functions::NONE.0 != 0
    }

    /// Their numbers.
    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        (0..63).filter(move |number| self.0 >> number & 1 == 1)
    }
}

impl Scalar {
    /// The functions of which it is a half of an address; 0 is the address of none.
    pub(super) fn functions(self, half: u8) -> Option<Functions> {
        match self {
            Scalar::Address(functions, own) if own == half => Some(functions),
            Scalar::Number(0) => Some(Functions::NONE),
            _ => None,
        }
    }

    /// Either of two halves of addresses, if both are such and one is of a function.
    pub(super) fn either(self, other: Scalar) -> Option<Scalar> {
        let ((Scalar::Address(_, half), _) | (_, Scalar::Address(_, half))) = (self, other) else {
            return None;
        };
        Some(Scalar::Address(self.functions(half)?.or(other.functions(half)?), half))
    }

    /// What holds where two ways meet at a word.
    pub(super) fn join(self, other: Scalar, word: u32) -> Scalar {
        if let Some(either) = self.either(other) {
            return either;
        }
        match (self, other) {
            (a, b) if a == b => a,
            // An address is computed as any other number.
            (Scalar::Address(..) | Scalar::Here(..), b) => Scalar::Written(word).join(b, word),
            (a, Scalar::Address(..) | Scalar::Here(..)) => Scalar::Written(word).join(a, word),
            // Where one way has lost a value, it is lost behind both.
            (a @ (Scalar::Clobbered(_) | Scalar::Written(_)), b) => a.worse(b),
            (a, b @ (Scalar::Clobbered(_) | Scalar::Written(_))) => b.worse(a),
            (a @ Scalar::Unknown(_), _) | (_, a @ Scalar::Unknown(_)) => a,
            _ => Scalar::Unknown(word),
        }
    }

    /// The earlier of two losses, so that joining comes to an end.
    fn worse(self, other: Scalar) -> Scalar {
        match (self, other) {
            (Scalar::Clobbered(a), Scalar::Clobbered(b)) => Scalar::Clobbered(a.min(b)),
            (Scalar::Written(a), Scalar::Written(b)) => Scalar::Written(a.min(b)),
            (Scalar::Clobbered(_), Scalar::Written(word)) => Scalar::Written(word),
            _ => self,
        }
    }

    /// The same plus a number, made at a word.
    pub(super) fn plus(self, n: u32, word: u32) -> Scalar {
        match self {
            Scalar::Number(a) => Scalar::Number(a.wrapping_add(n)),
            Scalar::Entry(register, add) => Scalar::Entry(register, add.wrapping_add(n)),
            Scalar::Frame(at) => Scalar::Frame(at.wrapping_add(n as i32)),
            _ => Scalar::Written(word),
        }
    }
}

/// Lanes of three kinds: those that sleep when the function begins, those that it serves, and those that wait.
pub(super) const KINDS: usize = 3;
/// Those that sleep when the function begins.
pub(super) const SLEEPING: usize = 0;
/// Those that run when the function begins, and that it is for.
pub(super) const RUNNING: usize = 1;
/// Those that run then, and want another function or none: only where a function goes over what lanes want.
pub(super) const WAITING: usize = 2;

/// What a vector register holds, or a dword of each lane's scratch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Vector {
    /// In lanes of each kind.
    pub(super) lanes: [Tag; KINDS],
    /// Scalars that were put into single lanes since.
    pub(super) put: BTreeMap<u8, Put>,
    /// Whether lanes of each kind may still hold what was put there.
    pub(super) stands: [bool; KINDS],
}

/// A scalar in a single lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Put {
    pub(super) value: Scalar,
    /// The word of a call that may have left anything there since, or in its place on another way.
    pub(super) lost: Option<u32>,
}

impl Put {
    /// What holds where two ways meet at a word.
    fn join(self, other: Put, word: u32) -> Put {
        Put { value: self.value.join(other.value, word), lost: earlier(self.lost, other.lost) }
    }
}

/// The earlier of two words, if there is one.
fn earlier(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    a.into_iter().chain(b).min()
}

/// What lanes hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tag {
    /// What a vector register held there at entry.
    Entry(u16),
    /// What a dword of the stack held there at entry, by its bytes from the stack pointer.
    Slot(i32),
    /// All the same scalar.
    Same(Scalar),
    /// Each a half of the address of one of these functions.
    Address(Functions, u8),
    /// Nothing was stored there yet.
    Nothing,
    /// Anything: a call left it there.
    Clobbered(u32),
    /// Anything in some of the lanes, or on some ways: a call left it there.
    Partly(u32),
    /// Anything: the instruction at this word computed it.
    Written(u32),
    /// Nobody knows, since this word.
    Unknown(u32),
}

impl Tag {
    /// The functions of which each lane holds a half of an address.
    pub(super) fn functions(self, half: u8) -> Option<Functions> {
        match self {
            Tag::Same(scalar) => scalar.functions(half),
            Tag::Address(functions, own) if own == half => Some(functions),
            _ => None,
        }
    }

    /// The half of an address that lanes hold.
    pub(super) fn half(self) -> Option<u8> {
        match self {
            Tag::Same(Scalar::Address(_, half)) | Tag::Address(_, half) => Some(half),
            _ => None,
        }
    }

    /// Either of two, lane by lane, if both are halves of addresses and one is of a function.
    pub(super) fn either(self, other: Tag) -> Option<Tag> {
        let half = self.half().or(other.half())?;
        Some(Tag::Address(self.functions(half)?.or(other.functions(half)?), half))
    }

    /// The word of a call that may have left anything there.
    fn lost(self) -> Option<u32> {
        match self {
            Tag::Clobbered(word) | Tag::Partly(word) => Some(word),
            _ => None,
        }
    }

    /// What holds where two ways meet, or where only some of the lanes are written.
    pub(super) fn join(self, other: Tag, word: u32) -> Tag {
        if let Some(either) = self.either(other).filter(|_| self != other) {
            return either;
        }
        match (self, other) {
            (a, b) if a == b => a,
            (Tag::Address(..), b) => Tag::Written(word).join(b, word),
            (a, Tag::Address(..)) => Tag::Written(word).join(a, word),
            (Tag::Written(a), Tag::Written(b)) => Tag::Written(a.min(b)),
            (Tag::Clobbered(a), Tag::Clobbered(b)) => Tag::Clobbered(a.min(b)),
            _ if let Some(at) = earlier(self.lost(), other.lost()) => Tag::Partly(at),
            (a @ Tag::Written(_), _) | (_, a @ Tag::Written(_)) => a,
            (a @ Tag::Unknown(_), _) | (_, a @ Tag::Unknown(_)) => a,
            (Tag::Same(a), Tag::Same(b)) => Tag::Same(a.join(b, word)),
            _ => Tag::Unknown(word),
        }
    }
}

impl Vector {
    /// Lanes of which none was written alone.
    pub(super) fn of(lanes: [Tag; KINDS]) -> Vector {
        Vector { lanes, put: BTreeMap::new(), stands: [false; KINDS] }
    }

    /// Puts a scalar into a lane, whichever kind that is.
    pub(super) fn put(&mut self, lane: u8, value: Scalar) {
        self.put.insert(lane, Put { value, lost: None });
        self.stands = [true; KINDS];
    }

    /// What was put into a lane, if it stands there for sure or a call has left anything in its place.
    pub(super) fn held(&self, lane: u8) -> Option<Put> {
        self.put.get(&lane).copied().filter(|_| self.stands == [true; KINDS])
    }

    /// What is in a lane where nothing may have been put there alone.
    fn in_lane(&self, lane: u8, word: u32) -> Put {
        let other = || Put { value: Scalar::Unknown(word), lost: self.lanes[RUNNING].lost() };
        self.put.get(&lane).copied().unwrap_or_else(other)
    }

    /// A register as it is at entry.
    pub(super) fn entry(register: u16) -> Vector {
        Vector::of([Tag::Entry(register); KINDS])
    }

    /// A dword of the frame before anything is stored.
    pub(super) fn nothing() -> Vector {
        Vector::of([Tag::Nothing; KINDS])
    }

    /// What holds where two ways meet at a word, on which there are lanes of some kinds: of a kind that only one of them has,
    /// what holds on that.
    pub(super) fn join(&self, other: &Vector, has: [[bool; KINDS]; 2], word: u32) -> Vector {
        let lanes = std::array::from_fn(|kind| match has.map(|has| has[kind]) {
            [true, false] => self.lanes[kind],
            [false, true] => other.lanes[kind],
            _ => self.lanes[kind].join(other.lanes[kind], word),
        });
        let both = self.put.keys().chain(other.put.keys());
        let put = both.map(|lane| (*lane, self.in_lane(*lane, word).join(other.in_lane(*lane, word), word)));
        let stands = std::array::from_fn(|kind| self.stands[kind] || other.stands[kind]);
        Vector { lanes, put: put.collect(), stands }
    }

    /// Takes over a value in some lanes: of each kind, whether all of them run and whether any may.
    pub(super) fn write(&mut self, value: &Vector, reach: [Reach; KINDS], word: u32) {
        if reach == [Reach::All; KINDS] {
            return self.clone_from(value);
        }
        let before = self.clone();
        for (kind, reach) in reach.into_iter().enumerate() {
            self.lanes[kind] = match reach {
                Reach::All => value.lanes[kind],
                Reach::None => self.lanes[kind],
                // Nobody may run lanes that sleep, so which of them do is not known, rather than some.
                Reach::Some if kind == SLEEPING && self.lanes[kind] != value.lanes[kind] => {
                    Tag::Unknown(word)
                }
                Reach::Some => self.lanes[kind].join(value.lanes[kind], word),
            };
        }
        for (kind, reach) in reach.into_iter().enumerate() {
            // A lane that something was put into may be of this kind.
            match reach {
                Reach::None => continue,
                Reach::All => self.stands[kind] = value.stands[kind],
                Reach::Some => self.stands[kind] |= value.stands[kind],
            }
            for lane in before.put.keys().chain(value.put.keys()) {
                let new = match value.put.get(lane) {
                    Some(put) => put.lost,
                    None => value.lanes[kind].lost(),
                };
                let lost = earlier(before.in_lane(*lane, word).lost, new);
                self.put.insert(*lane, Put { value: Scalar::Unknown(word), lost });
            }
        }
        if self.stands == [false; KINDS] {
            self.put.clear();
        }
    }
}

/// Which lanes of a kind an instruction writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// All of them.
    All,
    /// None of them.
    None,
    /// Maybe some.
    Some,
}

/// The least and the most that a lane may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bounds {
    /// Numbers.
    Number(u32, u32),
    /// Bytes of a lane from the stack pointer at entry.
    Place(i32, i32),
}

/// By register: what is known of it in all lanes that run.
pub(super) type Known = BTreeMap<u16, Bounds>;

impl Bounds {
    pub(super) fn plus(self, other: Bounds) -> Option<Bounds> {
        Some(match (self, other) {
            (Bounds::Number(a, b), Bounds::Number(c, d)) => {
                // Where the most fits, so does the least.
                let most = b.checked_add(d)?;
                Bounds::Number(a + c, most)
            }
            (Bounds::Place(a, b), Bounds::Number(c, d)) | (Bounds::Number(c, d), Bounds::Place(a, b)) => {
                let (c, d) = (i32::try_from(c).ok()?, i32::try_from(d).ok()?);
                Bounds::Place(a.checked_add(c)?, b.checked_add(d)?)
            }
            _ => return None,
        })
    }

    pub(super) fn times(self, factor: u32) -> Option<Bounds> {
        let Bounds::Number(least, most) = self else { return None };
        let most = most.checked_mul(factor)?;
        Some(Bounds::Number(least * factor, most))
    }

    /// The same where an instruction looks at 24 bits of it alone: a larger number is another one then.
    pub(super) fn of_24_bits(self) -> Option<Bounds> {
        match self {
            Bounds::Number(_, most) => (most < 1 << 24).then_some(self),
            Bounds::Place(..) => None,
        }
    }

    pub(super) fn number(self) -> Option<u32> {
        match self {
            Bounds::Number(a, b) if a == b => Some(a),
            _ => None,
        }
    }

    /// At most so much: of a mask or a minimum, whatever the other operand is.
    pub(super) fn most(self) -> Option<u32> {
        match self {
            Bounds::Number(_, most) => Some(most),
            Bounds::Place(..) => None,
        }
    }
}

/// A sum with the lower half of where the program counter was: the word, and what was added.
pub(super) type Carried = (u32, u32);

/// A question whether a pair of scalars is 0: the first of them, and whether SCC is 1 where it is not.
pub(super) type AsksNone = (u16, bool);

#[cfg(test)]
mod tests {
    use super::Bounds::{Number, Place};

    /// What may wrap around is not known.
    #[test]
    fn sums_and_products_that_wrap_around_have_no_bounds() {
        assert_eq!(Number(1, 3).plus(Number(4, 5)), Some(Number(5, 8)));
        assert_eq!(Number(u32::MAX, u32::MAX).plus(Number(1, 1)), None);
        assert_eq!(Number(0, u32::MAX).plus(Number(0, 1)), None);
        assert_eq!(Place(8, 12).plus(Number(4, 8)), Some(Place(12, 20)));
        assert_eq!(Place(8, 12).plus(Number(0, 1 << 31)), None);
        assert_eq!((Number(1, 3).times(4), Number(1, 1 << 30).times(4)), (Some(Number(4, 12)), None));
    }

    #[test]
    fn numbers_of_24_bits_are_looked_at_whole() {
        let most = (1 << 24) - 1;
        assert_eq!(Number(0, most).of_24_bits(), Some(Number(0, most)));
        assert_eq!((Number(0, 1 << 24).of_24_bits(), Place(0, 4).of_24_bits()), (None, None));
    }
}
