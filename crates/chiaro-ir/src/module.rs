//! Modules: types, constants, variables, functions and entry points.

use crate::constant::{Constant, ConstantKind, Constants};
use crate::function::{Def, Function};
use crate::id::{FunctionRef, GlobalRef, Value};
use crate::op::Op;
use crate::ty::{Space, Ty, Type, Types};
use chiaro_diag::Span;
use chiaro_num::{Encoding, F16};

/// Stages that an entry point can have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Stage {
    Vertex,
    TessControl,
    TessEvaluation,
    Geometry,
    Fragment,
    Compute,
    Task,
    Mesh,
    RayGeneration,
    Intersection,
    AnyHit,
    ClosestHit,
    Miss,
    Callable,
}

/// The stages with their names in the text form.
pub(crate) const STAGES: [(Stage, &str); 14] = [
    (Stage::Vertex, "vertex"),
    (Stage::TessControl, "tess_control"),
    (Stage::TessEvaluation, "tess_evaluation"),
    (Stage::Geometry, "geometry"),
    (Stage::Fragment, "fragment"),
    (Stage::Compute, "compute"),
    (Stage::Task, "task"),
    (Stage::Mesh, "mesh"),
    (Stage::RayGeneration, "ray_generation"),
    (Stage::Intersection, "intersection"),
    (Stage::AnyHit, "any_hit"),
    (Stage::ClosestHit, "closest_hit"),
    (Stage::Miss, "miss"),
    (Stage::Callable, "callable"),
];

impl Stage {
    /// All of them, in the order of the pipelines.
    pub const ALL: [Stage; 14] = {
        let mut all = [Stage::Vertex; 14];
        let mut i = 0;
        while i < all.len() {
            all[i] = STAGES[i].0;
            i += 1;
        }
        all
    };

    /// Its name in the text form, `tess_control` for instance.
    #[must_use]
    pub fn name(self) -> &'static str {
        STAGES.iter().find(|(stage, _)| *stage == self).map_or("", |(_, name)| name)
    }

    /// Its short name, which is the ending of GLSL files: `tesc` for instance.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            Stage::Vertex => "vert",
            Stage::TessControl => "tesc",
            Stage::TessEvaluation => "tese",
            Stage::Geometry => "geom",
            Stage::Fragment => "frag",
            Stage::Compute => "comp",
            Stage::Task => "task",
            Stage::Mesh => "mesh",
            Stage::RayGeneration => "rgen",
            Stage::Intersection => "rint",
            Stage::AnyHit => "rahit",
            Stage::ClosestHit => "rchit",
            Stage::Miss => "rmiss",
            Stage::Callable => "rcall",
        }
    }

    /// The stage of a name, long or short.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| [stage.name(), stage.short_name()].contains(&name))
    }
}

/// How an input is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Interpolation {
    #[default]
    Perspective,
    Linear,
    Flat,
}

/// How a variable, or a member of a block, meets the outside.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Binding {
    /// Location of an input or output.
    pub location: Option<u32>,
    /// First component within the location.
    pub component: u32,
    /// Index of a second colour for blending.
    pub index: u32,
    /// SPIR-V's number of the built-in.
    pub builtin: Option<u32>,
    /// Descriptor set.
    pub set: Option<u32>,
    /// Binding within the set.
    pub binding: Option<u32>,
    /// How an input is interpolated.
    pub interpolation: Interpolation,
    /// At the centroid of the covered samples.
    pub centroid: bool,
    /// For each sample.
    pub sample: bool,
    /// What it depends on is computed the same in every shader.
    pub invariant: bool,
    /// One value for the whole patch.
    pub patch: bool,
}

/// A variable of the module.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name; unique within the module, may be empty in foreign modules.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// What it holds.
    pub ty: Ty,
    /// Its value at the start.
    pub init: Option<Constant>,
    /// How it meets the outside.
    pub binding: Binding,
    /// The same for each member, where it is a block of inputs, outputs or built-ins.
    pub members: Vec<Binding>,
    /// Whether other invocations see what is written, and it is not to be cached.
    pub coherent: bool,
    /// Whether it is only read.
    pub read_only: bool,
    /// Its source text.
    pub span: Option<Span>,
}

/// A constant whose value is chosen late.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its name, or empty.
    pub name: String,
    /// The number by which it is set; `None` for one that follows from others.
    pub id: Option<u32>,
    /// Its value if nobody chooses.
    pub default: Constant,
}

/// Where execution of a stage begins.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// Its name outside.
    pub name: String,
    /// Its stage.
    pub stage: Stage,
    /// The function: no parameters, no result.
    pub function: FunctionRef,
    /// Inputs, outputs and other variables that it uses.
    pub interface: Vec<GlobalRef>,
    /// Invocations in a workgroup; 1 1 1 outside of compute.
    pub workgroup: [u32; 3],
    /// SPIR-V's execution modes that are not above: number and operands.
    pub modes: Vec<(u32, Vec<u32>)>,
}

/// SPIR-V's numbers of the modes that say which threads of a group are a quad: two by two, or four in a row.
const QUADS: u32 = 5289;
const LINEAR: u32 = 5290;

impl EntryPoint {
    fn has_mode(&self, wanted: u32) -> bool {
        self.modes.iter().any(|(mode, _)| *mode == wanted)
    }

    /// Whether threads of a group form quads, so that there are derivatives.
    #[must_use]
    pub fn has_quads(&self) -> bool {
        self.has_mode(QUADS) || self.has_mode(LINEAR)
    }

    /// Whether those are squares of threads. Their sides are even, which the mode asks for.
    #[must_use]
    pub fn has_square_quads(&self) -> bool {
        self.has_mode(QUADS) && self.workgroup[..2].iter().all(|side| side % 2 == 0)
    }

    /// Says that quads are four threads in a row where they were squares.
    pub fn put_quads_in_rows(&mut self) {
        self.modes.iter_mut().filter(|(mode, _)| *mode == QUADS).for_each(|(mode, _)| *mode = LINEAR);
    }

    /// The number of a thread in its group, x counting fastest, by the number of its lane. Four lanes in a row are a quad,
    /// whatever threads that are.
    #[must_use]
    pub fn thread_of(&self, lane: u32) -> u32 {
        if !self.has_square_quads() {
            return lane;
        }
        let [width, height, _] = self.workgroup;
        let (plane, within) = (lane / (width * height), lane % (width * height));
        let (quad, corner) = (within / 4, within % 4);
        let (x, y) = (quad % (width / 2) * 2 + corner % 2, quad / (width / 2) * 2 + corner / 2);
        (plane * height + y) * width + x
    }
}

/// A whole shader module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Types.
    pub types: Types,
    /// Constants.
    pub constants: Constants,
    /// Constants that are chosen late.
    pub specs: Vec<Spec>,
    /// Variables.
    pub globals: Vec<Global>,
    /// What shaders print, by the number in [`Op::Print`].
    pub texts: Vec<String>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Entry points.
    pub entries: Vec<EntryPoint>,
}

impl Module {
    /// The bits of a number as a scalar of a type; none of what the type does not hold.
    #[must_use]
    pub fn bits_of(&self, ty: Ty, number: f64) -> Option<u64> {
        let whole = |bits: u8| {
            let holds = number == number.trunc() && number >= -(2f64.powi(i32::from(bits) - 1));
            let mask = u64::MAX >> (64 - bits);
            (holds && number < 2f64.powi(bits.into())).then_some(number as i128 as u64 & mask)
        };
        match *self.types.get(ty) {
            Type::Bool => Some(u64::from(number != 0.0)),
            Type::Int(bits) => whole(bits),
            Type::Float(64) => Some(number.to_bits()),
            Type::Float(32) => Some(u64::from((number as f32).to_bits())),
            Type::Float(16) => Some(F16.encode(number, Encoding::default()).into()),
            _ => None,
        }
    }

    /// A variable.
    pub fn global(&self, g: GlobalRef) -> &Global {
        &self.globals[g.0 as usize]
    }

    /// The variable whose place a pointer is.
    pub fn variable_at(&self, f: &Function, pointer: Value) -> Option<GlobalRef> {
        let Def::Constant(c) = f.def(pointer) else { return None };
        match *self.constants.get(c) {
            ConstantKind::Global(g) => Some(g),
            _ => None,
        }
    }

    /// The variable that a pointer leads into.
    pub fn variable_of(&self, f: &Function, mut pointer: Value) -> Option<GlobalRef> {
        while let Def::Result(inst, _) = f.def(pointer) {
            pointer = *f.args(inst).first().filter(|_| f.op(inst) == Op::Access)?;
        }
        self.variable_at(f, pointer)
    }

    /// A function.
    pub fn function(&self, f: FunctionRef) -> &Function {
        &self.functions[f.0 as usize]
    }

    /// A function, to be changed.
    pub fn function_mut(&mut self, f: FunctionRef) -> &mut Function {
        &mut self.functions[f.0 as usize]
    }

    /// An entry point by name.
    pub fn entry(&self, name: &str) -> Option<&EntryPoint> {
        self.entries.iter().find(|e| e.name == name)
    }

    /// A scalar constant, or one with the same scalar in all components of a vector.
    pub fn scalar(&mut self, ty: Ty, bits: u64) -> Constant {
        let n = self.types.components(ty);
        let scalar = self.types.scalar(ty);
        let one = self.constants.intern(scalar, ConstantKind::Scalar(bits));
        match n {
            2.. => self.constants.intern(ty, ConstantKind::Composite(vec![one; usize::from(n)])),
            _ => one,
        }
    }

    /// Part `n` of a constant composite. `None` for one that is chosen late and for what has
    /// no such part. The parts of `undef` are `undef`: all undefined values of a type are one.
    pub fn constant_part(&mut self, c: Constant, n: u32) -> Option<Constant> {
        let part = self.types.part(self.constants.ty(c), n)?;
        match self.constants.get(c) {
            ConstantKind::Composite(parts) => parts.get(n as usize).copied(),
            ConstantKind::Zero => Some(self.constants.intern(part, ConstantKind::Zero)),
            ConstantKind::Undef => Some(self.constants.intern(part, ConstantKind::Undef)),
            _ => None,
        }
    }

    /// The bits of a constant scalar, or those that all components of a constant vector share.
    pub fn splat_bits(&self, c: Constant) -> Option<u64> {
        match self.constants.get(c) {
            ConstantKind::Composite(parts) if self.types.components(self.constants.ty(c)) > 1 => {
                let first = self.constants.bits(*parts.first()?)?;
                parts.iter().all(|&part| self.constants.bits(part) == Some(first)).then_some(first)
            }
            ConstantKind::Zero if self.types.components(self.constants.ty(c)) == 0 => None,
            _ => self.constants.bits(c),
        }
    }

    /// As [`splat_bits`](Self::splat_bits), of a value of a function, if it is a constant.
    pub fn value_bits(&self, f: &Function, value: Value) -> Option<u64> {
        match f.def(value) {
            Def::Constant(c) => self.splat_bits(c),
            _ => None,
        }
    }

    /// The pointer to a variable, as a constant.
    pub fn address(&mut self, g: GlobalRef) -> Constant {
        let Global { space, ty, .. } = self.globals[g.0 as usize];
        let pointer = self.types.intern(crate::Type::Pointer(space, ty));
        self.constants.intern(pointer, ConstantKind::Global(g))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers of a width with or without a sign, all numbers as floats, truth as what is not 0.
    #[test]
    fn numbers_are_judged_by_the_type_that_takes_them() {
        let mut module = Module::default();
        let [byte, word, half, float, truth] =
            [Type::Int(8), Type::Int(32), Type::Float(16), Type::Float(32), Type::Bool]
                .map(|ty| module.types.intern(ty));
        let void = module.types.intern(Type::Void);
        for (ty, number, bits) in [
            (byte, 255.0, Some(255)),
            (byte, -128.0, Some(0x80)),
            (byte, 256.0, None),
            (byte, -129.0, None),
            (word, 0.5, None),
            (word, -1.0, Some(0xffff_ffff)),
            (word, f64::INFINITY, None),
            (word, f64::NAN, None),
            (half, 1.0, Some(0x3c00)),
            (float, 0.1, Some(0x3dcc_cccd)),
            (truth, 3.0, Some(1)),
            (truth, 0.0, Some(0)),
            (void, 1.0, None),
        ] {
            assert_eq!(module.bits_of(ty, number), bits, "{number} as {:?}", module.types.get(ty));
        }
    }

    /// Four lanes in a row are two threads beside each other and the two below, plane by plane; where sides are odd or
    /// quads are rows, lanes are threads. [SPV_KHR_compute_shader_derivatives]
    #[test]
    fn four_lanes_are_a_square_of_threads() {
        let threads = |workgroup: [u32; 3], mode: u32| {
            let modes = vec![(mode, Vec::new())];
            let entry = EntryPoint {
                name: String::new(),
                stage: Stage::Compute,
                function: FunctionRef(0),
                interface: Vec::new(),
                workgroup,
                modes,
            };
            (0..workgroup.iter().product()).map(|lane| entry.thread_of(lane)).collect::<Vec<u32>>()
        };
        let plane = [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 12, 13, 18, 19, 14, 15, 20, 21, 16, 17, 22, 23];
        let next: Vec<u32> = plane.iter().map(|thread| thread + 24).collect();
        assert_eq!(threads([6, 4, 2], QUADS), [&plane[..], &next].concat());
        for (workgroup, mode) in [([6, 4, 2], LINEAR), ([4, 3, 2], QUADS), ([3, 4, 1], QUADS)] {
            assert!(threads(workgroup, mode).into_iter().eq(0..workgroup.iter().product()), "{workgroup:?}");
        }
    }
}
