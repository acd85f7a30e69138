//! Words of category 6: which memory they access, and with what. spec section 11.

use chiaro_isa::{Reg, Value};
use chiaro_sim::Slot;

use super::operands::{Decoded, Operands};
use super::places::{Register, place};
use crate::check::effect::Place;
use crate::exec::Uops;
use crate::isa::Op;
use crate::regs::{ALU_TO_OTHER, size};

/// An instruction of category 6.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) deed: Deed,
    pub(super) space: Space,
    /// Address in bytes; of a varying there is none.
    pub(super) address: Option<Slot>,
    pub(super) offset: i32,
    /// Code of the data's type.
    pub(super) ty: u8,
    /// What is stored, or the operands of an atomic operation.
    pub(super) data: Vec<Slot>,
    pub(super) results: Vec<Slot>,
    /// The slots of the varyings that are loaded.
    pub(super) varyings: Vec<Slot>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    Load,
    Store,
    Atomic(Op),
    /// How many bytes a buffer has.
    Size,
    Varying,
}

/// Where the memory is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Space {
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
pub(super) fn width(ty: u8) -> u32 {
    match ty {
        1 | 3 | 5 => 4,
        0 | 2 | 4 => 2,
        _ => 1,
    }
}
