//! Every program of some length, from its last instruction to its first.
//!
//! What a later instruction reads is a want: a unit of the instruction before makes it, or moves it,
//! or the one before that does. Registers and temporaries are left out: a program through them needs
//! more instructions than blocks of this size have. spec sections 4 to 6.

use std::collections::HashSet;

use super::values::{Adder, Making, Port, Signed, Values};

/// A value that the next instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Want {
    of: Signed,
    /// Whether an operand B reads it, which the complex unit cannot serve.
    is_b: bool,
}

/// What is known where an instruction ends.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct State {
    left: u32,
    /// Read by the next instruction, and by the one after that.
    near: Vec<Want>,
    far: Vec<Signed>,
    /// Stores that are not done, a bit each.
    stores: u32,
    /// A function whose last step the next instruction does.
    begun: Option<Signed>,
    /// What port 0 must load because the next instruction reads it.
    attribute: Option<u8>,
    /// Constants that are loaded: one vec4 has them all.
    constants: Vec<Signed>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Multiplier,
    Adder,
    Pass,
    Complex,
    /// complex1, whose result comes late.
    Late,
}

/// An instruction that is being filled.
#[derive(Clone)]
struct Filling {
    multipliers: u8,
    is_plain: bool,
    adders: u8,
    op: Adder,
    pass: bool,
    complex: bool,
    made: Vec<(Signed, Unit)>,
    attribute: Option<u8>,
    vector: Option<Port>,
    halves: [Option<u8>; 2],
    /// What the instruction before has to do.
    before: State,
}

/// Something that an instruction does, or may do.
#[derive(Clone, Copy)]
enum Item {
    Store(usize),
    Far(Signed),
    Near(Want),
}

/// A search for a program.
pub(crate) struct Search<'a> {
    values: &'a Values,
    failed: HashSet<State>,
    /// Decisions that may be taken yet.
    pub(crate) budget: u32,
}

impl<'a> Search<'a> {
    pub(crate) fn new(values: &'a Values, budget: u32) -> Search<'a> {
        Search { values, failed: HashSet::new(), budget }
    }

    /// Whether a program of a length exists; `None` if the search was given up.
    pub(crate) fn exists(&mut self, length: u32) -> Option<bool> {
        let stores = (1 << self.values.stores.len()) - 1;
        let found = self.from(State { left: length, stores, ..State::default() });
        if found { Some(true) } else { (self.budget > 0).then_some(false) }
    }

    fn from(&mut self, mut state: State) -> bool {
        let is_done = state.near.is_empty() && state.far.is_empty() && state.stores == 0;
        if is_done && state.begun.is_none() {
            return state.attribute.is_none() || state.left > 0;
        }
        state.near.sort_unstable();
        state.near.dedup();
        state.far.sort_unstable();
        state.far.dedup();
        state.constants.sort_unstable();
        state.constants.dedup();
        if state.constants.len() > 4 || !self.may_end(&state) || self.failed.contains(&state) {
            return false;
        }
        let found = self.instruction(&state);
        if !found && self.budget > 0 {
            self.failed.insert(state);
        }
        found
    }

    /// Whether there are instructions enough for every value by itself.
    fn may_end(&self, state: &State) -> bool {
        let depth = |value: u8| self.values.depths[usize::from(value)];
        let stores = (0..self.values.stores.len()).filter(|i| state.stores >> i & 1 != 0);
        stores.map(|i| self.values.stores[i].2.value).all(|value| depth(value) <= state.left)
            && state.near.iter().all(|want| depth(want.of.value) <= state.left)
            // What is read two instructions later may be complex1's, which counts the one between.
            && state.far.iter().all(|of| depth(of.value) <= state.left + 1)
            && state.left > 0
    }

    fn instruction(&mut self, state: &State) -> bool {
        let stores = (0..self.values.stores.len()).filter(|i| state.stores >> i & 1 != 0).map(Item::Store);
        let far = state.far.iter().copied().map(Item::Far);
        let near = state.near.iter().copied().map(Item::Near);
        let mut items: Vec<Item> = far.chain(stores).chain(near).collect();
        // What takes either sign may share what is made with one.
        items.sort_by_key(|item| match item {
            Item::Far(of) => of.sign == 0,
            Item::Store(_) => false,
            Item::Near(want) => want.of.sign == 0,
        });
        let before = State {
            left: state.left - 1,
            stores: state.stores,
            constants: state.constants.clone(),
            ..State::default()
        };
        let filling = Filling {
            multipliers: u8::from(state.begun.is_some()),
            is_plain: state.begun.is_none(),
            adders: 0,
            op: Adder::Add,
            pass: false,
            complex: state.begun.is_some(),
            made: Vec::new(),
            attribute: state.attribute,
            vector: None,
            halves: [None; 2],
            before,
        };
        match state.begun {
            Some(x) => self.read(&filling, x, true).into_iter().any(|next| self.items(&next, &items)),
            None => self.items(&filling, &items),
        }
    }

    /// All ways to do the items from one on.
    fn items(&mut self, filling: &Filling, items: &[Item]) -> bool {
        self.budget = self.budget.saturating_sub(1);
        if self.budget == 0 {
            return false;
        }
        let Some((&item, rest)) = items.split_first() else { return self.from(filling.before.clone()) };
        match item {
            Item::Store(i) => {
                let (output, component, of) = self.values.stores[i];
                let half = &filling.halves[usize::from(component / 2)];
                if half.is_none_or(|other| other == output) {
                    let is_right = |unit: Unit| unit != Unit::Late;
                    for mut next in self.with(filling, of, is_right) {
                        next.halves[usize::from(component / 2)] = Some(output);
                        next.before.stores &= !(1 << i);
                        if self.items(&next, rest) {
                            return true;
                        }
                    }
                }
                self.items(filling, rest)
            }
            Item::Far(of) => {
                let ways = self.with(filling, of, |unit| unit != Unit::Complex);
                ways.iter().any(|next| self.items(next, rest))
            }
            Item::Near(want) => {
                let is_right = |unit| unit != Unit::Late && (unit != Unit::Complex || !want.is_b);
                let ways = self.with(filling, want.of, is_right);
                if ways.iter().any(|next| self.items(next, rest)) {
                    return true;
                }
                let mut later = filling.clone();
                later.before.far.push(want.of);
                self.items(&later, rest)
            }
        }
    }

    /// All ways to have a value in this instruction.
    fn with(&self, filling: &Filling, of: Signed, is_right: impl Fn(Unit) -> bool) -> Vec<Filling> {
        let serves = |made: &(Signed, Unit)| {
            made.0.value == of.value && (made.0.sign == of.sign || of.sign == 0) && is_right(made.1)
        };
        if filling.made.iter().any(serves) {
            return vec![filling.clone()];
        }
        let mut all = Vec::new();
        for &(making, sign) in &self.values.makings[usize::from(of.value)] {
            if sign == 0 || of.sign == 0 || sign == of.sign {
                let unit = unit_of(making);
                let sign = if of.sign == 0 { sign } else { of.sign };
                if is_right(unit) {
                    let made = (Signed { sign, ..of }, unit);
                    all.extend(self.make(filling, making).into_iter().map(|next| noted(next, made)));
                }
            }
        }
        self.moves(filling, of, &is_right, &mut all);
        all
    }

    /// A value moved: multipliers and adders turn signs.
    fn moves(&self, filling: &Filling, of: Signed, is_right: &impl Fn(Unit) -> bool, all: &mut Vec<Filling>) {
        let either = Signed { sign: 0, ..of };
        for unit in [Unit::Pass, Unit::Complex, Unit::Multiplier, Unit::Adder] {
            let from = if matches!(unit, Unit::Pass | Unit::Complex) { of } else { either };
            if is_right(unit)
                && let Some(taken) = take(filling, unit, Adder::Add)
            {
                all.extend(self.read(&taken, from, false).into_iter().map(|next| noted(next, (of, unit))));
            }
        }
    }

    fn make(&self, filling: &Filling, making: Making) -> Vec<Filling> {
        match making {
            Making::Product(a, b) => {
                self.two(&take(filling, Unit::Multiplier, Adder::Add), a, b, Unit::Multiplier)
            }
            Making::Adder(op @ Adder::Floor, a, _) => match take(filling, Unit::Adder, op) {
                Some(taken) => self.read(&taken, any(a), false),
                None => Vec::new(),
            },
            Making::Adder(op @ (Adder::Ge | Adder::Lt), a, b) => {
                let taken = take(filling, Unit::Adder, op);
                self.in_order(&taken, a, b, Unit::Adder)
            }
            Making::Adder(op, a, b) => self.two(&take(filling, Unit::Adder, op), a, b, Unit::Adder),
            Making::Select(condition, yes, no) => {
                self.wide(filling, &[(condition, true), (yes, false), (no, false)])
            }
            Making::Function(x) => {
                let mut all = self.wide(filling, &[(x, true)]);
                all.retain(|next| next.before.begun.is_none());
                all.iter_mut().for_each(|next| next.before.begun = Some(x));
                all
            }
        }
    }

    fn wide(&self, filling: &Filling, operands: &[(Signed, bool)]) -> Vec<Filling> {
        if filling.multipliers > 0 || !filling.is_plain {
            return Vec::new();
        }
        let mut all = vec![Filling { multipliers: 2, ..filling.clone() }];
        for &(of, is_b) in operands {
            all = all.iter().flat_map(|next| self.read(next, of, is_b)).collect();
        }
        all
    }

    /// Two operands in either order.
    fn two(&self, taken: &Option<Filling>, a: u8, b: u8, unit: Unit) -> Vec<Filling> {
        let mut all = self.in_order(taken, a, b, unit);
        if a != b {
            all.extend(self.in_order(taken, b, a, unit));
        }
        all
    }

    /// Operand A, then B, where adders have 0.
    fn in_order(&self, taken: &Option<Filling>, a: u8, b: u8, unit: Unit) -> Vec<Filling> {
        let Some(taken) = taken else { return Vec::new() };
        let first = self.read(taken, any(a), false);
        if unit == Unit::Adder && self.values.is_zero(b) {
            return first;
        }
        first.iter().flat_map(|next| self.read(next, any(b), true)).collect()
    }

    /// All ways to read an operand.
    fn read(&self, filling: &Filling, of: Signed, is_b: bool) -> Vec<Filling> {
        let mut all = Vec::new();
        if let Some((port, sign)) = self.values.ports[usize::from(of.value)]
            && (port == Port::Constant || of.sign == 0 || of.sign == sign)
        {
            self.load(filling, port, of, &mut all);
        }
        let mut later = filling.clone();
        later.before.near.push(Want { of, is_b });
        all.push(later);
        all
    }

    fn load(&self, filling: &Filling, port: Port, of: Signed, all: &mut Vec<Filling>) {
        if let Port::Attribute(i) = port {
            if filling.attribute.is_none_or(|other| other == i) {
                all.push(Filling { attribute: Some(i), ..filling.clone() });
            }
            if filling.before.attribute.is_none_or(|other| other == i) {
                let mut next = filling.clone();
                next.before.attribute = Some(i);
                all.push(next);
            }
        } else if filling.vector.is_none_or(|other| other == port) {
            let mut next = Filling { vector: Some(port), ..filling.clone() };
            if port == Port::Constant {
                next.before.constants.push(Signed { sign: if of.sign == 0 { 1 } else { of.sign }, ..of });
            }
            all.push(next);
        }
    }
}

fn any(value: u8) -> Signed {
    Signed { value, sign: 0 }
}

fn unit_of(making: Making) -> Unit {
    match making {
        Making::Product(..) | Making::Select(..) => Unit::Multiplier,
        Making::Adder(..) => Unit::Adder,
        Making::Function(_) => Unit::Late,
    }
}

fn noted(mut filling: Filling, made: (Signed, Unit)) -> Filling {
    filling.made.push(made);
    filling
}

/// The instruction with a unit more in use, if one is free.
fn take(filling: &Filling, unit: Unit, op: Adder) -> Option<Filling> {
    let mut next = filling.clone();
    match unit {
        Unit::Multiplier if filling.multipliers < 2 => next.multipliers += 1,
        Unit::Adder if filling.adders == 0 || filling.adders == 1 && filling.op == op => {
            (next.adders, next.op) = (filling.adders + 1, op);
        }
        Unit::Pass if !filling.pass => next.pass = true,
        Unit::Complex if !filling.complex => next.complex = true,
        _ => return None,
    }
    Some(next)
}
