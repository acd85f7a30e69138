//! Numbers of the program, packed into c registers.
//!
//! An operand takes its numbers from one register, in any order and with one sign for all. So
//! the operands with the most different numbers are placed first, each where the most of its
//! numbers are already.

use crate::compile::graph::{Base, Component, Graph};
use crate::compile::schedule::Step;
use chiaro_num::{Encoding, F24};

/// Registers of constants, each with up to four float24 numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub(crate) registers: Vec<Vec<u32>>,
}

/// Where the numbers of an operand are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Found {
    /// Which register of the pool.
    pub(crate) register: usize,
    /// The component of each component.
    pub(crate) parts: [u8; 4],
    /// Whether the operand is negated.
    pub(crate) neg: bool,
}

const SIGN: u32 = 1 << 23;

/// A number as float24; there is no negative zero.
pub(crate) fn float24(value: f32) -> u32 {
    let raw = F24.encode(f64::from(value), Encoding::default());
    if raw == SIGN { 0 } else { raw }
}

fn numbers(components: &[Component]) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(4);
    for value in components.iter().filter_map(|l| l.value()) {
        let raw = float24(value);
        if !numbers.contains(&raw) {
            numbers.push(raw);
        }
    }
    numbers
}

fn negated(raw: u32) -> u32 {
    if raw == 0 { 0 } else { raw ^ SIGN }
}

impl Pool {
    /// The numbers of all operands, and of all addresses.
    pub(crate) fn of_steps(graph: &Graph, steps: &[Step]) -> Pool {
        let mut operands: Vec<&[Component]> = Vec::new();
        let has_number =
            |components: &[Component]| components.iter().any(|l| matches!(l.base, Base::Const(_)));
        for step in steps {
            let Step::Node(id) = step else { continue };
            let node = graph.node(*id);
            let args = (0..3).map(|k| &node.args[k][..node.reads(k)]);
            operands.extend(args.filter(|components| has_number(components)));
        }
        operands.extend(
            graph.addresses.iter().map(std::slice::from_ref).filter(|components| has_number(components)),
        );
        Pool::of(&operands)
    }

    /// Places the numbers of all operands.
    pub(crate) fn of(operands: &[&[Component]]) -> Pool {
        let mut pool = Pool::default();
        let mut sets: Vec<Vec<u32>> = operands.iter().map(|components| numbers(components)).collect();
        sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
        for set in &sets {
            pool.place(set);
        }
        pool
    }

    fn place(&mut self, set: &[u32]) {
        let mut best: Option<(usize, bool, usize)> = None;
        for (i, register) in self.registers.iter().enumerate() {
            for neg in [false, true] {
                let missing = missing(register, set, neg).len();
                let fits = register.len() + missing <= 4;
                if fits && best.is_none_or(|(_, _, fewest)| missing < fewest) {
                    best = Some((i, neg, missing));
                }
            }
        }
        match best {
            Some((i, neg, _)) => {
                let more = missing(&self.registers[i], set, neg);
                self.registers[i].extend(more);
            }
            None => self.registers.push(set.to_vec()),
        }
    }

    /// Where the numbers of an operand are; it was among those that were placed.
    pub(crate) fn find(&self, components: &[Component]) -> Option<Found> {
        let set = numbers(components);
        let fits = |register: &Vec<u32>, neg: bool| missing(register, &set, neg).is_empty();
        let (register, neg) = [false, true]
            .into_iter()
            .find_map(|neg| self.registers.iter().position(|r| fits(r, neg)).map(|r| (r, neg)))?;
        let mut parts = [0; 4];
        for (part, component) in parts.iter_mut().zip(components) {
            let Some(value) = component.value() else { continue };
            let raw = if neg { negated(float24(value)) } else { float24(value) };
            *part = self.registers[register].iter().position(|n| *n == raw)? as u8;
        }
        Some(Found { register, parts, neg })
    }
}

/// The numbers of a set, or their opposites, that a register does not have.
fn missing(register: &[u32], set: &[u32], neg: bool) -> Vec<u32> {
    let wanted = set.iter().map(|n| if neg { negated(*n) } else { *n });
    wanted.filter(|n| !register.contains(n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_for_all_is_free() {
        let components = |values: &[f32]| values.iter().map(|v| Component::constant(*v)).collect::<Vec<_>>();
        let operands =
            [components(&[0.5, -0.5]), components(&[-0.5]), components(&[0.0, 1.0]), components(&[-1.0])];
        let all: Vec<&[Component]> = operands.iter().map(Vec::as_slice).collect();
        let pool = Pool::of(&all);
        assert_eq!(pool.registers.len(), 1);
        assert_eq!(pool.registers[0].len(), 4);
        assert_eq!(pool.find(&operands[3]).map(|f| f.neg), Some(true));
    }
}
