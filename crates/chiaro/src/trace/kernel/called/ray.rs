//! The search as a function.

use chiaro_ir::rays::query;
use chiaro_ir::{Builder, Function, FunctionRef, GlobalRef, Inst, Module, Space, Ty, Type, Types, Value};
use chiaro_trace::{Group, flags};

use super::super::ray::{general, of_box, of_triangle};
use super::super::search::{Asks, Operands, Role, operands, search, tell};
use super::super::site::{Site, ask, held, put};
use super::super::words::{array, parts, together};
use super::super::{add, variable};
use super::cases::Cases;
use super::class::{self, OPAQUE};
use super::touched::{Touched, sum};
use super::{Called, Task};

/// Whom a search calls, and what was handed over.
struct Stages<'a> {
    called: &'a Called<'a>,
    closest: Cases,
    any: Cases,
    intersection: Cases,
    miss: Cases,
    /// What was handed over: an array of words.
    payload: Option<GlobalRef>,
    words: u32,
    /// How many more rays may be under way.
    left: Option<Value>,
}

/// Numbers of a ray: flags, mask, offset and stride of records, the record of the miss.
const NUMBERS: usize = 5;
/// Searches that are made for rays with numbers of their own.
const MOST: usize = 8;

/// Rays that one function searches for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rays {
    pub structure: GlobalRef,
    /// Words of payload.
    pub words: u32,
    /// Numbers that all of them have.
    known: [Option<u32>; NUMBERS],
}

impl Rays {
    /// Those that one instruction traces.
    pub fn of(module: &Module, f: &Function, inst: Inst, (structure, words): (GlobalRef, u32)) -> Rays {
        let number = |n: usize| module.value_bits(f, f.args(inst)[1 + n]).map(|n| n as u32);
        Rays { structure, words, known: std::array::from_fn(number) }
    }

    /// The same, whatever their numbers are.
    fn any(self) -> Rays {
        Rays { known: [None; NUMBERS], ..self }
    }

    /// What its function is given of operands.
    pub fn given(&self, operands: &[Value]) -> Vec<Value> {
        let operands = operands.iter().enumerate();
        let operands = operands.filter(|(n, _)| !matches!(self.known.get(*n), Some(Some(_))));
        operands.map(|(_, value)| *value).collect()
    }

    fn params(&self, types: &mut Types, counts: bool, touched: &Touched) -> Vec<Ty> {
        let (word, float) = (types.intern(Type::Int(32)), types.intern(Type::Float(32)));
        let three = types.vector(float, 3);
        let unknown = self.known.iter().filter(|number| number.is_none());
        let mut all: Vec<Ty> = array(types, sum(&touched.given)).into_iter().collect();
        all.extend(unknown.map(|_| word));
        all.extend([three, float, three, float]);
        all.extend(counts.then_some(word));
        all
    }

    /// Its operands, from a parameter on.
    fn operands(&self, b: &mut Builder<'_>, first: usize) -> Operands {
        let structure = b.global(self.structure);
        let structure = b.load(structure);
        let mut next = first;
        let mut param = |b: &mut Builder<'_>| {
            next += 1;
            b.param(next - 1)
        };
        let all = std::array::from_fn(|n| match self.known.get(n) {
            Some(Some(number)) => b.u32(*number),
            _ => param(b),
        });
        operands(b, structure, all)
    }

    /// Whether all of them have a flag.
    fn have(&self, flag: u32) -> bool {
        self.known[0].is_some_and(|flags| flags & flag != 0)
    }
}

impl Called<'_> {
    /// The function that searches for some rays, and for which that does.
    pub(super) fn ray(&mut self, module: &mut Module, rays: Rays) -> (FunctionRef, Rays) {
        let rays = match self.rays.len() < MOST || self.rays.contains_key(&rays) {
            true => rays,
            false => rays.any(),
        };
        if let Some(&f) = self.rays.get(&rays) {
            return (f, rays);
        }
        let name = self.maker.function_name(module, "ray");
        let touched = self.touched_by(module, rays);
        let params = rays.params(&mut module.types, self.counts(rays), &touched);
        let back = array(&mut module.types, sum(&touched.written));
        let result = class::whole(&mut module.types, back.as_slice());
        let f = module.declare(name.clone(), &params, result);
        self.kept.push(name);
        self.rays.insert(rays, f);
        self.waiting.push((f, Task::Ray(rays)));
        (f, rays)
    }

    /// Whether stages that rays call trace others, and have to know how many more may be under way.
    pub(super) fn counts(&self, rays: Rays) -> bool {
        let skips = rays.have(flags::SKIP_CLOSEST_HIT);
        self.class(Role::Miss).counts || self.class(Role::Closest).counts && !skips
    }

    /// What stages touch of the payload of rays.
    pub(super) fn touched_by(&mut self, module: &Module, rays: Rays) -> Touched {
        let mut all = Touched::none(rays.words);
        for role in [Role::Closest, Role::Miss, Role::Any, Role::Intersection] {
            all.add(&self.touched(module, role, rays.words));
        }
        all
    }

    /// Builds the search for rays.
    pub(super) fn ray_body(&mut self, module: &mut Module, f: FunctionRef, rays: Rays) {
        let words = rays.words;
        let site = self.maker.site(module);
        let name = self.maker.name("payload");
        let payload = array(&mut module.types, words);
        let payload = payload.map(|ty| add(module, variable(&name, Space::Private, ty)));
        let touched = self.touched_by(module, rays);
        let counts = self.counts(rays);
        let mut stages = self.stages_of(module, rays, payload);
        let mut b = Builder::at(module, f);
        let has_payload = sum(&touched.given) > 0;
        let ray = rays.operands(&mut b, usize::from(has_payload));
        stages.left = b.function().params.last().copied().filter(|_| counts);
        let given = has_payload.then(|| b.param(0));
        let given = touched.take(&mut b, given);
        class::put_words(&mut b, payload, &given);
        stages.begin_attributes(&mut b, &site);
        search(&mut b, &site, &ray, &stages);
        let words = class::held_words(&mut b, payload);
        let back = touched.give_back(&mut b, &words);
        class::give_back(&mut b, back.as_slice());
        let made = b.finish();
        self.finished(made);
    }

    /// The stages that rays may call.
    fn stages_of(&mut self, module: &mut Module, rays: Rays, payload: Option<GlobalRef>) -> Stages<'_> {
        let words = rays.words;
        let none = |_| None;
        let closest = match rays.have(flags::SKIP_CLOSEST_HIT) {
            true => self.cases(module, (Role::Closest, words), None, none),
            false => self.cases(module, (Role::Closest, words), None, Group::closest),
        };
        let any = match rays.have(flags::OPAQUE) {
            true => self.cases(module, (Role::Any, words), None, none),
            false => self.cases(module, (Role::Any, words), None, of_triangle),
        };
        let intersection = self.cases(module, (Role::Intersection, words), None, of_box);
        let miss = rays.known[NUMBERS - 1].map(|number| number & 0xffff);
        let miss = self.cases(module, (Role::Miss, words), miss, general);
        Stages { called: self, closest, any, intersection, miss, payload, words, left: None }
    }
}

impl Asks for Stages<'_> {
    fn ask(&self, b: &mut Builder<'_>, site: &Site, role: Role, record: Value) {
        let cases = match role {
            Role::Closest => &self.closest,
            Role::Any => &self.any,
            Role::Intersection => &self.intersection,
            Role::Miss => &self.miss,
            Role::Launch | Role::Callable => return,
        };
        let args = |b: &mut Builder<'_>| self.args(b, site, role, record);
        cases.call(b, record, args, |b, result| self.conclude(b, site, role, result));
    }
}

impl Stages<'_> {
    /// What a stage is given.
    fn args(&self, b: &mut Builder<'_>, site: &Site, role: Role, record: Value) -> Vec<Value> {
        let class = self.called.class(role);
        let words = class::held_words(b, self.payload);
        let given = self.touched(role).and_then(|touched| touched.give(b, &words));
        let mut all: Vec<Value> = given.into_iter().collect();
        all.extend(class.has_record.then_some(record));
        for &(number, ty) in &class.told {
            all.push(match number {
                OPAQUE => ask(b, site, query::OPAQUE, None, ty),
                _ => {
                    let told = self.called.maker.built_in(b, number, Some(site), role.view(), ty);
                    told.unwrap_or_else(|| b.undef(ty))
                }
            });
        }
        if class.counts {
            all.push(self.left.unwrap_or_else(|| b.u32(0)));
        }
        let words = if role == Role::Any { &site.asked } else { &site.taken };
        let words = &words[..class.attributes as usize];
        let words: Vec<Value> = words.iter().map(|word| held(b, *word)).collect();
        all.extend(together(b, &words));
        all
    }

    /// Attributes that a stage of hits is given are something from the start on: that they are where there is a hit hangs on what
    /// intersection stages have said, which words alone do not show.
    fn begin_attributes(&self, b: &mut Builder<'_>, site: &Site) {
        if self.intersection.is_empty() {
            return;
        }
        let nothing = b.u32(0);
        let taken = &site.taken[..self.called.class(Role::Closest).attributes as usize];
        taken.iter().for_each(|word| put(b, *word, nothing));
    }

    fn touched(&self, role: Role) -> Option<&Touched> {
        self.called.touched.get(&(role, self.words))
    }

    /// What it has said.
    fn conclude(&self, b: &mut Builder<'_>, site: &Site, role: Role, result: Option<Value>) {
        let touched = self.touched(role).filter(|touched| sum(&touched.written) > 0);
        let (said, attributes) = match role {
            Role::Any => (1, 0),
            Role::Intersection => (3, self.called.classes.attributes()),
            _ => (0, 0),
        };
        let count = said + u32::from(attributes > 0) + u32::from(touched.is_some());
        let back = class::given_back(b, result, count);
        let (words, rest) = back.split_at(usize::from(touched.is_some()));
        if let Some(touched) = touched {
            let before = class::held_words(b, self.payload);
            let after = touched.take_back(b, before, words.first().copied());
            class::put_words(b, self.payload, &after);
        }
        match (role, rest) {
            (Role::Any, [verdict, ..]) => put(b, site.verdict, *verdict),
            (Role::Intersection, &[said, distance, kind, ref more @ ..]) => {
                let words = more.first().filter(|_| attributes > 0);
                let words = words.map_or_else(Vec::new, |array| parts(b, *array, attributes));
                reported(b, site, [said, distance, kind], &words);
            }
            _ => {}
        }
    }
}

/// Takes what an intersection stage has found at last: 0 nothing, 1 something, 2 what ends the search.
fn reported(b: &mut Builder<'_>, site: &Site, [said, distance, kind]: [Value; 3], words: &[Value]) {
    let (nothing, ends) = (b.u32(0), b.u32(2));
    let takes = b.ine(said, nothing);
    b.when(takes, |b, _| {
        tell(b, site, query::GENERATE, &[distance]);
        put(b, site.taken_kind, kind);
        words.iter().zip(&site.taken).for_each(|(word, to)| put(b, *to, *word));
    });
    let ends = b.ieq(said, ends);
    b.when(ends, |b, _| tell(b, site, query::END, &[]));
}
