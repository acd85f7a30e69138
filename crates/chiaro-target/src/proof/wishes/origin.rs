//! Where a scalar comes from: an input times a constant plus a constant.

use std::collections::HashMap;

use chiaro_ir::interp::{Exact, Interpreter, float_value};
use chiaro_ir::sample::parts;
use chiaro_ir::{
    Block, Constant, ConstantKind, Def, Function, GlobalRef, Inst, Module, Op, Space, Ty, Type, Value,
};

/// A scalar of an input, and how a value is made of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Origin {
    pub variable: GlobalRef,
    /// Bytes from the start of the variable.
    pub offset: usize,
    scale: f64,
    add: f64,
}

impl Origin {
    /// What the input has to be for the value to be this.
    pub(super) fn input(&self, value: f64) -> f64 {
        (value - self.add) / self.scale
    }

    /// Whether the value is the input itself.
    pub(super) fn is_input(&self) -> bool {
        (self.scale, self.add) == (1.0, 0.0)
    }

    fn then(self, scale: f64, add: f64) -> Option<Origin> {
        let (scale, add) = (self.scale * scale, self.add * scale + add);
        (scale != 0.0 && scale.is_finite()).then_some(Origin { scale, add, ..self })
    }
}

/// Steps that a walk back takes at most, and elements of an array that one index may mean.
const STEPS: u32 = 24;
const ELEMENTS: usize = 64;

/// A function of values, to be looked at backwards.
pub(super) struct Look<'m> {
    pub module: &'m Module,
    pub f: &'m Function,
    layout: &'m Interpreter<'m, Exact>,
    /// The loop of each loop's body.
    loops: HashMap<Block, Inst>,
}

impl<'m> Look<'m> {
    pub(super) fn new(module: &'m Module, f: &'m Function, layout: &'m Interpreter<'m, Exact>) -> Look<'m> {
        let owners = f.tree().into_iter().filter_map(|(inst, block)| Some((inst?, block)));
        let bodies = owners.filter(|&(inst, block)| f.op(inst) == Op::Loop && f.blocks_of(inst)[0] == block);
        Look { module, f, layout, loops: bodies.map(|(inst, block)| (block, inst)).collect() }
    }

    /// The ways to the scalars of a vector; one that leads nowhere for a scalar.
    pub(super) fn scalars(&self, v: Value) -> Vec<Vec<u32>> {
        match self.module.types.components(self.f.ty(v)) {
            0 => Vec::new(),
            1 => vec![Vec::new()],
            n => (0..u32::from(n)).map(|i| vec![i]).collect(),
        }
    }

    /// The type that a pointer leads to, and its space.
    pub(super) fn pointee(&self, pointer: Value) -> (Ty, Option<Space>) {
        let ty = self.f.ty(pointer);
        self.module.types.pointee(ty).map_or((ty, None), |(space, to)| (to, Some(space)))
    }

    /// A scalar of a value that is constant, as a number; integers are signed.
    pub(super) fn number(&self, v: Value, path: &[u32]) -> Option<f64> {
        match self.f.def(v) {
            Def::Constant(c) => self.constant(c, path),
            Def::Result(inst, _) if self.f.op(inst) == Op::Construct => {
                let (arg, rest) = self.part(inst, path)?;
                self.number(arg, &rest)
            }
            _ => None,
        }
    }

    fn constant(&self, c: Constant, path: &[u32]) -> Option<f64> {
        let ty = self.module.constants.ty(c);
        match self.module.constants.get(c) {
            ConstantKind::Zero => Some(0.0),
            ConstantKind::Composite(parts) => {
                let (first, rest) = path.split_first()?;
                self.constant(*parts.get(*first as usize)?, rest)
            }
            ConstantKind::Scalar(bits) => match *self.module.types.get(ty) {
                Type::Float(width) => Some(float_value(*bits, width)),
                Type::Int(_) => Some(f64::from(*bits as u32 as i32)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The parameter of a loop's body that a value is, or is but for a constant.
    pub(super) fn counter(&self, v: Value) -> Option<Value> {
        match self.f.def(v) {
            Def::BlockParam(block, _) if self.loops.contains_key(&block) => Some(v),
            Def::Result(inst, _) => match (self.f.op(inst), self.f.args(inst)) {
                (Op::SToF | Op::UToF | Op::FToS | Op::FToU, &[x]) => self.counter(x),
                (Op::IAdd | Op::ISub | Op::FAdd | Op::FSub, &[x, by]) => {
                    self.number(by, &[]).and_then(|_| self.counter(x))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The inputs that a scalar of a value comes from.
    pub(super) fn origins(&self, v: Value, path: &[u32]) -> Vec<Origin> {
        self.back(v, path, STEPS)
    }

    fn back(&self, v: Value, path: &[u32], left: u32) -> Vec<Origin> {
        let Some(left) = left.checked_sub(1) else { return Vec::new() };
        match self.f.def(v) {
            Def::Result(inst, _) => self.of_inst(inst, path, left),
            // What a loop starts with.
            Def::BlockParam(block, n) => {
                let first =
                    self.loops.get(&block).and_then(|&inst| self.f.args(inst).get(n as usize).copied());
                first.map_or_else(Vec::new, |first| self.back(first, path, left))
            }
            Def::Param(_) | Def::Constant(_) => Vec::new(),
        }
    }

    fn of_inst(&self, inst: Inst, path: &[u32], left: u32) -> Vec<Origin> {
        use Op::*;
        let (op, args) = (self.f.op(inst), self.f.args(inst));
        let moved = |v: Value, path: &[u32]| self.back(v, path, left);
        match op {
            Load => self.loaded(args[0], path),
            Extract(k) => moved(args[0], &[&[k], path].concat()),
            Construct | Insert(_) | Shuffle(_) => {
                self.part(inst, path).map_or_else(Vec::new, |(arg, rest)| moved(arg, &rest))
            }
            FNeg | INeg => shifted(moved(args[0], path), -1.0, 0.0),
            SToF | UToF | FToS | FToU | FToF | FFloor | FCeil | FTrunc | FRoundEven | FAbs | IAbs => {
                moved(args[0], path)
            }
            FMin | FMax | SMin | SMax | UMin | UMax | FClamp => moved(args[0], path),
            Select => [moved(args[1], path), moved(args[2], path)].concat(),
            _ => self.computed(op, args, path, left),
        }
    }

    /// Sums, products and quotients with a constant.
    fn computed(&self, op: Op, args: &[Value], path: &[u32], left: u32) -> Vec<Origin> {
        use Op::*;
        let &[a, b] = args else { return Vec::new() };
        let (x, c, swapped) = match (self.number(b, path), self.number(a, path)) {
            (Some(c), _) => (a, c, false),
            (_, Some(c)) => (b, c, true),
            _ => return Vec::new(),
        };
        let (scale, add) = match (op, swapped) {
            (FAdd | IAdd, _) => (1.0, c),
            (FSub | ISub, false) => (1.0, -c),
            (FSub | ISub, true) => (-1.0, c),
            (FMul | IMul, _) => (c, 0.0),
            (FDiv, false) => (1.0 / c, 0.0),
            (Shl, false) => (c.clamp(0.0, 31.0).exp2(), 0.0),
            _ => return Vec::new(),
        };
        shifted(self.back(x, path, left), scale, add)
    }

    /// The operand that a part of a composite comes from, and the way within it.
    fn part(&self, inst: Inst, path: &[u32]) -> Option<(Value, Vec<u32>)> {
        let (args, types) = (self.f.args(inst), &self.module.types);
        let (&first, rest) = path.split_first()?;
        let components = |v: Value| u32::from(types.components(self.f.ty(v)).max(1));
        let inside = |v: Value, at: u32| (v, if components(v) > 1 { vec![at] } else { Vec::new() });
        match self.f.op(inst) {
            Op::Insert(k) if k == first => Some((args[1], rest.to_vec())),
            Op::Insert(_) => Some((args[0], path.to_vec())),
            Op::Shuffle(from) => {
                let (at, split) = (u32::from(*from.get(first as usize)?), components(args[0]));
                Some(if at < split { inside(args[0], at) } else { inside(args[1], at.checked_sub(split)?) })
            }
            _ if args.len() == 1 => Some((args[0], rest.to_vec())),
            _ if !matches!(types.get(self.f.ty(self.f.result_of(inst)?)), Type::Vector(..)) => {
                Some((*args.get(first as usize)?, rest.to_vec()))
            }
            _ => {
                let mut at = first;
                for &arg in args {
                    if at < components(arg) {
                        return Some(inside(arg, at));
                    }
                    at -= components(arg);
                }
                None
            }
        }
    }

    /// The scalars of inputs that a load may give.
    fn loaded(&self, pointer: Value, path: &[u32]) -> Vec<Origin> {
        let Some((variable, ty, mut places)) = self.places(pointer) else { return Vec::new() };
        let mut ty = ty;
        for &i in path {
            let Some((part, offset)) = parts(self.module, self.layout, ty).nth(i as usize) else {
                return Vec::new();
            };
            ty = part;
            places.iter_mut().for_each(|place| *place += offset);
        }
        places.into_iter().map(|offset| Origin { variable, offset, scale: 1.0, add: 0.0 }).collect()
    }

    /// Where a pointer may lead within a variable that the host sets.
    fn places(&self, pointer: Value) -> Option<(GlobalRef, Ty, Vec<usize>)> {
        match self.f.def(pointer) {
            Def::Constant(c) => {
                let ConstantKind::Global(g) = *self.module.constants.get(c) else { return None };
                let global = self.module.global(g);
                use Space::{Input, PushConstant, Uniform, UniformConstant};
                let is_given = matches!(global.space, Input | PushConstant | Uniform | UniformConstant);
                is_given.then(|| (g, global.ty, vec![0]))
            }
            Def::Result(inst, _) if self.f.op(inst) == Op::Access => {
                let args = self.f.args(inst);
                let (g, mut ty, mut places) = self.places(args[0])?;
                for &index in &args[1..] {
                    let all: Vec<(Ty, usize)> = parts(self.module, self.layout, ty).take(ELEMENTS).collect();
                    let chosen = match self.number(index, &[]) {
                        Some(n) => all.get(n as usize..n as usize + 1)?,
                        None => &all,
                    };
                    ty = chosen.first()?.0;
                    let each = |at: usize| chosen.iter().map(move |(_, offset)| at + offset);
                    places = places.into_iter().flat_map(each).take(ELEMENTS).collect();
                }
                Some((g, ty, places))
            }
            _ => None,
        }
    }
}

/// Every origin's value times `scale` plus `add`.
fn shifted(origins: Vec<Origin>, scale: f64, add: f64) -> Vec<Origin> {
    origins.into_iter().filter_map(|origin| origin.then(scale, add)).collect()
}
