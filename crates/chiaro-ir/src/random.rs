//! Random modules, sound and finite, for tests: the same seed gives the same module everywhere.
//!
//! They are made to be hard on control flow: constructs within constructs, exits over any
//! number of levels, `continue` and `return` from anywhere, values carried out of everything.
//! Every loop counts its rounds and ends, functions call only those declared before them.

pub mod fragment;
mod images;
mod shared;
mod subgroup;
pub mod vertex;

use crate::build::Builder;
use crate::constant::ConstantKind;
use crate::function::Flags;
use crate::id::{FunctionRef, GlobalRef, Inst, Value};
use crate::module::{Binding, EntryPoint, Global, Module, Spec, Stage};
use crate::op::Op;
use crate::ty::{Member, Space, Ty, Type};
use chiaro_diag::FileId;
use images::Images;
use shared::Shared;

/// Constructs are not nested deeper than this.
const DEPTH: usize = 7;
/// Rounds of a loop.
const ROUNDS: i32 = 4;

/// A random module of about `size` instructions with an entry point `main` for compute.
///
/// It reads the storage buffer of binding 0, member 0 (a runtime array of `i32`), and stores
/// results into that of binding 1.
pub fn module(seed: u64, size: u32) -> Module {
    module_with(seed, size, Features::default())
}

/// What random functions may have beside the rest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    /// Variables of their own, composites among them, that are loaded, stored and copied.
    pub variables: bool,
    /// Much that depends on the input, and few early ends, so that little of it is constant.
    pub lively: bool,
    /// Values that differ from lane to lane, and what lanes of a subgroup tell each other, in groups of 32.
    pub subgroup: bool,
    /// Memory that lanes share, with barriers and sums, in groups of 64; what a lane writes is its own.
    pub shared: bool,
    /// Indices of variables lie within them.
    pub within: bool,
    /// Floats of 16 bits, and vectors of them.
    pub halves: bool,
    /// Images that are read, stored to, and counted in.
    pub images: bool,
}

/// As [`module`], with features to choose.
pub fn module_with(seed: u64, size: u32, features: Features) -> Module {
    let mut rng = Rng(seed);
    let mut module = Module::default();
    let world = World::new(&mut module, features);
    let mut callees = Vec::new();
    for i in 0..rng.below(3) {
        let ty = world.types[rng.below(world.types.len())];
        let params: Vec<Ty> = (0..rng.below(3)).map(|_| world.types[rng.below(world.types.len())]).collect();
        let f = module.declare(format!("f{i}"), &params, ty);
        fill(&mut module, f, &world, &callees, &mut rng, size / 4);
        callees.push(f);
    }
    let void = module.types.intern(Type::Void);
    let main = module.declare("main", &[], void);
    fill(&mut module, main, &world, &callees, &mut rng, size);
    let interface = (0..module.globals.len() as u32).map(GlobalRef).collect();
    let entry = EntryPoint {
        name: "main".into(),
        stage: Stage::Compute,
        function: main,
        interface,
        workgroup: match features {
            Features { shared: true, .. } => [shared::LANES, 1, 1],
            Features { subgroup: true, .. } => [32, 1, 1],
            _ => [4, 1, 1],
        },
        modes: Vec::new(),
    };
    module.entries.push(entry);
    module
}

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 for 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.draw() >> 33) as usize % n.max(1)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Types and places that all functions of a module share.
struct World {
    bool: Ty,
    i32: Ty,
    f32: Ty,
    /// The types of values.
    types: Vec<Ty>,
    input: GlobalRef,
    output: GlobalRef,
    private: GlobalRef,
    /// The types of variables; without the feature none.
    places: Vec<Ty>,
    lively: bool,
    /// The number of the lane in its group, with a feature that asks for it.
    lane: Option<GlobalRef>,
    /// Whether lanes tell each other something.
    subgroup: bool,
    shared: Option<Shared>,
    images: Option<Images>,
    within: bool,
    /// Floats of 16 bits: the last types of values.
    halves: bool,
}

impl World {
    fn new(module: &mut Module, features: Features) -> World {
        let types = &mut module.types;
        let (bool, i32, f32) =
            (types.intern(Type::Bool), types.intern(Type::Int(32)), types.intern(Type::Float(32)));
        let (vec2, vec4, ivec3) = (types.vector(f32, 2), types.vector(f32, 4), types.vector(i32, 3));
        let array = types.intern(Type::RuntimeArray(i32, 4));
        let member = Member { ty: array, name: "data".into(), offset: Some(0) };
        let buffer = types.intern(Type::Struct("Buffer".into(), vec![member]));
        let input = add_global(module, "input", Space::Storage, buffer, Some(0));
        let output = add_global(module, "output", Space::Storage, buffer, Some(1));
        let private = add_global(module, "state", Space::Private, f32, None);
        let default = module.constants.intern(i32, ConstantKind::Scalar(7));
        module.specs.push(Spec { name: "CHOICE".into(), id: Some(0), default });
        let mut world = World {
            bool,
            i32,
            f32,
            types: vec![bool, i32, f32, vec2, vec4, ivec3],
            input,
            output,
            private,
            places: Vec::new(),
            lively: features.lively,
            lane: (features.subgroup || features.shared).then(|| subgroup::add_lane(module, i32)),
            subgroup: features.subgroup,
            shared: features.shared.then(|| shared::add(module, i32)),
            images: features.images.then(|| Images::add(module, 2)),
            within: features.within,
            halves: features.halves,
        };
        if features.halves {
            let half = module.types.intern(Type::Float(16));
            let pair = module.types.vector(half, 2);
            // Twice as often as others.
            world.types.extend([half, pair, half, pair]);
        }
        if features.variables {
            world.add_places(&mut module.types);
        }
        world
    }

    /// Types of variables: values, a matrix, a structure of all.
    fn add_places(&mut self, types: &mut crate::Types) {
        let matrix = types.intern(Type::Array(self.types[4], 3, 0));
        let last = self.types.last().copied().unwrap_or(self.f32);
        let members = [self.i32, matrix, if self.halves { last } else { self.types[3] }];
        let members = members.map(|ty| Member { ty, name: String::new(), offset: None }).to_vec();
        let structure = types.intern(Type::Struct("State".into(), members));
        self.places = self.types.clone();
        self.places.extend([matrix, structure]);
    }
}

fn add_global(module: &mut Module, name: &str, space: Space, ty: Ty, binding: Option<u32>) -> GlobalRef {
    let set = binding.map(|_| 0);
    let init = binding.is_none().then(|| module.constants.intern(ty, ConstantKind::Zero));
    module.globals.push(Global {
        name: name.into(),
        space,
        ty,
        init,
        binding: Binding { set, binding, ..Binding::default() },
        members: Vec::new(),
        coherent: false,
        read_only: false,
        span: None,
    });
    GlobalRef(module.globals.len() as u32 - 1)
}

fn fill(
    module: &mut Module,
    f: FunctionRef,
    world: &World,
    callees: &[FunctionRef],
    rng: &mut Rng,
    size: u32,
) {
    let result = module.function(f).result;
    let known = module.function(f).params.clone();
    let is_main = *module.types.get(result) == Type::Void;
    let b = Builder::at(module, f);
    let mut gen_ = Generator {
        b,
        world,
        callees,
        rng,
        result,
        known,
        open: Vec::new(),
        budget: size,
        is_main,
        own: None,
        local: None,
    };
    if world.lively {
        gen_.inputs();
    }
    gen_.lane();
    if gen_.is_main {
        gen_.clear();
    }
    gen_.block();
    let built = gen_.b.finish();
    debug_assert!(built.is_ok(), "{built:?}");
}

/// A construct that is open.
struct Target {
    inst: Inst,
    results: Vec<Ty>,
    /// Of a loop's body, the types that `continue` carries, and the counter.
    carried: Option<(Vec<Ty>, Value)>,
}

struct Generator<'a, 'm> {
    b: Builder<'m>,
    world: &'a World,
    callees: &'a [FunctionRef],
    rng: &'a mut Rng,
    result: Ty,
    /// What can be used here.
    known: Vec<Value>,
    open: Vec<Target>,
    budget: u32,
    is_main: bool,
    /// With memory that lanes share: the first element of the output that belongs to the lane, and its number.
    own: Option<Value>,
    local: Option<Value>,
}

impl Generator<'_, '_> {
    /// Instructions, then an exit.
    fn block(&mut self) {
        let mark = self.known.len();
        let wanted = if self.open.is_empty() { self.budget as usize } else { 1 + self.rng.below(6) };
        for _ in 0..wanted {
            if self.budget == 0 || self.b.is_ended() {
                break;
            }
            self.budget -= 1;
            self.mark();
            if self.rng.once_in(4) && self.open.len() < DEPTH { self.construct() } else { self.operation() }
        }
        if !self.b.is_ended() {
            self.end();
        }
        self.known.truncate(mark);
    }

    /// Values of every type that depend on the input.
    fn inputs(&mut self) {
        let World { f32, i32, input, .. } = *self.world;
        for n in 0..4 {
            let (place, zero, index) = (self.b.global(input), self.b.i32(0), self.b.i32(n));
            let place = self.b.access(place, &[zero, index]);
            let word = self.b.load(place);
            let float = self.b.convert(Op::SToF, word, f32);
            let other = self.value(i32);
            let less = self.b.slt(other, word);
            let vector = self.world.types[3 + self.rng.below(3)];
            let scalar = if self.b.types().is_float(vector) { float } else { word };
            let vector = self.b.splat(vector, scalar);
            self.known.extend([word, float, less, vector]);
        }
    }

    /// Flags and span of what follows.
    fn mark(&mut self) {
        let relaxed = self.rng.once_in(8);
        self.b.flags = Flags { relaxed, exact: self.rng.once_in(8), ..Flags::default() };
        let start = self.rng.below(1000);
        self.b.span = self.rng.once_in(3).then(|| FileId(0).span(start..start + 5));
    }

    fn any_type(&mut self) -> Ty {
        self.world.types[self.rng.below(self.world.types.len())]
    }

    fn types(&mut self, most: usize) -> Vec<Ty> {
        (0..self.rng.below(most + 1)).map(|_| self.any_type()).collect()
    }

    /// A value of a type: a known one if some are found, else a constant.
    fn value(&mut self, ty: Ty) -> Value {
        for _ in 0..6 {
            if self.known.is_empty() {
                break;
            }
            let value = self.known[self.rng.below(self.known.len())];
            if self.b.ty(value) == ty {
                return value;
            }
        }
        self.constant(ty)
    }

    fn values(&mut self, types: &[Ty]) -> Vec<Value> {
        types.iter().map(|&ty| self.value(ty)).collect()
    }

    fn constant(&mut self, ty: Ty) -> Value {
        let small = self.rng.below(9) as i32 - 4;
        let scalar = self.b.types().scalar(ty);
        if self.rng.once_in(6) || self.b.types().components(ty) == 0 {
            return self.b.zero(ty);
        }
        let scalar = match *self.b.types().get(scalar) {
            Type::Bool => self.b.bool(small > 0),
            Type::Float(16) => {
                let number = self.b.f32(small as f32 * 0.25);
                self.b.convert(Op::FToF, number, scalar)
            }
            Type::Float(_) => self.b.f32(small as f32 * 0.37),
            _ => self.b.i32(small),
        };
        self.b.splat(ty, scalar)
    }

    /// A type of numbers, and whether they are floats.
    fn numbers(&mut self) -> (Ty, bool) {
        loop {
            let ty = self.any_type();
            if ty != self.world.bool {
                return (ty, self.b.types().is_float(ty));
            }
        }
    }

    fn operation(&mut self) {
        if !self.world.places.is_empty() && self.rng.once_in(3) {
            return self.variable();
        }
        if self.world.shared.is_some() && self.rng.once_in(5) {
            return if self.is_main && self.open.is_empty() { self.meet() } else { self.add() };
        }
        if self.world.images.is_some() && self.rng.once_in(4) {
            return self.texel();
        }
        if self.world.subgroup && self.rng.once_in(3) {
            let value = self.between_lanes();
            return self.known.push(value);
        }
        let value = match self.rng.below(10) {
            0..=2 => self.arithmetic(),
            3 => self.comparison(),
            4 => self.logic(),
            5 => self.conversion(),
            6 => self.composite(),
            7 => self.load(),
            8 => return self.store(),
            _ => self.call(),
        };
        self.known.push(value);
    }

    fn arithmetic(&mut self) -> Value {
        use Op::*;
        let (ty, float) = self.numbers();
        let (a, b) = (self.value(ty), self.value(ty));
        let op = match float {
            true => [FAdd, FSub, FMul, FMin, FMax][self.rng.below(5)],
            false => [IAdd, ISub, IMul, SMin, UMax, And, Or, Xor, UDiv, SRem][self.rng.below(10)],
        };
        self.b.op(op, &[a, b])
    }

    /// Declares a variable, or loads, stores or copies one or a part of it.
    fn variable(&mut self) {
        let place = self.place();
        let Some(place) = place.filter(|_| !self.rng.once_in(4)) else {
            let ty = self.world.places[self.rng.below(self.world.places.len())];
            let zero = self.b.zero(ty);
            let init = (!self.rng.once_in(8)).then_some(zero);
            let place = self.b.var(ty, init);
            return self.known.push(place);
        };
        let ty = self.pointee(place);
        match self.rng.below(3) {
            0 => {
                let value = self.value(ty);
                self.b.store(place, value);
            }
            1 => {
                let other = self.place().filter(|&other| self.pointee(other) == ty);
                other.into_iter().for_each(|other| self.b.copy(place, other));
            }
            _ => {
                let value = self.b.load(place);
                self.known.push(value);
            }
        }
    }

    fn pointee(&mut self, place: Value) -> Ty {
        let ty = self.b.ty(place);
        self.b.types().pointee(ty).map_or(ty, |(_, to)| to)
    }

    /// A known variable or a part of one, by indices that are constant or not.
    fn place(&mut self) -> Option<Value> {
        let mut vars = Vec::new();
        for &value in &self.known {
            let ty = self.b.ty(value);
            if self.b.types().pointee(ty).is_some() {
                vars.push(value);
            }
        }
        let mut place = *vars.get(self.rng.below(vars.len()))?;
        while self.rng.once_in(2) {
            let ty = self.pointee(place);
            let Some(count) = self.b.types().part_count(ty) else { break };
            let is_struct = matches!(self.b.types().get(ty), Type::Struct(..));
            let n = self.rng.below(count as usize) as i32;
            let index =
                if is_struct || !self.rng.once_in(4) { self.b.i32(n) } else { self.index(count as i32) };
            place = self.b.access(place, &[index]);
        }
        Some(place)
    }

    /// An index of one of so many parts, or of anything.
    fn index(&mut self, count: i32) -> Value {
        let index = self.value(self.world.i32);
        if !self.world.within {
            return index;
        }
        let last = self.b.i32(count - 1);
        self.b.op(Op::UMin, &[index, last])
    }

    fn comparison(&mut self) -> Value {
        let ty = if self.rng.once_in(2) { self.world.i32 } else { self.float() };
        let (a, b) = (self.value(ty), self.value(ty));
        let float = self.b.types().is_float(ty);
        let op = match float {
            true => [Op::FLt, Op::FEq, Op::FLe][self.rng.below(3)],
            false => [Op::SLt, Op::IEq, Op::ULe][self.rng.below(3)],
        };
        self.b.op(op, &[a, b])
    }

    fn logic(&mut self) -> Value {
        let ty = self.any_type();
        let condition = self.value(self.world.bool);
        let (a, b) = (self.value(ty), self.value(ty));
        self.b.select(condition, a, b)
    }

    fn conversion(&mut self) -> Value {
        let World { i32, f32, .. } = *self.world;
        if self.world.halves && self.rng.once_in(2) {
            return self.resized();
        }
        if self.rng.once_in(2) {
            let x = self.value(i32);
            self.b.convert(Op::SToF, x, f32)
        } else {
            let x = self.value(f32);
            self.b.convert(Op::FToS, x, i32)
        }
    }

    /// A type of floats.
    fn float(&mut self) -> Ty {
        match self.world.types.last() {
            Some(&pair) if self.world.halves && self.rng.once_in(2) => self.b.types().scalar(pair),
            _ => self.world.f32,
        }
    }

    /// A float of the other width, or a word of two narrow ones.
    fn resized(&mut self) -> Value {
        let World { f32, .. } = *self.world;
        let Some(&pair) = self.world.types.last() else { return self.value(f32) };
        let half = self.b.types().scalar(pair);
        match self.rng.below(3) {
            0 => {
                let x = self.value(f32);
                self.b.convert(Op::FToF, x, half)
            }
            1 => {
                let x = self.value(half);
                self.b.convert(Op::FToF, x, f32)
            }
            _ => {
                let (x, y) = (self.value(half), self.value(half));
                self.b.construct(pair, &[x, y])
            }
        }
    }

    fn composite(&mut self) -> Value {
        let vector = self.world.types[3 + self.rng.below(3)];
        let x = self.value(vector);
        let scalar = self.b.types().scalar(vector);
        let n = u32::from(self.b.types().components(vector));
        let part = self.rng.below(n as usize) as u32;
        match self.rng.below(4) {
            0 => self.b.extract(x, part),
            1 => {
                let scalar = self.value(scalar);
                self.b.insert(x, part, scalar)
            }
            2 => {
                let y = self.value(vector);
                self.b.shuffle(x, y, &[part as u8, (n + part) as u8])
            }
            _ => {
                let parts: Vec<Value> = (0..n).map(|_| self.value(scalar)).collect();
                self.b.construct(vector, &parts)
            }
        }
    }

    /// The place of an element of a buffer.
    fn element(&mut self, buffer: GlobalRef) -> Value {
        let place = self.b.global(buffer);
        let zero = self.b.i32(0);
        let index = self.value(self.world.i32);
        let index = match self.own.filter(|_| buffer == self.world.output) {
            Some(first) => self.own_index(first, index),
            None => {
                let seven = self.b.i32(7);
                self.b.and(index, seven)
            }
        };
        self.b.access(place, &[zero, index])
    }

    fn load(&mut self) -> Value {
        let place = match self.rng.below(3) {
            0 => self.b.global(self.world.private),
            1 => self.element(self.world.output),
            _ => self.element(self.world.input),
        };
        self.b.load(place)
    }

    /// A texel that is read, counted in, or that belongs to the lane: groups of several waves have none of those.
    fn texel(&mut self) {
        let Some(images) = &self.world.images else { return };
        let i32 = self.world.i32;
        let numbers: [Value; 4] = std::array::from_fn(|_| self.value(i32));
        let own = self.world.lane.map(|lane| {
            let (place, three) = (self.b.global(lane), self.b.i32(3));
            let lane = self.b.load(place);
            [lane, self.b.op(Op::LShr, &[lane, three])]
        });
        let at = own.unwrap_or([numbers[0], numbers[1]]);
        match self.rng.below(8) {
            0..=2 => {
                let texel = images.read(&mut self.b, [numbers[0], numbers[1]]);
                let number = self.b.extract(texel, self.rng.below(4) as u32);
                self.known.push(number);
            }
            3 | 4 => {
                let row = self.rng.below(4);
                images.count(&mut self.b, numbers[0], row, numbers[1]);
            }
            _ if self.world.shared.is_some() => {}
            5 => {
                let colour = self.value(self.world.types[4]);
                images.write(&mut self.b, at, colour);
            }
            _ => {
                let texel = self.b.vector(&numbers);
                images.write(&mut self.b, at, texel);
            }
        }
    }

    fn store(&mut self) {
        if self.rng.once_in(3) {
            let (place, value) = (self.b.global(self.world.private), self.value(self.world.f32));
            return self.b.store(place, value);
        }
        let place = self.element(self.world.output);
        let value = self.value(self.world.i32);
        self.b.store(place, value);
    }

    fn call(&mut self) -> Value {
        if self.callees.is_empty() {
            return self.arithmetic();
        }
        let callee = self.callees[self.rng.below(self.callees.len())];
        let params = self.b.module().function(callee).param_types();
        let args = self.values(&params);
        self.b.call(callee, &args).unwrap_or(args.first().copied().unwrap_or(Value(0)))
    }

    fn construct(&mut self) {
        let results = self.types(2);
        match self.rng.below(6) {
            0 => self.plain_block(&results),
            1 | 2 => self.if_(&results),
            3 => self.switch(&results),
            _ => self.loop_(&results),
        }
        let values = self.b.leave();
        if !self.b.is_ended() {
            self.known.extend(values);
        }
        self.open.pop();
    }

    fn enter(&mut self, inst: Inst, results: &[Ty]) {
        self.open.push(Target { inst, results: results.to_vec(), carried: None });
    }

    fn inner(&mut self, n: usize) {
        self.b.enter(n);
        self.block();
    }

    fn plain_block(&mut self, results: &[Ty]) {
        let inst = self.b.begin(Op::Block, &[], results, 1);
        self.enter(inst, results);
        self.inner(0);
    }

    fn if_(&mut self, results: &[Ty]) {
        let condition = self.value(self.world.bool);
        let inst = self.b.begin(Op::If, &[condition], results, 2);
        self.enter(inst, results);
        self.inner(0);
        self.inner(1);
    }

    fn switch(&mut self, results: &[Ty]) {
        let selector = self.value(self.world.i32);
        let blocks = 1 + self.rng.below(3);
        let cases: Vec<(u64, u32)> =
            (0..self.rng.below(4)).map(|i| (i as u64, self.rng.below(blocks) as u32)).collect();
        let inst = self.b.begin_switch(selector, results, &cases, blocks);
        self.enter(inst, results);
        (0..blocks).for_each(|n| self.inner(n));
    }

    fn loop_(&mut self, results: &[Ty]) {
        let i32 = self.world.i32;
        let (mut carried, mut state) = (self.types(2), self.types(2));
        carried.insert(0, i32);
        state.insert(0, i32);
        let mut init = self.values(&state);
        init[0] = self.b.i32(0);
        let inst = self.b.begin_loop(&init, results, &carried);
        self.enter(inst, results);
        let blocks = self.b.function().blocks_of(inst).to_vec();
        let mark = self.known.len();
        self.b.enter(0);
        let params = self.b.function().block(blocks[0]).params.clone();
        self.known.extend(&params);
        self.open
            .last_mut()
            .into_iter()
            .for_each(|target| target.carried = Some((carried.clone(), params[0])));
        self.limit(inst, params[0], results);
        self.block();
        self.known.truncate(mark);
        self.open.last_mut().into_iter().for_each(|target| target.carried = None);
        self.b.enter(1);
        let params = self.b.function().block(blocks[1]).params.clone();
        self.known.extend(&params);
        self.continuing(inst, params[0], &state, results);
        self.known.truncate(mark);
    }

    /// Leaves a loop after its rounds.
    fn limit(&mut self, inst: Inst, count: Value, results: &[Ty]) {
        let rounds = self.b.i32(1 + self.rng.below(ROUNDS as usize) as i32);
        let more = self.b.slt(count, rounds);
        let values = self.values(results);
        self.b.if_else(more, |_, _| {}, |b, _| b.exit(inst, &values));
    }

    /// A continuing block: some operations, perhaps an exit, the next round.
    fn continuing(&mut self, inst: Inst, count: Value, state: &[Ty], results: &[Ty]) {
        for _ in 0..self.rng.below(3) {
            self.operation();
        }
        if self.rng.once_in(4) {
            let (condition, values) = (self.value(self.world.bool), self.values(results));
            self.b.when(condition, |b, _| b.exit(inst, &values));
        }
        let one = self.b.i32(1);
        let next = self.b.iadd(count, one);
        let mut values = self.values(state);
        values[0] = next;
        self.b.repeat(inst, &values);
    }

    /// An exit, most often of the innermost construct.
    fn end(&mut self) {
        let depth = self.open.len();
        if depth == 0 {
            return self.return_();
        }
        // Where barriers follow, every lane goes on.
        let meets = self.world.shared.is_some();
        match self.rng.below(if self.world.lively { 64 } else { 16 }) {
            0 if !meets || !self.is_main => self.return_(),
            1 if depth > 2 && !meets => self.b.terminate(),
            2..=4 => self.continue_(),
            5..=7 => self.exit(self.rng.clone().below(depth)),
            _ => self.exit(depth - 1),
        }
    }

    fn exit(&mut self, n: usize) {
        self.rng.draw();
        let (inst, results) = (self.open[n].inst, self.open[n].results.clone());
        let values = self.values(&results);
        self.b.exit(inst, &values);
    }

    /// To some loop's next round, if one is around.
    fn continue_(&mut self) {
        let loops: Vec<usize> = (0..self.open.len()).filter(|&i| self.open[i].carried.is_some()).collect();
        let Some(&n) = loops.get(self.rng.below(loops.len())) else { return self.exit(self.open.len() - 1) };
        let Some((carried, count)) = self.open[n].carried.clone() else { return };
        let mut values = self.values(&carried);
        values[0] = count;
        self.b.continue_(self.open[n].inst, &values);
    }

    fn return_(&mut self) {
        if *self.b.types().get(self.result) == Type::Void {
            return self.b.return_();
        }
        let value = self.value(self.result);
        self.b.return_value(value);
    }
}
