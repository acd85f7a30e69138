//! Control flow: the three stacks exactly as documented, quirks included.
//! Spec section 12. \[3dbrew] [azahar, interpreter]

#[cfg(feature = "lift")]
mod shape;

use std::hash::{Hash, Hasher};

#[cfg(feature = "lift")]
pub(crate) use shape::{Mark, Open, Place, Round, Shape};

/// What decides whether a branch is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Test {
    /// Nothing.
    Always,
    /// The compare flags, by the bits CONDOP (0-1), REFY (2), REFX (3).
    Flags(u8),
    /// A boolean uniform.
    Bool {
        /// b0..b15.
        index: u8,
        /// Taken if the uniform is clear.
        inverted: bool,
    },
}

impl Test {
    /// The lanes for which the test holds, of those in whose flags `x` and `y`
    /// are set.
    #[must_use]
    pub fn holds(self, x: u32, y: u32, bools: u16) -> u32 {
        match self {
            Self::Always => u32::MAX,
            Self::Bool { index, inverted } => {
                if (bools >> (index & 15) & 1 != 0) == inverted {
                    0
                } else {
                    u32::MAX
                }
            }
            Self::Flags(bits) => {
                let x = if bits & 8 != 0 { x } else { !x };
                let y = if bits & 4 != 0 { y } else { !y };
                match bits & 3 {
                    0 => x | y,
                    1 => x & y,
                    2 => x,
                    _ => y,
                }
            }
        }
    }
}

/// What an instruction does besides computing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the fields are the instructions' own: DST, NUM, the test")]
pub enum Flow {
    /// Nothing: the next word follows.
    Next,
    /// The program ends.
    End,
    /// A word that is no instruction.
    Unknown,
    /// Leaves the innermost loop.
    Break { test: Test },
    /// Calls a range of words.
    Call { test: Test, target: u16, count: u8 },
    /// Runs the first part or the second.
    If { test: Test, target: u16, count: u8 },
    /// Repeats the words up to `target`.
    Loop { int: u8, target: u16 },
    /// Jumps.
    Jump { test: Test, target: u16 },
    /// Hands a vertex on.
    Emit,
    /// Prepares EMIT.
    SetEmit { vertex: u8, primitive: bool, winding: bool },
}

impl Flow {
    /// The test, if it has one.
    #[must_use]
    pub fn test(self) -> Test {
        match self {
            Self::Break { test }
            | Self::Call { test, .. }
            | Self::If { test, .. }
            | Self::Jump { test, .. } => test,
            _ => Test::Always,
        }
    }

    /// Words at which a straight run must be cut because of this instruction at
    /// word `pc`: where control can enter, and where a stack can take over.
    pub fn cuts(self, pc: u16) -> impl Iterator<Item = u16> {
        let (a, b) = match self {
            Self::Call { target, count, .. } | Self::If { target, count, .. } => {
                (target, target + u16::from(count))
            }
            Self::Loop { target, .. } => (target + 1, target + 1),
            Self::Jump { target, .. } => (target, target),
            _ => (pc, pc),
        };
        let behind = (self != Self::Next).then_some(pc + 1);
        let places = if behind.is_some() { [Some(a), Some(b), behind] } else { [None; 3] };
        places.into_iter().flatten()
    }
}

/// A bounded stack; when it is full, the oldest entry is lost.
#[derive(Clone, Copy, Debug)]
struct Stack<T, const N: usize> {
    items: [T; N],
    len: u8,
}

impl<T: Copy + Default, const N: usize> Default for Stack<T, N> {
    fn default() -> Self {
        Self { items: [T::default(); N], len: 0 }
    }
}

impl<T: Copy, const N: usize> Stack<T, N> {
    fn push(&mut self, item: T) {
        if usize::from(self.len) == N {
            self.items.rotate_left(1);
            self.len -= 1;
        }
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    fn top(&mut self) -> Option<&mut T> {
        self.items[..usize::from(self.len)].last_mut()
    }

    fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }
}

impl<T, const N: usize> Stack<T, N> {
    fn entries(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }
}

/// What was popped counts no more.
impl<T: PartialEq, const N: usize> PartialEq for Stack<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

impl<T: Eq, const N: usize> Eq for Stack<T, N> {}

impl<T: Hash, const N: usize> Hash for Stack<T, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries().hash(state);
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Call {
    end: u16,
    back: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct If {
    trigger: u16,
    target: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Loop {
    start: u16,
    end: u16,
    count: u8,
    step: u8,
    outer: u32,
}

/// The stacks of one lane, and aL, which LOOP keeps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Scopes {
    calls: Stack<Call, 4>,
    ifs: Stack<If, 8>,
    loops: Stack<Loop, 4>,
    /// aL.
    pub counter: u32,
}

/// BREAK found no loop to leave; that hangs the GPU. \[3dbrew]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoLoop;

/// A stack for people, the innermost entry last.
fn listed<T, const N: usize>(name: &str, stack: &Stack<T, N>, entry: impl Fn(&T) -> String) -> String {
    format!("{name} = [{}]", stack.entries().iter().map(entry).collect::<Vec<_>>().join(", "))
}

impl Scopes {
    /// The stacks that are not what they were: behind which word a call goes on where, at which word an if goes
    /// where, the words of a loop with the rounds that are left behind this one.
    #[must_use]
    pub fn changed(&self, before: &Scopes) -> Vec<String> {
        let calls = (self.calls != before.calls)
            .then(|| listed("call stack", &self.calls, |c| format!("{:03x} -> {:03x}", c.end, c.back)));
        let ifs = (self.ifs != before.ifs)
            .then(|| listed("if stack", &self.ifs, |i| format!("{:03x} -> {:03x}", i.trigger, i.target)));
        let loops = (self.loops != before.loops).then(|| {
            listed("loop stack", &self.loops, |l| format!("{:03x}..{:03x} x{}", l.start, l.end, l.count))
        });
        [calls, ifs, loops].into_iter().flatten().collect()
    }

    /// Does `flow` at word `pc`, its test being `taken`, and gives the next word.
    /// `ints` are the integer uniforms, `counter_mask` the bits that aL has.
    ///
    /// # Errors
    /// If BREAK is taken outside of a loop.
    pub fn step(
        &mut self,
        flow: Flow,
        pc: u16,
        taken: bool,
        ints: &[[u8; 4]; 4],
        counter_mask: u32,
    ) -> Result<u16, NoLoop> {
        let next = pc + 1;
        let mut jump = None;
        let mut broke = false;
        match flow {
            Flow::Call { target, count, .. } if taken => {
                self.calls.push(Call { end: target + u16::from(count), back: next });
                jump = Some(target);
            }
            Flow::If { target, count, .. } if taken => {
                self.ifs.push(If { trigger: target, target: target + u16::from(count) });
            }
            Flow::Loop { int, target } => {
                let [count, start, step, _] = ints[usize::from(int & 3)];
                self.loops.push(Loop { start: next, end: target + 1, count, step, outer: self.counter });
                self.counter = u32::from(start);
            }
            Flow::Break { .. } if taken => {
                broke = true;
                if self.loops.len == 0 {
                    return Err(NoLoop);
                }
            }
            Flow::Jump { target, .. } if taken => jump = Some(target),
            Flow::If { target, .. } => jump = Some(target),
            _ => {}
        }
        Ok(self.advance(next, jump, broke, counter_mask))
    }

    /// What indexing by aL adds: 0 outside of -128..=127 (section 10).
    pub(crate) fn added(&self) -> u32 {
        if self.counter <= 127 { self.counter } else { 0 }
    }

    /// The word after the one before `next`: LOOP goes before IF before CALL
    /// before a jump before falling through.
    pub fn advance(&mut self, next: u16, jump: Option<u16>, broke: bool, counter_mask: u32) -> u16 {
        let called = self.close_calls(next);
        let chosen = self.close_if(next);
        let looped = self.close_loop(next, broke, counter_mask);
        looped.or(chosen).or(called).or(jump).unwrap_or(next)
    }

    /// At most four returns at once; the place of the fourth is lost.
    fn close_calls(&mut self, next: u16) -> Option<u16> {
        let (mut at, mut kept) = (next, None);
        for popped in 1..=4 {
            match self.calls.top() {
                Some(call) if call.end == at => at = call.back,
                _ => break,
            }
            self.calls.pop();
            if popped < 4 {
                kept = Some(at);
            }
        }
        kept
    }

    /// One IF per instruction: a second one that ends here is missed.
    fn close_if(&mut self, next: u16) -> Option<u16> {
        let target = self.ifs.top().filter(|top| top.trigger == next)?.target;
        self.ifs.pop();
        Some(target)
    }

    fn close_loop(&mut self, next: u16, broke: bool, counter_mask: u32) -> Option<u16> {
        let top = self.loops.top().filter(|top| top.end == next || broke)?;
        let counter = self.counter.wrapping_add(u32::from(top.step)) & counter_mask;
        if !broke && top.count != 0 {
            top.count -= 1;
            self.counter = counter;
            return Some(top.start);
        }
        let (end, outer) = (top.end, top.outer);
        self.loops.pop();
        // An enclosing loop gets its counter back; a single one leaves its own.
        self.counter = if self.loops.len > 0 { outer } else { counter };
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTS: [[u8; 4]; 4] = [[2, 1, 3, 0]; 4];

    fn call(target: u16, count: u8) -> Flow {
        Flow::Call { test: Test::Always, target, count }
    }

    #[test]
    fn the_fourth_return_is_lost() {
        let mut scopes = Scopes::default();
        for (pc, target) in [(0, 10), (19, 11), (19, 12), (19, 13)] {
            scopes.step(call(target, (20 - target) as u8), pc, true, &INTS, u32::MAX).unwrap();
        }
        // Every procedure ends at word 20, the inner three return there.
        assert_eq!(scopes.advance(20, None, false, u32::MAX), 20);
        assert_eq!(scopes.calls.len, 0);
    }

    #[test]
    fn loops_count_one_more_and_restore_the_outer_counter() {
        let mut scopes = Scopes::default();
        let flow = Flow::Loop { int: 0, target: 5 };
        assert_eq!(scopes.step(flow, 2, true, &INTS, u32::MAX), Ok(3));
        let places: Vec<u16> = (0..3).map(|_| scopes.advance(6, None, false, u32::MAX)).collect();
        assert_eq!((places, scopes.counter), (vec![3, 3, 6], 10));
        assert_eq!(scopes.step(Flow::Break { test: Test::Always }, 9, true, &INTS, u32::MAX), Err(NoLoop));
    }

    #[test]
    fn overflow_loses_the_oldest() {
        let mut scopes = Scopes::default();
        for pc in 0..5 {
            scopes.step(call(100 + pc, 50), pc, true, &INTS, u32::MAX).unwrap();
        }
        assert_eq!(scopes.calls.items[0], Call { end: 151, back: 2 });
    }
}
