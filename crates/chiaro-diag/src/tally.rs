//! What variables take of something that a machine has little of, counted to the end.
//!
//! Who stops at the first variable that does not fit tells how much there was up to it, and the
//! author shortens it again and again. So everything is counted, and the largest are named.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Variables that a message names.
const NAMED: usize = 3;

/// Variables and how much each takes, in the order in which they get their places.
#[derive(Clone, Debug)]
pub struct Tally {
    /// What takes: `uniforms`.
    what: &'static str,
    /// What is taken: `c registers`.
    unit: &'static str,
    allowed: u32,
    taken: Vec<(String, Option<Span>, u32)>,
}

impl Tally {
    /// Nothing is taken yet. The words are plurals: `uniforms`, `c registers`.
    #[must_use]
    pub fn new(what: &'static str, unit: &'static str, allowed: u32) -> Self {
        Tally { what, unit, allowed, taken: Vec::new() }
    }

    /// Counts a variable, declared at a place; its parts may come one after another.
    pub fn add(&mut self, name: &str, span: Option<Span>, count: u32) {
        match self.taken.last_mut() {
            Some((last, _, sum)) if last == name => *sum = sum.saturating_add(count),
            _ => self.taken.push((name.to_owned(), span, count)),
        }
    }

    /// How much all of them take.
    #[must_use]
    pub fn used(&self) -> u32 {
        self.taken.iter().fold(0, |sum, (.., count)| sum.saturating_add(*count))
    }

    /// The error of more than there is, at the first variable that does not fit; `None` if all fit.
    #[must_use]
    pub fn overflow(&self) -> Option<Diagnostic> {
        let used = self.used();
        if used <= self.allowed {
            return None;
        }
        let Tally { what, unit, allowed, .. } = self;
        let mut sum = 0u32;
        let first = self.taken.iter().find(|(.., count)| {
            sum = sum.saturating_add(*count);
            sum > *allowed
        });
        let message = format!("the {what} take {used} {unit}, {allowed} are there");
        let error = Diagnostic::error(first.and_then(|(_, span, _)| *span), message);
        let error = error.label("here they are full");
        Some(match self.largest() {
            Some(note) => error.note(note),
            None => error,
        })
    }

    /// Which variables take most: "`bones` takes 80, `lights` takes 16, 5 others take 8".
    #[must_use]
    pub fn largest(&self) -> Option<String> {
        let mut order: Vec<_> = self.taken.iter().filter(|(.., count)| *count > 0).collect();
        order.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
        let (named, others) = order.split_at(order.len().min(NAMED));
        let mut parts: Vec<String> =
            named.iter().map(|(name, _, count)| format!("`{name}` takes {count}")).collect();
        let rest = others.iter().fold(0u32, |sum, (.., count)| sum.saturating_add(*count));
        match others.len() {
            0 => {}
            1 => parts.push(format!("another takes {rest}")),
            n => parts.push(format!("{n} others take {rest}")),
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::source::SourceMap;

    fn tally(counts: &[u32]) -> Tally {
        let mut tally = Tally::new("uniforms", "c registers", 96);
        for (i, &count) in counts.iter().enumerate() {
            tally.add(&format!("u{i}"), None, count);
        }
        tally
    }

    #[test]
    fn what_fits_is_no_error_and_one_more_is() {
        assert!(tally(&[90, 6]).overflow().is_none());
        let error = tally(&[90, 7]).overflow().unwrap();
        assert_eq!(error.message, "the uniforms take 97 c registers, 96 are there");
    }

    #[test]
    fn everything_is_counted_and_the_largest_are_named() {
        let error = tally(&[4, 80, 2, 16, 1, 1]).overflow().unwrap();
        assert_eq!(error.message, "the uniforms take 104 c registers, 96 are there");
        assert_eq!(error.notes, ["`u1` takes 80, `u3` takes 16, `u0` takes 4, 3 others take 4"]);
        let whole = tally(&[u32::MAX, 5]);
        assert_eq!((whole.used(), whole.largest().unwrap().ends_with("`u1` takes 5")), (u32::MAX, true));
    }

    /// The place is the one at which a reader counts to the end of the room.
    #[test]
    fn the_first_that_does_not_fit_is_marked() {
        let mut sources = SourceMap::new();
        let file = sources.add("a", "aaaa bbbb cccc");
        let mut tally = Tally::new("inputs", "registers", 10);
        for (i, count) in [8, 3, 9].into_iter().enumerate() {
            tally.add(["x", "y", "z"][i], Some(file.span(5 * i..5 * i + 4)), count);
        }
        assert_eq!(tally.overflow().unwrap().span, Some(file.span(5..9)));
    }
}
