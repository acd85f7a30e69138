//! Variables of the module: storage classes, names and decorations.

use std::collections::HashSet;

use super::state::{Counter, Link, Memory, Place, Root};
use chiaro_words::write::Id;
use spirv::{BuiltIn, Capability, Decoration, ImageFormat, Op, StorageClass};

use crate::arrayed::named_members;
use crate::hir::{Builtin, ExprKind, Global, GlobalId, Program};
use crate::qualifier::{Interpolation, Layout, RayStorage, Storage};
use crate::source::Stage;
use crate::ty::{Family, HitObject, Length, Scalar, Type};

use super::blocks::memory_decorations;
use super::emitter::Emitter;
use super::features::{is_counter, is_in_heap, is_relaxed};
use super::needs;
use crate::numeric::Num;

impl<'a> Emitter<'a> {
    /// Declares all variables. Built-ins and private variables only if they are used.
    pub(super) fn declare_globals(&mut self) {
        if !self.check_nesting() {
            return;
        }
        let program: &'a Program = self.program;
        for (i, global) in program.globals.iter().enumerate() {
            self.body.span = global.at.and_then(|at| self.tokens.span(at));
            self.out.at(self.body.span);
            let root = self.declare_global(GlobalId(i as u32), global);
            self.globals.push(root);
        }
        self.declare_counters();
    }

    fn declare_global(&mut self, id: GlobalId, global: &'a Global) -> Root {
        let own = global.builtin.is_some() || matches!(global.storage, Storage::Private | Storage::Shared);
        if global.builtin == Some(Builtin::Unused) {
            return Root::Unused;
        }
        if let Some(root) = self.same_builtin(id, global) {
            return root;
        }
        let in_heap = is_in_heap(global);
        if (own || in_heap) && !global.used || is_counter(self.program, global.ty) {
            return Root::Unused;
        }
        if in_heap {
            return Root::Place(self.heap_place(id, global));
        }
        if global.builtin == Some(Builtin::Known(BuiltIn::WorkgroupSize)) {
            return Root::Value(self.workgroup_size());
        }
        let ty = match global.builtin {
            Some(Builtin::Ballot(_)) => Type::Vector(Scalar::Uint, 4),
            Some(Builtin::Transposed(_)) => Type::Matrix { scalar: Scalar::Float, columns: 4, rows: 3 },
            _ => self.what(global.ty),
        };
        let class = class_of(global);
        if global.layout.tile {
            self.need(needs::TILES);
        }
        let payload = matches!(global.storage, Storage::Ray(_) | Storage::TaskPayload);
        // What a task hands on has offsets, like a buffer. [SPV_NV_mesh_shader]
        let stage_block =
            payload || matches!(global.storage, Storage::In | Storage::Out) && !global.layout.per_task;
        let memory = match global.block {
            Some(_) if !stage_block => Memory::Block(id),
            None if global.storage == Storage::In && self.is_opaque(&ty) => Memory::Handles,
            _ => Memory::Plain,
        };
        let format = global.layout.format.unwrap_or(ImageFormat::Unknown);
        let value_ty = match memory {
            Memory::Plain => self.formatted_ty(&ty, format),
            _ => self.memory_ty(&ty, memory),
        };
        let variable = self.variable(global, class, value_ty);
        self.out.name(variable, self.symbols.text(global.name));
        if matches!(memory, Memory::Plain) {
            self.decorate_holder(variable, &ty, global.layout.restrict);
        }
        self.decorate_global(variable, global, &ty);
        if stage_block && global.block.is_some() {
            self.decorate_stage_block(id, global, ty);
        }
        if global.layout.per_task {
            self.decorate_task_block(id, global);
        }
        if stage_block || global.layout.per_task || self.lists_all_variables() {
            self.touched.push(variable);
        }
        if super::features::is_shared_block(global) {
            self.announce_shared(variable, &ty);
        }
        if !matches!(
            global.storage,
            Storage::Private
                | Storage::Shared
                | Storage::TaskPayload
                | Storage::TileImage
                | Storage::Spirv(_)
        ) {
            self.seen.push((variable, Some(id.0)));
        }
        let place = Place::variable(variable, class, ty, memory, format);
        root_of(global, place)
    }

    fn variable(&mut self, global: &Global, class: StorageClass, ty: Id) -> Id {
        let pointer = self.out.pointer(class, ty);
        let mut operands = vec![class as u32];
        if let Some(init) = global.init {
            let init = &self.program.exprs[init.0 as usize];
            let ty = self.what(init.ty);
            // Addresses are set at the start of `main`, which shared memory does not wait for.
            let addresses = self.holds_address(&ty);
            match &init.kind {
                _ if addresses && class == StorageClass::Workgroup => {
                    self.fail("shared memory with addresses cannot have a value at the start");
                }
                ExprKind::Null if !addresses => operands.push(self.null(&ty)),
                ExprKind::Constant(bits) if !addresses => operands.push(self.constant(&ty, bits)),
                _ => {}
            }
        }
        self.out.declare(Op::Variable, pointer, &operands)
    }

    /// What a block in shared memory needs. Several of them lie in the same memory.
    fn announce_shared(&mut self, variable: Id, ty: &Type) {
        self.out.extension("SPV_KHR_workgroup_memory_explicit_layout");
        self.out.capability(Capability::WorkgroupMemoryExplicitLayoutKHR);
        let small = [
            (8, Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR),
            (16, Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR),
        ];
        for (bits, capability) in small {
            if self.holds_bits(ty, bits) {
                self.out.capability(capability);
            }
        }
        if self.program.globals.iter().filter(|g| super::features::is_shared_block(g) && g.used).count() > 1 {
            self.out.decorate(variable, Decoration::Aliased, &[]);
        }
    }

    /// Whether a type has numbers of a size. Each structure is looked at once.
    fn holds_bits(&self, ty: &Type, bits: u32) -> bool {
        let (mut open, mut seen) = (vec![*ty], std::collections::HashSet::new());
        while let Some(ty) = open.pop() {
            match ty {
                Type::Array(elem, _) => open.push(self.what(elem)),
                Type::Struct(id) if seen.insert(id) => {
                    let members = &self.program.types.structure(id).members;
                    open.extend(members.iter().map(|m| self.what(m.ty)));
                }
                _ if Num::of(&ty).is_some_and(|num| num.scalar.bits() == bits) => return true,
                _ => {}
            }
        }
        false
    }

    fn decorate_global(&mut self, id: Id, global: &Global, ty: &Type) {
        if is_relaxed(global.precision) {
            self.out.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        if let Some(builtin) = global.builtin {
            self.decorate_builtin(id, builtin);
        }
        let layout = &global.layout;
        if let Some(needs) = &layout.spirv {
            self.spirv_needs(needs);
        }
        self.spirv_decorate(id, &layout.decorations);
        let numbers = [
            (Decoration::Location, layout.location.filter(|_| has_location(global))),
            (Decoration::Component, layout.component),
            (Decoration::Index, layout.index),
            (Decoration::Binding, layout.binding),
            (Decoration::DescriptorSet, layout.set),
            (Decoration::InputAttachmentIndex, layout.attachment),
        ];
        for (decoration, number) in numbers {
            if let Some(number) = number {
                self.out.decorate(id, decoration, &[number]);
            }
        }
        if global.block.is_none() || global.storage == Storage::Buffer {
            for decoration in memory_decorations(layout) {
                if self.by_access && matches!(decoration, Decoration::Coherent | Decoration::Volatile) {
                    if global.block.is_some() {
                        continue;
                    }
                    self.fail("an image beside cooperative matrices cannot be `coherent` or `volatile`");
                }
                self.out.decorate(id, decoration, &[]);
            }
        }
        let built_in = matches!(global.builtin, Some(Builtin::FragColor | Builtin::FragData));
        if built_in && layout.location.is_none() {
            self.out.decorate(id, Decoration::Location, &[0]);
        }
        if self.is_varying(global.storage) && global.block.is_none() {
            for decoration in self.interpolation(global.storage, layout, ty) {
                self.out.decorate(id, decoration, &[]);
            }
        }
        for &(mark, number) in &layout.marks {
            self.need(needs::of_mark(mark));
            self.out.decorate(id, mark, number.as_slice());
        }
        if layout.invariant && matches!(global.storage, Storage::In | Storage::Out) {
            self.out.decorate(id, Decoration::Invariant, &[]);
        }
    }

    /// Whether a variable goes from stage to stage.
    fn is_varying(&self, storage: Storage) -> bool {
        match self.program.stage {
            Stage::Vertex => storage == Storage::Out,
            Stage::Fragment => storage == Storage::In,
            Stage::Geometry | Stage::TessControl | Stage::TessEvaluation => {
                matches!(storage, Storage::In | Storage::Out)
            }
            Stage::Task | Stage::Mesh => matches!(storage, Storage::In | Storage::Out),
            _ => false,
        }
    }

    /// How a varying is interpolated. What is no float is flat for fragments, said or not.
    fn interpolation(&mut self, storage: Storage, layout: &Layout, ty: &Type) -> Vec<Decoration> {
        let must = self.program.stage == Stage::Fragment
            && storage == Storage::In
            && (self.has_integer(ty) || self.is_opaque(ty));
        let mode = match layout.interpolation {
            Interpolation::Flat => Some(Decoration::Flat),
            Interpolation::PerVertex => Some(self.per_vertex()),
            Interpolation::Explicit => {
                self.need(needs::EXPLICIT);
                Some(Decoration::ExplicitInterpAMD)
            }
            _ if must => Some(Decoration::Flat),
            Interpolation::NoPerspective => Some(Decoration::NoPerspective),
            Interpolation::Smooth => None,
        };
        let place = [
            (layout.centroid, Decoration::Centroid),
            (layout.sample, Decoration::Sample),
            (layout.patch, Decoration::Patch),
        ];
        let primitive = if layout.per_primitive { Some(self.per_primitive()) } else { None };
        if layout.sample {
            self.out.capability(Capability::SampleRateShading);
        }
        mode.into_iter()
            .chain(primitive)
            .chain(place.into_iter().filter(|&(given, _)| given).map(|(_, d)| d))
            .collect()
    }

    /// Whether a type is opaque, or an array of such.
    fn is_opaque(&self, ty: &Type) -> bool {
        match *ty {
            Type::Array(elem, _) => self.is_opaque(&self.what(elem)),
            _ => matches!(ty, Type::Opaque(_)),
        }
    }

    fn has_integer(&self, ty: &Type) -> bool {
        match *ty {
            Type::Array(elem, _) => self.has_integer(&self.what(elem)),
            Type::Struct(id) => {
                let members = &self.program.types.structure(id).members;
                members.iter().any(|m| self.has_integer(&self.what(m.ty)))
            }
            _ => Num::of(ty).is_some_and(|num| {
                matches!(num.scalar.family(), Family::Signed | Family::Unsigned)
                    || num.scalar == Scalar::Double
            }),
        }
    }

    /// A block between stages: decorations of its members.
    fn decorate_stage_block(&mut self, own: GlobalId, global: &Global, mut ty: Type) {
        while let Type::Array(elem, _) = ty {
            ty = self.what(elem);
        }
        let (Type::Struct(id), Some(block)) = (ty, &global.block) else { return };
        let made = self.plain_ty(&ty);
        self.out.decorate(made, Decoration::Block, &[]);
        let members = &self.program.types.structure(id).members;
        let named: HashSet<u32> = match block.builtins.iter().any(Option::is_some) {
            true => named_members(&self.program.exprs, own).collect(),
            false => HashSet::new(),
        };
        // Either the variable has a location, or all members have.
        let mut next = global.layout.location.filter(|_| has_member_locations(global));
        for (i, (member, layout)) in members.iter().zip(&block.members).enumerate() {
            let i = i as u32;
            let location = layout.location.or(next);
            next = location.map(|l| l.saturating_add(self.slots(member.ty)));
            let builtin = block.builtins.get(i as usize).copied().flatten();
            if let Some(Builtin::Known(builtin)) = builtin {
                self.decorate_own_member(made, i, builtin, layout, named.contains(&i));
            }
            for (decoration, number) in
                [(Decoration::Location, location), (Decoration::Component, layout.component)]
            {
                if let Some(number) = number {
                    self.out.decorate_member(made, i, decoration, &[number]);
                }
            }
            if self.is_varying(global.storage) && builtin.is_none() {
                let ty = self.what(member.ty);
                for decoration in self.interpolation(global.storage, layout, &ty) {
                    self.out.decorate_member(made, i, decoration, &[]);
                }
            }
            for &(mark, number) in &layout.marks {
                self.need(needs::of_mark(mark));
                self.out.decorate_member(made, i, mark, number.as_slice());
            }
            if layout.invariant {
                self.out.decorate_member(made, i, Decoration::Invariant, &[]);
            }
        }
    }

    /// A member of a block of the language's own. What nothing names asks for no capability.
    fn decorate_own_member(&mut self, made: Id, i: u32, builtin: BuiltIn, layout: &Layout, named: bool) {
        if named || needs_always(builtin) {
            self.builtin_capability(builtin);
        }
        self.out.decorate_member(made, i, Decoration::BuiltIn, &[builtin as u32]);
        if layout.per_primitive {
            let per_primitive = self.per_primitive();
            self.out.decorate_member(made, i, per_primitive, &[]);
        }
    }

    /// What a task hands on, by its members.
    fn decorate_task_block(&mut self, own: GlobalId, global: &Global) {
        let (Some(block), Some(&made)) = (&global.block, self.types.blocks.get(&own)) else { return };
        for i in 0..block.members.len() {
            self.out.decorate_member(made, i as u32, Decoration::PerTaskNV, &[]);
        }
    }

    /// Locations that a type takes.
    fn slots(&self, ty: crate::ty::Ty) -> u32 {
        crate::link::slots(&self.program.types, ty)
    }

    fn decorate_builtin(&mut self, id: Id, builtin: Builtin) {
        let known = match builtin {
            Builtin::Known(known) => known,
            Builtin::Ballot(known) => {
                self.out.capability(Capability::SubgroupBallotKHR);
                self.out.extension("SPV_KHR_shader_ballot");
                return self.out.decorate(id, Decoration::BuiltIn, &[known as u32]);
            }
            Builtin::Transposed(known) => known,
            Builtin::VertexId => BuiltIn::VertexId,
            Builtin::InstanceId => BuiltIn::InstanceId,
            Builtin::FragColor
            | Builtin::FragData
            | Builtin::LastFragData
            | Builtin::Legacy
            | Builtin::Unused => return,
        };
        self.builtin_capability(known);
        self.out.decorate(id, Decoration::BuiltIn, &[known as u32]);
        if self.program.stage.is_of_rays() && changes_between_calls(known, self.program.stage) {
            self.out.decorate(id, Decoration::Volatile, &[]);
        }
    }

    /// A built-in that has a variable already, under another name.
    fn same_builtin(&self, id: GlobalId, global: &Global) -> Option<Root> {
        let known = |builtin| match builtin {
            Some(Builtin::Known(known) | Builtin::Transposed(known)) => Some(known),
            _ => None,
        };
        let own = known(global.builtin).filter(|_| global.used)?;
        let before = self.program.globals.iter().zip(&self.globals).take(id.0 as usize);
        before.into_iter().find_map(|(other, root)| match root {
            Root::Place(place) | Root::Transposed(place)
                if known(other.builtin) == Some(own) && other.storage == global.storage =>
            {
                Some(root_of(global, place.clone()))
            }
            _ => None,
        })
    }

    fn builtin_capability(&mut self, builtin: BuiltIn) {
        use BuiltIn as B;
        let capability = match builtin {
            B::ClipDistance => Capability::ClipDistance,
            B::CullDistance => Capability::CullDistance,
            B::SampleId | B::SamplePosition => Capability::SampleRateShading,
            B::PrimitiveId | B::Layer | B::ViewportIndex if self.program.stage == Stage::Mesh => return,
            B::PrimitiveId | B::InvocationId if self.program.stage.takes_primitives() => return,
            B::Layer | B::ViewportIndex
                if matches!(self.program.stage, Stage::Vertex | Stage::TessEvaluation) =>
            {
                self.out.extension("SPV_EXT_shader_viewport_index_layer");
                Capability::ShaderViewportIndexLayerEXT
            }
            B::PrimitiveId if self.program.stage.is_of_rays() => return,
            B::PrimitiveId | B::InvocationId | B::Layer => Capability::Geometry,
            B::ViewportIndex => Capability::MultiViewport,
            B::DrawIndex | B::BaseVertex | B::BaseInstance => {
                self.out.extension("SPV_KHR_shader_draw_parameters");
                Capability::DrawParameters
            }
            B::SubgroupSize | B::SubgroupLocalInvocationId | B::NumSubgroups | B::SubgroupId => {
                Capability::GroupNonUniform
            }
            B::SubgroupEqMask
            | B::SubgroupGeMask
            | B::SubgroupGtMask
            | B::SubgroupLeMask
            | B::SubgroupLtMask => Capability::GroupNonUniformBallot,
            _ => return self.need(needs::of_builtin(builtin)),
        };
        self.out.capability(capability);
    }

    /// Atomic counters: one storage buffer for each binding, as OpenGL's drivers have it. Its
    /// binding is left to whoever numbers buffers, since counters are counted apart.
    fn declare_counters(&mut self) {
        let counters = self.counters();
        let mut bindings: Vec<u32> = counters.iter().map(|c| c.binding).collect();
        bindings.sort_unstable();
        bindings.dedup();
        for binding in bindings {
            let mut own: Vec<&Counter> = counters.iter().filter(|c| c.binding == binding).collect();
            own.sort_by_key(|c| c.offset);
            self.counter_block(binding, &own);
        }
    }

    fn counters(&self) -> Vec<Counter> {
        let mut counters: Vec<Counter> = Vec::new();
        for (i, global) in self.program.globals.iter().enumerate() {
            if !is_counter(self.program, global.ty) {
                continue;
            }
            let binding = global.layout.binding.unwrap_or(0);
            let next = counters.iter().rev().find(|c| c.binding == binding).map_or(0, |c| c.offset + c.size);
            let offset = global.layout.offset.unwrap_or(next) & !3;
            let mut size = 4u32;
            let mut ty = self.what(global.ty);
            while let Type::Array(elem, length) = ty {
                if let Length::Known(n) = length {
                    size = size.saturating_mul(n);
                }
                ty = self.what(elem);
            }
            // Nobody has counters behind the first gigabyte; sums stay in range this way.
            counters.push(Counter {
                global: i,
                binding,
                offset: offset & 0x3fff_ffff,
                size: size & 0x3fff_ffff,
            });
        }
        counters
    }

    fn counter_block(&mut self, binding: u32, counters: &[&Counter]) {
        let rules = crate::layout::Rules { packing: crate::qualifier::Packing::Std430, row_major: false };
        let memory = Memory::Laid(rules);
        let types: Vec<Type> =
            counters.iter().map(|c| self.what(self.program.globals[c.global].ty)).collect();
        let ids: Vec<Id> = types.iter().map(|ty| self.memory_ty(ty, memory)).collect();
        let block = self.out.distinct(Op::TypeStruct, &ids);
        let name = format!("gl_AtomicCounterBlock_{binding}");
        self.out.name(block, &name);
        self.out.decorate(block, Decoration::Block, &[]);
        let pointer = self.out.pointer(StorageClass::StorageBuffer, block);
        let variable = self.out.variable(StorageClass::StorageBuffer, pointer);
        self.out.name(variable, &name);
        self.seen.push((variable, None));
        if self.lists_all_variables() {
            self.touched.push(variable);
        }
        for (i, (counter, ty)) in counters.iter().zip(types).enumerate() {
            let name = self.program.globals[counter.global].name;
            self.out.member_name(block, i as u32, self.symbols.text(name));
            self.out.decorate_member(block, i as u32, Decoration::Offset, &[counter.offset]);
            let index = self.out.uint(i as u32);
            let mut place =
                Place::variable(variable, StorageClass::StorageBuffer, ty, memory, ImageFormat::Unknown);
            place.chain.push(Link::fixed(index));
            self.globals[counter.global] = Root::Place(place);
        }
    }
}

/// Whether a built-in needs its capability where it is only declared. [SPIR-V 1.6, 3.21: the
/// capabilities of distances are needed where they are used]
fn needs_always(builtin: BuiltIn) -> bool {
    !matches!(builtin, BuiltIn::ClipDistance | BuiltIn::CullDistance | BuiltIn::PointSize)
}

/// How a variable is read.
fn root_of(global: &Global, place: Place) -> Root {
    match global.builtin {
        Some(Builtin::Ballot(_)) => Root::Mask(place),
        Some(Builtin::Transposed(_)) => Root::Transposed(place),
        _ => Root::Place(place),
    }
}

/// Whether a built-in of ray tracing may have another value after a call. [Vulkan, 15.9.3:
/// these variables must be volatile]
fn changes_between_calls(builtin: BuiltIn, stage: Stage) -> bool {
    use BuiltIn as B;
    match builtin {
        B::RayTmaxKHR => stage == Stage::Intersection,
        B::SMIDNV
        | B::WarpIDNV
        | B::SubgroupSize
        | B::SubgroupLocalInvocationId
        | B::SubgroupEqMask
        | B::SubgroupGeMask
        | B::SubgroupGtMask
        | B::SubgroupLeMask
        | B::SubgroupLtMask => true,
        _ => false,
    }
}

/// Whether the location of a variable is reported: what travels with rays has none in SPIR-V.
fn has_location(global: &Global) -> bool {
    !has_member_locations(global) && !matches!(global.storage, Storage::Ray(_))
}

/// Whether members of a block have locations of their own.
fn has_member_locations(global: &Global) -> bool {
    global.block.as_ref().is_some_and(|block| block.members.iter().any(|m| m.location.is_some()))
}

fn class_of(global: &Global) -> StorageClass {
    match global.storage {
        Storage::In => StorageClass::Input,
        Storage::Out => StorageClass::Output,
        Storage::Uniform if global.layout.tile => StorageClass::TileAttachmentQCOM,
        Storage::Uniform if global.block.is_some() => StorageClass::Uniform,
        Storage::Uniform | Storage::Heap(_) => StorageClass::UniformConstant,
        Storage::TileImage => StorageClass::TileImageEXT,
        Storage::Spirv(class) => class,
        Storage::Buffer => StorageClass::StorageBuffer,
        Storage::PushConstant => StorageClass::PushConstant,
        Storage::ShaderRecord => StorageClass::ShaderRecordBufferKHR,
        Storage::Ray(RayStorage::Payload) => StorageClass::RayPayloadKHR,
        Storage::Ray(RayStorage::PayloadIn) => StorageClass::IncomingRayPayloadKHR,
        Storage::Ray(RayStorage::HitAttribute) => StorageClass::HitAttributeKHR,
        Storage::Ray(RayStorage::Callable) => StorageClass::CallableDataKHR,
        Storage::Ray(RayStorage::CallableIn) => StorageClass::IncomingCallableDataKHR,
        Storage::Ray(RayStorage::HitObjectAttribute(HitObject::Ext)) => StorageClass::HitObjectAttributeEXT,
        Storage::Ray(RayStorage::HitObjectAttribute(HitObject::Nv)) => StorageClass::HitObjectAttributeNV,
        Storage::Shared => StorageClass::Workgroup,
        Storage::TaskPayload => StorageClass::TaskPayloadWorkgroupEXT,
        Storage::Private => StorageClass::Private,
    }
}
