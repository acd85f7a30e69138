//! A stage as a function.

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use chiaro_ir::rays::builtin as is;
use chiaro_ir::{Builder, Def, Function, FunctionRef, GlobalRef, Inst, Module, Op, Space, Type, Value, Walk};
use chiaro_opt::inline_calls_of;
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, rewrite};
use chiaro_trace::Record;

use super::super::instance::{Calls, Copying, end_hits};
use super::super::ray::general;
use super::super::search::Role;
use super::super::site::{Caller, held, put};
use super::super::told::View;
use super::super::words::{constant, gather, spread};
use super::super::{Map, add, variable};
use super::Called;
use super::cases::Cases;
use super::class::{self, Given, stage_of};
use super::depth::{Deeper, call_deeper};
use super::ray::Rays;
use super::report::Report;
use super::touched::Touched;

/// Where a stage's function finds what it is given, and what it gives back.
struct Frame {
    built_in: Vec<(GlobalRef, u32)>,
    attributes: Option<GlobalRef>,
    incoming: Option<GlobalRef>,
    verdict: GlobalRef,
    /// How many more rays may be under way; of a callable, callables.
    left: Option<GlobalRef>,
    report: Option<Report>,
    /// The stage's record blocks, which hold the data of its first record from the start.
    blocks: Vec<GlobalRef>,
    /// The records that name the stage, by their numbers.
    records: Vec<(u32, Record)>,
}

impl Called<'_> {
    /// Builds the function of a stage.
    pub(super) fn stage_body(
        &mut self,
        module: &mut Module,
        f: FunctionRef,
        (stage, role, words): (usize, Role, u32),
    ) {
        let part = self.maker.joined.parts[stage].clone();
        let entry = self.maker.joined.module.entries[part.entries.start].function;
        let records = self.records_of(stage, role);
        let (_, first) = records.first().cloned().unwrap_or_default();
        let caller = Caller { depth: 1, callables: 0, incoming: None, site: None };
        let (map, built_in, attributes) = self.maker.variables(module, part.globals.clone(), &first, &caller);
        let word = module.types.intern(Type::Int(32));
        let name = self.maker.name("verdict");
        let verdict = add(module, variable(&name, Space::Private, word));
        let left = self.class(role).counts.then(|| {
            let name = self.maker.name("left");
            add(module, variable(&name, Space::Private, word))
        });
        let report = (role == Role::Intersection).then(|| self.report(module, attributes, words));
        let of = |wanted: &[Space]| -> Vec<GlobalRef> {
            let own = part.globals.clone().map(GlobalRef);
            own.filter(|g| wanted.contains(&module.global(*g).space)).collect()
        };
        let incoming = of(&[Space::IncomingPayload, Space::IncomingCallableData]);
        let incoming = incoming.first().and_then(|g| map.get(g).copied());
        let blocks = of(&[Space::ShaderRecord]).iter().filter_map(|g| map.get(g).copied()).collect();
        let frame = Frame { built_in, attributes, incoming, verdict, left, report, blocks, records };
        let copy = self.copy(module, (entry, role), map, &frame);
        self.wrap(module, (f, copy), (role, words), &frame);
    }

    /// The records that name a stage, each with its number.
    fn records_of(&self, stage: usize, role: Role) -> Vec<(u32, Record)> {
        let named = |record: &Record| self.picked(record, &|group| stage_of(group, role)) == Some(stage);
        let all = (0..).zip(self.records(role));
        all.filter(|(_, record)| named(record)).map(|(n, record)| (n, record.clone())).collect()
    }

    /// A copy of the stage, on variables of its own.
    fn copy(
        &mut self,
        module: &mut Module,
        (entry, role): (FunctionRef, Role),
        map: Map,
        frame: &Frame,
    ) -> FunctionRef {
        let mut copy = module.function(entry).clone();
        copy.name = self.maker.function_name(module, &copy.name);
        module.functions.push(copy);
        let f = FunctionRef(module.functions.len() as u32 - 1);
        end_hits(module, f, frame.verdict);
        let plans = self.plans(module, f, &map);
        let has_record = self.class(Role::Callable).has_record;
        let [rays, callables] = self.limits.deeper(role, frame.left);
        let calls = Calling { plans, has_record, rays, callables, report: frame.report.clone() };
        let _changed = rewrite(module, f, Copying { map, calls });
        f
    }

    /// Whom a stage calls.
    fn plans(&mut self, module: &mut Module, f: FunctionRef, map: &Map) -> HashMap<Inst, Plan> {
        let function = module.function(f).clone();
        let mut plans = HashMap::new();
        for inst in Walk::insts(&function) {
            let plan = match function.op(inst) {
                Op::TraceRay => self.plan_of_ray(module, &function, inst, map),
                Op::ExecuteCallable => self.plan_of_callable(module, &function, inst, map),
                Op::ReportHit => Some(Plan::Report),
                _ => None,
            };
            plans.extend(plan.map(|plan| (inst, plan)));
        }
        plans
    }

    fn plan_of_ray(&mut self, module: &mut Module, f: &Function, inst: Inst, map: &Map) -> Option<Plan> {
        let place = f.args(inst).last().copied();
        let payload = self.maker.handed(module, f, (inst, place), map)?;
        let words = self.size(module, payload);
        let Some(structure) = structure_of(module, f, f.args(inst)[0]) else {
            let message = "a ray through an acceleration structure out of an array is not compiled";
            let error = Diagnostic::error(f.inst(inst).span, message);
            self.maker.errors.push(error.help("bind each structure by itself"));
            return None;
        };
        let structure = map.get(&structure).copied().unwrap_or(structure);
        let rays = Rays::of(module, f, inst, (structure, words));
        let (f, rays) = self.ray(module, rays);
        let touched = self.touched_by(module, rays);
        Some(Plan::Ray(Search { f, rays, counts: self.counts(rays), payload, touched }))
    }

    fn plan_of_callable(&mut self, module: &mut Module, f: &Function, inst: Inst, map: &Map) -> Option<Plan> {
        let place = f.args(inst).last().copied();
        let data = self.maker.handed(module, f, (inst, place), map)?;
        let words = self.size(module, data);
        let number = module.value_bits(f, f.args(inst)[0]).map(|n| n as u32);
        let cases = self.cases(module, (Role::Callable, words), number, general);
        let touched = self.touched(module, Role::Callable, words);
        Some(Plan::Callable(Callable { cases, counts: self.class(Role::Callable).counts, data, touched }))
    }

    /// The function itself: what it is given goes to variables, and what they hold then is given back.
    fn wrap(
        &mut self,
        module: &mut Module,
        (f, copy): (FunctionRef, FunctionRef),
        (role, words): (Role, u32),
        frame: &Frame,
    ) {
        let touched = self.touched(module, role, words);
        let class = self.class(role).clone();
        let mut b = Builder::at(module, f);
        let given = class.given(&mut b, &touched);
        self.tell(&mut b, frame, &given);
        self.fill(&mut b, frame, given.record);
        let _ = b.call(copy, &[]);
        let mut back = Vec::new();
        if let Some(report) = &frame.report {
            back.extend(report.end(&mut b));
        } else {
            let words = frame.incoming.map(|incoming| gather(&mut b, incoming));
            let words = words.unwrap_or(given.payload);
            back.extend(touched.give_back(&mut b, &words));
        }
        if role == Role::Any {
            back.push(held(&mut b, frame.verdict));
        }
        class::give_back(&mut b, &back);
        let made = b.finish();
        self.finished(made);
        // The copy may lead back here by whom it calls.
        inline_calls_of(module, f, copy);
    }

    /// What a stage is given goes to where it looks for it.
    fn tell(&self, b: &mut Builder<'_>, frame: &Frame, given: &Given) {
        for &(variable, number) in &frame.built_in {
            let ty = b.module().global(variable).ty;
            let told = given.told.iter().find(|(n, t, _)| (*n, *t) == (number, ty));
            let value = match number {
                is::LAUNCH | is::SIZE => self.maker.built_in(b, number, None, View::Launch, ty),
                _ => told.map(|(.., value)| *value),
            };
            value.into_iter().for_each(|value| put(b, variable, value));
        }
        let nothing = b.u32(0);
        put(b, frame.verdict, nothing);
        frame.left.zip(given.left).into_iter().for_each(|(variable, left)| put(b, variable, left));
        if let (Some(to), false) = (frame.attributes, given.attributes.is_empty()) {
            spread(b, &given.attributes, to);
        }
        class::put_words(b, frame.incoming, &given.payload);
        frame.report.iter().for_each(|report| report.begin(b, given));
    }

    /// Fills the record block of a stage; that of the first record it has from the start.
    fn fill(&self, b: &mut Builder<'_>, frame: &Frame, number: Option<Value>) {
        let Some((number, (_, first))) = number.zip(frame.records.first()) else { return };
        for (n, record) in frame.records.iter().filter(|(_, record)| record.data != first.data) {
            let n = b.u32(*n);
            let is_own = b.ieq(number, n);
            b.when(is_own, |b, _| frame.blocks.iter().for_each(|&block| self.fill_with(b, block, record)));
        }
    }

    fn fill_with(&self, b: &mut Builder<'_>, block: GlobalRef, record: &Record) {
        let ty = b.module().global(block).ty;
        if let Some(data) = constant(b.module(), self.maker.layouts, ty, &record.data) {
            let data = b.constant(data);
            put(b, block, data);
        }
    }
}

/// The variable that a structure is loaded from.
fn structure_of(module: &Module, f: &Function, value: Value) -> Option<GlobalRef> {
    let Def::Result(inst, _) = f.def(value) else { return None };
    let pointer = *f.args(inst).first().filter(|_| f.op(inst) == Op::Load)?;
    module.variable_at(f, pointer)
}

/// Whom an instruction calls.
#[derive(Clone)]
enum Plan {
    Ray(Search),
    Callable(Callable),
    Report,
}

/// A search, for which rays, the variable that is handed over, and what of that is touched.
#[derive(Clone)]
struct Search {
    f: FunctionRef,
    rays: Rays,
    counts: bool,
    payload: GlobalRef,
    touched: Touched,
}

impl Search {
    fn call(&self, b: &mut Builder<'_>, operands: &[Value], left: Option<Value>) {
        let words = gather(b, self.payload);
        let given = self.touched.give(b, &words).into_iter();
        let left = left.filter(|_| self.counts);
        let args: Vec<Value> = given.chain(self.rays.given(operands)).chain(left).collect();
        let result = b.call(self.f, &args);
        let after = self.touched.take_back(b, words, result);
        spread(b, &after, self.payload);
    }
}

/// A callable by its number, with the same.
#[derive(Clone)]
struct Callable {
    cases: Cases,
    counts: bool,
    data: GlobalRef,
    touched: Touched,
}

impl Callable {
    fn call(&self, b: &mut Builder<'_>, (number, has_record): (Value, bool), left: Option<Value>) {
        let words = gather(b, self.data);
        let given = |b: &mut Builder<'_>| {
            let mut all: Vec<Value> = self.touched.give(b, &words).into_iter().collect();
            all.extend(has_record.then_some(number));
            all.extend(left.filter(|_| self.counts));
            all
        };
        self.cases.call(b, number, given, |b, result| {
            let after = self.touched.take_back(b, words.clone(), result);
            spread(b, &after, self.data);
        });
    }
}

/// Calls of functions that are there once.
struct Calling {
    plans: HashMap<Inst, Plan>,
    /// Whether callables are told their records.
    has_record: bool,
    /// What is counted of rays and of callables.
    rays: Option<Deeper>,
    callables: Option<Deeper>,
    report: Option<Report>,
}

impl Calls for Calling {
    fn replace(r: &mut Rewrite<'_, Copying<Self>>, inst: Inst, _: Op) -> Replaced {
        let Some(plan) = r.rule.calls.plans.get(&inst).cloned() else { return Replaced::Copy };
        let args = r.args(inst);
        match plan {
            Plan::Ray(ray) => {
                let deeper = r.rule.calls.rays;
                call_deeper(&mut r.b, deeper, |b, left| ray.call(b, &args[1..args.len() - 1], left));
                Replaced::Gone
            }
            Plan::Callable(callable) => {
                let (deeper, has_record) = (r.rule.calls.callables, r.rule.calls.has_record);
                let number = args[0];
                call_deeper(&mut r.b, deeper, |b, left| callable.call(b, (number, has_record), left));
                Replaced::Gone
            }
            Plan::Report => match r.rule.calls.report.clone() {
                Some(report) => Replaced::By(report.report(&mut r.b, [args[0], args[1]])),
                None => Replaced::Copy,
            },
        }
    }
}
