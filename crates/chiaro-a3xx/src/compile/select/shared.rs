//! Memory that invocations share: storage buffers by number, local memory of the group, atomics, barriers. spec
//! sections 11 and 12.
//!
//! Buffer operations take an address in bytes, and the same in words: that is what drivers of A4xx give them, none
//! of A3xx is known.

use chiaro_diag::Tally;
use chiaro_ir as ir;
use chiaro_ir::{Combine, Op as Ir, Path, Root, Space, Ty, Type};
use chiaro_mach::{Block, Operand, Outcome};

use super::Select;
use super::part::{From, Part};
use super::place::Place;
use super::private::{BYTES, words_at};
use crate::abi::Storage;
use crate::abi::constants::{Layout, block_name, scalars, size};
use crate::compile::code::{FULL, Modifiers, TextureModifiers, types};
use crate::isa::Op;
use crate::regs;

/// Operations of atomics: on local memory, on buffers, of which type.
fn atomic_of(combine: Combine) -> Option<(Op, Op, u8)> {
    Some(match combine {
        Combine::IAdd => (Op::AtomicAdd, Op::AtomicSAdd, types::U32),
        Combine::SMin => (Op::AtomicMin, Op::AtomicSMin, types::S32),
        Combine::UMin => (Op::AtomicMin, Op::AtomicSMin, types::U32),
        Combine::SMax => (Op::AtomicMax, Op::AtomicSMax, types::S32),
        Combine::UMax => (Op::AtomicMax, Op::AtomicSMax, types::U32),
        Combine::And => (Op::AtomicAnd, Op::AtomicSAnd, types::U32),
        Combine::Or => (Op::AtomicOr, Op::AtomicSOr, types::U32),
        Combine::Xor => (Op::AtomicXor, Op::AtomicSXor, types::U32),
        Combine::Exchange => (Op::AtomicXchg, Op::AtomicSXchg, types::U32),
        _ => return None,
    })
}

impl Select<'_> {
    /// Gives storage buffers numbers, and variables of the group places in local memory.
    pub(super) fn place_shared(&mut self) -> Outcome {
        let mut tally = Tally::new("local memory", "bytes", regs::LOCAL_BYTES);
        for g in self.named.clone() {
            let global = self.module.global(g);
            match global.space {
                Space::Storage => {
                    let Type::Struct(_, members) = self.module.types.get(global.ty) else {
                        let message = format!("`{}` is an array of storage buffers", global.name);
                        return self.error(global.span, message, "declare each buffer by itself");
                    };
                    let fixed = members.iter().map(|m| {
                        let size = size(self.module, m.ty, Layout::Bytes).unwrap_or(0);
                        m.offset.unwrap_or(0).saturating_add(size.saturating_mul(BYTES))
                    });
                    let (name, bytes) = (block_name(self.module, g), fixed.max().unwrap_or(0));
                    let number = self.storage.len() as u8;
                    self.storage.push(Storage { name, number, bytes });
                    self.buffers.insert(g, number);
                }
                Space::Workgroup => {
                    let room = size(self.module, global.ty, Layout::Packed).unwrap_or(0);
                    let room = room.saturating_mul(BYTES);
                    tally.add(&global.name, global.span, room);
                    self.locals.insert(g, self.local_bytes);
                    self.local_bytes = self.local_bytes.saturating_add(room);
                }
                _ => {}
            }
        }
        match tally.overflow() {
            Some(error) => Err(vec![error.help("share less, or go through a storage buffer")]),
            None => Ok(()),
        }
    }

    /// The scalars of a place that invocations share.
    pub(super) fn load_shared(&mut self, at: Block, path: &Path, ty: Ty) -> Option<Vec<Part>> {
        let Root::Global(g) = path.root else { return None };
        if let Some(&first) = self.locals.get(&g) {
            let place = self.place(at, path, Layout::Packed)?;
            let places = scalars(self.module, ty, Layout::Packed);
            let (address, base) = self.address_of(at, Part::number(0), first, place, &places);
            return Some(self.load_words(at, Op::Ldl, address, base, &places));
        }
        let number = *self.buffers.get(&g)?;
        let place = self.place(at, path, Layout::Bytes)?;
        let places = scalars(self.module, ty, Layout::Bytes);
        Some(self.load_runs(at, Op::Ldgb, &places, |this, first| {
            (this.buffer_address(at, place, first).to_vec(), of_buffer(number, types::U32))
        }))
    }

    /// Stores to a place that invocations share.
    pub(super) fn store_shared(&mut self, at: Block, path: &Path, ty: Ty, parts: &[Part]) -> Option<()> {
        let Root::Global(g) = path.root else { return None };
        let local = self.locals.get(&g).copied();
        let layout = if local.is_some() { Layout::Packed } else { Layout::Bytes };
        let place = self.place(at, path, layout)?;
        let places = scalars(self.module, ty, layout);
        if let Some(first) = local {
            self.store_words(at, Op::Stl, first, place, (&places, parts));
            return Some(());
        }
        let number = *self.buffers.get(&g)?;
        self.store_runs(at, Op::Stgb, (&places, parts), |this, first| {
            (this.buffer_address(at, place, first).to_vec(), of_buffer(number, types::U32))
        });
        Some(())
    }

    /// A place in a buffer in bytes and in words.
    fn buffer_address(&mut self, at: Block, place: Place, more: u32) -> [Operand; 2] {
        let number = Part::number(place.offset + more);
        let words = match place.index {
            None => number,
            Some(index) => self.sum(at, number, index),
        };
        let bytes = match words.bits() {
            Some(words) => Part::number(words.wrapping_mul(BYTES)),
            None => self.shifted(at, words, BYTES.trailing_zeros()),
        };
        [bytes, words].map(|part| self.register(at, part))
    }

    /// An update in one step; the value before.
    pub(super) fn atomic(&mut self, at: Block, inst: ir::Inst, op: Ir) -> Option<Vec<Part>> {
        let args = self.f.args(inst).to_vec();
        let path = self.path(args[0])?;
        let to = self.module.types.pointee(self.f.ty(args[0]))?.1;
        match op {
            Ir::AtomicLoad(..) => return self.load_shared(at, &path, to),
            Ir::AtomicStore(..) => {
                let parts = self.value(args[1]);
                return self.store_shared(at, &path, to, &parts).map(|()| Vec::new());
            }
            _ => {}
        }
        let given: Vec<Part> = args[1..].iter().map(|&value| self.scalar(value)).collect();
        let (local, global, kind) = match op {
            Ir::Atomic(combine, ..) => atomic_of(combine)?,
            _ => (Op::AtomicCmpxchg, Op::AtomicSCmpxchg, types::U32),
        };
        let operand = match given[..] {
            [one] => self.register(at, one),
            // The new value, what is expected behind it.
            _ => self.collect(at, &given),
        };
        let Root::Global(g) = path.root else { return None };
        let value = self.code.value(FULL, 1, 1);
        let def = self.code.operand(value);
        if let Some(&first) = self.locals.get(&g) {
            let place = self.place(at, &path, Layout::Packed)?;
            let address = self.address_of(at, Part::number(0), first, place, &[0]);
            let address = self.whole_address(at, address);
            self.push(at, local, &[def], &[address, operand], of_buffer(0, kind));
        } else {
            let number = *self.buffers.get(&g)?;
            let place = self.place(at, &path, Layout::Bytes)?;
            let [bytes, words] = self.buffer_address(at, place, 0);
            self.push(at, global, &[def], &[bytes, words, operand], of_buffer(number, kind));
        }
        Some(vec![Part::new(From::Value(value))])
    }

    /// An address without an offset, for what adds none.
    fn whole_address(&mut self, at: Block, (address, offset): (Operand, u32)) -> Operand {
        match address.value().filter(|_| offset > 0) {
            Some(value) => {
                let sum = self.sum(at, Part::number(offset), Part::new(From::Value(value)));
                self.register(at, sum)
            }
            None => address,
        }
    }

    /// Orders memory, and waits for the group.
    pub(super) fn barrier(&mut self, at: Block, op: Ir) {
        self.push(at, Op::Fence, &[], &[], Modifiers::default());
        if let Ir::ControlBarrier(..) = op {
            self.push(at, Op::Bar, &[], &[], Modifiers::default());
        }
    }

    /// What nothing tells.
    pub(super) fn refuse_length(op: Ir) -> Option<(&'static str, &'static str)> {
        matches!(op, Ir::ArrayLength(_)).then_some((
            "nothing tells a program of generation 300 how long a buffer is",
            "pass the length as a uniform",
        ))
    }
}

/// A buffer, and the type of what is there.
fn of_buffer(number: u8, kind: u8) -> Modifiers {
    let texture = TextureModifiers { number, ..TextureModifiers::default() };
    Modifiers { texture, ..Modifiers { types: (kind, kind), ..words_at(0) } }
}
