//! The search of a ray, as long as a query has something to ask about, and whom it calls.

use chiaro_ir::Type;
use chiaro_ir::rays::query;
use chiaro_ir::{Builder, GlobalRef, Op, Value};
use chiaro_trace::flags;

use super::site::{Site, ask, held, put};
use super::told::{View, face};

/// Why a stage is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    Launch,
    Closest,
    Miss,
    Any,
    Intersection,
    Callable,
}

impl Role {
    /// All of them, in their order.
    pub const ALL: [Role; 6] =
        [Role::Launch, Role::Closest, Role::Miss, Role::Any, Role::Intersection, Role::Callable];

    /// What a stage is told of.
    pub fn view(self) -> View {
        match self {
            Role::Closest => View::Taken,
            Role::Miss => View::Missed,
            Role::Any => View::Asked,
            Role::Intersection => View::Intersection,
            Role::Launch | Role::Callable => View::Launch,
        }
    }
}

/// How a ray calls stages.
pub trait Asks {
    /// Calls the stage that a record names.
    fn ask(&self, b: &mut Builder<'_>, site: &Site, role: Role, record: Value);
}

/// The operands of a ray, without its payload.
pub struct Operands {
    structure: Value,
    flags: Value,
    mask: Value,
    offset: Value,
    stride: Value,
    miss: Value,
    rest: [Value; 4],
}

/// Searches for the nearest hit, and calls whom it concerns.
pub fn search(b: &mut Builder<'_>, site: &Site, ray: &Operands, stages: &dyn Asks) {
    begin(b, site, ray);
    b.loop_(
        &[],
        &[],
        &[],
        |b, at, _| {
            let bool = b.types().intern(Type::Bool);
            let more = ask(b, site, query::PROCEED, None, bool);
            b.if_else(more, |_, _| {}, |b, _| b.exit(at, &[]));
            candidate(b, site, stages, ray);
        },
        |_, _, _| {},
    );
    let word = b.int_ty(32);
    let kind = ask(b, site, query::KIND, Some(1), word);
    let none = b.u32(0);
    let has_none = b.ieq(kind, none);
    b.if_else(
        has_none,
        |b, _| stages.ask(b, site, Role::Miss, ray.miss),
        |b, _| taken(b, site, stages, (ray, kind)),
    );
}

/// Asks about a candidate.
fn candidate(b: &mut Builder<'_>, site: &Site, stages: &dyn Asks, ray: &Operands) {
    let word = b.int_ty(32);
    let record = record(b, site, ray, 0);
    put(b, site.record, record);
    let kind = ask(b, site, query::KIND, Some(0), word);
    let none = b.u32(0);
    let is_triangle = b.ieq(kind, none);
    b.if_else(
        is_triangle,
        |b, _| triangle(b, site, stages, record),
        |b, _| stages.ask(b, site, Role::Intersection, record),
    );
}

fn triangle(b: &mut Builder<'_>, site: &Site, stages: &dyn Asks, record: Value) {
    let float = b.float_ty(32);
    let kind = face(b, site, 0);
    put(b, site.kind, kind);
    let distance = ask(b, site, query::DISTANCE, Some(0), float);
    put(b, site.distance, distance);
    put_shares(b, site, 0, &site.asked);
    let none = b.u32(0);
    put(b, site.verdict, none);
    stages.ask(b, site, Role::Any, record);
    let verdict = held(b, site.verdict);
    let (ignored, ends) = (b.u32(1), b.u32(2));
    let takes = b.ine(verdict, ignored);
    b.when(takes, |b, _| tell(b, site, query::CONFIRM, &[]));
    let ends = b.ieq(verdict, ends);
    b.when(ends, |b, _| tell(b, site, query::END, &[]));
}

/// The nearest hit is known.
fn taken(b: &mut Builder<'_>, site: &Site, stages: &dyn Asks, (ray, kind): (&Operands, Value)) {
    let skips = b.u32(flags::SKIP_CLOSEST_HIT);
    let skips = b.and(ray.flags, skips);
    let none = b.u32(0);
    let calls = b.ieq(skips, none);
    b.when(calls, |b, _| {
        let triangle = b.u32(1);
        let is_triangle = b.ieq(kind, triangle);
        b.when(is_triangle, |b, _| {
            let kind = face(b, site, 1);
            put(b, site.taken_kind, kind);
            put_shares(b, site, 1, &site.taken);
        });
        let record = record(b, site, ray, 1);
        stages.ask(b, site, Role::Closest, record);
    });
}

/// Operands of which the low bits count, in the order that `trace_ray` has them in.
pub fn operands(b: &mut Builder<'_>, structure: Value, all: [Value; 9]) -> Operands {
    let [flags, mask, offset, stride, miss, rest @ ..] = all;
    let low = |b: &mut Builder<'_>, value: Value, mask: u32| {
        let mask = b.u32(mask);
        b.and(value, mask)
    };
    let (mask, offset) = (low(b, mask, 255), low(b, offset, 15));
    let (stride, miss) = (low(b, stride, 15), low(b, miss, 0xffff));
    Operands { structure, flags, mask, offset, stride, miss, rest }
}

/// The ray is kept, and the search begins.
fn begin(b: &mut Builder<'_>, site: &Site, ray: &Operands) {
    put(b, site.flags, ray.flags);
    put(b, site.mask, ray.mask);
    let [origin, least, direction, most] = ray.rest;
    put(b, site.origin, origin);
    put(b, site.least, least);
    put(b, site.direction, direction);
    put(b, site.most, most);
    let no = b.bool(false);
    put(b, site.ended, no);
    tell(b, site, query::BEGIN, &[ray.structure, ray.flags, ray.mask, origin, least, direction, most]);
}

/// An operation on the query that answers nothing.
pub fn tell(b: &mut Builder<'_>, site: &Site, code: u16, more: &[Value]) {
    let query = b.global(site.query);
    let args: Vec<Value> = [query].iter().chain(more).copied().collect();
    b.op_void(Op::RayQuery(code), &args);
}

/// The record of the hit table for a hit.
fn record(b: &mut Builder<'_>, site: &Site, ray: &Operands, which: u32) -> Value {
    let word = b.int_ty(32);
    let own = ask(b, site, query::RECORD, Some(which), word);
    let geometry = ask(b, site, query::GEOMETRY, Some(which), word);
    let further = b.imul(ray.stride, geometry);
    let offset = b.iadd(own, ray.offset);
    b.iadd(offset, further)
}

/// Shares of the corners of a triangle become the hit's attributes.
fn put_shares(b: &mut Builder<'_>, site: &Site, which: u32, to: &[GlobalRef]) {
    let (float, word) = (b.float_ty(32), b.int_ty(32));
    let two = b.types().vector(float, 2);
    let shares = ask(b, site, query::SHARES, Some(which), two);
    for (n, to) in (0..2).zip(to) {
        let share = b.extract(shares, n);
        let share = b.bitcast(share, word);
        put(b, *to, share);
    }
}
