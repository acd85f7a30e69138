//! What instructions do to masks, scalars and scratch, by their bits (spec 4, 5, 8.3, 8.4).

use super::super::step::{Lanes, Step};
use super::super::tables;
use crate::regs::{code, file};

/// A register that holds a mask, or a lane of a vector register that one was put into.
pub(super) type Cell = u16;

/// Lanes of vector registers begin here, 64 of each.
pub(super) const LANES: Cell = 512;

/// The cell of a lane of a vector register.
fn lane_cell(register: u16, lane: u8) -> Cell {
    LANES + register * 64 + u16::from(lane)
}

/// A register that goes to a slot of the frame or comes from there, lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    /// `None` where something is stored that nobody knows.
    pub(super) register: Option<u16>,
    pub(super) slot: i32,
    pub(super) loads: bool,
    /// Whether all lanes run.
    pub(super) whole: bool,
}

/// A change of a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Op {
    /// A cell becomes what it comes from.
    Set(Cell, Origin),
}

/// What a mask is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Another one.
    Copy(Operand),
    /// Its opposite.
    Not(Operand),
    /// Two of them.
    Of(How, Operand, Operand),
}

/// A source of a mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operand {
    /// A register's.
    Cell(Cell),
    /// No lane.
    None,
    /// All lanes.
    All,
    /// Nobody knows which lanes.
    Anything,
}

/// How two bits become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum How {
    And,
    Or,
    Xor,
    AndNot,
    OrNot,
    Nand,
    Nor,
    Xnor,
}

impl How {
    /// The bit; `None` where nobody knows.
    pub(super) fn of(self, a: Option<bool>, b: Option<bool>) -> Option<bool> {
        let (and, b_not) = (
            |a: Option<bool>, b: Option<bool>| match (a, b) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), b) => b,
                (a, Some(true)) => a,
                _ => None,
            },
            b.map(|b| !b),
        );
        let not = |a: Option<bool>| a.map(|a| !a);
        let or = |a, b| not(and(not(a), not(b)));
        let xor = |a: Option<bool>, b: Option<bool>| a.zip(b).map(|(a, b)| a != b);
        match self {
            How::And => and(a, b),
            How::Or => or(a, b),
            How::Xor => xor(a, b),
            How::AndNot => and(a, b_not),
            How::OrNot => or(a, b_not),
            How::Nand => not(and(a, b)),
            How::Nor => not(or(a, b)),
            How::Xnor => not(xor(a, b)),
        }
    }
}

impl Op {
    /// Cells that it reads.
    pub(super) fn read(&self) -> Vec<Cell> {
        let Op::Set(_, origin) = self;
        let operands = match *origin {
            Origin::Copy(a) | Origin::Not(a) => vec![a],
            Origin::Of(_, a, b) => vec![a, b],
        };
        let cell = |operand: Operand| match operand {
            Operand::Cell(cell) => Some(cell),
            _ => None,
        };
        operands.into_iter().filter_map(cell).collect()
    }

    /// The cell that it writes.
    pub(super) fn written(&self) -> Cell {
        let Op::Set(cell, _) = self;
        *cell
    }
}

/// Bits of an instruction's first dword, or of the second.
pub(super) fn bits(step: &Step, low: u32, width: u32) -> u32 {
    let words = step.inst.as_ref().map_or(0, |inst| inst.word.0[0]);
    (words >> low) as u32 & ((1u64 << width) - 1) as u32
}

/// A scalar source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A register by its code.
    Register(u16),
    /// A number.
    Number(u32),
    /// Something else.
    Other,
}

impl Source {
    /// The source of a code; `literal` is the dword behind the instruction (spec 3.1).
    pub(super) fn of(raw: u32, literal: u32) -> Source {
        match raw {
            0..=127 => Source::Register(raw as u16),
            128..=192 => Source::Number(raw - 128),
            193..=208 => Source::Number((192i32 - raw as i32) as u32),
            255 => Source::Number(literal),
            _ => Source::Other,
        }
    }

    /// The register behind it, or the upper half of a number of 64 bits.
    pub(super) fn upper(self) -> Source {
        match self {
            Source::Register(n) if n != code::NULL => Source::Register(n + 1),
            Source::Number(n) => Source::Number(((n as i32) >> 31) as u32),
            other => other,
        }
    }

    fn mask(self) -> Operand {
        match self {
            Source::Register(n) if n != code::NULL => Operand::Cell(n),
            Source::Number(0) => Operand::None,
            Source::Register(_) => Operand::None,
            Source::Number(u32::MAX) => Operand::All,
            _ => Operand::Anything,
        }
    }
}

/// The sources of a scalar instruction of the first two formats, and where its result goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Salu {
    pub(super) to: u16,
    pub(super) sources: [Source; 2],
    /// Whether it works on pairs.
    pub(super) wide: bool,
}

/// Whether it is a scalar instruction with a number of 16 bits.
pub(super) fn is_sopk(step: &Step) -> bool {
    step.dword >> 28 == 0b1011 && step.dword >> 23 & 0x7f < 0x7d
}

/// A scalar instruction with sources; `None` for others.
pub(super) fn salu(step: &Step) -> Option<Salu> {
    let sop = step.dword >> 23 & 0x7f;
    // SOPC, SOPP and SOPK have no such sources.
    if step.dword >> 30 != 2 || is_sopk(step) || matches!(sop, 0x7e | 0x7f) {
        return None;
    }
    let literal = bits(step, 32, 32);
    let source = |low: u32| Source::of(bits(step, low, 8), literal);
    let sources = [source(0), if sop == 0x7d { Source::Other } else { source(8) }];
    Some(Salu { to: bits(step, 16, 7) as u16, sources, wide: step.name.ends_with("64") })
}

/// Lanes of a vector register that some instruction asks for by number, a bit for each.
pub(super) type LanesAsked<'a> = &'a dyn Fn(u16) -> u64;

/// What an instruction does to masks, one after the other; lanes of vector registers count where they are asked for.
pub(super) fn masks(step: &Step, asked: LanesAsked<'_>) -> Vec<Op> {
    let mut ops = by_operands(step, asked);
    if step.lanes != Lanes::Same
        && !ops.iter().any(|op| matches!(op, Op::Set(code::EXEC_LO | code::EXEC_HI, _)))
    {
        // EXEC changes without being an operand: a comparison leaves some of the lanes, of others nobody knows.
        let compares = step.name.starts_with("v_cmpx");
        ops.extend([code::EXEC_LO, code::EXEC_HI].map(|exec| {
            Op::Set(
                exec,
                match compares {
                    true => Origin::Of(How::And, Operand::Cell(exec), Operand::Anything),
                    false => Origin::Copy(Operand::Anything),
                },
            )
        }));
    }
    ops
}

/// What it does to the masks that it names.
fn by_operands(step: &Step, asked: LanesAsked<'_>) -> Vec<Op> {
    if let Some(ops) = by_salu(step) {
        return ops;
    }
    if let Some((vector, lane, source)) = put(step) {
        return vec![Op::Set(lane_cell(vector, lane), Origin::Copy(source.mask()))];
    }
    if let Some((to, vector, lane)) = got(step) {
        return vec![Op::Set(to, Origin::Copy(Operand::Cell(lane_cell(vector, lane))))];
    }
    // A comparison gives 0 to lanes that sleep. Whatever else writes a scalar writes anything.
    let compares = step.name.starts_with("v_cmp");
    let exec = |register: u16, all: &[u16]| {
        let half = all.iter().position(|other| *other == register).unwrap_or(0) as u16;
        Operand::Cell(code::EXEC_LO + half)
    };
    let scalars: Vec<u16> =
        step.writes.iter().filter(|(in_file, _)| *in_file == file::SGPR).map(|(_, n)| *n).collect();
    let lanes = step.writes.iter().filter(|(in_file, _)| *in_file == file::VGPR).map(|(_, n)| *n);
    let mut ops: Vec<Op> = scalars
        .iter()
        .map(|register| match compares {
            true => Op::Set(*register, Origin::Of(How::And, exec(*register, &scalars), Operand::Anything)),
            false => Op::Set(*register, Origin::Copy(Operand::Anything)),
        })
        .collect();
    // Masks that lanes of this register held may be gone.
    for register in lanes {
        let own = asked(register);
        let own = (0..64).filter(|lane| own >> lane & 1 == 1);
        ops.extend(own.map(|lane| Op::Set(lane_cell(register, lane), Origin::Copy(Operand::Anything))));
    }
    ops
}

/// Scalar instructions on masks.
fn by_salu(step: &Step) -> Option<Vec<Op>> {
    let Salu { to, sources: [a, b], wide } = salu(step)?;
    let stem = step.name.strip_suffix("_b32").or(step.name.strip_suffix("_b64"))?;
    let how = |name: &str| {
        Some(match name {
            "and" => How::And,
            "or" => How::Or,
            "xor" => How::Xor,
            "andn2" => How::AndNot,
            "orn2" => How::OrNot,
            "nand" => How::Nand,
            "nor" => How::Nor,
            "xnor" => How::Xnor,
            _ => return None,
        })
    };
    let name = stem.strip_prefix("s_")?;
    let mut ops = Vec::new();
    let (mut a, mut b, mut to) = (a, b, to);
    for half in 0..=u16::from(wide) {
        let exec = code::EXEC_LO + half;
        let set = |cell, origin| Op::Set(cell, origin);
        match name {
            "mov" => ops.push(set(to, Origin::Copy(a.mask()))),
            "not" => ops.push(set(to, Origin::Not(a.mask()))),
            _ if name.ends_with("_saveexec") => {
                let (source, running) = (a.mask(), Operand::Cell(exec));
                let origin = match name.trim_end_matches("_saveexec") {
                    "andn1" => Origin::Of(How::AndNot, running, source),
                    "orn1" => Origin::Of(How::OrNot, running, source),
                    plain => Origin::Of(how(plain)?, source, running),
                };
                // The source may be the register that EXEC is saved in.
                let kept = SCRATCH + half;
                ops.extend([
                    set(kept, Origin::Copy(running)),
                    set(exec, origin),
                    set(to, Origin::Copy(Operand::Cell(kept))),
                ]);
            }
            _ => ops.push(set(to, Origin::Of(how(name)?, a.mask(), b.mask()))),
        }
        (a, b, to) = (a.upper(), b.upper(), to + 1);
    }
    Some(ops)
}

/// Cells that hold EXEC within an instruction that saves it.
const SCRATCH: Cell = 502;

/// Whether the code of a first source says that a second word chooses parts of registers or lanes of others: DPP or SDWA
/// (spec section 3.1).
fn is_of_parts(raw: u32) -> bool {
    matches!(raw, DPP8 | DPP8_ALL | SDWA | DPP)
}

const DPP8: u32 = 233;
const DPP8_ALL: u32 = 234;
const SDWA: u32 = 249;
const DPP: u32 = 250;

/// Whether a vector instruction is in one of the short formats, whose sources are fewer.
pub(super) fn is_short(step: &Step) -> bool {
    step.dword >> 31 == 0
}

/// The first two sources of a vector instruction, by their codes of nine bits (spec section 3.1).
pub(super) fn sources(step: &Step) -> [u32; 2] {
    match is_short(step) {
        true => [bits(step, 0, 9), 256 + bits(step, 9, 8)],
        false => [bits(step, 32, 9), bits(step, 41, 9)],
    }
}

/// Whether these are whole registers of the lane itself, and taken as they are.
pub(super) fn is_plain(step: &Step) -> bool {
    match is_short(step) {
        true => !is_of_parts(bits(step, 0, 9)),
        false => bits(step, 8, 3) == 0 && bits(step, 61, 3) == 0,
    }
}

/// Whether an instruction may leave some of what it writes as it was, in lanes that run: lanes that DPP reads nothing for, the
/// other parts of a register.
pub(super) fn is_partial(step: &Step) -> bool {
    if !step.name.starts_with("v_") {
        return step.name.contains("_d16");
    }
    if !is_short(step) {
        // The upper half, by op_sel.
        return step.dword >> 26 == 0x35 && step.name.contains("16") && bits(step, 14, 1) == 1;
    }
    match bits(step, 0, 9) {
        DPP8 | DPP8_ALL => true,
        DPP => bits(step, 51, 1) == 0 || bits(step, 56, 8) != 0xff,
        SDWA => bits(step, 40, 3) != 6 && bits(step, 43, 2) == 2,
        _ => false,
    }
}

/// What says which lane a scalar is put into or taken from.
pub(super) fn lane_of(step: &Step) -> Option<Source> {
    matches!(step.name, "v_writelane_b32" | "v_readlane_b32").then(|| Source::of(bits(step, 41, 9), 0))
}

/// That lane by its number.
pub(super) fn lane(step: &Step) -> Option<u32> {
    match lane_of(step)? {
        Source::Number(lane) => Some(lane),
        _ => None,
    }
}

/// A scalar put into a lane by number: the vector register, the lane, the scalar.
pub(super) fn put(step: &Step) -> Option<(u16, u8, Source)> {
    let lane = lane(step).filter(|_| step.name == "v_writelane_b32")?;
    Some((bits(step, 0, 8) as u16, lane as u8 & 63, Source::of(bits(step, 32, 9), 0)))
}

/// A scalar taken from a lane by number: where it goes, the vector register, the lane.
pub(super) fn got(step: &Step) -> Option<(u16, u16, u8)> {
    let lane = lane(step).filter(|_| step.name == "v_readlane_b32")?;
    Some((bits(step, 0, 8) as u16, bits(step, 32, 8) as u16, lane as u8 & 63))
}

/// A comparison of 64 bits with a pair of vector registers: the first scalar, and the first vector register.
pub(super) fn compared(step: &Step) -> Option<(u16, u16)> {
    (step.name == "v_cmp_eq_u64").then(|| pairs(step))?
}

/// The same, whatever the comparison asks of both.
pub(super) fn pairs(step: &Step) -> Option<(u16, u16)> {
    let [a, b] = sources(step);
    let (scalar, vector) = if a < 256 { (a, b) } else { (b, a) };
    let vector = vector.checked_sub(256)?;
    (scalar < 106).then_some((scalar as u16, vector as u16))
}

/// The masks whose being zero a branch asks for.
pub(super) fn tested(step: &Step) -> Option<[Cell; 2]> {
    match step.name {
        "s_cbranch_vccz" | "s_cbranch_vccnz" => Some([code::VCC_LO, code::VCC_HI]),
        "s_cbranch_execz" | "s_cbranch_execnz" => Some([code::EXEC_LO, code::EXEC_HI]),
        _ => None,
    }
}

/// Whether an instruction of lanes writes memory that others see, LDS included.
pub(super) fn writes_memory(step: &Step) -> bool {
    let is_of_lanes = ["buffer_", "tbuffer_", "global_", "flat_", "image_"];
    let is_named = is_of_lanes.iter().any(|begin| step.name.starts_with(begin))
        && (step.name.contains("_store") || step.name.contains("_atomic"));
    is_named || matches!(step.access, Some(tables::Access::Lds { writes: true }))
}

/// An access to a lane's scratch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) loads: bool,
    /// The first vector register of the data.
    pub(super) data: u16,
    /// Dwords; a part of one counts as `partial`.
    pub(super) dwords: u16,
    pub(super) partial: bool,
    /// Added to the address.
    pub(super) offset: i32,
    /// A scalar in the address.
    pub(super) scalar: Option<Source>,
    /// A vector register in the address.
    pub(super) vector: Option<u16>,
    /// The descriptor of a buffer.
    pub(super) descriptor: Option<u16>,
}

/// Loads and stores by opcode, which the formats share: whether it loads, dwords, whether a part of one.
fn kind(op: u32) -> Option<(bool, u16, bool)> {
    Some(match op {
        0x08..=0x0b | 0x20..=0x25 => (true, 1, true),
        0x0c => (true, 1, false),
        0x0d => (true, 2, false),
        0x0e => (true, 4, false),
        0x0f => (true, 3, false),
        0x18..=0x1b => (false, 1, true),
        0x1c => (false, 1, false),
        0x1d => (false, 2, false),
        0x1e => (false, 4, false),
        0x1f => (false, 3, false),
        _ => return None,
    })
}

/// What an instruction does to scratch, or to a buffer that may be scratch; `None` for others.
pub(super) fn access(step: &Step) -> Option<Access> {
    if step.name.starts_with("scratch_") {
        let (loads, dwords, partial) = kind(bits(step, 18, 7))?;
        let base = bits(step, 48, 7);
        let offset = (bits(step, 0, 12) << 20) as i32 >> 20;
        let scalar = (base != 0x7d && base != 0x7f).then_some(Source::Register(base as u16));
        let vector = (base == 0x7d).then_some(bits(step, 32, 8) as u16);
        let data = bits(step, if loads { 56 } else { 40 }, 8) as u16;
        return Some(Access { loads, data, dwords, partial, offset, scalar, vector, descriptor: None });
    }
    if step.name.starts_with("buffer_") {
        let (loads, dwords, partial) = kind(bits(step, 18, 8))?;
        let vector = (bits(step, 12, 1) == 1).then_some(bits(step, 32, 8) as u16);
        return Some(Access {
            loads,
            data: bits(step, 40, 8) as u16,
            dwords,
            partial,
            offset: bits(step, 0, 12) as i32,
            scalar: Some(Source::of(bits(step, 56, 8), 0)),
            vector,
            descriptor: Some(bits(step, 48, 5) as u16 * 4),
        });
    }
    None
}
