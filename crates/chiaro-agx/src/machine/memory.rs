//! Loads and stores: device memory at 64-bit addresses, threadgroup memory, the stack, uniforms (spec 8).

use chiaro_isa::Reg;
use chiaro_sim::Lanes;
use chiaro_sim::mapped::{number, put};

use super::access::{Access, Index, Space, What};
use super::fault::FaultKind;
use super::group::Shared;
use super::program::Step;
use super::simdgroup::SimdGroup;
use super::together::{Places, slice};
use crate::regs::{LANES, UNIFORM_HALVES, size};

impl SimdGroup {
    /// A memory operation.
    pub(super) fn access(&mut self, step: &Step, shared: &mut Shared<'_>) {
        let Some(access) = &step.access else {
            let text = self.program.text(step);
            return self.stop(FaultKind::Unknown(text));
        };
        match access.what {
            What::Load => self.load(access, shared),
            What::Store if access.space == Space::Uniform => self.store_uniform(access),
            What::Store => self.store(access, shared),
            What::Atomic(code) => self.atomic(access, code, shared),
            What::Adjust => self.adjust(access),
        }
        if matches!(access.what, What::Store | What::Atomic(_)) {
            self.hold(access.slot, step);
        }
    }

    fn load(&mut self, access: &Access, shared: &mut Shared<'_>) {
        let Some(data) = access.data else { return };
        let count = access.format.elements(access.mask).len() as u8;
        let run = Reg { more: count.saturating_sub(1), ..data };
        let places = self.places(access);
        let together = self.load_together(access, &places, shared);
        let values = together.unwrap_or_else(|| self.load_apart(access, &places, shared));
        match access.slot {
            Some(slot) => self.bring(slot, run, values),
            None => self.write_run(run, &values),
        }
    }

    /// The registers of a load, lane by lane.
    fn load_apart(&mut self, access: &Access, places: &Places, shared: &mut Shared<'_>) -> Vec<Lanes> {
        let (elements, bytes) = (access.format.elements(access.mask), access.format.bytes());
        let wide = access.data.is_some_and(|data| data.size == size::WORD);
        let mut values = vec![Lanes::ZERO; elements.len()];
        for lane in self.running() {
            for (n, (element, value)) in elements.iter().zip(&mut values).enumerate() {
                let at = places[lane].wrapping_add((element * bytes) as u64);
                let raw = self.read_bytes(access.space, at, bytes, lane, shared) as u32;
                let component = if access.format.packed().is_some() { n } else { *element };
                value.0[lane] = access.format.load(raw, component, wide);
            }
        }
        values
    }

    fn store(&mut self, access: &Access, shared: &mut Shared<'_>) {
        let places = self.places(access);
        if self.store_together(access, &places, shared).is_none() {
            self.store_apart(access, &places, shared);
        }
    }

    /// Stores element by element, and of each lane by lane.
    fn store_apart(&mut self, access: &Access, places: &Places, shared: &mut Shared<'_>) {
        let Some(data) = access.data else { return };
        let (elements, bytes) = (access.format.elements(access.mask), access.format.bytes());
        let wide = data.size == size::WORD;
        if access.format.packed().is_some() {
            for lane in self.running() {
                let word = access.format.pack(self.read_run(data, elements.len(), lane), wide);
                self.write_bytes(access.space, places[lane], 4, word.into(), lane, shared);
            }
            return;
        }
        for (n, element) in elements.iter().enumerate() {
            for lane in self.running() {
                let Some(&bits) = self.read_run(data, elements.len(), lane).get(n) else { continue };
                let at = places[lane].wrapping_add((element * bytes) as u64);
                let value = access.format.store(bits, *element, wide);
                self.write_bytes(access.space, at, bytes, value.into(), lane, shared);
            }
        }
    }

    /// Writes uniforms, halves whatever the format says: that of 32 bits does not work (spec 8.5).
    fn store_uniform(&mut self, access: &Access) {
        let (Some(data), Some(lane)) = (access.data, self.running().next()) else { return };
        let first = self.index_of(access, lane) << access.shift;
        for (n, element) in access.format.elements(access.mask).iter().enumerate() {
            let half = first.wrapping_add(*element as i64) as u32;
            let from = Reg { more: 0, size: size::HALF, index: data.index + n as u16, ..data };
            let value = self.read(from, lane) as u16;
            match u16::try_from(half).ok().filter(|half| *half < UNIFORM_HALVES) {
                Some(half) => self.set_uniform(half, value),
                None => self.fault(lane, FaultKind::Uniform(half)),
            }
        }
    }

    /// Where the access of a lane begins.
    pub(super) fn place(&self, access: &Access, lane: usize) -> u64 {
        let bytes = access.format.bytes() as u64;
        let index = self.index_of(access, lane).wrapping_shl(access.shift.into()) as u64;
        if access.space == Space::Stack {
            return index;
        }
        let base = access.base.map_or(0, |r| self.read(r, lane));
        // Addresses are rounded down to the size of an element.
        (base & !(bytes - 1)).wrapping_add(index.wrapping_mul(bytes))
    }

    /// The same of all lanes.
    fn places(&self, access: &Access) -> Places {
        match (access.space, access.index) {
            (Space::Stack, Index::Number(n)) => {
                return [n.wrapping_shl(access.shift.into()) as u64; LANES as usize];
            }
            (Space::Stack, _) => return std::array::from_fn(|lane| self.place(access, lane)),
            _ => {}
        }
        let bytes = access.format.bytes() as u64;
        let mut all = match access.base {
            Some(base) => self.wide_lanes(base),
            None => [0; LANES as usize],
        };
        let scale = |index: i64| (index.wrapping_shl(access.shift.into()) as u64).wrapping_mul(bytes);
        let base = |place: u64| place & !(bytes - 1);
        match access.index {
            Index::Number(n) => all.iter_mut().for_each(|place| *place = base(*place).wrapping_add(scale(n))),
            Index::Register { register, signed } => {
                let index = self.wide_lanes(register);
                let extend = |bits: u64| match (signed, register.size) {
                    (true, size::HALF) => (bits as u16 as i16).into(),
                    (true, _) => (bits as u32 as i32).into(),
                    (false, _) => bits as i64,
                };
                all.iter_mut()
                    .zip(index)
                    .for_each(|(place, bits)| *place = base(*place).wrapping_add(scale(extend(bits))));
            }
        }
        all
    }

    /// The bits of a register in all lanes, zeros above.
    pub(super) fn wide_lanes(&self, r: Reg) -> [u64; LANES as usize] {
        let slot = self.compiled.uops.slot(r);
        let low = self.state.lanes(slot).0;
        match (r.size, r.index & 1) {
            (size::HALF, high) => low.map(|word| (word >> (16 * high) & 0xffff).into()),
            (size::LONG, _) => {
                let high = self.state.lanes(slot.at(1)).0;
                std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
            }
            _ => low.map(u64::from),
        }
    }

    fn index_of(&self, access: &Access, lane: usize) -> i64 {
        match access.index {
            Index::Number(n) => n,
            Index::Register { register, signed } => {
                let bits = self.read(register, lane);
                match (signed, register.size) {
                    (true, size::HALF) => (bits as u16 as i16).into(),
                    (true, _) => (bits as u32 as i32).into(),
                    (false, _) => bits as i64,
                }
            }
        }
    }

    /// Bytes at a place; zero and a fault where there are none.
    pub(super) fn read_bytes(
        &mut self,
        space: Space,
        at: u64,
        size: usize,
        lane: usize,
        shared: &mut Shared<'_>,
    ) -> u64 {
        let Some(bits) = self.bytes(space, at, size, lane, shared).map(|bytes| number(bytes)) else {
            return self.missing(space, at, lane, shared);
        };
        self.touch(space, lane, at, (size, bits), false);
        bits
    }

    /// Stores bytes at a place; a fault where there are none.
    pub(super) fn write_bytes(
        &mut self,
        space: Space,
        at: u64,
        size: usize,
        value: u64,
        lane: usize,
        shared: &mut Shared<'_>,
    ) {
        // Helper lanes of fragments change no memory that others see.
        let helper = space == Space::Device && self.pixels.as_deref().is_some_and(|p| p.covered[lane] == 0);
        if helper {
            return;
        }
        match self.bytes(space, at, size, lane, shared) {
            Some(bytes) => put(value, bytes),
            None => {
                self.missing(space, at, lane, shared);
                return;
            }
        }
        self.touch(space, lane, at, (size, value), true);
    }

    fn bytes<'s>(
        &'s mut self,
        space: Space,
        at: u64,
        size: usize,
        lane: usize,
        shared: &'s mut Shared<'_>,
    ) -> Option<&'s mut [u8]> {
        match space {
            Space::Device => shared.memory.get_near(&mut shared.near, at, size),
            Space::Threadgroup => slice(shared.local, at, size),
            _ => {
                self.take_stack();
                let frame = self.frames.last().copied().unwrap_or(0);
                let own = self.stack.chunks_exact_mut(self.config.stack.max(1)).nth(lane)?;
                slice(own, at.wrapping_add(frame), size)
            }
        }
    }

    /// Memory for the stacks of all lanes, from the first access on.
    pub(super) fn take_stack(&mut self) {
        if self.stack.is_empty() {
            self.stack = vec![0; self.config.stack * LANES as usize];
        }
    }

    fn missing(&mut self, space: Space, at: u64, lane: usize, shared: &Shared<'_>) -> u64 {
        match space {
            Space::Device if self.config.soft_fault => {}
            Space::Device => self.fault(lane, FaultKind::Address(at)),
            Space::Threadgroup => self.fault(lane, FaultKind::Shared(at, shared.local.len())),
            _ => self.fault(lane, FaultKind::Stack(at as i64, self.config.stack)),
        }
        0
    }

    /// Takes a frame of words from the stack, or gives the last one back. Offsets count from its start
    /// [assumed].
    fn adjust(&mut self, access: &Access) {
        let Some(lane) = self.running().next() else { return };
        let bytes = self.index_of(access, lane).wrapping_mul(4);
        self.stack_top = self.stack_top.wrapping_add(bytes);
        let within = (0..=self.config.stack as i64).contains(&self.stack_top);
        if !within {
            return self.stop(FaultKind::Stack(self.stack_top, self.config.stack));
        }
        if bytes > 0 {
            self.frames.push((self.stack_top - bytes) as u64);
        } else if bytes < 0 {
            self.frames.pop();
        }
    }
}
