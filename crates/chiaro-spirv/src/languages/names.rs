//! Names of results, which naga reads but does not keep: an expression knows at which byte of the words it
//! stands, and so whose name it has.

use std::collections::HashMap;

use naga::{Arena, Expression, Function, Handle, LocalVariable, Module};
use spirv::Op;

/// Words of the head.
const HEAD: usize = 5;
/// Words before the functions that naga may leave uncounted.
const MOST_UNCOUNTED: usize = 1 << 12;

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
}

impl Names {
    fn of(words: &[u32]) -> Names {
        let mut names = Names { by_id: HashMap::new(), results: HashMap::new() };
        let mut at = HEAD;
        while let Some(&first) = words.get(at) {
            let end = (at + (first >> 16).max(1) as usize).min(words.len());
            names.note(at, first & 0xffff, &words[at + 1..end]);
            at = end;
        }
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
        (0..MOST_UNCOUNTED as u32).map(|words| 4 * words).rev().max_by_key(|&ahead| hits(ahead)).unwrap_or(0)
    }

    fn note(&mut self, at: usize, op: u32, operands: &[u32]) {
        match *operands {
            [id, ref text @ ..] if op == Op::Name as u32 => {
                let bytes = text.iter().flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
                self.by_id.insert(id, bytes.map(char::from).collect());
            }
            // What has a type has a result behind it.
            [_, id, ..] if ![Op::EntryPoint, Op::Function].map(|op| op as u32).contains(&op) => {
                self.results.insert(4 * at as u32, id);
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
