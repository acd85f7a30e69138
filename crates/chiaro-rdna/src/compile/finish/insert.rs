//! Lines that go between others, with all jumps led to where they belong.

use std::ops::Range;

use super::line::Line;

/// Which jumps to a line come to what is inserted before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Jumps {
    /// Wherever they start.
    All,
    /// Those that start among these lines.
    From(Range<usize>),
    /// Those that start elsewhere.
    NotFrom(Range<usize>),
}

/// A line that goes before another.
#[derive(Clone, Debug)]
pub(super) struct Inserted {
    pub(super) before: usize,
    pub(super) line: Line,
    pub(super) jumps: Jumps,
}

impl Inserted {
    fn takes(&self, jump: usize) -> bool {
        match &self.jumps {
            Jumps::All => true,
            Jumps::From(lines) => lines.contains(&jump),
            Jumps::NotFrom(lines) => !lines.contains(&jump),
        }
    }
}

/// Inserts lines, which come in the order of their places. Starts of functions move along, before what is inserted there.
pub(super) fn insert<'a>(
    lines: &mut Vec<Line>,
    inserted: Vec<Inserted>,
    starts: impl Iterator<Item = &'a mut usize>,
) {
    if inserted.is_empty() {
        return;
    }
    let earlier = |line: usize| inserted.partition_point(|other| other.before < line);
    for (n, line) in lines.iter_mut().enumerate() {
        let Some(target) = line.target.as_mut() else { continue };
        let first = earlier(*target);
        let here = inserted[first..].iter().take_while(|other| other.before == *target);
        *target += first + here.take_while(|other| !other.takes(n)).count();
    }
    for start in starts {
        *start += earlier(*start);
    }
    let (mut all, mut next) =
        (Vec::with_capacity(lines.len() + inserted.len()), inserted.into_iter().peekable());
    for (n, line) in lines.drain(..).enumerate() {
        while let Some(new) = next.next_if(|new| new.before == n) {
            all.push(new.line);
        }
        all.push(line);
    }
    *lines = all;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::code::Modifiers;
    use crate::isa::Op;
    use crate::isa::sopp::Sopp;

    fn line(number: i32, target: Option<usize>) -> Line {
        let modifiers = Modifiers::number(number);
        Line { modifiers, target, ..Line::new(Op::Sopp(Sopp::Nop), Vec::new(), Vec::new()) }
    }

    #[test]
    fn jumps_come_to_what_is_for_them() {
        // Line 2 is the head of a loop of the lines 2 and 3; line 4 is behind it.
        let mut lines = [None, Some(2), Some(4), Some(2), None].map(|target| line(0, target)).to_vec();
        let new = |before, number, jumps| Inserted { before, line: line(number, None), jumps };
        let inserted = vec![
            new(0, 1, Jumps::All),
            new(2, 2, Jumps::NotFrom(2..4)),
            new(2, 3, Jumps::NotFrom(2..4)),
            new(4, 4, Jumps::From(2..4)),
        ];
        let mut starts = [0, 4];
        insert(&mut lines, inserted, starts.iter_mut());
        let numbers: Vec<i32> = lines.iter().map(|line| line.modifiers.number).collect();
        assert_eq!(numbers, [1, 0, 0, 2, 3, 0, 0, 4, 0]);
        let targets: Vec<usize> = lines.iter().filter_map(|line| line.target).collect();
        assert_eq!(targets, [3, 7, 5], "from before the loop, out of it, back to its head");
        assert_eq!(starts, [0, 7]);
    }
}
