//! Path conditions: the boolean uniforms and flags that a path has tested.
//!
//! Two tests of the same uniform agree, and so do two tests of a flag with no comparison between
//! them; there is no unconditional jump, so people write pairs of opposite ones. Following paths
//! with what they know tells such pairs from mistakes.

use super::step::Test;

/// What is possible; at the start everything is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Facts {
    /// Bit k: bk is known, and its value.
    known: u16,
    set: u16,
    /// Bit `cmp.x + 2 * cmp.y`: the flags may have these values.
    flags: u8,
}

const ANY_FLAGS: u8 = 0b1111;

impl Default for Facts {
    fn default() -> Facts {
        Facts { known: 0, set: 0, flags: ANY_FLAGS }
    }
}

impl Facts {
    /// After a comparison, or a call that may compare.
    pub(super) fn without_flags(self) -> Facts {
        Facts { flags: ANY_FLAGS, ..self }
    }

    /// The facts on the branch where the test holds or fails; `None` if that cannot be.
    pub(super) fn assume(self, test: Test, holds: bool) -> Option<Facts> {
        match test {
            Test::Bool { index, want } => self.assume_bool(index, want == holds),
            Test::Flags(raw) => {
                let holding = holding_flags(raw);
                let flags = self.flags & if holds { holding } else { !holding };
                (flags != 0).then_some(Facts { flags, ..self })
            }
        }
    }

    fn assume_bool(self, index: u8, value: bool) -> Option<Facts> {
        let bit = 1 << index;
        let contradicts = self.known & bit != 0 && (self.set & bit != 0) != value;
        // What is not known is not set.
        let set = if value { self.set | bit } else { self.set };
        (!contradicts).then_some(Facts { known: self.known | bit, set, ..self })
    }
}

/// The values of the flags for which a condition holds (spec section 11).
fn holding_flags(raw: u8) -> u8 {
    let holds = |flags: u8| {
        let x = flags & 1 == raw >> 3 & 1;
        let y = flags >> 1 == raw >> 2 & 1;
        match raw & 3 {
            0 => x || y,
            1 => x && y,
            2 => x,
            _ => y,
        }
    };
    (0..4).filter(|&flags| holds(flags)).fold(0, |set, flags| set | 1 << flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_of_flags_splits_what_is_possible() {
        for raw in 0..16 {
            let ways = [true, false].map(|holds| Facts::default().assume(Test::Flags(raw), holds));
            let [holds, fails] = ways.map(|facts| facts.map_or(0, |facts| facts.flags));
            assert_eq!((holds | fails, holds & fails), (ANY_FLAGS, 0), "{raw:#06b}");
        }
        // The operator, and that y and x are to be set: bits 1..0, 2, 3. [spec section 11]
        let holding = |raw| Facts::default().assume(Test::Flags(raw), true).map(|facts| facts.flags);
        assert_eq!(holding(0b1010), Some(0b1010), "x");
        assert_eq!(holding(0b0010), Some(0b0101), "not x");
        assert_eq!(holding(0b0111), Some(0b1100), "y");
        assert_eq!(holding(0b1101), Some(0b1000), "x and y");
        assert_eq!(holding(0b1000), Some(0b1011), "x or not y");
    }

    #[test]
    fn opposite_tests_of_what_nobody_changed_contradict() {
        let [x, not_x] = [0b1010, 0b0010].map(Test::Flags);
        let known = Facts::default().assume(x, true).expect("possible");
        assert_eq!(known.assume(not_x, true), None);
        assert!(known.without_flags().assume(not_x, true).is_some(), "a comparison between them");
        let [set, clear] = [true, false].map(|want| Test::Bool { index: 3, want });
        let known = Facts::default().assume(set, true).expect("possible");
        assert_eq!((known.assume(clear, true), known.assume(set, true)), (None, Some(known)));
        let both = known.assume(Test::Bool { index: 4, want: false }, true).expect("another one");
        assert_eq!((both.assume(set, true), both.assume(clear, true)), (Some(both), None));
        assert_eq!(both.without_flags().assume(clear, true), None, "no comparison changes it");
    }
}
