//! What the checker knows of the encodings: which counters an access counts on, which
//! instructions steer execution. From sections 4, 5, 8 and 10 of the specification, by bits.

/// What an access is waited for with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Vector memory that returns data: vmcnt, in order.
    Vector,
    /// The same from LDS or memory, nobody knows which: vmcnt and lgkmcnt.
    Flat,
    /// LDS: lgkmcnt, in order among themselves.
    Lds {
        /// Whether it changes LDS.
        writes: bool,
    },
    /// Scalar memory: lgkmcnt, in no order.
    Scalar,
    /// Messages: lgkmcnt, no register.
    Message,
    /// GDS: lgkmcnt, in order among themselves; expcnt for its sources.
    Gds,
    /// Exports: expcnt, sources are locked.
    Export,
}

impl Access {
    /// Whether vmcnt and lgkmcnt count it (10.1).
    pub fn counters(self) -> (bool, bool) {
        match self {
            Access::Vector => (true, false),
            Access::Flat => (true, true),
            Access::Lds { .. } | Access::Gds | Access::Scalar | Access::Message => (false, true),
            Access::Export => (false, false),
        }
    }
}

/// How an instruction steers execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steer {
    /// Goes on behind itself.
    On,
    /// Goes on so many dwords behind itself.
    Branch(i32),
    /// Either.
    Maybe(i32),
    /// Leaves the function for a place that a register holds, and may come back.
    Call,
    /// Leaves it for good.
    Leave,
    /// Ends the wave.
    End,
}

/// A wait for counters: the most that may be left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waited {
    /// Vector loads.
    pub vm: u32,
    /// LDS, scalar memory, messages.
    pub lgkm: u32,
    /// Exports.
    pub exp: u32,
}

/// Anything may be left.
pub const ANY: u32 = u32::MAX;

/// The prefixes of the formats that access memory (spec 4): the upper six bits.
mod prefix {
    pub(super) const DS: u32 = 0b110110;
    pub(super) const FLAT: u32 = 0b110111;
    pub(super) const MUBUF: u32 = 0b111000;
    pub(super) const MTBUF: u32 = 0b111010;
    pub(super) const MIMG: u32 = 0b111100;
    pub(super) const SMEM: u32 = 0b111101;
    pub(super) const EXP: u32 = 0b111110;
}

const fn bits(word: u32, low: u32, width: u32) -> u32 {
    word >> low & ((1 << width) - 1)
}

/// The access of an instruction by its first dword; `None` if nothing is waited for.
pub fn access(word: u32) -> Option<Access> {
    match word >> 26 {
        prefix::SMEM => {
            let op = bits(word, 18, 8);
            // Loads, and the clocks; cache instructions return nothing.
            matches!(op, 0x00..=0x04 | 0x08..=0x0c | 0x24 | 0x25).then_some(Access::Scalar)
        }
        prefix::DS if bits(word, 17, 1) == 1 => Some(Access::Gds),
        prefix::DS => lds(bits(word, 18, 8)),
        prefix::MUBUF => buffer(bits(word, 18, 8), bits(word, 14, 1) == 1),
        prefix::MTBUF => (bits(word, 16, 3) < 4).then_some(Access::Vector),
        prefix::MIMG => image(bits(word, 18, 7) | bits(word, 0, 1) << 7, bits(word, 13, 1) == 1),
        prefix::FLAT => flat(bits(word, 18, 7), bits(word, 16, 1) == 1, bits(word, 14, 2)),
        prefix::EXP => Some(Access::Export),
        _ if word >> 23 == 0x17f && matches!(bits(word, 16, 7), 0x10 | 0x11) => Some(Access::Message),
        _ => None,
    }
}

/// LDS by opcode (8.1): reads, and what returns what was there, do not write alone.
fn lds(op: u32) -> Option<Access> {
    let reads = matches!(op, 0x35..=0x3c | 0x76..=0x78 | 0xa2..=0xa7 | 0xb1..=0xb3 | 0xfe | 0xff);
    (op != 0x14).then_some(Access::Lds { writes: !reads })
}

/// Buffers by opcode (8.3): stores and atomics without return count elsewhere.
fn buffer(op: u32, glc: bool) -> Option<Access> {
    let returns = match op {
        0x00..=0x03 | 0x08..=0x0f | 0x20..=0x26 | 0x80..=0x83 => true,
        0x30..=0x60 => glc,
        _ => false,
    };
    returns.then_some(Access::Vector)
}

/// Images by opcode (8.5).
fn image(op: u32, glc: bool) -> Option<Access> {
    let returns = match op {
        0x08..=0x0b => false,
        0x0f..=0x12 | 0x14..=0x1f => glc,
        _ => true,
    };
    returns.then_some(Access::Vector)
}

/// FLAT, SCRATCH and GLOBAL by opcode and segment (8.4).
fn flat(op: u32, glc: bool, segment: u32) -> Option<Access> {
    let returns = match op {
        0x08..=0x0f | 0x16 | 0x20..=0x25 => true,
        0x30..=0x60 => glc,
        _ => false,
    };
    match (returns, segment) {
        (true, 0) => Some(Access::Flat),
        (true, _) => Some(Access::Vector),
        // A store by a flat address may go to LDS.
        (false, 0) => Some(Access::Message),
        (false, _) => None,
    }
}

/// Whether an instruction is a store or an atomic that has a dlc bit, and has it set (9.2).
pub fn has_wrong_dlc(word: u32) -> bool {
    let (bit, stores) = match word >> 26 {
        prefix::MUBUF => {
            (15, matches!(bits(word, 18, 8), 0x04..=0x07 | 0x18..=0x1f | 0x27 | 0x30..=0x60 | 0x84..=0x87))
        }
        prefix::MTBUF => (15, bits(word, 16, 3) >= 4),
        prefix::FLAT => (12, matches!(bits(word, 18, 7), 0x17..=0x1f | 0x30..=0x60)),
        prefix::MIMG => (7, bits(word, 0, 1) == 0 && matches!(bits(word, 18, 7), 0x08..=0x0b | 0x0f..=0x1f)),
        _ => return false,
    };
    stores && word >> bit & 1 == 1
}

/// Whether an instruction has a flat address and an offset, which is not added (8.4, 11).
pub fn has_flat_offset(word: u32) -> bool {
    word >> 26 == prefix::FLAT && bits(word, 14, 2) == 0 && bits(word, 0, 12) != 0
}

/// Whether an instruction must not be come to without lanes: exports (11, 12.4).
pub fn needs_lanes(word: u32) -> bool {
    word >> 26 == prefix::EXP
}

/// Padding behind the end, which must not be executed (12.5).
pub fn is_code_end(word: u32) -> bool {
    word >> 16 == 0xbf9f
}

/// Lanes of the wave's own memory: whether an instruction is one of scratch (8.4).
pub fn is_scratch(word: u32) -> bool {
    word >> 26 == prefix::FLAT && bits(word, 14, 2) == 1
}

/// The kinds of instruction that a clause may hold, each alone (12.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClauseKind {
    /// Scalar memory.
    Scalar,
    /// Vector memory, with descriptors or addresses.
    Vector,
    /// Memory or LDS by address.
    Flat,
    /// LDS.
    Lds,
}

/// The kind of an instruction in a clause.
pub fn clause_kind(word: u32) -> Option<ClauseKind> {
    match word >> 26 {
        prefix::SMEM => Some(ClauseKind::Scalar),
        prefix::MUBUF | prefix::MTBUF | prefix::MIMG => Some(ClauseKind::Vector),
        prefix::FLAT if bits(word, 14, 2) == 0 => Some(ClauseKind::Flat),
        prefix::FLAT => Some(ClauseKind::Vector),
        prefix::DS => Some(ClauseKind::Lds),
        _ => None,
    }
}

/// Instructions in the clause that an instruction begins.
pub fn clause(word: u32) -> Option<u32> {
    (word >> 16 == 0xbfa1).then_some(bits(word, 0, 6) + 1)
}

/// How an instruction steers execution.
pub fn steer(word: u32) -> Steer {
    let distance = i32::from(word as u16 as i16);
    if word >> 23 == 0x17f {
        return match bits(word, 16, 7) {
            0x01 | 0x1b | 0x1e => Steer::End,
            0x02 => Steer::Branch(distance),
            0x04..=0x09 | 0x17..=0x1a => Steer::Maybe(distance),
            _ => Steer::On,
        };
    }
    if word >> 23 == 0x17d {
        return match bits(word, 8, 8) {
            0x20 | 0x22 => Steer::Leave,
            0x21 => Steer::Call,
            _ => Steer::On,
        };
    }
    match word >> 23 {
        0x176 => Steer::Call,
        0x17b | 0x17c => Steer::Maybe(distance),
        _ => Steer::On,
    }
}

/// Whether an instruction is a barrier.
pub fn is_barrier(word: u32) -> bool {
    word >> 16 == 0xbf8a
}

/// What an instruction waits for (10.2).
pub fn waited(word: u32) -> Option<Waited> {
    let limit = |n: u32, most: u32| if n == most { ANY } else { n };
    let none = Waited { vm: ANY, lgkm: ANY, exp: ANY };
    if word >> 16 == 0xbf8c {
        let vm = bits(word, 0, 4) | bits(word, 14, 2) << 4;
        let (exp, lgkm) = (bits(word, 4, 3), bits(word, 8, 6));
        return Some(Waited { vm: limit(vm, 63), lgkm: limit(lgkm, 63), exp: limit(exp, 7) });
    }
    if word >> 16 == 0xbfa2 {
        return Some(Waited { vm: 0, lgkm: 0, exp: 0 });
    }
    // SOPK waits add a register; only null adds nothing.
    let n = bits(word, 0, 16);
    match (word >> 23, bits(word, 16, 7)) {
        (0x178, 125) => Some(Waited { vm: n, ..none }),
        (0x179, 125) => Some(Waited { exp: n, ..none }),
        (0x17a, 125) => Some(Waited { lgkm: n, ..none }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits by words: of counters together, of one by itself, and what is none (spec 10.2).
    #[test]
    fn waits_name_their_counters() {
        let sopk = |opcode: u32, register: u32, n: u32| opcode << 23 | register << 16 | n;
        for (word, wanted) in [
            (0xbf8c_0000, Some([0, 0, 0])),
            // vmcnt 33 in two pieces, lgkmcnt 5, expcnt 2.
            (0xbf8c_8521, Some([33, 5, 2])),
            (0xbf8c_ff7f, Some([ANY, ANY, ANY])),
            (0xbfa2_0000, Some([0, 0, 0])),
            (sopk(0x178, 125, 3), Some([3, ANY, ANY])),
            (sopk(0x179, 125, 3), Some([ANY, ANY, 3])),
            (sopk(0x17a, 125, 3), Some([ANY, 3, ANY])),
            // The sum of a register and 3 is any number.
            (sopk(0x179, 4, 3), None),
            (sopk(0x177, 125, 3), None),
            (0xbf80_0000, None),
        ] {
            let found = waited(word).map(|Waited { vm, lgkm, exp }| [vm, lgkm, exp]);
            assert_eq!(found, wanted, "{word:#x}");
        }
    }
}
