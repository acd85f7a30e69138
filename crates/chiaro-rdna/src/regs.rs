//! Registers: files, the codes of special scalar registers, and how they are spelled.

use chiaro_isa::{Cursor, Out, Reg};

/// Register files, the `file` of a [`Reg`].
pub mod file {
    /// Scalars by their operand code: s0 to s105, vcc, ttmp, m0, null and exec.
    pub const SGPR: u8 = 0;
    /// Vector registers, one value for each lane.
    pub const VGPR: u8 = 1;
    /// What has an operand code, but is no register: small numbers, apertures, scc.
    pub const CONSTANT: u8 = 2;
}

/// What an operand does to what it reads: the bits of [`Reg::mods`].
pub mod mods {
    /// Sign inverted.
    pub const NEG: u16 = 1;
    /// Absolute value, taken before the sign is inverted.
    pub const ABS: u16 = 2;
    /// Part of a register extended with its sign (SDWA only).
    pub const SEXT: u16 = 4;
}

/// Operand codes of scalar registers with names of their own [LLVM].
pub mod code {
    /// Lower half of the carry and condition mask.
    pub const VCC_LO: u16 = 106;
    /// Upper half.
    pub const VCC_HI: u16 = 107;
    /// First of the sixteen trap registers.
    pub const TTMP0: u16 = 108;
    /// Last of the sixteen trap registers.
    pub const TTMP15: u16 = 123;
    /// Address helper, message payload.
    pub const M0: u16 = 124;
    /// Reads zero, takes anything.
    pub const NULL: u16 = 125;
    /// Lower half of the lanes that run.
    pub const EXEC_LO: u16 = 126;
    /// Upper half.
    pub const EXEC_HI: u16 = 127;
    /// Source that is 1 if vcc is zero.
    pub const SPECIAL_VCCZ: u16 = 251;
    /// Source that is 1 if exec is zero.
    pub const SPECIAL_EXECZ: u16 = 252;
    /// Source that is scc.
    pub const SPECIAL_SCC: u16 = 253;
}

/// Hardware registers by number (spec section 2).
pub mod hardware {
    /// How floats are rounded and flushed.
    pub const MODE: u32 = 1;
    /// State of the wave.
    pub const STATUS: u32 = 2;
    /// Address of the wave's scratch, its lower half.
    pub const FLAT_SCR_LO: u32 = 20;
    /// Its upper half.
    pub const FLAT_SCR_HI: u32 = 21;
    /// Cycles since the wave began, in 20 bits.
    pub const SHADER_CYCLES: u32 = 29;
}

/// Ordinary scalar registers.
pub const SGPRS: u16 = 106;

/// Vector registers that a wave can name.
pub const VGPRS: u16 = 256;

/// Bytes of LDS that a group can have (spec section 2).
pub const LDS: u32 = 65536;

/// Bytes of scratch that a lane may have here, whose place in a wave's part has 16 bits to spare for the lanes.
pub const SCRATCH: u32 = 1 << 16;

/// One scalar register.
pub const fn sgpr(index: u16) -> Reg {
    run(file::SGPR, index, 1)
}

/// One vector register.
pub const fn vgpr(index: u16) -> Reg {
    run(file::VGPR, index, 1)
}

/// A run of registers.
pub const fn run(file: u8, index: u16, count: u8) -> Reg {
    Reg { file, index, more: count - 1, size: 0, indexed: 0, mods: 0, swizzle: 0 }
}

const NAMED: [(&str, u16, u8); 8] = [
    ("vcc", code::VCC_LO, 1),
    ("vcc_lo", code::VCC_LO, 0),
    ("vcc_hi", code::VCC_HI, 0),
    ("m0", code::M0, 0),
    ("null", code::NULL, 0),
    ("exec", code::EXEC_LO, 1),
    ("exec_lo", code::EXEC_LO, 0),
    ("exec_hi", code::EXEC_HI, 0),
];

/// What is wrong with a run that [`scalar_run`] refuses.
pub(crate) const UNALIGNED: &str = "scalar pairs are even, larger runs start at multiples of four";

/// The run of `count` scalars that starts at a code; `None` if there is none: pairs are
/// even, larger runs start at multiples of four, and no run crosses from one group of
/// registers into the next, but from s105 into vcc [LLVM; `aabb_slab` for the last].
pub fn scalar_run(index: u16, count: u8) -> Option<Reg> {
    let n = u16::from(count);
    let aligned = index.is_multiple_of(n.min(4).next_power_of_two());
    let inside = match index {
        code::NULL => return Some(sgpr(index)),
        0..=code::VCC_HI => index + n <= code::TTMP0,
        code::TTMP0..=code::TTMP15 => index + n <= code::M0,
        code::M0 => n == 1,
        _ => index + n <= 128,
    };
    (aligned && inside).then_some(run(file::SGPR, index, count))
}

/// The run of `count` vector registers from an index.
pub fn vector_run(index: u16, count: u8) -> Option<Reg> {
    (index + u16::from(count) <= 256).then_some(run(file::VGPR, index, count))
}

/// Appends a register or a run.
pub fn print(r: Reg, out: &mut Out) {
    match r.file {
        file::VGPR => print_run('v', r.index, r.more, out),
        file::SGPR => print_scalar(r, out),
        _ => out.push_str(crate::operand::constant::name(r.index)),
    }
}

fn print_scalar(r: Reg, out: &mut Out) {
    match NAMED.iter().find(|(_, index, more)| *index == r.index && *more == r.more) {
        Some((name, ..)) => out.push_str(name),
        None if (code::TTMP0..=code::TTMP15).contains(&r.index) => {
            out.push_str("ttm");
            print_run('p', r.index - code::TTMP0, r.more, out);
        }
        None => print_run('s', r.index, r.more, out),
    }
}

fn print_run(letter: char, first: u16, more: u8, out: &mut Out) {
    out.push(letter);
    if more == 0 {
        return out.push_int(first.into());
    }
    out.push('[');
    out.push_int(first.into());
    out.push(':');
    out.push_int((first + u16::from(more)).into());
    out.push(']');
}

/// Reads a register or a run, `None` with nothing taken if there is none.
pub fn parse(s: &mut Cursor<'_>) -> Option<Reg> {
    let before = s.at();
    let word = s.take(|c| c.is_ascii_alphanumeric() || c == b'_')?;
    if let Some((_, index, more)) = NAMED.iter().find(|(name, ..)| *name == word) {
        return Some(run(file::SGPR, *index, more + 1));
    }
    let (file, base, last, digits) = match word.as_bytes() {
        [b'v', ..] => (file::VGPR, 0, 255, &word[1..]),
        [b's', ..] => (file::SGPR, 0, code::VCC_HI, &word[1..]),
        [b't', b't', b'm', b'p', ..] => (file::SGPR, code::TTMP0, code::TTMP15, &word[4..]),
        _ => return give_back(s, before),
    };
    let (first, end) = match digits {
        "" if s.eat_here("[") => match bracketed(s) {
            Some(ends) => ends,
            None => return s.fail_last("a run of registers is written s[4:7]"),
        },
        digits => match digits.parse::<u16>() {
            Ok(n) => (n, n),
            Err(_) => return give_back(s, before),
        },
    };
    let is_vcc = file == file::SGPR && base == 0 && first >= SGPRS;
    if first > end || end > last - base || end - first > 31 || is_vcc {
        let place = before..s.at();
        s.rewind(before);
        let why = match (file, base) {
            _ if is_vcc && first <= last => {
                "scalar registers are s0 to s105; behind them are vcc_lo and vcc_hi"
            }
            _ if first > end => "the first register of a run stands before its last one",
            _ if end <= last - base => "a run has 32 registers at most",
            (file::VGPR, _) => "vector registers are v0 to v255",
            (_, code::TTMP0) => "trap registers are ttmp0 to ttmp15",
            _ => "scalar registers are s0 to s105, with vcc behind them",
        };
        return s.fail_at(place, why);
    }
    Some(run(file, base + first, (end - first) as u8 + 1))
}

fn give_back<T>(s: &mut Cursor<'_>, before: usize) -> Option<T> {
    s.rewind(before);
    None
}

/// The two ends of `[4:7]`, or the one of `[4]`.
fn bracketed(s: &mut Cursor<'_>) -> Option<(u16, u16)> {
    let first = u16::try_from(s.digits()?).ok()?;
    let last = if s.eat(":") { u16::try_from(s.int()?).ok()? } else { first };
    s.eat("]").then_some((first, last))
}
