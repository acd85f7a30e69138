//! Arithmetic and composites.

use super::state::{Answer, Repr, Select};
use crate::compile::graph::Base;
use crate::compile::graph::{Component, Components, components_of, splat};
use crate::isa::Op as Machine;
use chiaro_ir::{Def, Inst, Op, Value};
use chiaro_opt::lower::Native;

impl Select<'_> {
    /// One instruction of the IR.
    pub(super) fn inst(&mut self, inst: Inst) -> Answer<()> {
        let op = self.f.op(inst);
        if op.is_construct() || op.is_exit() {
            return self.flow(inst);
        }
        let Some(result) = self.f.result_of(inst) else { return self.effect(inst) };
        if self.is_for_loop(inst) {
            return Ok(());
        }
        let repr = match op {
            Op::Load | Op::Access | Op::Var(_) => self.memory(inst)?,
            Op::Construct | Op::Extract(_) | Op::Insert(_) | Op::Shuffle(_) => self.movement(inst)?,
            Op::FNeg | Op::INeg => {
                let (components, n) = self.arg(inst, 0)?;
                Repr::Components(components.map(Component::negated), n)
            }
            Op::FDot => self.dot(inst)?,
            Op::Select => self.select(inst)?,
            _ if self.module.types.is_bool(self.f.ty(result)) => self.logic(inst)?,
            _ => self.arithmetic(inst)?,
        };
        self.set(result, repr);
        Ok(())
    }

    /// Whether an operation leads from an integer register to what LOOP does itself: counters of rounds,
    /// tests at heads of loops, steps of aL. Nothing stands for these.
    fn is_for_loop(&self, inst: Inst) -> bool {
        use Op::{Extract, FToS, FToU, IAdd, SLe, SLt, SToF, ULe, ULt, UToF};
        let is_of_nothing = |&v: &Value| {
            !matches!(self.f.def(v), Def::Constant(_)) && matches!(self.values[v.0 as usize], Repr::None)
        };
        matches!(self.f.op(inst), Extract(_) | FToS | FToU | SToF | UToF | IAdd | SLe | SLt | ULe | ULt)
            && self.f.args(inst).iter().any(is_of_nothing)
    }

    /// The components of an operand.
    pub(super) fn arg(&mut self, inst: Inst, n: usize) -> Answer<(Components, u8)> {
        match self.f.args(inst).get(n) {
            Some(&value) => self.components(value),
            None => Err(self.unsupported(inst)),
        }
    }

    fn arithmetic(&mut self, inst: Inst) -> Answer<Repr> {
        let op = self.f.op(inst);
        if let Some(repr) = self.counter_arithmetic(inst)? {
            return Ok(repr);
        }
        let (a, n) = self.arg(inst, 0)?;
        let made = match op {
            Op::FAdd | Op::IAdd => self.two(Machine::Add, inst, a, n)?,
            Op::FMul | Op::IMul => self.two(Machine::Mul, inst, a, n)?,
            Op::FMin | Op::SMin | Op::UMin => self.two(Machine::Min, inst, a, n)?,
            Op::FMax | Op::SMax | Op::UMax => self.two(Machine::Max, inst, a, n)?,
            Op::FSub | Op::ISub => {
                let b = self.arg(inst, 1)?.0.map(Component::negated);
                self.each(Machine::Add, n, &[a, b])
            }
            Op::Fma => {
                let (b, c) = (self.arg(inst, 1)?.0, self.arg(inst, 2)?.0);
                self.each(Machine::Mad, n, &[a, b, c])
            }
            Op::FClamp => self.clamp(inst, a, n)?,
            Op::FAbs | Op::IAbs => self.each(Machine::Max, n, &[a, a.map(Component::negated)]),
            Op::FFloor => self.each(Machine::Flr, n, &[a]),
            Op::FRsqrt => self.scalars(Machine::Rsq, a, n),
            Op::FExp2 => self.scalars(Machine::Ex2, a, n),
            Op::FLog2 => self.scalars(Machine::Lg2, a, n),
            Op::FSqrt => self.root(inst, a, n)?,
            Op::FDiv => self.quotient(inst, a, n)?,
            Op::FFract => self.fraction(inst, a, n)?,
            // Integers are the floats of the same value.
            Op::SToF | Op::UToF | Op::SExt | Op::ZExt | Op::FToF => Repr::Components(a, n),
            // Legal IR has it for indices, which MOVA rounds, and of whole numbers.
            Op::FToS => Repr::Components(a, n),
            Op::Native(number) => self.native(inst, number, a, n)?,
            _ => return Err(self.unsupported(inst)),
        };
        Ok(made)
    }

    fn clamp(&mut self, inst: Inst, a: Components, n: u8) -> Answer<Repr> {
        let (low, high) = (self.arg(inst, 1)?.0, self.arg(inst, 2)?.0);
        let Repr::Components(raised, _) = self.each(Machine::Max, n, &[a, low]) else {
            return Err(self.unsupported(inst));
        };
        Ok(self.each(Machine::Min, n, &[raised, high]))
    }

    /// A square root: 0 for 0, because zero times infinity is zero [gpu-tests].
    fn root(&mut self, inst: Inst, a: Components, n: u8) -> Answer<Repr> {
        let Repr::Components(root, _) = self.scalars(Machine::Rsq, a, n) else {
            return Err(self.unsupported(inst));
        };
        Ok(self.each(Machine::Mul, n, &[a, root]))
    }

    fn quotient(&mut self, inst: Inst, a: Components, n: u8) -> Answer<Repr> {
        let b = self.arg(inst, 1)?.0;
        let Repr::Components(inverse, _) = self.scalars(Machine::Rcp, b, n) else {
            return Err(self.unsupported(inst));
        };
        if a[..usize::from(n)].iter().all(|l| l.value() == Some(1.0)) {
            return Ok(Repr::Components(inverse, n));
        }
        Ok(self.each(Machine::Mul, n, &[a, inverse]))
    }

    fn fraction(&mut self, inst: Inst, a: Components, n: u8) -> Answer<Repr> {
        let Repr::Components(floor, _) = self.each(Machine::Flr, n, &[a]) else {
            return Err(self.unsupported(inst));
        };
        Ok(self.each(Machine::Add, n, &[a, floor.map(Component::negated)]))
    }

    fn two(&mut self, op: Machine, inst: Inst, a: Components, n: u8) -> Answer<Repr> {
        let b = self.arg(inst, 1)?.0;
        Ok(self.each(op, n, &[a, b]))
    }

    /// A component-wise node.
    pub(super) fn each(&mut self, op: Machine, n: u8, args: &[Components]) -> Repr {
        let node = self.node(op, n, args);
        Repr::Components(components_of(Base::Node(node)), n)
    }

    /// A scalar function of each component; equal components are computed once.
    pub(super) fn scalars(&mut self, op: Machine, a: Components, n: u8) -> Repr {
        let mut found: Components = [Component::UNDEF; 4];
        for i in 0..usize::from(n) {
            found[i] = match a[..i].iter().position(|component| *component == a[i]) {
                Some(known) => found[known],
                None => Component::new(Base::Node(self.node(op, 1, &[splat(a[i])])), 0),
            };
        }
        if n == 1 {
            found = splat(found[0]);
        }
        Repr::Components(found, n)
    }

    /// A scalar as components: the same in all places, so that operands can take any of them.
    pub(super) fn scalar(component: Component) -> Repr {
        Repr::Components(splat(component), 1)
    }

    fn dot(&mut self, inst: Inst) -> Answer<Repr> {
        let (a, n) = self.arg(inst, 0)?;
        let (b, _) = self.arg(inst, 1)?;
        let node = match n {
            4 => self.node(Machine::Dp4, 1, &[a, b]),
            3 => self.node(Machine::Dp3, 1, &[a, b]),
            _ => {
                // Two instructions either way; a zero in a third component costs a constant.
                let product = self.node(Machine::Mul, 2, &[a, b]);
                let component = |i| splat(Component::new(Base::Node(product), i));
                self.node(Machine::Add, 1, &[component(0), component(1)])
            }
        };
        Ok(Self::scalar(Component::new(Base::Node(node), 0)))
    }

    /// What only moves components.
    fn movement(&mut self, inst: Inst) -> Answer<Repr> {
        let result = self.f.result_of(inst).ok_or_else(|| self.unsupported(inst))?;
        let ty = self.f.ty(result);
        let args: Vec<_> = self.f.args(inst).to_vec();
        match self.f.op(inst) {
            Op::Construct => {
                let parts: Answer<Vec<Repr>> = args.iter().map(|&a| self.repr(a)).collect();
                let n = self.module.types.components(ty);
                match (n, parts?) {
                    (2.., parts) if parts.len() == 1 => self.spread(parts.into_iter().next(), n),
                    (n, parts) => Ok(self.composite(n > 0, parts)),
                }
            }
            Op::Extract(part) => {
                let whole = self.repr(args[0])?;
                self.extract(whole, part)
            }
            Op::Insert(part) => {
                let (whole, new) = (self.repr(args[0])?, self.repr(args[1])?);
                self.insert(whole, part, new)
            }
            Op::Shuffle(which) => {
                let (a, n) = self.components(args[0])?;
                let (b, _) = self.components(args[1])?;
                let width = self.module.types.components(ty);
                let pick = |i: usize| match which[i] {
                    255 => Component::UNDEF,
                    k if k < n => a[usize::from(k & 3)],
                    k => b[usize::from((k - n) & 3)],
                };
                Ok(Repr::Components(std::array::from_fn(pick), width))
            }
            _ => Err(self.unsupported(inst)),
        }
    }

    /// A scalar in all components.
    fn spread(&mut self, scalar: Option<Repr>, n: u8) -> Answer<Repr> {
        match scalar {
            Some(Repr::Tests(tests, 1)) => Ok(Repr::Tests([tests[0]; 4], n)),
            Some(Repr::Components(components, 1)) => Ok(Repr::Components(splat(components[0]), n)),
            Some(Repr::Components(components, _)) => Ok(Repr::Components(components, n)),
            Some(other) => Ok(Repr::Components(splat(self.components_of(other)?.0[0]), n)),
            None => Err(self.error("a vector of nothing")),
        }
    }

    /// A composite of its parts; vectors are flat.
    pub(super) fn composite(&mut self, vector: bool, parts: Vec<Repr>) -> Repr {
        if !vector {
            return Repr::Parts(parts);
        }
        if let Some(Repr::Tests(..)) = parts.first() {
            let all: Vec<_> = parts
                .iter()
                .flat_map(|part| match part {
                    Repr::Tests(tests, n) => tests[..usize::from(*n)].to_vec(),
                    _ => Vec::new(),
                })
                .collect();
            let first = all.first().copied().unwrap_or(0);
            let tests = std::array::from_fn(|i| all.get(i).copied().unwrap_or(first));
            return Repr::Tests(tests, all.len().min(4) as u8);
        }
        let (mut components, mut at) = ([Component::UNDEF; 4], 0);
        for part in parts {
            let Ok((from, n)) = self.components_of(part) else { continue };
            for component in &from[..usize::from(n)] {
                if let Some(to) = components.get_mut(at) {
                    *to = *component;
                }
                at += 1;
            }
        }
        Repr::Components(components, at.min(4) as u8)
    }

    pub(super) fn extract(&mut self, whole: Repr, part: u32) -> Answer<Repr> {
        match whole {
            Repr::Components(components, _) => Ok(Self::scalar(components[part as usize & 3])),
            Repr::Tests(tests, _) => Ok(Repr::Tests([tests[part as usize & 3]; 4], 1)),
            Repr::Parts(parts) => Ok(parts.into_iter().nth(part as usize).unwrap_or_default()),
            Repr::Loaded(place) => {
                let place = self.step(place, part)?;
                self.load(place)
            }
            _ => Err(self.error("a part of a value that has no form here")),
        }
    }

    fn insert(&mut self, whole: Repr, part: u32, new: Repr) -> Answer<Repr> {
        match whole {
            Repr::Components(mut components, n) => {
                components[part as usize & 3] = self.components_of(new)?.0[0];
                Ok(Repr::Components(components, n))
            }
            Repr::Tests(mut tests, n) => {
                if let Repr::Tests(new, _) = new {
                    tests[part as usize & 3] = new[0];
                }
                Ok(Repr::Tests(tests, n))
            }
            other => {
                let Repr::Parts(mut parts) = self.taken_apart(other)? else {
                    return Err(self.error("a part of a value that has no form here"));
                };
                if let Some(old) = parts.get_mut(part as usize) {
                    *old = new;
                }
                Ok(Repr::Parts(parts))
            }
        }
    }

    /// Operations of this machine that legalisation has put in.
    fn native(&mut self, inst: Inst, number: u16, a: Components, n: u8) -> Answer<Repr> {
        let scalar = match Native::of(number).ok_or_else(|| self.unsupported(inst))? {
            Native::Rcp => Machine::Rcp,
            Native::Rsq => Machine::Rsq,
            Native::Ex2 => Machine::Ex2,
            Native::Lg2 => Machine::Lg2,
            Native::Slt => return self.two(Machine::Slt, inst, a, n),
            Native::Sge => return self.two(Machine::Sge, inst, a, n),
            Native::Sin | Native::Cos => return Err(self.unsupported(inst)),
        };
        Ok(self.scalars(scalar, a, n))
    }
}
