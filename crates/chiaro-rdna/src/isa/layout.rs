//! What the layouts of all families share: the macro that makes one, and operands by letter.
//!
//! Layouts of vector instructions are named by their operands: `v` a vector register (`v2` a
//! pair), `m` a mask; sources `w` a word, `f` a float with signs, `s` a short integer, `h` a
//! half float with signs, `l` a long integer, `d` a double with signs, `e` a word with a sign
//! bit; and behind `_` what
//! changes results: `c` clamp, `o` output modifier, `p` selection of halves.

use crate::operand::constant::Number;
use crate::operand::source::{Signs, Source, Takes};
use chiaro_isa::{Class, Implicit, Purpose, Role, Wait};

/// Makes a layout from another one: name, base, fields, template, and what else differs.
/// Bits that nothing claims are left over, and so kept and shown.
macro_rules! layout {
    ($(#[$doc:meta])* $name:ident = $base:expr, [$($field:expr),* $(,)?], $syntax:expr
     $(, $key:ident: $value:expr)* $(,)?) => {
        $(#[$doc])*
        pub(crate) static $name: chiaro_isa::Format = {
            const LAYOUT_FIELDS: &[chiaro_isa::Field] = &[$($field),*];
            const LAYOUT_BASE: chiaro_isa::Format = chiaro_isa::Format { $($key: $value,)* ..$base };
            const LAYOUT_LEFT: &[chiaro_isa::Bits] = &[LAYOUT_BASE.left_over(LAYOUT_FIELDS)];
            chiaro_isa::Format { fields: LAYOUT_FIELDS, syntax: &[$syntax], spare: LAYOUT_LEFT, ..LAYOUT_BASE }
        };
    };
}
pub(super) use layout;

const fn vector(number: Number, count: u8, signs: Signs) -> Source {
    Source { number, count, takes: Takes::VALU, width: 9, signs }
}

/// A word.
pub(super) static W: Source = vector(Number::Word, 1, Signs::None);
/// A float whose sign can be changed.
pub(super) static F: Source = vector(Number::Word, 1, Signs::NegAbs);
/// A float whose sign can be inverted.
pub(super) static FN: Source = vector(Number::Word, 1, Signs::Neg);
/// A word with a sign bit.
pub(super) static E: Source = vector(Number::Word, 1, Signs::Extend);
/// A short integer.
pub(super) static S: Source = vector(Number::Short, 1, Signs::None);
/// A half float in an encoding without signs.
pub(super) static H0: Source = vector(Number::Half, 1, Signs::None);
/// A half float whose sign can be changed.
pub(super) static H: Source = vector(Number::Half, 1, Signs::NegAbs);
/// A long integer.
pub(super) static L: Source = vector(Number::Long, 2, Signs::None);
/// A double in an encoding without signs.
pub(super) static D0: Source = vector(Number::Double, 2, Signs::None);
/// A double whose sign can be changed.
pub(super) static D: Source = vector(Number::Double, 2, Signs::NegAbs);
/// A double whose sign can be inverted.
pub(super) static DN: Source = vector(Number::Double, 2, Signs::Neg);
/// Two short integers.
pub(super) static SS: Source = vector(Number::Shorts, 1, Signs::None);
/// Two half floats.
pub(super) static HH: Source = vector(Number::Halves, 1, Signs::None);
/// A vector register only.
pub(super) static V: Source = only(Takes::VECTOR, 1, 9);
/// Four vector registers.
pub(super) static V4: Source = only(Takes::VECTOR, 4, 9);
/// A scalar or a small constant: numbers of lanes.
pub(super) static LANE: Source = only(Takes(1 | 4), 1, 9);
/// A scalar, a small constant or a literal.
pub(super) static UNIFORM: Source = only(Takes::SALU, 1, 9);
/// Offset of a buffer instruction.
pub(super) static STEP: Source = only(Takes(1 | 4), 1, 8);
/// A word of a scalar instruction.
pub(super) static SW: Source = scalar(Number::Word, 1);
/// A long integer or a mask of a scalar instruction.
pub(super) static SL: Source = scalar(Number::Long, 2);
/// A pair of scalar registers.
pub(super) static PAIR: Source = only(Takes::SCALAR, 2, 8);
/// A scalar register.
pub(super) static ONE: Source = only(Takes::SCALAR, 1, 8);

const fn only(takes: Takes, count: u8, width: u8) -> Source {
    Source { number: Number::Word, count, takes, width, signs: Signs::None }
}

const fn scalar(number: Number, count: u8) -> Source {
    Source { number, count, takes: Takes::SALU, width: 8, signs: Signs::None }
}

/// Documents that the rows come from.
pub(super) static LLVM: chiaro_isa::Source = chiaro_isa::Source {
    name: "LLVM",
    title: "LLVM 19.1.7, llvm-mc and llvm-objdump for gfx1030: numbers, fields and spelling",
};
/// What operations compute.
pub(super) static AMD: chiaro_isa::Source = chiaro_isa::Source {
    name: "AMD",
    title: "AMD's RDNA instruction set documents: pseudo-code, as corrected by Mesa's README-ISA",
};
/// What a driver that ships does.
pub(super) static ACO: chiaro_isa::Source =
    chiaro_isa::Source { name: "ACO", title: "Mesa 25.0.7, src/amd/compiler: opcodes, latencies, counters" };

const fn alu(name: &'static str, unit: &'static str, issue: u8, slots: u16) -> Class {
    let purpose = Purpose::Arithmetic;
    Class { name, unit, issue: Some(issue), result: Wait::Slots(slots), purpose, source: Some(&ACO) }
}

const fn counted(name: &'static str, unit: &'static str, counter: &'static str, slots: u16) -> Class {
    let result = Wait::Counter { name: counter, slots };
    Class { name, unit, issue: Some(1), result, purpose: Purpose::Memory, source: Some(&ACO) }
}

// Latencies and issue rates are ACO's model, which its authors call a heuristic.
pub(super) static VALU32: Class = alu("valu32", "vector", 1, 5);
pub(super) static VALU64: Class = alu("valu64", "vector, complex", 2, 6);
pub(super) static QUARTER: Class = alu("valu_quarter_rate32", "vector, complex", 4, 8);
pub(super) static TRANS: Class = alu("valu_transcendental32", "vector, transcendental", 1, 10);
pub(super) static DOUBLE: Class = alu("valu_double", "vector, double", 16, 22);
pub(super) static DOUBLE_TRANS: Class = alu("valu_double_transcendental", "vector, double", 16, 24);
pub(super) static SALU: Class = alu("salu", "scalar", 1, 2);
pub(super) static BRANCH: Class = Class { purpose: Purpose::Control, ..alu("branch", "branch", 3, 0) };
pub(super) static MESSAGE: Class =
    Class { purpose: Purpose::Control, ..counted("sendmsg", "branch", "lgkmcnt", 1) };
pub(super) static WAIT: Class = Class { purpose: Purpose::Wait, ..alu("waitcnt", "sequencer", 0, 0) };
pub(super) static BARRIER: Class = Class { purpose: Purpose::Control, ..alu("barrier", "sequencer", 0, 0) };
pub(super) static SCALAR_MOVE: Class = Class { purpose: Purpose::Move, ..SALU };
pub(super) static VECTOR_MOVE: Class = Class { purpose: Purpose::Move, ..VALU32 };
pub(super) static EMPTY_SLOT: Class = Class { purpose: Purpose::Wait, ..SALU };
pub(super) static VECTOR_EMPTY_SLOT: Class = Class { purpose: Purpose::Wait, ..VALU32 };
pub(super) static STEER: Class = Class { purpose: Purpose::Control, ..SALU };
pub(super) static SMEM: Class = counted("smem", "scalar memory", "lgkmcnt", 30);
pub(super) static DS: Class = counted("ds", "LDS", "lgkmcnt", 20);
pub(super) static VMEM: Class = counted("vmem", "vector memory", "vmcnt", 320);
pub(super) static EXPORT: Class = counted("exp", "export", "expcnt", 16);

pub(super) static IMAGE: Class = Class { purpose: Purpose::Texture, ..VMEM };
pub(super) static SCRATCH: Class = Class { purpose: Purpose::Spill, ..VMEM };

const fn implicit(name: &'static str, role: Role) -> Implicit {
    Implicit { name, role }
}

pub(super) const SCC: &[Implicit] = &[implicit("scc", Role::Def)];
pub(super) const READS_SCC: &[Implicit] = &[implicit("scc", Role::Use)];
pub(super) const SCC_BOTH: &[Implicit] = &[implicit("scc", Role::DefUse)];
pub(super) const EXEC_SCC: &[Implicit] = &[implicit("exec", Role::DefUse), implicit("scc", Role::Def)];
pub(super) const EXEC: &[Implicit] = &[implicit("exec", Role::Def)];
pub(super) const READS_VCC: &[Implicit] = &[implicit("vcc", Role::Use)];
pub(super) const READS_EXEC: &[Implicit] = &[implicit("exec", Role::Use)];
pub(super) const READS_M0: &[Implicit] = &[implicit("m0", Role::Use)];
