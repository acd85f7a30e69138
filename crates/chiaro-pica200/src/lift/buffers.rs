//! The compute form: inputs from a buffer, outputs to one, for hosts without the stage and for whoever
//! wants the numbers.
//!
//! | binding | holds |
//! |---|---|
//! | 1 | `inputs`: rows of four floats; v*n* of invocation *i* is row 16 *i* + *n* |
//! | 2 | `outputs`: o*n* of invocation *i* is row 16 *i* + *n*; of a geometry program with at most *m* corners, o*n* of corner *k* is row 16 (*m* *i* + *k*) + *n* |
//! | 3 | `counts`, of a geometry program: how many corners an invocation has sent, three for a triangle |
//!
//! An invocation is one of a workgroup of 1 1 1, by the number x of its global place.

use chiaro_ir::{Binding, Builder, Global, GlobalRef, Interpolation, Member, Module, Space, Type, Value};

/// SPIR-V's number of `GlobalInvocationId`.
const INVOCATION: u32 = 28;
/// Rows of an invocation, or of a corner.
const ROWS: u32 = 16;

/// The variables.
pub(super) struct Buffers {
    invocation: GlobalRef,
    inputs: GlobalRef,
    outputs: GlobalRef,
    counts: Option<GlobalRef>,
}

impl Buffers {
    /// The variables, added to the module.
    pub(super) fn new(module: &mut Module, is_geometry: bool) -> Buffers {
        let (int, float) = (module.types.intern(Type::Int(32)), module.types.intern(Type::Float(32)));
        let (place, row) = (module.types.vector(int, 3), module.types.vector(float, 4));
        let built_in = Binding { builtin: Some(INVOCATION), ..Binding::default() };
        let invocation = add(module, "invocation", Space::Input, place, built_in);
        let mut buffer = |name: &str, number: u32, ty, stride| {
            let elements = module.types.intern(Type::RuntimeArray(ty, stride));
            let member = Member { ty: elements, name: "rows".to_owned(), offset: Some(0) };
            let block = module.types.intern(Type::Struct(format!("{name}_rows"), vec![member]));
            let binding = Binding { set: Some(0), binding: Some(number), ..Binding::default() };
            add(module, name, Space::Storage, block, binding)
        };
        Buffers {
            invocation,
            inputs: buffer("inputs", 1, row, 16),
            outputs: buffer("outputs", 2, row, 16),
            counts: is_geometry.then(|| buffer("counts", 3, int, 4)),
        }
    }

    pub(super) fn globals(&self) -> impl Iterator<Item = GlobalRef> {
        [self.invocation, self.inputs, self.outputs].into_iter().chain(self.counts)
    }

    /// v`n`.
    pub(super) fn input(&self, b: &mut Builder<'_>, n: u8) -> Value {
        let first = self.invocation(b);
        let place = self.row(b, self.inputs, first, n);
        b.load(place)
    }

    /// Writes o`n`, of a corner if it has a number among so many.
    pub(super) fn put(&self, b: &mut Builder<'_>, corner: Option<(Value, u32)>, n: u8, value: Value) {
        let mut at = self.invocation(b);
        if let Some((corner, most)) = corner {
            let most = b.u32(most);
            let first = b.imul(at, most);
            at = b.iadd(first, corner);
        }
        let place = self.row(b, self.outputs, at, n);
        b.store(place, value);
    }

    /// Writes the number of corners.
    pub(super) fn count(&self, b: &mut Builder<'_>, count: Value) {
        let Some(counts) = self.counts else { return };
        let (at, pointer, first) = (self.invocation(b), b.global(counts), b.u32(0));
        let place = b.access(pointer, &[first, at]);
        b.store(place, count);
    }

    fn invocation(&self, b: &mut Builder<'_>) -> Value {
        let pointer = b.global(self.invocation);
        let place = b.load(pointer);
        b.extract(place, 0)
    }

    fn row(&self, b: &mut Builder<'_>, buffer: GlobalRef, group: Value, n: u8) -> Value {
        let (rows, n, first, pointer) = (b.u32(ROWS), b.u32(n.into()), b.u32(0), b.global(buffer));
        let base = b.imul(group, rows);
        let at = b.iadd(base, n);
        b.access(pointer, &[first, at])
    }
}

fn add(module: &mut Module, name: &str, space: Space, ty: chiaro_ir::Ty, binding: Binding) -> GlobalRef {
    module.globals.push(Global {
        name: name.to_owned(),
        space,
        ty,
        init: None,
        binding: Binding { interpolation: Interpolation::Perspective, ..binding },
        members: Vec::new(),
        coherent: false,
        read_only: name == "inputs" || space == Space::Input,
        span: None,
    });
    GlobalRef(module.globals.len() as u32 - 1)
}
