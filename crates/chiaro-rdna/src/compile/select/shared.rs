//! Memory of the group: LDS, its atomics, barriers (spec section 8.1).

use chiaro_ir::{Combine, Op as Ir, Path, Root, Scope, Semantics};
use chiaro_mach::{Block, Effects, Op as Mach, Operand};

use super::Select;
use super::memory::runs;
use super::part::{Kind, Part};
use super::place::Place;
use crate::abi::layout::Leaf;
use crate::compile::code::{FENCE, Modifiers, flag};
use crate::isa::Op;
use crate::isa::ds::Ds;
use crate::isa::mubuf::Mubuf;
use crate::isa::sopp::Sopp;

/// Bytes that an LDS instruction adds to an address at most.
const MOST_OFFSET: u32 = 0xffff;

/// Words that are moved at once where the first is aligned to so many bytes.
fn most_words(align: u32) -> u32 {
    match align {
        16.. => 4,
        _ => 2,
    }
}

impl Select<'_> {
    fn shared_place(&mut self, at: Block, path: &Path) -> Option<Place> {
        let Root::Global(g) = path.root else { return None };
        let first = *self.groups.get(&g)?;
        let place = self.place(at, path, &path.steps)?;
        Some(place.further(first))
    }

    /// The words of a place in LDS.
    pub(super) fn load_shared(&mut self, at: Block, path: &Path, leaves: &[Leaf]) -> Option<Vec<Part>> {
        let place = self.shared_place(at, path)?;
        let (address, offset) = self.shared_address(at, place, leaves);
        let mut words = Vec::new();
        for run in self.shared_runs(place, leaves) {
            let at_byte = offset + run.first;
            let (op, number, flags) = match (run.bits, run.words, place.align_of(run.first) >= 8) {
                (8, ..) => (Ds::ReadU8, at_byte, 0),
                (16, ..) => (Ds::ReadU16, at_byte, 0),
                (_, 1, _) => (Ds::ReadB32, at_byte, 0),
                (_, 2, true) => (Ds::ReadB64, at_byte, 0),
                (_, 2, false) => match pair_of(at_byte) {
                    Some(two) => (Ds::Read2B32, two, flag::TWO),
                    None => (Ds::ReadB64, at_byte, 0),
                },
                (_, 3, _) => (Ds::ReadB96, at_byte, 0),
                _ => (Ds::ReadB128, at_byte, 0),
            };
            let def = self.new_vector(run.words as u16);
            let inst =
                self.push(at, Op::Ds(op), &[def], &[address], Modifiers::number(number as i32).with(flags));
            self.code.inst_mut(inst).effects.reads |= Effects::SHARED;
            words.extend(self.split(at, def));
        }
        Some(words)
    }

    fn shared_runs(&self, place: Place, leaves: &[Leaf]) -> Vec<super::memory::Run> {
        let first = leaves.first().map_or(0, |leaf| leaf.offset);
        runs(leaves, most_words(place.align_of(first)))
    }

    fn shared_address(&mut self, at: Block, place: Place, leaves: &[Leaf]) -> (Operand, u32) {
        let last = leaves.iter().map(|leaf| leaf.offset).max().unwrap_or(0);
        let (address, offset) = self.lane_address(at, place, last + 4, MOST_OFFSET);
        (self.in_vector(at, address.unwrap_or(Part::number(0))), offset)
    }

    /// Stores words to LDS.
    pub(super) fn store_shared(
        &mut self,
        at: Block,
        path: &Path,
        leaves: &[Leaf],
        words: &[Part],
    ) -> Option<()> {
        let place = self.shared_place(at, path)?;
        let (address, offset) = self.shared_address(at, place, leaves);
        let mut rest = words;
        for run in self.shared_runs(place, leaves) {
            let (here, others) = rest.split_at((run.words as usize).min(rest.len()));
            rest = others;
            let at_byte = offset + run.first;
            let two = pair_of(at_byte).filter(|_| run.words == 2 && place.align_of(run.first) < 8);
            if let Some(two) = two {
                let data: Vec<Operand> = here.iter().map(|&word| self.in_vector(at, word)).collect();
                let uses: Vec<Operand> = [address].into_iter().chain(data).collect();
                let modifiers = Modifiers::number(two as i32).with(flag::TWO);
                let inst = self.push(at, Op::Ds(Ds::Write2B32), &[], &uses, modifiers);
                self.code.inst_mut(inst).effects.writes |= Effects::SHARED;
                continue;
            }
            let op = match (run.bits, run.words) {
                (8, _) => Ds::WriteB8,
                (16, _) => Ds::WriteB16,
                (_, 1) => Ds::WriteB32,
                (_, 2) => Ds::WriteB64,
                (_, 3) => Ds::WriteB96,
                _ => Ds::WriteB128,
            };
            let data = self.collect(at, here);
            let inst = self.push(at, Op::Ds(op), &[], &[address, data], Modifiers::number(at_byte as i32));
            self.code.inst_mut(inst).effects.writes |= Effects::SHARED;
        }
        Some(())
    }

    /// An atomic operation on LDS.
    pub(super) fn atomic_shared(
        &mut self,
        at: Block,
        path: &Path,
        op: Ir,
        data: &[Part],
        (wants, bits): (bool, u8),
    ) -> Option<Part> {
        let place = self.shared_place(at, path)?;
        let (address, offset) = self.lane_address(at, place, 4, MOST_OFFSET);
        let address = self.in_vector(at, address.unwrap_or(Part::number(0)));
        let kind = if bits == 64 { Kind::Pair } else { Kind::Word };
        let [plain, returning] = shared_atomic(op, bits)?;
        let op = match wants {
            true => returning,
            false => plain,
        };
        let mut uses = vec![address];
        // Of an exchange by comparison, what is expected stands first.
        let mut data: Vec<Operand> = data.iter().map(|&part| self.in_vector(at, part)).collect();
        data.reverse();
        uses.extend(data);
        let def = self.new_vector(kind.size(self.wave));
        let gives = op == returning && (plain != returning || !matches!(plain, Ds::WriteB32 | Ds::WriteB64));
        let defs: &[Operand] = if gives { &[def] } else { &[] };
        let inst = self.push(at, Op::Ds(op), defs, &uses, Modifiers::number(offset as i32));
        let effects = &mut self.code.inst_mut(inst).effects;
        match plain {
            Ds::ReadB32 | Ds::ReadB64 => effects.reads |= Effects::SHARED,
            _ => effects.writes |= Effects::SHARED,
        }
        Some(if gives { Self::part(def, kind) } else { Part::undef(kind) })
    }

    /// Orders memory, and waits for the group.
    pub(super) fn barrier(&mut self, at: Block, op: Ir) {
        let (scope, is_barrier) = match op {
            Ir::ControlBarrier(_, scope, Semantics(bits)) => {
                (if bits == 0 { Scope::Invocation } else { scope }, true)
            }
            Ir::MemoryBarrier(scope, _) => (scope, false),
            _ => return,
        };
        let is_far = matches!(scope, Scope::CrossDevice | Scope::Device | Scope::QueueFamily);
        let all = Effects::writes(Effects::GLOBAL | Effects::SHARED | Effects::IMAGE | Effects::BARRIER);
        let is_alone = self.interface.threads() <= u32::from(self.wave);
        if is_barrier && !is_alone {
            let inst = self.push(at, Op::Sopp(Sopp::Barrier), &[], &[], Modifiers::number(is_far.into()));
            self.code.inst_mut(inst).effects = all;
        } else {
            let inst = self.code.push(at, Mach::Machine(FENCE), &[], &[]);
            let data = self.code.inst_mut(inst);
            (data.effects, data.modifiers) = (all, Modifiers::number(is_far.into()).pack());
        }
        if is_far {
            let inst = self.push(at, Op::Mubuf(Mubuf::Gl0Inv), &[], &[], Modifiers::default());
            self.code.inst_mut(inst).effects = all;
        }
    }

    /// Calls the trap handler; hardware without one goes on as if nothing were here.
    pub(super) fn trap(&mut self, at: Block, number: u8) {
        let inst = self.push(at, Op::Sopp(Sopp::Trap), &[], &[], Modifiers::number(number.into()));
        self.code.inst_mut(inst).effects = Effects::writes(Effects::BARRIER);
    }
}

/// Two words behind one another as two offsets in words.
fn pair_of(offset: u32) -> Option<u32> {
    let first = offset / 4;
    (offset.is_multiple_of(4) && first < 255).then_some(first | (first + 1) << 8)
}

/// The LDS instruction of an atomic operation, without and with what was there.
fn shared_atomic(op: Ir, bits: u8) -> Option<[Ds; 2]> {
    use Ds as D;
    let [word, long] = match op {
        Ir::AtomicLoad(..) => [[D::ReadB32; 2], [D::ReadB64; 2]],
        Ir::AtomicStore(..) => [[D::WriteB32; 2], [D::WriteB64; 2]],
        Ir::AtomicCompare(..) => [[D::CmpstB32, D::CmpstRtnB32], [D::CmpstB64, D::CmpstRtnB64]],
        Ir::Atomic(combine, ..) => match combine {
            Combine::IAdd => [[D::AddU32, D::AddRtnU32], [D::AddU64, D::AddRtnU64]],
            Combine::SMin => [[D::MinI32, D::MinRtnI32], [D::MinI64, D::MinRtnI64]],
            Combine::UMin => [[D::MinU32, D::MinRtnU32], [D::MinU64, D::MinRtnU64]],
            Combine::SMax => [[D::MaxI32, D::MaxRtnI32], [D::MaxI64, D::MaxRtnI64]],
            Combine::UMax => [[D::MaxU32, D::MaxRtnU32], [D::MaxU64, D::MaxRtnU64]],
            Combine::And => [[D::AndB32, D::AndRtnB32], [D::AndB64, D::AndRtnB64]],
            Combine::Or => [[D::OrB32, D::OrRtnB32], [D::OrB64, D::OrRtnB64]],
            Combine::Xor => [[D::XorB32, D::XorRtnB32], [D::XorB64, D::XorRtnB64]],
            Combine::Exchange => [[D::WriteB32, D::WrxchgRtnB32], [D::WriteB64, D::WrxchgRtnB64]],
            Combine::FAdd => [[D::AddF32, D::AddRtnF32]; 2],
            Combine::FMin => [[D::MinF32, D::MinRtnF32], [D::MinF64, D::MinRtnF64]],
            Combine::FMax => [[D::MaxF32, D::MaxRtnF32], [D::MaxF64, D::MaxRtnF64]],
            _ => return None,
        },
        _ => return None,
    };
    (bits == 32 || long != word).then_some(if bits == 64 { long } else { word })
}
