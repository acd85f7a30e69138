//! What each effort tries: steps that shorten most programs, left out one by one, because a step that saves
//! a word here can cost a copy there. The fewest words win, of equal ones the first.

/// Steps that are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tactic {
    /// Products and sums stay apart.
    pub(super) apart: bool,
    /// Clamps carry no numbers.
    pub(super) unpinned: bool,
    /// Nothing moves into the arms of branches.
    pub(super) unsunk: bool,
}

const ALL: Tactic = Tactic { apart: false, unpinned: false, unsunk: false };

/// What is tried in its order: efforts 0 and 1 all steps, 2 also without one of them, 3 all combinations.
static TACTICS: [Tactic; 8] = [
    ALL,
    Tactic { apart: true, ..ALL },
    Tactic { unpinned: true, ..ALL },
    Tactic { unsunk: true, ..ALL },
    Tactic { apart: true, unpinned: true, ..ALL },
    Tactic { apart: true, unsunk: true, ..ALL },
    Tactic { unpinned: true, unsunk: true, ..ALL },
    Tactic { apart: true, unpinned: true, unsunk: true },
];

/// The tactics of an effort, 0 to 3.
pub(super) fn tactics(effort: u32) -> &'static [Tactic] {
    match effort {
        0 | 1 => &TACTICS[..1],
        2 => &TACTICS[..4],
        _ => &TACTICS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A larger effort begins with what a smaller one tries, so that it never needs more words.
    #[test]
    fn efforts_grow() {
        for effort in 1..4 {
            assert!(tactics(effort).starts_with(tactics(effort - 1)));
        }
        for (i, tactic) in TACTICS.iter().enumerate() {
            assert!(!TACTICS[..i].contains(tactic), "{tactic:?} twice");
        }
    }
}
