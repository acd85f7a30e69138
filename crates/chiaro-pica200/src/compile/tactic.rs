//! What each effort tries: steps that shorten most programs, left out in all combinations, because a step that saves a
//! word here can cost a copy there; then their single [`decisions`]. The fewest words win, of equal ones the first.

pub(crate) mod decisions;
pub(super) mod search;

use decisions::{Decisions, Refused};

/// What can be left out.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub(crate) enum Step {
    /// Products and sums become one.
    Fuse,
    /// Clamps carry numbers.
    Pin,
    /// What one arm of a branch reads moves there.
    Sink,
    /// Numbers come out of registers that hold values, beside clamps.
    Carry,
    /// Sums and products are grouped in other ways.
    Regroup,
    /// What is alike is packed though nothing reads it together.
    PackAlike,
    /// Operands are gathered from the end of a block.
    FromEnd,
}

/// How many steps there are.
const STEPS: u32 = Step::FromEnd as u32 + 1;

/// Steps that are left out, a bit each, and single decisions that are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tactic {
    left_out: u8,
    refused: Refused,
    /// The lower bound is raised by exact search.
    proves: bool,
}

impl Tactic {
    /// Whether a step is taken.
    pub(crate) fn takes(self, step: Step) -> bool {
        self.left_out & 1 << step as u8 == 0
    }

    /// Fewer steps, for what does not fit with these: first what packs the most, then all are left out.
    pub(super) fn simpler(self) -> Option<Tactic> {
        const ALL: u8 = (1 << STEPS) - 1;
        let left_out = match self.left_out {
            ALL => return None,
            some if self.takes(Step::PackAlike) => some | 1 << Step::PackAlike as u8,
            _ => ALL,
        };
        Some(Tactic { left_out, ..self })
    }

    /// How many steps more than another one it leaves out.
    pub(super) fn left_out_beside(self, other: Tactic) -> u32 {
        (self.left_out & !other.left_out).count_ones()
    }

    /// The decisions of a program that is made this way.
    pub(super) fn decisions(self) -> Decisions {
        Decisions::new(self.refused)
    }

    /// Whether the lower bound is raised by exact search.
    pub(super) fn proves(self) -> bool {
        self.proves
    }

    /// With a decision the other way round.
    fn turned(self, number: u32) -> Tactic {
        Tactic { refused: self.refused.turned(number), ..self }
    }
}

/// The tactics of an effort, 0 to 3: efforts 0 and 1 take all steps, 2 also leaves out one of them, 3 any.
fn tactics(effort: u32) -> impl Iterator<Item = Tactic> {
    let most = match effort {
        0 | 1 => 0,
        2 => 1,
        _ => STEPS,
    };
    let of_size = |size: u32| (0..1u8 << STEPS).filter(move |bits| bits.count_ones() == size);
    (0..=most).flat_map(of_size).map(|left_out| Tactic { left_out, ..Tactic::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A larger effort begins with what a smaller one tries, so that it never needs more words.
    #[test]
    fn efforts_grow() {
        let of = |effort| tactics(effort).collect::<Vec<_>>();
        for effort in 1..4 {
            assert!(of(effort).starts_with(&of(effort - 1)));
        }
        let all = of(3);
        assert_eq!(all.len(), 1 << STEPS);
        for (i, tactic) in all.iter().enumerate() {
            assert!(!all[..i].contains(tactic), "{tactic:?} twice");
        }
    }

    /// What packs the most is left out alone before all is.
    #[test]
    fn packing_is_left_out_first() {
        let simpler = Tactic::default().simpler().expect("steps that can be left out");
        assert!(!simpler.takes(Step::PackAlike));
        for step in [Step::Fuse, Step::Pin, Step::Sink, Step::Carry, Step::Regroup] {
            assert!(simpler.takes(step), "{step:?}");
        }
        assert_eq!(simpler.left_out_beside(Tactic::default()), 1);
    }

    /// Every tactic comes to the one without steps, which is the last.
    #[test]
    fn fewer_steps_end() {
        for tactic in tactics(3) {
            let ways: Vec<Tactic> = std::iter::successors(Some(tactic), |tactic| tactic.simpler()).collect();
            assert!(ways.len() <= 3 && ways.last() == tactics(3).last().as_ref(), "{ways:?}");
        }
    }
}
