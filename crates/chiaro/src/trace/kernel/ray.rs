//! Functions for rays: the search with the stages that it asks, reports of boxes, callables.

use chiaro_diag::Diagnostic;
use chiaro_ir::rays::{query, trap};
use chiaro_ir::{Builder, FunctionRef, GlobalRef, Mistake, Module, Op, Space, Ty, Type, Value};
use chiaro_trace::{Group, Record};

use super::instance::Instance;
use super::search::{Asks, Role, operands, search, tell};
use super::site::{Caller, Site, ask, held, put};
use super::told::{View, limit};
use super::words::{count, store_words};
use super::{CALLABLES, Maker};

/// Records that call the same, and the copy for them.
type Case = (Vec<u32>, Instance);

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
            any: self.cases(module, &hits, &inside, of_triangle),
            intersection: self.cases(module, &hits, &inside, of_box),
            miss: self.cases_of(module, &misses, miss, &inside, general),
        };
        let name = self.name("trace");
        let (word, float) = (module.types.intern(Type::Int(32)), module.types.intern(Type::Float(32)));
        let three = module.types.vector(float, 3);
        let params = [structure, word, word, word, word, word, three, float, three, float];
        let void = module.types.intern(Type::Void);
        let mut b = Builder::new(module, name, &params, void);
        if is_deep {
            b.op_void(Op::Trap(trap::RAYS), &[]);
        } else {
            let structure = b.param(0);
            let all = std::array::from_fn(|n| b.param(1 + n));
            let ray = operands(&mut b, structure, all);
            search(&mut b, &site, &ray, &Written { maker: self, stages: &stages });
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
            let Some(stage) = group.and_then(&stage) else { continue };
            if !self.fits(module, stage, caller) {
                self.misses |= self.is_as_large(module, stage, caller);
                continue;
            }
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
        let given = caller.incoming.map(|g| module.global(g).ty);
        self.taken(module, stage).into_iter().all(|ty| given.is_none_or(|given| given == ty))
    }

    /// Whether a stage takes something else of the same size, so that a ray may reach it.
    fn is_as_large(&self, module: &Module, stage: usize, caller: &Caller) -> bool {
        let given = caller.incoming.map(|g| module.global(g).ty);
        let same = |ty: Ty| given.is_none_or(|given| count(module, given) == count(module, ty));
        self.taken(module, stage).into_iter().all(same)
    }

    /// Types of what a stage is handed.
    fn taken(&self, module: &Module, stage: usize) -> Vec<Ty> {
        let part = self.joined.parts[stage].globals.clone();
        let takes = |g: &u32| {
            let space = module.globals[*g as usize].space;
            matches!(space, Space::IncomingPayload | Space::IncomingCallableData)
        };
        part.filter(takes).map(|g| module.globals[g as usize].ty).collect()
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

    /// A function that reports a hit within a box: distance and kind; whether it was taken.
    pub(super) fn report(
        &mut self,
        module: &mut Module,
        attributes: Option<GlobalRef>,
        caller: &Caller,
    ) -> FunctionRef {
        let Some(site) = caller.site.clone() else { return FunctionRef(0) };
        let hits = self.pipeline.table.hit.clone();
        let any = self.cases(module, &hits, caller, of_report);
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
        self.misses |= is_deep;
        let cases = self.cases_of(module, &records, number, &inside, general);
        let name = self.name("callable");
        let word = module.types.intern(Type::Int(32));
        let void = module.types.intern(Type::Void);
        let mut b = Builder::new(module, name, &[word], void);
        let record = b.param(0);
        self.choose(&mut b, &cases, record, None, View::Launch);
        if is_deep {
            b.op_void(Op::Trap(trap::CALLABLES), &[]);
        }
        self.finished(b.finish())
    }
}

/// Stages that are written out where they are called.
struct Written<'a> {
    maker: &'a Maker<'a>,
    stages: &'a Stages,
}

impl Asks for Written<'_> {
    fn ask(&self, b: &mut Builder<'_>, site: &Site, role: Role, record: Value) {
        let cases = match role {
            Role::Closest => &self.stages.closest,
            Role::Any => &self.stages.any,
            Role::Intersection => &self.stages.intersection,
            Role::Miss => &self.stages.miss,
            Role::Launch | Role::Callable => return,
        };
        self.maker.choose(b, cases, record, Some(site), role.view());
    }
}

/// The stages that a ray may call, by record.
struct Stages {
    closest: Vec<Case>,
    any: Vec<Case>,
    intersection: Vec<Case>,
    miss: Vec<Case>,
}

/// The stage of a group that is called by itself.
pub fn general(group: Group) -> Option<usize> {
    match group {
        Group::General(stage) => Some(stage),
        _ => None,
    }
}

/// The stage that is asked about a triangle.
pub fn of_triangle(group: Group) -> Option<usize> {
    match group {
        Group::Triangles { any, .. } => any,
        _ => None,
    }
}

/// The stage that looks into a box.
pub fn of_box(group: Group) -> Option<usize> {
    match group {
        Group::Procedural { intersection, .. } => Some(intersection),
        _ => None,
    }
}

/// The stage that is asked about what is in a box.
pub fn of_report(group: Group) -> Option<usize> {
    match group {
        Group::Procedural { any, .. } => any,
        _ => None,
    }
}
