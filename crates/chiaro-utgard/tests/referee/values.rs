//! What a block's values are, whatever operations make them: numbers at many points.
//!
//! Two values that agree at all points, up to their sign, are one. How a value can be made is not
//! asked of the compiler: every operation of the machine is tried on every pair of values.

use std::collections::HashMap;

use chiaro_utgard::compile::graph::{Graph, Op, Place, Source};

/// Points at which values are compared: enough that those of two signs or of 0 and 1 differ.
const POINTS: usize = 24;
/// Values that are looked at: more make a block one that the referee leaves alone.
const MOST_VALUES: usize = 120;

type Numbers = [f64; POINTS];

/// An operation of the adders.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Adder {
    Add,
    Floor,
    Ge,
    Lt,
    Min,
    Max,
}

/// Where a value can be loaded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Port {
    Attribute(u8),
    Uniform(u16),
    Constant,
}

/// A value with the sign that is wanted of it: 1, -1, or 0 for either.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Signed {
    pub(crate) value: u8,
    pub(crate) sign: i8,
}

impl Signed {
    fn turned(self) -> Signed {
        Signed { sign: -self.sign, ..self }
    }
}

/// A way to make a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Making {
    /// A product: signs go to the result.
    Product(u8, u8),
    /// An adder's operation: operands with any sign.
    Adder(Adder, u8, u8),
    /// Condition, value if it is not 0, value if it is.
    Select(Signed, Signed, Signed),
    /// A reciprocal, or that of a root: complex2 and complex1.
    Function(Signed),
}

impl Making {
    /// Whether it is the same but for signs.
    fn is_like(self, other: Making) -> bool {
        match (self, other) {
            (Making::Product(a, b), Making::Product(c, d)) => (a, b) == (c, d) || (a, b) == (d, c),
            (Making::Adder(op, a, b), Making::Adder(other, c, d)) => {
                op == other && ((a, b) == (c, d) || (a, b) == (d, c))
            }
            _ => false,
        }
    }
}

/// A making with the sign that it gives; 0 if either can be had.
pub(crate) type Made = (Making, i8);

/// The values of a block.
pub(crate) struct Values {
    numbers: Vec<Numbers>,
    known: HashMap<u64, Vec<u8>>,
    pub(crate) ports: Vec<Option<(Port, i8)>>,
    pub(crate) makings: Vec<Vec<Made>>,
    /// Instructions before a use that making the value takes at least.
    pub(crate) depths: Vec<u32>,
    freedom: Freedom,
    /// Output, component and what it gets.
    pub(crate) stores: Vec<(u8, u8, Signed)>,
}

/// Which operations a program may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Freedom {
    /// Those of the block.
    Schedules,
    /// Any that give its values.
    Selections,
}

impl Values {
    /// The values of a block; `None` if it has too many, or operations that are not modelled.
    pub(crate) fn of(graph: &Graph, freedom: Freedom) -> Option<Values> {
        let mut values = Values {
            numbers: Vec::new(),
            known: HashMap::new(),
            ports: Vec::new(),
            makings: Vec::new(),
            depths: Vec::new(),
            freedom,
            stores: Vec::new(),
        };
        values.nodes(graph)?;
        if freedom == Freedom::Selections {
            values.close()?;
            values.pairs();
        }
        values.measure();
        Some(values)
    }

    /// A value by its numbers, new or known.
    fn value(&mut self, numbers: Numbers) -> Option<Signed> {
        if numbers.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let (numbers, sign) = positive(numbers);
        let key = key(&numbers);
        let same = |&&i: &&u8| close(&self.numbers[usize::from(i)], &numbers);
        if let Some(&value) = self.known.get(&key).and_then(|list| list.iter().find(same)) {
            return Some(Signed { value, sign });
        }
        let value = u8::try_from(self.numbers.len()).ok().filter(|&i| usize::from(i) < MOST_VALUES)?;
        self.known.entry(key).or_default().push(value);
        self.ports.push(is_constant(&numbers).then_some((Port::Constant, 0)));
        self.numbers.push(numbers);
        self.makings.push(Vec::new());
        Some(Signed { value, sign })
    }

    /// A value that is known already.
    fn find(&self, numbers: Numbers) -> Option<Signed> {
        let (numbers, sign) = positive(numbers);
        let list = self.known.get(&key(&numbers))?;
        let value = *list.iter().find(|&&i| close(&self.numbers[usize::from(i)], &numbers))?;
        Some(Signed { value, sign })
    }

    /// The block's own values, and how it makes them.
    fn nodes(&mut self, graph: &Graph) -> Option<()> {
        let mut made: Vec<Signed> = Vec::new();
        for data in graph.nodes() {
            let arg = |i: usize| {
                let (arg, neg) = (made[data.args()[i].node.0 as usize], data.args()[i].neg);
                Signed { sign: if neg { -arg.sign } else { arg.sign }, ..arg }
            };
            let number = |s: Signed| self.numbers[usize::from(s.value)].map(|x| x * f64::from(s.sign));
            let all: Vec<Signed> = (0..data.args().len()).map(arg).collect();
            let args: Vec<Numbers> = all.iter().map(|&s| number(s)).collect();
            let zip = |f: fn(f64, f64) -> f64| std::array::from_fn(|i| f(args[0][i], args[1][i]));
            let pair = |op| Making::Adder(op, all[0].value, all[1].value);
            let (numbers, making) = match data.op {
                Op::Load(source) => {
                    made.push(self.loaded(source)?);
                    continue;
                }
                Op::Store(Place::Output(o, c)) => {
                    self.stores.push((o, c, all[0]));
                    made.push(all[0]);
                    continue;
                }
                Op::Mul(neg) => {
                    let product = zip(|a, b| a * b).map(|x: f64| if neg { -x } else { x });
                    (product, Some(Making::Product(all[0].value, all[1].value)))
                }
                Op::Neg => (args[0].map(|x| -x), None),
                Op::Add => (zip(|a, b| a + b), Some(pair(Adder::Add))),
                Op::Min => (zip(f64::min), Some(pair(Adder::Min))),
                Op::Max => (zip(f64::max), Some(pair(Adder::Max))),
                Op::Ge => (zip(|a, b| truth(a >= b)), Some(pair(Adder::Ge))),
                Op::Lt => (zip(|a, b| truth(a < b)), Some(pair(Adder::Lt))),
                Op::Floor => {
                    (args[0].map(f64::floor), Some(Making::Adder(Adder::Floor, all[0].value, all[0].value)))
                }
                Op::Select => {
                    let choose = |i: usize| if args[0][i] != 0.0 { args[1][i] } else { args[2][i] };
                    (std::array::from_fn(choose), Some(Making::Select(all[0], all[1], all[2])))
                }
                Op::Rcp => (args[0].map(|x| 1.0 / x), Some(Making::Function(all[0]))),
                _ => return None,
            };
            // An operation whose result is a constant, such as x times 1/x: the same, and to a search
            // a value that port 2 has.
            if is_constant(&numbers) {
                return None;
            }
            let known = self.numbers.len();
            let value = self.value(numbers)?;
            if let Some(making) = making {
                // Two operations with one value: the block is not what its source would become.
                let is_known = usize::from(value.value) < known;
                if is_known
                    && !self.makings[usize::from(value.value)].iter().any(|(own, _)| own.is_like(making))
                {
                    return None;
                }
                self.makes(value, making);
            }
            made.push(value);
        }
        Some(())
    }

    /// Notes a way to make a value. The smaller one of two is the larger one of their opposites.
    fn makes(&mut self, value: Signed, making: Making) {
        let list = &mut self.makings[usize::from(value.value)];
        match making {
            Making::Product(..) | Making::Adder(Adder::Add, ..) => list.push((making, 0)),
            Making::Adder(Adder::Min, a, b) => {
                list.extend([(making, value.sign), (Making::Adder(Adder::Max, a, b), -value.sign)]);
            }
            Making::Adder(Adder::Max, a, b) => {
                list.extend([(making, value.sign), (Making::Adder(Adder::Min, a, b), -value.sign)]);
            }
            _ => list.push((making, value.sign)),
        }
        // The sign of the operands in place of the result's is another choice of operations.
        let turned = match making {
            Making::Select(condition, yes, no) => Making::Select(condition, yes.turned(), no.turned()),
            Making::Function(x) => Making::Function(x.turned()),
            _ => return,
        };
        if self.freedom == Freedom::Selections {
            list.push((turned, -value.sign));
        }
    }

    /// Whether a value is 0, which operand B of an adder has without a load.
    pub(crate) fn is_zero(&self, value: u8) -> bool {
        self.numbers[usize::from(value)] == [0.0; POINTS]
    }

    fn loaded(&mut self, source: Source) -> Option<Signed> {
        let (port, seed) = match source {
            Source::Constant(bits) => return self.value([f64::from(f32::from_bits(bits)); POINTS]),
            Source::Attribute(i, c) => (Port::Attribute(i), u64::from(i) * 4 + u64::from(c)),
            Source::Uniform(i, c) => (Port::Uniform(i), 1000 + u64::from(i) * 4 + u64::from(c)),
            _ => return None,
        };
        let value = self.value(std::array::from_fn(|i| point(seed * 64 + i as u64)))?;
        self.ports[usize::from(value.value)] = Some((port, value.sign));
        Some(value)
    }

    /// Whatever one operation makes of two values.
    fn close(&mut self) -> Option<()> {
        let count = self.numbers.len();
        for a in 0..count {
            for b in a..count {
                for (_, numbers) in self.operations(a, b) {
                    // What is not finite at every point is no use.
                    if numbers.iter().all(|x| x.is_finite()) {
                        self.value(numbers)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Every way to make a known value from two.
    fn pairs(&mut self) {
        for a in 0..self.numbers.len() {
            for b in a..self.numbers.len() {
                for (making, numbers) in self.operations(a, b) {
                    let Some(made) = self.find(numbers) else { continue };
                    let is_itself = usize::from(made.value) == a || usize::from(made.value) == b;
                    if !is_itself {
                        self.makes(made, making);
                    }
                }
            }
        }
    }

    /// Products and sums, smaller and larger one of two values of any sign.
    fn operations(&self, a: usize, b: usize) -> Vec<(Making, Numbers)> {
        let (x, y) = (self.numbers[a], self.numbers[b]);
        let zip = |f: fn(f64, f64) -> f64| std::array::from_fn(|i| f(x[i], y[i]));
        let adder = |op| Making::Adder(op, a as u8, b as u8);
        vec![
            (Making::Product(a as u8, b as u8), zip(|a, b| a * b)),
            (adder(Adder::Add), zip(|a, b| a + b)),
            (adder(Adder::Add), zip(|a, b| a - b)),
            (adder(Adder::Min), zip(f64::min)),
            (adder(Adder::Max), zip(f64::max)),
            (adder(Adder::Min), zip(|a, b| a.min(-b))),
            (adder(Adder::Max), zip(|a, b| a.max(-b))),
        ]
    }

    /// Depths, by rounds until nothing changes.
    fn measure(&mut self) {
        self.depths = vec![u32::MAX / 4; self.numbers.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for value in 0..self.numbers.len() {
                let made = self.makings[value].iter().map(|(making, _)| self.depth_of(*making));
                let least = made.min().unwrap_or(u32::MAX / 4);
                let least = if self.ports[value].is_some() { 1 } else { least };
                if least < self.depths[value] {
                    (self.depths[value], changed) = (least, true);
                }
            }
        }
    }

    fn depth_of(&self, making: Making) -> u32 {
        let before = |value: u8| {
            let value = usize::from(value);
            if self.ports[value].is_some() { 0 } else { self.depths[value] }
        };
        match making {
            Making::Product(a, b) | Making::Adder(_, a, b) => 1 + before(a).max(before(b)),
            Making::Select(a, b, c) => 1 + before(a.value).max(before(b.value)).max(before(c.value)),
            Making::Function(a) => 3 + before(a.value),
        }
    }
}

fn truth(x: bool) -> f64 {
    f64::from(u8::from(x))
}

/// The same numbers with the first that is not 0 positive, and the sign that they had.
fn positive(numbers: Numbers) -> (Numbers, i8) {
    let is_negative = numbers.iter().find(|x| **x != 0.0).is_some_and(|x| *x < 0.0);
    if is_negative { (numbers.map(|x| -x), -1) } else { (numbers, 1) }
}

/// Numbers that are close have the same key, nearly always: where they do not, a way to make a value is missed.
fn key(numbers: &Numbers) -> u64 {
    (numbers[0] * 1e6).round() as i64 as u64
}

/// Whether a value is the same at all points, but for rounding.
fn is_constant(numbers: &Numbers) -> bool {
    close(numbers, &[numbers[0]; POINTS])
}

fn close(a: &Numbers, b: &Numbers) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(1e-3))
}

/// A number from -3 to 3 that is not near 0.
fn point(seed: u64) -> f64 {
    let mut x = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    let unit = (x >> 11) as f64 / (1u64 << 53) as f64;
    let number = unit.mul_add(2.7, 0.3);
    if x & 1 == 0 { number } else { -number }
}
