//! The operands of an instruction, taken from its word once.

use chiaro_isa::{Inst, Isa, Reg, Value};

use crate::regs::{file, mods};

/// Where a source comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// A vector register, the first of its run.
    Vector(u16),
    /// A scalar register.
    Scalar(u16),
    /// A small constant or special value, by its code.
    Code(u16),
    /// The dword behind the instruction.
    Literal(u32),
}

/// A source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Src {
    pub(crate) at: At,
    /// What is done to it ([`mods`]).
    pub(crate) mods: u16,
    /// Part of the register (SDWA): 0-3 a byte, 4 and 5 a half, 6 all.
    pub(crate) part: u8,
}

/// An instruction's operands, by the names that the layouts give them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operands {
    pub(crate) src: [Option<Src>; 3],
    /// Vector destination, or the scalar one of v_readlane.
    pub(crate) vdst: Option<Reg>,
    /// Scalar destination.
    pub(crate) sdst: Option<Reg>,
    pub(crate) clamp: bool,
    pub(crate) omod: u8,
    /// Halves: of each source and, above them, of the result.
    pub(crate) select: u8,
    pub(crate) select_high: u8,
    pub(crate) neg_low: u8,
    pub(crate) neg_high: u8,
    /// The 16-bit number of scalar instructions, sign-extended.
    pub(crate) simm16: i32,
    /// The constant of v_fmamk and v_fmaak.
    pub(crate) k: u32,
    pub(crate) dpp: Option<Dpp>,
    /// Part and rest of the destination (SDWA).
    pub(crate) part: Option<(u8, u8)>,
}

/// From which lane a source comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dpp {
    /// The lane that each lane reads; `None` outside of its row.
    pub(crate) from: [Option<u8>; 32],
    /// Lanes that may be written by the masks of rows and banks, in each half of the wave.
    pub(crate) written: [u32; 2],
    pub(crate) bound: bool,
    pub(crate) fetch: bool,
}

impl Operands {
    pub(crate) fn new(isa: &Isa, inst: &Inst) -> Operands {
        let values = isa.values(inst, &isa.cx());
        let get = |name: &str| {
            let fields = isa.form(inst).format.fields.iter();
            fields.zip(values.as_slice()).find(|(field, _)| field.name == name).and_then(|(_, value)| *value)
        };
        let number = |name: &str| get(name).and_then(Value::int).unwrap_or(0);
        let part = |name: &str| get(name).and_then(Value::int).unwrap_or(6) as u8;
        let scalar = get("ssrc0").is_some() || get("ssrc1").is_some();
        let names = if scalar { ["ssrc0", "ssrc1", ""] } else { ["src0", "src1", "src2"] };
        let parts = [part("src0_sel"), part("src1_sel"), 6];
        let reg = |name: &str| get(name).and_then(Value::reg);
        let format = isa.form(inst).format;
        let halves = format.fields.iter().filter(|field| field.name.starts_with("src")).count();
        let mut select = number("op_sel") as u8;
        // The half of the result stands above those of the sources.
        if format.name == "VOP3" && halves < 3 {
            select = select & 3 | select >> 2 << 3;
        }
        Operands {
            src: std::array::from_fn(|k| Some(source(get(names[k])?, parts[k]))),
            vdst: reg("vdst"),
            sdst: reg("sdst"),
            clamp: number("clamp") != 0,
            omod: number("omod") as u8,
            select,
            select_high: number("op_sel_hi") as u8,
            neg_low: number("neg_lo") as u8,
            neg_high: number("neg_hi") as u8,
            simm16: i32::from(inst.word.0[0] as u16 as i16),
            k: if get("k").is_some() { (inst.word.0[0] >> 32) as u32 } else { 0 },
            dpp: dpp(&get, format.name, inst),
            part: get("dst_sel").map(|_| (part("dst_sel"), number("dst_unused") as u8)),
        }
    }
}

fn source(value: Value, part: u8) -> Src {
    match value {
        Value::Reg(r) => {
            let at = match r.file {
                file::VGPR => At::Vector(r.index),
                file::SGPR => At::Scalar(r.index),
                _ => At::Code(r.index),
            };
            Src { at, mods: r.mods, part }
        }
        Value::Int(n) => {
            let changed = (n >> 32) as u16 & (mods::NEG | mods::ABS | mods::SEXT);
            Src { at: At::Literal(n as u32), mods: changed, part }
        }
        Value::Symbol(_) => Src { at: At::Literal(0), mods: 0, part },
    }
}

/// Lane patterns of DPP16 and DPP8 (spec section 7).
fn dpp(get: &impl Fn(&str) -> Option<Value>, format: &str, inst: &Inst) -> Option<Dpp> {
    let number = |name: &str| get(name).and_then(Value::int);
    if let Some(pattern) = number("dpp_ctrl") {
        let lane = |i: usize| crate::operand::dpp::Pattern::lane(pattern as u64, i as u32).map(|l| l as u8);
        let (rows, banks) = (number("row_mask").unwrap_or(15), number("bank_mask").unwrap_or(15));
        let written = |half: u32| {
            (0..32).filter(move |i| rows >> (half * 2 + i / 16) & 1 == 1 && banks >> (i / 4 % 4) & 1 == 1)
        };
        return Some(Dpp {
            from: std::array::from_fn(lane),
            written: [0, 1].map(|half| written(half).fold(0, |mask, i| mask | 1 << i)),
            bound: number("bound_ctrl") == Some(1),
            fetch: number("fi") == Some(1),
        });
    }
    let eight = number("dpp8")?;
    debug_assert!(format.contains("DPP"));
    let from = |i: usize| Some((i & !7) as u8 + (eight >> (3 * (i & 7)) & 7) as u8);
    // Lanes that do not run give zero. [LLVM: dpp8 has bound control always on]
    let fetch = inst.word.0[0] & 0x1ff == 234;
    Some(Dpp { from: std::array::from_fn(from), written: [u32::MAX; 2], bound: true, fetch })
}
