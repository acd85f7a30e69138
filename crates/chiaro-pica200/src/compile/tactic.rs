//! What each effort tries: steps that shorten most programs, left out in all combinations, because a step that saves a
//! word here can cost a copy there. The fewest words win, of equal ones the first.

/// Steps that are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tactic {
    /// Products and sums stay apart.
    pub(crate) apart: bool,
    /// Clamps carry no numbers.
    pub(crate) unpinned: bool,
    /// Nothing moves into the arms of branches.
    pub(crate) unsunk: bool,
    /// Numbers do not come out of registers that hold values, but for clamps.
    pub(crate) unwhole: bool,
    /// Sums and products stay as they are grouped.
    pub(crate) ungrouped: bool,
    /// What is alike and nothing reads together is not packed.
    pub(crate) unalike: bool,
}

/// Steps that can be left out.
const STEPS: u32 = 6;

impl Tactic {
    /// Every step is left out.
    pub(super) const NONE: Tactic =
        Tactic { apart: true, unpinned: true, unsunk: true, unwhole: true, ungrouped: true, unalike: true };

    /// Whether it leaves out all that another one does.
    pub(super) fn leaves_out(self, other: &Tactic) -> bool {
        let pairs = [
            (self.apart, other.apart),
            (self.unpinned, other.unpinned),
            (self.unsunk, other.unsunk),
            (self.unwhole, other.unwhole),
            (self.ungrouped, other.ungrouped),
            (self.unalike, other.unalike),
        ];
        pairs.iter().all(|(own, other)| *own || !other)
    }

    /// The tactic that leaves out the steps whose bits are set.
    fn of(bits: u32) -> Tactic {
        let has = |step: u32| bits >> step & 1 == 1;
        Tactic {
            apart: has(0),
            unpinned: has(1),
            unsunk: has(2),
            unwhole: has(3),
            ungrouped: has(4),
            unalike: has(5),
        }
    }
}

/// The tactics of an effort, 0 to 3: efforts 0 and 1 have all steps, 2 also leaves out one of them, 3 any.
pub(super) fn tactics(effort: u32) -> impl Iterator<Item = Tactic> {
    let most = match effort {
        0 | 1 => 0,
        2 => 1,
        _ => STEPS,
    };
    let of_size = |size: u32| (0..1u32 << STEPS).filter(move |bits| bits.count_ones() == size);
    (0..=most).flat_map(of_size).map(Tactic::of)
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
}
