//! Registers set by name between two instructions, for who looks at a wave step by step.

use chiaro_sim::change::apart;
use chiaro_sim::{Given, LANES, Lanes};

use super::clock::Planned;
use super::places::REGISTERS;
use super::run::Machine;
use crate::check::effect::Place;

/// What [`Machine::can_set`] holds for, for messages.
pub const SETTABLE: &str = "a register (`r0.x`, `hr0.x`), a constant (`c0.x`), `p0.x` or `a0.x`";

/// Whether a name is that of a register that can be set.
#[must_use]
pub fn can_set(name: &str) -> bool {
    constant(name).is_some() || place(name).is_some()
}

impl Machine {
    /// Sets registers on the way, from the last start on.
    pub fn plan(&mut self, planned: Vec<Planned>) {
        self.timed.planned = planned.into_iter().filter(|planned| !planned.changes.is_empty()).collect();
    }

    /// Sets what is to be set before an instruction of some lanes, and tells what those registers hold then.
    pub(super) fn change(&mut self, lanes: u32) -> Vec<(String, Lanes)> {
        let (mut planned, mut set) = (std::mem::take(&mut self.timed.planned), Vec::new());
        for one in planned.iter_mut().filter(|one| one.lane.is_none_or(|lane| lanes >> lane & 1 == 1)) {
            for change in one.changes.step() {
                let lane = one.lane.unwrap_or(change.lane) % LANES;
                let held = self.set_register(&change.register, lane, change.value);
                set.extend(held.map(|held| (change.register, held)));
            }
        }
        self.timed.planned = planned;
        set
    }

    /// Sets a register of a lane. A result on its way to it is the same from now on.
    fn set_register(&mut self, name: &str, lane: usize, value: Given) -> Option<Lanes> {
        if let Some(number) = constant(name) {
            let mut held = None;
            for (_, form, slot) in self.program.constants.iter().filter(|(n, ..)| *n == number) {
                let lanes = self.state.lanes_mut(*slot);
                lanes.0[lane] = form.of(value.float());
                held = Some(*lanes);
            }
            return held;
        }
        let place = place(name)?;
        let bits = match place {
            Place::Half(_) => value.half(),
            Place::Address | Place::Predicate(_) => value.int(),
            _ => value.float(),
        };
        for pending in self.timed.pending.iter_mut().filter(|pending| pending.place == place) {
            pending.value.0[lane] = bits;
        }
        let lanes = self.state.lanes_mut(self.program.layout.slot(place));
        lanes.0[lane] = bits;
        Some(*lanes)
    }

    /// The components of constants that instructions name, by number: `c1.x` is 4.
    pub fn constants(&self) -> impl Iterator<Item = u16> + '_ {
        self.program.constants.iter().map(|(number, ..)| *number)
    }
}

/// The number of a constant's component.
fn constant(name: &str) -> Option<u16> {
    let (file, number, component) = apart(name)?;
    (file == "c" && number < crate::regs::CONSTANTS).then_some(4 * number + component?)
}

fn place(name: &str) -> Option<Place> {
    let (file, number, component) = apart(name)?;
    let number = number.checked_mul(4)?.checked_add(component?)?;
    match file {
        "r" if number < REGISTERS => Some(Place::Full(number)),
        "hr" if number < REGISTERS => Some(Place::Half(number)),
        "p" if number < 4 => Some(Place::Predicate(number)),
        "a" if number == 0 => Some(Place::Address),
        _ => None,
    }
}
