//! Scalar operations: one word or one mask for the whole wave (spec sections 5.1 to 5.5).

use chiaro_sim::{Op as U, Slot};

use super::Doer;
use super::pieces::{bit_mask, found};
use super::uops::{SCC, Uops};
use crate::isa::{sop1::Sop1, sop2::Sop2, sopc::Sopc, sopk::Sopk, sopp::Sopp};
use crate::regs::code;

const EXEC: Slot = Slot(code::EXEC_LO);

/// Complement of the second source, and of the result.
#[derive(Clone, Copy)]
struct Bits {
    op: U,
    first: bool,
    second: bool,
    result: bool,
}

const fn bits(op: U) -> Bits {
    Bits { op, first: false, second: false, result: false }
}

const AND: Bits = bits(U::And);
const OR: Bits = bits(U::Or);
const XOR: Bits = bits(U::Xor);
const ANDN2: Bits = Bits { second: true, ..AND };
const ORN2: Bits = Bits { second: true, ..OR };
const ANDN1: Bits = Bits { first: true, ..AND };
const ORN1: Bits = Bits { first: true, ..OR };
const NAND: Bits = Bits { result: true, ..AND };
const NOR: Bits = Bits { result: true, ..OR };
const XNOR: Bits = Bits { result: true, ..XOR };

impl Bits {
    /// On one word of each operand.
    fn word(self, u: &mut Uops, mut a: Slot, mut b: Slot) -> Slot {
        if self.first {
            a = u.t(U::Not, &[a]);
        }
        if self.second {
            b = u.t(U::Not, &[b]);
        }
        let r = u.t(self.op, &[a, b]);
        if self.result { u.t(U::Not, &[r]) } else { r }
    }

    /// On both words of each operand.
    fn long(self, u: &mut Uops, a: Slot, b: Slot) -> Slot {
        let (low, high) = (self.word(u, a, b), self.word(u, a.at(1), b.at(1)));
        join(u, low, high)
    }
}

/// Two words as 64 bits.
fn join(u: &mut Uops, low: Slot, high: Slot) -> Slot {
    let both = u.spare(2);
    u.op(U::Mov, both, &[low]);
    u.op(U::Mov, both.at(1), &[high]);
    both
}

pub(super) fn sop2(op: Sop2, u: &mut Uops) -> Doer {
    use Sop2 as S;
    u.scalar();
    match op {
        S::AddU32 => with_carry(u, U::AddCarry, false),
        S::AddcU32 => with_carry(u, U::AddCarry, true),
        S::SubU32 => with_carry(u, U::SubBorrow, false),
        S::SubbU32 => with_carry(u, U::SubBorrow, true),
        S::AddI32 => {
            let (a, b) = (u.word(0), u.word(1));
            signed_sum(u, U::Add, a, b);
        }
        S::SubI32 => {
            let (a, b) = (u.word(0), u.word(1));
            signed_sum(u, U::Sub, a, b);
        }
        S::MinI32 => choose(u, U::MinS, U::LtS, false),
        S::MinU32 => choose(u, U::MinU, U::LtU, false),
        S::MaxI32 => choose(u, U::MaxS, U::LtS, true),
        S::MaxU32 => choose(u, U::MaxU, U::LtU, true),
        S::CselectB32 => {
            let (a, b) = (u.word(0), u.word(1));
            let r = u.t(U::Select, &[SCC, a, b]);
            u.put(r);
        }
        S::CselectB64 => {
            let (a, b) = (u.long(0), u.long(1));
            let (low, high) = (u.t(U::Select, &[SCC, a, b]), u.t(U::Select, &[SCC, a.at(1), b.at(1)]));
            let r = join(u, low, high);
            u.put_long(r);
        }
        S::AndB32 => logic(u, AND),
        S::OrB32 => logic(u, OR),
        S::XorB32 => logic(u, XOR),
        S::Andn2B32 => logic(u, ANDN2),
        S::Orn2B32 => logic(u, ORN2),
        S::NandB32 => logic(u, NAND),
        S::NorB32 => logic(u, NOR),
        S::XnorB32 => logic(u, XNOR),
        S::AndB64 => logic_long(u, AND),
        S::OrB64 => logic_long(u, OR),
        S::XorB64 => logic_long(u, XOR),
        S::Andn2B64 => logic_long(u, ANDN2),
        S::Orn2B64 => logic_long(u, ORN2),
        S::NandB64 => logic_long(u, NAND),
        S::NorB64 => logic_long(u, NOR),
        S::XnorB64 => logic_long(u, XNOR),
        S::LshlB32 => words(u, U::Shl, true),
        S::LshrB32 => words(u, U::Shr, true),
        S::AshrI32 => words(u, U::Sar, true),
        S::LshlB64 => shift_long(u, U::Shl64),
        S::LshrB64 => shift_long(u, U::Shr64),
        S::AshrI64 => shift_long(u, U::Sar64),
        S::BfmB32 => {
            let (width, low) = (u.word(0), u.word(1));
            let r = bit_mask(u, width, low);
            u.put(r);
        }
        S::BfmB64 => mask_long(u),
        S::MulI32 => words(u, U::Mul, false),
        S::MulHiU32 => words(u, U::MulHighU, false),
        S::MulHiI32 => words(u, U::MulHighS, false),
        S::BfeU32 => field(u, U::FieldU, U::Shr),
        S::BfeI32 => field(u, U::FieldS, U::Sar),
        S::BfeU64 => field_long(u, U::Shr64),
        S::BfeI64 => field_long(u, U::Sar64),
        S::AbsdiffI32 => {
            let (a, b, zero) = (u.word(0), u.word(1), u.imm(0));
            let r = u.t(U::Sub, &[a, b]);
            let other = u.t(U::Sub, &[zero, r]);
            let r = u.t(U::MaxS, &[r, other]);
            put_and_test(u, r);
        }
        S::Lshl1AddU32 => shift_add(u, 1),
        S::Lshl2AddU32 => shift_add(u, 2),
        S::Lshl3AddU32 => shift_add(u, 3),
        S::Lshl4AddU32 => shift_add(u, 4),
        S::PackLlB32B16 => pack(u, 0, 0),
        S::PackLhB32B16 => pack(u, 0, 16),
        S::PackHhB32B16 => pack(u, 16, 16),
    }
    Doer::Scalar
}

fn put_and_test(u: &mut Uops, r: Slot) {
    u.scc_not_zero(r);
    u.put(r);
}

fn put_and_test_long(u: &mut Uops, r: Slot) {
    u.scc_not_zero_long(r);
    u.put_long(r);
}

/// Sum or difference with the carry or borrow in SCC.
fn with_carry(u: &mut Uops, op: U, takes: bool) {
    let (a, b) = (u.word(0), u.word(1));
    let carry = if takes { SCC } else { u.imm(0) };
    let both = u.t(op, &[a, b, carry]);
    u.op(U::Mov, SCC, &[both.at(1)]);
    let d = u.sdst();
    u.op(U::Mov, d, &[both]);
}

/// Sum or difference; SCC says whether it overflows as a signed number.
fn signed_sum(u: &mut Uops, op: U, a: Slot, b: Slot) {
    let r = u.t(op, &[a, b]);
    let (x, y) = (u.t(U::Xor, &[a, r]), u.t(U::Xor, &if op == U::Add { [b, r] } else { [a, b] }));
    let both = u.t(U::And, &[x, y]);
    let sign = u.imm(31);
    u.op(U::Shr, SCC, &[both, sign]);
    u.put(r);
}

/// Minimum or maximum; SCC says whether the first source was chosen.
fn choose(u: &mut Uops, op: U, less: U, or_equal: bool) {
    let (a, b) = (u.word(0), u.word(1));
    let r = u.t(op, &[a, b]);
    let mut chosen = u.t(less, &[a, b]);
    if or_equal {
        chosen = if u.choices.max_is_greater { u.t(less, &[b, a]) } else { u.t(U::Not, &[chosen]) };
    }
    u.scc(chosen);
    u.put(r);
}

fn logic(u: &mut Uops, how: Bits) {
    let (a, b) = (u.word(0), u.word(1));
    let r = how.word(u, a, b);
    put_and_test(u, r);
}

fn logic_long(u: &mut Uops, how: Bits) {
    let (a, b) = (u.long(0), u.long(1));
    let r = how.long(u, a, b);
    put_and_test_long(u, r);
}

fn words(u: &mut Uops, op: U, tests: bool) {
    let (a, b) = (u.word(0), u.word(1));
    let r = u.t(op, &[a, b]);
    if tests {
        u.scc_not_zero(r);
    }
    u.put(r);
}

fn shift_long(u: &mut Uops, op: U) {
    let (a, b) = (u.long(0), u.word(1));
    let r = u.t(op, &[a, b]);
    put_and_test_long(u, r);
}

fn mask_long(u: &mut Uops) {
    let (width, low, one) = (u.word(0), u.word(1), u.imm64(1));
    let ones = u.t(U::Shl64, &[one, width]);
    let ones = u.t(U::Sub64, &[ones, one]);
    let r = u.t(U::Shl64, &[ones, low]);
    u.put_long(r);
}

/// A field by offset and width in one word; a width of 32 and more takes all that is left.
fn field(u: &mut Uops, field: U, shift: U) {
    let (a, how) = (u.word(0), u.word(1));
    let (low, width) = (u.field(U::FieldU, how, 0, 5), u.field(U::FieldU, how, 16, 7));
    let (all, zero) = (u.t(shift, &[a, low]), u.imm(0));
    let short = u.t(field, &[all, zero, width]);
    let most = u.imm(32);
    let fits = u.t(U::LtU, &[width, most]);
    let r = u.t(U::Select, &[fits, short, all]);
    put_and_test(u, r);
}

/// The same of 64 bits: shifted to the top, then down.
fn field_long(u: &mut Uops, down: U) {
    let (a, how) = (u.long(0), u.word(1));
    let (low, width) = (u.field(U::FieldU, how, 0, 6), u.field(U::FieldU, how, 16, 7));
    let most = u.imm(64);
    let width = u.t(U::MinU, &[width, most]);
    let first = if down == U::Sar64 { U::Sar64 } else { U::Shr64 };
    let part = u.t(first, &[a, low]);
    let unused = u.t(U::Sub, &[most, width]);
    let top = u.t(U::Shl64, &[part, unused]);
    let r = u.t(down, &[top, unused]);
    let zero = u.ti(U::Eq, width, 0);
    let none = u.imm(0);
    let (low, high) = (u.t(U::Select, &[zero, none, r]), u.t(U::Select, &[zero, none, r.at(1)]));
    let r = join(u, low, high);
    put_and_test_long(u, r);
}

/// A shifted source plus the other; SCC says whether the exact sum needs more than 32 bits.
fn shift_add(u: &mut Uops, n: u32) {
    let (a, b, zero) = (u.word(0), u.word(1), u.imm(0));
    let (low, high) = (u.ti(U::Shl, a, n), u.ti(U::Shr, a, 32 - n));
    let sum = u.t(U::AddCarry, &[low, b, zero]);
    let above = u.t(U::Or, &[high, sum.at(1)]);
    u.scc_not_zero(above);
    let d = u.sdst();
    u.op(U::Mov, d, &[sum]);
}

fn pack(u: &mut Uops, first: u32, second: u32) {
    let (a, b) = (u.word(0), u.word(1));
    let (low, high) = (u.field(U::FieldU, a, first, 16), u.field(U::FieldU, b, second, 16));
    let high = u.ti(U::Shl, high, 16);
    let r = u.t(U::Or, &[low, high]);
    u.put(r);
}

pub(super) fn sopk(op: Sopk, u: &mut Uops) -> Doer {
    use Sopk as S;
    u.scalar();
    let (signed, unsigned) = (u.i.simm16 as u32, u32::from(u.i.simm16 as u16));
    let d = u.sdst();
    match op {
        S::MovkI32 => {
            let n = u.imm(signed);
            u.put(n);
        }
        S::CmovkI32 => {
            let n = u.imm(signed);
            let r = u.t(U::Select, &[SCC, n, d]);
            u.put(r);
        }
        S::CmpkEqI32 => compare_number(u, U::Eq, [false, false], signed),
        S::CmpkLgI32 => compare_number(u, U::Eq, [false, true], signed),
        S::CmpkGtI32 => compare_number(u, U::LtS, [true, false], signed),
        S::CmpkGeI32 => compare_number(u, U::LtS, [false, true], signed),
        S::CmpkLtI32 => compare_number(u, U::LtS, [false, false], signed),
        S::CmpkLeI32 => compare_number(u, U::LtS, [true, true], signed),
        S::CmpkEqU32 => compare_number(u, U::Eq, [false, false], unsigned),
        S::CmpkLgU32 => compare_number(u, U::Eq, [false, true], unsigned),
        S::CmpkGtU32 => compare_number(u, U::LtU, [true, false], unsigned),
        S::CmpkGeU32 => compare_number(u, U::LtU, [false, true], unsigned),
        S::CmpkLtU32 => compare_number(u, U::LtU, [false, false], unsigned),
        S::CmpkLeU32 => compare_number(u, U::LtU, [true, true], unsigned),
        S::AddkI32 => {
            let n = u.imm(signed);
            signed_sum(u, U::Add, d, n);
        }
        S::MulkI32 => {
            let r = u.ti(U::Mul, d, signed);
            u.put(r);
        }
        S::Version => return Doer::Nothing,
        S::GetregB32
        | S::SetregB32
        | S::SetregImm32B32
        | S::CallB64
        | S::WaitcntVscnt
        | S::WaitcntVmcnt
        | S::WaitcntExpcnt
        | S::WaitcntLgkmcnt
        | S::SubvectorLoopBegin
        | S::SubvectorLoopEnd => {
            return Doer::Flow;
        }
    }
    Doer::Scalar
}

/// SCC from a relation of two words: whether they change places, and whether it is inverted.
fn relation(u: &mut Uops, op: U, [a, b]: [Slot; 2], [swapped, inverted]: [bool; 2]) {
    let mut truth = u.t(op, &if swapped { [b, a] } else { [a, b] });
    if inverted {
        truth = u.t(U::Not, &[truth]);
    }
    u.scc(truth);
}

fn compare_number(u: &mut Uops, op: U, how: [bool; 2], number: u32) {
    let places = [u.sdst(), u.imm(number)];
    relation(u, op, places, how);
}

pub(super) fn sopc(op: Sopc, u: &mut Uops) -> Doer {
    use Sopc as S;
    u.scalar();
    match op {
        S::CmpEqI32 | S::CmpEqU32 => compare(u, U::Eq, [false, false]),
        S::CmpLgI32 | S::CmpLgU32 => compare(u, U::Eq, [false, true]),
        S::CmpGtI32 => compare(u, U::LtS, [true, false]),
        S::CmpGeI32 => compare(u, U::LtS, [false, true]),
        S::CmpLtI32 => compare(u, U::LtS, [false, false]),
        S::CmpLeI32 => compare(u, U::LtS, [true, true]),
        S::CmpGtU32 => compare(u, U::LtU, [true, false]),
        S::CmpGeU32 => compare(u, U::LtU, [false, true]),
        S::CmpLtU32 => compare(u, U::LtU, [false, false]),
        S::CmpLeU32 => compare(u, U::LtU, [true, true]),
        S::Bitcmp0B32 => test_bit(u, false, true),
        S::Bitcmp1B32 => test_bit(u, false, false),
        S::Bitcmp0B64 => test_bit(u, true, true),
        S::Bitcmp1B64 => test_bit(u, true, false),
        S::CmpEqU64 => compare_long(u, false),
        S::CmpLgU64 => compare_long(u, true),
    }
    Doer::Scalar
}

fn compare(u: &mut Uops, op: U, how: [bool; 2]) {
    let places = [u.word(0), u.word(1)];
    relation(u, op, places, how);
}

fn compare_long(u: &mut Uops, inverted: bool) {
    let places = [u.long(0), u.long(1)];
    relation(u, U::Eq64, places, [false, inverted]);
}

fn test_bit(u: &mut Uops, long: bool, inverted: bool) {
    let a = if long { u.long(0) } else { u.word(0) };
    let b = u.word(1);
    let bit = u.t(if long { U::Shr64 } else { U::Shr }, &[a, b]);
    let one = u.imm(1);
    let bit = if inverted { u.t(U::Not, &[bit]) } else { bit };
    u.op(U::And, SCC, &[bit, one]);
}

pub(super) fn sop1(op: Sop1, u: &mut Uops) -> Doer {
    use Sop1 as S;
    u.scalar();
    match op {
        S::MovB32 => {
            let r = u.word(0);
            u.put(r);
        }
        S::MovB64 => {
            let r = u.long(0);
            let r = join(u, r, r.at(1));
            u.put_long(r);
        }
        S::CmovB32 => {
            let (a, d) = (u.word(0), u.sdst());
            let r = u.t(U::Select, &[SCC, a, d]);
            u.put(r);
        }
        S::CmovB64 => {
            let (a, d) = (u.long(0), u.sdst());
            let (low, high) = (u.t(U::Select, &[SCC, a, d]), u.t(U::Select, &[SCC, a.at(1), d.at(1)]));
            let r = join(u, low, high);
            u.put_long(r);
        }
        S::NotB32 => map(u, true, |u, a| u.t(U::Not, &[a])),
        S::NotB64 => map_long(u, true, |u, a| u.t(U::Not, &[a])),
        S::WqmB32 => map(u, true, whole_quads),
        S::WqmB64 => map_long(u, true, whole_quads),
        S::BrevB32 => map(u, false, |u, a| u.t(U::Reverse, &[a])),
        S::BrevB64 => {
            let a = u.long(0);
            let (high, low) = (u.t(U::Reverse, &[a]), u.t(U::Reverse, &[a.at(1)]));
            let r = join(u, low, high);
            u.put_long(r);
        }
        S::Bcnt0I32B32 => map(u, true, |u, a| {
            let zeros = u.t(U::Not, &[a]);
            u.t(U::Count, &[zeros])
        }),
        S::Bcnt1I32B32 => map(u, true, |u, a| u.t(U::Count, &[a])),
        S::Bcnt0I32B64 => count_long(u, true),
        S::Bcnt1I32B64 => count_long(u, false),
        S::Ff0I32B32 => map(u, false, |u, a| {
            let zeros = u.t(U::Not, &[a]);
            found(u, U::TrailingZeros, zeros)
        }),
        S::Ff1I32B32 => map(u, false, |u, a| found(u, U::TrailingZeros, a)),
        S::Ff0I32B64 => find_long(u, true),
        S::Ff1I32B64 => find_long(u, false),
        S::FlbitI32B32 => map(u, false, |u, a| found(u, U::LeadingZeros, a)),
        S::FlbitI32B64 => {
            let a = u.long(0);
            leading_long(u, a, a.at(1));
        }
        S::FlbitI32 => map(u, false, |u, a| {
            let sign = u.ti(U::Sar, a, 31);
            let other = u.t(U::Xor, &[a, sign]);
            found(u, U::LeadingZeros, other)
        }),
        S::FlbitI32I64 => {
            let a = u.long(0);
            let sign = u.ti(U::Sar, a.at(1), 31);
            let (low, high) = (u.t(U::Xor, &[a, sign]), u.t(U::Xor, &[a.at(1), sign]));
            leading_long(u, low, high);
        }
        S::SextI32I8 => map(u, false, |u, a| u.field(U::FieldS, a, 0, 8)),
        S::SextI32I16 => map(u, false, |u, a| u.field(U::FieldS, a, 0, 16)),
        S::Bitset0B32 => set_bit(u, false),
        S::Bitset1B32 => set_bit(u, true),
        S::Bitset0B64 => set_bit_long(u, false),
        S::Bitset1B64 => set_bit_long(u, true),
        S::QuadmaskB32 => map(u, true, quads),
        S::QuadmaskB64 => {
            let a = u.long(0);
            let (low, high) = (quads(u, a), quads(u, a.at(1)));
            let high = u.ti(U::Shl, high, 8);
            let (all, zero) = (u.t(U::Or, &[low, high]), u.imm(0));
            let r = join(u, all, zero);
            put_and_test_long(u, r);
        }
        S::AbsI32 => map(u, true, |u, a| {
            let zero = u.imm(0);
            let other = u.t(U::Sub, &[zero, a]);
            u.t(U::MaxS, &[a, other])
        }),
        S::BitreplicateB64B32 => double_bits(u),
        S::GetpcB64 | S::SetpcB64 | S::SwappcB64 | S::RfeB64 => return Doer::Flow,
        S::MovrelsB32 | S::MovrelsB64 | S::MovreldB32 | S::MovreldB64 | S::Movrelsd2B32 => {
            return Doer::Cross;
        }
        other => return sop1_exec(other, u),
    }
    Doer::Scalar
}

/// Operations that change the set of lanes that run.
fn sop1_exec(op: Sop1, u: &mut Uops) -> Doer {
    use Sop1 as S;
    match op {
        S::AndSaveexecB32 => save_exec(u, AND, false, false),
        S::OrSaveexecB32 => save_exec(u, OR, false, false),
        S::XorSaveexecB32 => save_exec(u, XOR, false, false),
        S::Andn2SaveexecB32 => save_exec(u, ANDN2, false, false),
        S::Orn2SaveexecB32 => save_exec(u, ORN2, false, false),
        S::NandSaveexecB32 => save_exec(u, NAND, false, false),
        S::NorSaveexecB32 => save_exec(u, NOR, false, false),
        S::XnorSaveexecB32 => save_exec(u, XNOR, false, false),
        S::Andn1SaveexecB32 => save_exec(u, ANDN1, false, false),
        S::Orn1SaveexecB32 => save_exec(u, ORN1, false, false),
        S::Andn1WrexecB32 => save_exec(u, ANDN1, false, true),
        S::Andn2WrexecB32 => save_exec(u, ANDN2, false, true),
        S::AndSaveexecB64 => save_exec(u, AND, true, false),
        S::OrSaveexecB64 => save_exec(u, OR, true, false),
        S::XorSaveexecB64 => save_exec(u, XOR, true, false),
        S::Andn2SaveexecB64 => save_exec(u, ANDN2, true, false),
        S::Orn2SaveexecB64 => save_exec(u, ORN2, true, false),
        S::NandSaveexecB64 => save_exec(u, NAND, true, false),
        S::NorSaveexecB64 => save_exec(u, NOR, true, false),
        S::XnorSaveexecB64 => save_exec(u, XNOR, true, false),
        S::Andn1SaveexecB64 => save_exec(u, ANDN1, true, false),
        S::Orn1SaveexecB64 => save_exec(u, ORN1, true, false),
        S::Andn1WrexecB64 => save_exec(u, ANDN1, true, true),
        S::Andn2WrexecB64 => save_exec(u, ANDN2, true, true),
        _ => return Doer::Unknown,
    }
    Doer::Scalar
}

fn map(u: &mut Uops, tests: bool, f: impl FnOnce(&mut Uops, Slot) -> Slot) {
    let a = u.word(0);
    let r = f(u, a);
    if tests {
        u.scc_not_zero(r);
    }
    u.put(r);
}

fn map_long(u: &mut Uops, tests: bool, f: impl Fn(&mut Uops, Slot) -> Slot) {
    let a = u.long(0);
    let (low, high) = (f(u, a), f(u, a.at(1)));
    let r = join(u, low, high);
    if tests {
        u.scc_not_zero_long(r);
    }
    u.put_long(r);
}

/// The lowest bit of each four says whether any of them is set.
fn any_of_four(u: &mut Uops, a: Slot) -> Slot {
    let by_two = u.ti(U::Shr, a, 2);
    let two = u.t(U::Or, &[a, by_two]);
    let by_one = u.ti(U::Shr, two, 1);
    let any = u.t(U::Or, &[two, by_one]);
    u.ti(U::And, any, 0x1111_1111)
}

fn whole_quads(u: &mut Uops, a: Slot) -> Slot {
    let any = any_of_four(u, a);
    u.ti(U::Mul, any, 15)
}

/// A bit for each four: the bits of [`any_of_four`] moved together.
fn quads(u: &mut Uops, a: Slot) -> Slot {
    let mut r = any_of_four(u, a);
    for (shift, mask) in [(3, 0x0303_0303), (6, 0x000f_000f), (12, 0x0000_00ff)] {
        let moved = u.ti(U::Shr, r, shift);
        let both = u.t(U::Or, &[r, moved]);
        r = u.ti(U::And, both, mask);
    }
    r
}

/// Each bit twice: bits moved apart, then copied on.
fn double_bits(u: &mut Uops) {
    let a = u.word(0);
    let mut halves = [0, 16].map(|low| u.field(U::FieldU, a, low, 16));
    for half in &mut halves {
        for (shift, mask) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
            let moved = u.ti(U::Shl, *half, shift);
            let both = u.t(U::Or, &[*half, moved]);
            *half = u.ti(U::And, both, mask);
        }
        *half = u.ti(U::Mul, *half, 3);
    }
    let r = join(u, halves[0], halves[1]);
    u.put_long(r);
}

fn count_long(u: &mut Uops, zeros: bool) {
    let a = u.long(0);
    let counts = [a, a.at(1)].map(|word| {
        let word = if zeros { u.t(U::Not, &[word]) } else { word };
        u.t(U::Count, &[word])
    });
    let r = u.t(U::Add, &counts);
    put_and_test(u, r);
}

fn find_long(u: &mut Uops, zeros: bool) {
    let a = u.long(0);
    let [low, high] = [a, a.at(1)].map(|word| if zeros { u.t(U::Not, &[word]) } else { word });
    in_two(u, U::TrailingZeros, low, high);
}

fn leading_long(u: &mut Uops, low: Slot, high: Slot) {
    in_two(u, U::LeadingZeros, high, low);
}

/// The place in the first word, else in the second one.
fn in_two(u: &mut Uops, op: U, first: Slot, second: Slot) {
    let (near, far, none) = (u.t(op, &[first]), u.t(op, &[second]), u.imm(u32::MAX));
    let far = u.ti(U::Add, far, 32);
    let far = u.t(U::Select, &[second, far, none]);
    let r = u.t(U::Select, &[first, near, far]);
    u.put(r);
}

fn set_bit(u: &mut Uops, value: bool) {
    let (place, one, d) = (u.word(0), u.imm(1), u.sdst());
    let bit = u.t(U::Shl, &[one, place]);
    let set = u.t(U::Or, &[d, bit]);
    let r = if value { set } else { u.t(U::Xor, &[set, bit]) };
    u.put(r);
}

fn set_bit_long(u: &mut Uops, value: bool) {
    let (place, one, d) = (u.word(0), u.imm64(1), u.sdst());
    let bit = u.t(U::Shl64, &[one, place]);
    let set = OR.long(u, d, bit);
    let r = if value { set } else { XOR.long(u, set, bit) };
    u.put_long(r);
}

/// EXEC by a mask; the destination gets the old one, or the new one.
fn save_exec(u: &mut Uops, how: Bits, long: bool, new: bool) {
    if long {
        let a = u.long(0);
        let exec = how.long(u, a, EXEC);
        let saved = join(u, EXEC, EXEC.at(1));
        u.put_long(if new { exec } else { saved });
        u.op(U::Mov, EXEC, &[exec]);
        u.op(U::Mov, EXEC.at(1), &[exec.at(1)]);
        u.scc_not_zero_long(exec);
        return;
    }
    let a = u.word(0);
    let exec = how.word(u, a, EXEC);
    let (saved, d) = (if new { exec } else { EXEC }, u.sdst());
    u.op(U::Mov, d, &[saved]);
    u.op(U::Mov, EXEC, &[exec]);
    u.scc_not_zero(exec);
}

pub(super) fn sopp(op: Sopp) -> Doer {
    use Sopp as S;
    match op {
        S::Endpgm
        | S::EndpgmSaved
        | S::EndpgmOrderedPsDone
        | S::Branch
        | S::CbranchScc0
        | S::CbranchScc1
        | S::CbranchVccz
        | S::CbranchVccnz
        | S::CbranchExecz
        | S::CbranchExecnz
        | S::CbranchCdbgsys
        | S::CbranchCdbguser
        | S::CbranchCdbgsysOrUser
        | S::CbranchCdbgsysAndUser
        | S::Barrier
        | S::Waitcnt
        | S::WaitIdle
        | S::RoundMode
        | S::DenormMode
        | S::Sethalt
        | S::Trap
        | S::CodeEnd => Doer::Flow,
        S::Nop
        | S::Wakeup
        | S::Setkill
        | S::Sleep
        | S::Setprio
        | S::Sendmsg
        | S::Sendmsghalt
        | S::IcacheInv
        | S::Incperflevel
        | S::Decperflevel
        | S::Ttracedata
        | S::TtracedataImm
        | S::InstPrefetch
        | S::Clause
        | S::WaitcntDepctr => Doer::Nothing,
    }
}
