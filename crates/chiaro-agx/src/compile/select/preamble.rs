//! The program that runs once before the others, and leaves what is the same for all in uniforms (spec 8.5, 19.3).
//!
//! While the main part is selected, results that moved are uniforms without a place. Behind it is known which
//! halves of them are read: those have places, and the preamble is what computes them, in the order of the text,
//! and stores them:
//!
//! ```text
//! device_load i32, xyzw, r0..r3, u0_u1, 4
//! wait 0
//! uniform_store i16, xyzw, 24, r0l..r1h        four halves at once
//! ```

use std::collections::{BTreeMap, BTreeSet};

use chiaro_ir as ir;
use chiaro_ir::Walk;
use chiaro_mach::{Block, Code, Effects, Inst, Op as Mach, Operand, Outcome, What, dead_code};

use super::Select;
use super::asked::{OfDraw, OfImage};
use super::hoist::Hoist;
use super::image::Image;
use super::once::{Once, Source};
use super::part::{From, Part};
use super::value::adjacent;
use crate::compile::code::{Modifiers, POOL, UNIFORM, format, operation};
use crate::container::file::{Held, What as Holds};
use crate::isa::Op;
use crate::isa::memory::Memory;
use crate::regs::UNIFORM_HALVES;

/// Results without a place have numbers from here on, behind all uniforms.
const LOOSE: u16 = 2 * UNIFORM_HALVES;
/// Halves that results may take (spec 19.3).
const MOST: u16 = 480;
/// Halves that are left for what selection itself asks for.
const SPARE: u16 = 48;
/// Halves that one store writes.
const STORE: u16 = 4;
/// Halves of an address.
const ADDRESS: u16 = 4;

impl Select<'_> {
    /// Decides what moves.
    pub(super) fn plan_preamble(&mut self) {
        let numbers = self.module.constants.len().min(usize::from(UNIFORM_HALVES)) as u16;
        let taken = self.next_uniform.saturating_add(2 * numbers).saturating_add(SPARE);
        let room = UNIFORM_HALVES.saturating_sub(taken).min(MOST);
        let hoist = Hoist::of(self.module, self.f, |ty| self.sizes(ty), room);
        self.once = Once { hoist, results: Vec::new(), next: LOOSE, is_open: true, runs: false };
    }

    /// Whether the preamble is being selected.
    pub(super) fn is_preamble(&self) -> bool {
        self.once.runs
    }

    /// Whether an instruction does not run here.
    pub(super) fn is_moved(&self, inst: ir::Inst) -> bool {
        !self.once.runs && self.once.hoist.moves(inst)
    }

    /// The uniforms of a result that moved.
    pub(super) fn moved_result(&mut self, inst: ir::Inst) -> Option<Vec<Part>> {
        let result = self.f.result_of(inst)?;
        let sizes = self.sizes(self.f.ty(result));
        Some(self.result(Source::Value(result), sizes))
    }

    /// Uniforms without a place.
    fn result(&mut self, source: Source, sizes: Vec<u16>) -> Vec<Part> {
        let first = self.once.next;
        let parts = parts(&sizes, first);
        self.once.next = parts.iter().fold(first, |next, part| next.saturating_add(part.size.max(2)));
        self.once.results.push((source, first, sizes));
        parts
    }

    /// What a descriptor says, from uniforms; `None` where it has to be computed here: the image is one of several,
    /// or there is no preamble.
    pub(super) fn of_image(&mut self, what: OfImage, image: &Image, sizes: &[u16]) -> Option<Vec<Part>> {
        if !self.once.is_open || self.once.runs || !image.is_certain() {
            return None;
        }
        let is_it = |(source, ..): &&(Source, u16, Vec<u16>)| matches!(source, Source::Image(known, other) if *known == what && other.is_same(image));
        if let Some((_, first, sizes)) = self.once.results.iter().find(is_it) {
            return Some(parts(sizes, *first));
        }
        Some(self.result(Source::Image(what, *image), sizes.to_vec()))
    }

    /// What the driver keeps in memory of the draw, from uniforms; `None` where there is no preamble. It is asked once.
    pub(super) fn of_draw(&mut self, what: OfDraw, sizes: &[u16]) -> Option<Vec<Part>> {
        let is_open = self.once.is_open && !self.once.runs;
        is_open.then(|| self.result(Source::Draw(what), sizes.to_vec()))
    }

    /// Gives places to what the main part reads of what moved, and makes the program that computes it; `None` if
    /// nothing moved.
    ///
    /// # Errors
    /// What the machine cannot do.
    pub(super) fn preamble(&mut self) -> Outcome<Option<Code>> {
        dead_code(&mut self.code);
        let read = loose(&self.code);
        if read.is_empty() {
            return Ok(None);
        }
        let mut places = BTreeMap::new();
        self.next_uniform = self.next_uniform.next_multiple_of(2);
        let start = self.next_uniform;
        // Addresses come first: not all uniforms can hold them.
        self.once.results.sort_by_key(|(_, _, sizes)| !sizes.contains(&ADDRESS));
        for (_, first, sizes) in &self.once.results {
            for (half, size) in numbered(sizes, *first) {
                if read.range(half..half + size).next().is_some() {
                    let place = self.next_uniform.next_multiple_of(size);
                    places.insert(half, (place, size));
                    self.next_uniform = place + size;
                }
            }
        }
        let (first, halves) = (start, self.next_uniform - start);
        self.uniforms.push(Held { what: Holds::Preamble, first, halves, ..Held::default() });
        place(&mut self.code, &places);
        let main = std::mem::replace(&mut self.code, Code::new("preamble"));
        self.compute(&places)?;
        Ok(Some(std::mem::replace(&mut self.code, main)))
    }

    /// The preamble itself: all that moved in the order of the text, and stores of what is read.
    fn compute(&mut self, places: &BTreeMap<u16, (u16, u16)>) -> Outcome {
        self.once.runs = true;
        self.values.fill(None);
        (self.moved, self.collected, self.in_run) = Default::default();
        (self.products, self.addresses, self.taken) = Default::default();
        self.runs.clear();
        let at = self.code.block(0);
        let f = self.f;
        for inst in Walk::insts(f).filter(|&inst| self.once.hoist.is_uniform(inst)).collect::<Vec<_>>() {
            self.instruction(at, inst)?;
        }
        let mut run: Vec<(u16, Part)> = Vec::new();
        for (source, first, sizes) in self.once.results.clone() {
            if numbered(&sizes, first).all(|(half, _)| !places.contains_key(&half)) {
                continue;
            }
            let parts = match source {
                Source::Value(value) => self.value(value),
                Source::Image(what, image) => self.look_up(at, what, &image),
                Source::Draw(OfDraw::PerInstance) => vec![self.per_instance(at)],
            };
            for ((half, _), part) in numbered(&sizes, first).zip(parts) {
                let Some(&(place, _)) = places.get(&half) else { continue };
                if !self.continues(&run, place, part) {
                    self.store_uniforms(at, &std::mem::take(&mut run));
                }
                run.push((place, part));
            }
        }
        self.store_uniforms(at, &run);
        self.load_first(at);
        let end = self.code.push(at, Mach::Return, &[], &[]);
        self.code.inst_mut(end).effects = Effects::writes(Effects::CONTROL);
        Ok(())
    }

    /// Whether a scalar goes into one store with those before: as far as they lie side by side, or are values of
    /// their own that can.
    fn continues(&self, run: &[(u16, Part)], place: u16, part: Part) -> bool {
        let Some(&(last, before)) = run.last() else { return true };
        let halves: u16 = run.iter().map(|(_, part)| part.size).sum();
        let is_piece = |part: &Part| match part.from {
            From::Value(value, _) => self.code.value_data(value).size != part.size,
            _ => false,
        };
        let is_free = !is_piece(&before) && !is_piece(&part) || adjacent(&[before, part]).is_some();
        is_free && last + before.size == place && halves + part.size <= STORE && before.size == part.size
    }

    /// Loads of known places come first, so that one wait does for all.
    fn load_first(&mut self, at: Block) {
        let code = &mut self.code;
        let is_first = |inst: &Inst| {
            let loads = operation(code, *inst) == Some(Op::Memory(Memory::DeviceLoad));
            loads && code.uses(*inst).iter().all(|used| used.value().is_none())
        };
        let (mut first, others): (Vec<Inst>, Vec<Inst>) =
            code.insts(at).iter().partition(|inst| is_first(inst));
        first.extend(others);
        code.block_mut(at).insts = first;
    }

    fn look_up(&mut self, at: Block, what: OfImage, image: &Image) -> Vec<Part> {
        match what {
            OfImage::LastLayer => vec![self.last_layer(at, image)],
            OfImage::Layer(number) => vec![self.within_layers(at, image, Part::number(number))],
            OfImage::Length => vec![self.length_of_buffer(at, image)],
            OfImage::Texels => self.texels_of(at, image),
        }
    }

    /// Stores scalars to uniforms one behind the other.
    fn store_uniforms(&mut self, at: Block, run: &[(u16, Part)]) {
        let Some(&(first, _)) = run.first() else { return };
        let parts: Vec<Part> = run.iter().map(|&(_, part)| part).collect();
        let data = self.collect(at, &parts);
        let mask = ((1u16 << data.size) - 1) as u8;
        let modifiers = Modifiers { format: format::I16, mask, ..Modifiers::default() };
        self.push(at, Op::Memory(Memory::UniformStore), &[], &[data, Operand::imm(first.into())], modifiers);
    }
}

/// Scalars of so many halves from a number on, each at a multiple of its size.
fn numbered(sizes: &[u16], first: u16) -> impl Iterator<Item = (u16, u16)> {
    let mut next = first;
    sizes.iter().map(move |&size| {
        let half = next;
        next += size.max(2);
        (half, size)
    })
}

/// The same as uniforms.
fn parts(sizes: &[u16], first: u16) -> Vec<Part> {
    numbered(sizes, first).map(|(half, size)| Part::new(From::Uniform(half), size)).collect()
}

/// The number that a use has among results without a place.
fn loose_number(used: &Operand) -> Option<u16> {
    match used.what {
        What::Slot(slot) if used.file == UNIFORM && (LOOSE.into()..POOL).contains(&slot) => Some(slot as u16),
        _ => None,
    }
}

/// The halves without a place that code reads.
fn loose(code: &Code) -> BTreeSet<u16> {
    let insts = code.blocks().flat_map(|block| code.insts(block));
    let uses = insts.flat_map(|&inst| code.uses(inst));
    uses.filter_map(|used| loose_number(used).map(|first| first..first + used.size)).flatten().collect()
}

/// Reads the halves where they stand now.
fn place(code: &mut Code, places: &BTreeMap<u16, (u16, u16)>) {
    for block in code.blocks() {
        for inst in code.insts(block).to_vec() {
            for used in code.uses_mut(inst) {
                let Some(number) = loose_number(used) else { continue };
                if let Some((&half, &(place, _))) = places.range(..=number).next_back() {
                    used.what = What::Slot((place + number - half).into());
                }
            }
        }
    }
}
