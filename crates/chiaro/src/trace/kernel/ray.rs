//! Functions for rays: the search with the stages that it asks, reports of boxes, callables.

use chiaro_diag::Diagnostic;
use chiaro_ir::rays::query;
use chiaro_ir::{Builder, FunctionRef, GlobalRef, Mistake, Module, Op, Space, Ty, Type, Value};
use chiaro_trace::{Group, Record, flags};

use super::instance::Instance;
use super::site::{Caller, Site, ask, held, put};
use super::told::{View, face, limit};
use super::words::store_words;
use super::{CALLABLES, Maker};

/// Records that call the same, and the copy for them.
type Case = (Vec<u32>, Instance);

/// The operands of a ray, without its payload.
struct Operands {
    structure: Value,
    flags: Value,
    mask: Value,
    offset: Value,
    stride: Value,
    miss: Value,
    rest: [Value; 4],
}

impl Maker<'_> {
    /// A function that traces a ray: operands as `trace_ray` has them, without the payload.
    pub(super) fn trace(
        &mut self,
        module: &mut Module,
        (payload, miss, structure): (GlobalRef, Option<u32>, Ty),
        caller: &Caller,
    ) -> FunctionRef {
        let site = self.site(module);
        let inside = Caller {
            depth: caller.depth + 1,
            callables: caller.callables,
            incoming: Some(payload),
            site: Some(site.clone()),
        };
        let is_deep = caller.depth > self.pipeline.depth;
        let hits = if is_deep { Vec::new() } else { self.pipeline.table.hit.clone() };
        let misses = if is_deep { Vec::new() } else { self.pipeline.table.miss.clone() };
        let stages = Stages {
            closest: self.cases(module, &hits, &inside, Group::closest),
            any: self.cases(module, &hits, &inside, |group| match group {
                Group::Triangles { any, .. } => any,
                _ => None,
            }),
            intersection: self.cases(module, &hits, &inside, |group| match group {
                Group::Procedural { intersection, .. } => Some(intersection),
                _ => None,
            }),
            miss: self.cases_of(module, &misses, miss, &inside, general),
        };
        let name = self.name("trace");
        let (word, float) = (module.types.intern(Type::Int(32)), module.types.intern(Type::Float(32)));
        let three = module.types.vector(float, 3);
        let params = [structure, word, word, word, word, word, three, float, three, float];
        let void = module.types.intern(Type::Void);
        let mut b = Builder::new(module, name, &params, void);
        if !is_deep {
            self.search(&mut b, &site, &stages);
        }
        self.finished(b.finish())
    }

    fn finished(&mut self, made: Result<FunctionRef, Mistake>) -> FunctionRef {
        made.unwrap_or_else(|why| {
            self.errors.push(Diagnostic::mistake(format!("a ray cannot be built: {why}")));
            FunctionRef(0)
        })
    }

    /// Copies of the stages that records name, one for all records that call the same.
    fn cases(
        &mut self,
        module: &mut Module,
        records: &[Record],
        caller: &Caller,
        stage: impl Fn(Group) -> Option<usize>,
    ) -> Vec<Case> {
        self.cases_of(module, records, None, caller, stage)
    }

    /// The same where the number of the record may be known.
    fn cases_of(
        &mut self,
        module: &mut Module,
        records: &[Record],
        only: Option<u32>,
        caller: &Caller,
        stage: impl Fn(Group) -> Option<usize>,
    ) -> Vec<Case> {
        let mut known: Vec<(usize, &Record, Vec<u32>)> = Vec::new();
        for (n, record) in (0..).zip(records).filter(|(n, _)| only.is_none_or(|only| only == *n)) {
            let group = record.group.and_then(|group| self.pipeline.groups.get(group).copied());
            let Some(stage) = group.and_then(&stage).filter(|stage| self.fits(module, *stage, caller)) else {
                continue;
            };
            match known.iter_mut().find(|(other, own, _)| *other == stage && own.data == record.data) {
                Some((_, _, numbers)) => numbers.push(n),
                None => known.push((stage, record, vec![n])),
            }
        }
        let made = known.into_iter();
        made.map(|(stage, record, numbers)| (numbers, self.instance(module, stage, record, caller))).collect()
    }

    /// Whether a stage takes what is handed over. A record whose stage takes something else is one that the ray does not
    /// reach.
    fn fits(&self, module: &Module, stage: usize, caller: &Caller) -> bool {
        let part = self.joined.parts[stage].globals.clone();
        let takes = |g: &u32| {
            let space = module.globals[*g as usize].space;
            matches!(space, Space::IncomingPayload | Space::IncomingCallableData)
        };
        let mut taken = part.filter(takes).map(|g| module.globals[g as usize].ty);
        let given = caller.incoming.map(|g| module.global(g).ty);
        taken.all(|ty| given.is_none_or(|given| given == ty))
    }

    /// Calls the copy that a record names.
    fn choose(&self, b: &mut Builder<'_>, cases: &[Case], record: Value, site: Option<&Site>, view: View) {
        for (numbers, instance) in cases {
            let mut is_one = b.bool(false);
            for &n in numbers {
                let n = b.u32(n);
                let same = b.ieq(record, n);
                is_one = b.or(is_one, same);
            }
            b.when(is_one, |b, _| self.call(b, instance, site, view));
        }
    }

    fn search(&self, b: &mut Builder<'_>, site: &Site, stages: &Stages) {
        let ray = operands(b);
        begin(b, site, &ray);
        b.loop_(
            &[],
            &[],
            &[],
            |b, at, _| {
                let bool = b.types().intern(Type::Bool);
                let more = ask(b, site, query::PROCEED, None, bool);
                b.if_else(more, |_, _| {}, |b, _| b.exit(at, &[]));
                self.candidate(b, site, stages, &ray);
            },
            |_, _, _| {},
        );
        let word = b.int_ty(32);
        let kind = ask(b, site, query::KIND, Some(1), word);
        let none = b.u32(0);
        let has_none = b.ieq(kind, none);
        b.if_else(
            has_none,
            |b, _| self.choose(b, &stages.miss, ray.miss, Some(site), View::Missed),
            |b, _| self.taken(b, site, stages, (&ray, kind)),
        );
    }

    /// Asks about a candidate.
    fn candidate(&self, b: &mut Builder<'_>, site: &Site, stages: &Stages, ray: &Operands) {
        let word = b.int_ty(32);
        let record = record(b, site, ray, 0);
        put(b, site.record, record);
        let kind = ask(b, site, query::KIND, Some(0), word);
        let none = b.u32(0);
        let is_triangle = b.ieq(kind, none);
        b.if_else(
            is_triangle,
            |b, _| self.triangle(b, site, stages, record),
            |b, _| self.choose(b, &stages.intersection, record, Some(site), View::Intersection),
        );
    }

    fn triangle(&self, b: &mut Builder<'_>, site: &Site, stages: &Stages, record: Value) {
        let float = b.float_ty(32);
        let kind = face(b, site, 0);
        put(b, site.kind, kind);
        let distance = ask(b, site, query::DISTANCE, Some(0), float);
        put(b, site.distance, distance);
        put_shares(b, site, 0, &site.asked);
        let none = b.u32(0);
        put(b, site.verdict, none);
        self.choose(b, &stages.any, record, Some(site), View::Asked);
        let verdict = held(b, site.verdict);
        let (ignored, ends) = (b.u32(1), b.u32(2));
        let takes = b.ine(verdict, ignored);
        b.when(takes, |b, _| tell(b, site, query::CONFIRM, &[]));
        let ends = b.ieq(verdict, ends);
        b.when(ends, |b, _| tell(b, site, query::END, &[]));
    }

    /// The nearest hit is known.
    fn taken(&self, b: &mut Builder<'_>, site: &Site, stages: &Stages, (ray, kind): (&Operands, Value)) {
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
            self.choose(b, &stages.closest, record, Some(site), View::Taken);
        });
    }

    /// A function that reports a hit within a box: distance and kind; whether it was taken.
    pub(super) fn report(
        &mut self,
        module: &mut Module,
        attributes: Option<GlobalRef>,
        caller: &Caller,
    ) -> FunctionRef {
        let Some(site) = caller.site.clone() else { return FunctionRef(0) };
        let hits = self.pipeline.table.hit.clone();
        let any = self.cases(module, &hits, caller, |group| match group {
            Group::Procedural { any, .. } => any,
            _ => None,
        });
        let name = self.name("report");
        let (word, float) = (module.types.intern(Type::Int(32)), module.types.intern(Type::Float(32)));
        let bool = module.types.intern(Type::Bool);
        let mut b = Builder::new(module, name, &[float, word], bool);
        let (t, kind) = (b.param(0), b.param(1));
        let least = held(&mut b, site.least);
        let most = limit(&mut b, &site);
        let (far, near) = (b.fle(least, t), b.fle(t, most));
        let in_range = b.and(far, near);
        let answer = b.if_(
            in_range,
            &[bool],
            |b, at| {
                let taken = self.reported(b, &site, (&any, attributes), [t, kind]);
                b.exit(at, &[taken]);
            },
            |b, at| {
                let no = b.bool(false);
                b.exit(at, &[no]);
            },
        );
        b.return_value(answer[0]);
        self.finished(b.finish())
    }

    fn reported(
        &self,
        b: &mut Builder<'_>,
        site: &Site,
        (any, attributes): (&[Case], Option<GlobalRef>),
        [t, kind]: [Value; 2],
    ) -> Value {
        let bool = b.types().intern(Type::Bool);
        put(b, site.distance, t);
        put(b, site.kind, kind);
        if let Some(attributes) = attributes {
            store_words(b, attributes, &site.asked);
        }
        let (accepted, ignored, ends) = (b.u32(0), b.u32(1), b.u32(2));
        put(b, site.verdict, accepted);
        let opaque = ask(b, site, query::OPAQUE, None, bool);
        b.if_else(
            opaque,
            |_, _| {},
            |b, _| {
                let record = held(b, site.record);
                self.choose(b, any, record, Some(site), View::Asked);
            },
        );
        let verdict = held(b, site.verdict);
        let takes = b.ine(verdict, ignored);
        b.when(takes, |b, _| {
            tell(b, site, query::GENERATE, &[t]);
            put(b, site.taken_kind, kind);
            for (from, to) in site.asked.iter().zip(&site.taken) {
                let word = held(b, *from);
                put(b, *to, word);
            }
        });
        let ends = b.ieq(verdict, ends);
        b.when(ends, |b, _| {
            tell(b, site, query::END, &[]);
            let yes = b.bool(true);
            put(b, site.ended, yes);
        });
        takes
    }

    /// A function that calls a callable by its number.
    pub(super) fn callable(
        &mut self,
        module: &mut Module,
        (data, number): (GlobalRef, Option<u32>),
        caller: &Caller,
    ) -> FunctionRef {
        let inside = Caller { callables: caller.callables + 1, incoming: Some(data), ..caller.clone() };
        let is_deep = inside.callables > CALLABLES && number.is_none() || inside.callables > 4 * CALLABLES;
        let records = if is_deep { Vec::new() } else { self.pipeline.table.callable.clone() };
        let cases = self.cases_of(module, &records, number, &inside, general);
        let name = self.name("callable");
        let word = module.types.intern(Type::Int(32));
        let void = module.types.intern(Type::Void);
        let mut b = Builder::new(module, name, &[word], void);
        let record = b.param(0);
        self.choose(&mut b, &cases, record, None, View::Launch);
        self.finished(b.finish())
    }
}

/// The stages that a ray may call, by record.
struct Stages {
    closest: Vec<Case>,
    any: Vec<Case>,
    intersection: Vec<Case>,
    miss: Vec<Case>,
}

fn general(group: Group) -> Option<usize> {
    match group {
        Group::General(stage) => Some(stage),
        _ => None,
    }
}

/// Operands, of which the low bits count.
fn operands(b: &mut Builder<'_>) -> Operands {
    let low = |b: &mut Builder<'_>, n: usize, mask: u32| {
        let (value, mask) = (b.param(n), b.u32(mask));
        b.and(value, mask)
    };
    let (mask, offset, stride, miss) = (low(b, 2, 255), low(b, 3, 15), low(b, 4, 15), low(b, 5, 0xffff));
    let rest = [6, 7, 8, 9].map(|n| b.param(n));
    Operands { structure: b.param(0), flags: b.param(1), mask, offset, stride, miss, rest }
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
fn tell(b: &mut Builder<'_>, site: &Site, code: u16, more: &[Value]) {
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
