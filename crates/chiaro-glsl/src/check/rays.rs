//! Rays: which variable a location of a payload means, and that no two have one.

use super::Checker;
use crate::ast::At;
use crate::builtin::functions::Row;
use crate::hir::{ExprId, ExprKind, GlobalId, RayStorage, Storage};
use crate::intrinsic::Intrinsic;

/// Whether data goes with rays or with calls, which count their locations apart.
fn is_of_calls(storage: RayStorage) -> bool {
    matches!(storage, RayStorage::Callable | RayStorage::CallableIn)
}

/// The location space of data that has one; attributes of hits have none.
fn space(storage: Storage) -> Option<bool> {
    match storage {
        Storage::Ray(RayStorage::HitAttribute) => None,
        Storage::Ray(storage) => Some(is_of_calls(storage)),
        _ => None,
    }
}

impl Checker<'_> {
    /// The last argument of a trace or a call is a location: the variable there takes its place.
    pub(super) fn with_payload(&mut self, row: &'static Row, args: &mut [ExprId]) {
        let calls = match row.what {
            Intrinsic::TraceRay(_) => false,
            Intrinsic::ExecuteCallable => true,
            _ => return,
        };
        let Some(last) = args.last_mut() else { return };
        let at = self.at(*last).at;
        let Some(location) = self.bits(*last).and_then(<[u64]>::first).copied() else {
            self.error(at, "the location of the payload must be a constant expression");
            return;
        };
        match self.payload_at(calls, location) {
            Some(id) => {
                self.globals[id.0 as usize].used = true;
                let ty = self.global(id).ty;
                *last = self.push(ExprKind::Global(id), ty, None, at);
            }
            None if row.name == "traceNV" => *last = self.empty_payload(at),
            None => self.no_payload(calls, location, at),
        }
    }

    fn payload_at(&self, calls: bool, location: u64) -> Option<GlobalId> {
        let fits = |global: &crate::hir::Global| {
            space(global.storage) == Some(calls) && global.layout.location.map(u64::from) == Some(location)
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
            layout: crate::hir::Layout::default(),
            builtin: None,
            block: None,
            init: None,
            used: true,
            framebuffer_fetch: false,
            at: None,
        });
        self.push(ExprKind::Global(id), ty, None, at)
    }

    fn no_payload(&mut self, calls: bool, location: u64, at: At) {
        let word = if calls { "callableDataEXT" } else { "rayPayloadEXT" };
        self.error(at, format!("no `{word}` has the location {location}"))
            .help
            .push(format!("declare it: `layout(location = {location}) {word} vec4 data;`"));
    }

    /// No two payloads share a location.
    pub(super) fn check_payloads(&mut self) {
        let mut taken: Vec<(bool, u32)> = Vec::new();
        let mut faults = Vec::new();
        for global in &self.globals {
            let (Some(calls), Some(location)) = (space(global.storage), global.layout.location) else {
                continue;
            };
            if taken.contains(&(calls, location)) {
                faults.extend(global.at.map(|at| (at, location)));
            }
            taken.push((calls, location));
        }
        for (at, location) in faults {
            self.error(at, format!("location {location} is taken by other data of rays before"));
        }
    }
}
