//! Where pointers lead, and what it takes to compute addresses.

use chiaro_ir as ir;
use chiaro_ir::{Def, Op as Ir, Path, Ty};
use chiaro_mach::Block;

use super::Select;
use super::interface::builtin;
use super::part::{Kind, Part};
use super::place::Place;
use super::value::WORD;
use crate::abi::layout::{self, Leaf};
use crate::isa::Op;
use crate::isa::sop2::Sop2;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;

/// Operations that are looked through for the largest number of an index.
const DEEPEST: u32 = 8;

impl Select<'_> {
    /// The variable and the indices of a pointer.
    pub(super) fn path(&self, pointer: ir::Value) -> Option<Path> {
        Path::of(self.module, self.f, pointer)
    }

    /// Bytes from the start of a variable; those of computed indices are made here.
    pub(super) fn place(&mut self, at: Block, path: &Path, steps: &[(Ty, ir::Value)]) -> Option<Place> {
        let mut place = Place { align: 1 << 16, ..Place::default() };
        for &(ty, index) in steps {
            if let Some(n) = self.module.value_bits(self.f, index) {
                let offset = layout::part_offset(self.module, ty, n as u32, path.space);
                place.offset = place.offset.wrapping_add(offset);
                continue;
            }
            let stride = layout::stride(self.module, ty, path.space);
            place.align = place.align.min(1 << stride.trailing_zeros().min(16));
            let (index, more) = self.split_index(index, stride);
            place.offset = place.offset.wrapping_add(more);
            if stride > 1
                && place.lanes.is_none()
                && stride.is_power_of_two()
                && let Some(bytes) = self.scaled_sum(at, index, stride.trailing_zeros())
            {
                place.lanes = Some(bytes);
                continue;
            }
            let index = self.word_of_index(at, index);
            match self.is_scalar(index) {
                true => place.wave = Some(self.scaled(at, place.wave, index, stride)),
                false => place.lanes = Some(self.scaled(at, place.lanes, index, stride)),
            }
        }
        Some(place)
    }

    /// An index as a word.
    pub(super) fn word_of_index(&mut self, at: Block, index: ir::Value) -> Part {
        let index = self.one(index);
        let index = self.plain(at, index);
        match index.kind {
            Kind::Pair => index.half(0),
            Kind::Short => self.extended(at, index, 16, true),
            _ => index,
        }
    }

    /// An index without the number that is added to it, and that in bytes. The sum must not wrap around: what is
    /// beyond the end of a buffer would be within it.
    fn split_index(&self, index: ir::Value, stride: u32) -> (ir::Value, u32) {
        let mut index = index;
        let mut more = 0u32;
        while let Def::Result(inst, _) = self.f.def(index)
            && self.f.op(inst) == Ir::IAdd
            && let &[a, b] = self.f.args(inst)
        {
            let [rest, number] = if self.module.value_bits(self.f, a).is_some() { [b, a] } else { [a, b] };
            let Some(number) = self.module.value_bits(self.f, number).filter(|&n| n <= 0xffff) else { break };
            let end = (self.most(rest, DEEPEST) + number).saturating_mul(stride.into());
            let bytes = number.saturating_mul(stride.into());
            if end > u64::from(u32::MAX) || u64::from(more) + bytes > 0xffff {
                break;
            }
            (index, more) = (rest, more + bytes as u32);
        }
        (index, more)
    }

    /// The largest number that a word can be, unsigned.
    fn most(&self, value: ir::Value, depth: u32) -> u64 {
        let all = u64::from(u32::MAX);
        if let Some(bits) = self.module.value_bits(self.f, value) {
            return bits;
        }
        let Def::Result(inst, _) = self.f.def(value) else { return all };
        if depth == 0 {
            return all;
        }
        let args = self.f.args(inst);
        let of = |n: usize| args.get(n).map_or(all, |&arg| self.most(arg, depth - 1));
        let known = |n: usize| args.get(n).and_then(|&arg| self.module.value_bits(self.f, arg));
        let found = match self.f.op(inst) {
            Ir::IAdd => of(0) + of(1),
            Ir::IMul => of(0).saturating_mul(of(1)),
            Ir::Shl => known(1).map_or(all, |by| of(0) << (by & 31)),
            Ir::LShr => known(1).map_or(all, |by| of(0) >> (by & 31)),
            Ir::And | Ir::UMin => of(0).min(of(1)),
            Ir::Or | Ir::Xor => (of(0) | of(1)).checked_add(1).map_or(all, |n| n.next_power_of_two() - 1),
            Ir::UMax => of(0).max(of(1)),
            Ir::Select => of(1).max(of(2)),
            Ir::Extract(part) => return self.most_of_input(args[0], part),
            Ir::Load => return self.most_of_input(value, 0),
            _ => all,
        };
        if found > all { all } else { found }
    }

    /// The largest number of a component of a built-in: drivers launch up to 65535 groups in a dimension.
    fn most_of_input(&self, value: ir::Value, part: u32) -> u64 {
        let all = u64::from(u32::MAX);
        let Def::Result(inst, _) = self.f.def(value) else { return all };
        if self.f.op(inst) != Ir::Load {
            return all;
        }
        let pointer = self.f.args(inst)[0];
        let builtin =
            self.module.variable_of(self.f, pointer).and_then(|g| self.module.global(g).binding.builtin);
        let step = self.path(pointer).and_then(|path| path.steps.first().copied());
        let part = step.and_then(|(_, index)| self.module.value_bits(self.f, index)).unwrap_or(part.into());
        let size = u64::from(self.workgroup[part.min(2) as usize]);
        match builtin {
            Some(builtin::GROUP_ID | builtin::GROUP_COUNTS) => 65535,
            Some(builtin::LOCAL_ID) => size - 1,
            Some(builtin::GLOBAL_ID) => 65535 * size + size - 1,
            Some(builtin::LOCAL_INDEX) => 1023,
            _ => all,
        }
    }

    /// An index times bytes, and what was there before.
    pub(super) fn scaled(&mut self, at: Block, before: Option<Part>, index: Part, stride: u32) -> Part {
        let shift = stride.trailing_zeros();
        match before {
            None => self.bytes(at, index, stride),
            Some(sum) if stride.is_power_of_two() && shift > 0 && !self.is_scalar(index) => {
                let parts = [index, Part::number(shift), sum];
                let op = Op::Vop3(Vop3::LshlAddU32);
                self.known(op, &parts, |s| s.vector(at, op, &parts.map(|part| (part, WORD)), Kind::Word))
            }
            Some(sum) => {
                let bytes = self.bytes(at, index, stride);
                self.known(Op::Vop2(Vop2::AddNcU32), &[sum, bytes], |s| s.sum(at, sum, bytes))
            }
        }
    }

    fn bytes(&mut self, at: Block, index: Part, stride: u32) -> Part {
        self.known(Op::Vop3(Vop3::MulLoU32), &[index, Part::number(stride)], |s| match stride {
            n if n.is_power_of_two() => s.shifted(at, index, n.trailing_zeros()),
            _ => s.times(at, index, stride),
        })
    }

    /// A word times a number that is no power of two. Buffers have fewer than 2^32 bytes: an index that is within
    /// one has fewer than 24 bits where elements have more than 256.
    fn times(&mut self, at: Block, index: Part, stride: u32) -> Part {
        if self.is_scalar(index) {
            return self.scalar(at, Op::Sop2(Sop2::MulI32), &[index, Part::number(stride)], Kind::Word);
        }
        self.vector(at, Op::Vop3(Vop3::MulLoU32), &[(index, WORD), (Part::number(stride), WORD)], Kind::Word)
    }

    /// The address in a vector register, and bytes up to `most` that instructions add.
    pub(super) fn lane_address(
        &mut self,
        at: Block,
        place: Place,
        last: u32,
        most: u32,
    ) -> (Option<Part>, u32) {
        let mut address = match (place.lanes, place.wave) {
            (Some(lanes), Some(wave)) => Some(self.vector_sum(at, wave, lanes)),
            (lanes, wave) => lanes.or(wave),
        };
        let mut offset = place.offset;
        if offset.checked_add(last).is_none_or(|end| end > most) {
            // What does not fit goes to the register, the rest stays where neighbours share it.
            let high = if most >= 0xfff { offset & !0xfff } else { offset };
            let high = if offset - high + last > most { offset } else { high };
            address = Some(match address {
                Some(address) => self.vector_sum(at, Part::number(high), address),
                None => Part::number(high),
            });
            offset -= high;
        }
        (address, offset)
    }

    /// The address in a vector register for leaves that are no further than `most` bytes from each other, and what is
    /// added to the offset of each.
    pub(super) fn piece_address(
        &mut self,
        at: Block,
        place: Place,
        piece: &[Leaf],
        most: u32,
    ) -> (Option<Part>, u32) {
        let offsets = || piece.iter().map(|leaf| leaf.offset);
        let (first, last) = (offsets().min().unwrap_or(0), offsets().max().unwrap_or(0));
        // What is near the start shares its address.
        let first = if last <= most { 0 } else { first };
        let (address, offset) = self.lane_address(at, place.further(first), last - first, most);
        (address, offset.wrapping_sub(first))
    }

    fn vector_sum(&mut self, at: Block, a: Part, b: Part) -> Part {
        if a.bits() == Some(0) {
            return b;
        }
        let [a, b] = if self.is_vector(b) { [a, b] } else { [b, a] };
        let op = Op::Vop2(Vop2::AddNcU32);
        self.known(op, &[a, b], |s| s.vector(at, op, &[(a, WORD), (b, WORD)], Kind::Word))
    }
}
