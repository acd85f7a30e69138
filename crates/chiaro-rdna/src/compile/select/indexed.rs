//! Variables of a lane that are indexed at run time and stand in registers, each in a row of them.
//!
//! | index | read | write |
//! |---|---|---|
//! | known | a move | a move |
//! | the same in all lanes that run | `v_movrels_b32`, which counts M0 on | `v_movreld_b32` |
//! | of the lane | selections, by bits of the index and comparisons | every element, where the index is its number |
//!
//! What all lanes write alike and read at the same place, tables of constants above all, stands in scalar registers, by
//! `s_movrels_b32` and `s_movreld_b32`: they cost no waves.
//!
//! ```text
//! s_min_u32 m0, s4, 7            an index beyond the end is that of the last element: no other register is touched
//! v_movrels_b32 v2, v8           the variable has v8 to v15
//! ```
//!
//! Rows are kept free of values for as long as the kernel runs, so that moves under part of the lanes need no merging. Lanes
//! that take turns, one for each index among them, would take longer than selections for every variable that is small
//! enough for registers, and where it is not, scratch is better: there are no such loops.

use chiaro_ir as ir;
use chiaro_ir::{Op as Ir, Path, Root, Space, Type, Variance, Walk};
use chiaro_mach::{Block, Operand, Room};

use super::Select;
use super::part::{Kind, Part};
use super::rows::{Row, SCALARS};
use super::value::WORD;
use crate::abi::layout::{self, Leaf};
use crate::compile::code::{Modifiers, SCALAR, VECTOR};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::isa::vopc::Vopc;
use crate::regs::{VGPRS, code};

/// Registers of all rows together, at most: with more than half of what there is, waves are missing.
const MOST_WORDS: u32 = 128;
/// Words that one access chooses from by selections, at most.
const MOST_CHOICES: u32 = 64;
/// Elements that bits of an index tell apart: of more, a comparison for each group chooses.
const TOGETHER: u32 = 8;

/// An index that is not known, and what it counts.
#[derive(Clone, Copy)]
struct Count {
    index: ir::Value,
    /// How many elements there are.
    elements: u32,
    /// Words of an element.
    stride: u32,
}

/// How lanes choose an element.
struct Choice {
    count: Count,
    /// From the lowest bit of the index, the lanes in which it is set: they tell [`TOGETHER`] elements apart.
    bits: Vec<Part>,
    /// The lanes whose index reaches the second, the third and further groups of so many elements.
    groups: Vec<Part>,
}

/// A part of a row: words from its start, and what is added at run time.
struct Spot {
    words: u32,
    counts: Vec<Count>,
}

impl Spot {
    /// The most that is added.
    fn bound(&self) -> u32 {
        self.counts.iter().map(|count| (count.elements - 1) * count.stride).sum()
    }

    /// How many places it may be.
    fn choices(&self) -> u32 {
        self.counts.iter().fold(1, |all, count| all.saturating_mul(count.elements))
    }

    /// All that may be added, that of the last index in neighbours.
    fn places(&self) -> Vec<(Vec<u32>, u32)> {
        self.counts.iter().fold(vec![(Vec::new(), 0)], |before, count| {
            let each = |(numbers, at): &(Vec<u32>, u32)| {
                let (numbers, at) = (numbers.clone(), *at);
                let next = move |n: u32| ([&numbers[..], &[n]].concat(), at + n * count.stride);
                (0..count.elements).map(next).collect::<Vec<_>>()
            };
            before.iter().flat_map(each).collect()
        })
    }
}

impl Select<'_> {
    /// Gives rows to the variables of a kernel that can have some, until there are no registers for more. What calls
    /// functions has none: others decide there which registers are free.
    pub(super) fn place_rows(&mut self) {
        if !self.ways.rows || self.unit.order.len() > 1 {
            return;
        }
        let first = u16::from(self.dimensions());
        (self.rows.end, self.rows.scalar_end) = (first, SCALARS.start);
        for (root, ty) in self.variables() {
            if let Some(words) = self.row_words(root, ty) {
                self.place_row(root, words, first);
            }
        }
        let end = self.rows.end;
        if end == first {
            self.rows.end = 0;
            return;
        }
        #[allow(clippy::single_range_in_vec_init, reason = "a list of ranges")]
        self.code.set_room(Room { file: VECTOR, limit: VGPRS, reserved: vec![first..end] });
    }

    /// A row of so many words, if there are registers for it; those of vectors begin with `first`.
    fn place_row(&mut self, root: Root, words: u32, first: u16) {
        let is_scalar = u32::from(self.rows.scalar_end) + words <= SCALARS.end.into() && self.is_alike(root);
        let end = if is_scalar { &mut self.rows.scalar_end } else { &mut self.rows.end };
        if is_scalar || u32::from(*end - first) + words <= MOST_WORDS {
            self.rows.of.insert(root, Row { first: *end, is_scalar });
            *end += words as u16;
        }
    }

    /// Whether all lanes of a wave see the same in a variable: they write alike, and read at the same place.
    fn is_alike(&self, root: Root) -> bool {
        let known = &self.unit.known[self.reach[0].0 as usize];
        let stays = |value: &ir::Value| self.homes.is_scalar(*value);
        let own = |inst: ir::Inst| match self.f.op(inst) {
            Ir::Var(_) if root == Root::Var(inst) => self.f.args(inst).iter().all(stays),
            op @ (Ir::Load | Ir::Store) => {
                let path = self.path(self.f.args(inst)[0]).filter(|path| path.root == root);
                let Some(spot) = path.map(|path| self.spot(&path)) else { return true };
                let is_same = op == Ir::Load
                    || known.control(inst) != Variance::Lane && self.f.args(inst)[1..].iter().all(stays);
                is_same && spot.is_some_and(|spot| !self.is_of_lanes(&spot))
            }
            _ => true,
        };
        Walk::insts(self.f).all(own)
    }

    /// Variables of the lanes, with what they hold.
    pub(super) fn variables(&self) -> Vec<(Root, ir::Ty)> {
        let own = Walk::insts(self.f).filter(|&inst| matches!(self.f.op(inst), Ir::Var(_)));
        let own = own.filter_map(|inst| Some((Root::Var(inst), self.f.result_of(inst)?)));
        let named = chiaro_opt::named(self.module, self.f);
        let is_private = |g: ir::GlobalRef| self.module.global(g).space == Space::Private;
        let named = named.into_iter().filter(|(g, _)| is_private(*g)).map(|(g, p)| (Root::Global(g), p));
        let all = own.chain(named);
        let with_type = |(root, pointer)| Some((root, self.module.types.pointee(self.f.ty(pointer))?.1));
        all.filter_map(with_type).collect()
    }

    /// Words of a variable's row; `None` if it cannot have one: its scalars are no words, or it is too large for an access
    /// by an index of lanes, or something other than a load or store has its address.
    fn row_words(&self, root: Root, ty: ir::Ty) -> Option<u32> {
        let leaves = layout::leaves(self.module, ty, Space::Function);
        if leaves.is_empty() || leaves.iter().any(|leaf| leaf.bits < 32) {
            return None;
        }
        for inst in Walk::insts(self.f) {
            for (n, &arg) in self.f.args(inst).iter().enumerate() {
                let pointee = self.module.types.pointee(self.f.ty(arg));
                if !pointee.is_some_and(|(space, _)| matches!(space, Space::Function | Space::Private)) {
                    continue;
                }
                let path = self.path(arg)?;
                if path.root == root && !(n == 0 && self.is_quick(inst, &path)) {
                    return None;
                }
            }
        }
        Some(layout::size(self.module, ty, Space::Function).div_ceil(4))
    }

    /// Whether an instruction that is given this place takes little time for it in a row.
    fn is_quick(&self, inst: ir::Inst, path: &Path) -> bool {
        let ty = self.module.types.pointee(self.f.ty(self.f.args(inst)[0]));
        match (self.f.op(inst), ty) {
            (Ir::Access, _) => true,
            (Ir::Load | Ir::Store, Some((_, ty))) => {
                let Some(spot) = self.spot(path) else { return false };
                let words = layout::size(self.module, ty, path.space).div_ceil(4);
                !self.is_of_lanes(&spot) || spot.choices().saturating_mul(words) <= MOST_CHOICES
            }
            _ => false,
        }
    }

    /// A part of a row. Numbers beyond the end are that of the last element.
    fn spot(&self, path: &Path) -> Option<Spot> {
        let mut spot = Spot { words: 0, counts: Vec::new() };
        for &(ty, index) in &path.steps {
            let elements = self.module.types.part_count(ty).filter(|&count| count > 0)?;
            match self.module.value_bits(self.f, index) {
                Some(n) => {
                    let n = (n as u32).min(elements - 1);
                    spot.words += layout::part_offset(self.module, ty, n, path.space) / 4;
                }
                None if matches!(self.module.types.get(ty), Type::Struct(..)) => return None,
                None => {
                    let stride = layout::stride(self.module, ty, path.space) / 4;
                    spot.counts.push(Count { index, elements, stride });
                }
            }
        }
        Some(spot)
    }

    /// Whether lanes that run may look at different places.
    fn is_of_lanes(&self, spot: &Spot) -> bool {
        spot.counts.iter().any(|count| self.homes.differs(count.index))
    }

    /// The words of a variable in a row, or of a part of it; `None` if it has none.
    pub(super) fn load_row(&mut self, at: Block, path: &Path, leaves: &[Leaf]) -> Option<Vec<Part>> {
        let row = *self.rows.of.get(&path.root)?;
        let spot = self.spot(path)?;
        let units = units(row, &spot, leaves);
        if self.is_of_lanes(&spot) {
            self.rows.chosen = true;
            let choices = self.choices_of(at, &spot);
            let chosen = |unit: u16| {
                let one = self.chosen_by(at, unit, &choices);
                if one.value().is_none() {
                    self.copied(at, Vop1::MovB32, one)
                } else {
                    Self::part(one, Kind::Word)
                }
            };
            return Some(units.into_iter().map(chosen).collect());
        }
        if row.is_scalar {
            return Some(self.load_scalars(at, &spot, &units));
        }
        let op = self.counted(at, &spot, [Vop1::MovB32, Vop1::MovrelsB32]);
        let reach = spot.bound() as u16 + 1;
        let read = |unit: u16| self.copied(at, op, Operand::reg(VECTOR, unit, reach));
        Some(units.into_iter().map(read).collect())
    }

    /// Stores words to a variable in a row, or to a part of it; `None` if it has none.
    pub(super) fn store_row(
        &mut self,
        at: Block,
        path: &Path,
        leaves: &[Leaf],
        words: &[Part],
    ) -> Option<()> {
        let row = *self.rows.of.get(&path.root)?;
        let spot = self.spot(path)?;
        let units = units(row, &spot, leaves);
        if self.is_of_lanes(&spot) {
            self.rows.chosen = true;
            self.store_to_all(at, &spot, &units, words);
            return Some(());
        }
        let (file, ops) = match row.is_scalar {
            true => (SCALAR, [Sop1::MovB32, Sop1::MovreldB32].map(Op::Sop1)),
            false => (VECTOR, [Vop1::MovB32, Vop1::MovreldB32].map(Op::Vop1)),
        };
        let op = self.counted(at, &spot, ops);
        for (unit, &word) in units.into_iter().zip(words) {
            let uses = match row.is_scalar {
                true => self.scalar_sources(at, &[word]),
                false => self.sources(at, op, &[(word, WORD)]),
            };
            let def = Operand::reg(file, unit, spot.bound() as u16 + 1);
            self.push(at, op, &[def], &uses, Modifiers::default());
        }
        Some(())
    }

    fn load_scalars(&mut self, at: Block, spot: &Spot, units: &[u16]) -> Vec<Part> {
        let op = Op::Sop1(self.counted(at, spot, [Sop1::MovB32, Sop1::MovrelsB32]));
        let read = |&unit: &u16| {
            let def = self.new_scalar(1);
            let used = Operand::reg(SCALAR, unit, spot.bound() as u16 + 1);
            self.push(at, op, &[def], &[used], Modifiers::default());
            Self::part(def, Kind::Word)
        };
        units.iter().map(read).collect()
    }

    /// Puts what is added into M0, if anything is. The move for it: of known registers, or of counted ones.
    fn counted<T>(&mut self, at: Block, spot: &Spot, [known, counted]: [T; 2]) -> T {
        let mut sum: Option<Part> = None;
        for count in &spot.counts {
            let index = self.word_of_index(at, count.index);
            let index = Self::part(self.in_scalar(at, index), Kind::Word);
            sum = Some(self.scaled(at, sum, index, count.stride));
        }
        let Some(sum) = sum else { return known };
        let now = Some((at, sum, spot.bound()));
        if self.rows.counted != now {
            let uses = self.scalar_sources(at, &[sum, Part::number(spot.bound())]);
            let m0 = Operand::reg(SCALAR, code::M0, 1);
            self.push(at, Op::Sop2(Sop2::MinU32), &[m0], &uses, Modifiers::default());
            self.rows.counted = now;
        }
        counted
    }

    /// For each index, the lanes whose elements lie beyond each that a choice begins with.
    fn choices_of(&mut self, at: Block, spot: &Spot) -> Vec<Choice> {
        let of = |s: &mut Self, count: &Count| {
            let index = s.word_of_index(at, count.index);
            let bit = |n: u32| {
                let (op, bit) = (Op::Vop2(Vop2::AndB32), Part::number(1 << n));
                let bit = s.vector(at, op, &[(bit, WORD), (index, WORD)], Kind::Word);
                s.compared(at, Op::Vopc(Vopc::CmpNeU32), &[(Part::number(0), WORD), (bit, WORD)])
            };
            let within = count.elements.min(TOGETHER);
            let bits = (0..within.next_power_of_two().trailing_zeros()).map(bit).collect();
            let reaches = |first: u32| {
                let op = Op::Vopc(Vopc::CmpLeU32);
                s.compared(at, op, &[(Part::number(first), WORD), (index, WORD)])
            };
            let groups = (TOGETHER..count.elements).step_by(TOGETHER as usize).map(reaches).collect();
            Choice { count: *count, bits, groups }
        };
        spot.counts.iter().map(|count| of(self, count)).collect()
    }

    /// A word of the element that each lane means, of those from `unit` on. Elements are chosen from some at a time, and
    /// one after the other what comes of them: so few registers are in use at once.
    fn chosen_by(&mut self, at: Block, unit: u16, choices: &[Choice]) -> Operand {
        let Some((choice, inner)) = choices.split_first() else { return Operand::reg(VECTOR, unit, 1) };
        let mut first = self.one_of(at, (unit, 0), choice, (choice.bits.len(), inner));
        for (n, &reaches) in (1..).zip(&choice.groups) {
            let next = self.one_of(at, (unit, n * TOGETHER), choice, (choice.bits.len(), inner));
            first = self.either(at, [first, next], reaches);
        }
        first
    }

    /// The same of the elements from one on, as many as so many bits tell apart.
    fn one_of(
        &mut self,
        at: Block,
        (unit, first): (u16, u32),
        choice: &Choice,
        (bits, inner): (usize, &[Choice]),
    ) -> Operand {
        let Some(bit) = bits.checked_sub(1) else {
            return self.chosen_by(at, unit + (first * choice.count.stride) as u16, inner);
        };
        let low = self.one_of(at, (unit, first), choice, (bit, inner));
        let middle = first + (1 << bit);
        if middle >= choice.count.elements {
            return low;
        }
        let high = self.one_of(at, (unit, middle), choice, (bit, inner));
        self.either(at, [low, high], choice.bits[bit])
    }

    /// In each lane the second of two where a condition holds.
    fn either(&mut self, at: Block, [no, yes]: [Operand; 2], condition: Part) -> Operand {
        let (mask, def) = (self.mask(at, condition), self.new_vector(1));
        let op = Op::Vop2(Vop2::CndmaskB32);
        self.push(at, op, &[def], &[no, yes, mask], Modifiers::default());
        def
    }

    fn copied(&mut self, at: Block, op: Vop1, from: Operand) -> Part {
        let def = self.new_vector(1);
        self.push(at, Op::Vop1(op), &[def], &[from], Modifiers::default());
        Self::part(def, Kind::Word)
    }

    /// Stores words to every element whose number the lane's index is.
    fn store_to_all(&mut self, at: Block, spot: &Spot, units: &[u16], words: &[Part]) {
        let indices: Vec<Part> =
            spot.counts.iter().map(|count| self.word_of_index(at, count.index)).collect();
        let words: Vec<Operand> = words.iter().map(|&word| self.in_vector(at, word)).collect();
        for (numbers, offset) in spot.places() {
            let mut here: Option<Part> = None;
            for (&index, n) in indices.iter().zip(numbers) {
                let op = Op::Vopc(Vopc::CmpEqU32);
                let same = self.compared(at, op, &[(Part::number(n), WORD), (index, WORD)]);
                here = Some(here.map_or(same, |here| self.bools(at, Ir::And, [here, same])));
            }
            let Some(here) = here else { return };
            let mask = self.mask(at, here);
            for (unit, &word) in units.iter().zip(&words) {
                let old = Operand::reg(VECTOR, unit + offset as u16, 1);
                let op = Op::Vop2(Vop2::CndmaskB32);
                self.push(at, op, &[old], &[old, word, mask], Modifiers::default());
            }
        }
    }
}

/// The registers of the words of some leaves, where nothing is added.
fn units(row: Row, spot: &Spot, leaves: &[Leaf]) -> Vec<u16> {
    let first = u32::from(row.first) + spot.words;
    let words = |leaf: &Leaf| (0..u32::from(leaf.bits) / 32).map(move |n| n + first);
    let all = leaves.iter().flat_map(|leaf| words(leaf).map(|word| word + leaf.offset / 4));
    all.map(|word| word as u16).collect()
}
