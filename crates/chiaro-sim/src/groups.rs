//! Divergent groups of lanes, on machines whose lanes own their pc and their stacks.
//!
//! Lanes at the same place with the same past form a group. A branch that they disagree on
//! parts it. The group at the lowest pc runs first, so that the others meet it again where
//! paths join; groups that stand at the same place with equal pasts become one. While there
//! is a single group nothing is compared.

/// Lanes at the same place with the same past.
#[derive(Clone, Debug)]
pub struct Group<P> {
    /// The instruction that they run next.
    pub pc: u32,
    /// Bit k: lane k is one of them.
    pub lanes: u32,
    /// What else they have in common: stacks, clock, writes on their way.
    pub past: P,
}

/// What the lanes of a group have in common besides their place.
pub trait Past: Clone {
    /// Whether lanes of both pasts behave the same from here on.
    fn meets(&self, other: &Self) -> bool;

    /// Takes in what is counted for the whole group: clocks and fuel.
    fn absorb(&mut self, other: Self);
}

/// A machine whose lanes diverge.
pub trait Diverge: Sized {
    /// What its groups have in common.
    type Past: Past;

    /// Runs a group up to an instruction at which it can part from or meet others. Lanes that
    /// go elsewhere become a group of [`Groups::wait`]. False if the group has ended.
    fn advance(&mut self, group: &mut Group<Self::Past>, others: &mut Groups<Self::Past>) -> bool;
}

/// Groups that wait for their turn.
#[derive(Clone, Debug)]
pub struct Groups<P> {
    waiting: Vec<Group<P>>,
}

impl<P> Default for Groups<P> {
    fn default() -> Groups<P> {
        Groups { waiting: Vec::new() }
    }
}

impl<P: Clone> Group<P> {
    /// Takes some of the lanes away, as a group of their own.
    #[must_use]
    pub fn part(&mut self, lanes: u32) -> Group<P> {
        let leaving = Group { lanes: self.lanes & lanes, ..self.clone() };
        self.lanes &= !lanes;
        leaving
    }
}

impl<P: Past> Groups<P> {
    /// Lets a group wait, within one that it meets if there is one.
    pub fn wait(&mut self, group: Group<P>) {
        let meets = |other: &&mut Group<P>| other.pc == group.pc && other.past.meets(&group.past);
        match self.waiting.iter_mut().find(meets) {
            Some(other) => {
                other.lanes |= group.lanes;
                other.past.absorb(group.past);
            }
            None => self.waiting.push(group),
        }
    }

    /// Whether no group waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The group at the lowest place.
    fn next(&mut self) -> Option<Group<P>> {
        let lowest = (0..self.waiting.len()).min_by_key(|&i| self.waiting[i].pc)?;
        Some(self.waiting.swap_remove(lowest))
    }

    /// Runs all lanes of a group to their end on a machine. What is still waiting from a run
    /// before is dropped.
    pub fn run<M: Diverge<Past = P>>(&mut self, start: Group<P>, machine: &mut M) {
        self.waiting.clear();
        // One place for the group that runs: what a group holds takes longer to move than a short program to run.
        let mut group = start;
        loop {
            let mut goes_on = machine.advance(&mut group, self);
            // Alone, or until another group may be behind.
            while goes_on && self.waiting.is_empty() {
                goes_on = machine.advance(&mut group, self);
            }
            if goes_on {
                self.wait(group);
            }
            match self.next() {
                Some(next) => group = next,
                None => return,
            }
        }
    }
}

/// The lanes of a mask with their entries in a slice, in ascending order.
pub fn lanes_of<T>(mask: u32, all: &mut [T]) -> impl Iterator<Item = (usize, &mut T)> {
    all.iter_mut().enumerate().filter(move |(lane, _)| *lane < 32 && mask >> lane & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `0: if odd goto 2; 1: goto 3; 2: next; 3: end`, with the lanes that ran each.
    struct Diamond(Vec<(u32, u32)>);

    impl Past for () {
        fn meets(&self, (): &()) -> bool {
            true
        }
        fn absorb(&mut self, (): ()) {}
    }

    impl Diverge for Diamond {
        type Past = ();

        fn advance(&mut self, group: &mut Group<()>, others: &mut Groups<()>) -> bool {
            self.0.push((group.pc, group.lanes));
            match group.pc {
                0 => {
                    let mut odd = group.part(0xaaaa_aaaa);
                    odd.pc = 2;
                    others.wait(odd);
                    group.pc = 1;
                }
                1 | 2 => group.pc = 3,
                _ => return false,
            }
            true
        }
    }

    #[test]
    fn lanes_part_and_meet() {
        let mut diamond = Diamond(Vec::new());
        Groups::default().run(Group { pc: 0, lanes: 0xff, past: () }, &mut diamond);
        assert_eq!(diamond.0, [(0, 0xff), (1, 0x55), (2, 0xaa), (3, 0xff)]);
    }

    #[test]
    fn different_pasts_stay_apart() {
        #[derive(Clone, PartialEq, Debug)]
        struct Stack(u32, u64);
        impl Past for Stack {
            fn meets(&self, other: &Stack) -> bool {
                self.0 == other.0
            }
            fn absorb(&mut self, other: Stack) {
                self.1 = self.1.max(other.1);
            }
        }
        let mut groups = Groups::default();
        for (lane, past) in [Stack(1, 5), Stack(2, 6), Stack(1, 7)].into_iter().enumerate() {
            groups.wait(Group { pc: 3, lanes: 1 << lane, past });
        }
        let mut found: Vec<_> = std::iter::from_fn(|| groups.next()).map(|g| (g.lanes, g.past.1)).collect();
        found.sort_unstable();
        assert_eq!(found, [(0b010, 6), (0b101, 7)]);
    }
}
