//! The frame in scratch: what was saved where.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::code::{self, Access, Move, Source};
use super::state::State;
use super::value::{Bounds, KINDS, Reach, Scalar, Tag, Vector};
use super::vector::written_in;
use super::{Checker, Role, Sink, Step, refute, unproved};
use crate::abi::convention::Unit;
use crate::check::tables;

/// Where an access goes.
enum Address {
    /// So many bytes from the stack pointer at entry.
    Frame(i32),
    /// The least and the most of that.
    Within(i32, i32),
    /// To memory that the caller has handed over.
    Given,
    /// To a place of the wave that is no frame's.
    Absolute,
    /// Nobody knows.
    Unknown,
}

/// Bytes from the stack pointer at which nobody's frame lies: what is nearer can be counted with.
const FAR: u32 = 1 << 30;

impl Address {
    /// This, unless it is far from any frame.
    fn near(self) -> Address {
        let is_far = |at: i32| at.unsigned_abs() >= FAR;
        match self {
            Address::Frame(at) if is_far(at) => Address::Unknown,
            Address::Within(first, last) if is_far(first) || is_far(last) => Address::Unknown,
            near => near,
        }
    }
}

impl Checker<'_> {
    fn unit(&self) -> Unit {
        self.contract.convention.stack.unit
    }

    /// Whether an access is to scratch: by its instructions, or by the descriptor of the stack.
    pub(super) fn is_scratch(&self, access: &Access) -> bool {
        match (self.unit(), access.descriptor) {
            (_, None) => true,
            (Unit::Wave { descriptor }, Some(used)) => used == descriptor,
            (Unit::Lane, Some(_)) => false,
        }
    }

    /// A stack pointer of a wave as one of a lane.
    pub(super) fn shifted(&self, value: Scalar, by: u32) -> Option<Scalar> {
        let lanes = u32::from(self.wave);
        let of_wave = matches!(self.unit(), Unit::Wave { .. }) && 1 << by == lanes;
        match value {
            Scalar::Entry(register, add) if of_wave && Some(register) == self.contract.stack_pointer => {
                Some(Scalar::Frame(add as i32 / lanes as i32))
            }
            Scalar::Number(n) => n.checked_shr(by).map(Scalar::Number),
            _ => None,
        }
    }

    /// Bytes of a lane from the stack pointer at entry, of a scalar that counts what stack pointers do.
    pub(super) fn of_pointer(&self, value: Scalar) -> Option<i32> {
        let bytes = match value {
            Scalar::Entry(register, add) if Some(register) == self.contract.stack_pointer => add as i32,
            // A kernel's stack begins where the wave's scratch does.
            Scalar::Number(n) if self.role == Role::Kernel => n as i32,
            _ => return None,
        };
        match self.unit() {
            Unit::Lane => Some(bytes),
            Unit::Wave { .. } => (bytes % i32::from(self.wave) == 0).then(|| bytes / i32::from(self.wave)),
        }
    }

    fn address(&self, step: &Step, access: &Access, state: &State) -> Address {
        let address = match self.exact(step, access, state) {
            Address::Unknown => self.within(step, access, state).unwrap_or(Address::Unknown),
            known => known,
        };
        address.near()
    }

    /// Between which places an access goes.
    fn within(&self, step: &Step, access: &Access, state: &State) -> Option<Address> {
        let bounds = state.bounds.get(&access.vector?)?;
        let base = match access.scalar {
            None | Some(Source::Number(0)) => 0,
            Some(source) => self.of_pointer(self.value(source, state, step.word))?,
        };
        let has_base = !matches!(access.scalar, None | Some(Source::Number(0)));
        let [least, most] = match *bounds {
            Bounds::Number(least, most) if has_base || self.role == Role::Kernel => {
                [least as i32, i32::try_from(most).ok()?]
            }
            Bounds::Place(least, most) if !has_base => [least, most],
            _ => return None,
        };
        let by = base.checked_add(access.offset)?;
        Some(Address::Within(least.checked_add(by)?, most.checked_add(by)?))
    }

    /// Where an access goes, if that is one place.
    fn exact(&self, step: &Step, access: &Access, state: &State) -> Address {
        let base = match access.scalar {
            None => Scalar::Number(0),
            Some(source) => self.value(source, state, step.word),
        };
        let plain = matches!(access.scalar, None | Some(Source::Number(0)));
        let own = match access.vector.map(|register| self.in_lanes(register, state)) {
            None => Some(0),
            Some(Tag::Same(Scalar::Number(n))) => Some(n as i32),
            Some(Tag::Same(Scalar::Frame(at))) if plain => {
                return Address::Frame(at.saturating_add(access.offset));
            }
            Some(Tag::Same(value)) if plain && self.unit() == Unit::Lane => {
                return match (self.of_pointer(value), value) {
                    (Some(at), _) => Address::Frame(at.saturating_add(access.offset)),
                    (None, Scalar::Entry(..)) => Address::Given,
                    _ => Address::Unknown,
                };
            }
            Some(Tag::Entry(_)) if plain => return Address::Given,
            Some(_) => None,
        };
        let Some(own) = own else { return Address::Unknown };
        let is_frame = self.role == Role::Kernel || !matches!(base, Scalar::Number(_));
        match self.of_pointer(base) {
            Some(at) => Address::Frame(at.wrapping_add(own).wrapping_add(access.offset)),
            None if !is_frame => Address::Absolute,
            None if matches!(base, Scalar::Entry(..)) => Address::Given,
            None => Address::Unknown,
        }
    }

    /// Registers that an access moves between lanes and the frame, each dword by itself.
    pub(super) fn moved_lanes(&self, step: &Step, state: &State) -> Vec<Move> {
        let Some(access) = code::access(step).filter(|access| self.is_scratch(access) && !access.partial)
        else {
            return Vec::new();
        };
        let Address::Frame(first) = self.address(step, &access, state) else { return Vec::new() };
        let whole = state.masks.reach(&self.cells) == [Reach::All; KINDS];
        let one = |n: u16| Move {
            register: Some(access.data + n),
            slot: first + i32::from(n) * 4,
            loads: access.loads,
            whole,
        };
        if first % 4 != 0 {
            return Vec::new();
        }
        (0..access.dwords).map(one).collect()
    }

    /// Slots of some that a store may write, whatever it leaves there.
    pub(super) fn overwritten(&self, step: &Step, state: &State, slots: &BTreeSet<i32>) -> Vec<Move> {
        let stores = |access: &Access| self.is_scratch(access) && !access.loads;
        let Some(access) = code::access(step).filter(stores) else { return Vec::new() };
        let (first, last) = match self.address(step, &access, state) {
            Address::Frame(first) => (first, first),
            Address::Within(first, last) => (first, last),
            Address::Given | Address::Absolute => return Vec::new(),
            Address::Unknown => (i32::MIN, i32::MAX),
        };
        let last = last.saturating_add(i32::from(access.dwords) * 4 - 1);
        let one = |slot: &i32| Move { register: None, slot: *slot, loads: false, whole: false };
        slots.range(first.saturating_sub(3)..=last).map(one).collect()
    }

    /// A load from scratch, or a store to it.
    pub(super) fn scratch(
        &self,
        step: &Step,
        access: &Access,
        reach: [Reach; KINDS],
        state: &mut State,
        sink: &mut Sink<'_>,
    ) {
        self.descriptor(step, access, state, sink);
        let address = self.address(step, access, state);
        if access.loads {
            self.load(step, access, address, reach, state);
        } else {
            self.store(step, access, address, reach, state, sink);
        }
    }

    /// The stack's descriptor is the one that the caller handed over.
    fn descriptor(&self, step: &Step, access: &Access, state: &State, sink: &mut Sink<'_>) {
        let Some(first) = access.descriptor.filter(|_| self.role == Role::Function) else { return };
        let mut all = first..first + 4;
        if let Some(register) = all.find(|register| state.scalar(*register) != Scalar::Entry(*register, 0)) {
            let message = format!(
                "{} uses the stack's descriptor, of which s{register} is not what it was at entry",
                step.name
            );
            refute(sink, step, message);
        }
    }

    fn load(&self, step: &Step, access: &Access, address: Address, reach: [Reach; KINDS], state: &mut State) {
        for n in 0..access.dwords {
            let at = i32::from(n) * 4;
            let found = match address {
                Address::Frame(first) if !access.partial && (first + at) % 4 == 0 => state.slot(first + at),
                _ => Vector::nothing(),
            };
            let lanes =
                found.lanes.map(|tag| if tag == Tag::Nothing { Tag::Unknown(step.word) } else { tag });
            let mut held = state.vector(access.data + n);
            held.write(&Vector { lanes, ..found }, written_in(step, reach), step.word);
            state.set_vector(access.data + n, held);
        }
    }

    fn store(
        &self,
        step: &Step,
        access: &Access,
        address: Address,
        reach: [Reach; KINDS],
        state: &mut State,
        sink: &mut Sink<'_>,
    ) {
        let (first, last) = match address {
            Address::Frame(first) => (first, first),
            Address::Within(first, last) => (first, last),
            Address::Given => return,
            Address::Absolute => {
                return refute(
                    sink,
                    step,
                    format!("{} writes a place of the wave that is no frame's", step.name),
                );
            }
            Address::Unknown => {
                return unproved(
                    sink,
                    step,
                    format!("{} writes scratch at an address nobody knows", step.name),
                );
            }
        };
        self.frame(step, access, (first, last), sink);
        if first != last {
            return self.spread(step, access, (first, last), reach, state);
        }
        let is_whole = !access.partial && first % 4 == 0;
        let (begin, end) = (first.div_euclid(4) * 4, first.saturating_add(width(step, access)));
        for (at, register) in (begin..end).step_by(4).zip(access.data..) {
            let value = match is_whole {
                true => state.vector(register),
                false => Vector::of([Tag::Written(step.word); KINDS]),
            };
            let mut slot = state.slot(at);
            slot.write(&value, reach, step.word);
            Rc::make_mut(&mut state.slots).insert(at, slot);
        }
    }

    /// A write to memory that others see: lanes that slept where the function begins, or wait, have no part in it.
    pub(super) fn shared(&self, step: &Step, reach: [Reach; KINDS], sink: &mut Sink<'_>) {
        if step.name.starts_with("flat_") {
            unproved(sink, step, format!("{} may write scratch", step.name));
        }
        self.without_others(step, reach, ["writes memory in", "may write memory in"], sink);
    }

    /// Stores are to the function's own part of the stack.
    fn frame(&self, step: &Step, access: &Access, (first, last): (i32, i32), sink: &mut Sink<'_>) {
        let bottom = -self.contract.stack_bytes;
        let width = width(step, access);
        if last < bottom {
            let message =
                format!("{} writes {} bytes below its stack pointer: the caller's frame", step.name, -last);
            refute(sink, step, message);
        } else if first < bottom {
            let message = format!("{} may write {} bytes below its stack pointer", step.name, -first);
            unproved(sink, step, message);
        }
        let Some(room) = self.contract.room else { return };
        if first + width > room {
            let message = format!("{} writes byte {} of a frame of {room}", step.name, first + width - 1);
            refute(sink, step, message);
        } else if last + width > room {
            let message = format!("{} may write byte {} of a frame of {room}", step.name, last + width - 1);
            unproved(sink, step, message);
        }
    }

    /// A store to any of some places: each holds what it held, or something that nobody knows.
    fn spread(
        &self,
        step: &Step,
        access: &Access,
        (first, last): (i32, i32),
        reach: [Reach; KINDS],
        state: &mut State,
    ) {
        let value = Vector::of([Tag::Unknown(step.word); KINDS]);
        let end = last.saturating_add(i32::from(access.dwords) * 4 - 1).div_euclid(4) * 4;
        // What was never stored is nobody's yet.
        let slots = Rc::make_mut(&mut state.slots);
        for (_, slot) in slots.range_mut(first.div_euclid(4) * 4..=end) {
            slot.write(&value, reach, step.word);
        }
    }

    /// Counters that an instruction counts up, or waits for.
    pub(super) fn counters(&self, step: &Step, state: &mut State) {
        let [vm, vs, lgkm, exp] = &mut state.on_way;
        if let Some(waited) = tables::waited(step.dword) {
            (*vm, *lgkm, *exp) = (*vm && waited.vm > 0, *lgkm && waited.lgkm > 0, *exp && waited.exp > 0);
        }
        // A wait for stores has the null register and a number (spec 10.2).
        if step.name == "s_waitcnt_vscnt" && step.dword & 0x7f_ffff == 125 << 16 {
            *vs = false;
        }
        for (caller, open) in state.of_caller.iter_mut().zip(state.on_way) {
            *caller &= open;
        }
        let [vm, vs, lgkm, exp] = &mut state.on_way;
        if let Some(access) = step.access {
            let (counts_vm, counts_lgkm) = access.counters();
            (*vm, *lgkm) = (*vm || counts_vm, *lgkm || counts_lgkm);
            *exp |= matches!(access, tables::Access::Export | tables::Access::Gds);
        }
        let stores = step.name.contains("_store_") || step.name.contains("_atomic_");
        *vs |= stores && step.access.is_none() || step.name.starts_with("flat_store");
    }
}

/// Bytes of a lane that an access moves.
fn width(step: &Step, access: &Access) -> i32 {
    match access.partial {
        true if step.name.contains("short") => 2,
        true => 1,
        false => i32::from(access.dwords) * 4,
    }
}
