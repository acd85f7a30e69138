//! Category 5: textures. spec section 10.

use crate::operand::flags::is_half;
use crate::operand::{MESA, number, print_name, register};
use crate::regs::{file, generation, size};
use chiaro_isa::{Cursor, Cx, Kind, Out, Partial, Reg, Value};

/// First register of the coordinates or of what follows them: byte, full precision.
pub(crate) struct TexSource;

/// A source that nothing reads, r0.x; the older dialect shows it.
pub(crate) struct Unread;

/// `.s`, which is not the beginning of `.s2en`.
pub(crate) struct Shadow;

/// First register of the result: byte, type.
pub(crate) struct TexDest;

/// Half register that holds the texture index, before one with the sampler index.
pub(crate) struct TexIndex;

/// `s#0, t#1`: sampler in bits 0-3, texture above; or the texture alone.
pub(crate) struct Indices {
    /// Whether the text gives the sampler.
    pub(crate) sampler: bool,
}

/// `.s2en`: indices from a register, with the descriptor mode in the lower three bits.
pub(crate) struct Descriptors;

/// Whether a type's results are half registers; type 7 is full here [runs].
fn half_result(code: u64) -> bool {
    is_half(code) && code & 7 != 7
}

fn plain(s: &mut Cursor<'_>) -> Option<Reg> {
    s.skip_blanks();
    let start = s.at();
    let r = register(s)?;
    match r.file {
        file::GPR => Some(r),
        file::CONST => s.fail_at(start..s.at(), "texture operations read registers only"),
        _ => s.fail_at(start..s.at(), "texture operations have no relative addressing"),
    }
}

impl Kind for TexSource {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let size = if raw >> 8 & 1 == 1 { size::FULL } else { size::HALF };
        Some(Value::Reg(Reg { size, index: raw as u16 & 0xff, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR)?;
        Partial::full(u64::from(r.index) | u64::from(r.size == size::FULL) << 8)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        value.reg().into_iter().for_each(|r| print_name(r, out));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        plain(s).map(Value::Reg)
    }
    fn says(&self, raw: u64, _: u64) -> Option<&'static str> {
        Some(if raw >> 8 & 1 == 1 { "is full precision" } else { "is half" })
    }
}

impl Kind for Unread {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        if raw & 0xff == 0 { TexSource.decode(raw, cx) } else { None }
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        TexSource.encode(value, given, cx)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        TexSource.print(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        TexSource.parse(s, cx)
    }
}

impl Kind for Shadow {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(if number(value) == 1 { ".s" } else { "" });
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let here = !s.rest().starts_with(".s2en") && s.eat_here(".s");
        Some(Value::Int(i64::from(here)))
    }
}

impl Kind for TexDest {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let (index, code) = (raw as u16 & 0xff, raw >> 8);
        let size = if half_result(code) { size::HALF } else { size::FULL };
        Some(Value::Reg(Reg { size, index, ..Reg::default() }))
    }
    fn encode(&self, value: Value, given: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR)?;
        let half = r.size == size::HALF;
        if given.known >> 8 & 7 != 7 {
            // `dsxpp` writes no type: a float of the register's size.
            let code = u64::from(!half);
            return Some(Partial { raw: code << 8 | u64::from(r.index), known: 0x7ff });
        }
        // A register of the other size contradicts the type.
        let fits = half_result(given.raw >> 8) == half;
        let known = if fits { 0xff } else { 0x7ff };
        Some(Partial { raw: u64::from(!half) << 8 | u64::from(r.index), known })
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        value.reg().into_iter().for_each(|r| print_name(r, out));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        plain(s).map(Value::Reg)
    }
    fn says(&self, raw: u64, _: u64) -> Option<&'static str> {
        Some(if half_result(raw >> 8) { "is a half register" } else { "is a full register" })
    }
}

impl Kind for TexIndex {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Reg(Reg { size: size::HALF, index: raw as u16 & 0xff, ..Reg::default() }))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let r = value.reg().filter(|r| r.file == file::GPR && r.size == size::HALF)?;
        Partial::full(u64::from(r.index))
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        value.reg().into_iter().for_each(|r| print_name(r, out));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.skip_blanks();
        let start = s.at();
        let r = plain(s)?;
        match r.size {
            size::HALF => Some(Value::Reg(r)),
            _ => s.fail_at(start..s.at(), "texture and sampler index stand in half registers"),
        }
    }
}

impl Kind for Indices {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(value.int()?).ok().filter(|n| *n < 2048)?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        let n = number(value);
        if self.sampler {
            out.push_str("s#");
            out.push_int(n & 15);
            out.push_str(", ");
        }
        out.push_str("t#");
        out.push_int(if self.sampler { n >> 4 } else { n });
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let mut sampler = 0;
        if self.sampler && s.eat("s#") {
            let Some(n) = s.int().filter(|n| (0..16).contains(n)) else {
                return s.fail_last("samplers go from s#0 to s#15");
            };
            sampler = n;
            if !s.eat(",") {
                return s.fail("expected the texture behind the sampler, as in s#0, t#0");
            }
        }
        if !s.eat("t#") {
            return s.fail("expected a texture, as in t#0");
        }
        match s.int().filter(|n| (0..128).contains(n)) {
            Some(n) if self.sampler => Some(Value::Int(n << 4 | sampler)),
            Some(n) => Some(Value::Int(n)),
            None => s.fail_last("textures go from t#0 to t#127"),
        }
    }
}

impl Kind for Descriptors {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        // The other modes are bindless, which begins with A6xx.
        let known = raw == 8 || raw == 12 && cx.generation >= generation::A4XX;
        known.then_some(Value::Int(raw as i64 & 7))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let mode = value.int().filter(|n| *n == 0 || *n == 4 && cx.generation >= generation::A4XX)?;
        Partial::full(8 | mode as u64)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        out.push_str(match (cx.dialect, number(value)) {
            (MESA, 0) => ".s2en.uniform",
            (MESA, _) => ".s2en.nonuniform",
            _ => ".s2en",
        });
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let names = [".s2en", ".s2en.uniform", ".s2en.nonuniform"];
        match s.name_in(&names) {
            Some(2) => Some(Value::Int(4)),
            Some(_) => Some(Value::Int(0)),
            None => s.fail("expected .s2en"),
        }
    }
}
