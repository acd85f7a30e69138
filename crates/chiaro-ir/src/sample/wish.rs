//! What suits an input: numbers that take a shader both ways where it decides, that it can count to, that
//! lie within what it indexes.

use std::collections::HashMap;

use super::Numbers;
use crate::GlobalRef;

/// What is known of scalars of inputs: by variable, and byte offset within it.
pub type Wishes = HashMap<(GlobalRef, usize), Wish>;

/// What suits one scalar.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Wish {
    /// Numbers where a decision changes.
    pub values: Vec<f64>,
    /// Whole numbers at which an operation has its border: the last that is exact, the first that a shift
    /// leaves over.
    pub borders: Vec<f64>,
    /// It belongs to a vector whose length the shader takes.
    pub unit: bool,
    /// A loop counts to it; so far at most.
    pub count: Option<u32>,
    /// It is an index: below this.
    pub below: Option<u32>,
}

/// Once in so many times a whole number lies at a border, where there is one: far from what a host sets.
const BORDER: u64 = 6;
/// As many times a border is drawn at most, which is behind the end of all integers for most of them.
const BEYOND: u64 = 4096;

impl Wish {
    /// A float; `None` where any will do.
    pub(super) fn float(&self, numbers: &mut Numbers) -> Option<f32> {
        if let Some(n) = self.small(numbers) {
            return Some(n as f32);
        }
        let [low, high] = self.span()?;
        if numbers.draw().is_multiple_of(4) {
            return None;
        }
        let value = self.values[(numbers.draw() % self.values.len() as u64) as usize];
        let step = if value == 0.0 { 1.0 } else { value.abs() / 4.0 };
        Some(match numbers.draw() % 4 {
            0 => (numbers.round)(value as f32),
            1 => numbers.between(value - step, value),
            2 => numbers.between(value, value + step),
            _ => numbers.between(low - 1.0, high + 1.0),
        })
    }

    /// A whole number; `None` where any will do.
    pub(super) fn int(&self, numbers: &mut Numbers) -> Option<i32> {
        if let Some(n) = self.small(numbers) {
            return Some(n as i32);
        }
        let often = if numbers.bold { 2 } else { BORDER };
        let all = match (self.borders.is_empty(), numbers.draw() % often) {
            (false, 0) => &self.borders,
            _ if numbers.draw().is_multiple_of(4) => return None,
            _ => &self.values,
        };
        let at = numbers.draw() as usize;
        let mut value = *all.get(at.checked_rem(all.len())?)?;
        // Far behind a border integers wrap around, near it they are only inexact.
        if std::ptr::eq(all, &self.borders) && numbers.draw().is_multiple_of(2) {
            value *= (1 + numbers.draw() % BEYOND) as f64;
        }
        // The number itself, or one of its neighbours, as far as the machine holds it.
        let number = (value.floor() as i32).saturating_add((numbers.draw() % 3) as i32 - 1);
        Some((numbers.round)(number as f32) as i32)
    }

    /// A count or an index.
    fn small(&self, numbers: &mut Numbers) -> Option<u32> {
        let limit = self.below.map(|n| n.max(1) - 1).or(self.count)?;
        Some((numbers.draw() % (u64::from(limit) + 1)) as u32)
    }

    fn span(&self) -> Option<[f64; 2]> {
        let low = self.values.iter().copied().reduce(f64::min)?;
        let high = self.values.iter().copied().reduce(f64::max)?;
        Some([low, high])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(wish: &Wish) -> Vec<f32> {
        let mut numbers = Numbers::new(1, |x| x);
        (0..200).filter_map(|_| wish.float(&mut numbers)).collect()
    }

    #[test]
    fn both_sides_of_a_decision_are_drawn_and_the_decision_itself() {
        let all = drawn(&Wish { values: vec![100.0], ..Wish::default() });
        assert!(all.iter().any(|&x| x < 100.0) && all.iter().any(|&x| x > 100.0) && all.contains(&100.0));
    }

    #[test]
    fn counts_and_indices_stay_within_their_limits() {
        let (count, index) =
            (Wish { count: Some(8), ..Wish::default() }, Wish { below: Some(3), ..Wish::default() });
        let (counts, indices) = (drawn(&count), drawn(&index));
        assert!(counts.iter().all(|x| (0.0..=8.0).contains(x)) && counts.contains(&8.0));
        assert!(indices.iter().all(|x| (0.0..3.0).contains(x)) && indices.contains(&2.0));
    }

    #[test]
    fn borders_are_drawn_with_their_neighbours() {
        let wish = Wish { borders: vec![16_777_216.0], ..Wish::default() };
        let mut numbers = Numbers::new(1, |x| x);
        let all: Vec<i32> = (0..400).filter_map(|_| wish.int(&mut numbers)).collect();
        assert!([16_777_215, 16_777_216].iter().all(|n| all.contains(n)), "{all:?}");
        assert!(all.iter().any(|n| *n > 1 << 28), "integers may wrap around: {all:?}");
        assert!(!all.contains(&16_777_217), "no float is this number");
    }
}
