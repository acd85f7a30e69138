//! Rays: which variable a location of a payload means, and that no two have one.

use super::checker::Checker;
use crate::builtin::functions::Row;
use crate::hir::{ExprId, ExprKind, GlobalId};
use crate::intrinsic::{Companion, Intrinsic};
use crate::qualifier::{RayStorage, Storage};
use crate::token::At;

/// What data goes with: each counts its locations apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    Rays,
    Calls,
    HitObjects,
}

impl Space {
    /// That of a variable; attributes of hits have none.
    fn of(storage: Storage) -> Option<Space> {
        match storage {
            Storage::Ray(RayStorage::Payload | RayStorage::PayloadIn) => Some(Space::Rays),
            Storage::Ray(RayStorage::Callable | RayStorage::CallableIn) => Some(Space::Calls),
            Storage::Ray(RayStorage::HitObjectAttribute(_)) => Some(Space::HitObjects),
            _ => None,
        }
    }

    /// Which of so many arguments of a function is a location, and of what.
    fn of_argument(what: Intrinsic, count: usize) -> Option<(Space, usize)> {
        let (space, place) = match what {
            Intrinsic::TraceRay(_) => (Space::Rays, count.checked_sub(1)),
            Intrinsic::ExecuteCallable => (Space::Calls, count.checked_sub(1)),
            Intrinsic::HitObject(_, companion) => {
                let attributes = matches!(companion, Companion::Attributes | Companion::QueryAttributes);
                (if attributes { Space::HitObjects } else { Space::Rays }, companion.place(count))
            }
            _ => return None,
        };
        Some((space, place?))
    }
}

impl Checker<'_> {
    /// An argument of a trace or a call is a location: the variable there takes its place.
    pub(super) fn with_payload(&mut self, row: &'static Row, args: &mut [ExprId]) {
        let Some((space, place)) = Space::of_argument(row.what, args.len()) else { return };
        let Some(named) = args.get_mut(place) else { return };
        let at = self.at(*named).at;
        let Some(location) = self.bits(*named).and_then(<[u64]>::first).copied() else {
            self.error(at, "the location of the payload must be a constant expression");
            return;
        };
        match self.payload_at(space, location) {
            Some(id) => {
                self.globals[id.0 as usize].used = true;
                let ty = self.global(id).ty;
                *named = self.push(ExprKind::Global(id), ty, None, at);
            }
            None if row.name == "traceNV" => *named = self.empty_payload(at),
            None => self.no_payload(space, row.name, location, at),
        }
    }

    fn payload_at(&self, space: Space, location: u64) -> Option<GlobalId> {
        let fits = |global: &crate::hir::Global| {
            Space::of(global.storage) == Some(space)
                && global.layout.location.map(u64::from) == Some(location)
        };
        self.globals.iter().position(fits).map(|n| GlobalId(n as u32))
    }

    /// GL_NV_ray_tracing lets a ray go without a payload; SPIR-V wants one, which nobody reads.
    fn empty_payload(&mut self, at: At) -> ExprId {
        let ty = self.known.float;
        let id = self.add_global(crate::hir::Global {
            name: self.nameless(),
            ty,
            storage: Storage::Ray(RayStorage::Payload),
            precision: None,
            layout: crate::qualifier::Layout::default(),
            builtin: None,
            block: None,
            init: None,
            used: true,
            framebuffer_fetch: false,
            at: None,
        });
        self.push(ExprKind::Global(id), ty, None, at)
    }

    fn no_payload(&mut self, space: Space, function: &str, location: u64, at: At) {
        let word = match space {
            Space::Rays => "rayPayloadEXT",
            Space::Calls => "callableDataEXT",
            Space::HitObjects if function.ends_with("NV") => "hitObjectAttributeNV",
            Space::HitObjects => "hitObjectAttributeEXT",
        };
        self.error(at, format!("no `{word}` has the location {location}"))
            .help
            .push(format!("declare it: `layout(location = {location}) {word} vec4 data;`"));
    }

    /// No two payloads share a location.
    pub(super) fn check_payloads(&mut self) {
        let mut taken: Vec<(Space, u32)> = Vec::new();
        let mut faults = Vec::new();
        for global in &self.globals {
            let (Some(space), Some(location)) = (Space::of(global.storage), global.layout.location) else {
                continue;
            };
            if taken.contains(&(space, location)) {
                faults.extend(global.at.map(|at| (at, location)));
            }
            taken.push((space, location));
        }
        for (at, location) in faults {
            self.error(at, format!("location {location} is taken by other data of rays before"));
        }
    }
}
