//! What stages are told: built-ins, from the ray and the query.

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
    fn built_in(
        &self,
        b: &mut Builder<'_>,
        number: u32,
        site: Option<&Site>,
        view: View,
        ty: Ty,
    ) -> Option<Value> {
        match number {
            5319 => return Some(held(b, self.id.private)),
            5320 => {
                let size = b.global(self.size);
                let size = b.member(size, 0);
                return Some(b.load(size));
            }
            _ => {}
        }
        let site = site?;
        let which = Some(u32::from(view == View::Taken));
        let code = match number {
            5321 => return Some(held(b, site.origin)),
            5322 => return Some(held(b, site.direction)),
            5325 => return Some(held(b, site.least)),
            5326 | 5332 => return Some(distance(b, site, view, ty)),
            5333 => return Some(held(b, if view == View::Taken { site.taken_kind } else { site.kind })),
            5351 => return Some(held(b, site.flags)),
            6021 => return Some(held(b, site.mask)),
            6 => 6020,
            7 => 6023,
            5323 => 6028,
            5324 => 6027,
            5327 => 6019,
            5330 => 6031,
            5331 => 6032,
            5335 => 5340,
            5352 => 6022,
            _ => return None,
        };
        Some(ask(b, site, code, which, ty))
    }
}

/// How far hits may be, or how far the one is that a stage is told of.
fn distance(b: &mut Builder<'_>, site: &Site, view: View, ty: Ty) -> Value {
    match view {
        View::Asked => held(b, site.distance),
        View::Taken => ask(b, site, 6018, Some(1), ty),
        View::Intersection => limit(b, site),
        View::Launch | View::Missed => held(b, site.most),
    }
}

/// The distance of the nearest hit so far, or that of the ray.
pub fn limit(b: &mut Builder<'_>, site: &Site) -> Value {
    let (float, word) = (b.float_ty(32), b.int_ty(32));
    let kind = ask(b, site, 4479, Some(1), word);
    let none = b.u32(0);
    let has_none = b.ieq(kind, none);
    b.choose(has_none, float, |b| held(b, site.most), |b| ask(b, site, 6018, Some(1), float))
}

/// The kind of a triangle that is met: its front or its back.
pub fn face(b: &mut Builder<'_>, site: &Site, which: u32) -> Value {
    let bool = b.types().intern(Type::Bool);
    let front = ask(b, site, 6025, Some(which), bool);
    let (yes, no) = (b.u32(Hit::FRONT), b.u32(Hit::BACK));
    b.select(front, yes, no)
}
