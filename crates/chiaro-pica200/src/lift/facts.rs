//! What is known of the floats of a lifted program: [`Bounds`] of each component of each value, by one walk in
//! the order of the text.

use chiaro_ir::{Constant, ConstantKind, Def, Function, Inst, Module, Op, Step, Value, Walk};

use super::bounds::Bounds;
use super::helpers::{Helper, Helpers, Narrow, Numbers};

/// By component; of a scalar the first counts.
type Row = [Bounds; 4];

const ANY: Row = [Bounds::ANY; 4];

/// Facts of a function's values.
pub(super) struct Facts<'m> {
    module: &'m Module,
    function: &'m Function,
    helpers: &'m Helpers,
    /// By value; `None` before anything is known of it.
    rows: Vec<Option<Row>>,
}

impl<'m> Facts<'m> {
    pub(super) fn of(module: &'m Module, function: &'m Function, helpers: &'m Helpers) -> Facts<'m> {
        let mut facts = Facts { module, function, helpers, rows: vec![None; function.value_count()] };
        for step in Walk::new(function) {
            if let Step::Inst(inst) = step {
                facts.note(inst);
            }
        }
        facts
    }

    /// The components of a value.
    pub(super) fn row(&self, v: Value) -> Row {
        match self.function.def(v) {
            Def::Constant(c) => self.constant(c),
            _ => self.rows[v.0 as usize].unwrap_or(ANY),
        }
    }

    /// Whether one is the other, perhaps with its sign exchanged: both are infinite or neither is.
    pub(super) fn are_one(&self, a: Value, b: Value) -> bool {
        let positive = |v: Value| match self.function.def(v) {
            Def::Result(inst, _) if self.function.op(inst) == Op::FNeg => self.function.args(inst)[0],
            _ => v,
        };
        positive(a) == positive(b)
    }

    fn constant(&self, c: Constant) -> Row {
        let constants = &self.module.constants;
        let one = |c: Constant| constants.bits(c).map_or(Bounds::ANY, Bounds::number);
        match constants.get(c) {
            ConstantKind::Composite(parts) => {
                std::array::from_fn(|n| parts.get(n).map_or(Bounds::ANY, |&part| one(part)))
            }
            _ => [one(c); 4],
        }
    }

    fn note(&mut self, inst: Inst) {
        let f = self.function;
        if let Op::Exit(at) = f.op(inst) {
            for (result, &arg) in f.results(at).zip(f.args(inst)) {
                let new = self.row(arg);
                let row = &mut self.rows[result.0 as usize];
                *row = Some(row.map_or(new, |known| std::array::from_fn(|n| known[n].join(new[n]))));
            }
            return;
        }
        let Some(result) = f.result_of(inst) else { return };
        if f.op(inst).is_construct() || !self.module.types.is_float(f.ty(result)) {
            return;
        }
        self.rows[result.0 as usize] = Some(self.result(inst));
    }

    fn result(&self, inst: Inst) -> Row {
        let args = self.function.args(inst);
        let row = |n: usize| args.get(n).map_or(ANY, |&v| self.row(v));
        // All components of a scalar are one.
        let is_scalar = args.first().is_some_and(|&v| self.width(v) == 1);
        let one = |f: fn(Bounds) -> Bounds| {
            let row = row(0);
            if is_scalar { [f(row[0]); 4] } else { row.map(f) }
        };
        let two = |f: fn(Bounds, Bounds) -> Bounds| {
            let (a, b) = (row(0), row(1));
            if is_scalar { [f(a[0], b[0]); 4] } else { both(a, b, f) }
        };
        match self.function.op(inst) {
            Op::FAdd => two(Bounds::sum),
            Op::FSub => two(|a, b| a.sum(b.negative())),
            Op::FMul if args[0] == args[1] => one(Bounds::square),
            Op::FMul => two(Bounds::bare_product),
            Op::FDiv => two(Bounds::quotient),
            Op::FNeg => one(Bounds::negative),
            Op::FAbs => one(Bounds::size),
            Op::FFloor => one(Bounds::floor),
            Op::FSqrt => one(Bounds::root),
            Op::FExp2 => one(Bounds::power),
            Op::FMin | Op::FMax => two(Bounds::join),
            Op::Select => self.chosen(args),
            Op::Extract(n) => [row(0).get(n as usize).copied().unwrap_or(Bounds::ANY); 4],
            Op::Construct => self.composed(args),
            Op::Insert(n) => {
                let mut all = row(0);
                all.iter_mut().skip(n as usize).take(1).for_each(|part| *part = row(1)[0]);
                all
            }
            Op::Shuffle(parts) => self.shuffled(args, parts),
            Op::Call(callee) => self.helpers.of(callee).map_or(ANY, |helper| self.called(helper, args)),
            _ => ANY,
        }
    }

    /// Parts of values one behind the other; a scalar alone is every component.
    fn composed(&self, args: &[Value]) -> Row {
        if let [one] = *args {
            return [self.row(one)[0]; 4];
        }
        let mut parts = args.iter().flat_map(|&v| self.row(v).into_iter().take(self.width(v)));
        std::array::from_fn(|_| parts.next().unwrap_or(Bounds::ANY))
    }

    fn shuffled(&self, args: &[Value], parts: [u8; 4]) -> Row {
        let [a, b] = [0, 1].map(|n| self.row(args[n.min(args.len() - 1)]));
        let split = self.width(args[0]);
        parts.map(|part| match usize::from(part) {
            part if part < split => a[part],
            part => b.get(part - split).copied().unwrap_or(Bounds::ANY),
        })
    }

    fn width(&self, v: Value) -> usize {
        self.module.types.components(self.function.ty(v)).into()
    }

    /// One of two, each by what the condition says of it: of the machine's MIN and MAX the bounds of both.
    fn chosen(&self, args: &[Value]) -> Row {
        let [condition, yes, no] = [0, 1, 2].map(|n| args[n]);
        let (mut first, mut second) = (self.row(yes), self.row(no));
        let comparison = match self.function.def(condition) {
            Def::Result(inst, _) => (self.function.op(inst), self.function.args(inst)),
            _ => (Op::Select, args),
        };
        // Of what does not hold, either may have been NaN.
        if let (Op::FLt | Op::FLe, &[less, more]) = comparison {
            let (low, high) = (self.row(less), self.row(more));
            if yes == less {
                first = both(first, high, Bounds::where_below);
            }
            if yes == more {
                first = both(first, low, Bounds::where_above);
            }
            if no == less {
                second = both(second, high, Bounds::where_not_below);
            }
            if no == more {
                second = both(second, low, Bounds::where_not_above);
            }
        }
        both(first, second, Bounds::join)
    }

    /// What one of our own functions gives.
    fn called(&self, helper: Helper, args: &[Value]) -> Row {
        let row = |n: usize| args.get(n).map_or(ANY, |&v| self.row(v));
        let products = || match args {
            [a, b] if a == b => row(0).map(Bounds::square),
            _ => both(row(0), row(1), Bounds::product),
        };
        let result = match helper {
            Helper::Product(_) | Helper::Bare(_) => products(),
            Helper::Dot(n, in_pairs) => [self.total(products(), n, in_pairs); 4],
            Helper::Total(n, in_pairs) => [self.total(row(0), n, in_pairs); 4],
            Helper::Narrow(Narrow::Round, _) => row(0),
            Helper::Narrow(Narrow::Sum, _) => both(row(0), row(1), Bounds::sum),
            Helper::Narrow(Narrow::Floor, _) => row(0).map(Bounds::floor),
            Helper::Narrow(Narrow::Reciprocal, _) => row(0).map(reciprocal),
            Helper::Narrow(Narrow::InverseRoot, _) => row(0).map(|x| reciprocal(x.root())),
        };
        result.map(|bounds| self.rounded(bounds))
    }

    /// The sum of so many components, in the order of the words.
    fn total(&self, parts: Row, n: u8, in_pairs: bool) -> Bounds {
        let sum = |a: Bounds, b: Bounds| self.rounded(a.sum(b));
        let [x, y, z, w] = parts;
        match (in_pairs, n) {
            (true, 4) => sum(sum(x, y), sum(z, w)),
            _ => parts.into_iter().take(n.into()).fold(Bounds::between(0.0, 0.0), sum),
        }
    }

    fn rounded(&self, bounds: Bounds) -> Bounds {
        match self.helpers.numbers() {
            Numbers::Float24 { .. } => bounds.narrowed(),
            Numbers::Plain | Numbers::Binary32 => bounds,
        }
    }
}

fn both(a: Row, b: Row, f: fn(Bounds, Bounds) -> Bounds) -> Row {
    std::array::from_fn(|n| f(a[n], b[n]))
}

fn reciprocal(x: Bounds) -> Bounds {
    Bounds::between(1.0, 1.0).quotient(x)
}
