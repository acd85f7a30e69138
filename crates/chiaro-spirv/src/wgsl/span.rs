//! The source text of each instruction, from naga's statements.

use std::collections::HashMap;

use chiaro_diag::{FileId, Span};
use spirv::Op;

use chiaro_words::{HEADER, instructions};

/// The statements, functions and variables of a source.
///
/// Statements are numbered and the numbers written in the place of naga's spans: naga finds the
/// column of a place by reading the text up to there, and numbers are much smaller than places.
pub(super) struct Statements {
    /// The longest statement that starts where the statement of this number does.
    numbered: Vec<Span>,
    /// Functions, variables and types by their names; `None` where two have the same.
    named: HashMap<String, Option<Span>>,
}

impl Statements {
    /// Collects them, and writes its number into each statement.
    pub(super) fn number(ir: &mut naga::Module, file: FileId) -> Self {
        let mut out = Statements { numbered: Vec::new(), named: HashMap::new() };
        let mut by_start = HashMap::new();
        let functions = ir.functions.iter_mut().map(|(_, f)| f);
        for function in functions.chain(ir.entry_points.iter_mut().map(|e| &mut e.function)) {
            out.block(&mut function.body, &mut by_start, file);
        }
        for (handle, function) in ir.functions.iter() {
            out.name(function.name.as_deref(), ir.functions.get_span(handle), file);
        }
        for (handle, global) in ir.global_variables.iter() {
            out.name(global.name.as_deref(), ir.global_variables.get_span(handle), file);
        }
        for (handle, ty) in ir.types.iter() {
            out.name(ty.name.as_deref(), ir.types.get_span(handle), file);
        }
        out
    }

    /// Text in which the column of the statement with number n is n + 1.
    pub(super) fn columns(&self) -> String {
        " ".repeat(self.numbered.len())
    }

    fn name(&mut self, name: Option<&str>, span: naga::Span, file: FileId) {
        let (Some(name), Some(bytes)) = (name, span.to_range()) else { return };
        let span = Some(file.span(bytes));
        self.named.entry(name.to_owned()).and_modify(|known| *known = None).or_insert(span);
    }

    fn block(&mut self, block: &mut naga::Block, by_start: &mut HashMap<usize, u32>, file: FileId) {
        use naga::Statement as S;
        for (statement, span) in block.span_iter_mut() {
            if let Some((span, bytes)) = span.and_then(|span| {
                let bytes = span.to_range()?;
                Some((span, bytes))
            }) {
                let number = *by_start.entry(bytes.start).or_insert(self.numbered.len() as u32);
                let place = file.span(bytes);
                match self.numbered.get_mut(number as usize) {
                    Some(known) => known.end = known.end.max(place.end),
                    None => self.numbered.push(place),
                }
                *span = naga::Span::new(number, number + 1);
            }
            match statement {
                S::Block(inner) => self.block(inner, by_start, file),
                S::If { accept, reject, .. } => {
                    [accept, reject].into_iter().for_each(|b| self.block(b, by_start, file));
                }
                S::Switch { cases, .. } => {
                    cases.iter_mut().for_each(|c| self.block(&mut c.body, by_start, file));
                }
                S::Loop { body, continuing, .. } => {
                    [body, continuing].into_iter().for_each(|b| self.block(b, by_start, file));
                }
                _ => {}
            }
        }
    }
}

/// Takes lines and source text out of naga's words; answers the words and their spans.
///
/// The column of an `OpLine` is the number of a statement, counted from 1.
pub(super) fn take(words: &[u32], statements: &Statements) -> (Vec<u32>, Vec<Option<Span>>) {
    let names = names(words, statements);
    let mut out = words[..HEADER.min(words.len())].to_vec();
    let mut spans = Vec::new();
    let mut current = None;
    for inst in instructions(words).map_while(Result::ok) {
        match inst.op {
            Op::Line => {
                let number = inst.word(2).wrapping_sub(1) as usize;
                current = statements.numbered.get(number).copied();
            }
            Op::NoLine => current = None,
            Op::String | Op::Source | Op::SourceContinued => {}
            _ => {
                let result = if inst.op.is_type() { inst.word(0) } else { inst.word(1) };
                let is_named = inst.op.is_type() || matches!(inst.op, Op::Function | Op::Variable);
                let named = names.get(&result).filter(|_| is_named);
                spans.push(named.copied().or(current));
                out.extend(&words[inst.at..=inst.at + inst.operands.len()]);
                if ends_block(inst.op) {
                    current = None;
                }
            }
        }
    }
    (out, spans)
}

fn names(words: &[u32], statements: &Statements) -> HashMap<u32, Span> {
    let named = instructions(words).map_while(Result::ok).filter(|i| i.op == Op::Name);
    let span = |name: &str| *statements.named.get(name)?;
    named.filter_map(|i| Some((i.word(0), span(&i.text(1))?))).collect()
}

fn ends_block(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
    ) || matches!(op, Op::FunctionEnd | Op::TerminateInvocation)
}
