//! Random expressions, made to meet rules: few operands that come again and again, constants that
//! rules look for, operations within operations.

use chiaro_ir::random::Rng;
use chiaro_ir::{
    Binding, Builder, EntryPoint, Flags, Global, GlobalRef, Member, Module, Op, Space, Stage, Ty, Type, Value,
};

/// Words that an expression reads, and those of each kind that it writes at most.
pub(crate) const WORDS: usize = 64;

/// A module that reads floats from buffer 0 and integers from buffer 1, and writes floats to
/// buffer 2 and integers to buffer 3.
pub(crate) fn module(seed: u64, size: usize) -> Module {
    let mut module = Module::default();
    let f32 = module.types.intern(Type::Float(32));
    let i32 = module.types.intern(Type::Int(32));
    let void = module.types.intern(Type::Void);
    for (i, scalar) in [f32, i32, f32, i32].into_iter().enumerate() {
        buffer(&mut module, i as u32, scalar);
    }
    let builder = Builder::new(&mut module, "main", &[], void);
    let mut e = Expressions { b: builder, rng: Rng(seed), values: Vec::new(), stored: [0; 2] };
    e.inputs(f32, i32);
    for _ in 0..size {
        let exact = e.rng.once_in(8);
        e.b.flags = Flags { exact, ..Flags::default() };
        let value = e.operation();
        e.values.push(value);
        if e.rng.once_in(5) {
            e.store(value);
        }
    }
    for i in e.values.len().saturating_sub(4)..e.values.len() {
        let value = e.values[i];
        e.store(value);
    }
    let main = e.b.finish().unwrap();
    let interface = (0..module.globals.len() as u32).map(GlobalRef).collect();
    let (name, stage, modes) = ("main".into(), Stage::Compute, Vec::new());
    module.entries.push(EntryPoint { name, stage, function: main, interface, workgroup: [1; 3], modes });
    module
}

fn buffer(module: &mut Module, number: u32, scalar: Ty) {
    let array = module.types.intern(Type::RuntimeArray(scalar, 4));
    let member = Member { ty: array, name: "data".into(), offset: Some(0) };
    let ty = module.types.intern(Type::Struct(format!("Buffer{number}"), vec![member]));
    module.globals.push(Global {
        name: format!("buffer{number}"),
        space: Space::Storage,
        ty,
        init: None,
        binding: Binding { set: Some(0), binding: Some(number), ..Binding::default() },
        members: Vec::new(),
        coherent: false,
        read_only: false,
        span: None,
    });
}

struct Expressions<'m> {
    b: Builder<'m>,
    rng: Rng,
    values: Vec<Value>,
    stored: [u32; 2],
}

impl Expressions<'_> {
    fn inputs(&mut self, f32: Ty, i32: Ty) {
        for i in 0..4 {
            let place = self.place(0, i);
            let x = self.b.load(place);
            let place = self.place(1, i);
            let y = self.b.load(place);
            self.values.extend([x, y]);
        }
        for n in [2, 3, 4] {
            let (vector, ints) = (self.b.types().vector(f32, n), self.b.types().vector(i32, n));
            let parts: Vec<Value> = (0..usize::from(n)).map(|i| self.values[2 * i]).collect();
            let ints_of: Vec<Value> = (0..usize::from(n)).map(|i| self.values[2 * i + 1]).collect();
            let (x, y) = (self.b.construct(vector, &parts), self.b.construct(ints, &ints_of));
            self.values.extend([x, y]);
        }
    }

    fn place(&mut self, buffer: u32, i: u32) -> Value {
        let base = self.b.global(GlobalRef(buffer));
        let (zero, index) = (self.b.u32(0), self.b.u32(i));
        self.b.access(base, &[zero, index])
    }

    fn store(&mut self, value: Value) {
        let ty = self.b.ty(value);
        for i in 0..u32::from(self.b.types().components(ty)) {
            let mut part = if self.b.types().components(ty) > 1 { self.b.extract(value, i) } else { value };
            if self.b.types().is_bool(ty) {
                let (one, zero) = (self.b.i32(1), self.b.i32(0));
                part = self.b.select(part, one, zero);
            }
            let kind = u32::from(!self.b.types().is_float(ty));
            let at = self.stored[kind as usize];
            if at < WORDS as u32 {
                let place = self.place(2 + kind, at);
                self.b.store(place, part);
                self.stored[kind as usize] += 1;
            }
        }
    }

    /// A recent value that fits, or a constant.
    fn operand(&mut self, fits: impl Fn(&mut Expressions<'_>, Ty) -> bool) -> Option<Value> {
        for _ in 0..40 {
            let n = self.values.len();
            let back = if self.rng.once_in(3) { n } else { n.min(8) };
            let value = self.values[n - 1 - self.rng.below(back)];
            let ty = self.b.ty(value);
            if fits(self, ty) {
                return Some(value);
            }
        }
        None
    }

    fn like(&mut self, ty: Ty) -> Value {
        if self.rng.once_in(3) {
            return self.constant(ty);
        }
        let found = self.operand(|_, other| other == ty);
        found.unwrap_or_else(|| self.constant(ty))
    }

    fn constant(&mut self, ty: Ty) -> Value {
        let scalar = self.b.types().scalar(ty);
        let n = usize::from(self.b.types().components(ty));
        let splat = self.rng.once_in(2);
        let mut parts = Vec::new();
        for i in 0..n {
            let part = if splat && i > 0 { parts[0] } else { self.scalar(scalar) };
            parts.push(part);
        }
        if splat {
            self.b.splat(ty, parts[0])
        } else if n == 1 {
            parts[0]
        } else {
            self.b.construct(ty, &parts)
        }
    }

    fn scalar(&mut self, ty: Ty) -> Value {
        const FLOATS: [f32; 12] = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -2.0, 0.25, 1.5, 0.1, 4.0];
        const INTS: [i32; 12] = [0, 1, -1, 2, 3, 4, 8, 31, 255, 7, -2, 16];
        let i = self.rng.below(12);
        match *self.b.types().get(ty) {
            Type::Bool => self.b.bool(i & 1 == 1),
            Type::Float(_) => self.b.f32(FLOATS[i]),
            _ => self.b.i32(INTS[i]),
        }
    }

    fn operation(&mut self) -> Value {
        match self.rng.below(16) {
            0..=4 => self.float(),
            5..=7 => self.function(),
            8 | 9 => self.int(),
            10 => self.compare(),
            11 => self.select(),
            12 => self.convert(),
            13 => self.logic(),
            _ => self.composite(),
        }
    }

    fn a_float(&mut self) -> Value {
        let found = self.operand(|e, ty| e.b.types().is_float(ty));
        found.unwrap_or(self.values[0])
    }

    fn an_int(&mut self) -> Value {
        let found = self.operand(|e, ty| e.b.types().is_int(ty));
        found.unwrap_or(self.values[1])
    }

    fn float(&mut self) -> Value {
        use Op::*;
        let a = self.a_float();
        let ty = self.b.ty(a);
        let b = if self.rng.once_in(8) { a } else { self.like(ty) };
        let c = self.like(ty);
        let (a, b) = if self.rng.once_in(3) { (b, a) } else { (a, b) };
        match self.rng.below(10) {
            0..=6 => {
                let op = [FAdd, FSub, FMul, FAdd, FMul, FMin, FMax, FDiv][self.rng.below(8)];
                self.b.op(op, &[a, b])
            }
            7 => self.b.fclamp(a, b, c),
            8 => self.b.fma(a, b, c),
            _ if self.b.types().components(ty) > 1 => self.b.fdot(a, b),
            _ => self.b.fsub(a, b),
        }
    }

    fn function(&mut self) -> Value {
        use Op::*;
        const OPS: [Op; 20] = [
            FNeg, FAbs, FNeg, FAbs, FNeg, FSqrt, FRsqrt, FExp2, FLog2, FExp, FLog, FFloor, FCeil, FTrunc,
            FFract, FSin, FCos, FSign, FRoundEven, FPow,
        ];
        let a = self.a_float();
        let op = OPS[self.rng.below(OPS.len())];
        if op == FPow {
            let ty = self.b.ty(a);
            let b = self.like(ty);
            return self.b.fpow(a, b);
        }
        self.b.op(op, &[a])
    }

    fn int(&mut self) -> Value {
        use Op::*;
        const OPS: [Op; 24] = [
            IAdd, ISub, IMul, UDiv, SDiv, URem, SRem, SMod, UMin, UMax, SMin, SMax, Shl, LShr, AShr, And, Or,
            Xor, INeg, Not, IAbs, IAdd, And, LShr,
        ];
        let a = self.an_int();
        let ty = self.b.ty(a);
        let b = self.like(ty);
        let op = OPS[self.rng.below(OPS.len())];
        if matches!(op, INeg | Not | IAbs) { self.b.op(op, &[a]) } else { self.b.op(op, &[a, b]) }
    }

    fn compare(&mut self) -> Value {
        use Op::*;
        if self.rng.once_in(2) {
            let a = self.a_float();
            let ty = self.b.ty(a);
            let b = if self.rng.once_in(8) { a } else { self.like(ty) };
            if self.rng.once_in(6) {
                let op = [IsNan, IsInf][self.rng.below(2)];
                return self.b.op(op, &[a]);
            }
            let op = [FEq, FNe, FLt, FLe][self.rng.below(4)];
            return self.b.op(op, &[a, b]);
        }
        let a = self.an_int();
        let ty = self.b.ty(a);
        let b = self.like(ty);
        let op = [IEq, INe, ULt, ULe, SLt, SLe][self.rng.below(6)];
        self.b.op(op, &[a, b])
    }

    fn logic(&mut self) -> Value {
        let Some(a) = self.operand(|e, ty| e.b.types().is_bool(ty)) else { return self.compare() };
        let ty = self.b.ty(a);
        let b = self.like(ty);
        match self.rng.below(6) {
            0 => self.b.and(a, b),
            1 => self.b.or(a, b),
            2 => self.b.xor(a, b),
            3 => self.b.op([Op::IEq, Op::INe][self.rng.below(2)], &[a, b]),
            _ => self.b.not(a),
        }
    }

    fn select(&mut self) -> Value {
        let Some(condition) = self.operand(|e, ty| e.b.types().is_bool(ty)) else { return self.compare() };
        let ty = self.b.ty(condition);
        let n = self.b.types().components(ty);
        let Some(a) = self.operand(|e, ty| n == 1 || e.b.types().components(ty) == n) else {
            return condition;
        };
        let ty = self.b.ty(a);
        let (a, b) =
            if self.rng.once_in(2) { (a, self.like(ty)) } else { (self.constant(ty), self.constant(ty)) };
        self.b.select(condition, a, b)
    }

    fn convert(&mut self) -> Value {
        let (f32, i32) = (self.b.float_ty(32), self.b.int_ty(32));
        match self.rng.below(4) {
            0 | 1 => {
                let x = self.an_int();
                let op = [Op::SToF, Op::UToF][self.rng.below(2)];
                self.b.convert(op, x, f32)
            }
            2 => {
                let x = self.a_float();
                let op = [Op::FToS, Op::FToU][self.rng.below(2)];
                self.b.convert(op, x, i32)
            }
            _ => {
                let x = self.a_float();
                let f64 = self.b.float_ty(64);
                let wide = self.b.convert(Op::FToF, x, f64);
                self.b.convert(Op::FToF, wide, f32)
            }
        }
    }

    fn composite(&mut self) -> Value {
        let Some(v) = self.operand(|e, ty| e.b.types().components(ty) > 1) else { return self.values[0] };
        let ty = self.b.ty(v);
        let (n, scalar) = (self.b.types().components(ty), self.b.types().scalar(ty));
        let part = self.rng.below(usize::from(n)) as u8;
        match self.rng.below(8) {
            0..=2 => self.b.extract(v, part.into()),
            3 => {
                let x = self.like(scalar);
                self.b.insert(v, part.into(), x)
            }
            4 => {
                let other = self.like(ty);
                let count = 2 + self.rng.below(3);
                let parts: Vec<u8> = (0..count).map(|_| self.rng.below(usize::from(2 * n)) as u8).collect();
                self.b.shuffle(v, other, &parts)
            }
            5 => {
                let x = self.like(scalar);
                self.b.splat(ty, x)
            }
            6 if n < 4 => {
                let x = self.like(scalar);
                let wide = self.b.types().vector(scalar, n + 1);
                self.b.construct(wide, &[v, x])
            }
            _ => {
                let parts: Vec<Value> = (0..n).map(|_| self.like(scalar)).collect();
                self.b.construct(ty, &parts)
            }
        }
    }
}
