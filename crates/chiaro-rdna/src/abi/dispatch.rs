//! Who runs when, where the lanes of a wave call different functions (spec 18.6).

use std::collections::BTreeMap;

/// Functions that end by calling another one, for some lanes: the function, the other one, the lanes.
pub type Tails = BTreeMap<u64, (u64, u64)>;

/// The functions that run, in their order, each with the lanes that run it. It does not end where functions call one
/// another in a circle.
#[derive(Clone, Debug)]
pub struct Dispatch<'a> {
    /// By lane: whom it calls; 0 for nobody.
    next: Vec<u64>,
    /// Lanes that make the call.
    lanes: u64,
    tails: &'a Tails,
    begun: bool,
}

/// A call of the lanes in `lanes`, each by its pointer.
#[must_use]
pub fn dispatch<'a>(lanes: u64, pointers: &[u64], tails: &'a Tails) -> Dispatch<'a> {
    Dispatch { next: pointers.to_vec(), lanes, tails, begun: false }
}

impl Iterator for Dispatch<'_> {
    type Item = (u64, u64);

    /// The caller goes to the pointer of its lowest lane, whatever it is; later the lowest lane counts that has one.
    fn next(&mut self) -> Option<(u64, u64)> {
        let waits =
            |(lane, pointer): &(usize, &u64)| self.lanes >> lane & 1 == 1 && (**pointer != 0 || !self.begun);
        let target = self.next.iter().enumerate().find(waits).map(|(_, pointer)| *pointer)?;
        self.begun = true;
        let mut ran = 0;
        let tail = self.tails.get(&target);
        for (lane, pointer) in self.next.iter_mut().enumerate() {
            if self.lanes >> lane & 1 == 1 && *pointer == target {
                ran |= 1 << lane;
                *pointer = match tail {
                    Some((other, lanes)) if lanes >> lane & 1 == 1 => *other,
                    _ => 0,
                };
            }
        }
        Some((target, ran))
    }
}
