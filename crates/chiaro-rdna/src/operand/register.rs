//! Operands that are registers and nothing else: destinations, addresses, data, masks.

use super::source::{covered, with_signs};
use crate::regs::{self, code, file, mods};
use chiaro_isa::{Covered, Cursor, Cx, Kind, Leading, Out, Partial, Reg, Value};

/// A run of so many vector registers.
pub struct Vgpr(pub u8);

/// A run of so many scalar registers.
pub struct Sgpr(pub u8);

/// A run of scalar registers of which the field holds the number divided by four (memory
/// descriptors) or by two (bases).
pub struct Descriptor {
    /// Registers.
    pub count: u8,
    /// What the number is divided by.
    pub unit: u8,
}

/// A scalar of a bit for each lane: one register in waves of 32, a pair in waves of 64.
/// `vector` fields hold the nine bits of a vector source.
pub struct Mask {
    /// Whether the field is a vector source.
    pub vector: bool,
}

/// The carry or condition mask of short forms, which takes no bits: vcc or its lower half.
pub struct Vcc;

/// A vector register with a changed sign, as DPP has it: register, sign, absolute value.
pub struct Signed;

/// A field of one register that an encoding leaves out: it must be zero.
pub struct Nothing;

/// The registers of the fields that hold nothing but a run.
macro_rules! runs {
    ($($kind:ty: $file:expr, |$self:ident, $raw:ident| $decode:expr, |$r:ident| $encode:expr;)*) => { $(
        impl Kind for $kind {
            fn decode(&$self, $raw: u64, _: &Cx) -> Option<Value> {
                $decode.map(Value::Reg)
            }
            fn encode(&$self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
                let $r = value.reg()?;
                let raw = u64::from($encode?);
                ($self.decode(raw, cx)? == value).then_some(())?;
                Partial::full(raw)
            }
            fn print(&self, value: Value, out: &mut Out, _: &Cx) {
                if let Some(r) = value.reg() {
                    regs::print(r, out);
                }
            }
            fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
                of_file(s, $file)
            }
            fn covers(&self, value: Value) -> Option<Covered> {
                covered(value)
            }
        }
    )* };
}

runs! {
    Vgpr: file::VGPR, |self, raw| regs::vector_run(raw as u16, self.0), |r| Some(r.index);
    Sgpr: file::SGPR, |self, raw| if raw < 128 { regs::scalar_run(raw as u16, self.0) } else { None }, |r| Some(r.index);
    Descriptor: file::SGPR, |self, raw| regs::scalar_run(raw as u16 * u16::from(self.unit), self.count)
        .filter(|r| r.index != code::NULL && r.index < code::EXEC_LO),
        |r| Some(r.index / u16::from(self.unit));
}

/// Reads a register of a file, or says that one is expected.
fn of_file(s: &mut Cursor<'_>, file: u8) -> Option<Value> {
    s.skip_blanks();
    let before = s.at();
    let value = register(s)?;
    if value.reg().is_some_and(|r| r.file == file) {
        return Some(value);
    }
    let place = before..s.at();
    s.fail_at(
        place,
        match file {
            file::VGPR => "vector registers are taken here, such as v0 or v[0:1]",
            _ => "scalar registers are taken here, such as s0 or s[0:1]",
        },
    )
}

/// Reads a register, or says that one is expected.
pub(super) fn register(s: &mut Cursor<'_>) -> Option<Value> {
    let before = s.at();
    let Some(r) = regs::parse(s) else {
        let known = s.fault().is_some_and(|fault| fault.start as usize >= s.at());
        return if known { None } else { s.fail("expected a register") };
    };
    match r.file != file::SGPR || regs::scalar_run(r.index, r.more + 1) == Some(r) {
        true => Some(Value::Reg(r)),
        false => s.fail_at(before..s.at(), regs::UNALIGNED),
    }
}

impl Mask {
    fn count(cx: &Cx) -> u8 {
        if cx.wave == 64 { 2 } else { 1 }
    }
}

impl Kind for Mask {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        let r = if raw < 128 { regs::scalar_run(raw as u16, Mask::count(cx))? } else { return None };
        Some(Value::Reg(r))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let raw = value.reg()?.index.into();
        (self.decode(raw, cx)? == value).then_some(())?;
        Partial::full(raw)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        if let Some(r) = value.reg() {
            regs::print(r, out);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let before = s.at();
        let value = register(s)?;
        let more = value.reg()?.more;
        match (more + 1 == Mask::count(cx), value.reg()?.index) {
            (false, index) if index != code::NULL => s.fail_at(
                before..s.at(),
                if cx.wave == 64 {
                    "a mask is a pair of scalars in waves of 64, such as vcc or s[0:1]"
                } else {
                    "a mask is one scalar in waves of 32, such as vcc_lo or s0"
                },
            ),
            _ => Some(value),
        }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}

impl Kind for Vcc {
    fn decode(&self, _: u64, cx: &Cx) -> Option<Value> {
        Some(Value::Reg(regs::run(file::SGPR, code::VCC_LO, Mask::count(cx))))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        if value == self.decode(0, cx)? { Partial::full(0) } else { None }
    }
    fn print(&self, _: Value, out: &mut Out, cx: &Cx) {
        out.push_str(if cx.wave == 64 { "vcc" } else { "vcc_lo" });
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        let before = s.at();
        match (regs::parse(s).map(Value::Reg), self.decode(0, cx)) {
            (Some(read), Some(own)) if read == own => Some(own),
            _ => {
                s.rewind(before);
                s.fail("the short form takes vcc in waves of 64 and vcc_lo in waves of 32; use the e64 form")
            }
        }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        covered(value)
    }
}

impl Kind for Signed {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let sign = (raw >> 8 & 1) as u16 * mods::NEG | (raw >> 9 & 1) as u16 * mods::ABS;
        Some(Value::Reg(Reg { mods: sign, ..regs::vgpr((raw & 0xff) as u16) }))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let r = value.reg()?;
        let raw = u64::from(r.index) & 0xff
            | u64::from(r.mods & mods::NEG) << 8
            | u64::from(r.mods & mods::ABS) << 8;
        (self.decode(raw, cx)? == value).then_some(())?;
        Partial::full(raw)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let Some(r) = value.reg() else { return };
        print_signed(r, out);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        with_signs(s, |s| of_file(s, file::VGPR))
    }
    fn leading(&self) -> Option<Leading> {
        Some(Leading { which: 0xff, changes: 0x300, except: u64::MAX })
    }
}

/// Appends a register with its sign.
pub(super) fn print_signed(r: Reg, out: &mut Out) {
    let bar = if r.mods & mods::ABS != 0 { "|" } else { "" };
    out.push_str(if r.mods & mods::NEG != 0 { "-" } else { "" });
    out.push_str(bar);
    regs::print(Reg { mods: 0, ..r }, out);
    out.push_str(bar);
}

impl Kind for Nothing {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        (raw == 0).then_some(Value::Int(0))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        if value == Value::Int(0) { Partial::full(0) } else { None }
    }
    fn print(&self, _: Value, _: &mut Out, _: &Cx) {}
    fn parse(&self, _: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        Some(Value::Int(0))
    }
}
