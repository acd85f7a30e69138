//! What a shader's own code says of its inputs: the numbers at which it decides, how far its loops count,
//! what it indexes, which vectors it measures, where its integers have their borders.
//!
//! A walk from each operation that distinguishes numbers back to the inputs that reach it through moves
//! and through sums and products with constants; what else is on the way ends the walk.

mod origin;

use std::collections::HashMap;

use chiaro_ir::interp::{Exact, Interpreter};
use chiaro_ir::sample::{Wish, Wishes};
use chiaro_ir::{EntryPoint, Function, Inst, Module, Op, Type, Value, Walk};
use chiaro_opt::{Cx, TO_VALUES};

use super::buffer::ELEMENTS;
use super::texels;
use origin::{Look, Origin};

/// Rounds that a loop is given at most where the application sets how many.
const ROUNDS: u32 = 8;
/// Numbers beyond this are no choice between inputs: they stand for infinity.
const LARGEST: f64 = 1e9;

/// What suits the inputs of an entry point. Integers are exact on the machine up to `exact`.
#[must_use]
pub fn wishes(module: &Module, entry: &EntryPoint, exact: u32) -> Wishes {
    let mut values = module.clone();
    let _ = Cx::default().run_all(TO_VALUES, &mut values, entry.function);
    let layout = Interpreter::with(&values, entry, Exact);
    let f = values.function(entry.function);
    let look = Look::new(&values, f, &layout);
    let mut found = Found { look, wishes: Wishes::new(), rounds: HashMap::new(), exact: f64::from(exact) };
    // How far a counter may go is known before the loop's bound is looked at.
    Walk::insts(f).for_each(|inst| found.indices(inst));
    Walk::insts(f).for_each(|inst| found.inst(inst));
    found.wishes
}

struct Found<'m> {
    look: Look<'m>,
    wishes: Wishes,
    /// Counters that index something: below what.
    rounds: HashMap<Value, u32>,
    exact: f64,
}

impl Found<'_> {
    fn f(&self) -> &Function {
        self.look.f
    }

    fn wish(&mut self, origin: &Origin) -> &mut Wish {
        self.wishes.entry((origin.variable, origin.offset)).or_default()
    }

    /// Places and components that are chosen by number.
    fn indices(&mut self, inst: Inst) {
        let args: Vec<Value> = self.f().args(inst).to_vec();
        match self.f().op(inst) {
            Op::Access => {
                let (mut ty, _) = self.look.pointee(args[0]);
                for &index in &args[1..] {
                    let is_open = matches!(self.look.module.types.get(ty), Type::RuntimeArray(..));
                    let count = self.look.module.types.part_count(ty).or(is_open.then_some(ELEMENTS));
                    let Some(count) = count else { return };
                    self.index(index, count);
                    let number = self.look.number(index, &[]).map_or(0, |n| n as u32);
                    let Some(part) = self.look.module.types.part(ty, number) else { return };
                    ty = part;
                }
            }
            Op::ImageRead | Op::ImageWrite | Op::TexelPointer => self.texel(args[0], args[1]),
            Op::ExtractDyn | Op::InsertDyn => {
                let count = self.look.module.types.components(self.f().ty(args[0]));
                self.index(args[args.len() - 1], count.into());
            }
            _ => {}
        }
    }

    fn index(&mut self, index: Value, count: u32) {
        if let Some(counter) = self.look.counter(index) {
            let rounds = self.rounds.entry(counter).or_insert(count);
            *rounds = count.min(*rounds);
        }
        for origin in self.look.origins(index, &[]) {
            let below = origin.input(f64::from(count)).max(1.0) as u32;
            let wish = self.wish(&origin);
            wish.below = Some(wish.below.map_or(below, |other| other.min(below)));
        }
    }

    /// Coordinates of a texel of a storage image are those of one that there is.
    fn texel(&mut self, image: Value, at: Value) {
        let (ty, _) = self.look.pointee(image);
        let Some(image) = self.look.module.types.image(ty) else { return };
        for (path, size) in self.look.scalars(at).iter().zip(texels::size(&image)) {
            for origin in self.look.origins(at, path) {
                let below = origin.input(f64::from(size)).max(1.0) as u32;
                let wish = self.wish(&origin);
                wish.below = Some(wish.below.map_or(below, |other| other.min(below)));
            }
        }
    }

    fn inst(&mut self, inst: Inst) {
        use Op::*;
        let (op, args) = (self.f().op(inst), self.f().args(inst).to_vec());
        match op {
            FEq | FNe | FLt | FLe | IEq | INe | SLt | SLe | ULt | ULe => {
                self.decides(args[0], args[1]);
                self.decides(args[1], args[0]);
            }
            FMin | FMax | SMin | SMax | UMin | UMax => self.against(args[0], args[1]),
            FClamp => [args[1], args[2]].into_iter().for_each(|limit| self.against(args[0], limit)),
            Switch => {
                let cases: Vec<u64> = self.f().cases(inst).map(|(case, _)| case).collect();
                cases.into_iter().for_each(|case| self.values(args[0], &[], f64::from(case as u32 as i32)));
            }
            FDot if args[0] == args[1] => self.unit(args[0]),
            IAdd | ISub | IMul | Shl | LShr | AShr | And | Or | Xor | UDiv | SDiv | URem | SRem | SMod => {
                self.borders(op, args[0], args[1]);
                self.borders(op, args[1], args[0]);
            }
            SToF | UToF => self.border(args[0], &[], self.exact),
            _ => {}
        }
    }

    /// A comparison: with a constant, or of a counter with its end.
    fn decides(&mut self, x: Value, with: Value) {
        self.against(x, with);
        let Some(counter) = self.look.counter(with) else { return };
        let most = self.rounds.get(&counter).map_or(ROUNDS, |&below| below.min(ROUNDS));
        for origin in self.look.origins(x, &[]) {
            let count = Some(origin.input(f64::from(most)).max(1.0) as u32);
            self.wish(&origin).count = count;
        }
    }

    /// A value meets a constant.
    fn against(&mut self, x: Value, with: Value) {
        for path in self.look.scalars(x) {
            if let Some(number) = self.look.number(with, &path) {
                self.values(x, &path, number);
            }
        }
    }

    fn values(&mut self, x: Value, path: &[u32], number: f64) {
        for origin in self.look.origins(x, path) {
            let value = origin.input(number);
            let values = &mut self.wish(&origin).values;
            if value.abs() < LARGEST && !values.contains(&value) {
                values.push(value);
            }
        }
    }

    /// The length of a vector is taken.
    fn unit(&mut self, x: Value) {
        for path in self.look.scalars(x) {
            let origins = self.look.origins(x, &path);
            origins
                .iter()
                .filter(|origin| origin.is_input())
                .for_each(|origin| self.wish(origin).unit = true);
        }
    }

    /// Where an operation on integers has its borders, for one of its operands.
    fn borders(&mut self, op: Op, x: Value, other: Value) {
        if !matches!(self.look.module.types.get(self.f().ty(x)), Type::Int(32) | Type::Vector(..)) {
            return;
        }
        for path in self.look.scalars(x) {
            let other = self.look.number(other, &path);
            let border = match (op, other) {
                (Op::IAdd | Op::ISub, Some(c)) => self.exact - c.abs(),
                (Op::IAdd | Op::ISub, None) => self.exact / 2.0,
                (Op::IMul, Some(c)) => self.exact / c.abs().max(1.0),
                (Op::IMul, None) => self.exact.sqrt(),
                (Op::Shl, Some(c)) => self.exact / c.clamp(0.0, 31.0).exp2(),
                (Op::LShr | Op::AShr, Some(c)) => c.clamp(0.0, 31.0).exp2(),
                (_, Some(c)) => c.abs() + 1.0,
                _ => continue,
            };
            self.border(x, &path, border);
            self.border(x, &path, self.exact);
        }
    }

    fn border(&mut self, x: Value, path: &[u32], border: f64) {
        let exact = self.exact;
        for origin in self.look.origins(x, path) {
            let value = origin.input(border).floor();
            let borders = &mut self.wish(&origin).borders;
            if value.abs() <= exact && !borders.contains(&value) {
                borders.push(value);
            }
        }
    }
}
