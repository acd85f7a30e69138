//! Where a global lives, and what may be of it there: private, uniform, inputs and outputs.

use super::checker::Checker;
use super::layout::Kind;
use super::state::{Parts, Place, Qualifiers};
use crate::ast::Declarator;
use crate::builtin::When;
use crate::qualifier::Storage;
use crate::source::Stage;
use crate::token::At;
use crate::ty::{Access, Dim, Opaque, Scalar, Ty, Type};
impl<'a> Checker<'a> {
    /// Where a global lives, with the rules for its type there.
    pub(super) fn global_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) -> Storage {
        let at = all.place_at.unwrap_or(declarator.at);
        if all.memory.is_some()
            && !self.is_image(ty)
            && !self.has(ty, Parts::REFERENCE)
            && all.place != Some(Place::Buffer)
        {
            self.error(
                at,
                "only images and buffers take `coherent`, `volatile`, `restrict`, `readonly`, `writeonly`",
            );
        }
        match all.place {
            None => self.private_storage(declarator, ty, all),
            Some(Place::Uniform) => self.uniform_storage(declarator, ty, all),
            Some(Place::Shared) => {
                if !self.stage.has_workgroups() {
                    self.error(at, "only compute, task and mesh shaders have `shared` variables");
                }
                self.check_layout(all, Kind::OTHER, "a shared variable");
                if self.has_opaque(ty) {
                    self.error(declarator.at, "an opaque type cannot be shared");
                }
                if self.has(ty, Parts::COOPERATIVE) {
                    self.error(declarator.at, "a cooperative type cannot be shared");
                }
                Storage::Shared
            }
            Some(Place::TaskPayload) => {
                self.check_layout(all, Kind::OTHER, "what a task hands on");
                if self.has_opaque(ty) {
                    self.error(declarator.at, "an opaque type cannot be handed on");
                }
                Storage::TaskPayload
            }
            Some(Place::Ray(storage)) => {
                self.check_layout(all, Kind::PAYLOAD, "data of a ray");
                if self.has_opaque(ty) {
                    self.error(declarator.at, "an opaque type cannot travel with a ray");
                }
                Storage::Ray(storage)
            }
            Some(Place::Buffer) => {
                self.error(at, "`buffer` is for blocks").help.push("write `buffer Name { ... };`".into());
                Storage::Buffer
            }
            Some(Place::TileImage) => {
                self.check_layout(all, Kind::TILE, "an attachment");
                if !is_attachment(self.ty(self.innermost(ty))) {
                    self.error(declarator.at, "what is `tileImageEXT` is an `attachmentEXT`");
                }
                Storage::TileImage
            }
            Some(Place::Spirv(class)) => {
                self.check_layout(all, Kind::VARYING, "a variable of this storage class");
                Storage::Spirv(class)
            }
            Some(Place::Heap(kind)) => {
                self.error(at, "a heap is declared as a block");
                Storage::Heap(kind)
            }
            Some(_) => self.interface_storage(declarator, ty, all, at),
        }
    }

    fn private_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) -> Storage {
        if self.has_opaque(ty) && !self.is_ray_handle(ty) {
            let message =
                format!("`{}` is of opaque type: it must be a `uniform`", self.text(declarator.name));
            self.error(declarator.at, message);
        }
        self.no_interface(all, "a variable without `in`, `out` or `uniform`");
        Storage::Private
    }

    fn uniform_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) -> Storage {
        let inner = *self.ty(self.innermost(ty));
        if self.is_ray_handle(ty) {
            let message = format!("`{}` begins in the shader: it cannot be a `uniform`", self.name_of(ty));
            self.error(declarator.at, message).help.push("leave out `uniform`".into());
        }
        let (kind, what) = match inner {
            Type::Opaque(Opaque::AtomicCounter) => (Kind::COUNTER, "an atomic counter"),
            Type::Opaque(_) if self.is_image(ty) => (Kind::IMAGE, "an image"),
            Type::Opaque(_) => (Kind::SAMPLER, "a sampler"),
            _ => (Kind::UNIFORM, "a uniform"),
        };
        self.check_layout(all, kind, what);
        self.check_heap_array(ty, all, declarator.at);
        if is_attachment(&inner) {
            self.error(declarator.at, "an attachment is `tileImageEXT`, no uniform");
        }
        if matches!(inner, Type::Opaque(Opaque::Buffer(_))) {
            self.error(declarator.at, "a `buffer_type` is for members of heaps");
        }
        for at in [all.interpolation, all.auxiliary, all.invariant].into_iter().flatten() {
            self.error(at, "a uniform is not interpolated and never varies");
        }
        if self.is_long(ty) {
            let name = self.name_of(ty);
            self.error(declarator.at, format!("a `{name}` cannot be a uniform by itself"))
                .help
                .push("put it into a block".into());
        }
        if kind == Kind::IMAGE {
            self.check_image(declarator, ty, all);
        }
        if let Type::Opaque(Opaque::Texture { dim: Dim::Subpass, .. }) = inner {
            self.check_subpass(declarator, ty, all);
        }
        Storage::Uniform
    }

    /// An input attachment says which it is.
    fn check_subpass(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) {
        let optional = self.enabled.has("GL_EXT_optional_input_attachment_index") && !self.is_unsized(ty);
        if all.layout.attachment.is_none() && !optional {
            self.error(declarator.at, "an input attachment needs its index")
                .help
                .push("write `layout(input_attachment_index = 0)`".into());
        }
        if self.enabled.has("GL_EXT_shader_tile_image") {
            self.error(declarator.at, "input attachments do not go with `GL_EXT_shader_tile_image`");
        }
    }

    /// An image has a format that its type can have, unless it is only written.
    fn check_image(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers) {
        const LOADS: When = When::with(&["GL_EXT_shader_image_load_formatted"]);
        let Type::Opaque(Opaque::Texture { scalar, .. }) = *self.ty(self.innermost(ty)) else { return };
        let Some(format) = all.layout.format else {
            let free = !self.is_es() && all.layout.write_only;
            if !free && !LOADS.is(self.version, self.stage, &self.enabled) {
                self.error(declarator.at, "an image that is read needs a format")
                    .help
                    .push("write `layout(rgba8)`, or `writeonly` if it is never read".into());
            }
            return;
        };
        if format_scalar(format) != scalar {
            let message = format!("this format does not fit `{}`", self.name_of(ty));
            self.error(declarator.at, message);
        }
        use spirv::ImageFormat::{R32f, R32i, R32ui};
        let both = !all.layout.read_only && !all.layout.write_only;
        if self.is_es() && both && !matches!(format, R32f | R32i | R32ui) {
            self.error(declarator.at, "an image of this format must be `readonly` or `writeonly`")
                .notes
                .push("only `r32f`, `r32i` and `r32ui` can be both read and written".into());
        }
    }

    /// Inputs and outputs.
    fn interface_storage(&mut self, declarator: &Declarator, ty: Ty, all: &Qualifiers, at: At) -> Storage {
        let input = match (all.place, self.stage) {
            (Some(Place::Attribute), Stage::Vertex) => true,
            (Some(Place::Attribute), _) => {
                self.error(at, "only vertex shaders have attributes").help.push("use `varying`".into());
                true
            }
            (Some(Place::Varying), stage) => stage == Stage::Fragment,
            (Some(Place::Inout), Stage::Fragment) => {
                const FETCH: When = When::with(&[
                    "GL_EXT_shader_framebuffer_fetch",
                    "GL_EXT_shader_framebuffer_fetch_non_coherent",
                ]);
                self.require(at, "an `inout` variable", FETCH);
                false
            }
            (Some(Place::Inout), _) => {
                self.error(at, "`inout` is for parameters");
                false
            }
            (place, _) => place == Some(Place::In),
        };
        if self.stage.is_of_rays() {
            let message = format!("{} shaders have no inputs and outputs of their own", self.stage.name());
            self.error(at, message).help.push("data travels with `rayPayloadEXT` and its like".into());
        }
        let meshes = self.stage == Stage::Mesh && !input || all.layout.per_task;
        if self.stage.has_workgroups() && !meshes {
            let what = if self.stage == Stage::Mesh { "inputs" } else { "inputs and outputs" };
            let message = format!("{} shaders have no {what} of their own", self.stage.name());
            self.error(at, message);
        }
        self.check_patch(storage_of(input), all);
        let storage = storage_of(input);
        let (kind, what) = self.interface_kind(storage);
        if input && self.is_texture_by_handle(ty) {
            let texture = if self.is_image(ty) { Kind::IMAGE } else { Kind::SAMPLER };
            self.check_layout(all, kind.or(texture), what);
            return storage;
        }
        self.check_layout(all, kind, what);
        self.check_interface_type(ty, declarator.at, storage, all, what);
        self.check_interface_qualifiers(storage, all, what);
        storage
    }

    /// `patch` is for what tessellation shaders hand on.
    fn check_patch(&mut self, storage: Storage, all: &Qualifiers) {
        let fits = matches!(
            (self.stage, storage),
            (Stage::TessControl, Storage::Out) | (Stage::TessEvaluation, Storage::In)
        );
        if let (Some(at), true, false) = (all.auxiliary, all.layout.patch, fits) {
            self.error(at, "`patch` is for outputs of tessellation control and inputs of evaluation shaders");
        }
    }

    /// What an input or output is in this stage.
    pub(super) fn interface_kind(&self, storage: Storage) -> (Kind, &'static str) {
        match (self.stage, storage) {
            (Stage::Vertex, Storage::In) => (Kind::ATTRIBUTE, "a vertex input"),
            (Stage::Fragment, Storage::Out) => (Kind::COLOUR, "a fragment output"),
            (_, Storage::In) => (Kind::VARYING, "an input"),
            _ => (Kind::VARYING, "an output"),
        }
    }

    fn check_interface_qualifiers(&mut self, storage: Storage, all: &Qualifiers, what: &str) {
        let ends = (self.stage == Stage::Vertex && storage == Storage::In)
            || (self.stage == Stage::Fragment && storage == Storage::Out);
        if ends {
            for at in [all.interpolation, all.auxiliary].into_iter().flatten() {
                self.error(at, format!("{what} is not interpolated"));
            }
        }
        if let (Some(at), Storage::In, false) = (all.invariant, storage, self.has_invariant_inputs()) {
            self.error(at, "only outputs can be `invariant`");
        }
    }

    /// Whether what a stage takes from another says `invariant` on both sides: until ES 3.00 and GLSL 4.20.
    pub(super) fn has_invariant_inputs(&self) -> bool {
        self.stage != Stage::Vertex && !self.at_least(300, 420)
    }

    /// Which types cross the border of a stage.
    pub(super) fn check_interface_type(
        &mut self,
        ty: Ty,
        at: At,
        storage: Storage,
        all: &Qualifiers,
        what: &str,
    ) {
        if self.never_crosses(ty, at, what) {
            return;
        }
        let structure = self.has(ty, Parts::STRUCT);
        let array = matches!(self.ty(ty), Type::Array(..));
        let (kind, _) = self.interface_kind(storage);
        if kind == Kind::ATTRIBUTE {
            if structure {
                self.error(at, format!("{what} cannot be a structure"));
            } else if array && !(self.at_least(0, 150) || self.enabled.has("GL_ARB_vertex_attrib_64bit")) {
                self.error(at, format!("{what} cannot be an array before `#version 150`"));
            }
        }
        if kind == Kind::COLOUR {
            let matrix = self.has(ty, Parts::MATRIX);
            if structure || matrix || self.has(ty, Parts::DOUBLE) {
                let name = self.name_of(ty);
                self.error(at, format!("{what} is a scalar, a vector or an array of those, found `{name}`"));
            }
        }
        if kind == Kind::VARYING && structure && !self.at_least(300, 150) {
            self.error(
                at,
                format!("{what} cannot be a structure before `#version 150` or `#version 300 es`"),
            );
        }
        self.check_interface_numbers(ty, at, storage, all, what);
    }

    /// Whether a type crosses no border of any stage, which is reported.
    fn never_crosses(&mut self, ty: Ty, at: At, what: &str) -> bool {
        if self.has_opaque(ty) {
            let name = self.name_of(ty);
            let help = self.instead_of_opaque("declare a uniform, which every stage can read");
            self.error(at, format!("{what} cannot be of the opaque type `{name}`")).help.push(help.into());
        } else if self.is_long(ty) || self.has(ty, Parts::COOPERATIVE | Parts::SMALL) {
            let name = self.name_of(ty);
            self.error(at, format!("{what} cannot be a `{name}`"));
        } else if self.has(ty, Parts::REFERENCE) {
            self.error(at, format!("{what} cannot hold an address"))
                .help
                .push("pass it as `uint64_t` or `uvec2`".into());
        } else if self.has(ty, Parts::BOOL) {
            self.error(at, format!("{what} cannot be `bool`"));
        } else {
            return false;
        }
        true
    }

    /// Integers and doubles cross some borders only, and are not interpolated.
    fn check_interface_numbers(&mut self, ty: Ty, at: At, storage: Storage, all: &Qualifiers, what: &str) {
        let old = matches!(all.place, Some(Place::Attribute | Place::Varying));
        let (kind, _) = self.interface_kind(storage);
        let integer = self.has(ty, Parts::INTEGER);
        let newer = self.enabled.has("GL_EXT_gpu_shader4") || self.version.number >= 130;
        let integers = !self.is_es() && newer;
        if old && integer && !integers {
            let name = self.name_of(ty);
            self.error(at, format!("{what} is made of floats, found `{name}`"));
        } else if kind == Kind::VARYING && (integer || self.has(ty, Parts::DOUBLE)) {
            self.check_flat(at, storage, all, ty);
        }
    }

    /// Integers are not interpolated.
    fn check_flat(&mut self, at: At, storage: Storage, all: &Qualifiers, ty: Ty) {
        let concerned = match self.stage {
            Stage::Fragment => storage == Storage::In,
            // From ES 3.10 on, what the fragment shader says is enough.
            Stage::Vertex => self.is_es() && self.version.number < 310 && storage == Storage::Out,
            _ => false,
        };
        if concerned
            && !all.layout.per_primitive
            && all.layout.interpolation != crate::qualifier::Interpolation::Flat
        {
            let name = self.name_of(ty);
            self.error(at, format!("`{name}` cannot be interpolated: it must be `flat`"));
        }
    }

    /// Whether a type is a ray query or hit object, or an array of some: the only opaque ones
    /// that variables of the shader have.
    pub(super) fn is_ray_handle(&self, ty: Ty) -> bool {
        matches!(self.ty(self.innermost(ty)), Type::Opaque(Opaque::RayQuery | Opaque::HitObject(_)))
    }

    /// Whether a type is an image, or an array of some.
    pub(super) fn is_image(&self, ty: Ty) -> bool {
        let inner = self.ty(self.innermost(ty));
        match inner {
            Type::Opaque(Opaque::Texture { access: Access::Storage, dim, .. }) => {
                !matches!(dim, Dim::Subpass | Dim::Tile)
            }
            Type::Opaque(Opaque::Tensor { .. }) => true,
            _ => false,
        }
    }
}

fn storage_of(input: bool) -> Storage {
    if input { Storage::In } else { Storage::Out }
}

/// Whether a type is a colour attachment.
fn is_attachment(ty: &Type) -> bool {
    matches!(ty, Type::Opaque(Opaque::Texture { dim: Dim::Tile, .. }))
}

/// What the texels of a format are read as.
fn format_scalar(format: spirv::ImageFormat) -> Scalar {
    use spirv::ImageFormat::*;
    match format {
        Rgba32i | Rgba16i | Rgba8i | R32i | Rg32i | Rg16i | Rg8i | R16i | R8i => Scalar::Int,
        Rgba32ui | Rgba16ui | Rgba8ui | R32ui | Rgb10a2ui | Rg32ui | Rg16ui | Rg8ui | R16ui | R8ui => {
            Scalar::Uint
        }
        R64i => Scalar::Int64,
        R64ui => Scalar::Uint64,
        _ => Scalar::Float,
    }
}
