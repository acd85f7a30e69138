//! Random vertex shaders, sound, finite and tame, for tests of the compiler: the same seed
//! gives the same module everywhere.
//!
//! They use all that the compiler says it can do: every float function within its domain,
//! integers that stay small, bools of all shapes, conditions and loops within each other that
//! are left and continued in every way, counts that the application sets, early returns,
//! switches, local arrays and uniforms indexed by computed numbers and by loops, matrices and inverses,
//! scalars packed into vectors, integers at the borders of floats and, in every eighth shader, of 32 bits, now and
//! then an arm longer than 256 words, outputs that are read back. Numbers are kept in a range where a function says
//! something, so that a comparison of results does.
//!
//! [Fragment shaders](super::fragment) are drawn by the same code. They have textures of every shape, images, changes
//! across their quads and fragments that end early besides.

mod border;
mod flow;
mod function;
mod matrix;
mod pixel;
mod value;
mod wide;

use crate::random::Rng;
use crate::{
    Binding, Builder, EntryPoint, FunctionRef, Global, GlobalRef, Inst, Interpolation, Member, Module, Space,
    Stage, Ty, Type, Value,
};

/// Constructs are not nested deeper than this.
const DEPTH: usize = 3;

/// Elements of the uniform array.
pub const ELEMENTS: u32 = 8;

/// Of so many shaders one has integers of all of 32 bits.
const WIDE: u64 = 8;

/// A random module of about `size` operations, with an entry point `main`.
#[must_use]
pub fn module(seed: u64, size: u32) -> Module {
    of_stage(Stage::Vertex, seed, size)
}

/// The same of a stage that is one of vertices or of fragments.
pub(super) fn of_stage(stage: Stage, seed: u64, size: u32) -> Module {
    let mut module = Module::default();
    let mut world = World::new(&mut module, stage);
    if stage == Stage::Fragment {
        let pixels = pixel::Pixels::add(&mut module, seed);
        world.outputs.extend(pixels.depth);
        world.pixels = Some(pixels);
    }
    let void = module.types.intern(Type::Void);
    let mut b = Builder::new(&mut module, "main", &[], void);
    let mut draw = Draw {
        rng: Rng(seed),
        world: &world,
        left: size,
        depth: 0,
        loops: Vec::new(),
        wide: seed % WIDE == 5,
    };
    draw.main(&mut b);
    let function = b.finish().unwrap_or(FunctionRef(0));
    let interface = (0..module.globals.len() as u32).map(GlobalRef).collect();
    let (name, workgroup) = ("main".into(), [1, 1, 1]);
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
    /// Bools that the application sets.
    flags: [GlobalRef; 2],
    outputs: Vec<GlobalRef>,
    array: Ty,
    /// What only fragments have.
    pixels: Option<pixel::Pixels>,
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
    fn new(module: &mut Module, stage: Stage) -> World {
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
        // No integer is interpolated.
        let attribute = |(&(name, ty), n): (&(&str, Ty), u32)| {
            let is_flat = stage == Stage::Fragment && ty == i32;
            let interpolation = if is_flat { Interpolation::Flat } else { Interpolation::default() };
            add(module, name, Space::Input, ty, Binding { interpolation, ..location(n) })
        };
        let attributes = attributes.map(attribute).collect();
        let bound = Binding { set: Some(0), binding: Some(0), ..Binding::default() };
        let uniforms = add(module, "u", Space::Uniform, block, bound);
        let flags =
            ["flag", "other"].map(|name| add(module, name, Space::UniformConstant, bool, Binding::default()));
        let (first, others) = match stage {
            Stage::Fragment => (("colour", location(0)), 1..2),
            _ => (("position", Binding { builtin: Some(0), ..Binding::default() }), 1..3),
        };
        let mut outputs = vec![add(module, first.0, Space::Output, floats[3], first.1)];
        for (n, ty) in others.zip([floats[3], floats[1]]) {
            outputs.push(add(module, &format!("o{n}"), Space::Output, ty, location(n)));
        }
        World { bool, i32, floats, ivec2, bvec3, attributes, uniforms, flags, outputs, array, pixels: None }
    }
}

/// A shader being drawn.
struct Draw<'w> {
    rng: Rng,
    world: &'w World,
    /// Operations that may still come.
    left: u32,
    depth: usize,
    /// Loops that are open, and the type of what each gives.
    loops: Vec<(Inst, Ty)>,
    /// Integers may use all of 32 bits.
    wide: bool,
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
        let of_pixels = self.world.pixels.iter().flat_map(|pixels| &pixels.inputs);
        for &g in self.world.attributes.iter().chain(of_pixels) {
            let pointer = b.global(g);
            let value = b.load(pointer);
            pool.values.push(value);
        }
        for n in 1..5 {
            let value = self.uniform(b, n, &[]);
            pool.values.push(value);
        }
        for flag in self.world.flags {
            let pointer = b.global(flag);
            let value = b.load(pointer);
            pool.values.push(value);
        }
        if self.rng.once_in(4) {
            let zero = b.zero(self.world.array);
            let array = b.var(self.world.array, Some(zero));
            pool.arrays.push(array);
        }
        self.block(b, &mut pool);
        self.outputs(b, &pool);
    }

    /// Writes all outputs.
    fn outputs(&mut self, b: &mut Builder<'_>, pool: &Pool) {
        for &g in &self.world.outputs {
            let ty = b.module().global(g).ty;
            let value = if self.wide && b.types().components(ty) == 2 {
                // What nothing reads is left out by every compiler.
                let parts = [self.wide(b, pool), self.wide(b, pool)];
                b.vector(&parts)
            } else {
                self.pick(b, pool, ty)
            };
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
            if self.depth > 0 && self.rng.once_in(12) {
                self.leave(b, pool);
            }
            let is_of_pixels = self.world.pixels.is_some() && self.rng.once_in(4);
            let value = match self.rng.below(32) {
                _ if is_of_pixels => self.of_pixel(b, pool),
                0 | 1 if self.depth < DEPTH => self.choice(b, pool),
                2 if self.depth < DEPTH => self.repeat(b, pool),
                3 if self.depth < DEPTH => self.switch(b, pool),
                24 if self.depth < DEPTH => self.search(b, pool),
                24 => self.read_back(b, pool),
                25 if self.depth == 0 && self.rng.once_in(40) => self.long_way(b, pool),
                25 | 26 => self.negated(b, pool),
                27 => self.packed(b, pool),
                28 | 6 if self.wide => self.wide(b, pool),
                28 => self.large(b, pool),
                29 => self.unordered(b, pool),
                30 if self.depth < DEPTH => self.sum_of_uniforms(b, pool),
                4 => self.indexed(b, pool),
                5 | 6 => self.integer(b, pool),
                7 | 8 => self.truth(b, pool),
                9 | 10 => self.vector(b, pool),
                11 | 31 => self.linear(b, pool),
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
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Modules verify, and a seed makes the same one every time.
    pub(in crate::random) fn are_sound(module: fn(u64, u32) -> Module) {
        for seed in 0..300 {
            let made = module(seed, 60);
            let verified = crate::verify(&made);
            assert!(verified.is_ok(), "{seed}: {verified:?}\n{}", crate::print(&made));
            assert_eq!(crate::print(&made), crate::print(&module(seed, 60)));
        }
    }

    #[test]
    fn modules_are_sound_and_the_same_every_time() {
        are_sound(module);
    }
}
