//! Qualifiers of one declaration, collected and checked against each other.

use super::checker::Checker;
use super::state::{Place, Qualifiers};
use crate::ast::{Qualifier, QualifierKind};
use crate::builtin::{Stages, When};
use crate::qualifier::{Interpolation, RayStorage};
use crate::source::Stage;
use crate::token::At;
use crate::ty::HitObject;

const SMOOTH: When = When::since(300, 130);
const FLAT: When = When::since(300, 130).or(&["GL_EXT_gpu_shader4"]);
const NO_PERSPECTIVE: When =
    When::since(0, 130).or(&["GL_EXT_gpu_shader4", "GL_NV_shader_noperspective_interpolation"]);
const CENTROID: When = When::since(300, 120).or(&["GL_EXT_gpu_shader4"]);
const SAMPLE: When =
    When::since(320, 400).or(&["GL_OES_shader_multisample_interpolation", "GL_ARB_gpu_shader5"]);
const PRECISE: When =
    When::since(320, 400).or(&["GL_ARB_gpu_shader5", "GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"]);
const INVARIANT: When = When::since(100, 120);
const IN_OUT: When = When::since(300, 130).or(&[
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_fragment_coord_conventions",
]);
const OLD: When = When::since(100, 110).until(300, 420);
const BUFFER: When = When::since(310, 430).or(&["GL_ARB_shader_storage_buffer_object"]);
const TASKS: When = When::with(&["GL_EXT_mesh_shader"]).only(Stages::TASK.and(Stages::MESH));
const PATCH: When = When::since(320, 400).or(&[
    "GL_ARB_tessellation_shader",
    "GL_EXT_tessellation_shader",
    "GL_OES_tessellation_shader",
]);
const SHARED: When = When::since(310, 430).or(&["GL_ARB_compute_shader"]);

impl<'a> Checker<'a> {
    /// Collects the qualifiers of a declaration. `parameter`: `in` and `out` are of every version.
    pub(super) fn qualifiers(&mut self, list: &'a [Qualifier], parameter: bool) -> Qualifiers {
        let mut all = Qualifiers::default();
        for qualifier in list {
            self.qualifier(qualifier, parameter, &mut all);
        }
        self.check_order(list);
        if let (Some(Place::Attribute | Place::Varying), Some(at)) = (all.place, all.interpolation)
            && !self.enabled.has("GL_EXT_gpu_shader4")
        {
            self.error(at, "an interpolation goes with `in` and `out` only");
        }
        all
    }

    /// Until version 4.20 and ES 3.10, qualifiers came in one order.
    fn check_order(&mut self, list: &[Qualifier]) {
        const FREE: When = When::since(310, 420).or(&["GL_ARB_shading_language_420pack"]);
        if list.len() < 2 || FREE.is(self.version, self.stage, &self.enabled) {
            return;
        }
        let mut last = 0;
        for qualifier in list {
            let Some(rank) = rank(&qualifier.kind) else { continue };
            if rank < last {
                let help = "the order is `invariant`, interpolation, `const`, `centroid`, storage, precision";
                self.error(qualifier.at, "this qualifier comes too late").help.push(help.into());
                return;
            }
            last = rank;
        }
    }

    fn qualifier(&mut self, qualifier: &'a Qualifier, parameter: bool, all: &mut Qualifiers) {
        let at = qualifier.at;
        match &qualifier.kind {
            QualifierKind::Const => self.once(&mut all.constant, at, "const"),
            QualifierKind::In => self.place(all, Place::In, "in", IN_OUT, parameter, at),
            QualifierKind::Out => self.place(all, Place::Out, "out", IN_OUT, parameter, at),
            QualifierKind::Inout => self.place(all, Place::Inout, "inout", IN_OUT, parameter, at),
            QualifierKind::Attribute => self.place(all, Place::Attribute, "attribute", OLD, false, at),
            QualifierKind::Varying => self.place(all, Place::Varying, "varying", OLD, false, at),
            QualifierKind::Uniform => self.place(all, Place::Uniform, "uniform", When::ALWAYS, false, at),
            QualifierKind::Buffer => self.place(all, Place::Buffer, "buffer", BUFFER, false, at),
            QualifierKind::Shared => self.place(all, Place::Shared, "shared", SHARED, false, at),
            QualifierKind::Precision(precision) => {
                if all.precision.replace(*precision).is_some() {
                    self.error(at, "two precisions in one declaration");
                }
            }
            QualifierKind::Layout(ids) => self.layout(ids, all),
            QualifierKind::Spirv(word, args) => {
                self.spirv_qualifier(*word, args, at, all);
            }
            QualifierKind::Subroutine(_) => all.subroutine = Some(at),
            QualifierKind::Smooth => self.interpolation(all, Interpolation::Smooth, "smooth", SMOOTH, at),
            QualifierKind::Ray(storage) => {
                let word = ray_word(*storage);
                let when = When::ALWAYS.only(ray_stages(*storage));
                self.require_word(at, word, when);
                self.place(all, Place::Ray(*storage), word, When::ALWAYS, true, at);
            }
            QualifierKind::Heap(kind) => {
                let word = if *kind == crate::qualifier::HeapKind::Resources {
                    "resourceheap"
                } else {
                    "samplerheap"
                };
                self.place(all, Place::Heap(*kind), word, When::ALWAYS, true, at);
            }
            QualifierKind::PerVertex => {
                self.interpolation(all, Interpolation::PerVertex, "pervertexEXT", When::ALWAYS, at);
            }
            QualifierKind::TileImage => {
                self.place(all, Place::TileImage, "tileImageEXT", When::ALWAYS, true, at);
            }
            QualifierKind::Explicit => {
                self.interpolation(all, Interpolation::Explicit, "__explicitInterpAMD", When::ALWAYS, at);
            }
            QualifierKind::NonUniform => all.layout.nonuniform = true,
            QualifierKind::PerPrimitive => all.layout.per_primitive = true,
            QualifierKind::PerTask => all.layout.per_task = true,
            QualifierKind::TaskPayload => {
                let word = "taskPayloadSharedEXT";
                self.place(all, Place::TaskPayload, word, TASKS, false, at);
            }
            QualifierKind::Flat => self.interpolation(all, Interpolation::Flat, "flat", FLAT, at),
            QualifierKind::NoPerspective => {
                self.interpolation(all, Interpolation::NoPerspective, "noperspective", NO_PERSPECTIVE, at);
            }
            other => self.flag(other, all, at),
        }
    }

    /// Qualifiers that are there or not.
    fn flag(&mut self, kind: &QualifierKind, all: &mut Qualifiers, at: At) {
        let layout = &mut all.layout;
        let (slot, seen, word, when) = match kind {
            QualifierKind::Centroid => (&mut layout.centroid, &mut all.auxiliary, "`centroid`", CENTROID),
            QualifierKind::Sample => (&mut layout.sample, &mut all.auxiliary, "`sample`", SAMPLE),
            QualifierKind::Patch => (&mut layout.patch, &mut all.auxiliary, "`patch`", PATCH),
            QualifierKind::Invariant => (&mut layout.invariant, &mut all.invariant, "`invariant`", INVARIANT),
            QualifierKind::Precise => (&mut layout.precise, &mut all.precise, "`precise`", PRECISE),
            QualifierKind::Coherent => (&mut layout.coherent, &mut all.memory, "`coherent`", When::ALWAYS),
            QualifierKind::Volatile => (&mut layout.volatile, &mut all.memory, "`volatile`", When::ALWAYS),
            QualifierKind::Restrict => (&mut layout.restrict, &mut all.memory, "`restrict`", When::ALWAYS),
            QualifierKind::ReadOnly => (&mut layout.read_only, &mut all.memory, "`readonly`", When::ALWAYS),
            QualifierKind::WriteOnly => {
                (&mut layout.write_only, &mut all.memory, "`writeonly`", When::ALWAYS)
            }
            _ => return,
        };
        let twice = std::mem::replace(slot, true);
        seen.get_or_insert(at);
        if twice {
            self.error(at, format!("{word} is written twice"));
        } else {
            self.require(at, word, when);
        }
    }

    fn once(&mut self, slot: &mut Option<At>, at: At, word: &str) {
        if slot.replace(at).is_some() {
            self.error(at, format!("`{word}` is written twice"));
        }
    }

    pub(super) fn place(
        &mut self,
        all: &mut Qualifiers,
        place: Place,
        word: &str,
        when: When,
        anywhere: bool,
        at: At,
    ) {
        if !anywhere {
            self.require_word(at, word, when);
        }
        let before = all.place.replace(place);
        all.place_at = Some(at);
        let joined = matches!((before, place), (Some(Place::In), Place::Out) | (Some(Place::Out), Place::In));
        match before {
            None => {}
            Some(_) if joined && anywhere => all.place = Some(Place::Inout),
            Some(_) => {
                self.error(at, format!("`{word}` after another qualifier of the same kind"));
            }
        }
    }

    fn interpolation(&mut self, all: &mut Qualifiers, kind: Interpolation, word: &str, when: When, at: At) {
        if all.interpolation.is_some() {
            self.error(at, "two kinds of interpolation in one declaration");
        }
        self.require_word(at, word, when);
        all.layout.interpolation = kind;
        all.layout.smooth = kind == Interpolation::Smooth;
        all.interpolation = Some(at);
    }

    /// Reports qualifiers that belong to the interface of a stage where there is none.
    pub(super) fn no_interface(&mut self, all: &Qualifiers, what: &str) {
        let found = [
            (all.interpolation, "an interpolation"),
            (all.auxiliary, "`centroid`, `sample` or `patch`"),
            (all.invariant, "`invariant`"),
            (all.numbers.at, "a layout"),
        ];
        for (at, word) in found {
            if let Some(at) = at {
                self.error(at, format!("{what} takes no such qualifier: {word}"));
                return;
            }
        }
    }

    /// Whether the stage is that of fragments.
    pub(super) fn is_fragment(&self) -> bool {
        self.stage == Stage::Fragment
    }
}

/// A qualifier of rays, for messages.
pub(super) fn ray_word(storage: RayStorage) -> &'static str {
    match storage {
        RayStorage::Payload => "rayPayloadEXT",
        RayStorage::PayloadIn => "rayPayloadInEXT",
        RayStorage::HitAttribute => "hitAttributeEXT",
        RayStorage::Callable => "callableDataEXT",
        RayStorage::CallableIn => "callableDataInEXT",
        RayStorage::HitObjectAttribute(HitObject::Ext) => "hitObjectAttributeEXT",
        RayStorage::HitObjectAttribute(HitObject::Nv) => "hitObjectAttributeNV",
    }
}

/// The stages that have a qualifier of rays. [GL_EXT_ray_tracing]
fn ray_stages(storage: RayStorage) -> Stages {
    let hits = Stages::ANY_HIT.and(Stages::CLOSEST_HIT);
    match storage {
        RayStorage::Payload | RayStorage::HitObjectAttribute(_) => {
            Stages::RAY_GENERATION.and(Stages::CLOSEST_HIT).and(Stages::MISS)
        }
        RayStorage::PayloadIn => hits.and(Stages::MISS),
        RayStorage::HitAttribute => hits.and(Stages::INTERSECTION),
        RayStorage::Callable => {
            Stages::RAY_GENERATION.and(Stages::CLOSEST_HIT).and(Stages::MISS).and(Stages::CALLABLE)
        }
        RayStorage::CallableIn => Stages::CALLABLE,
    }
}

/// Where a qualifier stands among others; `None` where that is free.
fn rank(kind: &QualifierKind) -> Option<u8> {
    Some(match kind {
        QualifierKind::Invariant | QualifierKind::Precise => 0,
        QualifierKind::Smooth | QualifierKind::Flat | QualifierKind::NoPerspective => 1,
        QualifierKind::Const => 2,
        QualifierKind::Centroid | QualifierKind::Sample => 3,
        QualifierKind::In
        | QualifierKind::Out
        | QualifierKind::Inout
        | QualifierKind::Attribute
        | QualifierKind::Varying
        | QualifierKind::Uniform => 4,
        QualifierKind::Precision(_) => 5,
        _ => return None,
    })
}
