//! Reports of an intersection stage, which keeps for itself what was taken until it is done.

use chiaro_ir::rays::builtin as is;
use chiaro_ir::{Builder, GlobalRef, Module, Space, Ty, Type, Value};

use super::super::ray::of_report;
use super::super::search::Role;
use super::super::site::{held, put};
use super::super::words::{array, gather, together};
use super::super::{add, variable};
use super::Called;
use super::cases::Cases;
use super::class::{self, Class, Given, OPAQUE};
use super::touched::{Touched, sum};

/// Variables of an intersection stage's function.
#[derive(Clone)]
pub struct Report {
    /// What it was told, by number and type; how far hits may be is what was taken last.
    told: Vec<(u32, Ty, GlobalRef)>,
    record: GlobalRef,
    kind: GlobalRef,
    /// 0 until something is taken, 1 then, 2 where that ends the search.
    said: GlobalRef,
    /// What an any-hit stage says.
    verdict: GlobalRef,
    /// Words of attributes of what was taken.
    taken: Vec<GlobalRef>,
    /// The stage's own attributes.
    attributes: Option<GlobalRef>,
    /// What was handed over: an array of words.
    payload: Option<GlobalRef>,
    touched: Touched,
    any: Cases,
    class: Class,
}

impl Called<'_> {
    /// Variables for an intersection stage that so many words are handed over to.
    pub(super) fn report(
        &mut self,
        module: &mut Module,
        attributes: Option<GlobalRef>,
        words: u32,
    ) -> Report {
        let any = self.cases(module, (Role::Any, words), None, of_report);
        let own = self.maker.name("report");
        let (word, count) = (module.types.intern(Type::Int(32)), self.classes.attributes());
        let payload = array(&mut module.types, words);
        let touched = self.touched(module, Role::Any, words);
        let mut one =
            |name: &str, ty: Ty| add(module, variable(&format!("{own}.{name}"), Space::Private, ty));
        let told = &self.classes.of_role(Role::Intersection).told;
        Report {
            told: told.iter().map(|&(number, ty)| (number, ty, one("told", ty))).collect(),
            record: one("record", word),
            kind: one("kind", word),
            said: one("said", word),
            verdict: one("verdict", word),
            taken: (0..count).map(|_| one("taken", word)).collect(),
            attributes,
            payload: payload.map(|ty| one("payload", ty)),
            touched,
            any,
            class: self.class(Role::Any).clone(),
        }
    }
}

impl Report {
    /// Nothing is taken yet.
    pub fn begin(&self, b: &mut Builder<'_>, given: &Given) {
        for (&(_, _, to), &(_, _, value)) in self.told.iter().zip(&given.told) {
            put(b, to, value);
        }
        let nothing = b.u32(0);
        put(b, self.said, nothing);
        put(b, self.kind, nothing);
        self.taken.iter().for_each(|&to| put(b, to, nothing));
        given.record.into_iter().for_each(|record| put(b, self.record, record));
        class::put_words(b, self.payload, &given.payload);
    }

    /// What the stage gives back.
    pub fn end(&self, b: &mut Builder<'_>) -> Vec<Value> {
        let distance = self.variable(is::MOST).unwrap_or(self.kind);
        let words = class::held_words(b, self.payload);
        let mut all: Vec<Value> = self.touched.give_back(b, &words).into_iter().collect();
        all.extend([self.said, distance, self.kind].map(|from| held(b, from)));
        let words: Vec<Value> = self.taken.iter().map(|from| held(b, *from)).collect();
        all.extend(together(b, &words));
        all
    }

    fn variable(&self, number: u32) -> Option<GlobalRef> {
        self.told.iter().find(|(n, ..)| *n == number).map(|(_, _, variable)| *variable)
    }

    /// A hit within the box, at a distance and of a kind; whether it is taken. A stage that has ended the search ends.
    pub fn report(&self, b: &mut Builder<'_>, [distance, kind]: [Value; 2]) -> Value {
        let bool = b.types().intern(Type::Bool);
        let bounds = [is::LEAST, is::MOST].map(|number| self.variable(number).map(|from| held(b, from)));
        let [Some(least), Some(most)] = bounds else { return b.bool(false) };
        let (far, near) = (b.fle(least, distance), b.fle(distance, most));
        let in_range = b.and(far, near);
        let no = b.bool(false);
        let taken = b.choose(in_range, bool, |b| self.asked(b, [distance, kind]), |_| no);
        let (said, ends) = (held(b, self.said), b.u32(2));
        let ends = b.ieq(said, ends);
        b.when(ends, |b, _| b.return_());
        taken
    }

    fn asked(&self, b: &mut Builder<'_>, hit: [Value; 2]) -> Value {
        let words = self.attributes.map_or_else(Vec::new, |from| gather(b, from));
        let (accepts, ignores, ends) = (b.u32(0), b.u32(1), b.u32(2));
        put(b, self.verdict, accepts);
        let opaque = self.variable(OPAQUE).map(|from| held(b, from));
        let opaque = opaque.unwrap_or_else(|| b.bool(false));
        b.if_else(opaque, |_, _| {}, |b, _| self.ask(b, hit, &words));
        let verdict = held(b, self.verdict);
        let takes = b.ine(verdict, ignores);
        b.when(takes, |b, _| self.take(b, hit, &words));
        let is_last = b.ieq(verdict, ends);
        b.when(is_last, |b, _| put(b, self.said, ends));
        takes
    }

    fn take(&self, b: &mut Builder<'_>, [distance, kind]: [Value; 2], words: &[Value]) {
        let something = b.u32(1);
        put(b, self.said, something);
        self.variable(is::MOST).into_iter().for_each(|to| put(b, to, distance));
        put(b, self.kind, kind);
        words.iter().zip(&self.taken).for_each(|(word, to)| put(b, *to, *word));
    }

    /// Asks the any-hit stage of the record.
    fn ask(&self, b: &mut Builder<'_>, hit: [Value; 2], words: &[Value]) {
        let record = held(b, self.record);
        let args = |b: &mut Builder<'_>| self.args(b, record, hit, words);
        self.any.call(b, record, args, |b, result| {
            let writes = sum(&self.touched.written) > 0;
            let back = class::given_back(b, result, 1 + u32::from(writes));
            back.last().into_iter().for_each(|verdict| put(b, self.verdict, *verdict));
            let before = class::held_words(b, self.payload);
            let after = self.touched.take_back(b, before, back.first().copied().filter(|_| writes));
            class::put_words(b, self.payload, &after);
        });
    }

    fn args(&self, b: &mut Builder<'_>, record: Value, hit: [Value; 2], words: &[Value]) -> Vec<Value> {
        let [distance, kind] = hit;
        let payload = class::held_words(b, self.payload);
        let mut all: Vec<Value> = self.touched.give(b, &payload).into_iter().collect();
        all.extend(self.class.has_record.then_some(record));
        for &(number, ty) in &self.class.told {
            let from = self.told.iter().find(|(n, t, _)| (*n, *t) == (number, ty));
            all.push(match number {
                is::MOST | is::DISTANCE => distance,
                is::KIND => kind,
                _ => match from {
                    Some((.., from)) => held(b, *from),
                    None => b.undef(ty),
                },
            });
        }
        let nothing = b.u32(0);
        let words = words.iter().copied().chain(std::iter::repeat(nothing));
        let words: Vec<Value> = words.take(self.class.attributes as usize).collect();
        all.extend(together(b, &words));
        all
    }
}
