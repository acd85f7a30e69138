//! What it takes to make operands of scalars (spec 3.3).

use chiaro_ir as ir;
use chiaro_ir::{ConstantKind, Def, Type};
use chiaro_mach::{Block, Inst, Op as Mach, Operand, What};

use super::Select;
use super::part::{From, Part, Widened, alignment};
use crate::compile::code::table::COPY;
use crate::compile::code::{self, GPR, MINUS_ZERO, Modifiers, POOL, UNIFORM, sign};
use crate::isa::Op;
use crate::isa::float::Float;
use crate::isa::integer::Integer;
use crate::operand::minifloat;

/// Numbers that an instruction holds end here.
const IMMEDIATES: u64 = 256;

impl Select<'_> {
    /// A scalar where it is, with what reading does to it.
    pub(super) fn place(part: Part) -> Operand {
        let bits = u32::from(part.signs);
        let size = part.held();
        match part.from {
            From::Value(value, offset) => {
                Operand { what: What::Value(value), file: GPR, size, offset, bits, ..Operand::default() }
            }
            From::Uniform(half) => {
                Operand { what: What::Slot(half.into()), file: UNIFORM, size, bits, ..Operand::default() }
            }
            From::Number(bits) => Operand { size, ..Operand::imm(bits) },
            From::Undef => Operand { file: GPR, size, ..Operand::default() },
        }
    }

    /// A number in a uniform, or in a register where nothing fills uniforms.
    pub(super) fn pooled(&mut self, at: Block, bits: u64, size: u16) -> Operand {
        if !self.pools {
            return self.register(at, Part::new(From::Number(bits), size));
        }
        let next = self.pool.len();
        let number = *self.numbers.entry((bits, size)).or_insert(next);
        if number == next {
            self.pool.push((bits, size));
        }
        Operand { what: What::Slot(POOL + number as u32), file: UNIFORM, size, ..Operand::default() }
    }

    /// An integer source; with `extends` it may be sign-extended on its way.
    pub(super) fn integer(&mut self, at: Block, part: Part, extends: bool) -> Operand {
        let part = part.bits().map_or(part, |bits| Part::new(From::Number(bits), part.size));
        match part.from {
            From::Undef => Operand { size: part.size, ..Operand::imm(0) },
            From::Number(bits) if bits < IMMEDIATES => Operand { size: part.size, ..Operand::imm(bits) },
            From::Number(bits) if part.size <= 2 => self.pooled(at, bits, part.size),
            From::Number(_) => self.register(at, part),
            _ if part.signs != 0 => self.register(at, part),
            // Arithmetic reads no uniforms of 64 bits (spec 3.3).
            From::Uniform(_) if part.size > 2 => self.register(at, part),
            _ => match part.widened {
                Widened::No | Widened::Zero => Self::place(part),
                Widened::Sign if extends => Self::place(part).bits(sign::EXTEND),
                _ => self.register(at, part),
            },
        }
    }

    /// A float source of an operation of 32 bits.
    pub(super) fn float(&mut self, at: Block, part: Part) -> Operand {
        let part = part.bits().map_or(part, |bits| Part::new(From::Number(bits), part.size));
        match part.from {
            From::Undef => Operand::imm(0),
            From::Number(bits) => match minifloat::code(float_value(bits, part.size)) {
                Some(code) => Operand { size: part.size, ..Operand::imm(code.into()) },
                None if !self.pools => self.number_of_float(at, bits, part.size),
                None => self.pooled(at, bits, part.size),
            },
            _ => match part.widened {
                Widened::No | Widened::Float => Self::place(part),
                _ => self.register(at, part),
            },
        }
    }

    /// A float number in a register: in 16 bits where they hold it, which is shorter.
    fn number_of_float(&mut self, at: Block, bits: u64, size: u16) -> Operand {
        let value = float_value(bits, size);
        let half = chiaro_num::F16.encode(value, chiaro_num::Encoding::default());
        let is_exact = size == 2 && chiaro_num::F16.decode(half) == value;
        let (bits, size) = if is_exact { (half.into(), 1) } else { (bits, size) };
        self.register(at, Part::new(From::Number(bits), size))
    }

    /// A source of a select, moved as it is: a number is an integer here.
    pub(super) fn selected(&mut self, at: Block, part: Part) -> Operand {
        let part = part.bits().map_or(part, |bits| Part::new(From::Number(bits), part.size));
        match part.from {
            From::Value(..) | From::Uniform(_) if part.widened != Widened::No || part.signs != 0 => {
                self.register(at, part)
            }
            _ => self.integer(at, part, false),
        }
    }

    /// A scalar in registers of its own size, without signs.
    pub(super) fn register(&mut self, at: Block, part: Part) -> Operand {
        Self::place(self.in_register(at, part))
    }

    pub(super) fn in_register(&mut self, at: Block, part: Part) -> Part {
        if let (From::Value(..), 0, Widened::No) = (part.from, part.signs, part.widened) {
            return part;
        }
        let key = part.bits().map_or(part, |bits| Part::new(From::Number(bits), part.size));
        if let Some(&known) = self.moved.get(&(at, key)) {
            return known;
        }
        // 16 bits of a number may stand in 32 of one already.
        let wide = key
            .bits()
            .filter(|_| self.is_part() && key.size == 1)
            .map(|bits| Part::new(From::Number(bits), 2));
        let wide = wide.and_then(|wide| self.moved.get(&(at, wide))).and_then(|part| part.halves(0, 1));
        if let Some(low) = wide {
            return low;
        }
        let made = self.fresh(at, key);
        self.moved.insert((at, key), made);
        made
    }

    /// A copy in registers of its own.
    pub(super) fn fresh(&mut self, at: Block, part: Part) -> Part {
        if part.size > 2 {
            let parts: Vec<Part> = (0..part.size / 2)
                .filter_map(|n| part.halves(2 * n, 2))
                .map(|half| self.fresh(at, half))
                .collect();
            return self.joined(at, &parts);
        }
        if let Some(bits) = part.bits() {
            return self.number(at, bits, part.size);
        }
        match (part.from, part.widened, part.signs) {
            (From::Undef, ..) => self.number(at, 0, part.size),
            (_, Widened::No | Widened::Zero, 0) => {
                let zero = Operand::imm(0);
                let copy = Modifiers { table: COPY, ..Modifiers::default() };
                self.make(at, Op::Integer(Integer::Bitop), part.size, &[Self::place(part), zero], copy)
            }
            (_, Widened::Sign, _) => {
                let uses = [Self::place(part).bits(sign::EXTEND), Operand::imm(0)];
                self.make(at, Op::Integer(Integer::Iadd), part.size, &uses, Modifiers::default())
            }
            _ => self.float_copy(at, part, part.size),
        }
    }

    /// The same float, in so many halves.
    pub(super) fn float_copy(&mut self, at: Block, part: Part, size: u16) -> Part {
        let op = if part.size == 1 && size == 1 { Float::Fadd16 } else { Float::Fadd32 };
        let uses = [self.float(at, part), Operand::imm(MINUS_ZERO)];
        self.make(at, Op::Float(op), size, &uses, Modifiers::default())
    }

    fn number(&mut self, at: Block, bits: u64, size: u16) -> Part {
        let made =
            self.make(at, Op::Integer(Integer::MovImm), size, &[Operand::imm(bits)], Modifiers::default());
        if let Some(&inst) = self.code.insts(at).last() {
            self.code.inst_mut(inst).remat = true;
        }
        made
    }

    /// An instruction at the end of a block with one result.
    pub(super) fn make(
        &mut self,
        at: Block,
        op: Op,
        size: u16,
        uses: &[Operand],
        modifiers: Modifiers,
    ) -> Part {
        let value = self.code.value(GPR, size, alignment(size));
        let def = self.code.operand(value);
        self.push(at, op, &[def], uses, modifiers);
        Part::new(From::Value(value, 0), size)
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
        let inst = self.code.push(at, Mach::Machine(op.row().into()), defs, uses);
        let data = self.code.inst_mut(inst);
        data.modifiers = modifiers.pack();
        data.effects = code::effects(op);
        data.span = self.span;
        inst
    }

    /// Scalars one behind the other in registers; the same ones of a block are collected once.
    pub(super) fn collect(&mut self, at: Block, parts: &[Part]) -> Operand {
        if let Some(&known) = self.collected.get(&(at, parts.to_vec())) {
            return self.code.operand(known);
        }
        // A whole that was taken apart is whole again for nothing.
        let is_whole = |run: &Part| match run.from {
            From::Value(value, 0) if self.code.value_data(value).size == run.size => true,
            From::Value(value, _) => self.runs.contains_key(&value),
            _ => false,
        };
        let keeps = self.is_part() || self.is_preamble();
        if let Some(run) = adjacent(parts).filter(|run| keeps || is_whole(run)) {
            return Self::place(run);
        }
        // What stays where it is at the start is not copied.
        let stays = parts.first().and_then(|part| self.stands_at(*part)).filter(|_| parts.len() > 1);
        let own: Vec<Part> = parts.iter().map(|&part| self.taken_out(at, part)).collect();
        let mut uses: Vec<Operand> = Vec::with_capacity(parts.len());
        for part in &own {
            let used = match part.from {
                From::Undef => Self::place(*part),
                // A run has numbers of its own: copies of others would take as long.
                From::Number(_) | From::Uniform(_) if parts.len() > 1 && !self.is_part() => {
                    Self::place(self.fresh(at, *part))
                }
                _ => self.register(at, *part),
            };
            // In parts what is copied goes to a place of its own; elsewhere runs are gathered by copies as they want.
            uses.push(if self.is_part() { self.of_its_own(at, used) } else { used });
        }
        if let [one] = uses[..]
            && one.value().is_some()
        {
            return one;
        }
        let size: u16 = uses.iter().map(|used| used.size).sum();
        let value =
            self.code.value(GPR, size, alignment(uses.iter().map(|used| used.size).max().unwrap_or(1)));
        let def = self.code.operand(value);
        let placed = stays.map_or(def, |half| def.fixed(half));
        let inst = self.code.push(at, Mach::Collect, &[placed], &uses);
        self.code.inst_mut(inst).span = self.span;
        self.collected.insert((at, parts.to_vec()), value);
        def
    }

    /// The half where an input of a part stands, as a plain scalar of it.
    pub(super) fn stands_at(&self, part: Part) -> Option<u16> {
        let From::Value(value, offset) = part.from else { return None };
        let plain = part.signs == 0 && part.widened == Widened::No;
        self.runs.get(&value).filter(|_| plain).map(|(first, _)| first + offset)
    }

    /// A scalar of an input of a part as a value of its own; others as they are.
    fn taken_out(&mut self, at: Block, part: Part) -> Part {
        let (Some(_), From::Value(value, offset)) = (self.stands_at(part), part.from) else { return part };
        let Some((_, halves)) = self.runs.get(&value).copied().filter(|(_, halves)| *halves > part.size)
        else {
            return part;
        };
        let key = (at, value);
        if !self.taken.contains_key(&key) {
            let whole = Operand { what: What::Value(value), file: GPR, size: halves, ..Operand::default() };
            let parts = self.split(at, whole, part.size);
            self.taken.insert(key, parts);
        }
        self.taken[&key].get(usize::from(offset / part.size)).copied().unwrap_or(part)
    }

    /// Scalars as one of all their bits.
    pub(super) fn joined(&mut self, at: Block, parts: &[Part]) -> Part {
        let whole = self.collect(at, parts);
        whole
            .value()
            .map_or(Part::undef(whole.size), |value| Part::new(From::Value(value, whole.offset), whole.size))
    }

    /// A scalar that no other run holds: one register has one place.
    fn of_its_own(&mut self, at: Block, used: Operand) -> Operand {
        let Some(value) = used.value().filter(|&value| !self.in_run.insert(value)) else { return used };
        let part = Part::new(From::Value(value, used.offset), used.size);
        if used.size > 2 {
            return used;
        }
        let copy = Modifiers { table: COPY, ..Modifiers::default() };
        let made = self.make(at, Op::Integer(Integer::Bitop), part.size, &[used, Operand::imm(0)], copy);
        Self::place(made)
    }

    /// The scalars of a run of registers, each of so many halves.
    pub(super) fn split(&mut self, at: Block, whole: Operand, size: u16) -> Vec<Part> {
        let count = whole.size / size;
        if count == 1 {
            return whole.value().map(|value| Part::new(From::Value(value, 0), size)).into_iter().collect();
        }
        let values: Vec<chiaro_mach::Value> =
            (0..count).map(|_| self.code.value(GPR, size, alignment(size))).collect();
        let defs: Vec<Operand> = values.iter().map(|&value| self.code.operand(value)).collect();
        let inst = self.code.push(at, Mach::Split, &defs, &[whole]);
        self.code.inst_mut(inst).span = self.span;
        values.into_iter().map(|value| Part::new(From::Value(value, 0), size)).collect()
    }

    /// The scalars of what was loaded; in a preamble they are read where they are, since most are stored at once.
    pub(super) fn apart(&mut self, at: Block, whole: Operand, size: u16) -> Vec<Part> {
        let Some(value) = whole.value().filter(|_| self.is_preamble()) else {
            return self.split(at, whole, size);
        };
        let part = |n: u16| Part::new(From::Value(value, n), size);
        (0..whole.size).step_by(size.into()).map(part).collect()
    }

    /// The scalars of a value.
    pub(super) fn value(&mut self, value: ir::Value) -> Vec<Part> {
        match self.f.def(value) {
            Def::Constant(c) => self.constant(c),
            _ => self.values[value.0 as usize].clone().unwrap_or_else(|| self.undefined(self.f.ty(value))),
        }
    }

    /// The only scalar of a value.
    pub(super) fn scalar(&mut self, value: ir::Value) -> Part {
        self.value(value).first().copied().unwrap_or(Part::undef(2))
    }

    fn undefined(&self, ty: ir::Ty) -> Vec<Part> {
        self.sizes(ty).into_iter().map(Part::undef).collect()
    }

    pub(super) fn constant(&self, c: ir::Constant) -> Vec<Part> {
        let constants = &self.module.constants;
        let sizes = || self.sizes(constants.ty(c)).into_iter();
        match constants.get(c) {
            ConstantKind::Scalar(bits) => sizes().map(|size| Part::new(From::Number(*bits), size)).collect(),
            ConstantKind::Composite(parts) => parts.iter().flat_map(|&part| self.constant(part)).collect(),
            ConstantKind::Zero => sizes().map(|size| Part::new(From::Number(0), size)).collect(),
            ConstantKind::Spec(n) => self.constant(self.module.specs[*n as usize].default),
            _ => sizes().map(Part::undef).collect(),
        }
    }

    /// The sizes of the scalars of a type, in halves. Bools are 0 or 1 in 16 bits, as are integers of 8.
    pub(super) fn sizes(&self, ty: ir::Ty) -> Vec<u16> {
        let types = &self.module.types;
        match types.get(ty) {
            Type::Bool => vec![1],
            Type::Int(bits) | Type::Float(bits) => vec![u16::from(*bits).div_ceil(16)],
            Type::Vector(elem, n) => self.sizes(*elem).repeat(usize::from(*n)),
            Type::Array(elem, n, _) => self.sizes(*elem).repeat(*n as usize),
            Type::Struct(_, members) => members.iter().flat_map(|m| self.sizes(m.ty)).collect(),
            _ => Vec::new(),
        }
    }
}

/// Several scalars that stand one behind the other in a value already, as one.
pub(super) fn adjacent(parts: &[Part]) -> Option<Part> {
    let (first, rest) = parts.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let plain = |part: &Part| part.widened == Widened::No && part.signs == 0;
    let From::Value(value, offset) = first.from else { return None };
    let mut end = offset + first.size;
    for part in rest {
        if part.from != From::Value(value, end) || !plain(part) || part.size != first.size {
            return None;
        }
        end += part.size;
    }
    plain(first).then_some(Part::new(From::Value(value, offset), end - offset))
}

/// The value of a float in 16 or 32 bits.
fn float_value(bits: u64, size: u16) -> f64 {
    match size {
        1 => chiaro_num::F16.decode(bits as u32 & 0xffff),
        _ => f64::from(f32::from_bits(bits as u32)),
    }
}
