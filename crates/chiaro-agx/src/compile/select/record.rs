//! Outputs of vertices that are computed in software: records in a buffer (spec 26.1).
//!
//! Every thread is a vertex: its column in the grid is the number among those of an instance, its row the instance.
//! What it writes stands in slots of four words, in ascending order of their numbers: 0 the position, 12 the size of a
//! point, 17 and 18 clip distances, 22 the layer, 23 the viewport, 32 and on the locations. Slots that the shader does
//! not write have no room; components that it does not write keep what was there.
//!
//! ```text
//! record = row * vertices of an instance + column
//! word   = 4 * (record * slots written + how many of those have lower numbers) + component
//! ```

use chiaro_mach::{Block, Operand, What};

use super::Select;
use super::asked::OfDraw;
use super::builtin;
use super::interface::special;
use super::output::{Component, Output};
use super::part::{From, Part, Widened};
use crate::abi::uniforms::Vertex;
use crate::compile::code::{Modifiers, UNIFORM, format};
use crate::compile::compiled::Place;
use crate::container::file::{self, Held, INPUT_ASSEMBLY, OUTPUTS, Words};
use crate::isa::Op;
use crate::isa::integer::Integer;
use crate::isa::memory::Memory;

/// Words of a slot.
const SLOT: u16 = 4;
/// The word of the input assembly's state that says how many vertices an instance has (spec 14.2).
const PER_INSTANCE: u64 = 3;
/// Numbers of slots (spec 26.1).
const POINT_SIZE: u32 = 12;
const CLIP: u32 = 17;
const LAYER: u32 = 22;
const VIEWPORT: u32 = 23;
const GENERIC: u32 = 32;

/// Four components at a number.
struct Slot {
    number: u32,
    words: [Option<(Component, Part)>; SLOT as usize],
}

impl Select<'_> {
    /// Stores what the shader has written.
    pub(super) fn store_record(&mut self, at: Block, outputs: &[Output]) {
        let slots = slots(outputs);
        if slots.is_empty() {
            return;
        }
        let record = self.record(at);
        let count = slots.len() as u32;
        let held = Held {
            what: file::What::Address,
            name: "vertex outputs".to_owned(),
            set: OUTPUTS,
            ..Held::default()
        };
        let first = self.hold(held, 4, 4);
        let base = Operand { what: What::Slot(first.into()), file: UNIFORM, size: 4, ..Operand::default() };
        for (n, slot) in (0..).zip(&slots) {
            self.note(slot, SLOT * n);
            let index = self.index(at, 2, &[(record, count)], n.into());
            let index = self.register(at, index);
            if let Some((mask, parts)) = written(slot) {
                let data = self.collect(at, &parts);
                let modifiers =
                    Modifiers { format: format::I32, mask, shift: 2, unsigned: true, ..Modifiers::default() };
                self.push(at, Op::Memory(Memory::DeviceStore), &[], &[data, base, index], modifiers);
            }
        }
    }

    /// Says where components are.
    fn note(&mut self, slot: &Slot, first: u16) {
        for (n, word) in (first..).zip(&slot.words) {
            if let Some((component, _)) = word {
                self.leave(*component, Place::Stored(n));
            }
        }
        let (name, member) = match slot.number {
            0 => (file::POSITION.to_owned(), 0),
            POINT_SIZE => (file::POINT_SIZE.to_owned(), 0),
            CLIP | 18 => ("clip planes".to_owned(), slot.number - CLIP),
            LAYER => ("layer".to_owned(), 0),
            VIEWPORT => ("viewport".to_owned(), 0),
            number => (format!("{}{}", file::VARYING, number - GENERIC), number - GENERIC),
        };
        let last = slot.words.iter().rposition(Option::is_some).unwrap_or(0) as u16;
        self.held_words.push(Words { name, member, first, count: last + 1 });
    }

    /// The number of the vertex among all of the draw.
    fn record(&mut self, at: Block) -> Part {
        let column = self.special_register(at, special::GLOBAL_ID, 2);
        let row = self.special_register(at, special::GLOBAL_ID + 1, 2);
        let each = match self.of_draw(OfDraw::PerInstance, &[2]) {
            Some(known) => known[0],
            None => self.per_instance(at),
        };
        self.integer_three(at, Integer::Imadd, 2, [row, each, column], 0)
    }

    /// Vertices of an instance, from the state of the input assembly.
    pub(super) fn per_instance(&mut self, at: Block) -> Part {
        let first = self.vertex_abi.and_then(Vertex::input_assembly).unwrap_or_default();
        self.fixed_uniform(INPUT_ASSEMBLY, first, 4);
        let base = Operand { what: What::Slot(first.into()), file: UNIFORM, size: 4, ..Operand::default() };
        let modifiers = Modifiers { format: format::I32, mask: 1, unsigned: true, ..Modifiers::default() };
        self.make(at, Op::Memory(Memory::DeviceLoad), 2, &[base, Operand::imm(PER_INSTANCE)], modifiers)
    }
}

/// The slots that something was stored to, in ascending order.
fn slots(outputs: &[Output]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for (row, parts) in outputs {
        let (number, first) = match row.binding.builtin {
            None => (GENERIC + row.location(), row.binding.component as usize),
            Some(builtin::POSITION) => (0, 0),
            Some(builtin::POINT_SIZE) => (POINT_SIZE, 0),
            Some(builtin::CLIP_DISTANCE) => (CLIP, row_offset(row)),
            Some(builtin::LAYER) => (LAYER, 0),
            Some(builtin::VIEWPORT) => (VIEWPORT, 0),
            Some(_) => continue,
        };
        for (n, &part) in (0..).zip(parts).filter(|(_, part)| part.from != From::Undef) {
            let place = first + usize::from(n);
            let number = number + (place / usize::from(SLOT)) as u32;
            let known = slots.iter().position(|slot| slot.number == number).unwrap_or_else(|| {
                slots.push(Slot { number, words: [None; SLOT as usize] });
                slots.len() - 1
            });
            let part = if part.size == 1 { part.wider(Widened::Float).unwrap_or(part) } else { part };
            slots[known].words[place % usize::from(SLOT)] = Some((row.place(n), part));
        }
    }
    slots.sort_by_key(|slot| slot.number);
    slots
}

/// The number of a clip distance: each is a row of its own.
fn row_offset(row: &super::row::Row) -> usize {
    (row.offset / u32::from(row.bytes.max(1))) as usize
}

/// Components that one store writes: all of a slot, with a bit for each.
fn written(slot: &Slot) -> Option<(u8, Vec<Part>)> {
    let words = slot.words.iter().enumerate().filter_map(|(n, word)| Some((n, (*word)?.1)));
    let (mask, parts) = words.fold((0, Vec::new()), |(mask, mut parts), (n, part)| {
        parts.push(part);
        (mask | 1 << n, parts)
    });
    (mask != 0).then_some((mask, parts))
}
