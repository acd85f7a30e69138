//! Loads, stores and atomics of buffers and of push constants (spec sections 8.3, 9.1).
//!
//! What lies at the same place for all lanes and is never written comes by scalar loads. Everything else goes through
//! a descriptor, whose size decides what an access beyond the end does.

use chiaro_ir as ir;
use chiaro_ir::{Combine, Op as Ir, Path, Root, Space};
use chiaro_mach::{Block, Effects, Operand};

use super::Select;
use super::part::{From, Kind, Part};
use super::place::Place;
use super::value::WORD;
use crate::abi::interface::{Abi, Argument};
use crate::abi::layout::{self, Leaf};
use crate::compile::code::{Modifiers, flag};
use crate::compile::combine::pack_halves::SIDE_BY_SIDE;
use crate::isa::Op;
use crate::isa::mubuf::Mubuf;
use crate::isa::sop2::Sop2;
use crate::isa::vop2::Vop2;
use crate::isa::vop3::Vop3;
use crate::isa::vopc::Vopc;

/// Bytes that a buffer instruction adds to an address at most.
const MOST_OFFSET: u32 = 0xfff;

/// Scalars one after another in memory: the first byte, and how many words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub(super) first: u32,
    pub(super) words: u32,
    /// Bits of a narrow scalar that stands alone; 32 for words.
    pub(super) bits: u8,
}

/// Leaves as runs of at most so many words.
pub(super) fn runs(leaves: &[Leaf], most: u32) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    for leaf in leaves {
        let words = u32::from(leaf.bits).div_ceil(32);
        if leaf.bits < 32 {
            found.push(Run { first: leaf.offset, words: 1, bits: leaf.bits });
            continue;
        }
        match found.last_mut() {
            Some(run)
                if run.bits == 32
                    && run.first + 4 * run.words == leaf.offset
                    && run.words + words <= most =>
            {
                run.words += words;
            }
            _ => found.push(Run { first: leaf.offset, words, bits: 32 }),
        }
    }
    found
}

/// Leaves in pieces, in their order: those of a piece are no further than `most` bytes from each other.
pub(super) fn pieces(leaves: &[Leaf], most: u32) -> impl Iterator<Item = &[Leaf]> {
    let mut rest = leaves;
    std::iter::from_fn(move || {
        let (mut low, mut high) = (rest.first()?.offset, 0);
        let is_beyond = |leaf: &Leaf| {
            (low, high) = (low.min(leaf.offset), high.max(leaf.offset));
            high - low > most
        };
        let (piece, others) = rest.split_at(rest.iter().position(is_beyond).unwrap_or(rest.len()));
        rest = others;
        Some(piece)
    })
}

/// The same with narrow leaves that fill aligned words together: how many share a word of a run.
fn filled(leaves: &[Leaf], narrowest: u8, is_aligned: impl Fn(u32) -> bool) -> Vec<(Run, u32)> {
    let mut found: Vec<(Run, u32)> = Vec::new();
    let mut rest = leaves;
    while let Some(first) = rest.first() {
        let count = if first.bits < narrowest { 1 } else { 32 / u32::from(first.bits.clamp(8, 32)) };
        let follows = |(n, leaf): (u32, &Leaf)| {
            leaf.bits == first.bits && leaf.offset == first.offset + n * u32::from(first.bits) / 8
        };
        let is_full = rest.len() >= count as usize && (0..count).zip(rest).all(follows);
        if count == 1 || !is_full || !is_aligned(first.offset) {
            let alone = rest.iter().position(|leaf| leaf.bits < 32).unwrap_or(rest.len()).max(1);
            found.extend(runs(&rest[..alone], MOST_WORDS).into_iter().map(|run| (run, 1)));
            rest = &rest[alone..];
            continue;
        }
        rest = &rest[count as usize..];
        match found.last_mut() {
            Some((run, own))
                if *own == count && run.first + 4 * run.words == first.offset && run.words < MOST_WORDS =>
            {
                run.words += 1;
            }
            _ => found.push((Run { first: first.offset, words: 1, bits: 32 }, count)),
        }
    }
    found
}

/// Words that a vector access has at most.
const MOST_WORDS: u32 = 4;

/// Where a buffer instruction goes.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Bytes in a register, or the number of an element with [`flag::IDXEN`], and bytes behind that.
    pub(super) address: (Option<Part>, u32),
    pub(super) descriptor: Operand,
    pub(super) flags: u16,
    /// The memory that it is, as effects have it.
    pub(super) memory: u16,
}

impl Select<'_> {
    /// The scalars that a load gives.
    pub(super) fn load(&mut self, at: Block, inst: ir::Inst) -> Option<Vec<Part>> {
        let (pointer, result) = (self.f.args(inst)[0], self.f.result_of(inst)?);
        let (_, ty) = self.module.types.pointee(self.f.ty(pointer))?;
        let kinds = self.kinds(self.f.ty(result));
        if self.is_device(self.f.ty(pointer)) {
            let leaves = layout::leaves(self.module, ty, Space::Device);
            let words = self.load_device(at, pointer, &leaves)?;
            return Some(self.scalars_of(at, &words, &leaves, &kinds));
        }
        let path = self.path(pointer)?;
        let leaves = layout::leaves(self.module, ty, path.space);
        let words = match path.space {
            Space::Input => return self.load_input(at, pointer, ty),
            Space::UniformConstant if kinds.is_empty() => return Some(Vec::new()),
            Space::PushConstant => self.load_pushed(at, &path, &leaves)?,
            Space::Uniform | Space::Storage => self.load_buffer(at, &path, &leaves)?,
            Space::Workgroup => self.load_shared(at, &path, &leaves)?,
            Space::Function | Space::Private => self.load_local(at, &path, &leaves)?,
            _ => return None,
        };
        Some(self.scalars_of(at, &words, &leaves, &kinds))
    }

    /// Words as the scalars of a type.
    fn scalars_of(&mut self, at: Block, words: &[Part], leaves: &[Leaf], kinds: &[Kind]) -> Vec<Part> {
        let mut words = words.iter().copied();
        let mut next = || words.next().unwrap_or(Part::undef(Kind::Word));
        let mut made = Vec::with_capacity(leaves.len());
        for (leaf, &kind) in leaves.iter().zip(kinds) {
            let word = next();
            made.push(match kind {
                Kind::Pair => {
                    let high = next();
                    self.joined(at, [word, high])
                }
                Kind::Short => Part { kind, ..word },
                _ if leaf.is_bool => self.truth_of_word(at, word),
                _ => word,
            });
        }
        made
    }

    fn truth_of_word(&mut self, at: Block, word: Part) -> Part {
        if self.is_scalar(word) {
            self.test(at, Op::Sopc(crate::isa::sopc::Sopc::CmpLgU32), [word, Part::number(0)]);
            return self.truth_of_scc(at);
        }
        self.compared(at, Op::Vopc(Vopc::CmpNeU32), &[(Part::number(0), WORD), (word, WORD)])
    }

    /// Scalars as words of memory.
    pub(super) fn words_of(&mut self, at: Block, parts: &[Part]) -> Vec<Part> {
        let mut words = Vec::with_capacity(parts.len());
        for &part in parts {
            let part = self.plain(at, part);
            match part.kind {
                Kind::Pair => words.extend([part.half(0), part.half(1)]),
                Kind::Mask | Kind::Truth => words.push(Self::part(self.in_vector(at, part), Kind::Word)),
                _ => words.push(Part { kind: Kind::Word, ..part }),
            }
        }
        words
    }

    fn load_pushed(&mut self, at: Block, path: &Path, leaves: &[Leaf]) -> Option<Vec<Part>> {
        let place = self.place(at, path, &path.steps)?;
        let (step, None) = (place.wave, place.lanes) else { return None };
        let mut words = Vec::new();
        for run in runs(leaves, u32::MAX) {
            let first = place.offset + run.first;
            let found = self.push_words(at, first / 4..(first / 4 + run.words), step);
            words.extend(found);
        }
        Some(words)
    }

    /// The descriptor of a buffer, and the indices within it.
    pub(super) fn buffer(&mut self, at: Block, path: &Path) -> Option<(Operand, Place)> {
        let Root::Global(g) = path.root else { return None };
        if let Some(&known) = self.descriptors.get(&(g, 0)) {
            let place = self.place(at, path, &path.steps)?;
            return Some((known, place));
        }
        let (&(_, index), rest) = path.steps.split_first()?;
        let place = self.place(at, path, rest)?;
        let descriptor = self.descriptor_at(at, g, index, (4, 0))?;
        Some((descriptor, place))
    }

    /// The descriptor of an element of an array of resources: so many words, so many bytes into it.
    pub(super) fn descriptor_at(
        &mut self,
        at: Block,
        g: ir::GlobalRef,
        index: ir::Value,
        (words, bytes): (u16, u32),
    ) -> Option<Operand> {
        let global = self.module.global(g);
        let binding = (global.binding.set.unwrap_or(0), global.binding.binding.unwrap_or(0));
        let bound = self.interface.resources.iter().find(|b| b.binding == binding)?.clone();
        if self.homes.differs(index) {
            return None;
        }
        let index = self.one(index);
        let base = match self.options.abi {
            Abi::Vulkan => *self.sets.get(&binding.0)?,
            Abi::Hsa => *self.arguments.get(&Argument::Kernarg)?,
        };
        let (offset, step) = match index.bits() {
            Some(n) => {
                // Of those without a number there are as many as the set holds.
                let last = if bound.count == 0 { u32::MAX } else { bound.count - 1 };
                let place = bound.size.wrapping_mul((n as u32).min(last));
                (bound.offset.wrapping_add(place), None)
            }
            None => {
                let index = Self::part(self.in_scalar(at, index), Kind::Word);
                let (op, parts) = (Op::Sop2(Sop2::MulI32), [index, Part::number(bound.size)]);
                let step = self.known(op, &parts, |s| s.scalar(at, op, &parts, Kind::Word));
                (bound.offset, Some(self.in_scalar(at, step)))
            }
        };
        if !bound.resource.is_buffer() || self.options.abi == Abi::Vulkan {
            return Some(self.handle_at(at, (base, offset, step), (words, bytes)));
        }
        // An argument is an address, of which a descriptor is made.
        let address = self.scalar_load(at, 2, base, offset as i32, step);
        Some(self.open_buffer(at, address))
    }

    /// Whether a buffer is never written here.
    fn is_constant(&self, path: &Path) -> bool {
        let Root::Global(g) = path.root else { return false };
        path.space == Space::Uniform || self.module.global(g).read_only
    }

    fn load_buffer(&mut self, at: Block, path: &Path, leaves: &[Leaf]) -> Option<Vec<Part>> {
        let (descriptor, place) = self.buffer(at, path)?;
        let is_wide = leaves.iter().all(|leaf| leaf.bits >= 32);
        if self.is_constant(path) && place.lanes.is_none() && is_wide && place.align_of(0) >= 4 {
            let step = place.wave.map(|part| self.in_scalar(at, part));
            let mut words = Vec::new();
            for run in runs(leaves, u32::MAX) {
                let found = self.scalar_words(at, descriptor, place.offset + run.first, 0..run.words, step);
                words.extend(found);
            }
            return Some(words);
        }
        let coherent = self.coherence(path, [flag::GLC | flag::DLC, 0]);
        let mut words = Vec::new();
        for piece in pieces(leaves, MOST_OFFSET) {
            let (address, offset) = self.piece_address(at, place, piece, MOST_OFFSET);
            for (run, share) in filled(piece, 8, |at| place.align_of(at) >= 4) {
                let address = (address, offset.wrapping_add(run.first));
                let target = Target { address, descriptor, flags: coherent, memory: Effects::GLOBAL };
                words.extend(self.load_run(at, run, target, !self.is_constant(path), share));
            }
        }
        Some(words)
    }

    /// Words of a buffer, or so many narrow numbers as share each of them.
    fn load_run(&mut self, at: Block, run: Run, target: Target, changes: bool, share: u32) -> Vec<Part> {
        let op = Mubuf::load(run.bits, run.words);
        let def = self.new_vector(run.words as u16);
        let inst = self.access(at, op, &[def], &[], target);
        if changes {
            self.code.inst_mut(inst).effects.reads |= Effects::GLOBAL;
        }
        let words = self.split(at, def);
        let shares = words.into_iter().flat_map(|word| (0..share).map(move |n| (word, n * 32 / share)));
        shares.map(|(word, first)| self.share_of(at, word, first)).collect()
    }

    /// A word from a bit on; what is above the narrow number there is nobody's.
    fn share_of(&mut self, at: Block, word: Part, first: u32) -> Part {
        match first {
            0 => word,
            _ => {
                let parts = [(Part::number(first), WORD), (word, WORD)];
                self.vector(at, Op::Vop2(Vop2::LshrrevB32), &parts, Kind::Word)
            }
        }
    }

    /// Two narrow numbers as a word.
    fn side_by_side(&mut self, at: Block, [low, high]: [Part; 2]) -> Part {
        if let [Some(low), Some(high)] = [low.bits(), high.bits()] {
            return Part::number((low & 0xffff | high << 16) as u32);
        }
        let parts = [(high, WORD), (low, WORD), (Part::number(SIDE_BY_SIDE), WORD)];
        self.vector(at, Op::Vop3(Vop3::PermB32), &parts, Kind::Word)
    }

    /// Flags of accesses that others must see, of which the first are for loads.
    fn coherence(&self, path: &Path, [load, _]: [u16; 2]) -> u16 {
        let Root::Global(g) = path.root else { return 0 };
        if self.module.global(g).coherent { load } else { 0 }
    }

    /// A buffer instruction: address in a register or none, descriptor, no scalar step, data.
    pub(super) fn access(
        &mut self,
        at: Block,
        op: Mubuf,
        defs: &[Operand],
        data: &[Operand],
        target: Target,
    ) -> chiaro_mach::Inst {
        let mut uses = Vec::with_capacity(4);
        let (address, offset) = target.address;
        let mut modifiers = Modifiers::number(offset as i32).with(target.flags);
        match address {
            Some(part) => {
                uses.push(self.in_vector(at, part));
                if !modifiers.has(flag::IDXEN) {
                    modifiers = modifiers.with(flag::OFFEN);
                }
            }
            None => uses.push(Operand::imm(0)),
        }
        uses.extend([target.descriptor, Operand::imm(0)]);
        uses.extend(data);
        self.push(at, Op::Mubuf(op), defs, &uses, modifiers)
    }

    /// A store to memory.
    pub(super) fn store(&mut self, at: Block, inst: ir::Inst) -> Option<()> {
        let (pointer, value) = (self.f.args(inst)[0], self.f.args(inst)[1]);
        let (_, ty) = self.module.types.pointee(self.f.ty(pointer))?;
        let parts = self.value(value);
        let is_undef = parts.iter().all(|part| part.from == From::Undef);
        if is_undef {
            return Some(());
        }
        let words = self.words_of(at, &parts);
        if self.is_device(self.f.ty(pointer)) {
            let leaves = layout::leaves(self.module, ty, Space::Device);
            return self.store_device(at, pointer, &leaves, &words);
        }
        let path = self.path(pointer)?;
        let leaves = layout::leaves(self.module, ty, path.space);
        match path.space {
            Space::Storage => self.store_buffer(at, &path, &leaves, &words),
            Space::Workgroup => self.store_shared(at, &path, &leaves, &words),
            Space::Function | Space::Private => self.store_local(at, &path, &leaves, &words),
            _ => None,
        }
    }

    fn store_buffer(&mut self, at: Block, path: &Path, leaves: &[Leaf], words: &[Part]) -> Option<()> {
        let (descriptor, place) = self.buffer(at, path)?;
        let coherent = self.coherence(path, [flag::GLC, 0]);
        let mut rest = words;
        for piece in pieces(leaves, MOST_OFFSET) {
            let (address, offset) = self.piece_address(at, place, piece, MOST_OFFSET);
            for (run, share) in filled(piece, 16, |at| place.align_of(at) >= 4) {
                let (here, others) = rest.split_at(((run.words * share) as usize).min(rest.len()));
                rest = others;
                let address = (address, offset.wrapping_add(run.first));
                let target = Target { address, descriptor, flags: coherent, memory: Effects::GLOBAL };
                self.store_run(at, run, target, here, share);
            }
        }
        Some(())
    }

    /// Words to a buffer, or pairs of halves as such.
    fn store_run(&mut self, at: Block, run: Run, target: Target, parts: &[Part], share: u32) {
        let words = match share {
            2 => parts.chunks_exact(2).map(|two| self.side_by_side(at, [two[0], two[1]])).collect(),
            _ => parts.to_vec(),
        };
        let op = Mubuf::store(run.bits, run.words);
        let data = self.collect(at, &words);
        let inst = self.access(at, op, &[], &[data], target);
        self.code.inst_mut(inst).effects.writes |= Effects::GLOBAL;
    }

    /// An atomic operation on memory.
    pub(super) fn atomic(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        if self.is_texel(args[0]) {
            return self.image_atomic(at, inst, op);
        }
        let path = self.path(args[0])?;
        match path.space {
            Space::Storage => {
                let (descriptor, place) = self.buffer(at, &path)?;
                let address = self.lane_address(at, place, 0, MOST_OFFSET);
                self.atomic_at(
                    at,
                    inst,
                    op,
                    Target { address, descriptor, flags: 0, memory: Effects::GLOBAL },
                )
            }
            Space::Workgroup => {
                let (data, wants, bits) = self.atomic_data(at, inst);
                let made = self.atomic_shared(at, &path, op, &data, (wants, bits))?;
                Some(self.f.result_of(inst).map(|_| vec![made]).unwrap_or_default())
            }
            _ => None,
        }
    }

    /// What an atomic operation is given, whether somebody wants what was there, and its bits.
    fn atomic_data(&mut self, at: Block, inst: ir::Inst) -> (Vec<Part>, bool, u8) {
        let args = self.f.args(inst)[1..].to_vec();
        let data: Vec<Part> = args.iter().map(|&arg| self.one(arg)).collect();
        let data: Vec<Part> = data.into_iter().map(|part| self.plain(at, part)).collect();
        let result = self.f.result_of(inst);
        let wants = result.is_some_and(|value| self.uses[value.0 as usize] > 0);
        let bits = result.or(args.first().copied()).map_or(32, |value| self.bits(self.f.ty(value)));
        (data, wants, bits)
    }

    /// An atomic operation by a buffer instruction.
    pub(super) fn atomic_at(
        &mut self,
        at: Block,
        inst: ir::Inst,
        op: Ir,
        target: Target,
    ) -> Option<Vec<Part>> {
        let (data, wants, bits) = self.atomic_data(at, inst);
        let made = self.atomic_buffer(at, op, &data, (wants, bits), target)?;
        Some(self.f.result_of(inst).map(|_| vec![made]).unwrap_or_default())
    }

    fn atomic_buffer(
        &mut self,
        at: Block,
        op: Ir,
        data: &[Part],
        (wants, bits): (bool, u8),
        target: Target,
    ) -> Option<Part> {
        let with = |flags: u16| Target { flags: target.flags | flags, ..target };
        let kind = if bits == 64 { Kind::Pair } else { Kind::Word };
        let size = kind.size(self.wave);
        let (op, is_load) = buffer_atomic(op, bits)?;
        if is_load {
            let def = self.new_vector(size);
            let inst = self.access(at, op, &[def], &[], with(flag::GLC | flag::DLC));
            self.code.inst_mut(inst).effects.reads |= target.memory;
            return Some(Self::part(def, kind));
        }
        let words: Vec<Part> = data
            .iter()
            .flat_map(|&part| if bits == 64 { vec![part.half(0), part.half(1)] } else { vec![part] })
            .collect();
        let operand = self.collect(at, &words);
        let is_store = matches!(op, Mubuf::StoreDword | Mubuf::StoreDwordx2);
        if !wants || is_store {
            let flags = if is_store { flag::GLC } else { 0 };
            let inst = self.access(at, op, &[], &[operand], with(flags));
            self.code.inst_mut(inst).effects.writes |= target.memory;
            return Some(Part::undef(kind));
        }
        // What was there comes back over the data.
        let def = self.new_vector(operand.size);
        let inst = self.access(at, op, &[def], &[operand.tied(0)], with(flag::GLC));
        self.code.inst_mut(inst).effects.writes |= target.memory;
        Some(Self::part(def, kind))
    }

    /// How many elements the runtime array at the end of a buffer has.
    pub(super) fn array_length(&mut self, at: Block, inst: ir::Inst, member: u32) -> Option<Vec<Part>> {
        let pointer = self.f.args(inst)[0];
        let path = self.path(pointer)?;
        let (descriptor, _) = self.buffer(at, &path)?;
        let (_, ty) = self.module.types.pointee(self.f.ty(pointer))?;
        let offset = layout::part_offset(self.module, ty, member, path.space);
        let array = self.module.types.part(ty, member)?;
        let stride = layout::stride(self.module, array, path.space).max(1);
        let size = Self::part(descriptor.part(2, 1), Kind::Word);
        let rest = self.scalar(at, Op::Sop2(Sop2::SubI32), &[size, Part::number(offset)], Kind::Word);
        Some(vec![self.divided(at, rest, stride)])
    }

    /// A quotient by a number, exact.
    fn divided(&mut self, at: Block, word: Part, by: u32) -> Part {
        if by.is_power_of_two() {
            return self.scalar(
                at,
                Op::Sop2(Sop2::LshrB32),
                &[word, Part::number(by.trailing_zeros())],
                Kind::Word,
            );
        }
        // Sizes are below 2^31: a factor of 33 bits is not needed.
        let shift = 31 - by.leading_zeros();
        let factor = ((1u64 << (32 + shift)).div_ceil(u64::from(by))) as u32;
        let high = self.scalar(at, Op::Sop2(Sop2::MulHiU32), &[word, Part::number(factor)], Kind::Word);
        self.scalar(at, Op::Sop2(Sop2::LshrB32), &[high, Part::number(shift)], Kind::Word)
    }
}

/// The buffer instruction of an atomic operation, and whether it only loads.
fn buffer_atomic(op: Ir, bits: u8) -> Option<(Mubuf, bool)> {
    use Mubuf as M;
    let [word, long] = match op {
        Ir::AtomicLoad(..) => [M::LoadDword, M::LoadDwordx2],
        Ir::AtomicStore(..) => [M::StoreDword, M::StoreDwordx2],
        Ir::AtomicCompare(..) => [M::AtomicCmpswap, M::AtomicCmpswapX2],
        Ir::Atomic(combine, ..) => match combine {
            Combine::IAdd => [M::AtomicAdd, M::AtomicAddX2],
            Combine::SMin => [M::AtomicSmin, M::AtomicSminX2],
            Combine::UMin => [M::AtomicUmin, M::AtomicUminX2],
            Combine::SMax => [M::AtomicSmax, M::AtomicSmaxX2],
            Combine::UMax => [M::AtomicUmax, M::AtomicUmaxX2],
            Combine::And => [M::AtomicAnd, M::AtomicAndX2],
            Combine::Or => [M::AtomicOr, M::AtomicOrX2],
            Combine::Xor => [M::AtomicXor, M::AtomicXorX2],
            Combine::Exchange => [M::AtomicSwap, M::AtomicSwapX2],
            Combine::FMin => [M::AtomicFmin, M::AtomicFminX2],
            Combine::FMax => [M::AtomicFmax, M::AtomicFmaxX2],
            _ => return None,
        },
        _ => return None,
    };
    Some((if bits == 64 { long } else { word }, matches!(op, Ir::AtomicLoad(..))))
}

#[cfg(test)]
mod tests {
    use super::{Leaf, pieces};

    /// An instruction reaches so many bytes and no more; which leaf of a piece is the first does not matter.
    #[test]
    fn a_piece_is_what_one_address_reaches() {
        let lengths = |offsets: &[u32]| {
            let leaves: Vec<Leaf> =
                offsets.iter().map(|&offset| Leaf { offset, bits: 32, is_bool: false }).collect();
            pieces(&leaves, 16).map(<[Leaf]>::len).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&[]), [0; 0]);
        assert_eq!(lengths(&[4, 8, 20]), [3]);
        assert_eq!(lengths(&[4, 8, 21]), [2, 1]);
        assert_eq!(lengths(&[20, 4, 8]), [3]);
        assert_eq!(lengths(&[21, 4, 8]), [1, 2]);
        assert_eq!(lengths(&[8, 20, 3]), [2, 1]);
        assert_eq!(lengths(&[0, 100, 104, 200]), [1, 2, 1]);
    }
}
