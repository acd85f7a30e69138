//! What stages that are called for one reason get and give: their functions have one type.

use chiaro_ir::rays::builtin as is;
use chiaro_ir::{Builder, GlobalRef, Member, Module, Op, Space, Ty, Type, Types, Value, Walk};
use chiaro_trace::{Group, Pipeline, Record};

use super::super::Joined;
use super::super::search::Role;
use super::super::words::{array, count, gather, parts, spread};
use super::depth::Limits;
use super::touched::{Touched, sum};

/// Beside the numbers of built-ins: whether the box that is looked into is opaque.
pub const OPAQUE: u32 = u32::MAX;

/// What a function of one role is given, in this order, behind what was handed over.
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// The number of its record.
    pub has_record: bool,
    /// Built-ins, by number and type.
    pub told: Vec<(u32, Ty)>,
    /// Words of the hit's attributes.
    pub attributes: u32,
    /// Whether it is told how many more rays or callables may be under way.
    pub counts: bool,
}

/// The classes of a pipeline, by role.
pub struct Classes([Class; 6]);

/// Values that a function is given.
pub struct Given {
    pub record: Option<Value>,
    pub told: Vec<(u32, Ty, Value)>,
    pub left: Option<Value>,
    pub attributes: Vec<Value>,
    /// Words of what is handed over.
    pub payload: Vec<Value>,
}

/// The records by whose numbers stages of a role are called.
pub fn records(pipeline: &Pipeline, role: Role) -> &[Record] {
    let table = &pipeline.table;
    match role {
        Role::Launch => std::slice::from_ref(&table.raygen),
        Role::Miss => &table.miss,
        Role::Callable => &table.callable,
        Role::Closest | Role::Any | Role::Intersection => &table.hit,
    }
}

/// The stage of a group that has a role.
pub fn stage_of(group: Group, role: Role) -> Option<usize> {
    match (role, group) {
        (Role::Closest, group) => group.closest(),
        (Role::Any, group) => group.any(),
        (Role::Intersection, Group::Procedural { intersection, .. }) => Some(intersection),
        (Role::Launch | Role::Miss | Role::Callable, Group::General(stage)) => Some(stage),
        _ => None,
    }
}

impl Classes {
    /// What any of the stages of a role asks for, all of them are told.
    pub fn of(joined: &Joined, pipeline: &Pipeline, module: &mut Module, limits: Limits) -> Classes {
        let mut all = Role::ALL.map(|role| {
            let mut class = Class::default();
            for record in records(pipeline, role) {
                let group = record.group.and_then(|group| pipeline.groups.get(group).copied());
                if let Some(stage) = group.and_then(|group| stage_of(group, role)) {
                    class.add(joined, module, stage);
                    let counted = if role == Role::Callable { limits.callables } else { limits.rays };
                    class.counts |= counted.is_some() && goes_deeper(joined, module, (stage, role));
                }
            }
            class
        });
        all[Role::Launch as usize] = Class::default();
        let mut classes = Classes(all);
        classes.hand_on(module);
        classes
    }

    /// Those of intersection stages hand on what any-hit stages ask for, and know of the nearest hit.
    fn hand_on(&mut self, module: &mut Module) {
        let (float, bool) = (module.types.intern(Type::Float(32)), module.types.intern(Type::Bool));
        let any = self.0[Role::Any as usize].clone();
        let own = &mut self.0[Role::Intersection as usize];
        let reported = [is::MOST, is::DISTANCE, is::KIND];
        let more = any.told.iter().copied().filter(|(number, _)| !reported.contains(number));
        let more = more.chain([(is::LEAST, float), (is::MOST, float), (OPAQUE, bool)]);
        more.for_each(|one| own.tell(one));
        own.has_record = true;
        own.attributes = 0;
    }

    pub fn of_role(&self, role: Role) -> &Class {
        &self.0[role as usize]
    }

    /// Words of attributes that an intersection stage gives back.
    pub fn attributes(&self) -> u32 {
        self.of_role(Role::Any).attributes.max(self.of_role(Role::Closest).attributes)
    }

    /// Types of what a function gives back: what was handed over, and what it says of a hit.
    pub fn back(&self, types: &mut Types, role: Role, touched: &Touched) -> Vec<Ty> {
        let (word, float) = (types.intern(Type::Int(32)), types.intern(Type::Float(32)));
        let mut all: Vec<Ty> = array(types, sum(&touched.written)).into_iter().collect();
        match role {
            Role::Launch | Role::Closest | Role::Miss | Role::Callable => {}
            Role::Any => all.push(word),
            Role::Intersection => all.extend([word, float, word]),
        }
        if role == Role::Intersection {
            all.extend(array(types, self.attributes()));
        }
        all
    }
}

impl Class {
    fn add(&mut self, joined: &Joined, module: &Module, stage: usize) {
        let part = &joined.parts[stage];
        let entry = joined.module.entries[part.entries.start].function;
        let used = chiaro_opt::named(module, module.function(entry));
        for (g, _) in used.into_iter().filter(|(g, _)| part.globals.contains(&g.0)) {
            let global = module.global(g);
            match (global.space, global.binding.builtin) {
                (Space::Input, Some(is::LAUNCH | is::SIZE)) => {}
                (Space::Input, Some(number)) => self.tell((number, global.ty)),
                (Space::ShaderRecord, _) => self.has_record = true,
                (Space::HitAttribute, _) => {
                    let words = count(module, global.ty).unwrap_or(0) as u32;
                    self.attributes = self.attributes.max(words);
                }
                _ => {}
            }
        }
    }

    fn tell(&mut self, one: (u32, Ty)) {
        if !self.told.contains(&one) {
            self.told.push(one);
        }
    }

    /// Types of parameters of a function that touches some words of what is handed over. These are the first everywhere, so
    /// that they stay where they are from one function to the next.
    pub fn params(&self, module: &mut Module, touched: &Touched) -> Vec<Ty> {
        let word = module.types.intern(Type::Int(32));
        let mut all: Vec<Ty> = array(&mut module.types, sum(&touched.given)).into_iter().collect();
        all.extend(self.has_record.then_some(word));
        all.extend(self.told.iter().map(|(_, ty)| *ty));
        all.extend(self.counts.then_some(word));
        all.extend(array(&mut module.types, self.attributes));
        all
    }

    /// The parameters as values.
    pub fn given(&self, b: &mut Builder<'_>, touched: &Touched) -> Given {
        let count = b.function().params.len();
        let all: Vec<Value> = (0..count).map(|n| b.param(n)).collect();
        let mut all = all.into_iter();
        let payload = if sum(&touched.given) > 0 { all.next() } else { None };
        let payload = touched.take(b, payload);
        let record = if self.has_record { all.next() } else { None };
        let told = self.told.iter().zip(all.by_ref());
        let told = told.map(|(&(number, ty), value)| (number, ty, value)).collect();
        let left = if self.counts { all.next() } else { None };
        let attributes = if self.attributes > 0 { all.next() } else { None };
        let attributes = attributes.map_or_else(Vec::new, |array| parts(b, array, self.attributes));
        Given { record, told, left, attributes, payload }
    }
}

/// Whether a stage traces, or a callable calls others.
fn goes_deeper(joined: &Joined, module: &Module, (stage, role): (usize, Role)) -> bool {
    let wanted = if role == Role::Callable { Op::ExecuteCallable } else { Op::TraceRay };
    let entry = joined.module.entries[joined.parts[stage].entries.start].function;
    let function = module.function(entry);
    Walk::insts(function).any(|inst| function.op(inst) == wanted)
}

/// What becomes of several values that are given back together.
pub fn whole(types: &mut Types, back: &[Ty]) -> Ty {
    match *back {
        [] => types.intern(Type::Void),
        [one] => one,
        _ => {
            let members = back.iter().map(|&ty| Member { ty, name: String::new(), offset: None });
            let members = members.collect();
            types.intern(Type::Struct(String::new(), members))
        }
    }
}

/// Values that are given back, together.
pub fn give_back(b: &mut Builder<'_>, values: &[Value]) {
    match *values {
        [] => b.return_(),
        [one] => b.return_value(one),
        _ => {
            let types: Vec<Ty> = values.iter().map(|&value| b.ty(value)).collect();
            let ty = whole(b.types(), &types);
            let whole = b.construct(ty, values);
            b.return_value(whole);
        }
    }
}

/// So many values that a call has given back.
pub fn given_back(b: &mut Builder<'_>, result: Option<Value>, count: u32) -> Vec<Value> {
    match (result, count) {
        (None, _) | (_, 0) => Vec::new(),
        (Some(one), 1) => vec![one],
        (Some(whole), _) => parts(b, whole, count),
    }
}

/// All words of a variable that is an array of them.
pub fn held_words(b: &mut Builder<'_>, from: Option<GlobalRef>) -> Vec<Value> {
    from.map_or_else(Vec::new, |from| gather(b, from))
}

/// Puts words into such a variable.
pub fn put_words(b: &mut Builder<'_>, to: Option<GlobalRef>, words: &[Value]) {
    to.into_iter().for_each(|to| spread(b, words, to));
}
