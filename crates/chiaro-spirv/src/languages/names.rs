//! Names of results, which naga reads but does not keep: an expression knows at which byte of the words it
//! stands, and so whose name it has.

use std::collections::HashMap;

use chiaro_words::{Instruction, instructions};
use naga::{Arena, Expression, Function, Handle, LocalVariable, Module};
use spirv::Op;

/// Gives expressions, and the variables that phis become, the names of the words.
pub(super) fn give(module: &mut Module, words: &[u32]) {
    let names = Names::of(words);
    if names.by_id.is_empty() {
        return;
    }
    let ahead = names.ahead(module);
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let functions = functions.chain(module.entry_points.iter_mut().map(|entry| &mut entry.function));
    functions.for_each(|function| names.name(function, ahead));
}

struct Names {
    by_id: HashMap<u32, String>,
    /// By the byte at which an instruction starts: its result.
    results: HashMap<u32, u32>,
    /// Words before the functions.
    before: u32,
}

impl Names {
    fn of(words: &[u32]) -> Names {
        let mut names = Names { by_id: HashMap::new(), results: HashMap::new(), before: 0 };
        instructions(words).map_while(Result::ok).for_each(|inst| names.note(&inst));
        names
    }

    /// How many bytes instructions are behind where naga has them. It leaves words before the functions
    /// uncounted, always as many: the difference is the one at which most expressions start where an
    /// instruction does.
    fn ahead(&self, module: &Module) -> u32 {
        let all = module.functions.iter().flat_map(|(_, function)| {
            function.expressions.iter().map(|(at, _)| start(&function.expressions, at))
        });
        let starts: Vec<u32> = all.flatten().collect();
        let hits =
            |ahead: u32| starts.iter().filter(|&start| self.results.contains_key(&(start + ahead))).count();
        // Of equal ones the least.
        (0..self.before).map(|words| 4 * words).rev().max_by_key(|&ahead| hits(ahead)).unwrap_or(0)
    }

    fn note(&mut self, inst: &Instruction<'_>) {
        match (inst.op, inst.operands) {
            (Op::Name, [id, ..]) => {
                self.by_id.insert(*id, inst.text(1));
            }
            (Op::Function, _) if self.before == 0 => self.before = inst.at as u32,
            (Op::Function | Op::EntryPoint, _) => {}
            // What has a type has a result behind it.
            (_, [_, id, ..]) => {
                self.results.insert(4 * inst.at as u32, *id);
            }
            _ => {}
        }
    }

    fn name(&self, function: &mut Function, ahead: u32) {
        let Function { expressions, local_variables, named_expressions, .. } = function;
        let variables: Vec<_> = local_variables.iter().map(|(at, _)| at).collect();
        for at in variables {
            if let Some(name) = self.of_phi(local_variables, at) {
                local_variables.get_mut(at).name = Some(name);
            }
        }
        for (at, expression) in expressions.iter() {
            let result = start(expressions, at).and_then(|start| self.results.get(&(start + ahead)));
            let name = result.and_then(|id| self.by_id.get(id));
            if let Some(name) = name.filter(|_| is_computed(expression)) {
                named_expressions.insert(at, name.clone());
            }
        }
    }

    /// The name of the phi that a variable stands for.
    fn of_phi(&self, variables: &Arena<LocalVariable>, at: Handle<LocalVariable>) -> Option<String> {
        let id = variables[at].name.as_ref()?.strip_prefix("phi_")?.parse().ok()?;
        self.by_id.get(&id).cloned()
    }
}

/// The byte at which naga has an expression.
fn start(expressions: &Arena<Expression>, at: Handle<Expression>) -> Option<u32> {
    expressions.get_span(at).to_range().map(|range| range.start as u32)
}

/// Whether an expression is no place, and nothing that has a name anyway.
fn is_computed(expression: &Expression) -> bool {
    use Expression as E;
    !matches!(
        expression,
        E::Access { .. }
            | E::AccessIndex { .. }
            | E::Constant(_)
            | E::FunctionArgument(_)
            | E::GlobalVariable(_)
            | E::Literal(_)
            | E::LocalVariable(_)
            | E::ZeroValue(_)
    )
}
