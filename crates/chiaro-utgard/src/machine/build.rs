//! Decodes words to steps: every operand is resolved to the slot that holds it at that distance.

use chiaro_sim::{Code, Denormals, FloatEnv, Op, Prepared, Slot};

use super::program::{BANK, Config, FaultKind, Gather, Layout, Program, Source, Step, may_repeat};
use crate::exec::{self, ComplexStep, Constants, Product};
use crate::isa::selector::{STORES, Select, Unit, is_busy};
use crate::isa::word::{self, Field, Word};
use crate::isa::{Add0, Complex, Mul0, Pass};
use crate::regs::{IDENT, NO_OFFSET, NO_STORE, SCALARS};

impl Program {
    /// Decodes a program.
    #[must_use]
    pub fn new(words: &[Word], config: &Config) -> Program {
        let mut program = Builder::new(words, config).build();
        program.prepared = config.engine.map(|engine| Prepared::new(&program.code, engine));
        program
    }
}

struct Builder<'a> {
    words: &'a [Word],
    config: &'a Config,
    code: Code,
    layout: Layout,
    consts: Constants,
    /// Spare slots for operands with the other sign.
    signed: [Slot; 2],
    poison: Slot,
    minus_zero: Slot,
    uniforms: Vec<(u16, Slot)>,
    /// Whether uniform memory is written, so that every load has to look.
    has_temporaries: bool,
    at: usize,
    step: Step,
}

/// The number of a unit's result in a bank.
fn place(unit: Unit) -> u16 {
    match unit {
        Unit::Add0 => 0,
        Unit::Add1 => 1,
        Unit::Mul0 => 2,
        Unit::Mul1 => 3,
        Unit::Pass => 4,
        Unit::Complex => 5,
    }
}

impl<'a> Builder<'a> {
    fn new(words: &'a [Word], config: &'a Config) -> Builder<'a> {
        let env = match config.flush {
            true => FloatEnv { denormals: Denormals::Flush, ..FloatEnv::IEEE },
            false => FloatEnv::IEEE,
        };
        let mut code = Code::new(env);
        let layout = Layout {
            attributes: code.slots(SCALARS as u16),
            outputs: code.slots(SCALARS as u16),
            registers: code.slots(SCALARS as u16),
            addresses: code.slots(4),
            loaded: code.slots(4),
            results: code.slots(3 * BANK),
        };
        let consts = Constants { zero: code.slots(1), one: code.slots(1), spare: code.slots(1) };
        let signed = [code.slots(1), code.slots(1)];
        let (poison, minus_zero) = (code.slots(1), code.slots(1));
        let temporary = |w: &Word| w.get(word::STORE0_TEMPORARY) | w.get(word::STORE1_TEMPORARY) != 0;
        let has_temporaries = words.iter().any(temporary);
        let (uniforms, step) = (Vec::new(), Step::default());
        Builder {
            words,
            config,
            code,
            layout,
            consts,
            signed,
            poison,
            minus_zero,
            uniforms,
            has_temporaries,
            at: 0,
            step,
        }
    }

    fn build(mut self) -> Program {
        let mut steps = Vec::with_capacity(self.words.len());
        for at in 0..self.words.len() {
            self.at = at;
            self.step = Step::default();
            let start = self.code.uops.len();
            self.instruction();
            self.step.uops = start..self.code.uops.len();
            steps.push(std::mem::take(&mut self.step));
        }
        let constants = vec![
            (self.consts.zero, 0),
            (self.consts.one, exec::ONE),
            (self.poison, self.config.poison),
            (self.minus_zero, 1 << 31),
        ];
        Program {
            may_repeat: may_repeat(&steps),
            steps,
            code: self.code,
            prepared: None,
            layout: self.layout,
            uniforms: self.uniforms,
            constants,
            config: *self.config,
        }
    }

    fn word(&self) -> Word {
        self.words[self.at]
    }

    /// The slot of a unit's result, `back` instructions before this one.
    fn result(&self, unit: Unit, back: usize) -> Slot {
        let bank = (self.at + 3 - back) % 3;
        self.layout.results.at(bank as u16 * BANK + place(unit))
    }

    fn fault(&mut self, kind: FaultKind) {
        self.step.faults.push(kind);
    }

    fn instruction(&mut self) {
        self.multipliers();
        self.adder(Unit::Add0, word::ADD0_A, word::ADD0_B, [word::ADD0_NEG_A, word::ADD0_NEG_B]);
        self.adder(Unit::Add1, word::ADD1_A, word::ADD1_B, [word::ADD1_NEG_A, word::ADD1_NEG_B]);
        self.pass();
        self.complex();
        self.stores();
        self.branch();
        let word = self.word();
        let busy = Unit::ALL.into_iter().filter(|&unit| is_busy(word, unit));
        self.step.busy = busy.map(|unit| (unit, self.result(unit, 0))).collect();
    }

    fn multipliers(&mut self) {
        let word = self.word();
        match exec::multiplier(Mul0::in_word(word)) {
            Product::Each => self.product(Unit::Mul0, word::MUL0_A, word::MUL0_B, word::MUL0_NEG),
            Product::Second => self.forward(Unit::Mul0, word::MUL0_A),
            Product::Last => return self.last_step(),
            Product::Choice => return self.select(),
            Product::Unknown => return self.fault(FaultKind::Unknown(Mul0::FIELD.name)),
        }
        self.product(Unit::Mul1, word::MUL1_A, word::MUL1_B, word::MUL1_NEG);
    }

    fn product(&mut self, unit: Unit, a: Field, b: Field, neg: Field) {
        if !is_busy(self.word(), unit) {
            return;
        }
        let (x, y) = (self.operand(a), self.factor(b));
        let d = self.result(unit, 0);
        self.code.each(Op::Fmul, &[d], &[&[x], &[y]]);
        if self.word().get(neg) == 1 {
            self.code.each(Op::Fneg, &[d], &[&[d]]);
        }
    }

    /// A step that hands its operand on.
    fn forward(&mut self, unit: Unit, a: Field) {
        if is_busy(self.word(), unit) {
            let (d, x) = (self.result(unit, 0), self.operand(a));
            self.code.each(Op::Mov, &[d], &[&[x]]);
        }
    }

    fn last_step(&mut self) {
        let before = self.at.checked_sub(1).map_or(Word::IDLE, |before| self.words[before]);
        let (d, x) = (self.result(Unit::Mul0, 0), self.factor(word::MUL1_B));
        self.step.reads_back = true;
        if let ComplexStep::Forward(Some(function)) = exec::complex(Complex::in_word(before)) {
            self.code.each(function, &[d], &[&[x]]);
        } else {
            self.fault(FaultKind::NoResult("complex"));
            self.code.each(Op::Mov, &[d], &[&[self.poison]]);
        }
    }

    fn select(&mut self) {
        let operands = [self.operand(word::MUL0_A), self.factor(word::MUL0_B), self.operand(word::MUL1_A)];
        self.step.conditions.push(operands[1]);
        exec::select(self.result(Unit::Mul0, 0), operands, &self.consts, &mut self.code);
    }

    fn adder(&mut self, unit: Unit, a: Field, b: Field, signs: [Field; 2]) {
        let word = self.word();
        if !is_busy(word, unit) {
            return;
        }
        let op = Add0::in_word(word);
        let y = match word.get(b) {
            IDENT => self.consts.zero,
            _ if op.is_unary() => self.consts.zero,
            _ => self.read(b, true),
        };
        let operands = [self.operand(a), y];
        let mut used = operands;
        for i in 0..2 {
            if word.get(signs[i]) == 1 {
                used[i] = if operands[i] == self.consts.zero { self.minus_zero } else { self.signed[i] };
                if used[i] != self.minus_zero {
                    self.code.each(Op::Fneg, &[used[i]], &[&[operands[i]]]);
                }
            }
        }
        let d = self.result(unit, 0);
        if exec::adder(op, d, used[0], used[1], &self.consts, &mut self.code).is_none() {
            self.fault(FaultKind::Unknown(Add0::FIELD.name));
        }
    }

    fn pass(&mut self) {
        let word = self.word();
        if !is_busy(word, Unit::Pass) {
            return;
        }
        match exec::clamps(Pass::in_word(word)) {
            Some(false) => self.forward(Unit::Pass, word::PASS_A),
            Some(true) => {
                let (d, x) = (self.result(Unit::Pass, 0), self.operand(word::PASS_A));
                let limits = [self.loaded(0), self.loaded(1)];
                exec::clamp(d, x, limits, &mut self.code);
            }
            None => self.fault(FaultKind::Unknown(Pass::FIELD.name)),
        }
    }

    fn complex(&mut self) {
        let word = self.word();
        if !is_busy(word, Unit::Complex) {
            return;
        }
        match exec::complex(Complex::in_word(word)) {
            ComplexStep::Nothing => {}
            ComplexStep::Forward(_) => self.forward(Unit::Complex, word::COMPLEX_A),
            ComplexStep::Address(register) => {
                // Rounded toward zero; indices are whole in practice. [unknown]
                let (d, x) = (self.result(Unit::Complex, 0), self.operand(word::COMPLEX_A));
                self.code.each(Op::FtoS, &[d], &[&[x]]);
                self.step.address = Some((register, d));
            }
            ComplexStep::Unknown => self.fault(FaultKind::Unknown(Complex::FIELD.name)),
        }
    }

    fn stores(&mut self) {
        let word = self.word();
        for (component, store) in (0..).zip(STORES) {
            let Some(unit) = self.stored(word.get(store.unit)) else { continue };
            let to = |bank| Layout::part(bank, word.get(store.index), component);
            match (word.get(store.temporary), word.get(store.varying)) {
                (1, _) => self.step.temporaries.push((component as u8, unit)),
                (_, 1) => self.step.outputs.push((unit, to(self.layout.outputs))),
                _ => self.step.registers.push((unit, to(self.layout.registers))),
            }
        }
    }

    /// The slot that a store takes; `None` where nothing is stored.
    fn stored(&mut self, selector: u32) -> Option<Slot> {
        if selector == NO_STORE {
            return None;
        }
        let word = self.word();
        let unit = Unit::of_store(selector).filter(|&unit| is_busy(word, unit));
        let late = unit == Some(Unit::Mul0) && Mul0::in_word(word) == Mul0::Complex1;
        match unit {
            Some(unit) if !late => Some(self.result(unit, 0)),
            _ => {
                self.fault(FaultKind::NoResult("store"));
                Some(self.poison)
            }
        }
    }

    fn branch(&mut self) {
        let word = self.word();
        if let Some(target) = word.target() {
            let condition = match is_busy(word, Unit::Pass) {
                true => self.result(Unit::Pass, 0),
                false => self.poison,
            };
            self.step.conditions.push(condition);
            self.step.branch = Some((target, condition));
        }
    }

    /// Operand A of a unit.
    fn operand(&mut self, field: Field) -> Slot {
        self.read(field, false)
    }

    /// Operand B of a multiplier.
    fn factor(&mut self, field: Field) -> Slot {
        match self.word().get(field) {
            IDENT => self.consts.one,
            _ => self.read(field, true),
        }
    }

    fn read(&mut self, field: Field, is_b: bool) -> Slot {
        let selector = self.word().get(field);
        match Select::of(selector, is_b) {
            Select::Port0 { component, back } => self.port0(usize::from(back), u32::from(component)),
            Select::Port1(component) => {
                let index = self.word().get(word::PORT1_INDEX);
                let slot = Layout::part(self.layout.registers, index, u32::from(component));
                self.step.reads.push(slot);
                self.step.sources.push((Source::Register(index, component), slot));
                slot
            }
            Select::Load(component) => {
                let slot = self.loaded(component);
                let address = self.word().get(word::LOAD_ADDRESS) as u16;
                self.step.sources.push((Source::Uniform(address, component & 3), slot));
                slot
            }
            Select::Result(unit, back) => self.back(unit, usize::from(back)),
            Select::Ident | Select::Unused | Select::Unknown(_) => {
                self.fault(FaultKind::Unknown(field.name));
                self.poison
            }
        }
    }

    fn port0(&mut self, back: usize, component: u32) -> Slot {
        let Some(from) = self.at.checked_sub(back) else {
            self.fault(FaultKind::NoResult("in0"));
            return self.poison;
        };
        self.step.reads_back |= back > 0;
        let word = self.words[from];
        let index = word.get(word::PORT0_INDEX);
        if word.get(word::PORT0_ATTRIBUTE) == 1 {
            let slot = Layout::part(self.layout.attributes, index, component);
            self.step.sources.push((Source::Attribute(index, component as u8), slot));
            return slot;
        }
        let slot = Layout::part(self.layout.registers, index, component);
        self.step.sources.push((Source::Register(index, component as u8), slot));
        self.step.reads.push(slot);
        slot
    }

    /// A result of before, if it is there at this distance.
    fn back(&mut self, unit: Unit, back: usize) -> Slot {
        self.step.reads_back = true;
        let from = self.at.checked_sub(back).map(|from| self.words[from]);
        let is_there = from.is_some_and(|word| {
            let late = unit == Unit::Mul0 && Mul0::in_word(word) == Mul0::Complex1 && back == 1;
            is_busy(word, unit) && !late
        });
        if is_there {
            return self.result(unit, back);
        }
        self.fault(FaultKind::NoResult(unit.name()));
        self.poison
    }

    /// A component of this instruction's uniform load.
    fn loaded(&mut self, component: u8) -> Slot {
        let word = self.word();
        let address = word.get(word::LOAD_ADDRESS) as u16;
        let offset = match word.get(word::LOAD_OFFSET) {
            NO_OFFSET => 0,
            n @ 1..=3 => n as u8,
            _ => {
                self.fault(FaultKind::Unknown("load_offset"));
                return self.poison;
            }
        };
        if offset != 0 || self.has_temporaries {
            let others = self.step.gather.map_or(0, |gather| gather.components);
            let components = others | 1 << (component & 3);
            self.step.gather = Some(Gather { address, offset, components });
            return self.layout.loaded.at(u16::from(component));
        }
        let known = self.uniforms.iter().find(|(known, _)| *known == address).map(|(_, slot)| *slot);
        let slot = known.unwrap_or_else(|| {
            let slot = self.code.slots(4);
            self.uniforms.push((address, slot));
            slot
        });
        slot.at(u16::from(component))
    }
}
