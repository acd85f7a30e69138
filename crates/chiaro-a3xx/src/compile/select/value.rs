//! What it takes to make operands of scalars. spec section 17.

use chiaro_ir as ir;
use chiaro_ir::{ConstantKind, Def};
use chiaro_mach::{Block, Op as Mach, Operand, Value};

use super::Select;
use super::part::{From, Part, SIGN};
use crate::compile::code::{self, FULL, HALF, Modifiers, SIGNS, TABLE, types};
use crate::isa::{Op, category};
use crate::regs::{self, mods};

/// The entry of the table of float immediates for a number, and whether its sign is turned.
fn table_entry(bits: u32) -> Option<(u64, bool)> {
    let find = |bits: u32| regs::TABLE.iter().position(|&(_, entry)| entry == bits);
    let plain = find(bits).map(|at| (at as u64, false));
    plain.or_else(|| find(bits ^ SIGN).map(|at| (at as u64, true)))
}

/// Instructions that are looked at for one that makes a value.
const RECENT: usize = 32;

/// Integers that an instruction holds: what Mesa uses of them [ir3_cp].
fn is_short(bits: u32) -> bool {
    (-511..=511).contains(&(bits as i32))
}

/// What may still stand beside the other source of an instruction of category 2.
#[derive(Default)]
struct Room {
    constant: bool,
    immediate: bool,
}

impl Select<'_> {
    /// A number as an operand of the constant file, which every category but 4 to 6 can read.
    fn slot(&mut self, from: From) -> Operand {
        match from {
            From::Constant(at) => Operand::slot(FULL, at.into()),
            From::Number(bits) => Operand::slot(FULL, self.constants.literal(bits).into()),
            _ => Operand::default(),
        }
    }

    fn value_operand(value: Value) -> Operand {
        Operand { what: chiaro_mach::What::Value(value), file: FULL, ..Operand::default() }
    }

    /// A scalar in a full register without signs.
    pub(super) fn register(&mut self, at: Block, part: Part) -> Operand {
        if let (From::Value(value), 0) = (part.from, part.signs) {
            return Self::value_operand(value);
        }
        let key = part.bits().map_or(part, Part::number);
        if let Some(&known) = self.moved.get(&(at, key)) {
            return Self::value_operand(known);
        }
        let made = match (key.from, key.signs) {
            (From::Number(bits), _) => self.copy(at, Operand::imm(bits.into())),
            (From::Undef, _) => self.copy(at, Operand::imm(0)),
            (from, 0) => {
                let slot = self.slot(from);
                self.copy(at, slot)
            }
            _ => self.float1(at, Op::AbsnegF, key),
        };
        if let From::Value(value) = made.from {
            self.moved.insert((at, key), value);
            return Self::value_operand(value);
        }
        Operand::default()
    }

    /// A number or constant in a register of its own.
    pub(super) fn fresh(&mut self, at: Block, part: Part) -> Operand {
        let key = part.bits().map_or(part, Part::number);
        let kept = self.moved.remove(&(at, key));
        let made = self.register(at, key);
        match kept {
            Some(value) => self.moved.insert((at, key), value),
            None => self.moved.remove(&(at, key)),
        };
        made
    }

    /// A copy into a new register.
    pub(super) fn copy(&mut self, at: Block, from: Operand) -> Part {
        let modifiers = Modifiers { types: (types::F32, types::F32), ..Modifiers::default() };
        let as_integer = Modifiers { types: (types::U32, types::U32), ..modifiers };
        let is_number = matches!(from.what, chiaro_mach::What::Imm(_));
        self.make(at, Op::Mov, &[from], if is_number { as_integer } else { modifiers })
    }

    /// An instruction at the end of a block with a scalar result.
    pub(super) fn make(&mut self, at: Block, op: Op, uses: &[Operand], modifiers: Modifiers) -> Part {
        let value = self.code.value(FULL, 1, 1);
        let def = self.code.operand(value);
        self.push(at, op, &[def], uses, modifiers);
        Part::new(From::Value(value))
    }

    /// The same with a half register as result.
    pub(super) fn make_half(&mut self, at: Block, op: Op, uses: &[Operand], modifiers: Modifiers) -> Operand {
        let value = self.code.value(HALF, 1, 1);
        let def = self.code.operand(value);
        self.push(at, op, &[def], uses, modifiers);
        def
    }

    /// An instruction at the end of a block.
    pub(super) fn push(
        &mut self,
        at: Block,
        op: Op,
        defs: &[Operand],
        uses: &[Operand],
        modifiers: Modifiers,
    ) -> chiaro_mach::Inst {
        let inst = self.code.push(at, Mach::Machine(op as u32), defs, uses);
        let data = self.code.inst_mut(inst);
        data.modifiers = Modifiers { relaxed: self.relaxed, ..modifiers }.pack();
        data.effects = code::effects(op);
        data.span = self.span;
        inst
    }

    /// A source of category 2: register, one constant, one immediate.
    fn source(&mut self, at: Block, part: Part, is_float: bool, room: &mut Room) -> Operand {
        let number = part.bits().map_or(part, Part::number);
        match number.from {
            From::Undef if !room.immediate => self.source(at, Part::number(0), is_float, room),
            From::Number(bits) if !room.immediate && !is_float && is_short(bits) => {
                room.immediate = true;
                Operand::imm(bits.into())
            }
            From::Number(bits) if !room.immediate && is_float && table_entry(bits).is_some() => {
                let (entry, turned) = table_entry(bits).unwrap_or_default();
                room.immediate = true;
                let sign = if turned { u32::from(mods::NEG) } else { 0 };
                Operand::imm(entry).bits(TABLE | sign)
            }
            From::Number(_) | From::Constant(_) if !room.constant && (is_float || number.signs == 0) => {
                room.constant = true;
                self.slot(number.from).bits(number.signs.into())
            }
            From::Value(value) if is_float => Self::value_operand(value).bits(number.signs.into()),
            _ => self.register(at, number),
        }
    }

    fn one(&mut self, at: Block, op: Op, a: Part, is_float: bool) -> Part {
        let a = self.source(at, a, is_float, &mut Room::default());
        self.make(at, op, &[a], Modifiers::default())
    }

    pub(super) fn two(&mut self, at: Block, op: Op, [a, b]: [Part; 2], is_float: bool) -> [Operand; 2] {
        let _ = op;
        let mut room = Room::default();
        let a = self.source(at, a, is_float, &mut room);
        let b = self.source(at, b, is_float, &mut room);
        [a, b]
    }

    /// A float operation of one source.
    pub(super) fn float1(&mut self, at: Block, op: Op, a: Part) -> Part {
        self.one(at, op, a, true)
    }

    /// A float operation of two sources.
    pub(super) fn float2(&mut self, at: Block, op: Op, a: Part, b: Part) -> Part {
        let uses = self.two(at, op, [a, b], true);
        self.make(at, op, &uses, Modifiers::default())
    }

    /// An operation on integers or bits of one source.
    pub(super) fn int1(&mut self, at: Block, op: Op, a: Part) -> Part {
        self.one(at, op, a, false)
    }

    /// An operation on integers or bits of two sources.
    pub(super) fn int2(&mut self, at: Block, op: Op, a: Part, b: Part) -> Part {
        let uses = self.two(at, op, [a, b], false);
        self.make(at, op, &uses, Modifiers::default())
    }

    /// An operation of category 3. The second source is a register; the first two may change
    /// places in products.
    pub(super) fn three(&mut self, at: Block, op: Op, [mut a, mut b, c]: [Part; 3]) -> Part {
        let is_product = op == Op::MadF32;
        let in_register = |part: Part| matches!(part.from, From::Value(_));
        if is_product && !in_register(b) && in_register(a) {
            std::mem::swap(&mut a, &mut b);
        }
        let outer = |s: &mut Self, part: Part| match part.from {
            // Signs are those of negation alone.
            _ if part.signs & mods::ABS != 0 => s.register(at, part),
            _ if part.signs != 0 && !is_product => s.register(at, part),
            From::Value(value) => Self::value_operand(value).bits(part.signs.into()),
            From::Undef => s.register(at, part),
            From::Number(_) => {
                // One literal serves both signs.
                let bits = part.bits().unwrap_or_default();
                let (bits, turned) = s.constants.either_sign(bits, is_product);
                let sign = if turned { u32::from(mods::NEG) } else { 0 };
                s.slot(From::Number(bits)).bits(sign)
            }
            From::Constant(_) => s.slot(part.from).bits(part.signs.into()),
        };
        let first = outer(self, a);
        let second = match b.from {
            From::Value(value) if b.signs == 0 || is_product && b.signs == mods::NEG => {
                Self::value_operand(value).bits(b.signs.into())
            }
            _ => self.register(at, b),
        };
        let third = outer(self, c);
        self.make(at, op, &[first, second, third], Modifiers::default())
    }

    /// A special function, of a register with signs.
    pub(super) fn special(&mut self, at: Block, op: Op, a: Part) -> Part {
        let a = match a.from {
            From::Value(value) => Self::value_operand(value).bits(u32::from(a.signs) & SIGNS),
            _ => self.register(at, a),
        };
        self.make(at, op, &[a], Modifiers::default())
    }

    /// Conversion between types of 32 bits.
    pub(super) fn convert(&mut self, at: Block, a: Part, from: u8, to: u8) -> Part {
        let a = self.copied(at, a);
        self.make(at, Op::Cov, &[a], Modifiers { types: (from, to), ..Modifiers::default() })
    }

    /// A source of category 1: anything but signs.
    pub(super) fn copied(&mut self, at: Block, a: Part) -> Operand {
        match a.from {
            From::Constant(_) if a.signs == 0 => self.slot(a.from),
            _ => self.register(at, a),
        }
    }

    /// Scalars one after another in registers; the same ones of a block are collected once.
    pub(super) fn collect(&mut self, at: Block, parts: &[Part]) -> Operand {
        if let Some(&known) = self.collected.get(&(at, parts.to_vec())) {
            return self.code.operand(known);
        }
        let mut uses: Vec<Operand> = Vec::with_capacity(parts.len());
        for part in parts {
            let used = match part.from {
                From::Undef => Operand { file: FULL, ..Operand::default() },
                _ => self.register(at, *part),
            };
            uses.push(self.of_its_own(at, used));
        }
        if let [one] = uses[..]
            && one.value().is_some()
        {
            return one;
        }
        let value = self.code.value(FULL, uses.len() as u16, 1);
        let def = self.code.operand(value);
        let inst = self.code.push(at, Mach::Collect, &[def], &uses);
        self.code.inst_mut(inst).span = self.span;
        self.collected.insert((at, parts.to_vec()), value);
        def
    }

    /// A scalar that no other run holds: one register has one place, and a copy that is told apart here
    /// is scheduled ahead of its reader like everything else. It is made once more where that takes no
    /// more than a copy.
    fn of_its_own(&mut self, at: Block, used: Operand) -> Operand {
        let Some(value) = used.value().filter(|&value| !self.in_run.insert(value)) else { return used };
        let again = self.again(at, used).or_else(|| match self.copy(at, Self::value_operand(value)).from {
            From::Value(value) => Some(Self::value_operand(value)),
            _ => None,
        });
        again.unwrap_or(used)
    }

    /// The instruction that makes a scalar, if it is one of the last few of a block.
    pub(super) fn maker(&self, at: Block, part: Part) -> Option<chiaro_mach::Inst> {
        let From::Value(value) = part.from else { return None };
        let recent = self.code.insts(at).iter().rev().take(RECENT);
        let makes =
            |&&inst: &&chiaro_mach::Inst| matches!(self.code.defs(inst), [def] if def.value() == Some(value));
        recent.into_iter().find(makes).copied()
    }

    /// The same value made once more: as long as a copy, and nothing to wait for.
    fn again(&mut self, at: Block, used: Operand) -> Option<Operand> {
        let maker = self.maker(at, Part::new(From::Value(used.value()?)))?;
        let op = code::operation(&self.code, maker)?;
        let reads_file = self.code.uses(maker).iter().all(|used| matches!(used.file, FULL | HALF));
        if !(1..=3).contains(&category(op)) || op == Op::BaryF || !reads_file {
            return None;
        }
        let (uses, modifiers) = (self.code.uses(maker).to_vec(), self.code.inst(maker).modifiers);
        let made = self.make(at, op, &uses, Modifiers::unpack(modifiers));
        match made.from {
            From::Value(value) => Some(Self::value_operand(value)),
            _ => None,
        }
    }

    /// The scalars of a run of registers.
    pub(super) fn split(&mut self, at: Block, whole: Operand) -> Vec<Part> {
        let values: Vec<Value> = (0..whole.size).map(|_| self.code.value(FULL, 1, 1)).collect();
        let defs: Vec<Operand> = values.iter().map(|&value| Self::value_operand(value)).collect();
        let inst = self.code.push(at, Mach::Split, &defs, &[whole]);
        self.code.inst_mut(inst).span = self.span;
        values.into_iter().map(|value| Part::new(From::Value(value))).collect()
    }

    /// The scalars of a value.
    pub(super) fn value(&mut self, value: ir::Value) -> Vec<Part> {
        match self.f.def(value) {
            Def::Constant(c) => self.constant(c),
            _ => self.values[value.0 as usize]
                .clone()
                .unwrap_or_else(|| vec![Part::new(From::Undef); self.scalars(self.f.ty(value))]),
        }
    }

    /// The only scalar of a value.
    pub(super) fn scalar(&mut self, value: ir::Value) -> Part {
        self.value(value).first().copied().unwrap_or(Part::new(From::Undef))
    }

    fn constant(&self, c: ir::Constant) -> Vec<Part> {
        let constants = &self.module.constants;
        match constants.get(c) {
            ConstantKind::Scalar(bits) => vec![Part::number(*bits as u32)],
            ConstantKind::Composite(parts) => parts.iter().flat_map(|&part| self.constant(part)).collect(),
            ConstantKind::Zero => vec![Part::number(0); self.scalars(constants.ty(c))],
            ConstantKind::Spec(n) => self.constant(self.module.specs[*n as usize].default),
            _ => vec![Part::new(From::Undef); self.scalars(constants.ty(c))],
        }
    }

    /// How many scalars a type has.
    pub(super) fn scalars(&self, ty: ir::Ty) -> usize {
        self.module.types.scalars(ty) as usize
    }
}
