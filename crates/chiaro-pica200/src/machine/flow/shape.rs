//! The stacks without what is known at run time only: addresses are written in the words, counts of
//! loops are not. Two lanes with one shape at one word go the same ways from there, so shapes are
//! what a control flow graph consists of.
//!
//! It is [`Scopes::step`] that moves: once with a round left in the innermost loop, once without.

use super::{Flow, NoLoop, Scopes};

/// A loop that is open, by a number that no other open loop has, and the integer uniform that it
/// counts by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Mark {
    /// Below [`Mark::COUNT`].
    pub(crate) place: u8,
    /// i0..i3.
    pub(crate) int: u8,
}

impl Mark {
    /// One more than the hardware keeps: a new loop may push the oldest out.
    pub(crate) const COUNT: u8 = 5;

    fn byte(self) -> u8 {
        self.place << 2 | self.int
    }

    fn of(byte: u8) -> Mark {
        Mark { place: byte >> 2, int: byte & 3 }
    }
}

/// Calls and loops that have begun and not ended.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Open {
    /// How many calls.
    pub(crate) calls: u8,
    /// The marks of all loops.
    pub(crate) loops: u32,
}

/// What a step does to loops, beside opening one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Round {
    /// Nothing.
    None,
    /// The body of the loop has ended: it is done again if rounds are left.
    Ends(Mark),
    /// The loop is left whatever is left of it.
    Breaks(Mark),
}

/// Where a step leads: the shape, the word.
pub(crate) type Place = (Shape, u16);

/// The stacks of all lanes that came the same ways.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Shape(Scopes);

impl Shape {
    /// The first word behind `pc` before which one of the stacks takes over, if nothing but the next word follows
    /// each until then.
    pub(crate) fn next_end(&self, pc: u16) -> Option<u16> {
        let Scopes { calls, ifs, loops, .. } = &self.0;
        let call = calls.entries().last().map(|call| call.end);
        let chosen = ifs.entries().last().map(|chosen| chosen.trigger);
        let looped = loops.entries().last().map(|looped| looped.end);
        [call, chosen, looped].into_iter().flatten().filter(|&end| end > pc).min()
    }

    /// Whether a loop is open: one that encloses a loop that is left gets its counter back.
    pub(crate) fn is_in_loop(&self) -> bool {
        self.0.loops.len > 0
    }

    /// What is open.
    pub(crate) fn open(&self) -> Open {
        let loops = self.0.loops.entries().iter().fold(0, |all, open| all << 8 | u32::from(open.step) + 1);
        Open { calls: self.0.calls.len, loops }
    }

    /// The mark of a loop that is opened here.
    pub(crate) fn mark(&self, int: u8) -> Mark {
        let open = self.0.loops.entries();
        let is_free = |place: &u8| open.iter().all(|known| Mark::of(known.step).place != *place);
        // Four loops at most are open.
        Mark { place: (0..Mark::COUNT).find(is_free).unwrap_or(0), int: int & 3 }
    }

    /// Does `flow` at word `pc`. The first place is where it goes with a round left in a loop whose
    /// body ends here, the second without; they are the same if none does.
    pub(crate) fn step(&self, flow: Flow, pc: u16, taken: bool) -> Result<([Place; 2], Round), NoLoop> {
        let again = self.moved(flow, pc, taken, 1)?;
        // Without a loop there is nothing that rounds decide.
        let has_loop = self.is_in_loop() || matches!(flow, Flow::Loop { .. });
        let left = if has_loop { self.moved(flow, pc, taken, 0)? } else { again };
        let top = match flow {
            Flow::Loop { int, .. } => Some(self.mark(int)),
            _ => self.0.loops.entries().last().map(|known| Mark::of(known.step)),
        };
        let round = match top {
            Some(mark) if again != left => Round::Ends(mark),
            Some(mark) if matches!(flow, Flow::Break { .. }) && taken => Round::Breaks(mark),
            _ => Round::None,
        };
        Ok(([again, left], round))
    }

    fn moved(&self, flow: Flow, pc: u16, taken: bool, rounds: u8) -> Result<Place, NoLoop> {
        let mut scopes = self.0;
        if let Some(top) = scopes.loops.top() {
            top.count = rounds;
        }
        let mark = match flow {
            Flow::Loop { int, .. } => self.mark(int).byte(),
            _ => 0,
        };
        let pc = scopes.step(flow, pc, taken, &[[rounds, 0, mark, 0]; 4], 0)?;
        let count = usize::from(scopes.loops.len);
        scopes.loops.items[..count].iter_mut().for_each(|open| open.count = 0);
        Ok((Shape(scopes), pc))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Test;
    use super::*;

    #[test]
    fn a_body_that_ends_is_done_again_or_left() {
        let start = Shape::default();
        let ([(inside, body), other], round) = start.step(Flow::Loop { int: 2, target: 5 }, 2, true).unwrap();
        assert_eq!((body, other, round), (3, (inside, 3), Round::None));
        let mark = Mark { place: 0, int: 2 };
        let ([again, left], round) = inside.step(Flow::Next, 5, true).unwrap();
        assert_eq!((again, left, round), ((inside, 3), (start, 6), Round::Ends(mark)));
        let leave = Flow::Break { test: Test::Always };
        let ([left, same], round) = inside.step(leave, 4, true).unwrap();
        assert_eq!((left, same, round), ((start, 6), (start, 6), Round::Breaks(mark)));
        assert_eq!(start.step(leave, 4, true), Err(NoLoop));
    }

    /// What is passed over at once does nothing word by word.
    #[test]
    fn nothing_happens_before_the_next_end() {
        let flows = [
            Flow::Call { test: Test::Always, target: 20, count: 9 },
            Flow::If { test: Test::Always, target: 26, count: 2 },
            Flow::Loop { int: 1, target: 23 },
        ];
        let mut shape = Shape::default();
        assert_eq!(shape.next_end(4), None);
        for (flow, pc) in flows.into_iter().zip([4, 20, 21]) {
            shape = shape.step(flow, pc, true).unwrap().0[0].0;
        }
        let mut pc = 22;
        for expected in [24, 26, 29] {
            while shape.step(Flow::Next, pc, true) == Ok(([(shape, pc + 1); 2], Round::None)) {
                pc += 1;
            }
            assert_eq!(shape.next_end(pc), Some(expected));
            assert_eq!(pc + 1, expected);
            (shape, pc) = shape.step(Flow::Next, pc, true).unwrap().0[1];
        }
        assert_eq!((pc, shape.next_end(pc)), (5, None));
    }

    #[test]
    fn loops_that_are_open_have_different_marks() {
        let mut shape = Shape::default();
        let mut places = Vec::new();
        for pc in 0..9 {
            places.push(shape.mark(0).place);
            shape = shape.step(Flow::Loop { int: 0, target: 100 }, pc, true).unwrap().0[0].0;
        }
        assert!(places.windows(5).all(|five| (0..5).all(|place| five.contains(&place))), "{places:?}");
    }
}
