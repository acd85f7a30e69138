//! Stages as functions: each is written once, and called where a record or a number names it.
//!
//! ```text
//! fn @launch()                          the ray generation stage
//!   %2 = call @ray(%1, flags, mask, ..)
//! fn @ray(payload, flags, mask, ..)     the search, and whom it asks
//!   %7 = call_indirect %6, payload, told, attributes        any-hit and intersection stages, while it goes on
//!   %9 = call_indirect %8, payload, told, attributes        the nearest hit, or the miss
//!   return %9
//! ```
//!
//! - What is handed over travels as words, in and out, so that stages that declare one payload in different ways find it,
//!   and memory of one function is never another's. Rays with payloads of different size are searched by functions of
//!   their own: who has three words does not carry forty. So are rays whose flags and numbers are other constants, as
//!   long as they are few: who only asks whether something is in the way asks no stage about it.
//! - Of these words only those travel that some stage looks at, and come back that some stage writes.
//! - Stages that are called for one reason have one type: they are told what any of them asks for. A record is a number,
//!   by which the caller chooses the function, and the stage the data of its record.
//! - An intersection stage knows how near the nearest hit is, keeps what it has reported itself, and gives back the last
//!   that was taken; so the query stays where the search is.
//! - Variables of a stage are those of its function, new at each call.
//! - Where stages may call each other deeper than there is room for, those that trace or call others are told how many
//!   more may be open, and a ray or callable beyond that is a trap in place of a call ([`depth`]).

mod cases;
mod class;
mod depth;
mod ray;
mod report;
mod stage;
mod touched;

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use chiaro_ir::{FunctionRef, GlobalRef, Mistake, Module, Space};
use chiaro_opt::to_locals;
use chiaro_trace::{Group, Record};

use super::Maker;
use super::search::Role;
use super::words::count;
use cases::Cases;
use class::{Class, Classes};
use depth::Limits;
use ray::Rays;
use touched::Touched;

/// What functions of stages are made with.
pub struct Called<'a> {
    maker: Maker<'a>,
    classes: Classes,
    /// By stage, reason of the call and words that are handed over.
    stages: HashMap<(usize, Role, u32), FunctionRef>,
    /// Searches.
    rays: HashMap<Rays, FunctionRef>,
    /// What stages touch of so many words that are handed over.
    touched: HashMap<(Role, u32), Touched>,
    /// Functions without a body.
    waiting: Vec<(FunctionRef, Task)>,
    /// Names of all that stay functions.
    kept: Vec<String>,
    /// How deep rays and callables may be within each other.
    limits: Limits,
}

/// What becomes the body of a function.
#[derive(Clone, Copy)]
enum Task {
    Stage(usize, Role, u32),
    Ray(Rays),
}

/// Functions of a pipeline.
pub struct Made {
    pub module: Module,
    /// That of the launch.
    pub main: FunctionRef,
    /// Names of those that stay functions.
    pub kept: Vec<String>,
    /// Callables that call each other, and how many of them may be open at once in all.
    pub together: Option<(Vec<String>, u32)>,
}

/// Makes functions of all stages that a launch reaches, each of which may be open so often: at first those that count
/// nothing, which are enough where stages cannot call each other deeper than that.
///
/// # Errors
/// What cannot be handed over.
pub fn called(maker: Maker<'_>, module: Module, raygen: usize, open: u32) -> Result<Made, Vec<Diagnostic>> {
    let most = maker.pipeline.depth.max(1).min(open);
    let plain = Called::made(maker.clone(), module.clone(), raygen, Limits::default())?;
    match plain.limits(most, open) {
        limits if limits == Limits::default() => Ok(plain.made),
        limits => {
            let counted = Called::made(maker, module, raygen, limits)?;
            let together = limits.callables.map(|most| (counted.callables(), most));
            Ok(Made { together, ..counted.made })
        }
    }
}

/// Functions of stages, and which of them are what.
struct Built {
    made: Made,
    rays: Vec<FunctionRef>,
    callables: Vec<FunctionRef>,
}

impl Called<'_> {
    fn made(
        maker: Maker<'_>,
        mut module: Module,
        raygen: usize,
        limits: Limits,
    ) -> Result<Built, Vec<Diagnostic>> {
        let classes = Classes::of(maker.joined, maker.pipeline, &mut module, limits);
        let mut all = Called {
            maker,
            classes,
            stages: HashMap::new(),
            rays: HashMap::new(),
            touched: HashMap::new(),
            waiting: Vec::new(),
            kept: Vec::new(),
            limits,
        };
        // A launch finds its number where it comes from: each function asks for itself.
        all.maker.id.private = all.maker.id.invocation;
        let start = all.stage(&mut module, raygen, Role::Launch, 0);
        all.bodies(&mut module);
        let main = all.maker.launch(&mut module, |_, b, _| _ = b.call(start, &[]));
        let main =
            main.map_err(|why| vec![Diagnostic::mistake(format!("a launch cannot be built: {why}"))])?;
        if !all.maker.errors.is_empty() {
            return Err(all.maker.errors);
        }
        let callables = all.stages.iter().filter(|((_, role, _), _)| *role == Role::Callable);
        let callables = callables.map(|(_, f)| *f).collect();
        let rays = all.rays.values().copied().collect();
        Ok(Built { made: Made { module, main, kept: all.kept, together: None }, rays, callables })
    }

    /// Builds all functions that are asked for, and those that they ask for.
    fn bodies(&mut self, module: &mut Module) {
        while let Some((f, task)) = self.waiting.pop() {
            let before = module.globals.len() as u32;
            match task {
                Task::Stage(stage, role, words) => self.stage_body(module, f, (stage, role, words)),
                Task::Ray(rays) => self.ray_body(module, f, rays),
            }
            own_variables(module, f, before);
        }
    }
}

impl Called<'_> {
    /// The function of a stage.
    fn stage(&mut self, module: &mut Module, stage: usize, role: Role, words: u32) -> FunctionRef {
        if let Some(&f) = self.stages.get(&(stage, role, words)) {
            return f;
        }
        let entry = self.maker.joined.parts[stage].entries.start;
        let own = self.maker.joined.module.entries[entry].name.clone();
        let name = self.maker.function_name(module, &own);
        let touched = self.touched(module, role, words);
        let params = self.class(role).params(module, &touched);
        let back = self.classes.back(&mut module.types, role, &touched);
        let result = class::whole(&mut module.types, &back);
        let f = module.declare(name.clone(), &params, result);
        if role != Role::Launch {
            self.kept.push(name);
        }
        self.stages.insert((stage, role, words), f);
        self.waiting.push((f, Task::Stage(stage, role, words)));
        f
    }

    /// The stages of a role that records name, of those that take so many words; or that of one record.
    fn cases(
        &mut self,
        module: &mut Module,
        (role, words): (Role, u32),
        only: Option<u32>,
        pick: impl Fn(Group) -> Option<usize>,
    ) -> Cases {
        let records = self.records(role).to_vec();
        let mut found = Cases::new(records.len());
        for (n, record) in (0..).zip(&records) {
            let Some(stage) = self.picked(record, &pick) else { continue };
            if only.is_none_or(|only| only == n) && self.takes(module, stage, words) {
                let f = self.stage(module, stage, role, words);
                found.add(n, f);
            }
        }
        if only.is_some() { found.known() } else { found }
    }

    /// The records by whose numbers stages are called.
    fn records(&self, role: Role) -> &[Record] {
        class::records(self.maker.pipeline, role)
    }

    fn picked(&self, record: &Record, pick: &impl Fn(Group) -> Option<usize>) -> Option<usize> {
        pick(*self.maker.pipeline.groups.get(record.group?)?)
    }

    /// Whether a stage takes so many words, or does not ask for any.
    fn takes(&mut self, module: &Module, stage: usize, words: u32) -> bool {
        self.taken(module, stage).into_iter().all(|g| self.size(module, g) == words)
    }

    /// The variables in which a stage finds what is handed over.
    fn taken(&self, module: &Module, stage: usize) -> Vec<GlobalRef> {
        let part = self.maker.joined.parts[stage].globals.clone().map(GlobalRef);
        let is_taken = |space| matches!(space, Space::IncomingPayload | Space::IncomingCallableData);
        part.filter(|&g| is_taken(module.global(g).space)).collect()
    }

    /// What stages of a role touch of so many words.
    fn touched(&mut self, module: &Module, role: Role, words: u32) -> Touched {
        if let Some(known) = self.touched.get(&(role, words)) {
            return known.clone();
        }
        // What is within a box any-hit stages are asked about.
        let asked = if role == Role::Intersection { Role::Any } else { role };
        let mut all = Touched::none(words);
        for record in self.records(asked).to_vec() {
            let Some(stage) = self.picked(&record, &|group| class::stage_of(group, asked)) else { continue };
            if self.takes(module, stage, words) {
                let entry =
                    self.maker.joined.module.entries[self.maker.joined.parts[stage].entries.start].function;
                let taken = self.taken(module, stage).into_iter();
                taken.for_each(|g| all.add(&Touched::of(module, module.function(entry), g)));
            }
        }
        self.touched.insert((role, words), all.clone());
        all
    }

    /// Words of a variable that is handed over.
    fn size(&mut self, module: &Module, g: GlobalRef) -> u32 {
        let global = module.global(g);
        if let Some(count) = count(module, global.ty) {
            return count as u32;
        }
        let is_told = self.maker.errors.iter().any(|error| error.span.is_some() && error.span == global.span);
        if !is_told {
            let message = "what is handed over to stages that are called travels as numbers";
            let help = "hand over no pointers; or let the stages be inlined";
            self.maker.errors.push(Diagnostic::error(global.span, message).help(help));
        }
        0
    }

    fn finished(&mut self, made: Result<FunctionRef, Mistake>) {
        if let Err(why) = made {
            self.maker.errors.push(Diagnostic::mistake(format!("a stage cannot be built: {why}")));
        }
    }

    fn class(&self, role: Role) -> &Class {
        self.classes.of_role(role)
    }
}

/// Private variables that were made for the body of a function become its own.
fn own_variables(module: &mut Module, f: FunctionRef, before: u32) {
    let new = (before..module.globals.len() as u32).map(GlobalRef);
    let own: Vec<GlobalRef> = new.filter(|&g| module.global(g).space == Space::Private).collect();
    to_locals(module, f, &own);
}
