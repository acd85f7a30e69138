//! What registers hold at a place of a wave, as far as the recording shows it: what was written before,
//! and what the first reader found.

use std::collections::{BTreeMap, HashMap};

use chiaro_target::Step;

/// Steps between two snapshots, from which states are replayed.
const INTERVAL: usize = 256;

/// Registers by name, with components or lanes. What nobody has touched yet is `None`.
pub type Registers = BTreeMap<String, Vec<Option<u32>>>;

/// Registers that share bits with others: what each is made of, low bits first, with so many bits each.
pub type Parts = HashMap<String, Vec<(String, u32)>>;

/// The states of a wave.
#[derive(Clone, Debug, Default)]
pub struct States {
    /// The state before each step whose number is a multiple of the interval.
    snapshots: Vec<Registers>,
}

impl States {
    /// Prepares the states of a wave.
    #[must_use]
    pub fn of(steps: &[Step], parts: &Parts, constants: &Registers) -> States {
        let (mut state, mut snapshots) = (initial(steps, parts), Vec::new());
        for (register, values) in constants {
            for (n, bits) in values.iter().enumerate().filter_map(|(n, bits)| Some((n, (*bits)?))) {
                set(&mut state, register, n).get_or_insert(bits);
            }
        }
        for (n, step) in steps.iter().enumerate() {
            if n % INTERVAL == 0 {
                snapshots.push(state.clone());
            }
            apply(&mut state, step, parts);
        }
        if snapshots.is_empty() {
            snapshots.push(state);
        }
        States { snapshots }
    }

    /// The registers before a step: what it reads of them is what they hold, also where that came from
    /// nowhere that the recording shows.
    #[must_use]
    pub fn before(&self, steps: &[Step], place: usize, parts: &Parts) -> Registers {
        let number = (place / INTERVAL).min(self.snapshots.len().saturating_sub(1));
        let mut state = self.snapshots.get(number).cloned().unwrap_or_default();
        let last = place.min(steps.len());
        steps[(number * INTERVAL).min(last)..last].iter().for_each(|step| apply(&mut state, step, parts));
        if let Some(step) = steps.get(place) {
            take_set(&mut state, step, parts);
            take_reads(&mut state, step, parts);
        }
        for (whole, made_of) in parts {
            if let Some(values) = joined(&state, made_of) {
                state.insert(whole.clone(), values);
            }
        }
        state
    }
}

/// Registers that hold the same all the time. Where lanes go together a component is a register by itself.
#[must_use]
pub fn constants(all: &[(String, u32)], lanes: usize, parts: &Parts) -> Registers {
    let mut held = Registers::new();
    for (name, bits) in all {
        if lanes > 1 && name.contains('.') {
            *set(&mut held, name, 0) = Some(*bits);
            continue;
        }
        let one = std::iter::once((name.as_str(), std::slice::from_ref(bits)));
        each(one, parts, |register, n, bits| *set(&mut held, register, n) = Some(bits));
    }
    held
}

/// A register of several, where one of them is known.
fn joined(state: &Registers, parts: &[(String, u32)]) -> Option<Vec<Option<u32>>> {
    let all: Vec<Option<&Vec<Option<u32>>>> = parts.iter().map(|(part, _)| state.get(part)).collect();
    let length = all.iter().flatten().map(|values| values.len()).max()?;
    let of_lane = |lane: usize| {
        let (mut bits, mut low) = (0, 0);
        for (values, (_, width)) in all.iter().zip(parts) {
            bits |= values.as_ref()?.get(lane).copied().flatten()?.checked_shl(low)?;
            low += width;
        }
        Some(bits)
    };
    Some((0..length).map(of_lane).collect())
}

/// What registers held at the beginning: a register that is read before it is written held that.
fn initial(steps: &[Step], parts: &Parts) -> Registers {
    let (mut state, mut written) = (Registers::new(), Registers::new());
    for step in steps {
        each(given(step), parts, |register, n, bits| *set(&mut written, register, n) = Some(bits));
        each(
            step.reads.iter().map(|(name, bits)| (name.as_str(), bits.as_slice())),
            parts,
            |register, n, bits| {
                if written.get(register).and_then(|known| known.get(n)).copied().flatten().is_none() {
                    set(&mut state, register, n).get_or_insert(bits);
                }
            },
        );
        each(writes(step), parts, |register, n, bits| *set(&mut written, register, n) = Some(bits));
    }
    state
}

/// What a step has done.
fn apply(state: &mut Registers, step: &Step, parts: &Parts) {
    take_set(state, step, parts);
    take_reads(state, step, parts);
    each(writes(step), parts, |register, n, bits| *set(state, register, n) = Some(bits));
    for &(unit, bits) in &step.results {
        *set(state, unit, 0) = Some(bits);
    }
}

fn take_set(state: &mut Registers, step: &Step, parts: &Parts) {
    each(given(step), parts, |register, n, bits| *set(state, register, n) = Some(bits));
}

/// The registers that somebody set before a step.
fn given(step: &Step) -> impl Iterator<Item = (&str, &[u32])> {
    step.set.iter().map(|(name, bits)| (name.as_str(), bits.as_slice()))
}

fn take_reads(state: &mut Registers, step: &Step, parts: &Parts) {
    let reads = step.reads.iter().map(|(name, bits)| (name.as_str(), bits.as_slice()));
    each(reads, parts, |register, n, bits| *set(state, register, n) = Some(bits));
}

/// The registers that a step wrote, as the recording spells them.
pub fn writes(step: &Step) -> impl Iterator<Item = (&str, &[u32])> {
    step.write.iter().chain(&step.also).map(|(name, bits)| (name.as_str(), bits.as_slice()))
}

/// Every component or lane of registers, in the smallest parts that they have.
fn each<'a>(
    named: impl Iterator<Item = (&'a str, &'a [u32])>,
    parts: &Parts,
    mut with: impl FnMut(&str, usize, u32),
) {
    for (name, bits) in named {
        let (register, components) = spread(name, bits.len());
        let made_of = parts.get(register).map_or(&[][..], Vec::as_slice);
        for (n, bits) in components.iter().zip(bits) {
            let mut rest = u64::from(*bits);
            for (part, width) in made_of {
                with(part, *n, (rest & ((1 << width) - 1)) as u32);
                rest >>= width;
            }
            if made_of.is_empty() {
                with(register, *n, *bits);
            }
        }
    }
}

/// A component or lane of a register, to be set.
fn set<'a>(state: &'a mut Registers, register: &str, n: usize) -> &'a mut Option<u32> {
    if !state.contains_key(register) {
        state.insert(register.to_owned(), Vec::new());
    }
    let values = state.get_mut(register).expect("it is there now");
    if values.len() <= n {
        values.resize(n + 1, None);
    }
    &mut values[n]
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

/// The same with so many values: where there are more than the name has components, they are those of lanes, and
/// the component is a register by itself.
#[must_use]
pub fn spread(name: &str, count: usize) -> (&str, Vec<usize>) {
    let (register, components) = apart(name);
    if components.len() < count {
        (name.rsplit(" = ").next().unwrap_or(name), (0..count).collect())
    } else {
        (register, components)
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
        let states = States::of(&steps, &Parts::new(), &Registers::new());
        let before = |place| states.before(&steps, place, &Parts::new());
        assert_eq!(before(0)["r0"], [None, Some(7)]);
        assert_eq!(before(1)["r0"], [Some(1), Some(7)]);
        assert_eq!(before(3)["r0"], [Some(1), Some(3)]);
        assert_eq!(before(3)["c7"], [Some(9)]);
        assert_eq!(before(99), before(3));
    }

    #[test]
    fn what_is_set_holds_from_its_step_on() {
        let put = Step { set: vec![("r0.x".to_owned(), vec![9])], ..step(&[], None) };
        let steps = [step(&[], Some(("r0.x", 1))), put, step(&[("r0.x", 9)], Some(("r0.x", 2)))];
        let known = [("c1.y".to_owned(), 7)];
        let states = States::of(&steps, &Parts::new(), &constants(&known, 1, &Parts::new()));
        let held: Vec<_> = (0..4).map(|at| states.before(&steps, at, &Parts::new()).remove("r0")).collect();
        assert_eq!(held, [None, Some(vec![Some(9)]), Some(vec![Some(9)]), Some(vec![Some(2)])]);
        assert_eq!(states.before(&steps, 0, &Parts::new())["c1"], [None, Some(7)]);
        assert_eq!(
            constants(&known, 32, &Parts::new())["c1.y"],
            [Some(7)],
            "lanes have components of their own"
        );
        // Nobody says that it was there before.
        let steps =
            [step(&[], None), Step { set: vec![("r1.x".to_owned(), vec![9])], ..step(&[("r1.x", 9)], None) }];
        let states = States::of(&steps, &Parts::new(), &Registers::new());
        assert_eq!(states.before(&steps, 0, &Parts::new()).get("r1"), None);
    }

    #[test]
    fn what_comes_from_nowhere_is_seen_by_its_reader() {
        let steps = [step(&[], Some(("v0", 1))), step(&[], None), step(&[("v0", 5)], None), step(&[], None)];
        let states = States::of(&steps, &Parts::new(), &Registers::new());
        let held: Vec<_> =
            (0..5).map(|at| states.before(&steps, at, &Parts::new()).get("v0").cloned()).collect();
        assert_eq!(
            held,
            [None, Some(vec![Some(1)]), Some(vec![Some(5)]), Some(vec![Some(5)]), Some(vec![Some(5)])]
        );
    }

    #[test]
    fn lanes_of_a_component_are_no_components() {
        let lanes = Step { write: Some(("r0.y".to_owned(), vec![1, 2, 3])), ..Step::default() };
        let states = States::of(std::slice::from_ref(&lanes), &Parts::new(), &Registers::new());
        let after = states.before(std::slice::from_ref(&lanes), 1, &Parts::new());
        assert_eq!(after["r0.y"], [Some(1), Some(2), Some(3)]);
        assert_eq!(spread("r0.yz", 2), ("r0", vec![1, 2]));
    }

    #[test]
    fn registers_that_share_bits_are_one() {
        let halves = [("r3l".to_owned(), 16), ("r3h".to_owned(), 16)].to_vec();
        let parts = Parts::from([("r3".to_owned(), halves)]);
        let steps = [
            step(&[], Some(("r3", 0x1111_2222))),
            step(&[("r3h", 0x1111)], Some(("r3l", 0x3333))),
            step(&[], Some(("r4", 0))),
        ];
        let states = States::of(&steps, &parts, &Registers::new());
        let before = |place| states.before(&steps, place, &parts);
        assert_eq!(before(0).get("r3"), None);
        assert_eq!((&before(1)["r3"], &before(1)["r3l"]), (&vec![Some(0x1111_2222)], &vec![Some(0x2222)]));
        assert_eq!(before(2)["r3"], [Some(0x1111_3333)]);
    }

    #[test]
    fn snapshots_give_the_states_that_one_gets_step_by_step() {
        let steps: Vec<Step> =
            (0..1000).map(|n| step(&[], Some((["r0", "r1.w", "r2"][n % 3], n as u32)))).collect();
        let (none, mut state) = (Parts::new(), initial(&steps, &Parts::new()));
        let states = States::of(&steps, &none, &Registers::new());
        for (n, step) in steps.iter().enumerate() {
            assert_eq!(states.before(&steps, n, &none), state, "before {n}");
            apply(&mut state, step, &none);
        }
    }
}
