//! Outputs: words of vertices, colours and depth that are left for the epilog, coverage (spec 9.5, 9.6, 14.3, 27.1).

use chiaro_ir as ir;
use chiaro_ir::{GlobalRef, Space, Stage, Ty};
use chiaro_mach::{Block, Effects, Op as Mach, Operand, Outcome};

use super::Select;
use super::builtin;
use super::fragment::ALL;
use super::interface::locate;
use super::part::{From, Part};
use super::place::{cells, part_offset};
use super::row::{Row, rows};
use crate::abi::tilebuffer::MOST_TARGETS;
use crate::compile::code::{GPR, Modifiers, table};
use crate::compile::compiled::{Place, Placed};
use crate::container::file::{ALONE, POINT_SIZE, POSITION, VARYING, Words};
use crate::isa::Op;
use crate::isa::graphics::Graphics;

/// Words of the position.
const POSITION_WORDS: u16 = 4;
/// Halves of depth, stencil and the first colour (spec 14.3).
const DEPTH: u16 = 4;
const STENCIL: u16 = 6;
const COLOUR: u16 = 8;
/// The fence before depth and stencil are tested (spec 10.2).
pub(super) const TEST: u64 = 1;

/// A variable and a byte of it.
pub(super) type Component = (GlobalRef, u32);

/// An output with what was stored to it.
pub(super) type Output = (Row, Vec<Part>);

/// What goes to words of a vertex one behind the other.
struct Slot {
    name: String,
    /// Its location, or number among those of its name.
    member: u32,
    words: Vec<Option<(Component, Part)>>,
}

impl Select<'_> {
    /// Notes what an output is to hold at the end.
    pub(super) fn store_output(
        &mut self,
        global: GlobalRef,
        steps: &[(Ty, ir::Value)],
        parts: &[Part],
    ) -> Option<()> {
        let (mut offset, mut ty) = (0, self.module.global(global).ty);
        for &(whole, index) in steps {
            let n = self.module.value_bits(self.f, index)? as u32;
            offset += part_offset(self.module, whole, n);
            ty = self.module.types.part(whole, n)?;
        }
        for (&(at, _), &part) in cells(self.module, ty).iter().zip(parts) {
            self.stored.insert((global, offset + at), part);
        }
        Some(())
    }

    /// Colours have a place, and a second source leaves room for no other target (spec 14.3).
    ///
    /// # Errors
    /// The first colour that has none.
    pub(super) fn check_colours(&self) -> Outcome {
        if self.stage != Stage::Fragment || self.is_part() {
            return Ok(());
        }
        let mut rows: Vec<Row> =
            self.used(Space::Output).into_iter().flat_map(|g| rows(self.module, g)).collect();
        locate(&mut rows);
        rows.retain(|row| row.binding.builtin.is_none());
        let span = |row: &Row| self.module.global(row.global).span;
        if let Some(row) = rows.iter().find(|row| row.location() as usize >= MOST_TARGETS) {
            let message =
                format!("`{}` is colour {}, 0 to {} are allowed", row.name, row.location(), MOST_TARGETS - 1);
            return self.error(span(row), message, "leave colours out, or put several into one");
        }
        let second = rows.iter().find(|row| row.binding.index > 0);
        match second.zip(rows.iter().find(|row| row.location() > 0)) {
            Some((second, other)) => {
                let message = format!(
                    "`{}` is the second source of a colour, and `{}` is colour {}: with two sources there is one colour",
                    second.name,
                    other.name,
                    other.location()
                );
                self.error(span(other), message, "blend with one source, or draw to one target")
            }
            None => Ok(()),
        }
    }

    /// Whether parts stand before or behind the code.
    pub(super) fn is_linked(&self) -> bool {
        self.stage == Stage::Fragment || self.stage == Stage::Vertex && !self.software
    }

    /// The outputs with what was stored to them.
    fn outputs(&self) -> Vec<Output> {
        let mut rows: Vec<Row> =
            self.used(Space::Output).into_iter().flat_map(|g| rows(self.module, g)).collect();
        locate(&mut rows);
        rows.sort_by_key(|row| (row.binding.builtin.is_some(), row.location(), row.binding.component));
        let size = |row: &Row| u16::from(row.bytes).div_ceil(2);
        let part =
            |row: &Row, n: u16| self.stored.get(&row.place(n)).copied().unwrap_or(Part::undef(size(row)));
        let with = |row: Row| {
            let parts: Vec<Part> = (0..row.components).map(|n| part(&row, n)).collect();
            (row, parts)
        };
        let is_written = |(_, parts): &Output| parts.iter().any(|part| part.from != From::Undef);
        let all: Vec<Output> = rows.into_iter().map(with).collect();
        // Distances have their places by number, whichever of them are written.
        let is_clip = |(row, _): &Output| row.binding.builtin == Some(builtin::CLIP_DISTANCE);
        let clips = all.iter().any(|output| is_clip(output) && is_written(output));
        all.into_iter().filter(|output| is_written(output) || clips && is_clip(output)).collect()
    }

    /// The end of the function.
    pub(super) fn end(&mut self, at: Block) {
        let uses = match self.stage {
            _ if self.is_part() => self.leave_bound(at),
            Stage::Vertex if self.software => {
                let outputs = self.outputs();
                self.store_record(at, &outputs);
                Vec::new()
            }
            Stage::Vertex => {
                self.words(at);
                Vec::new()
            }
            Stage::Fragment => self.leave_for_epilog(at),
            _ => Vec::new(),
        };
        if self.among.is_followed {
            self.among.end = Some(at);
            return;
        }
        let inst = self.code.push(at, Mach::Return, &[], &uses);
        self.code.inst_mut(inst).effects = Effects::writes(Effects::CONTROL);
    }

    /// Words of a vertex: position, varyings, size, layer and viewport, clip distances (spec 27.1).
    fn words(&mut self, at: Block) {
        let outputs = self.outputs();
        let slots = slots(&outputs);
        let (mut stores, mut next) = (Vec::new(), POSITION_WORDS);
        for slot in &slots {
            // Where several varyings begin, only linking tells.
            let base = (slots.len() > 1).then(|| self.parameter(&slot.name, slot.member, 1));
            if let Some(Part { from: From::Uniform(half), .. }) = base {
                self.interface.words.push((half, next));
            }
            let count = slot.words.len() as u16;
            self.held_words.push(Words { name: slot.name.clone(), member: slot.member, first: next, count });
            for (n, word) in (0..).zip(&slot.words) {
                let Some((component, part)) = *word else { continue };
                let index = self.word_index(at, base, POSITION_WORDS + n, n);
                self.leave(component, Place::Word(next + n));
                stores.push((index, part));
            }
            next += count;
        }
        let mut fixed = |s: &mut Self, first: u16, number: u32, name: &str| {
            let mut n = first;
            for (component, part) in of(&outputs, number) {
                if part.from != From::Undef {
                    s.leave(component, Place::Word(n));
                    stores.push((Operand::imm(n.into()), part));
                }
                n += 1;
            }
            s.hold_words(name, first, n - first);
            n
        };
        fixed(self, 0, builtin::POSITION, POSITION);
        let size = fixed(self, next, builtin::POINT_SIZE, POINT_SIZE);
        let pair = self.layer_and_viewport(at, &outputs);
        let clip = size + u16::from(pair.is_some());
        fixed(self, clip, builtin::CLIP_DISTANCE, "clip planes");
        self.hold_words("layer and viewport", size, clip - size);
        stores.extend(pair.map(|part| (Operand::imm(size.into()), part)));
        self.store_words(at, &stores);
    }

    /// Notes what words of the vertex hold that have a place in any case.
    fn hold_words(&mut self, name: &str, first: u16, count: u16) {
        if count > 0 {
            self.held_words.push(Words { name: name.to_owned(), member: 0, first, count });
        }
    }

    /// Notes where a component of an output is.
    pub(super) fn leave(&mut self, (variable, byte): Component, place: Place) {
        self.interface.outputs.push(Placed { variable, byte, place });
    }

    /// The number of a word: known, or behind the one that a uniform says.
    fn word_index(&mut self, at: Block, base: Option<Part>, known: u16, n: u16) -> Operand {
        match base {
            None => Operand::imm(known.into()),
            Some(base) => {
                let index = self.index(at, 1, &[(base, 1)], n.into());
                self.register(at, index)
            }
        }
    }

    /// Both in one word, the layer low.
    fn layer_and_viewport(&mut self, at: Block, outputs: &[Output]) -> Option<Part> {
        let [layer, viewport] = [builtin::LAYER, builtin::VIEWPORT].map(|number| of(outputs, number));
        if layer.is_empty() && viewport.is_empty() {
            return None;
        }
        let half = |s: &mut Self, found: &[(Component, Part)]| match found.first() {
            Some(&(_, part)) => s.in_register(at, part).halves(0, 1).unwrap_or(part),
            None => Part::half(0),
        };
        let both = [half(self, &layer), half(self, &viewport)];
        Some(self.joined(at, &both))
    }

    /// The last store says that it is; where there is none, a program says so (spec 9.5).
    fn store_words(&mut self, at: Block, stores: &[(Operand, Part)]) {
        if stores.is_empty() {
            self.push(at, Op::Graphics(Graphics::NoVar), &[], &[], Modifiers::default());
        }
        for (n, &(index, part)) in stores.iter().enumerate() {
            let part = match part.size {
                1 => part.wider(super::part::Widened::Float).unwrap_or(part),
                _ => part,
            };
            let word = self.register(at, part);
            let op = if n + 1 == stores.len() { Graphics::StVarFinal } else { Graphics::StVar };
            self.push(at, Op::Graphics(op), &[], &[word, index], Modifiers::default());
        }
    }

    /// Colours, depth and stencil in the registers where the epilog looks for them, and the test of what lives.
    fn leave_for_epilog(&mut self, at: Block) -> Vec<Operand> {
        let outputs = self.outputs();
        let mut uses = Vec::new();
        let mut mask = None;
        for (row, parts) in &outputs {
            match row.binding.builtin {
                // Tests that have run had the depth of the primitive.
                Some(builtin::FRAG_DEPTH | builtin::STENCIL) if self.early => {}
                Some(builtin::FRAG_DEPTH) if self.among.is_one => {
                    self.link.write_z = 1;
                    self.among.given.insert(DEPTH, parts[0]);
                }
                Some(builtin::STENCIL) if self.among.is_one => {
                    self.link.write_s = 1;
                    let low = self.in_register(at, parts[0]).halves(0, 1).unwrap_or(parts[0]);
                    self.among.given.insert(STENCIL, low);
                }
                Some(builtin::FRAG_DEPTH) => {
                    self.link.write_z = 1;
                    self.leave(row.place(0), Place::Register(DEPTH, 2));
                    uses.push(self.register(at, parts[0]).fixed(DEPTH));
                }
                Some(builtin::STENCIL) => {
                    self.link.write_s = 1;
                    let low = self.in_register(at, parts[0]).halves(0, 1).unwrap_or(parts[0]);
                    uses.push(self.register(at, low).fixed(STENCIL));
                }
                Some(builtin::SAMPLE_MASK) => mask = parts.first().copied(),
                Some(_) => {}
                None => uses.extend(self.colour(at, row, parts)),
            }
        }
        self.test_samples(at, mask);
        uses.extend(self.leave_mask(at));
        self.link.sample_shading = self.shades_samples.into();
        if self.shades_samples && !self.among.is_one {
            // The mask of samples is there at the end as it was (spec 14.3).
            uses.push(Operand::reg(GPR, 2, 1));
        }
        uses
    }

    /// A colour in four registers or halves; an alpha of 1 in location 0 need not be there.
    fn colour(&mut self, at: Block, row: &Row, parts: &[Part]) -> Option<Operand> {
        let location = row.location() as u16 + row.binding.index as u16;
        if location >= 8 {
            return None;
        }
        let mut parts = parts.to_vec();
        let size = parts[0].size;
        self.link.loc_written |= 1 << location;
        self.link.size_32 |= if size == 2 { 1 << location } else { 0 };
        let one = if size == 2 { u64::from(1f32.to_bits()) } else { 0x3c00 };
        let is_opaque = location == 0 && row.is_float && parts.len() == 4 && parts[3].bits() == Some(one);
        if is_opaque {
            self.link.loc0_w_1 = 1;
            parts.pop();
        }
        let first = COLOUR + 8 * location + size * row.binding.component as u16;
        for n in 0..parts.len() as u16 {
            self.leave(row.place(n), Place::Register(first + n * size, size));
        }
        if self.among.is_one {
            let halves = (first..).step_by(size.into());
            self.among.given.extend(halves.zip(parts));
            return None;
        }
        Some(self.collect(at, &parts).fixed(first))
    }

    /// Kills the samples of lanes, where a condition is as given or in any case.
    pub(super) fn kill(&mut self, at: Block, condition: Option<(ir::Value, bool)>) {
        if self.early {
            return self.kill_tested(at, condition);
        }
        self.kills = true;
        let samples = match condition {
            None => self.shaded(),
            Some((condition, holds)) => {
                let test = self.test(at, condition);
                let test = if holds { test } else { test.inverse() };
                let samples = self.select(at, &test, Part::half(ALL as u16), Part::half(0));
                let samples = self.of_shaded(at, samples);
                self.register(at, samples)
            }
        };
        self.lose(at, samples);
    }

    /// Kills samples.
    fn lose(&mut self, at: Block, samples: Operand) {
        let none = Operand { size: 1, ..Operand::imm(0) };
        self.push(at, Op::Graphics(Graphics::SampleMask), &[], &[samples, none], Modifiers::default());
    }

    /// Tests the samples that live, unless the epilog does because it gives depths or kills, too (spec 14.5).
    fn test_samples(&mut self, at: Block, mask: Option<Part>) {
        if self.early {
            return self.mask_tested(at, mask);
        }
        let dead = mask.map(|mask| self.bits(at, 1, table::NOT, mask, Part::half(0)));
        if self.link.write_z + self.link.write_s > 0 {
            // Those that are left are tested with what the main part gives.
            if let Some(dead) = dead {
                let samples = self.of_shaded(at, dead);
                let samples = self.register(at, samples);
                self.lose(at, samples);
            }
            return;
        }
        if !self.kills && mask.is_none() {
            return;
        }
        let tests = match self.among.tests {
            Some(is_last) => Part::half(if is_last { ALL as u16 } else { 0 }),
            None => self.parameter(ALONE, 0, 1),
        };
        let (samples, living) = match mask.zip(dead) {
            None => (tests, Operand { size: 1, ..Operand::imm(ALL) }),
            Some((mask, dead)) => {
                let samples = self.bits(at, 1, table::OR, dead, tests);
                let living = self.bits(at, 1, table::AND, mask, Part::half(ALL as u16));
                (samples, self.register(at, living))
            }
        };
        let samples = self.of_shaded(at, samples);
        let fence = [Operand::imm(TEST)];
        self.push(at, Op::Graphics(Graphics::WaitPix), &[], &fence, Modifiers::default());
        let samples = self.register(at, samples);
        self.push(at, Op::Graphics(Graphics::SampleMask), &[], &[samples, living], Modifiers::default());
    }
}

/// The components of a built-in output that something was stored to.
fn of(outputs: &[Output], number: u32) -> Vec<(Component, Part)> {
    let found = outputs.iter().filter(|(row, _)| row.binding.builtin == Some(number));
    found.flat_map(|(row, parts)| (0..).zip(parts).map(|(n, &part)| (row.place(n), part))).collect()
}

/// Varyings by slot; viewport and clip distances are varyings, too (spec 27.1).
fn slots(outputs: &[Output]) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    for (row, parts) in outputs.iter().filter(|(row, _)| row.binding.builtin.is_none()) {
        let (name, first) = (format!("{VARYING}{}", row.location()), row.binding.component as usize);
        let known = slots.iter().position(|slot| slot.name == name);
        let at = known.unwrap_or_else(|| {
            slots.push(Slot { name, member: row.location(), words: Vec::new() });
            slots.len() - 1
        });
        let words = &mut slots[at].words;
        words.resize(words.len().max(first + parts.len()), None);
        for (n, (word, &part)) in (0..).zip(words[first..].iter_mut().zip(parts)) {
            *word = Some((row.place(n), part)).filter(|(_, part)| part.from != From::Undef);
        }
    }
    for (name, number) in [("viewport", builtin::VIEWPORT), ("clip distances", builtin::CLIP_DISTANCE)] {
        for (n, four) in (0..).zip(of(outputs, number).chunks(4)) {
            let written = |word: &(Component, Part)| word.1.from != From::Undef;
            let words = four.iter().map(|word| Some(*word).filter(written)).collect();
            slots.push(Slot { name: name.to_owned(), member: n, words });
        }
    }
    slots
}
