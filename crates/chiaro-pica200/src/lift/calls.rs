//! Calls of procedures: registers go in as values, and what is read behind the call comes back.

use chiaro_ir::{FunctionRef, Member, Module, Ty, Type};

use super::graph::{Action, Graph};
use super::interface::unique;
use super::live::{Border, Live, Variable};
use super::procedures::Procedure;
use super::values::Values;
use super::{Name, Names, place};
use crate::container::Dvle;
use crate::machine::Program;
use crate::machine::flow::Flow;
use crate::machine::program::Line;

/// A procedure as a function.
pub(super) struct Callee {
    pub(super) function: FunctionRef,
    name: String,
    /// In the order of the parameters.
    params: Vec<Variable>,
    /// What comes back, and the components of it.
    results: Vec<(Variable, u8)>,
    /// What it uses besides.
    touched: Vec<Variable>,
}

/// Declares the procedures that are called; there is none for those that became part of their callers.
pub(super) fn declared(
    module: &mut Module,
    procedures: &[Procedure],
    live: Option<&Live>,
    executable: Option<&Dvle>,
) -> Vec<Option<Callee>> {
    let borders = live.map_or(&[][..], |live| &live.borders);
    let all = procedures.iter().zip(borders);
    all.map(|(procedure, border)| {
        (procedure.calls > 0).then(|| Callee::declare(module, name(procedure, executable), border))
    })
    .collect()
}

/// The container's name for the place where it begins, else that place.
fn name<'d>(procedure: &Procedure, executable: Option<&'d Dvle>) -> String {
    let lines = procedure.graph.nodes.iter().flat_map(|node| &node.actions).find_map(|action| match action {
        Action::Lines(lines) => Some(*lines.start()),
        _ => None,
    });
    let at = lines.unwrap_or_default() as u32;
    let label = |dvle: &'d Dvle| match dvle.label_before(at)? {
        (label, 0) => dvle.name(label.name),
        _ => None,
    };
    match executable.and_then(label) {
        Some(name) => name.to_owned(),
        None => format!("procedure_{at:03x}"),
    }
}

impl Callee {
    fn declare(module: &mut Module, name: String, border: &Border) -> Callee {
        let params: Vec<Variable> = border.params.variables().collect();
        let results = border.results.variables().map(|v| (v, v.within(border.results)));
        let results: Vec<(Variable, u8)> = results.collect();
        let types: Vec<Ty> = params.iter().map(|&v| ty(module, v)).collect();
        let result = match results[..] {
            [] => module.types.intern(Type::Void),
            [(one, _)] => ty(module, one),
            _ => {
                let member = |&(v, _): &(Variable, u8)| Member {
                    ty: ty(module, v),
                    name: v.to_string(),
                    offset: None,
                };
                let members = results.iter().map(member).collect();
                module.types.intern(Type::Struct(format!("{name}_results"), members))
            }
        };
        let touched = border.touched.variables().filter(|v| !params.contains(v)).collect();
        let name = unique(name, |name| module.functions.iter().all(|function| function.name != name));
        let function = module.declare(name.as_str(), &types, result);
        Callee { function, name, params, results, touched }
    }

    /// The variables of its body.
    pub(super) fn make_variables(&self, values: &mut Values<'_, '_>) {
        for (n, &variable) in self.params.iter().enumerate() {
            let param = values.b.param(n);
            values.make_variable(variable, param);
        }
        // Values are made where they are asked for.
        let touched = if values.has_values { &[][..] } else { &self.touched };
        for &variable in touched {
            let start = values.start(variable);
            values.make_variable(variable, start);
        }
    }

    /// Calls it from a word.
    pub(super) fn call(&self, values: &mut Values<'_, '_>, at: usize) {
        values.b.span = Some(place(at));
        self.called(values);
        values.b.span = None;
    }

    fn called(&self, values: &mut Values<'_, '_>) {
        let args: Vec<_> = self.params.iter().map(|&variable| values.load(variable)).collect();
        let Some(result) = values.b.call(self.function, &args) else { return };
        for (n, &(variable, components)) in (0..).zip(&self.results) {
            let value = if self.results.len() == 1 { result } else { values.b.extract(result, n) };
            let value = match (variable, components) {
                (Variable::Register(_), 0..15) => {
                    let before = values.load(variable);
                    let from = |n: u8| if components >> n & 1 == 1 { 4 + n } else { n };
                    values.b.shuffle(before, value, &[0, 1, 2, 3].map(from))
                }
                _ => value,
            };
            values.store(variable, value);
        }
    }

    /// What is made of its result is named after the register, or after it where there are several.
    fn result_name(&self) -> Option<Name> {
        match self.results[..] {
            [] => None,
            [(one, _)] => Some(Name::Text(one.to_string())),
            _ => Some(Name::Text(format!("after_{}", self.name))),
        }
    }

    /// The end of its body.
    pub(super) fn return_(&self, values: &mut Values<'_, '_>) {
        let parts: Vec<_> = self.results.iter().map(|&(variable, _)| values.load(variable)).collect();
        match parts[..] {
            [] => values.b.return_(),
            [one] => values.b.return_value(one),
            _ => {
                let function = values.b.function().result;
                let whole = values.b.construct(function, &parts);
                values.b.return_value(whole);
            }
        }
    }
}

/// Names of results by word, and of parameters.
pub(super) fn names(
    program: &Program,
    main: &Graph,
    procedures: &[Procedure],
    callees: &[Option<Callee>],
) -> Names {
    let named = |line: &Line| match line.flow {
        Flow::Loop { .. } => Some(Name::Text("aL".to_owned())),
        _ => line.target.map(Name::Register),
    };
    let mut results: Vec<_> = program.lines.iter().map(named).collect();
    for graph in [main].into_iter().chain(procedures.iter().map(|procedure| &procedure.graph)) {
        for action in graph.nodes.iter().flat_map(|node| &node.actions) {
            if let Action::Call { procedure, at } = action {
                results[*at] = callees[*procedure].as_ref().and_then(Callee::result_name);
            }
        }
    }
    let params = |callee: &Callee| (callee.function, callee.params.iter().map(ToString::to_string).collect());
    Names { results, params: callees.iter().flatten().map(params).collect() }
}

fn ty(module: &mut Module, variable: Variable) -> Ty {
    match variable {
        Variable::Register(_) => {
            let float = module.types.intern(Type::Float(32));
            module.types.vector(float, 4)
        }
        Variable::Flag(_) => module.types.intern(Type::Bool),
        Variable::Offset(_) | Variable::Counter | Variable::Rounds(_) | Variable::Kept(_) => {
            module.types.intern(Type::Int(32))
        }
    }
}
