//! What stages are told: built-ins, from the ray and the query.

use chiaro_ir::rays::{builtin as is, query, question};
use chiaro_ir::{Builder, Ty, Type, Value};

use super::Maker;
use super::instance::Instance;
use super::site::{Site, ask, held, put};
use super::words::load_words;
use chiaro_trace::Hit;

/// Which hit a stage is told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// No ray.
    Launch,
    /// A ray without a hit.
    Missed,
    /// The hit that was taken.
    Taken,
    /// The hit that is asked about.
    Asked,
    /// The box that is looked into.
    Intersection,
}

impl Maker<'_> {
    /// Calls a copy of a stage, which finds its built-ins and attributes in its variables.
    pub(super) fn call(&self, b: &mut Builder<'_>, instance: &Instance, site: Option<&Site>, view: View) {
        for &(variable, number) in &instance.built_in {
            let ty = b.module().global(variable).ty;
            if let Some(value) = self.built_in(b, number, site, view, ty) {
                put(b, variable, value);
            }
        }
        if let (Some(attributes), Some(site)) = (instance.attributes, site) {
            match view {
                View::Taken => load_words(b, &site.taken, attributes),
                View::Asked => load_words(b, &site.asked, attributes),
                _ => {}
            }
        }
        let _ = b.call(instance.function, &[]);
    }

    /// A built-in by SPIR-V's number; none that the stage has not.
    pub(super) fn built_in(
        &self,
        b: &mut Builder<'_>,
        number: u32,
        site: Option<&Site>,
        view: View,
        ty: Ty,
    ) -> Option<Value> {
        match number {
            is::LAUNCH => return Some(held(b, self.id.private)),
            is::SIZE => {
                let size = b.global(self.size);
                let size = b.member(size, 0);
                return Some(b.load(size));
            }
            _ => {}
        }
        let site = site?;
        let of_ray = match number {
            is::ORIGIN => site.origin,
            is::DIRECTION => site.direction,
            is::LEAST => site.least,
            is::MOST | is::DISTANCE => return Some(distance(b, site, view, ty)),
            is::KIND if view == View::Taken => site.taken_kind,
            is::KIND => site.kind,
            is::FLAGS => site.flags,
            is::MASK => site.mask,
            _ => {
                let which = Some(u32::from(view == View::Taken));
                return Some(ask(b, site, question(number)?, which, ty));
            }
        };
        Some(held(b, of_ray))
    }
}

/// How far hits may be, or how far the one is that a stage is told of.
fn distance(b: &mut Builder<'_>, site: &Site, view: View, ty: Ty) -> Value {
    match view {
        View::Asked => held(b, site.distance),
        View::Taken => ask(b, site, query::DISTANCE, Some(1), ty),
        View::Intersection => limit(b, site),
        View::Launch | View::Missed => held(b, site.most),
    }
}

/// The distance of the nearest hit so far, or that of the ray.
pub fn limit(b: &mut Builder<'_>, site: &Site) -> Value {
    let (float, word) = (b.float_ty(32), b.int_ty(32));
    let kind = ask(b, site, query::KIND, Some(1), word);
    let none = b.u32(0);
    let has_none = b.ieq(kind, none);
    b.choose(has_none, float, |b| held(b, site.most), |b| ask(b, site, query::DISTANCE, Some(1), float))
}

/// The kind of a triangle that is met: its front or its back.
pub fn face(b: &mut Builder<'_>, site: &Site, which: u32) -> Value {
    let bool = b.types().intern(Type::Bool);
    let front = ask(b, site, query::FRONT, Some(which), bool);
    let (yes, no) = (b.u32(Hit::FRONT), b.u32(Hit::BACK));
    b.select(front, yes, no)
}
