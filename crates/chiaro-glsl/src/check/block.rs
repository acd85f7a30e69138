//! Interface blocks: uniform, buffer, input and output; `gl_PerVertex`.

use super::checker::Checker;
use super::layout::Kind;
use super::scope::Entity;
use super::state::{Place, Qualifiers};
use crate::ast::{self, BlockDef, Declarator, MemberDef, TypeName};
use crate::builtin::When;
use crate::builtin::blocks::{self, OwnBlock};
use crate::hir::{self, Block, Builtin, GlobalId};
use crate::qualifier::{Interpolation, Layout, Packing, Storage};
use crate::source::Stage;
use crate::token::{At, Symbol};
use crate::ty::{Member, Struct, Ty};

const UNIFORM: When = When::since(300, 140).or(&["GL_ARB_uniform_buffer_object"]);
const BUFFER: When = When::since(310, 430).or(&["GL_ARB_shader_storage_buffer_object"]);
const INOUT: When = When::since(320, 150).or(&["GL_EXT_shader_io_blocks", "GL_OES_shader_io_blocks"]);
const SHARED: When = When::with(&["GL_EXT_shared_memory_block"]);
const INSTANCE: When = When::since(300, 150).or(&["GL_ARB_uniform_buffer_object"]);

/// Members of a block as they come together.
#[derive(Default)]
struct Members {
    list: Vec<Member>,
    layouts: Vec<Layout>,
    builtins: Vec<Option<Builtin>>,
    places: Vec<At>,
}

impl<'a> Checker<'a> {
    /// A block.
    pub(super) fn block(&mut self, block: &'a BlockDef) {
        let all = self.qualifiers(&block.qualifiers, false);
        let own = blocks::block(self.text(block.name.0));
        let per_vertex = own.is_some();
        let reference = all.numbers.buffer_reference || all.numbers.buffer_type;
        self.declare_block_head(block, &all, per_vertex, reference);
        let Some((storage, kind)) = self.block_storage(block, &all) else { return };
        let packing = self.block_packing(storage, &all);
        let members = self.block_members(block, storage, &all, packing.1, own);
        let named: Vec<(Symbol, At)> = members.list.iter().map(|m| m.name).zip(members.places).collect();
        self.check_unique(&members.list, block.name.1, "block");
        let structure = self.new_struct(Struct { name: block.name.0, members: members.list });
        if reference {
            self.define_reference(block, structure, &members.layouts, packing.0, &all);
            if all.numbers.buffer_type {
                self.check_buffer_type(block, &all);
                return self.check_layout(&all, kind, "this block");
            }
            if block.instance.is_none() {
                return self.check_layout(&all, kind, "this block");
            }
        }
        let (name, ty) = self.block_instance(block, structure, storage, &all.layout);
        self.check_layout(&all, kind, "this block");
        self.check_whole_block(block, &all, storage, ty);
        let mut layout = all.layout.clone();
        layout.row_major = packing.1;
        layout.marks.extend_from_slice(&all.numbers.marks);
        self.modes.passthrough |= all.numbers.passthrough;
        let id = self.add_global(hir::Global {
            name,
            ty,
            storage,
            precision: None,
            layout,
            builtin: None,
            block: Some(Block {
                name: block.name.0,
                packing: packing.0,
                members: members.layouts,
                builtins: members.builtins,
            }),
            init: None,
            used: false,
            framebuffer_fetch: false,
            at: Some(block.name.1),
        });
        match &block.instance {
            Some(instance) => self.declare_block(instance, per_vertex, id),
            None => self.declare_members(&named, id),
        }
    }

    /// Gives the name of a block its meaning, and judges it.
    fn declare_block_head(&mut self, block: &BlockDef, all: &Qualifiers, per_vertex: bool, reference: bool) {
        if !per_vertex {
            self.check_name(block.name.0, block.name.1);
        }
        if !per_vertex && !reference {
            self.declare_block_name(block.name.0, block.name.1);
        }
        if all.numbers.reference_mark.is_some() && !reference {
            self.error(block.name.1, "the record of a hit object is reached by its address")
                .help
                .push("write `buffer_reference` beside it".into());
        }
    }

    /// Rules about a block that is no mere address.
    fn check_whole_block(&mut self, block: &'a BlockDef, all: &Qualifiers, storage: Storage, ty: Ty) {
        self.check_loose_packing(block);
        self.check_client_block(all, storage, block.name.1);
        match storage {
            Storage::Heap(_) => self.check_heap_block(block),
            _ => self.check_heap_array(ty, all, block.name.1),
        }
    }

    /// Gives the name of a block's instance its meaning.
    fn declare_block(&mut self, instance: &'a Declarator, per_vertex: bool, id: GlobalId) {
        if per_vertex {
            self.check_redeclared_block(instance);
            self.replace_builtin(instance.name, id);
        } else {
            self.check_name(instance.name, instance.at);
        }
        self.declare_instance(instance, id);
    }

    /// The type of addresses of a block that has no name.
    pub(super) fn nameless_reference(
        &mut self,
        block: &'a BlockDef,
        storage: Storage,
        all: &Qualifiers,
    ) -> Ty {
        let packing = self.block_packing(storage, all);
        let members = self.block_members(block, storage, all, packing.1, None);
        self.check_unique(&members.list, block.at, "block");
        let structure = self.new_struct(Struct { name: block.name.0, members: members.list });
        self.reference_to(block.name.0, structure, &members.layouts, packing.0, all)
    }

    /// `gl_in` is declared again before it is used, or not at all.
    fn check_redeclared_block(&mut self, instance: &Declarator) {
        let used = self.known_builtin(instance.name);
        if used.is_some_and(|id| self.globals[id.0 as usize].used) {
            let message = format!("`{}` is used before it is declared again", self.text(instance.name));
            self.error(instance.at, message);
        }
    }

    /// The name of a block is taken at the outermost level, though other blocks may share it.
    fn declare_block_name(&mut self, name: Symbol, at: At) {
        match self.scopes.find_here(name).map(|binding| (binding.entity, binding.at)) {
            Some((Entity::Block | Entity::Poison, _)) => {}
            None => self.scopes.bind(name, Entity::Block, Some(at)),
            Some((_, before)) => {
                let message = format!("`{}` is declared already", self.text(name));
                self.conflict(at, message, before, "here for the first time");
            }
        }
    }

    fn declare_instance(&mut self, instance: &Declarator, id: hir::GlobalId) {
        self.declare(instance.name, Entity::Global(id), instance.at);
    }

    /// Without an instance, the members are names by themselves.
    fn declare_members(&mut self, names: &[(Symbol, At)], id: hir::GlobalId) {
        for (n, &(name, at)) in names.iter().enumerate() {
            self.declare(name, Entity::Member(id, n as u32), at);
        }
    }

    /// Where a block lives, if there may be one.
    pub(super) fn block_storage(&mut self, block: &BlockDef, all: &Qualifiers) -> Option<(Storage, Kind)> {
        let at = all.place_at.unwrap_or(block.name.1);
        let (storage, kind, when) = match all.place {
            Some(Place::Uniform) if all.numbers.push_constant => {
                (Storage::PushConstant, Kind::UNIFORM_BLOCK, UNIFORM)
            }
            Some(Place::Uniform) => (Storage::Uniform, Kind::UNIFORM_BLOCK, UNIFORM),
            Some(Place::Buffer) if all.numbers.shader_record => {
                self.check_shader_record(all, at);
                (Storage::ShaderRecord, Kind::BUFFER_BLOCK, BUFFER)
            }
            Some(Place::Buffer) => (Storage::Buffer, Kind::BUFFER_BLOCK, BUFFER),
            Some(Place::Shared) => (Storage::Shared, Kind::SHARED_BLOCK, SHARED),
            Some(Place::TaskPayload) => (Storage::TaskPayload, Kind::SHARED_BLOCK, When::ALWAYS),
            Some(Place::Ray(storage)) => (Storage::Ray(storage), Kind::PAYLOAD, When::ALWAYS),
            Some(Place::Heap(kind)) => (Storage::Heap(kind), Kind::HEAP_BLOCK, When::ALWAYS),
            Some(Place::In) => (Storage::In, Kind::IO_BLOCK, INOUT),
            Some(Place::Out) => (Storage::Out, Kind::IO_BLOCK, INOUT),
            _ => {
                self.error(at, "a block must be `uniform`, `buffer`, `in` or `out`");
                return None;
            }
        };
        self.require(at, "this kind of block", when);
        let end = match (self.stage, storage) {
            (Stage::Vertex, Storage::In) => Some("a vertex shader has no input blocks"),
            (Stage::Fragment, Storage::Out) => Some("a fragment shader has no output blocks"),
            (stage, Storage::In | Storage::Out) if stage.is_of_rays() => {
                Some("a shader of ray tracing has no inputs and outputs")
            }
            (Stage::Task | Stage::Mesh, Storage::In | Storage::Out) if all.layout.per_task => None,
            (Stage::Mesh, Storage::Out) => None,
            (Stage::Compute | Stage::Task | Stage::Mesh, Storage::In | Storage::Out) => {
                Some("a shader of workgroups has no inputs and outputs")
            }
            _ => None,
        };
        if let Some(message) = end {
            self.error(at, message);
        }
        if let Some(at) = all.constant {
            self.error(at, "a block cannot be `const`");
        }
        let only_read =
            all.layout.read_only && !(all.layout.coherent || all.layout.volatile || all.layout.write_only);
        if let (Some(at), true) = (all.memory, only_read && storage == Storage::Uniform) {
            self.warning(at, "`readonly` says nothing new of a uniform block");
        } else if let (Some(_), false) =
            (all.memory, matches!(storage, Storage::Buffer | Storage::ShaderRecord))
        {
            self.error(
                at,
                "only buffer blocks take `coherent`, `volatile`, `restrict`, `readonly`, `writeonly`",
            );
        }
        let loose = self.enabled.has("GL_EXT_scalar_block_layout");
        if storage == Storage::Uniform && all.numbers.packing == Some(Packing::Std430) && !loose {
            let help = "use `std140`, or a `buffer` block";
            self.error(at, "a uniform block cannot be `std430`").help.push(help.into());
        }
        Some((storage, kind))
    }

    /// The record of a shader binding table has no binding, and there is one.
    fn check_shader_record(&mut self, all: &Qualifiers, at: At) {
        if all.layout.binding.is_some() || all.layout.set.is_some() {
            self.error(at, "a shader record has no binding: it comes with the shader's entry in the table");
        }
        if self.globals.iter().any(|global| global.storage == Storage::ShaderRecord) {
            self.error(at, "a shader has one shader record");
        }
    }

    /// Places in a block can only be stated where the block's packing is fixed.
    fn check_loose_packing(&mut self, block: &BlockDef) {
        let loose = self.layout_named(&block.qualifiers, &["shared", "packed"]);
        let members = block.members.iter().map(|member| &member.qualifiers);
        let placed = std::iter::once(&block.qualifiers)
            .chain(members)
            .find_map(|qualifiers| self.layout_named(qualifiers, &["align", "offset"]));
        if let (Some(_), Some(at)) = (loose, placed) {
            self.error(at, "`align` and `offset` need a block with `std140` or `std430`");
        }
    }

    /// Where one of some names stands in `layout(...)`.
    fn layout_named(&self, qualifiers: &[ast::Qualifier], names: &[&str]) -> Option<At> {
        let ids = qualifiers.iter().filter_map(|qualifier| match &qualifier.kind {
            ast::QualifierKind::Layout(ids) => Some(ids),
            _ => None,
        });
        ids.flatten().find(|id| names.contains(&self.text(id.name))).map(|id| id.at)
    }

    /// Packing and matrix order of a block, its own or the default.
    fn block_packing(&self, storage: Storage, all: &Qualifiers) -> (Packing, bool) {
        let defaults = match storage {
            Storage::Buffer | Storage::ShaderRecord => self.defaults.buffer,
            Storage::Shared => self.defaults.shared,
            _ => self.defaults.uniform,
        };
        let none = match storage {
            Storage::Buffer | Storage::PushConstant | Storage::Shared | Storage::ShaderRecord => {
                Packing::Std430
            }
            Storage::Heap(_) => Packing::Scalar,
            _ => Packing::Std140,
        };
        let packing = all.numbers.packing.or(defaults.0).unwrap_or(none);
        (packing, all.numbers.row_major.unwrap_or(defaults.1))
    }

    fn block_members(
        &mut self,
        block: &'a BlockDef,
        storage: Storage,
        all: &Qualifiers,
        row_major: bool,
        own: Option<&OwnBlock>,
    ) -> Members {
        let mut members = Members::default();
        let last = block.members.len().saturating_sub(1);
        for (n, member) in block.members.iter().enumerate() {
            self.block_member(member, storage, all, row_major, own, &mut members);
            let open = members.list.iter().rev().take(member.names.len()).any(|m| self.is_unsized(m.ty));
            if open && (n != last || storage != Storage::Buffer) && own.is_none() && self.is_es() {
                let at = members.places.last().copied().unwrap_or(block.name.1);
                self.error(at, "only the last member of a buffer block may have no size");
            }
        }
        if storage == Storage::Buffer {
            self.close_for_matrices(&mut members.list);
        }
        if members.list.is_empty() && block.members.is_empty() {
            self.error(block.name.1, "a block must have members");
        }
        members
    }

    fn block_member(
        &mut self,
        definition: &'a MemberDef,
        storage: Storage,
        block: &Qualifiers,
        row_major: bool,
        own: Option<&OwnBlock>,
        members: &mut Members,
    ) {
        let all = self.qualifiers(&definition.qualifiers, false);
        self.check_member_qualifiers(&all, storage, block);
        let base = self.resolve_name(&definition.ty.name, definition.ty.at);
        if matches!(definition.ty.name, TypeName::Struct(_)) {
            self.error(definition.ty.at, "a structure cannot be declared within a block");
        }
        for declarator in &definition.names {
            let ty = self.resolve_dims(base, &definition.ty, &declarator.dims);
            let builtin = own.and_then(|own| self.builtin_member(declarator, own));
            if own.is_none() {
                self.check_name(declarator.name, declarator.at);
            }
            if own.is_none() {
                self.check_block_type(ty, declarator, storage, &all, block);
            }
            let precision = self.precision_of(ty, all.precision, declarator.at);
            let precise = all.layout.precise;
            self.modes.passthrough |= all.numbers.passthrough;
            members.list.push(Member { name: declarator.name, ty, precision, precise });
            members.layouts.push(member_layout(&all, block, row_major));
            members.builtins.push(builtin);
            members.places.push(declarator.at);
        }
    }

    fn builtin_member(&mut self, declarator: &Declarator, own: &OwnBlock) -> Option<Builtin> {
        let builtin = self.builtin_of(declarator.name, own);
        if builtin.is_none() {
            let message = format!("`{}` is no member of `{}`", self.text(declarator.name), own.name);
            self.error(declarator.at, message);
        }
        builtin
    }

    fn check_member_qualifiers(&mut self, all: &Qualifiers, storage: Storage, block: &Qualifiers) {
        let (kind, what) = match storage {
            Storage::In | Storage::Out => (Kind::IO_MEMBER, "a member of this block"),
            Storage::Heap(_) => (super::heap::MEMBER, "a member of a heap's block"),
            _ => (Kind::MEMBER, "a member of this block"),
        };
        self.check_layout(all, kind, what);
        if let (Some(place), Some(at)) = (all.place, all.place_at)
            && Some(place) != block.place
        {
            self.error(at, "a member lives where its block does");
        }
        if let Some(at) = all.constant {
            self.error(at, "a member of a block cannot be `const`");
        }
        let io = matches!(storage, Storage::In | Storage::Out);
        for at in [all.interpolation, all.auxiliary, all.invariant].into_iter().flatten().filter(|_| !io) {
            self.error(at, "members of this block are not interpolated");
        }
        if let (Some(at), false) = (all.memory, matches!(storage, Storage::Buffer | Storage::Heap(_))) {
            self.error(at, "only members of buffer blocks take this qualifier");
        }
    }

    fn check_block_type(
        &mut self,
        ty: Ty,
        declarator: &'a Declarator,
        storage: Storage,
        all: &Qualifiers,
        block: &Qualifiers,
    ) {
        if let Some(init) = declarator.init {
            let at = self.ast.exprs[init.0 as usize].at;
            self.error(at, "a member of a block cannot have an initialiser");
        }
        self.check_member_type(ty, declarator.at);
        if matches!(storage, Storage::In | Storage::Out) {
            let flat = all.interpolation.is_none() && block.layout.interpolation == Interpolation::Flat;
            let mut joined = Qualifiers { place: block.place, ..Qualifiers::default() };
            joined.layout.per_primitive = all.layout.per_primitive || block.layout.per_primitive;
            joined.layout.interpolation = if flat { Interpolation::Flat } else { all.layout.interpolation };
            self.check_interface_type(ty, declarator.at, storage, &joined, "a member of this block");
        } else if let Storage::Heap(kind) = storage {
            self.check_heap_member(ty, kind, declarator.at);
        } else if self.has(ty, super::state::Parts::COOPERATIVE) {
            let message = format!("a block cannot hold the cooperative type `{}`", self.name_of(ty));
            self.error(declarator.at, message).help.push("load it from an array in the block".into());
        } else if self.has_opaque(ty) && !self.is_kept_by_handle(ty) {
            let message = format!("a block cannot hold the opaque type `{}`", self.name_of(ty));
            self.error(declarator.at, message).help.push("declare it as a uniform by itself".into());
        }
    }

    /// Name, type and place of a block's variable.
    fn block_instance(
        &mut self,
        block: &'a BlockDef,
        structure: Ty,
        storage: Storage,
        layout: &Layout,
    ) -> (Symbol, Ty) {
        let Some(instance) = &block.instance else {
            return (self.nameless(), structure);
        };
        self.require(instance.at, "a block with an instance name", INSTANCE);
        let spec = &block.members.first().map(|member| &member.ty);
        let ty = match spec {
            Some(_) if !instance.dims.is_empty() => self.instance_array(structure, instance, storage, layout),
            _ => structure,
        };
        (instance.name, ty)
    }

    fn instance_array(
        &mut self,
        structure: Ty,
        instance: &'a Declarator,
        storage: Storage,
        layout: &Layout,
    ) -> Ty {
        let bare: &'a crate::ast::TypeSpec = &NO_BRACKETS;
        let ty = self.resolve_dims(structure, bare, &instance.dims);
        let ty = self.sized_by_primitive(ty, storage, layout);
        let arrayed = crate::arrayed::is_arrayed(self.stage, storage, layout);
        if self.is_unsized(ty) && !arrayed && self.is_es() {
            self.error(instance.at, "an array of blocks must have a size");
        }
        ty
    }
}

/// No brackets with the type: an instance has only its own.
static NO_BRACKETS: crate::ast::TypeSpec =
    crate::ast::TypeSpec { name: TypeName::Void, dims: Vec::new(), at: At { first: 0, last: 0 } };

/// A member's layout, the block's applied.
fn member_layout(all: &Qualifiers, block: &Qualifiers, row_major: bool) -> Layout {
    let (own, outer) = (&all.layout, &block.layout);
    Layout {
        marks: all.numbers.marks.clone(),
        row_major: all.numbers.row_major.unwrap_or(row_major),
        interpolation: if all.interpolation.is_some() { own.interpolation } else { outer.interpolation },
        centroid: own.centroid || outer.centroid,
        sample: own.sample || outer.sample,
        patch: own.patch || outer.patch,
        per_primitive: own.per_primitive || outer.per_primitive,
        per_task: own.per_task || outer.per_task,
        invariant: own.invariant || outer.invariant,
        precise: own.precise || outer.precise,
        coherent: own.coherent || outer.coherent,
        volatile: own.volatile || outer.volatile,
        restrict: own.restrict || outer.restrict,
        read_only: own.read_only || outer.read_only,
        write_only: own.write_only || outer.write_only,
        align: own.align.or(outer.align),
        ..own.clone()
    }
}
