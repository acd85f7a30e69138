//! Functions that lifted programs call: what the machine has in one word and languages do not.

use chiaro_ir::{Builder, FunctionRef, Module, Type, Value};

use super::Style;
use super::float24::Float24;
use super::interface::unique;
use super::products::ruled;
use crate::machine::config::{Config, Mode};

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Helper {
    /// Products of so many components, zero where one is zero and the other infinite (spec section 5).
    Product(u8),
    /// The same of float24 where that cannot be.
    Bare(u8),
    /// The sum of such products, from the left or in pairs.
    Dot(u8, bool),
    /// The sum of so many components, from the left or in pairs.
    Total(u8, bool),
    /// What only float24 needs a function for, on so many components.
    Narrow(Narrow, u8),
}

/// An operation of float24 ([`Float24`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Narrow {
    Round,
    Sum,
    Floor,
    Reciprocal,
    InverseRoot,
}

impl Narrow {
    fn name(self) -> &'static str {
        match self {
            Narrow::Round => "narrow",
            Narrow::Sum => "sum",
            Narrow::Floor => "round_down",
            Narrow::Reciprocal => "reciprocal",
            Narrow::InverseRoot => "inverse_root",
        }
    }
}

/// How numbers are kept and rounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Numbers {
    /// As the language has them.
    Plain,
    Binary32,
    Float24 {
        is_nearest: bool,
    },
}

impl Numbers {
    pub(super) fn of(config: &Config, style: Style) -> Numbers {
        match config.mode {
            _ if style == Style::Plain => Numbers::Plain,
            Mode::Emu32 => Numbers::Binary32,
            Mode::Hw24 => Numbers::Float24 { is_nearest: config.rounds_to_nearest },
        }
    }
}

/// The functions that a program calls so far.
pub(super) struct Helpers {
    known: Vec<(Helper, FunctionRef)>,
    numbers: Numbers,
}

impl Helpers {
    pub(super) fn new(numbers: Numbers) -> Helpers {
        Helpers { known: Vec::new(), numbers }
    }

    /// Calls a helper, which is declared if it is not yet.
    pub(super) fn call(&mut self, b: &mut Builder<'_>, helper: Helper, args: &[Value]) -> Value {
        let callee = self.declared(b.module(), helper);
        b.call(callee, args).unwrap_or(args[0])
    }

    /// An operation of float24 on as many components as the operands have.
    pub(super) fn narrow(&mut self, b: &mut Builder<'_>, what: Narrow, args: &[Value]) -> Value {
        let ty = b.ty(args[0]);
        let n = b.types().components(ty);
        self.call(b, Helper::Narrow(what, n), args)
    }

    /// A sum by the rules of the mode.
    pub(super) fn sum(&mut self, b: &mut Builder<'_>, x: Value, y: Value) -> Value {
        match self.numbers {
            Numbers::Plain | Numbers::Binary32 => b.fadd(x, y),
            Numbers::Float24 { .. } => self.narrow(b, Narrow::Sum, &[x, y]),
        }
    }

    /// How numbers are kept.
    pub(super) fn numbers(&self) -> Numbers {
        self.numbers
    }

    /// Whether there is one that multiplies by the machine's rule.
    pub(super) fn multiply(&self) -> bool {
        self.known.iter().any(|(helper, _)| matches!(helper, Helper::Product(_)))
    }

    /// What a function does, if it is one of these.
    pub(super) fn of(&self, function: FunctionRef) -> Option<Helper> {
        self.known.iter().find(|(_, known)| *known == function).map(|(helper, _)| *helper)
    }

    pub(super) fn declared(&mut self, module: &mut Module, helper: Helper) -> FunctionRef {
        if let Some((_, known)) = self.known.iter().find(|(other, _)| *other == helper) {
            return *known;
        }
        let float = module.types.intern(Type::Float(32));
        let (Helper::Product(n)
        | Helper::Bare(n)
        | Helper::Dot(n, _)
        | Helper::Total(n, _)
        | Helper::Narrow(_, n)) = helper;
        let operand = module.types.vector(float, n);
        let numbered = |name: &str| if n == 1 { name.to_owned() } else { format!("{name}{n}") };
        let (name, params, result) = match helper {
            Helper::Product(_) => (numbered("product"), 2, operand),
            Helper::Bare(_) => (numbered("bare_product"), 2, operand),
            Helper::Dot(..) => (numbered("dot"), 2, float),
            Helper::Total(..) => (numbered("total"), 1, float),
            Helper::Narrow(what, _) => (numbered(what.name()), 1 + usize::from(what == Narrow::Sum), operand),
        };
        let name = unique(name, |name| module.functions.iter().all(|function| function.name != name));
        let function = module.declare(name, &[operand; 2][..params], result);
        self.known.push((helper, function));
        // What it calls is declared with it.
        if let Helper::Dot(n, _) = helper {
            self.declared(module, Helper::Product(n));
        }
        if let (Helper::Dot(..) | Helper::Total(..), Numbers::Float24 { .. }) = (helper, self.numbers) {
            self.declared(module, Helper::Narrow(Narrow::Sum, 1));
        }
        function
    }

    /// Instructions for which a function has room at first: most need no more.
    fn room(&self) -> usize {
        if let Numbers::Float24 { .. } = self.numbers { 96 } else { 12 }
    }

    /// Writes the bodies of what was called. Tests show that their types fit.
    pub(super) fn finish(mut self, module: &mut Module) -> Result<(), chiaro_ir::Mistake> {
        let room = self.room();
        for at in 0..self.known.len() {
            let (helper, function) = self.known[at];
            let mut b = Builder::at(module, function);
            (b.flags.exact, b.is_trusted) = (true, true);
            b.function_mut().reserve(room);
            let value = self.body(&mut b, helper);
            b.return_value(value);
            b.finish()?;
        }
        Ok(())
    }

    fn body(&mut self, b: &mut Builder<'_>, helper: Helper) -> Value {
        let x = b.param(0);
        match (helper, self.numbers) {
            (Helper::Product(_) | Helper::Bare(_), Numbers::Float24 { is_nearest }) => {
                let y = b.param(1);
                Float24 { b, is_nearest }.product(x, y, matches!(helper, Helper::Product(_)))
            }
            (Helper::Bare(_), _) => {
                let y = b.param(1);
                b.fmul(x, y)
            }
            (Helper::Product(_), _) => {
                let y = b.param(1);
                let product = b.fmul(x, y);
                ruled(b, [x, y], product, product)
            }
            (Helper::Dot(n, in_pairs), _) => {
                let y = b.param(1);
                let products = self.call(b, Helper::Product(n), &[x, y]);
                self.total(b, products, n, in_pairs)
            }
            (Helper::Total(n, in_pairs), _) => self.total(b, x, n, in_pairs),
            (Helper::Narrow(what, _), numbers) => {
                let is_nearest = numbers == Numbers::Float24 { is_nearest: true };
                narrow(Float24 { b, is_nearest }, what, x)
            }
        }
    }

    /// The sum of the components.
    fn total(&mut self, b: &mut Builder<'_>, products: Value, n: u8, in_pairs: bool) -> Value {
        let parts: Vec<Value> = (0..n).map(|i| b.extract(products, i.into())).collect();
        match (in_pairs, &parts[..]) {
            (true, &[x, y]) => self.sum(b, x, y),
            (true, &[x, y, z]) => {
                let first = self.sum(b, x, y);
                self.sum(b, first, z)
            }
            (true, &[x, y, z, w]) => {
                let (first, second) = (self.sum(b, x, y), self.sum(b, z, w));
                self.sum(b, first, second)
            }
            _ => {
                let zero = b.f32(0.0);
                parts.iter().fold(zero, |sum, &part| self.sum(b, sum, part))
            }
        }
    }
}

fn narrow(mut float24: Float24<'_, '_>, what: Narrow, x: Value) -> Value {
    match what {
        Narrow::Round => float24.narrowed(x),
        Narrow::Sum => {
            let y = float24.b.param(1);
            float24.sum(x, y)
        }
        Narrow::Floor => float24.floor(x),
        Narrow::Reciprocal => float24.reciprocal(x),
        Narrow::InverseRoot => float24.inverse_root(x),
    }
}
