//! Category 6: loads, stores, atomics. spec section 11.
//!
//! Lanes go in ascending order, which is the order in which those on one address see each
//! other. Helpers load and do not store.

use chiaro_isa::{Reg, Value};
use chiaro_sim::{LANES, Slot};

use super::Machine;
use super::fault::FaultKind;
use super::operands::{Decoded, Operands};
use super::program::{Register, place};
use super::world::{Memory, World};
use crate::check::effect::Place;
use crate::exec::Uops;
use crate::isa::Op;
use crate::regs::{ALU_TO_OTHER, size};

/// An instruction of categories 6.
#[derive(Clone, Debug)]
pub(super) struct Access {
    deed: Deed,
    space: Space,
    /// Address in bytes; of a varying there is none.
    address: Option<Slot>,
    offset: i32,
    /// Code of the data's type.
    ty: u8,
    /// What is stored, or the operands of an atomic operation.
    data: Vec<Slot>,
    results: Vec<Slot>,
    /// The slots of the varyings that are loaded.
    varyings: Vec<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deed {
    Load,
    Store,
    Atomic(Op),
    /// How many bytes a buffer has.
    Size,
    Varying,
}

/// Where the memory is.
#[derive(Clone, Copy, Debug)]
enum Space {
    Global,
    Local,
    Private,
    /// A buffer by number, which may stand in a register.
    Buffer(Result<u32, Slot>),
}

impl Access {
    /// Of a word; `None` for one that nobody knows.
    pub(super) fn of(op: Op, fields: Decoded<'_>, o: &mut Operands, u: &mut Uops) -> Option<Access> {
        let mut access = Access {
            deed: Deed::Load,
            space: Space::Global,
            address: None,
            offset: fields.number("off") as i32,
            ty: fields.number("type") as u8,
            data: Vec::new(),
            results: Vec::new(),
            varyings: Vec::new(),
        };
        match op {
            Op::Ldg | Op::Ldl | Op::Ldp | Op::Ldlw => access.load(op, fields, o)?,
            Op::Stg | Op::Stl | Op::Stp | Op::Stlw => access.store(op, fields, o)?,
            Op::Ldlv => access.varying(fields, o, u)?,
            Op::Ldgb | Op::Stgb | Op::Resinfo => access.buffer(op, fields, o)?,
            other => access.atomic(other, fields, o)?,
        }
        Some(access)
    }

    fn load(&mut self, op: Op, fields: Decoded<'_>, o: &mut Operands) -> Option<()> {
        self.space = space(op);
        self.address = Some(read(o, fields.reg("src")?, 0));
        self.results = results(o, fields.reg("dst")?, fields.number("n"))?;
        Some(())
    }

    fn store(&mut self, op: Op, fields: Decoded<'_>, o: &mut Operands) -> Option<()> {
        (self.deed, self.space) = (Deed::Store, space(op));
        self.address = Some(read(o, fields.reg("dst")?, 0));
        let data = fields.reg("src")?;
        self.data = (0..count(fields.number("n"))).map(|n| read(o, data, n)).collect();
        Some(())
    }

    fn varying(&mut self, fields: Decoded<'_>, o: &mut Operands, u: &mut Uops) -> Option<()> {
        self.deed = Deed::Varying;
        let first = fields.number("off") as u16;
        self.varyings = (0..count(fields.number("n"))).map(|n| o.fixed_varying(first + n, u)).collect();
        self.results = results(o, fields.reg("dst")?, fields.number("n"))?;
        Some(())
    }

    /// Loads count addresses in bytes in the first operand, stores in the third; the other
    /// operand holds the same in dwords and is not looked at. [assumed from what A4xx drivers emit]
    fn buffer(&mut self, op: Op, fields: Decoded<'_>, o: &mut Operands) -> Option<()> {
        self.space = Space::Buffer(index(o, fields.value("ssbo")?));
        let parts = fields.number("parts");
        match op {
            Op::Stgb => {
                self.deed = Deed::Store;
                self.address = Some(index(o, fields.value("src3")?).err()?);
                let data = fields.reg("src1")?;
                self.data = (0..count(parts)).map(|n| read(o, data, n)).collect();
            }
            Op::Resinfo => {
                self.deed = Deed::Size;
                self.results = results(o, fields.reg("dst")?, 1)?;
            }
            _ => {
                self.address = Some(index(o, fields.value("src1")?).err()?);
                self.results = results(o, fields.reg("dst")?, parts)?;
            }
        }
        Some(())
    }

    /// The operand of an exchange on a condition is the new value with what is expected behind it.
    /// [assumed from ir3]
    fn atomic(&mut self, op: Op, fields: Decoded<'_>, o: &mut Operands) -> Option<()> {
        let operands = 1 + u16::from(matches!(op, Op::AtomicCmpxchg | Op::AtomicSCmpxchg));
        self.deed = Deed::Atomic(op);
        let operand = match fields.value("ssbo") {
            Some(buffer) => {
                self.space = Space::Buffer(index(o, buffer));
                fields.reg("src3")?
            }
            None => {
                self.space = Space::Local;
                fields.reg("src2")?
            }
        };
        self.address = Some(index(o, fields.value("src1")?).err()?);
        self.data = (0..operands).map(|n| read(o, operand, n)).collect();
        self.results = results(o, fields.reg("dst")?, 1)?;
        Some(())
    }
}

fn space(op: Op) -> Space {
    match op {
        Op::Ldg | Op::Stg => Space::Global,
        Op::Ldp | Op::Stp => Space::Private,
        _ => Space::Local,
    }
}

fn count(n: i64) -> u16 {
    n.clamp(1, 4) as u16
}

fn read(o: &mut Operands, r: Reg, n: u16) -> Slot {
    o.read(Register::general(r.size == size::HALF, r.index + n), ALU_TO_OTHER)
}

fn results(o: &mut Operands, r: Reg, n: i64) -> Option<Vec<Slot>> {
    let first: Place = place(r)?;
    Some((0..count(n)).map(|n| o.write(first.after(n))).collect())
}

/// A number, or the register that holds it.
fn index(o: &mut Operands, value: Value) -> Result<u32, Slot> {
    match value {
        Value::Reg(r) => Err(read(o, r, 0)),
        other => Ok(other.int().unwrap_or(0) as u32),
    }
}

/// Bytes of a type.
fn width(ty: u8) -> u32 {
    match ty {
        1 | 3 | 5 => 4,
        0 | 2 | 4 => 2,
        _ => 1,
    }
}

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
                self.fault(lane, FaultKind::Address(address));
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
            if let Some(new) = new.filter(|_| !is_helper) {
                bytes.copy_from_slice(&new.to_le_bytes()[..size as usize]);
            }
            if let Some(slot) = access.results.get(part as usize) {
                self.state.lanes_mut(*slot).0[lane] = old;
            }
        }
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
