//! Variables of prologs and epilogs: they stand where the interface of parts says (spec 14), not where selection
//! puts them.
//!
//! What is done to samples is an access to an array whose index is the mask of samples: the element of a target
//! is what those samples hold, that of coverage which of them live, that of depth what they are tested with.

use chiaro_ir as ir;
use chiaro_ir::{GlobalRef, Path, Space, Ty};
use chiaro_mach::{Block, Operand, What};

use super::Select;
use super::barrier::{FLUSH, IMAGE_1, IMAGE_2, IMAGE_3};
use super::fragment::coefficients;
use super::held::Bound;
use super::part::{From, Part, alignment};
use super::place::{cells, part_offset};
use crate::compile::code::{GPR, Modifiers};
use crate::isa::Op;
use crate::isa::graphics::Graphics;
use crate::isa::memory::Memory;
use crate::operand::modifier::ELEMENT_BYTES;

/// Fences of pixels (spec 10.2).
mod fence {
    /// Before tests.
    pub(super) const TEST: u8 = 0x1;
    /// Before loads from the tilebuffer.
    pub(super) const LOAD: u8 = 0x8;
    /// Before stores to it.
    pub(super) const STORE: u8 = 0xc;
}

impl Select<'_> {
    /// Whether this is a prolog or epilog.
    pub(super) fn is_part(&self) -> bool {
        !self.bounds.is_empty()
    }

    pub(super) fn standing(&self, global: GlobalRef) -> Option<Bound> {
        self.bounds.get(&global).copied()
    }

    /// Inputs of a part are in their registers at its start.
    pub(super) fn preload_bound(&mut self, entry: Block, preloaded: &mut Vec<Operand>) {
        for g in self.used(Space::Input) {
            let Some(Bound::Register(first)) = self.standing(g) else { continue };
            let cells = cells(self.module, self.module.global(g).ty);
            if self.among.follows {
                self.take_left(entry, g, first, &cells);
                continue;
            }
            // They are one value, so that what is stored of them needs not be collected.
            let size = |bytes: u8| u16::from(bytes).div_ceil(2);
            let whole = self.preload(first, cells.iter().map(|cell| size(cell.1)).sum(), preloaded);
            if let From::Value(value, _) = whole.from {
                self.runs.insert(value, (first, whole.size));
            }
            let mut at = 0;
            for (byte, bytes) in cells {
                self.inputs.extend(whole.halves(at, size(bytes)).map(|part| ((g, byte), part)));
                at += size(bytes);
            }
        }
    }

    /// Outputs of a part are in their registers at its end.
    pub(super) fn leave_bound(&mut self, at: Block) -> Vec<Operand> {
        if self.writes_heap {
            // Later pixels of the place may look at it (spec 10.3).
            self.order(at, &[IMAGE_1, IMAGE_2, FLUSH, IMAGE_3]);
        }
        if self.among.is_one {
            return self.hand_over();
        }
        let (mut uses, mut whole) = (Vec::new(), Vec::new());
        for g in self.used(Space::Output) {
            let Some(Bound::Register(first)) = self.standing(g) else { continue };
            let mut half = first;
            for (byte, bytes) in cells(self.module, self.module.global(g).ty) {
                let size = u16::from(bytes).div_ceil(2);
                if let Some(&part) = self.stored.get(&(g, byte)).filter(|part| part.from != From::Undef) {
                    match (part.from, self.stands_at(part) == Some(half)) {
                        (From::Value(value, _), true) => whole.push(value),
                        _ => uses.push(self.brought(at, part).fixed(half)),
                    }
                }
                half += size;
            }
        }
        whole.sort_unstable_by_key(|value| value.0);
        whole.dedup();
        uses.extend(whole.into_iter().map(|value| {
            let (half, size) = self.runs[&value];
            Operand { what: What::Value(value), file: GPR, size, ..Operand::default() }.fixed(half)
        }));
        uses
    }

    /// A scalar that goes to a register of its own: numbers are made there, parts of others are copied.
    fn brought(&mut self, at: Block, part: Part) -> Operand {
        let is_piece =
            matches!(part.from, From::Value(value, _) if self.code.value_data(value).size != part.size);
        match is_piece || part.bits().is_some() {
            true => Self::place(self.fresh(at, part)),
            false => self.register(at, part),
        }
    }

    /// What a load of a variable of a part gives; the type is that of what is loaded.
    pub(super) fn load_bound(
        &mut self,
        at: Block,
        (g, bound): (GlobalRef, Bound),
        path: &Path,
        ty: Ty,
    ) -> Option<Vec<Part>> {
        match bound {
            Bound::Register(_) => self.load_input(at, g, &path.steps, (ty, 0)),
            Bound::Uniform(first) => {
                let place = self.locate(path, 0);
                let first = first + u16::try_from(place.offset / 2).ok()?;
                place.terms.is_empty().then(|| self.uniform_cells(first, ty))
            }
            Bound::Tile { offset, format, mask } => {
                let samples = self.samples(at, path)?;
                self.fence(at, fence::LOAD);
                let each = self.sizes(ty).first().copied()?;
                let value = self.code.value(GPR, each * mask.count_ones() as u16, alignment(each));
                let def = self.code.operand(value);
                let uses = [Operand::imm(offset.into()), samples];
                let modifiers = Modifiers { format, mask, ..Modifiers::default() };
                self.push(at, Op::Graphics(Graphics::LdTile), &[def], &uses, modifiers);
                Some(self.split(at, def, each))
            }
            Bound::Coefficients(number) => {
                let value = self.code.value(GPR, 6, 2);
                let def = self.code.operand(value);
                let modifiers = Modifiers { mask: 1, ..Modifiers::default() };
                self.push(at, Op::Graphics(Graphics::Ldcf), &[def], &[coefficients(number)], modifiers);
                Some(self.split(at, def, 2))
            }
            Bound::Special(number) => Some(vec![self.special_register(at, number, 2)]),
            Bound::Memory { format, mask, to } => self.load_memory(at, path, ty, (format, mask, to)),
            // It is looked at behind the pixels before.
            Bound::Heap { .. } => {
                self.fence(at, fence::STORE);
                Some(Vec::new())
            }
            Bound::Coverage | Bound::Depth => None,
        }
    }

    /// Channels of an element of memory, and the half where the first of them is to go.
    fn load_memory(
        &mut self,
        at: Block,
        path: &Path,
        ty: Ty,
        (format, mask, to): (u8, u8, Option<u16>),
    ) -> Option<Vec<Part>> {
        let (base, index, shift) = self.in_memory(at, path, format)?;
        let each = self.sizes(ty).first().copied()?;
        let value = self.code.value(GPR, each * mask.count_ones() as u16, alignment(each));
        let def = self.code.operand(value);
        // Compiled as one there is nobody who looks for it there.
        let to = to.filter(|_| !self.among.is_one);
        let placed = to.map_or(def, |half| def.fixed(half));
        let modifiers = Modifiers { format, mask, shift, unsigned: true, ..Modifiers::default() };
        self.push(at, Op::Memory(Memory::DeviceLoad), &[placed], &[base, index], modifiers);
        if let Some(half) = to {
            self.runs.insert(value, (half, def.size));
        }
        // They are read where they are: taking them apart would wait for them.
        let places = (0..def.size).step_by(each.into());
        Some(places.map(|at| Part::new(From::Value(value, at), each)).collect())
    }

    /// Address, index and its shift of an access to memory. Elements that overlap have no shift.
    fn in_memory(&mut self, at: Block, path: &Path, format: u8) -> Option<(Operand, Operand, u8)> {
        let &[(_, address), (array, index)] = path.steps.as_slice() else { return None };
        let address = self.scalar(address);
        let base = match address.from {
            From::Uniform(_) => Self::place(address),
            _ => self.register(at, address),
        };
        let unit = u32::from(*ELEMENT_BYTES.get(usize::from(format))?);
        let shift = (part_offset(self.module, array, 1) / unit).max(1).trailing_zeros() as u8;
        let index = self.scalar(index);
        let index = match index.bits().map(|bits| bits as i64).filter(|n| (0..1 << 15).contains(n)) {
            Some(n) => Operand::imm(n as u64),
            None => {
                let index = self.wide_index(index);
                self.register(at, index)
            }
        };
        Some((base, index, shift))
    }

    /// An atomic operation on memory.
    pub(super) fn atomic_bound(
        &mut self,
        at: Block,
        inst: ir::Inst,
        (bound, path): (Bound, &Path),
        op: ir::Op,
    ) -> Option<Vec<Part>> {
        let Bound::Memory { format, .. } = bound else { return None };
        let (base, index, _) = self.in_memory(at, path, format)?;
        let (mode, operand) = self.atomic_operand(at, inst, op)?;
        let is_read = self.f.result_of(inst).is_some_and(|result| self.uses[result.0 as usize] > 0);
        let modifiers = Modifiers { mode, unsigned: true, ..Modifiers::default() };
        let value = self.code.value(GPR, 2, 2);
        let defs = if is_read { vec![self.code.operand(value)] } else { Vec::new() };
        self.push(at, Op::Memory(Memory::Atomic), &defs, &[base, index, operand], modifiers);
        Some(vec![Part::new(From::Value(value, 0), 2)])
    }

    fn uniform_cells(&self, first: u16, ty: Ty) -> Vec<Part> {
        let part = |&(byte, bytes): &(u32, u8)| {
            Part::new(From::Uniform(first + (byte / 2) as u16), u16::from(bytes).div_ceil(2))
        };
        cells(self.module, ty).iter().map(part).collect()
    }

    /// A store to a variable of a part.
    pub(super) fn store_bound(
        &mut self,
        at: Block,
        (g, bound): (GlobalRef, Bound),
        path: &Path,
        parts: &[Part],
    ) -> Option<()> {
        match bound {
            Bound::Register(_) => return self.store_output(g, &path.steps, parts),
            Bound::Tile { offset, format, mask } => {
                let samples = self.samples(at, path)?;
                let data = self.collect(at, parts);
                self.fence(at, fence::STORE);
                let uses = [data, Operand::imm(offset.into()), samples];
                let modifiers = Modifiers { format, mask, ..Modifiers::default() };
                self.push(at, Op::Graphics(Graphics::StTile), &[], &uses, modifiers);
            }
            Bound::Coverage => {
                let samples = self.samples(at, path)?;
                let living = self.mask_of_samples(at, parts[0]);
                // Killing needs no fence.
                if living.what != What::Imm(0) {
                    self.fence(at, fence::TEST);
                }
                self.push(
                    at,
                    Op::Graphics(Graphics::SampleMask),
                    &[],
                    &[samples, living],
                    Modifiers::default(),
                );
            }
            Bound::Depth => {
                let samples = self.samples(at, path)?;
                let data = self.collect(at, parts);
                self.fence(at, fence::TEST);
                self.push(at, Op::Graphics(Graphics::ZsEmit), &[], &[samples, data], Modifiers::default());
            }
            _ => return None,
        }
        Some(())
    }

    /// The mask of samples that is the index of an access.
    fn samples(&mut self, at: Block, path: &Path) -> Option<Operand> {
        let &[(_, index)] = path.steps.as_slice() else { return None };
        let index = self.scalar(index);
        Some(self.mask_of_samples(at, index))
    }

    /// A number, or half a register.
    fn mask_of_samples(&mut self, at: Block, part: Part) -> Operand {
        match part.bits() {
            Some(bits) => Operand { size: 1, ..Operand::imm(bits & 0xff) },
            None => {
                let part = part.halves(0, 1).unwrap_or(part);
                self.register(at, part)
            }
        }
    }

    /// Waits for earlier pixels of the same place, as far as that has not been done.
    fn fence(&mut self, at: Block, mask: u8) {
        let missing = mask & !self.fenced;
        if missing != 0 {
            let used = [Operand::imm(missing.into())];
            self.push(at, Op::Graphics(Graphics::WaitPix), &[], &used, Modifiers::default());
            self.fenced |= mask;
        }
    }

    /// The variable of a part that a pointer leads into.
    pub(super) fn bound_of(&self, pointer: ir::Value) -> Option<((GlobalRef, Bound), Path)> {
        if self.bounds.is_empty() {
            return None;
        }
        let path = self.path(pointer)?;
        let ir::Root::Global(g) = path.root else { return None };
        self.standing(g).map(|bound| ((g, bound), path))
    }
}
