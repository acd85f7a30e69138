//! Random vertex shaders, sound, finite and tame, for tests of the compiler: the same seed
//! gives the same module everywhere.
//!
//! They use all that the compiler says it can do: every float function within its domain,
//! integers that stay small, bools of all shapes, conditions and loops within each other,
//! switches, local arrays and uniforms indexed by computed numbers, matrices. Numbers are
//! kept in a range where a function says something, so that a comparison of results does.

use chiaro_ir::random::Rng;
use chiaro_ir::{
    Binding, Builder, EntryPoint, FunctionRef, Global, GlobalRef, Member, Module, Op, Space, Stage, Ty, Type,
    Value,
};

/// Constructs are not nested deeper than this.
const DEPTH: usize = 3;

/// Elements of the uniform array.
pub const ELEMENTS: u32 = 8;

/// A random module of about `size` operations, with an entry point `main`.
#[must_use]
pub fn module(seed: u64, size: u32) -> Module {
    let mut module = Module::default();
    let world = World::new(&mut module);
    let void = module.types.intern(Type::Void);
    let mut b = Builder::new(&mut module, "main", &[], void);
    let mut draw = Draw { rng: Rng(seed), world: &world, left: size, depth: 0 };
    draw.main(&mut b);
    let function = b.finish().unwrap_or(FunctionRef(0));
    let interface = (0..module.globals.len() as u32).map(GlobalRef).collect();
    let (name, stage, workgroup) = ("main".into(), Stage::Vertex, [1, 1, 1]);
    module.entries.push(EntryPoint { name, stage, function, interface, workgroup, modes: Vec::new() });
    module
}

/// Types and variables of every shader.
struct World {
    bool: Ty,
    i32: Ty,
    /// Floats of one to four components.
    floats: [Ty; 4],
    ivec2: Ty,
    bvec3: Ty,
    attributes: Vec<GlobalRef>,
    uniforms: GlobalRef,
    outputs: Vec<GlobalRef>,
    array: Ty,
}

fn add(module: &mut Module, name: &str, space: Space, ty: Ty, binding: Binding) -> GlobalRef {
    module.globals.push(Global {
        name: name.into(),
        space,
        ty,
        init: None,
        binding,
        members: Vec::new(),
        coherent: false,
        read_only: matches!(space, Space::Uniform | Space::Input),
        span: None,
    });
    GlobalRef(module.globals.len() as u32 - 1)
}

impl World {
    fn new(module: &mut Module) -> World {
        let types = &mut module.types;
        let (bool, i32, f32) =
            (types.intern(Type::Bool), types.intern(Type::Int(32)), types.intern(Type::Float(32)));
        let floats = [1, 2, 3, 4].map(|n| types.vector(f32, n));
        let (ivec2, bvec3) = (types.vector(i32, 2), types.vector(bool, 3));
        let matrix = types.intern(Type::Array(floats[3], 4, 16));
        let vectors = types.intern(Type::Array(floats[3], ELEMENTS, 16));
        let array = types.intern(Type::Array(floats[1], 3, 0));
        let members = [("m", matrix, 0), ("v", floats[3], 64), ("w", floats[2], 80), ("s", f32, 92)];
        let members = members.into_iter().chain([("n", i32, 96), ("list", vectors, 112)]);
        let members = members.map(|(name, ty, at)| Member { ty, name: name.into(), offset: Some(at) });
        let block = types.intern(Type::Struct("U".into(), members.collect()));
        let location = |n| Binding { location: Some(n), ..Binding::default() };
        let inputs = [("a", floats[3]), ("b", floats[2]), ("c", floats[1]), ("d", f32), ("k", i32)];
        let attributes = inputs.iter().zip(0..);
        let attributes =
            attributes.map(|(&(name, ty), n)| add(module, name, Space::Input, ty, location(n))).collect();
        let bound = Binding { set: Some(0), binding: Some(0), ..Binding::default() };
        let uniforms = add(module, "u", Space::Uniform, block, bound);
        let position = Binding { builtin: Some(0), ..Binding::default() };
        let mut outputs = vec![add(module, "position", Space::Output, floats[3], position)];
        for (n, ty) in [(1, floats[3]), (2, floats[1])] {
            outputs.push(add(module, &format!("o{n}"), Space::Output, ty, location(n)));
        }
        World { bool, i32, floats, ivec2, bvec3, attributes, uniforms, outputs, array }
    }
}

/// A shader being drawn.
struct Draw<'w> {
    rng: Rng,
    world: &'w World,
    /// Operations that may still come.
    left: u32,
    depth: usize,
}

/// Values that are known at a place.
#[derive(Clone, Default)]
struct Pool {
    values: Vec<Value>,
    /// Local arrays.
    arrays: Vec<Value>,
}

impl Draw<'_> {
    fn main(&mut self, b: &mut Builder<'_>) {
        let mut pool = Pool::default();
        for &g in &self.world.attributes {
            let pointer = b.global(g);
            let value = b.load(pointer);
            pool.values.push(value);
        }
        for n in 1..5 {
            let value = self.uniform(b, n, &[]);
            pool.values.push(value);
        }
        if self.rng.once_in(4) {
            let zero = b.zero(self.world.array);
            let array = b.var(self.world.array, Some(zero));
            pool.arrays.push(array);
        }
        self.block(b, &mut pool);
        for &g in &self.world.outputs {
            let ty = b.module().global(g).ty;
            let value = self.pick(b, &pool, ty);
            let pointer = b.global(g);
            b.store(pointer, value);
        }
    }

    fn uniform(&mut self, b: &mut Builder<'_>, member: u32, indices: &[Value]) -> Value {
        let root = b.global(self.world.uniforms);
        let member = b.u32(member);
        let way: Vec<Value> = [member].into_iter().chain(indices.iter().copied()).collect();
        let pointer = b.access(root, &way);
        b.load(pointer)
    }

    /// Operations one after another.
    fn block(&mut self, b: &mut Builder<'_>, pool: &mut Pool) {
        let count = 2 + self.rng.below(if self.depth == 0 { 40 } else { 6 });
        for _ in 0..count {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let value = match self.rng.below(24) {
                0 | 1 if self.depth < DEPTH => self.choice(b, pool),
                2 if self.depth < DEPTH => self.repeat(b, pool),
                3 if self.depth < DEPTH => self.switch(b, pool),
                4 => self.indexed(b, pool),
                5 | 6 => self.integer(b, pool),
                7 | 8 => self.truth(b, pool),
                9 | 10 => self.vector(b, pool),
                11 => self.matrix(b, pool),
                12..=16 => self.function(b, pool),
                _ => self.arithmetic(b, pool),
            };
            pool.values.push(value);
        }
    }

    /// A value of a type: one that is known, one made of one that is known, or a constant.
    fn pick(&mut self, b: &mut Builder<'_>, pool: &Pool, ty: Ty) -> Value {
        let fits: Vec<Value> = pool.values.iter().copied().filter(|&v| b.ty(v) == ty).collect();
        if !fits.is_empty() && !self.rng.once_in(6) {
            // Later ones rather than earlier ones, so that results are used.
            let from = if self.rng.once_in(2) { fits.len() / 2 } else { 0 };
            return fits[from + self.rng.below(fits.len() - from)];
        }
        let n = b.types().components(ty);
        let scalar = b.types().scalar(ty);
        if n == 1 && self.rng.once_in(2) {
            let wide: Vec<Value> = pool
                .values
                .iter()
                .copied()
                .filter(|&v| {
                    let wide = b.ty(v);
                    b.types().components(wide) > 1 && b.types().scalar(wide) == scalar
                })
                .collect();
            if !wide.is_empty() {
                let v = wide[self.rng.below(wide.len())];
                let ty = b.ty(v);
                let n = usize::from(b.types().components(ty));
                let part = self.rng.below(n) as u32;
                return b.extract(v, part);
            }
        }
        if n > 1 {
            let parts: Vec<Value> = (0..n).map(|_| self.pick(b, pool, scalar)).collect();
            return b.vector(&parts);
        }
        self.constant(b, scalar)
    }

    fn constant(&mut self, b: &mut Builder<'_>, scalar: Ty) -> Value {
        if scalar == self.world.i32 {
            return b.i32(self.rng.below(12) as i32 - 3);
        }
        if scalar == self.world.bool {
            return b.bool(self.rng.once_in(2));
        }
        const NICE: [f32; 12] = [0.0, 1.0, -1.0, 0.5, 2.0, 0.25, 3.0, 0.1, -0.7, 1.7, 4.5, -2.25];
        b.f32(NICE[self.rng.below(NICE.len())])
    }

    /// A float type.
    fn float(&mut self) -> Ty {
        self.world.floats[self.rng.below(4)]
    }

    /// A float that stays small, whatever it was: folded into a range.
    fn tame(&mut self, b: &mut Builder<'_>, x: Value) -> Value {
        let ty = b.ty(x);
        let limit = b.f32(16.0);
        let (high, low) = (b.splat(ty, limit), b.fneg(limit));
        let low = b.splat(ty, low);
        b.fclamp(x, low, high)
    }

    fn splat(&mut self, b: &mut Builder<'_>, ty: Ty, x: f32) -> Value {
        let x = b.f32(x);
        b.splat(ty, x)
    }

    fn arithmetic(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.float();
        let (x, y, z) = (self.pick(b, pool, ty), self.pick(b, pool, ty), self.pick(b, pool, ty));
        let n = b.types().components(ty);
        let result = match self.rng.below(16) {
            0..=2 => b.fadd(x, y),
            3 => b.fsub(x, y),
            4..=6 => b.fmul(x, y),
            7 => b.fma(x, y, z),
            8 => return b.fneg(x),
            9 => return b.fabs(x),
            10 => return b.fmin(x, y),
            11 => return b.fmax(x, y),
            12 if n > 1 => b.fdot(x, y),
            13 => return b.fclamp(x, y, z),
            14 => {
                let half = self.splat(b, ty, 0.5);
                let size = b.fabs(y);
                let divisor = b.fadd(size, half);
                b.fdiv(x, divisor)
            }
            _ => return b.ffract(x),
        };
        self.tame(b, result)
    }

    /// A function, within its domain.
    fn function(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        use Op::*;
        const FUNCTIONS: [Op; 30] = [
            FSqrt,
            FRsqrt,
            FExp,
            FExp2,
            FLog,
            FLog2,
            FPow,
            FSin,
            FCos,
            FTan,
            FAsin,
            FAcos,
            FAtan,
            FAtan2,
            FSinh,
            FCosh,
            FTanh,
            FAsinh,
            FAcosh,
            FAtanh,
            FFloor,
            FCeil,
            FTrunc,
            FRoundEven,
            FSign,
            FMod,
            FRem,
            FFrexpFraction,
            FLdexp,
            FFrexpExponent,
        ];
        let ty = if self.rng.once_in(3) { self.float() } else { self.world.floats[0] };
        let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
        let op = FUNCTIONS[self.rng.below(FUNCTIONS.len())];
        let clamp = |b: &mut Builder<'_>, x: Value, low: f32, high: f32| {
            let (low, high) = (b.f32(low), b.f32(high));
            let (low, high) = (b.splat(ty, low), b.splat(ty, high));
            b.fclamp(x, low, high)
        };
        let above = |b: &mut Builder<'_>, x: Value, least: f32| {
            let (size, least) = (b.fabs(x), b.f32(least));
            let least = b.splat(ty, least);
            b.fadd(size, least)
        };
        match op {
            FSqrt | FRsqrt | FLog | FLog2 => {
                let x = above(b, x, 0.125);
                b.op(op, &[x])
            }
            FExp | FExp2 | FSinh | FCosh | FTanh => {
                let x = clamp(b, x, -3.0, 3.0);
                b.op(op, &[x])
            }
            FPow => {
                let (x, y) = (above(b, x, 0.25), clamp(b, y, -2.0, 2.0));
                let power = b.fpow(x, y);
                self.tame(b, power)
            }
            FTan => {
                let x = clamp(b, x, -1.25, 1.25);
                b.ftan(x)
            }
            FAsin | FAcos | FAtanh => {
                let x = clamp(b, x, -0.875, 0.875);
                b.op(op, &[x])
            }
            FAcosh => {
                let x = above(b, x, 1.25);
                b.facosh(x)
            }
            FAtan2 => {
                let y = above(b, y, 0.25);
                b.fatan2(x, y)
            }
            FMod | FRem => {
                let y = above(b, y, 0.5);
                b.op(op, &[x, y])
            }
            FLdexp => {
                let x = self.pick(b, pool, self.world.floats[0]);
                let n = self.pick(b, pool, self.world.i32);
                let n = self.small(b, n, -4, 4);
                let scaled = b.fldexp(x, n);
                self.tame(b, scaled)
            }
            FFrexpExponent => {
                let x = self.pick(b, pool, self.world.floats[0]);
                let least = b.f32(0.25);
                let size = b.fabs(x);
                let x = b.fadd(size, least);
                b.fexponent(x)
            }
            _ => b.op(op, &[x]),
        }
    }

    /// An integer within bounds.
    fn small(&mut self, b: &mut Builder<'_>, n: Value, low: i32, high: i32) -> Value {
        let (low, high) = (b.i32(low), b.i32(high));
        let n = b.smax(n, low);
        b.smin(n, high)
    }

    fn integer(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = if self.rng.once_in(4) { self.world.ivec2 } else { self.world.i32 };
        let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
        let result = match self.rng.below(18) {
            0 | 1 => b.iadd(x, y),
            2 => b.isub(x, y),
            3 => b.imul(x, y),
            4 => b.smin(x, y),
            5 => b.smax(x, y),
            6 => b.iabs(x),
            7 => b.ineg(x),
            8 => b.isign(x),
            n @ 9..=11 => {
                // A divisor that is never 0.
                let size = b.iabs(y);
                let one = b.i32(1);
                let one = b.splat(ty, one);
                let divisor = b.iadd(size, one);
                b.op([Op::SDiv, Op::SRem, Op::SMod][n - 9], &[x, divisor])
            }
            n @ 12..=14 if ty == self.world.i32 => {
                let by = b.i32(self.rng.below(4) as i32);
                match n {
                    12 => b.shl(x, by),
                    13 => b.ashr(x, by),
                    _ => {
                        let mask = b.i32([1, 3, 7, 6, 12, 5][self.rng.below(6)]);
                        b.op([Op::And, Op::Or, Op::Xor][self.rng.below(3)], &[x, mask])
                    }
                }
            }
            15 => {
                let i32 = self.world.i32;
                let float = self.pick(b, pool, self.world.floats[0]);
                b.convert(Op::FToS, float, i32)
            }
            _ => {
                let f32 = self.world.floats[0];
                return b.convert(Op::SToF, x, f32);
            }
        };
        let scalar = b.ty(result) == self.world.i32;
        if scalar { self.small(b, result, -300, 300) } else { self.small_pair(b, result) }
    }

    fn small_pair(&mut self, b: &mut Builder<'_>, pair: Value) -> Value {
        let (low, high) = (b.i32(-300), b.i32(300));
        let ty = b.ty(pair);
        let (low, high) = (b.splat(ty, low), b.splat(ty, high));
        let pair = b.smax(pair, low);
        b.smin(pair, high)
    }

    /// A bool, or what it chooses.
    fn truth(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        match self.rng.below(8) {
            0..=2 => self.condition(b, pool),
            3 => {
                let (x, y) =
                    (self.pick(b, pool, self.world.floats[2]), self.pick(b, pool, self.world.floats[2]));
                b.op([Op::FLt, Op::FLe][self.rng.below(2)], &[x, y])
            }
            4 => {
                let x = self.pick(b, pool, self.world.bvec3);
                b.op([Op::All, Op::Any][self.rng.below(2)], &[x])
            }
            5 => {
                let condition = self.pick(b, pool, self.world.bvec3);
                let ty = self.world.floats[2];
                let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
                b.select(condition, x, y)
            }
            _ => {
                let condition = self.pick(b, pool, self.world.bool);
                let ty = if self.rng.once_in(4) { self.world.i32 } else { self.float() };
                let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
                b.select(condition, x, y)
            }
        }
    }

    fn condition(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[0];
        match self.rng.below(9) {
            0..=3 => {
                let (x, y) = (self.pick(b, pool, ty), self.pick(b, pool, ty));
                b.op([Op::FLt, Op::FLe, Op::FEq, Op::FNe][self.rng.below(4)], &[x, y])
            }
            4 | 5 => {
                let (x, y) = (self.pick(b, pool, self.world.i32), self.pick(b, pool, self.world.i32));
                b.op([Op::SLt, Op::SLe, Op::IEq, Op::INe][self.rng.below(4)], &[x, y])
            }
            6 => {
                let x = self.pick(b, pool, self.world.bool);
                b.not(x)
            }
            _ => {
                let (x, y) = (self.pick(b, pool, self.world.bool), self.pick(b, pool, self.world.bool));
                b.op([Op::And, Op::Or, Op::Xor, Op::IEq, Op::INe][self.rng.below(5)], &[x, y])
            }
        }
    }

    fn vector(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[1 + self.rng.below(3)];
        let x = self.pick(b, pool, ty);
        let n = usize::from(b.types().components(ty));
        match self.rng.below(5) {
            0 => {
                let y = self.pick(b, pool, ty);
                let parts: Vec<u8> =
                    (0..2 + self.rng.below(3)).map(|_| self.rng.below(2 * n) as u8).collect();
                b.shuffle(x, y, &parts)
            }
            1 => {
                let part = self.pick(b, pool, self.world.floats[0]);
                b.insert(x, self.rng.below(n) as u32, part)
            }
            2 => {
                let index = self.index(b, pool, n as i32);
                b.extract_dyn(x, index)
            }
            3 => {
                let (index, part) = (self.index(b, pool, n as i32), self.pick(b, pool, self.world.floats[0]));
                b.insert_dyn(x, part, index)
            }
            _ => {
                // The unit vector of one that is not 0.
                let size = b.fabs(x);
                let quarter = self.splat(b, ty, 0.25);
                let x = b.fadd(size, quarter);
                let square = b.fdot(x, x);
                let factor = b.frsqrt(square);
                let factor = b.splat(ty, factor);
                b.fmul(x, factor)
            }
        }
    }

    /// An index below `n`.
    fn index(&mut self, b: &mut Builder<'_>, pool: &Pool, n: i32) -> Value {
        let index = self.pick(b, pool, self.world.i32);
        self.small(b, index, 0, n - 1)
    }

    /// The uniform matrix, or one of its elements' columns, times a vector.
    fn matrix(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.world.floats[3];
        let v = self.pick(b, pool, ty);
        let mut sum = None;
        for i in 0..4 {
            let index = b.u32(i);
            let column = self.uniform(b, 0, &[index]);
            let part = b.extract(v, i);
            let part = b.splat(ty, part);
            let product = b.fmul(column, part);
            sum = Some(match sum {
                None => product,
                Some(sum) => b.fadd(sum, product),
            });
        }
        let sum = sum.unwrap_or(v);
        self.tame(b, sum)
    }

    fn indexed(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let Some(&array) = pool.arrays.first() else {
            let index = self.index(b, pool, ELEMENTS as i32);
            return self.uniform(b, 5, &[index]);
        };
        let (index, ty) = (self.index(b, pool, 3), self.world.floats[1]);
        let pointer = b.access(array, &[index]);
        if self.rng.once_in(2) {
            let value = self.pick(b, pool, ty);
            b.store(pointer, value);
        }
        b.load(pointer)
    }

    /// The type of what a construct gives.
    fn result(&mut self) -> Ty {
        match self.rng.below(6) {
            0 => self.world.i32,
            1 => self.world.bool,
            _ => self.float(),
        }
    }

    fn choice(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (condition, ty) = (self.pick(b, pool, self.world.bool), self.result());
        self.depth += 1;
        let condition = if self.rng.once_in(2) { self.condition(b, pool) } else { condition };
        let arm = |draw: &mut Self, b: &mut Builder<'_>| {
            let mut pool = pool.clone();
            draw.block(b, &mut pool);
            draw.pick(b, &pool, ty)
        };
        let at = b.begin(Op::If, &[condition], &[ty], 2);
        for n in 0..2 {
            b.enter(n);
            let value = arm(self, b);
            b.exit(at, &[value]);
        }
        self.depth -= 1;
        b.leave()[0]
    }

    /// A loop of a few rounds, some of which may leave early.
    fn repeat(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let ty = self.result();
        let (init, zero) = (self.pick(b, pool, ty), b.i32(self.rng.below(3) as i32));
        let (rounds, step) = (b.i32(2 + self.rng.below(4) as i32), b.i32(1 + self.rng.below(2) as i32));
        let i32 = self.world.i32;
        self.depth += 1;
        let leaves = self.rng.once_in(3);
        let result = b.loop_(
            &[zero, init],
            &[ty],
            &[i32, ty],
            |b, at, params| {
                let more = b.slt(params[0], rounds);
                b.if_else(more, |_, _| {}, |b, _| b.exit(at, &[params[1]]));
                let mut pool = pool.clone();
                pool.values.extend(params);
                self.block(b, &mut pool);
                let next = self.pick(b, &pool, ty);
                if leaves {
                    let done = self.condition(b, &pool);
                    b.if_else(done, |b, _| b.exit(at, &[next]), |_, _| {});
                }
                b.continue_(at, &[params[0], next]);
            },
            |b, at, params| {
                let next = b.iadd(params[0], step);
                b.repeat(at, &[next, params[1]]);
            },
        );
        self.depth -= 1;
        result[0]
    }

    fn switch(&mut self, b: &mut Builder<'_>, pool: &Pool) -> Value {
        let (selector, ty) = (self.pick(b, pool, self.world.i32), self.result());
        self.depth += 1;
        let blocks = 1 + self.rng.below(3);
        let cases: Vec<(u64, u32)> =
            (0..self.rng.below(4)).map(|n| (n as u64, self.rng.below(blocks) as u32)).collect();
        let result = b.switch(selector, &[ty], &cases, blocks, |b, at, _| {
            let mut pool = pool.clone();
            self.block(b, &mut pool);
            let value = self.pick(b, &pool, ty);
            b.exit(at, &[value]);
        });
        self.depth -= 1;
        result[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_sound_and_the_same_every_time() {
        for seed in 0..300 {
            let made = module(seed, 60);
            let verified = chiaro_ir::verify(&made);
            assert!(verified.is_ok(), "{seed}: {verified:?}\n{}", chiaro_ir::print(&made));
            assert_eq!(chiaro_ir::print(&made), chiaro_ir::print(&module(seed, 60)));
        }
    }
}
