//! What an inner LOOP would read by the wrong counter: operands that aL indexes are read where they are used, and
//! within a LOOP aL is that one's.

use super::state::{Answer, Place, Repr, Root, Select, Test, TestId};
use crate::compile::graph::{Base, Component, Index, components_of};
use crate::isa::Op as Machine;
use chiaro_ir::{Inst, Value};

impl Select<'_> {
    /// Copies what a loop uses of an outer one by aL. What was there before is returned, to be there again
    /// behind the loop; `None` where something cannot be copied, so that LOOP may not run the loop.
    pub(super) fn keep_outer(&mut self, inst: Inst) -> Answer<Option<Vec<(Value, Repr)>>> {
        let mut before = Vec::new();
        for value in self.used_in(inst) {
            let repr = &self.values[value.0 as usize];
            if !self.rides(repr) {
                continue;
            }
            let Repr::Components(components, n) = *repr else {
                self.set_all(before);
                return Ok(None);
            };
            before.push((value, repr.clone()));
            let copy = self.node(Machine::Mov, n, &[components]);
            let copy = match n {
                1 => [Component::new(Base::Node(copy), 0); 4],
                _ => components_of(Base::Node(copy)),
            };
            self.set(value, Repr::Components(copy, n));
        }
        Ok(Some(before))
    }

    pub(super) fn set_all(&mut self, reprs: Vec<(Value, Repr)>) {
        for (value, repr) in reprs {
            self.set(value, repr);
        }
    }

    /// The values that the instructions within a construct name, in ascending order.
    fn used_in(&self, inst: Inst) -> Vec<Value> {
        let (mut open, mut used) = (self.f.blocks_of(inst).to_vec(), Vec::<Value>::new());
        while let Some(block) = open.pop() {
            for &i in &self.f.block(block).insts {
                open.extend(self.f.blocks_of(i));
                used.extend(self.f.args(i));
            }
        }
        used.sort_unstable_by_key(|value| value.0);
        used.dedup();
        used
    }

    /// Whether aL indexes something in what stands for a value.
    fn rides(&self, repr: &Repr) -> bool {
        match repr {
            Repr::None | Repr::Counter(..) => false,
            Repr::Components(components, n) => components[..usize::from(*n)].iter().any(|c| c.is_by_loop()),
            Repr::Tests(tests, n) => tests[..usize::from(*n)].iter().any(|test| self.test_rides(*test)),
            Repr::Place(place) | Repr::Loaded(place) => self.place_rides(place),
            Repr::Parts(parts) => parts.iter().any(|part| self.rides(part)),
        }
    }

    fn test_rides(&self, test: TestId) -> bool {
        match self.tests[test as usize] {
            Test::Known(_) | Test::Uniform(_) => false,
            Test::Compare(a, b, _) => a.is_by_loop() || b.is_by_loop(),
            Test::Not(inner) => self.test_rides(inner),
            Test::And(a, b) | Test::Or(a, b) => self.test_rides(a) || self.test_rides(b),
        }
    }

    fn place_rides(&self, place: &Place) -> bool {
        match &place.root {
            Root::Uniform(_, _, index) | Root::Column(_, _, _, index) | Root::Component(_, _, index) => {
                matches!(index, Index::Loop(_))
            }
            Root::Chosen(components, _) => components.iter().any(|c| c.is_by_loop()),
            Root::Private(number, _) => {
                self.private.held.get(*number as usize).is_some_and(|held| self.rides(held))
            }
            _ => false,
        }
    }
}
