//! Functions: which are written, their parameters, and the entry point.
//!
//! Words may not pass a sampler in a structure, an element of an array of samplers, or an
//! image that is no variable. So a function with opaque parameters is written once for each
//! set of variables that it is called with; indices on the way to them become parameters.

use super::state::{Body, Instance, Link, Place, Root, Slot};
use chiaro_words::write::{Id, Part, encode};
use spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, LinkageType, Op,
    StorageClass,
};

use crate::hir::{ExprKind, FunctionId, LocalId, Passing, Program};
use crate::intrinsic::Intrinsic;
use crate::source::Stage;
use crate::token::Symbol;
use crate::ty::{Scalar, Type};

use super::emitter::Emitter;
use super::features::is_relaxed;
use crate::numeric::Num;

/// Functions that are written at most: opaque parameters can multiply.
const MOST_INSTANCES: usize = 1 << 12;

/// Instructions of a small function.
const USUAL: usize = 64;

impl<'a> Emitter<'a> {
    /// Writes `main` and what it calls, and the entry point.
    pub(super) fn functions(&mut self) {
        let Some(main) = self.program.main else { return self.library() };
        let id = self.instance(main, Vec::new());
        self.write_instances();
        if self.error.is_some() {
            return;
        }
        let nv = self.is_nv_mesh();
        let model = match self.program.stage {
            Stage::TessControl => ExecutionModel::TessellationControl,
            Stage::TessEvaluation => ExecutionModel::TessellationEvaluation,
            Stage::Task if nv => ExecutionModel::TaskNV,
            Stage::Mesh if nv => ExecutionModel::MeshNV,
            Stage::Task => ExecutionModel::TaskEXT,
            Stage::Mesh => ExecutionModel::MeshEXT,
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
            Stage::Geometry => ExecutionModel::Geometry,
            Stage::RayGeneration => ExecutionModel::RayGenerationKHR,
            Stage::Intersection => ExecutionModel::IntersectionKHR,
            Stage::AnyHit => ExecutionModel::AnyHitKHR,
            Stage::ClosestHit => ExecutionModel::ClosestHitKHR,
            Stage::Miss => ExecutionModel::MissKHR,
            Stage::Callable => ExecutionModel::CallableKHR,
        };
        self.out.entry_point(model, id, "main", &self.touched);
        self.stage_modes(id);
        self.spirv_modes(id);
    }

    /// Writes all functions of a source without `main`, under their names for other parts.
    fn library(&mut self) {
        for (n, function) in self.program.functions.iter().enumerate() {
            if function.is_import || function.params.contains(&Passing::Handle) {
                continue;
            }
            let id = self.instance(FunctionId(n as u32), Vec::new());
            self.link(id, function.name, LinkageType::Export);
        }
        self.write_instances();
    }

    /// Writes functions until none is left that is called.
    fn write_instances(&mut self) {
        while let Some(instance) = self.queue.pop_front() {
            if self.error.is_some() {
                return;
            }
            self.write_function(instance);
        }
    }

    /// Names a function for other parts.
    fn link(&mut self, id: Id, name: Symbol, linkage: LinkageType) {
        if self.program.functions.iter().filter(|function| function.name == name).count() > 1 {
            let name = self.symbols.text(name);
            self.fail(format!(
                "other parts know functions by their names, and `{name}` has overloads: give each a name of its own"
            ));
            return;
        }
        self.out.capability(Capability::Linkage);
        let mut literals = encode(self.symbols.text(name));
        literals.push(linkage as u32);
        self.out.decorate(id, Decoration::LinkageAttributes, &literals);
    }

    /// The id of a function for some opaque arguments.
    pub(super) fn instance(&mut self, function: FunctionId, handles: Vec<Place>) -> Id {
        let path = |place: &Place| {
            let view = place.view.map(|view| (view.ty, None));
            let links =
                place.chain.iter().map(|l| if l.dynamic.is_some() { (0, l.dynamic) } else { (l.id, None) });
            (place.base, view.into_iter().chain(links).collect())
        };
        let key = (function, handles.iter().map(path).collect());
        if let Some(&id) = self.instances.get(&key) {
            return id;
        }
        if self.instances.len() >= MOST_INSTANCES {
            return self.fail("functions are called with too many different samplers and images");
        }
        if !handles.is_empty() && self.program.functions[function.0 as usize].is_import {
            return self.fail("a function that another part has cannot take an image or a sampler");
        }
        let id = self.out.fresh();
        self.instances.insert(key, id);
        self.queue.push_back(Instance { id, function, handles });
        id
    }

    fn write_function(&mut self, instance: Instance) {
        let program: &'a Program = self.program;
        let function = &program.functions[instance.function.0 as usize];
        // Its buffers serve all functions.
        let Body { mut ops, mut operands, parts, .. } = std::mem::take(&mut self.body);
        ops.clear();
        operands.clear();
        ops.reserve(USUAL);
        operands.reserve(4 * USUAL);
        self.body = Body {
            ops,
            operands,
            function: Some(instance.function),
            slots: vec![Slot::Unknown; function.locals.len()],
            parts,
            ..Body::default()
        };
        self.at(function.at);
        let params = self.parameters(instance.function, instance.handles);
        if function.is_import {
            self.link(instance.id, function.name, LinkageType::Import);
            self.head(instance.id, instance.function, &params);
            return self.out.effect(Op::FunctionEnd, &[]);
        }
        let first = self.out.fresh();
        self.begin(first);
        self.name_parameters(&params, instance.function);
        if self.program.main == Some(instance.function) {
            self.initialize_globals();
        }
        self.statements(&function.body);
        self.at(function.at);
        self.return_undefined(instance.function);
        self.flush(instance.id, instance.function, &params, first);
    }

    /// Types and ids of what the function gets. By-value parameters become variables, opaque
    /// ones what they stand for.
    fn parameters(&mut self, function: FunctionId, handles: Vec<Place>) -> Vec<(Id, Id, Option<LocalId>)> {
        let program: &'a Program = self.program;
        let function = &program.functions[function.0 as usize];
        let mut handles = handles.into_iter();
        let mut params = Vec::new();
        for (i, (passing, local)) in function.params.iter().zip(&function.locals).enumerate() {
            let ty = self.what(local.ty);
            let slot = match passing {
                Passing::Handle => {
                    let Some(mut place) = handles.next() else { continue };
                    for link in &mut place.chain {
                        let Some(scalar) = link.dynamic else { continue };
                        let id = self.out.fresh();
                        *link = Link { id, ..*link };
                        params.push((self.num_ty(Num::scalar(scalar)), id, None));
                    }
                    place
                }
                Passing::In => {
                    let (ty_id, id) = (self.plain_ty(&ty), self.out.fresh());
                    if matches!(ty, Type::Reference(_)) {
                        let restrict = local.layout.restrict;
                        let decoration = if restrict { Decoration::Restrict } else { Decoration::Aliased };
                        self.out.decorate(id, decoration, &[]);
                    }
                    params.push((ty_id, id, Some(LocalId(i as u32))));
                    continue;
                }
                Passing::Out | Passing::Inout => {
                    let to = self.plain_ty(&ty);
                    let (ty_id, id) = (self.out.pointer(StorageClass::Function, to), self.out.fresh());
                    params.push((ty_id, id, None));
                    self.out.name(id, self.symbols.text(local.name));
                    self.decorate_holder(id, &ty, local.layout.restrict);
                    Place::local(id, ty)
                }
            };
            self.body.slots[i] = Slot::Place(slot);
        }
        params
    }

    /// Puts parameters that came by value into variables.
    fn name_parameters(&mut self, params: &[(Id, Id, Option<LocalId>)], function: FunctionId) {
        for &(_, id, local) in params {
            let Some(local) = local else { continue };
            let place = self.declare_local(local);
            self.store(&place, id);
            let local = &self.program.functions[function.0 as usize].locals[local.0 as usize];
            if is_relaxed(local.precision) {
                self.out.decorate(id, Decoration::RelaxedPrecision, &[]);
            }
        }
    }

    /// A variable of the function begins to be.
    pub(super) fn declare_local(&mut self, local: LocalId) -> Place {
        let program: &'a Program = self.program;
        let declared = self.body.function.map(|f| &program.functions[f.0 as usize].locals);
        let Some(declared) = declared.and_then(|locals| locals.get(local.0 as usize)) else {
            self.fail("a variable is used that nothing declares");
            return Place::local(0, Type::Void);
        };
        let ty = self.what(declared.ty);
        if self.is_ray_handle(&ty) {
            return self.ray_variable(local, declared.name, ty);
        }
        let id = self.function_variable_of(&ty, declared.layout.restrict);
        self.out.name(id, self.symbols.text(declared.name));
        if is_relaxed(declared.precision) {
            self.out.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        let place = Place::local(id, ty);
        if let Some(slot) = self.body.slots.get_mut(local.0 as usize) {
            *slot = Slot::Place(place.clone());
        }
        place
    }

    pub(super) fn function_variable(&mut self, ty: &Type) -> Id {
        self.function_variable_of(ty, false)
    }

    /// A variable; `restrict` says that the address in it is the only way to what stands there.
    fn function_variable_of(&mut self, ty: &Type, restrict: bool) -> Id {
        let to = self.plain_ty(ty);
        let pointer = self.out.pointer(StorageClass::Function, to);
        let id = self.out.fresh();
        self.body.variables.push((pointer, id));
        self.decorate_holder(id, ty, restrict);
        id
    }

    /// Values of global variables that are no constants.
    fn initialize_globals(&mut self) {
        let program: &'a Program = self.program;
        for (i, global) in program.globals.iter().enumerate() {
            let Some(init) = global.init else { continue };
            let init_ty = self.what(program.exprs[init.0 as usize].ty);
            let constant =
                matches!(program.exprs[init.0 as usize].kind, ExprKind::Constant(_) | ExprKind::Null);
            if constant && !self.holds_address(&init_ty) {
                continue;
            }
            let Some(Root::Place(place)) = self.globals.get(i).cloned() else { continue };
            if place.class == StorageClass::Private {
                let value = self.value(init);
                self.store(&place, value);
            }
        }
    }

    /// A function that comes to its end without `return`.
    fn return_undefined(&mut self, function: FunctionId) {
        if !self.body.open {
            return;
        }
        let ty = self.what(self.program.functions[function.0 as usize].result);
        if ty == Type::Void {
            return self.end(Op::Return, &[]);
        }
        let ty = self.plain_ty(&ty);
        let value = self.op(Op::Undef, ty, &[]);
        self.end(Op::ReturnValue, &[value]);
    }

    /// The head of a function: its type, its name and its parameters.
    fn head(&mut self, id: Id, function: FunctionId, params: &[(Id, Id, Option<LocalId>)]) {
        let function = &self.program.functions[function.0 as usize];
        let result = self.what(function.result);
        let result = self.plain_ty(&result);
        let types: Vec<Id> = std::iter::once(result).chain(params.iter().map(|p| p.0)).collect();
        let ty = self.out.ty(Op::TypeFunction, &types);
        self.out.name(id, self.symbols.text(function.name));
        self.out.at(self.tokens.span(function.at));
        self.out.push(Part::Function, Op::Function, &[result, id, FunctionControl::NONE.bits(), ty]);
        for &(ty, id, _) in params {
            self.out.push(Part::Function, Op::FunctionParameter, &[ty, id]);
        }
    }

    /// Hands the function to the module: its variables first.
    fn flush(&mut self, id: Id, function: FunctionId, params: &[(Id, Id, Option<LocalId>)], first: Id) {
        self.head(id, function, params);
        self.out.push(Part::Function, Op::Label, &[first]);
        for &(ty, id) in &self.body.variables {
            self.out.push(Part::Function, Op::Variable, &[ty, id, StorageClass::Function as u32]);
        }
        // The first instruction is the label that stands before the variables.
        let mut from = self.body.ops.first().map_or(0, |first| first.2 as usize);
        for &(op, span, to) in self.body.ops.iter().skip(1) {
            self.out.at(span);
            self.out.push(Part::Function, op, &self.body.operands[from..to as usize]);
            from = to as usize;
        }
        self.out.effect(Op::FunctionEnd, &[]);
    }

    /// An instruction without a value.
    pub(super) fn effect(&mut self, op: Op, operands: &[u32]) {
        self.effect_of(op, operands.iter().copied());
    }

    /// The same with operands that stand in several places.
    pub(super) fn effect_of(&mut self, op: Op, operands: impl IntoIterator<Item = u32>) {
        self.body.operands.extend(operands);
        self.body.ops.push((op, self.body.span, self.body.operands.len() as u32));
    }

    /// An instruction with a value.
    pub(super) fn op(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        self.op_of(op, ty, operands.iter().copied())
    }

    /// The same with operands that stand in several places.
    pub(super) fn op_of(&mut self, op: Op, ty: Id, operands: impl IntoIterator<Item = u32>) -> Id {
        let id = self.out.fresh();
        self.body.operands.extend([ty, id]);
        let start = self.body.operands.len();
        self.effect_of(op, operands);
        if !self.nonuniform.is_empty() {
            let operands = self.body.operands[start..].to_vec();
            self.pass_difference(op, id, &operands);
        }
        id
    }

    /// Starts a block.
    pub(super) fn begin(&mut self, label: Id) {
        self.effect(Op::Label, &[label]);
        self.body.block = label;
        self.body.open = true;
    }

    /// Ends the block.
    pub(super) fn end(&mut self, op: Op, operands: &[u32]) {
        self.effect(op, operands);
        self.body.open = false;
    }

    /// Ends the block with a jump, if it has no end yet.
    pub(super) fn branch(&mut self, to: Id) {
        if self.body.open {
            self.end(Op::Branch, &[to]);
        }
    }

    /// The memory model and what every stage needs.
    pub(super) fn modes(&mut self) {
        self.out.capability(Capability::Shader);
        let logical = match self.references.any() || self.brings_addresses() {
            true => spirv::AddressingModel::PhysicalStorageBuffer64,
            false => spirv::AddressingModel::Logical,
        };
        let model = self.memory_model();
        self.out.push(Part::MemoryModel, Op::MemoryModel, &[logical as u32, model as u32]);
        if self.addresses_textures {
            self.out.push(Part::MemoryModel, Op::SamplerImageAddressingModeNV, &[64]);
        }
        let language = if self.program.version.is_es() {
            spirv::SourceLanguage::ESSL
        } else {
            spirv::SourceLanguage::GLSL
        };
        let source = [language as u32, self.program.version.number.into()];
        self.out.push(Part::Source, Op::Source, &source);
    }

    pub(super) fn mode(&mut self, main: Id, mode: ExecutionMode, numbers: &[u32]) {
        let operands: Vec<u32> = [main, mode as u32].into_iter().chain(numbers.iter().copied()).collect();
        self.out.push(Part::ExecutionMode, Op::ExecutionMode, &operands);
    }

    fn stage_modes(&mut self, main: Id) {
        let program: &'a Program = self.program;
        let modes = &program.modes;
        for &mode in &modes.others {
            self.need(super::needs::of_mode(mode));
            self.mode(main, mode, &[]);
        }
        let micromaps = |name: &_| self.symbols.text(*name) == "GL_EXT_opacity_micromap";
        if self.minor >= 4 && program.extensions.iter().any(micromaps) {
            self.need(super::needs::MICROMAPS);
        }
        if modes.wide_indices {
            self.need_wide_indices();
            self.out.push(Part::ExecutionMode, Op::ExecutionMode, &[main, super::sharing::WIDE_INDICES]);
        }
        if let Some(switch) = modes.opacity_micromaps {
            self.opacity_micromaps(main, switch);
        }
        if modes.primitive_culling {
            self.out.capability(Capability::RayTraversalPrimitiveCullingKHR);
        }
        match program.stage {
            Stage::Fragment => self.fragment_modes(main),
            Stage::Compute => self.workgroup_modes(main),
            Stage::Task | Stage::Mesh => {
                self.workgroup_modes(main);
                self.mesh_modes(main);
            }
            Stage::TessControl | Stage::TessEvaluation => self.tessellation_modes(main),
            Stage::Geometry => {
                self.out.capability(Capability::Geometry);
                if let Some((input, output, vertices, invocations)) = modes.geometry {
                    self.mode(main, input, &[]);
                    self.mode(main, output, &[]);
                    self.mode(main, ExecutionMode::OutputVertices, &[vertices]);
                    self.mode(main, ExecutionMode::Invocations, &[invocations.max(1)]);
                }
            }
            Stage::Vertex => {}
            _ => self.need(super::needs::TRACING),
        }
    }

    fn workgroup_modes(&mut self, main: Id) {
        let program: &'a Program = self.program;
        let modes = &program.modes;
        match modes.tile_rate {
            Some(rate) => {
                self.need(super::needs::TILES);
                self.mode(main, ExecutionMode::TileShadingRateQCOM, &rate);
            }
            None => self.mode(main, ExecutionMode::LocalSize, &modes.local_size.map(|n| n.max(1))),
        }
        let is_named = |g: &crate::hir::Global| {
            g.used && g.builtin == Some(crate::hir::Builtin::Known(BuiltIn::WorkgroupSize))
        };
        if modes.local_size_id.iter().any(Option::is_some) && !program.globals.iter().any(is_named) {
            self.workgroup_size();
        }
    }

    fn fragment_modes(&mut self, main: Id) {
        let program: &'a Program = self.program;
        let modes = &program.modes;
        let origin = if modes.origin_upper_left {
            ExecutionMode::OriginUpperLeft
        } else {
            ExecutionMode::OriginLowerLeft
        };
        self.mode(main, origin, &[]);
        if modes.pixel_center_integer {
            self.mode(main, ExecutionMode::PixelCenterInteger, &[]);
        }
        let covers_late = modes.others.contains(&ExecutionMode::PostDepthCoverage);
        if modes.early_fragment_tests || covers_late {
            self.mode(main, ExecutionMode::EarlyFragmentTests, &[]);
        }
        self.interlock_mode(main);
        let stencil = Some(crate::hir::Builtin::Known(BuiltIn::FragStencilRefEXT));
        if program.globals.iter().any(|g| g.used && g.builtin == stencil) {
            self.mode(main, ExecutionMode::StencilRefReplacingEXT, &[]);
        }
        let depth = Some(crate::hir::Builtin::Known(BuiltIn::FragDepth));
        if program.globals.iter().any(|g| g.used && g.builtin == depth) {
            self.mode(main, ExecutionMode::DepthReplacing, &[]);
            if let Some(depth) = modes.depth {
                self.mode(main, depth, &[]);
            }
        }
    }

    /// Where the source does not say how invocations wait for each other, pixels do, in order.
    /// [GL_ARB_fragment_shader_interlock]
    fn interlock_mode(&mut self, main: Id) {
        use ExecutionMode as M;
        let waits = self.program.exprs.iter().any(|expr| {
            matches!(
                expr.kind,
                ExprKind::Intrinsic(Intrinsic::Instruction(Op::BeginInvocationInterlockEXT), _)
            )
        });
        let said = self.program.modes.others.iter().any(|mode| {
            matches!(
                mode,
                M::PixelInterlockOrderedEXT
                    | M::PixelInterlockUnorderedEXT
                    | M::SampleInterlockOrderedEXT
                    | M::SampleInterlockUnorderedEXT
            )
        });
        if waits && !said {
            self.need(super::needs::of_mode(M::PixelInterlockOrderedEXT));
            self.mode(main, M::PixelInterlockOrderedEXT, &[]);
        }
    }

    /// `gl_WorkGroupSize`; a constant of its own where specialisation may change it.
    pub(super) fn workgroup_size(&mut self) -> Id {
        let modes = &self.program.modes;
        let (sizes, ids) = (modes.local_size.map(|n| n.max(1)), modes.local_size_id);
        let uint = self.num_ty(Num::UINT);
        let vector = self.num_ty(Num::vector(Scalar::Uint, 3));
        if ids.iter().all(Option::is_none) {
            let parts = sizes.map(|n| self.out.uint(n));
            return self.out.constant(Op::ConstantComposite, vector, &parts);
        }
        let mut parts = [0; 3];
        for (i, part) in parts.iter_mut().enumerate() {
            *part = match ids[i] {
                Some(spec) => self.spec_of(spec, uint, sizes[i]),
                None => self.out.uint(sizes[i]),
            };
        }
        let id = self.out.declare(Op::SpecConstantComposite, vector, &parts);
        self.out.decorate(id, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
        id
    }

    /// The constant with an id: that of the source, or one of its own.
    fn spec_of(&mut self, number: u32, ty: Id, default: u32) -> Id {
        let program: &'a Program = self.program;
        let known = program.specs.iter().position(|spec| spec.id == Some(number));
        let same = known.filter(|&at| *program.types.get(program.specs[at].ty) == Num::UINT.ty());
        if let Some(&id) = same.and_then(|at| self.specs.get(at)) {
            return id;
        }
        let id = self.out.declare(Op::SpecConstant, ty, &[default]);
        self.out.decorate(id, Decoration::SpecId, &[number]);
        id
    }
}
