//! A copy of a stage, for one place that calls it.

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use chiaro_ir::{
    Constant, ConstantKind, Function, FunctionRef, Global, GlobalRef, Inst, Module, Op, Space, Ty, Type,
    Value, Walk,
};
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, rewrite};
use chiaro_trace::Record;

use super::site::{ATTRIBUTES, Caller, Site};
use super::words::{constant, travels};
use super::{Maker, Map, add};

/// A copy of a stage.
#[derive(Clone, Debug)]
pub struct Instance {
    pub function: FunctionRef,
    /// Variables that are told something, with SPIR-V's number.
    pub built_in: Vec<(GlobalRef, u32)>,
    /// The variable of the hit's attributes.
    pub attributes: Option<GlobalRef>,
}

impl Maker<'_> {
    /// Makes a copy of a stage.
    pub(super) fn instance(
        &mut self,
        module: &mut Module,
        stage: usize,
        record: &Record,
        caller: &Caller,
    ) -> Instance {
        let part = &self.joined.parts[stage];
        let entry = &self.joined.module.entries[part.entries.start];
        let (map, built_in, attributes) = self.variables(module, part.globals.clone(), record, caller);
        let mut copy = module.function(entry.function).clone();
        copy.name = self.name(&entry.name);
        module.functions.push(copy);
        let function = FunctionRef(module.functions.len() as u32 - 1);
        if let Some(site) = &caller.site {
            end_hits(module, function, site.verdict);
        }
        let calls = match self.has_room() {
            true => self.calls(module, function, (&map, attributes), caller),
            false => HashMap::new(),
        };
        let calls = Written { calls, site: caller.site.clone() };
        let _changed = rewrite(module, function, Copying { map, calls });
        Instance { function, built_in, attributes }
    }

    /// What stands for the variables of a stage: private ones, but for those that all stages share.
    pub(super) fn variables(
        &mut self,
        module: &mut Module,
        own: std::ops::Range<u32>,
        record: &Record,
        caller: &Caller,
    ) -> (Map, Vec<(GlobalRef, u32)>, Option<GlobalRef>) {
        let (mut map, mut built_in, mut attributes) = (Map::new(), Vec::new(), None);
        for g in own.map(GlobalRef) {
            let global = module.global(g).clone();
            let stands = match global.space {
                Space::IncomingPayload | Space::IncomingCallableData => {
                    caller.incoming.unwrap_or_else(|| self.private(module, &global, global.init))
                }
                Space::ShaderRecord => {
                    let init = constant(module, self.layouts, global.ty, &record.data);
                    self.private(module, &global, init)
                }
                Space::Private
                | Space::Payload
                | Space::CallableData
                | Space::HitAttribute
                | Space::Input => self.private(module, &global, global.init),
                _ => self.joint(module, g),
            };
            if let (Space::Input, Some(number)) = (global.space, global.binding.builtin) {
                built_in.push((stands, number));
            }
            if global.space == Space::HitAttribute {
                self.check_attributes(module, &global);
                attributes = Some(stands);
            }
            map.insert(g, stands);
        }
        (map, built_in, attributes)
    }

    pub(super) fn private(
        &mut self,
        module: &mut Module,
        global: &Global,
        init: Option<Constant>,
    ) -> GlobalRef {
        let name = self.name(&global.name);
        let mut own = super::variable(&name, Space::Private, global.ty);
        own.init = init;
        add(module, own)
    }

    fn check_attributes(&mut self, module: &Module, global: &Global) {
        // Of the copies of a stage one is enough to tell.
        let is_told = self.errors.iter().any(|error| error.span.is_some() && error.span == global.span);
        if !is_told && !travels(module, global.ty) {
            let message = format!("hit attributes travel as numbers of {ATTRIBUTES} words at most");
            let help = "hand over floats and integers, and no more of them";
            self.errors.push(Diagnostic::error(global.span, message).help(help));
        }
    }

    /// Functions for what a copy calls: rays, reports, callables.
    fn calls(
        &mut self,
        module: &mut Module,
        f: FunctionRef,
        (map, attributes): (&Map, Option<GlobalRef>),
        caller: &Caller,
    ) -> HashMap<Inst, FunctionRef> {
        let function = module.function(f).clone();
        let mut calls = HashMap::new();
        for inst in Walk::insts(&function) {
            let last = function.args(inst).last().copied();
            let handed =
                |maker: &mut Self, module: &Module| maker.handed(module, &function, (inst, last), map);
            let made = match function.op(inst) {
                Op::TraceRay => handed(self, module).map(|payload| {
                    let args = function.args(inst);
                    let miss = module.value_bits(&function, args[5]).map(|n| n as u32 & 0xffff);
                    self.trace(module, (payload, miss, function.ty(args[0])), caller)
                }),
                Op::ExecuteCallable => handed(self, module).map(|data| {
                    let number = module.value_bits(&function, function.args(inst)[0]).map(|n| n as u32);
                    self.callable(module, (data, number), caller)
                }),
                Op::ReportHit => Some(self.report(module, attributes, caller)),
                _ => None,
            };
            if let Some(function) = made {
                calls.insert(inst, function);
            }
        }
        calls
    }

    /// The variable that is handed over.
    pub(super) fn handed(
        &mut self,
        module: &Module,
        f: &Function,
        (inst, place): (Inst, Option<Value>),
        map: &Map,
    ) -> Option<GlobalRef> {
        let g = place.and_then(|place| module.variable_at(f, place));
        if g.is_none() {
            let message = "what is handed over is no variable of the module";
            self.errors.push(Diagnostic::error(f.inst(inst).span, message));
        }
        g.map(|g| map.get(&g).copied().unwrap_or(g))
    }
}

/// Ends of any-hit stages leave a verdict and return.
pub fn end_hits(module: &mut Module, f: FunctionRef, verdict: GlobalRef) {
    let all: Vec<(chiaro_ir::Block, Inst, bool)> = {
        let function = module.function(f);
        let blocks = function.tree().into_iter().map(|(_, block)| block);
        let ends =
            blocks.flat_map(|block| function.block(block).insts.iter().map(move |&inst| (block, inst)));
        ends.filter_map(|(block, inst)| match function.op(inst) {
            Op::EndHit(accepts) => Some((block, inst, accepts)),
            _ => None,
        })
        .collect()
    };
    for (block, inst, accepts) in all {
        let word = module.types.intern(Type::Int(32));
        let said = module.scalar(word, if accepts { 2 } else { 1 });
        let place = module.address(verdict);
        let pointer = module.constants.ty(place);
        let function = module.function_mut(f);
        let args = [function.constant(place, pointer), function.constant(said, word)];
        let store = function.make(Op::Store, &args, &[]);
        let insts = &mut function.block_mut(block).insts;
        let at = insts.iter().position(|&other| other == inst).unwrap_or(0);
        insts.insert(at, store);
        function.inst_mut(inst).op = Op::Return;
    }
}

/// What stands for the calls that a stage makes: of rays, reports and callables.
pub trait Calls: Sized {
    /// What stands for one, if this is one.
    fn replace(r: &mut Rewrite<'_, Copying<Self>>, inst: Inst, op: Op) -> Replaced;
}

/// How a stage is copied.
pub struct Copying<C> {
    pub map: Map,
    pub calls: C,
}

impl<C: Calls> Rule for Copying<C> {
    fn ty(r: &mut Rewrite<'_, Self>, ty: Ty) -> Ty {
        use Space::{
            CallableData, HitAttribute, IncomingCallableData, IncomingPayload, Input, Payload, ShaderRecord,
        };
        match r.b.types().pointee(ty) {
            Some((
                Input | Payload | IncomingPayload | HitAttribute | CallableData | IncomingCallableData
                | ShaderRecord,
                to,
            )) => r.b.types().intern(Type::Pointer(Space::Private, to)),
            _ => ty,
        }
    }

    fn constant(r: &mut Rewrite<'_, Self>, c: Constant) -> Value {
        match *r.b.module().constants.get(c) {
            ConstantKind::Global(g) => {
                let stands = r.rule.map.get(&g).copied().unwrap_or(g);
                r.b.global(stands)
            }
            _ => r.b.constant(c),
        }
    }

    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        C::replace(r, inst, op)
    }
}

/// Calls of functions that are for one place each.
struct Written {
    calls: HashMap<Inst, FunctionRef>,
    site: Option<Site>,
}

impl Calls for Written {
    fn replace(r: &mut Rewrite<'_, Copying<Self>>, inst: Inst, op: Op) -> Replaced {
        let Some(&function) = r.rule.calls.calls.get(&inst) else { return Replaced::Copy };
        let mut args = r.args(inst);
        if op != Op::ReportHit {
            // What is handed over is known to the function.
            args.pop();
        }
        let answer = r.b.call(function, &args);
        if let (Op::ReportHit, Some(site)) = (op, &r.rule.calls.site) {
            let ended = super::site::held(&mut r.b, site.ended);
            r.b.when(ended, |b, _| b.return_());
        }
        answer.map_or(Replaced::Gone, Replaced::By)
    }
}
