//! A module of a part while it is built.

use chiaro_ir::{Builder, EntryPoint, Global, GlobalRef, Module, Op as Ir, Space, Stage, Ty, Type, Value};

use crate::abi::link::Binding;
use crate::compile::select::{Bound, Bounds};
use crate::container::file::{self, Role};

/// A part before it is compiled.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What it computes; its only entry point is [`ENTRY`].
    pub module: Module,
    /// Where its variables stand.
    pub bounds: Bounds,
    /// The stage that it is a part of.
    pub stage: file::Stage,
    /// Which part.
    pub role: Role,
    /// It is run for each sample, and does not end the program.
    pub samples: bool,
    /// What coefficient registers hold for it.
    pub bindings: Vec<Binding>,
    /// A target is not written whole, so that what it holds counts as read (spec 18.2).
    pub keeps: bool,
}

impl Draft {
    /// One with nothing but its module.
    pub(super) fn of((module, bounds): (Module, Bounds), stage: file::Stage, role: Role) -> Draft {
        Draft { module, bounds, stage, role, samples: false, bindings: Vec::new(), keeps: false }
    }
}

/// The name of the entry point of a part.
pub const ENTRY: &str = "part";

/// Masks of samples that there are: an array over them has an element for each.
const MASKS: u32 = 256;
/// Bytes from an element of such an array to the next.
const STRIDE: u32 = 16;

/// Elements and addresses of memory, for its type: what is read is not limited to them.
const ELEMENTS: u32 = 1 << 16;
const ADDRESSES: u32 = 1 << 10;

/// A place in memory: an address, and a number of elements of so many bytes each from there.
pub(super) struct Element {
    pub(super) address: Value,
    pub(super) index: Value,
    pub(super) stride: u32,
}

/// A function of a part, and where its variables stand.
pub(super) struct Build<'m> {
    pub(super) b: Builder<'m>,
    bounds: Bounds,
}

/// Builds a module and where its variables stand.
pub(super) fn build(
    stage: Stage,
    body: impl FnOnce(&mut Build<'_>) -> Result<(), String>,
) -> Result<(Module, Bounds), String> {
    let mut module = Module::default();
    let void = module.types.intern(Type::Void);
    let mut build = Build { b: Builder::new(&mut module, ENTRY, &[], void), bounds: Bounds::new() };
    body(&mut build)?;
    build.b.return_();
    let Build { b, bounds } = build;
    let function = b.finish().map_err(|mistake| mistake.message)?;
    let interface = (0..module.globals.len() as u32).map(GlobalRef).collect();
    let (name, workgroup) = (ENTRY.to_owned(), [1; 3]);
    module.entries.push(EntryPoint { name, stage, function, interface, workgroup, modes: Vec::new() });
    Ok((module, bounds))
}

impl Build<'_> {
    /// A pointer to a variable that stands somewhere; the same name is the same variable.
    pub(super) fn variable(&mut self, space: Space, name: &str, ty: Ty, bound: Bound) -> Value {
        let known = self.b.module().globals.iter().position(|global| global.name == name);
        let g = known.unwrap_or_else(|| {
            self.declare(space, name, ty);
            self.b.module().globals.len() - 1
        });
        let g = GlobalRef(g as u32);
        self.bounds.insert(g, bound);
        self.b.global(g)
    }

    fn declare(&mut self, space: Space, name: &str, ty: Ty) {
        self.b.module().globals.push(Global {
            name: name.to_owned(),
            space,
            ty,
            init: None,
            binding: Default::default(),
            members: Vec::new(),
            coherent: false,
            read_only: space == Space::Uniform,
            span: None,
        });
    }

    pub(super) fn float(&mut self, bits: u8) -> Ty {
        self.b.float_ty(bits)
    }

    pub(super) fn int(&mut self, bits: u8) -> Ty {
        self.b.int_ty(bits)
    }

    /// Bits of a scalar.
    pub(super) fn width(&mut self, value: Value) -> u8 {
        let ty = self.b.ty(value);
        self.b.types().bits(ty).unwrap_or(32)
    }

    /// A float constant of the size of another value.
    pub(super) fn number(&mut self, ty: Ty, x: f64) -> Value {
        let bits = match self.b.types().bits(ty) {
            Some(16) => chiaro_num::F16.encode(x, chiaro_num::Encoding::default()).into(),
            _ => u64::from((x as f32).to_bits()),
        };
        self.b.bits(ty, bits)
    }

    /// One scalar, or a vector of several.
    pub(super) fn several(&mut self, ty: Ty, n: usize) -> Ty {
        if n == 1 { ty } else { self.b.types().vector(ty, n as u8) }
    }

    /// The scalars of a value of so many.
    pub(super) fn scalars(&mut self, value: Value, n: usize) -> Vec<Value> {
        if n == 1 { vec![value] } else { (0..n as u32).map(|i| self.b.extract(value, i)).collect() }
    }

    /// A value of some scalars.
    pub(super) fn gathered(&mut self, parts: &[Value]) -> Value {
        if let [one] = parts { *one } else { self.b.vector(parts) }
    }

    /// An element of an array over masks of samples.
    pub(super) fn of_samples(&mut self, name: &str, element: Ty, bound: Bound, samples: Value) -> Value {
        let array = self.b.types().intern(Type::Array(element, MASKS, STRIDE));
        let whole = self.variable(Space::Storage, name, array, bound);
        self.b.access(whole, &[samples])
    }

    /// A pointer to an element of memory behind an address, of so many bytes each.
    pub(super) fn memory(
        &mut self,
        (format, mask): (u8, u8),
        element: Ty,
        to: Option<u16>,
        at: Element,
    ) -> Value {
        let array = self.b.types().intern(Type::Array(element, ELEMENTS, at.stride));
        let all = self.b.types().intern(Type::Array(array, ADDRESSES, 0));
        let name = format!("memory {format} {mask} {:?} {:?} {}", element.0, to, at.stride);
        let whole = self.variable(Space::Storage, &name, all, Bound::Memory { format, mask, to });
        self.b.access(whole, &[at.address, at.index])
    }

    /// A uniform.
    pub(super) fn uniform(&mut self, name: &str, ty: Ty, half: u16) -> Value {
        let place = self.variable(Space::Uniform, name, ty, Bound::Uniform(half));
        self.b.load(place)
    }

    /// A special register.
    pub(super) fn special(&mut self, name: &str, number: u8) -> Value {
        let word = self.int(32);
        let place = self.variable(Space::Uniform, name, word, Bound::Special(number));
        self.b.load(place)
    }

    /// A constant mask of samples.
    pub(super) fn mask(&mut self, samples: u64) -> Value {
        let ty = self.int(16);
        self.b.bits(ty, samples)
    }

    /// What a register holds at the start.
    pub(super) fn register(&mut self, name: &str, ty: Ty, half: u16) -> Value {
        let place = self.variable(Space::Input, name, ty, Bound::Register(half));
        self.b.load(place)
    }

    /// The bits of a constant.
    pub(super) fn known(&mut self, value: Value) -> Option<u64> {
        let function = self.b.function().clone();
        self.b.module().value_bits(&function, value)
    }

    /// An unary conversion, or nothing where the type is the wanted one.
    pub(super) fn convert(&mut self, op: Ir, value: Value, ty: Ty) -> Value {
        if self.b.ty(value) == ty { value } else { self.b.convert(op, value, ty) }
    }
}
