//! What it takes to make operands of scalars (spec section 3.3).

use chiaro_ir as ir;
use chiaro_ir::{ConstantKind, Def, Type};
use chiaro_mach::{Block, Inst, Op as Mach, Operand, Value};

use super::Select;
use super::part::{From, Kind, Part};
use crate::compile::code::{self, Modifiers, SCALAR, VECTOR};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::sopc::Sopc;
use crate::isa::vop1::Vop1;
use crate::isa::vop2::Vop2;
use crate::operand::constant::Number;
use crate::regs::mods;

/// What a source is taken as: its numbers, and whether its sign can be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Of(Number, bool);

pub(super) const WORD: Of = Of(Number::Word, false);
pub(super) const FLOAT: Of = Of(Number::Word, true);
pub(super) const SHORT: Of = Of(Number::Short, false);
pub(super) const HALF: Of = Of(Number::Half, true);
pub(super) const LONG: Of = Of(Number::Long, false);
pub(super) const DOUBLE: Of = Of(Number::Double, true);

/// Distinct scalars that a vector instruction reads at most.
const SCALARS: usize = 2;

/// A number as an operand, and whether that is a literal; `None` where it needs a register.
fn number(bits: u64, Of(number, _): Of) -> Option<(Operand, bool)> {
    let small = match number {
        Number::Word => i64::from(bits as u32 as i32),
        Number::Long | Number::Double => bits as i64,
        _ => i64::from(bits as u16),
    };
    if number.code(small).is_some() || number.code(bits as i64).is_some() {
        let plain = if number == Number::Word { i64::from(bits as u32) } else { small };
        return Some((Operand::imm(plain as u64), false));
    }
    match number {
        Number::Double if bits as u32 == 0 && !number.is_ambiguous((bits >> 32) as u32) => {
            Some((Operand::imm(bits >> 32), true))
        }
        Number::Double => None,
        // Sources differ on whether the highest bit is extended (spec section 3.2).
        Number::Long => (bits <= 0x7fff_ffff).then_some((Operand::imm(bits), true)),
        Number::Word => Some((Operand::imm(bits & 0xffff_ffff), true)),
        _ => Some((Operand::imm(bits & 0xffff), true)),
    }
}

/// Scalars that an instruction reads so far.
#[derive(Default)]
struct Bus(Vec<(chiaro_mach::What, u16)>);

impl Bus {
    /// Whether one more still fits; then it is taken.
    fn takes(&mut self, operand: &Operand, most: usize) -> bool {
        let key = (operand.what, operand.offset);
        let is_literal = |key: &(chiaro_mach::What, u16)| matches!(key.0, chiaro_mach::What::Imm(_));
        let other_literal = is_literal(&key) && self.0.iter().any(|old| is_literal(old) && *old != key);
        let fits = self.0.contains(&key) || self.0.len() < most && !other_literal;
        if fits && !self.0.contains(&key) {
            self.0.push(key);
        }
        fits
    }
}

impl Select<'_> {
    /// What an operation makes of parts: as it was computed before, or now.
    pub(super) fn known(&mut self, op: Op, parts: &[Part], make: impl FnOnce(&mut Self) -> Part) -> Part {
        let key = (op, parts.to_vec());
        if let Some(known) = self.known.find(&key) {
            return known;
        }
        let made = make(self);
        self.known.add(key, made);
        made
    }

    /// The registers of a scalar, without signs.
    pub(super) fn place_of(&self, part: Part) -> Option<Operand> {
        let From::Value(value, at) = part.from else { return None };
        let whole = self.code.operand(value);
        Some(whole.part(at, part.kind.size(self.wave)))
    }

    /// Whether a scalar is in vector registers.
    pub(super) fn is_vector(&self, part: Part) -> bool {
        matches!(part.from, From::Value(value, _) if self.code.value_data(value).file == VECTOR)
    }

    /// Whether scalar instructions can read it: a number, or in scalar registers.
    pub(super) fn is_scalar(&self, part: Part) -> bool {
        !self.is_vector(part) && part.kind != Kind::Mask && part.signs == 0
    }

    /// An instruction at the end of a block.
    pub(super) fn push(
        &mut self,
        at: Block,
        op: Op,
        defs: &[Operand],
        uses: &[Operand],
        modifiers: Modifiers,
    ) -> Inst {
        let [writes, reads] = code::implied(op, self.wave);
        // Both halves of a wave of 64 read what the first one must not have written yet (spec section 3.3).
        let is_late = self.wave == 64
            && code::is_vector(op)
            && defs.iter().any(|def| def.file == SCALAR && def.size == 2);
        let kept = |used: &Operand| {
            if is_late && used.file == SCALAR && used.value().is_some() { used.late_kill() } else { *used }
        };
        let uses: Vec<Operand> = uses.iter().map(kept).chain(reads).collect();
        let defs: Vec<Operand> = defs.iter().copied().chain(writes).collect();
        let inst = self.code.push(at, code::machine(op), &defs, &uses);
        let data = self.code.inst_mut(inst);
        data.modifiers = modifiers.pack();
        data.effects = code::effects(op, &defs);
        data.span = self.span;
        inst
    }

    /// A new value of scalar registers; pairs are even, longer runs start at multiples of four.
    pub(super) fn new_scalar(&mut self, size: u16) -> Operand {
        let align = size.next_power_of_two().min(4) as u8;
        let value = self.code.value(SCALAR, size, align);
        self.code.operand(value)
    }

    pub(super) fn new_vector(&mut self, size: u16) -> Operand {
        let value = self.code.value(VECTOR, size, 1);
        self.code.operand(value)
    }

    /// What is in an operand that is all of a value.
    pub(super) fn part(operand: Operand, kind: Kind) -> Part {
        match operand.value() {
            Some(value) => Part::new(From::Value(value, operand.offset), kind),
            None => Part::undef(kind),
        }
    }

    /// A vector instruction.
    pub(super) fn vector(&mut self, at: Block, op: Op, parts: &[(Part, Of)], kind: Kind) -> Part {
        self.vector_with(at, op, parts, kind, Modifiers::default())
    }

    pub(super) fn vector_with(
        &mut self,
        at: Block,
        op: Op,
        parts: &[(Part, Of)],
        kind: Kind,
        modifiers: Modifiers,
    ) -> Part {
        let uses = self.sources(at, op, parts);
        let def = self.new_vector(kind.size(self.wave));
        self.push(at, op, &[def], &uses, modifiers);
        Self::part(def, kind)
    }

    /// A comparison of lanes: a bit for each.
    pub(super) fn compared(&mut self, at: Block, op: Op, parts: &[(Part, Of)]) -> Part {
        let uses = self.sources(at, op, parts);
        let def = self.new_scalar(Kind::Mask.size(self.wave));
        self.push(at, op, &[def], &uses, Modifiers::default());
        Self::part(def, Kind::Mask)
    }

    /// Sources of a vector instruction: what is too much for it is copied before.
    pub(super) fn sources(&mut self, at: Block, op: Op, parts: &[(Part, Of)]) -> Vec<Operand> {
        let shifts_pair = matches!(
            op,
            Op::Vop3(
                crate::isa::vop3::Vop3::LshlrevB64
                    | crate::isa::vop3::Vop3::LshrrevB64
                    | crate::isa::vop3::Vop3::AshrrevI64
            )
        );
        let (mut bus, most) = (Bus::default(), if shifts_pair { 1 } else { SCALARS });
        // Masks have no other place than scalar registers.
        for (part, _) in parts.iter().filter(|(part, _)| matches!(part.kind, Kind::Mask | Kind::Truth)) {
            if let Some(operand) = self.place_of(*part) {
                let _fits = bus.takes(&operand, most);
            }
        }
        parts.iter().map(|&(part, of)| self.source(at, part, of, (&mut bus, most))).collect()
    }

    fn source(&mut self, at: Block, part: Part, of: Of, (bus, most): (&mut Bus, usize)) -> Operand {
        if matches!(part.kind, Kind::Mask | Kind::Truth) {
            return self.mask(at, part);
        }
        let part = if of.1 { part } else { self.plain(at, part) };
        match part.from {
            From::Undef => Operand::imm(0),
            From::Number(bits) => match number(bits, of) {
                Some((operand, false)) => operand,
                Some((operand, true)) if bus.takes(&operand, most) => operand,
                _ => self.in_vector(at, part),
            },
            From::Value(..) if self.is_vector(part) => self.signed(part),
            From::Value(..) => {
                let operand = self.signed(part);
                match bus.takes(&operand, most) {
                    true => operand,
                    false => self.in_vector(at, Part { signs: 0, ..part }).bits(part.signs.into()),
                }
            }
        }
    }

    fn signed(&self, part: Part) -> Operand {
        let operand = self.place_of(part).unwrap_or_default().bits(part.signs.into());
        if operand.file == SCALAR && operand.size > 1 { operand.aligned(2) } else { operand }
    }

    /// A scalar without signs: they are applied, to its highest word.
    pub(super) fn plain(&mut self, at: Block, part: Part) -> Part {
        if part.signs == 0 {
            return part;
        }
        let plain = Part { signs: 0, ..part };
        if part.kind == Kind::Pair {
            let high = self.plain(at, Part { signs: part.signs, ..plain.half(1) });
            return self.joined(at, [plain.half(0), high]);
        }
        let sign = part.kind.sign() as u32;
        let is_vector = self.is_vector(part);
        let mut made = plain;
        for (bit, mask, [vector, scalar]) in [
            (mods::ABS, sign - 1, [Op::Vop2(Vop2::AndB32), Op::Sop2(Sop2::AndB32)]),
            (mods::NEG, sign, [Op::Vop2(Vop2::XorB32), Op::Sop2(Sop2::XorB32)]),
        ] {
            if part.signs & bit != 0 {
                let mask = Part::number(mask);
                made = match is_vector {
                    true => self.vector(at, vector, &[(mask, WORD), (made, WORD)], part.kind),
                    false => self.scalar(at, scalar, &[made, mask], part.kind),
                };
            }
        }
        made
    }

    /// A scalar instruction.
    pub(super) fn scalar(&mut self, at: Block, op: Op, parts: &[Part], kind: Kind) -> Part {
        let uses = self.scalar_sources(at, parts);
        let def = self.new_scalar(kind.size(self.wave));
        self.push(at, op, &[def], &uses, Modifiers::default());
        Self::part(def, kind)
    }

    /// Sources of a scalar instruction: one literal at most.
    pub(super) fn scalar_sources(&mut self, at: Block, parts: &[Part]) -> Vec<Operand> {
        let mut bus = Bus::default();
        let mut uses = Vec::with_capacity(parts.len());
        for &part in parts {
            let part = self.plain(at, part);
            let of = if part.kind == Kind::Pair { LONG } else { WORD };
            uses.push(match part.from {
                From::Undef => Operand::imm(0),
                From::Number(bits) if part.kind == Kind::Mask => self.lanes_number(bits),
                From::Number(bits) => match number(bits, of) {
                    Some((operand, false)) => operand,
                    Some((operand, true)) if bus.takes(&operand, SCALARS) => operand,
                    _ => self.in_scalar(at, part),
                },
                From::Value(..) => self.in_scalar(at, part),
            });
        }
        uses
    }

    /// All lanes or none.
    fn lanes_number(&self, holds: u64) -> Operand {
        Operand::imm(if holds == 0 { 0 } else { u64::MAX >> (64 - u32::from(self.wave)) })
    }

    /// A comparison of the wave, into SCC.
    pub(super) fn test(&mut self, at: Block, op: Op, parts: [Part; 2]) {
        let uses = self.scalar_sources(at, &parts);
        self.push(at, op, &[], &uses, Modifiers::default());
    }

    /// SCC as a bool of the wave.
    pub(super) fn truth_of_scc(&mut self, at: Block) -> Part {
        self.scalar(at, Op::Sop2(Sop2::CselectB32), &[Part::number(1), Part::number(0)], Kind::Truth)
    }

    /// A scalar in vector registers, without signs.
    pub(super) fn in_vector(&mut self, at: Block, part: Part) -> Operand {
        let part = self.plain(at, part);
        if self.is_vector(part) {
            return self.signed(part);
        }
        if let Some(&known) = self.moved.get(&(at, part)) {
            return self.code.operand(known);
        }
        let made = match part.kind {
            Kind::Mask | Kind::Truth => self.number_of_bool(at, part),
            Kind::Pair => {
                let halves =
                    [part.half(0), part.half(1)].map(|half| Self::part(self.in_vector(at, half), Kind::Word));
                self.joined(at, halves)
            }
            Kind::Word | Kind::Short => {
                let from = self.moved_from(part);
                let def = self.new_vector(1);
                let inst = self.push(at, Op::Vop1(Vop1::MovB32), &[def], &[from], Modifiers::default());
                self.code.inst_mut(inst).remat = matches!(part.from, From::Number(_));
                Self::part(def, part.kind)
            }
        };
        if let From::Value(value, _) = made.from {
            self.moved.insert((at, part), value);
        }
        self.signed(made)
    }

    fn moved_from(&self, part: Part) -> Operand {
        match part.from {
            From::Number(bits) => Operand::imm(bits & 0xffff_ffff),
            From::Undef => Operand::imm(0),
            From::Value(..) => self.place_of(part).unwrap_or_default(),
        }
    }

    /// A scalar in scalar registers; what is the same in all lanes is read from the first one.
    pub(super) fn in_scalar(&mut self, at: Block, part: Part) -> Operand {
        let part = self.plain(at, part);
        if matches!(part.from, From::Value(..)) && !self.is_vector(part) {
            return self.signed(part);
        }
        if let Some(&known) = self.firsts.get(&(at, part)) {
            return self.code.operand(known);
        }
        let made = match part.kind {
            Kind::Pair => {
                let halves =
                    [part.half(0), part.half(1)].map(|half| Self::part(self.in_scalar(at, half), Kind::Word));
                self.joined(at, halves)
            }
            _ => {
                let from = self.moved_from(part);
                let op = match self.is_vector(part) {
                    true => Op::Vop1(Vop1::ReadfirstlaneB32),
                    false => Op::Sop1(Sop1::MovB32),
                };
                let def = self.new_scalar(1);
                let inst = self.push(at, op, &[def], &[from], Modifiers::default());
                self.code.inst_mut(inst).remat = matches!(part.from, From::Number(_));
                Self::part(def, part.kind)
            }
        };
        if let From::Value(value, _) = made.from {
            self.firsts.insert((at, part), value);
        }
        self.signed(made)
    }

    /// Two words as a pair, in the file of the first that is in registers.
    pub(super) fn joined(&mut self, at: Block, [low, high]: [Part; 2]) -> Part {
        if let (From::Number(a), From::Number(b)) = (low.from, high.from) {
            return Part::long(a & 0xffff_ffff | b << 32);
        }
        if let (From::Value(a, 0), From::Value(b, 1), 0, 0) = (low.from, high.from, low.signs, high.signs)
            && a == b
            && self.code.value_data(a).size == 2
        {
            return Part::pair(a);
        }
        let is_vector = self.is_vector(low) || self.is_vector(high);
        let uses = [low, high].map(|word| match is_vector {
            true => self.in_vector(at, word),
            false => self.in_scalar(at, word),
        });
        let def = if is_vector { self.new_vector(2) } else { self.new_scalar(2) };
        self.collect_into(at, def, &uses);
        Self::part(def, Kind::Pair)
    }

    pub(super) fn collect_into(&mut self, at: Block, def: Operand, uses: &[Operand]) {
        let inst = self.code.push(at, Mach::Collect, &[def], uses);
        self.code.inst_mut(inst).span = self.span;
    }

    /// Words one after another in vector registers.
    pub(super) fn collect(&mut self, at: Block, words: &[Part]) -> Operand {
        let uses: Vec<Operand> = words.iter().map(|&word| self.in_vector(at, word)).collect();
        if let [one] = uses[..] {
            return one;
        }
        if let Some(whole) = self.whole(&uses) {
            return whole;
        }
        let def = self.new_vector(uses.len() as u16);
        self.collect_into(at, def, &uses);
        def
    }

    /// The value that such operands are all of, one after another.
    fn whole(&self, uses: &[Operand]) -> Option<Operand> {
        let value = uses.first()?.value()?;
        let mut at = 0;
        for used in uses {
            if used.value() != Some(value) || used.offset != at {
                return None;
            }
            at += used.size;
        }
        (self.code.value_data(value).size == at).then(|| self.code.operand(value))
    }

    /// The words of a run of registers, each a value of its own.
    pub(super) fn split(&mut self, at: Block, whole: Operand) -> Vec<Part> {
        if whole.size == 1 {
            return vec![Self::part(whole, Kind::Word)];
        }
        let values: Vec<Value> = (0..whole.size).map(|_| self.code.value(whole.file, 1, 1)).collect();
        let defs: Vec<Operand> = values.iter().map(|&value| self.code.operand(value)).collect();
        let inst = self.code.push(at, Mach::Split, &defs, &[whole]);
        self.code.inst_mut(inst).span = self.span;
        values.into_iter().map(Part::word).collect()
    }

    /// A bool as a bit for each lane.
    pub(super) fn mask(&mut self, at: Block, part: Part) -> Operand {
        if let (Kind::Mask, From::Value(..)) = (part.kind, part.from) {
            return self.signed(part);
        }
        let key = Part { kind: Kind::Mask, ..part };
        if let Some(&known) = self.moved.get(&(at, key)) {
            return self.code.operand(known);
        }
        let is_long = self.wave == 64;
        let def = self.new_scalar(Kind::Mask.size(self.wave));
        let all = self.lanes_number(1);
        if let From::Value(..) = part.from {
            self.test(at, Op::Sopc(Sopc::CmpLgU32), [part, Part::number(0)]);
            let op = Op::Sop2(if is_long { Sop2::CselectB64 } else { Sop2::CselectB32 });
            self.push(at, op, &[def], &[all, Operand::imm(0)], Modifiers::default());
        } else {
            let from = self.lanes_number(part.bits().unwrap_or(0));
            let op = Op::Sop1(if is_long { Sop1::MovB64 } else { Sop1::MovB32 });
            let inst = self.push(at, op, &[def], &[from], Modifiers::default());
            self.code.inst_mut(inst).remat = true;
        }
        if let Some(value) = def.value() {
            self.moved.insert((at, key), value);
        }
        def
    }

    /// A bool as the number 0 or 1 in each lane.
    fn number_of_bool(&mut self, at: Block, part: Part) -> Part {
        match (part.kind, part.from) {
            (Kind::Truth, From::Value(..)) => {
                let word = Part { kind: Kind::Word, ..part };
                Self::part(self.in_vector(at, word), Kind::Word)
            }
            (_, From::Value(..)) => self.chosen(at, part, [Part::number(1), Part::number(0)]),
            _ => {
                let word = Part::number(part.bits().unwrap_or(0) as u32);
                Self::part(self.in_vector(at, word), Kind::Word)
            }
        }
    }

    /// One of two words by a bit for each lane.
    pub(super) fn chosen(&mut self, at: Block, condition: Part, [yes, no]: [Part; 2]) -> Part {
        let mask = Self::part(self.mask(at, condition), Kind::Mask);
        self.vector(at, Op::Vop2(Vop2::CndmaskB32), &[(no, FLOAT), (yes, FLOAT), (mask, WORD)], Kind::Word)
    }

    /// The scalars of a value.
    pub(super) fn value(&mut self, value: ir::Value) -> Vec<Part> {
        match self.f.def(value) {
            Def::Constant(c) => self.constant(c),
            _ => self.values[value.0 as usize].clone().unwrap_or_else(|| self.undefined(self.f.ty(value))),
        }
    }

    /// The only scalar of a value.
    pub(super) fn one(&mut self, value: ir::Value) -> Part {
        self.value(value).first().copied().unwrap_or(Part::undef(Kind::Word))
    }

    fn undefined(&self, ty: ir::Ty) -> Vec<Part> {
        self.kinds(ty).into_iter().map(Part::undef).collect()
    }

    fn constant(&self, c: ir::Constant) -> Vec<Part> {
        let constants = &self.module.constants;
        let number = |bits: u64| {
            let kinds = self.kinds(constants.ty(c));
            kinds.into_iter().map(|kind| Part::new(From::Number(bits), kind)).collect()
        };
        match constants.get(c) {
            ConstantKind::Scalar(bits) => number(*bits),
            ConstantKind::Composite(parts) => parts.iter().flat_map(|&part| self.constant(part)).collect(),
            ConstantKind::Zero => number(0),
            ConstantKind::Spec(n) => self.constant(self.module.specs[*n as usize].default),
            _ => self.undefined(constants.ty(c)),
        }
    }

    /// The kinds of the scalars of a type; bools are those of numbers until something computes one.
    pub(super) fn kinds(&self, ty: ir::Ty) -> Vec<Kind> {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Bool => vec![Kind::Truth],
            Type::Int(64) | Type::Float(64) => vec![Kind::Pair],
            Type::Pointer(ir::Space::Device, _) | Type::Function(..) => vec![Kind::Pair],
            Type::Int(32) | Type::Float(32) => vec![Kind::Word],
            Type::Int(_) | Type::Float(_) => vec![Kind::Short],
            Type::Vector(elem, n) => vec![self.kinds(*elem)[0]; usize::from(*n)],
            Type::Array(elem, n, _) => {
                let one = self.kinds(*elem);
                (0..*n).flat_map(|_| one.clone()).collect()
            }
            Type::Struct(_, members) => members.iter().flat_map(|m| self.kinds(m.ty)).collect(),
            _ => Vec::new(),
        }
    }
}
