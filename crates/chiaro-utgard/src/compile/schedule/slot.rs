//! One instruction being filled.

use crate::compile::graph::{Node, Place};
use crate::isa::selector::{STORES, Select, Unit};
use crate::isa::word::{self, Field, Word};
use crate::isa::{Add0, Complex, Mul0};
use crate::regs::{NO_OFFSET, NO_STORE, WITH_TEMPORARY};

/// An instruction with what is taken of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) word: Word,
    /// Units in use, a bit each by [`bit`].
    units: u8,
    port0: bool,
    port1: bool,
    port2: bool,
    /// The address of temporary stores.
    address: Option<Node>,
    /// By unit: the value that it moves. Blocks have fewer nodes than 16 bits count.
    moved: [u16; 6],
}

/// No value.
const NOTHING: u16 = u16::MAX;

impl Default for Slot {
    fn default() -> Slot {
        Slot {
            word: Word::IDLE,
            units: 0,
            port0: false,
            port1: false,
            port2: false,
            address: None,
            moved: [NOTHING; 6],
        }
    }
}

/// The units, as [`Slot::moves`] numbers them.
const MOVERS: [Unit; 6] = [Unit::Pass, Unit::Mul1, Unit::Add1, Unit::Add0, Unit::Mul0, Unit::Complex];

const fn bit(unit: Unit) -> u8 {
    1 << unit as u8
}

/// An operand field of the word, by its lowest bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Input(u8);

impl Input {
    pub(super) const MUL0_A: Input = Input(word::MUL0_A.lo);
    pub(super) const MUL0_B: Input = Input(word::MUL0_B.lo);
    pub(super) const MUL1_A: Input = Input(word::MUL1_A.lo);
    pub(super) const MUL1_B: Input = Input(word::MUL1_B.lo);
    pub(super) const ADD0_A: Input = Input(word::ADD0_A.lo);
    pub(super) const ADD0_B: Input = Input(word::ADD0_B.lo);
    pub(super) const ADD1_A: Input = Input(word::ADD1_A.lo);
    pub(super) const ADD1_B: Input = Input(word::ADD1_B.lo);
    pub(super) const PASS_A: Input = Input(word::PASS_A.lo);
    pub(super) const COMPLEX_A: Input = Input(word::COMPLEX_A.lo);

    /// Whether it is an operand B, where 22 is a constant.
    #[inline]
    pub(super) fn is_b(self) -> bool {
        self.ident().is_some()
    }

    /// The constant that 22 is in an operand B, by its bits.
    #[inline]
    pub(super) fn ident(self) -> Option<u32> {
        match self {
            Input::MUL0_B | Input::MUL1_B => Some(1.0_f32.to_bits()),
            Input::ADD0_B | Input::ADD1_B => Some(0),
            _ => None,
        }
    }
}

/// Operands A and B; units with one operand have it twice.
pub(super) fn inputs(unit: Unit) -> (Input, Input) {
    match unit {
        Unit::Add0 => (Input::ADD0_A, Input::ADD0_B),
        Unit::Add1 => (Input::ADD1_A, Input::ADD1_B),
        Unit::Mul0 => (Input::MUL0_A, Input::MUL0_B),
        Unit::Mul1 => (Input::MUL1_A, Input::MUL1_B),
        Unit::Pass => (Input::PASS_A, Input::PASS_A),
        Unit::Complex => (Input::COMPLEX_A, Input::COMPLEX_A),
    }
}

/// Sign bits of an adder's operands.
pub(super) fn signs(unit: Unit) -> (Field, Field) {
    match unit {
        Unit::Add0 => (word::ADD0_NEG_A, word::ADD0_NEG_B),
        _ => (word::ADD1_NEG_A, word::ADD1_NEG_B),
    }
}

impl Slot {
    pub(super) fn is_used(&self) -> bool {
        self.units != 0
    }

    #[inline]
    pub(super) fn has(&self, unit: Unit) -> bool {
        self.units & bit(unit) != 0
    }

    /// Whether a unit can take a product or a move (multipliers), a sum or a move (adders with
    /// `Add`) or another operation of the adders.
    #[inline]
    pub(super) fn is_free(&self, unit: Unit, add: Add0) -> bool {
        let adders = self.units & (bit(Unit::Add0) | bit(Unit::Add1)) != 0;
        match unit {
            _ if self.has(unit) => false,
            Unit::Add0 | Unit::Add1 => !adders || Add0::in_word(self.word) == add,
            Unit::Mul0 => Mul0::in_word(self.word) == Mul0::Mul,
            Unit::Mul1 => matches!(Mul0::in_word(self.word), Mul0::Mul | Mul0::Complex2),
            Unit::Pass | Unit::Complex => true,
        }
    }

    /// Opcodes that an adder can take, a bit each: both run the same.
    pub(super) fn adder_opcodes(&self) -> u8 {
        match (self.has(Unit::Add0), self.has(Unit::Add1)) {
            (false, false) => u8::MAX,
            (true, true) => 0,
            _ => 1 << Add0::in_word(self.word).opcode(),
        }
    }

    pub(super) fn has_both_multipliers(&self) -> bool {
        self.units & (bit(Unit::Mul0) | bit(Unit::Mul1)) == 0 && Mul0::in_word(self.word) == Mul0::Mul
    }

    /// Units but the complex one that can take a move.
    pub(super) fn movers(&self) -> u32 {
        const ADDERS: u8 = bit(Unit::Add0) | bit(Unit::Add1);
        let adders = match self.units & ADDERS {
            0 => 2,
            ADDERS => 0,
            _ => u32::from(Add0::in_word(self.word) == Add0::Add),
        };
        let free = |unit: Unit| u32::from(!self.has(unit));
        let multipliers = match Mul0::in_word(self.word) {
            Mul0::Mul => free(Unit::Mul0) + free(Unit::Mul1),
            Mul0::Complex2 => free(Unit::Mul1),
            _ => 0,
        };
        adders + multipliers + free(Unit::Pass)
    }

    pub(super) fn take(&mut self, unit: Unit) {
        self.units |= bit(unit);
    }

    /// Notes what a unit moves.
    pub(super) fn moves(&mut self, unit: Unit, value: Node) {
        self.moved[MOVERS.iter().position(|&mover| mover == unit).unwrap_or(0)] = value.0 as u16;
    }

    /// The unit that moves a value.
    pub(super) fn mover(&self, value: Node) -> Option<Unit> {
        self.moved.iter().position(|&moved| u32::from(moved) == value.0).map(|at| MOVERS[at])
    }

    /// Lets an operand read a selector.
    #[inline]
    pub(super) fn read(&mut self, input: Input, selector: u32) {
        self.word.0 = self.word.0 & !(31 << input.0) | u128::from(selector & 31) << input.0;
    }

    #[inline]
    pub(super) fn set(&mut self, field: Field, value: u32) {
        self.word = self.word.with(field, value);
    }

    /// Lets port 0 load a register or attribute; `false` if it loads another one.
    pub(super) fn port0(&mut self, attribute: bool, index: u8) -> bool {
        let wanted = (u32::from(attribute), u32::from(index));
        if self.port0 {
            return (self.word.get(word::PORT0_ATTRIBUTE), self.word.get(word::PORT0_INDEX)) == wanted;
        }
        self.port0 = true;
        self.set(word::PORT0_ATTRIBUTE, wanted.0);
        self.set(word::PORT0_INDEX, wanted.1);
        true
    }

    /// Whether port 0 loads an attribute, or nothing yet.
    pub(super) fn may_have(&self, attribute: u8) -> bool {
        let loaded = (self.word.get(word::PORT0_ATTRIBUTE), self.word.get(word::PORT0_INDEX));
        !self.port0 || loaded == (1, u32::from(attribute))
    }

    /// Lets port 1 load a register.
    pub(super) fn port1(&mut self, index: u8) -> bool {
        if self.port1 {
            return self.word.get(word::PORT1_INDEX) == u32::from(index);
        }
        self.port1 = true;
        self.set(word::PORT1_INDEX, u32::from(index));
        true
    }

    /// Loads a register's component through either port; its selector.
    pub(super) fn register(&mut self, index: u8, component: u8) -> Option<u32> {
        // Port 1 serves nothing but registers: it goes first, unless port 0 has this one.
        if self.has_port0(index) {
            return Some(Select::Port0 { component, back: 0 }.first());
        }
        if self.port1(index) {
            return Some(Select::Port1(component).first());
        }
        self.port0(false, index).then_some(Select::Port0 { component, back: 0 }.first())
    }

    fn has_port0(&self, index: u8) -> bool {
        let wanted = (0, u32::from(index));
        self.port0 && (self.word.get(word::PORT0_ATTRIBUTE), self.word.get(word::PORT0_INDEX)) == wanted
    }

    /// Registers that ports 0 and 1 load, a bit each.
    pub(super) fn registers(&self) -> u32 {
        let is_register = self.port0 && self.word.get(word::PORT0_ATTRIBUTE) == 0;
        let port0 = if is_register { 1 << self.word.get(word::PORT0_INDEX) } else { 0 };
        port0 | if self.port1 { 1 << self.word.get(word::PORT1_INDEX) } else { 0 }
    }

    /// Ports that loading a register opens: none, port 1, or port 0, which attributes need.
    pub(super) fn register_cost(&self, index: u8) -> Option<u32> {
        match () {
            () if self.port1 && self.word.get(word::PORT1_INDEX) == u32::from(index) => Some(0),
            () if self.has_port0(index) => Some(0),
            () if !self.port1 => Some(1),
            () if !self.port0 => Some(3),
            () => None,
        }
    }

    /// The vec4 that port 2 loads; none that exists where an address register is added.
    pub(super) fn memory(&self) -> Option<u16> {
        let address = match self.word.get(word::LOAD_OFFSET) {
            NO_OFFSET => self.word.get(word::LOAD_ADDRESS) as u16,
            _ => u16::MAX,
        };
        self.port2.then_some(address)
    }

    /// Lets port 2 load a vec4.
    pub(super) fn port2(&mut self, address: u16) -> bool {
        self.port2_behind(address, NO_OFFSET)
    }

    /// The same with an address register added.
    pub(super) fn port2_behind(&mut self, address: u16, register: u32) -> bool {
        let wanted = (u32::from(address), register);
        if self.port2 {
            return (self.word.get(word::LOAD_ADDRESS), self.word.get(word::LOAD_OFFSET)) == wanted;
        }
        self.port2 = true;
        self.set(word::LOAD_ADDRESS, wanted.0);
        self.set(word::LOAD_OFFSET, wanted.1);
        true
    }

    /// Lets the temporary stores of this instruction go to the address that a node is; the
    /// complex unit sets it. `None` if they go elsewhere, true if it is new.
    pub(super) fn address(&mut self, node: Node) -> Option<bool> {
        if !self.can_address(node) {
            return None;
        }
        if self.address.is_some() {
            return Some(false);
        }
        self.address = Some(node);
        self.take(Unit::Complex);
        self.set(Complex::FIELD, Complex::Addr0.opcode());
        self.set(word::UNKNOWN, WITH_TEMPORARY);
        Some(true)
    }

    /// Whether temporary stores of this instruction can go to the address that a node is.
    pub(super) fn can_address(&self, node: Node) -> bool {
        match self.address {
            Some(address) => address == node,
            None => !self.has(Unit::Complex) && self.word.get(word::BRANCH) != 1,
        }
    }

    /// Stores a unit's result; `false` if the half stores elsewhere or the component is taken.
    pub(super) fn store(&mut self, unit: Unit, place: Place) -> bool {
        if !self.can_store(place) {
            return false;
        }
        let (component, (varying, temporary, index)) = destination(place);
        let to = STORES[component];
        self.set(to.varying, varying);
        self.set(to.temporary, temporary);
        self.set(to.index, index);
        self.set(to.unit, unit as u32);
        true
    }

    /// Whether the component can be stored.
    pub(super) fn can_store(&self, place: Place) -> bool {
        let (component, wanted) = destination(place);
        let (to, other) = (STORES[component], STORES[component ^ 1]);
        let is_shared = self.word.get(other.unit) != NO_STORE;
        let goes = || (self.word.get(to.varying), self.word.get(to.temporary), self.word.get(to.index));
        self.word.get(to.unit) == NO_STORE && (!is_shared || goes() == wanted)
    }
}

/// The component that a place is, and what the fields of its half are then: output, temporary, index.
fn destination(place: Place) -> (usize, (u32, u32, u32)) {
    let (component, goes) = match place {
        Place::Output(index, component) => (component, (1, 0, index.into())),
        Place::Register(index, component) => (component, (0, 0, index.into())),
        Place::Temporary(component) => (component, (0, 1, 0)),
    };
    (usize::from(component & 3), goes)
}
