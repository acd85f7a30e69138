//! What registers hold at a place of a thread, as far as the recording shows it: what was written before,
//! and what the first reader found.

use std::collections::BTreeMap;

use chiaro_target::Step;

/// Steps between two snapshots, from which states are replayed.
const INTERVAL: usize = 256;

/// Registers by name, with components or lanes. What nobody has touched yet is `None`.
pub type Registers = BTreeMap<String, Vec<Option<u32>>>;

/// The states of a thread.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// The state before each step whose number is a multiple of the interval.
    snapshots: Vec<Registers>,
}

impl States {
    /// Prepares the states of a thread.
    #[must_use]
    pub fn of(steps: &[Step]) -> States {
        let (mut state, mut snapshots) = (initial(steps), Vec::new());
        for (n, step) in steps.iter().enumerate() {
            if n % INTERVAL == 0 {
                snapshots.push(state.clone());
            }
            apply(&mut state, step);
        }
        if snapshots.is_empty() {
            snapshots.push(state);
        }
        States { snapshots }
    }

    /// The registers before a step.
    #[must_use]
    pub fn before(&self, steps: &[Step], place: usize) -> Registers {
        let number = (place / INTERVAL).min(self.snapshots.len().saturating_sub(1));
        let mut state = self.snapshots.get(number).cloned().unwrap_or_default();
        let last = place.min(steps.len());
        steps[(number * INTERVAL).min(last)..last].iter().for_each(|step| apply(&mut state, step));
        state
    }
}

/// What registers held at the beginning: a register that is read before it is written held that.
fn initial(steps: &[Step]) -> Registers {
    let mut state = Registers::new();
    let mut written = Registers::new();
    for step in steps {
        for (name, bits) in &step.reads {
            let (register, components) = apart(name);
            let known = written.get(register);
            for (component, value) in components.iter().zip(bits) {
                if known.and_then(|known| known.get(*component)).copied().flatten().is_none() {
                    fill(&mut state, register, *component, *value);
                }
            }
        }
        writes(step).for_each(|(name, bits)| put(&mut written, name, bits));
    }
    state
}

/// Sets a component that has no value yet.
fn fill(state: &mut Registers, register: &str, component: usize, value: u32) {
    let values = state.entry(register.to_owned()).or_default();
    if values.len() <= component {
        values.resize(component + 1, None);
    }
    values[component].get_or_insert(value);
}

/// What a step has done.
fn apply(state: &mut Registers, step: &Step) {
    writes(step).for_each(|(name, bits)| put(state, name, bits));
    for &(unit, bits) in &step.results {
        put(state, unit, &[bits]);
    }
}

/// The registers that a step wrote, as the recording spells them.
pub fn writes(step: &Step) -> impl Iterator<Item = (&str, &[u32])> {
    step.write.iter().chain(&step.also).map(|(name, bits)| (name.as_str(), bits.as_slice()))
}

fn put(state: &mut Registers, name: &str, bits: &[u32]) {
    let (register, components) = apart(name);
    let values = state.entry(register.to_owned()).or_default();
    for (component, value) in components.iter().zip(bits) {
        if values.len() <= *component {
            values.resize(component + 1, None);
        }
        values[*component] = Some(*value);
    }
}

/// `r0.xz` is `r0` with components 0 and 2; a name without components has them in order. Of an indexed
/// register (`c4[a0.x] = c7`) that which was meant.
#[must_use]
pub fn apart(name: &str) -> (&str, Vec<usize>) {
    let name = name.rsplit(" = ").next().unwrap_or(name);
    let letters = |text: &str| -> Option<Vec<usize>> { text.chars().map(|c| "xyzw".find(c)).collect() };
    match name.split_once('.').map(|(register, text)| (register, letters(text))) {
        Some((register, Some(components))) if !components.is_empty() => (register, components),
        _ => (name, (0..64).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(reads: &[(&str, u32)], write: Option<(&str, u32)>) -> Step {
        let named = |(name, bits): &(&str, u32)| ((*name).to_owned(), vec![*bits]);
        Step { reads: reads.iter().map(named).collect(), write: write.as_ref().map(named), ..Step::default() }
    }

    #[test]
    fn states_follow_from_what_was_read_and_written() {
        let steps = [
            step(&[("r0.y", 7)], Some(("r0.x", 1))),
            step(&[("r0.x", 1)], Some(("r1", 2))),
            step(&[("c4[a0.x] = c7", 9)], Some(("r0.y", 3))),
        ];
        let states = States::of(&steps);
        assert_eq!(states.before(&steps, 0)["r0"], [None, Some(7)]);
        assert_eq!(states.before(&steps, 1)["r0"], [Some(1), Some(7)]);
        assert_eq!(states.before(&steps, 3)["r0"], [Some(1), Some(3)]);
        assert_eq!(states.before(&steps, 3)["c7"], [Some(9)]);
        assert_eq!(states.before(&steps, 99), states.before(&steps, 3));
    }

    #[test]
    fn snapshots_give_the_states_that_one_gets_step_by_step() {
        let steps: Vec<Step> =
            (0..1000).map(|n| step(&[], Some((["r0", "r1.w", "r2"][n % 3], n as u32)))).collect();
        let states = States::of(&steps);
        let mut state = initial(&steps);
        for (n, step) in steps.iter().enumerate() {
            assert_eq!(states.before(&steps, n), state, "before {n}");
            apply(&mut state, step);
        }
    }
}
