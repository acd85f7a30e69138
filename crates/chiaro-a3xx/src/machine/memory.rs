//! Category 6: loads, stores, atomics. spec section 11.
//!
//! Lanes go in ascending order, which is the order in which those on one address see each
//! other. Helpers load and do not store.

use chiaro_sim::{LANES, Slot, Touched};

use super::access::{Access, Deed, Space, width};
use super::fault::FaultKind;
use super::run::Machine;
use super::world::{Memory, World};
use crate::isa::Op;

impl Machine {
    /// Does an access for some lanes.
    pub(super) fn access(&mut self, access: &Access, lanes: u32, world: &mut World) {
        for lane in (0..LANES).filter(|lane| lanes >> lane & 1 == 1) {
            match access.deed {
                Deed::Varying => self.copy_varyings(access, lane),
                Deed::Size => {
                    let buffer = self.buffer_number(access, lane);
                    let bytes = world.memory.buffers.get(buffer as usize).map_or(0, Vec::len);
                    self.state.lanes_mut(access.results[0]).0[lane] = bytes as u32;
                }
                _ => self.access_one(access, lane, world),
            }
        }
    }

    fn copy_varyings(&mut self, access: &Access, lane: usize) {
        for (from, to) in access.varyings.iter().zip(&access.results) {
            let value = self.state.lanes(*from).0[lane];
            self.state.lanes_mut(*to).0[lane] = value;
        }
    }

    fn buffer_number(&self, access: &Access, lane: usize) -> u32 {
        match access.space {
            Space::Buffer(Ok(number)) => number,
            Space::Buffer(Err(slot)) => self.state.lanes(slot).0[lane],
            _ => 0,
        }
    }

    fn access_one(&mut self, access: &Access, lane: usize, world: &mut World) {
        let value = |slot: &Slot| self.state.lanes(*slot).0[lane];
        let base = access.address.as_ref().map_or(0, value).wrapping_add(access.offset as u32);
        let data: Vec<u32> = access.data.iter().map(value).collect();
        let is_helper = self.killed() >> lane & 1 == 1;
        let parts = access.results.len().max(access.data.len()) as u32;
        let parts = if matches!(access.deed, Deed::Atomic(_)) { 1 } else { parts };
        for part in 0..parts {
            let size = width(access.ty);
            let address = base.wrapping_add(part * size);
            let Some(bytes) = self.bytes(access, lane, address, size, &mut world.memory) else {
                // Where fibers go that have ended already is nobody's promise.
                if !is_helper {
                    self.fault(lane, FaultKind::Address(address));
                }
                let poison = self.program.config.poison;
                if let Some(slot) = access.results.get(part as usize) {
                    self.state.lanes_mut(*slot).0[lane] = poison;
                }
                continue;
            };
            let old = bytes.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte));
            let new = match access.deed {
                Deed::Store => Some(data[part as usize]),
                Deed::Atomic(op) => atomic(op, access.ty, old, &data),
                _ => None,
            };
            let written = new.filter(|_| !is_helper);
            if let Some(new) = written {
                bytes.copy_from_slice(&new.to_le_bytes()[..size as usize]);
            }
            self.touch(access.space, lane, address, (size, written.unwrap_or(old)), written.is_some());
            if let Some(slot) = access.results.get(part as usize) {
                self.state.lanes_mut(*slot).0[lane] = old;
            }
        }
    }

    /// Notes memory that a lane has touched, where steps are kept.
    fn touch(&mut self, space: Space, lane: usize, address: u32, (size, bits): (u32, u32), is_write: bool) {
        let Some(last) = self.timed.kept() else { return };
        let space = match space {
            Space::Local => "local",
            Space::Private => "private",
            Space::Buffer(_) => "buffer",
            Space::Global => "global",
        };
        let (lane, is_own, size) = (lane as u32, space == "private", size as u8);
        let (address, bits) = (address.into(), bits.into());
        last.memory.push(Touched { lane, space, is_own, address, size, bits, is_write });
    }

    /// The bytes at an address; `None` outside of the space.
    fn bytes<'w>(
        &'w mut self,
        access: &Access,
        lane: usize,
        address: u32,
        size: u32,
        memory: &'w mut Memory,
    ) -> Option<&'w mut [u8]> {
        let (first, size) = (address as usize, size as usize);
        match access.space {
            Space::Local => memory.local.get_mut(first..first + size),
            Space::Private => {
                let each = memory.private as usize;
                self.private.resize(each * LANES, 0);
                let own = self.private.get_mut(lane * each..(lane + 1) * each)?;
                own.get_mut(first..first + size)
            }
            Space::Buffer(_) => {
                let number = self.buffer_number(access, lane) as usize;
                memory.buffers.get_mut(number)?.get_mut(first..first + size)
            }
            Space::Global => {
                let holds = |(base, bytes): &&mut (u32, Vec<u8>)| {
                    address.checked_sub(*base).is_some_and(|at| at as usize + size <= bytes.len())
                };
                let (base, bytes) = memory.global.iter_mut().find(holds)?;
                let at = (address - *base) as usize;
                bytes.get_mut(at..at + size)
            }
        }
    }
}

/// What an atomic operation leaves in memory; `None` if it leaves it alone.
fn atomic(op: Op, ty: u8, old: u32, data: &[u32]) -> Option<u32> {
    let a = data[0];
    let signed = ty == 5;
    Some(match op {
        Op::AtomicAdd | Op::AtomicSAdd => old.wrapping_add(a),
        Op::AtomicSub | Op::AtomicSSub => old.wrapping_sub(a),
        Op::AtomicXchg | Op::AtomicSXchg => a,
        Op::AtomicInc | Op::AtomicSInc => old.wrapping_add(1),
        Op::AtomicDec | Op::AtomicSDec => old.wrapping_sub(1),
        Op::AtomicCmpxchg | Op::AtomicSCmpxchg if data.get(1) == Some(&old) => a,
        Op::AtomicMin | Op::AtomicSMin if signed => (old as i32).min(a as i32) as u32,
        Op::AtomicMax | Op::AtomicSMax if signed => (old as i32).max(a as i32) as u32,
        Op::AtomicMin | Op::AtomicSMin => old.min(a),
        Op::AtomicMax | Op::AtomicSMax => old.max(a),
        Op::AtomicAnd | Op::AtomicSAnd => old & a,
        Op::AtomicOr | Op::AtomicSOr => old | a,
        Op::AtomicXor | Op::AtomicSXor => old ^ a,
        _ => return None,
    })
}
